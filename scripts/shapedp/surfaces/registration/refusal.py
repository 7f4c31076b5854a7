"""Surfaces that cannot be registered, refused before any iteration."""

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces.registration import srnf

LEAST_AREA = 1e-12  # in squared units of the surface's extent
OPPOSITE = -0.8  # cosine below which two neighbouring normals count as a crease
MOST_CREASED = 0.005  # creases in the share of grid points; lips and nostrils of real faces make up to 0.002


def check(f, grid):
    """Raise Rejected for values that are not finite, zero area or a folded grid."""
    if not np.isfinite(f).all():
        raise Rejected(
            "non_finite", f"{np.count_nonzero(~np.isfinite(f))} values of the surface are not finite numbers"
        )
    n = srnf.normals(f, grid)
    area = grid.integral(np.linalg.norm(n, axis=-1))
    extent = np.ptp(f.reshape(-1, 3), axis=0).max()
    if not area > LEAST_AREA * max(extent, np.finfo(float).tiny) ** 2:
        raise Rejected("zero_area", f"the surface has area {area:.3g}; it is a curve or a point, not a surface")
    share = creased_share(n)
    if share > MOST_CREASED:
        raise Rejected(
            "folded_grid",
            f"the surface turns back on itself at {100 * share:.1f} % of the grid (at most {100 * MOST_CREASED:.1f} % "
            "is accepted); check the disk map for flipped triangles",
        )


def creased_share(n):
    """Pairs of neighbours on the grid whose normals n (R, T, 3) are opposite, over the number of grid points.

    A fold of the grid reverses the normal along a whole line; a sharp edge of a surface does not.
    """
    size = np.linalg.norm(n, axis=-1, keepdims=True)
    unit = n / np.where(size > 0, size, 1)
    beside = np.einsum("rtc,rtc->rt", unit, np.roll(unit, 1, axis=1)) < OPPOSITE
    above = np.einsum("rtc,rtc->rt", unit[1:], unit[:-1]) < OPPOSITE
    return (beside.sum() + above.sum()) / beside.size
