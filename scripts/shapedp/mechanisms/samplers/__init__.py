"""Exact draws from densities on manifolds."""
