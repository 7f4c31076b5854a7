"""Spheres, symmetric positive definite matrices and planar shapes: geometry, balls and Fréchet means.

All share one interface (`base.Manifold`), vectorised over leading axes.
"""
