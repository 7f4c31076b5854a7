"""Draws from densities on manifolds: exact, or (KNG) with their rounding counted."""
