"""The automorphisms of the unit disk that move its center.

See docs/mathematics.md, (1.5).
"""

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import distortion


def recenter(z, a):
    """Send `a` to 0 by the disk automorphism (z - a) / (1 - conj(a) z).

    z : (n,) complex, |z| <= 1; points on the unit circle stay on it
    a : complex, |a| < 1
    """
    if not abs(a) < 1:
        raise ValueError(f"center must lie inside the unit disk, got |a| = {abs(a):.6g}")
    return (z - a) / (1 - np.conj(a) * z)


def centered(z, triangles, vertex):
    """The disk map z (n,) with an interior vertex at 0; Rejected where that turns triangles over.

    Between the vertices the map is linear, so an automorphism is kept up to the size of the triangles; near the circle
    it shears large ones.
    """
    if not abs(z[vertex]) < 1:
        raise Rejected("center_on_boundary", "the vertex chosen as center lies on the mesh's boundary")
    moved = recenter(z, z[vertex])
    turned = distortion.flipped(moved, triangles).sum()
    if turned:
        raise Rejected(
            "center_far_out",
            f"to bring the chosen center from {abs(z[vertex]):.3f} of the disk's radius to 0 would turn {turned} "
            "triangle(s) over; choose a center farther from the scan's edge",
        )
    return moved
