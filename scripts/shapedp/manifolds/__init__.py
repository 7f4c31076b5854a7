"""Spheres, symmetric positive definite matrices and planar shapes: geometry, balls and Fréchet means.

The three manifolds share one interface (`base.Manifold`), vectorised over leading axes.
"""
