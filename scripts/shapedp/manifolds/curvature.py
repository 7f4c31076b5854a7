"""The comparison function of curvature, and the largest ball in which means and mechanisms are well defined.

Proofs: docs/mathematics.md, (5.2) and (5.3).
"""

import numpy as np

from shapedp.errors import RefusedRelease


def h_max(s, kappa):
    """s √κ cot(s √κ) for κ > 0, else 1: bounds the Hessian of dist²/2 at distance s below, for curvature <= κ."""
    if kappa <= 0:
        return np.ones_like(np.asarray(s, dtype=float))
    a = np.asarray(s, dtype=float) * np.sqrt(kappa)
    return np.where(a > 0, a / np.tan(np.where(a > 0, a, 1.0)), 1.0)


def radius_limit(manifold):
    """r must stay below ½ min(injectivity radius, (π/2) κ_max^(-1/2)): S^d π/4, Kendall π/8, P(k) none."""
    _, kappa = manifold.curvature_bounds()
    convex = np.pi / 2 / np.sqrt(kappa) if kappa > 0 else np.inf
    return min(manifold.injectivity_radius, convex) / 2


def check_radius(manifold, r):
    """Refuse a ball in which squared distances need not be convex (Assumption 1 of the 2022 paper)."""
    limit = radius_limit(manifold)
    if not 0 < r < limit or not np.isfinite(r):
        raise RefusedRelease(
            f"radius r = {r:.6g} is not usable on {manifold}: it must be positive and finite"
            + (f", below the limit {limit:.6g}" if np.isfinite(limit) else "")
        )
