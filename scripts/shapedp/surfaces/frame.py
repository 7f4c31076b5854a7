"""The frame of a scan: where its middle is, which way it faces, and the sphere it lies about.

Everything is equivariant under rigid motions and scale, and does not depend on the order of the points.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import Rejected

FLAT = 0.02  # smallest share of the widest extent that a scan must have in its thinnest direction


@dataclass(frozen=True)
class Frame:
    """centroid (3,); axes (3, 3), rows: widest, middle, outward; extents (3,) sd along them; the fitted sphere."""

    centroid: np.ndarray
    axes: np.ndarray
    extents: np.ndarray
    centre: np.ndarray
    radius: float


def canonical_order(points):
    """Indices that sort points by their distance from the centroid: the same for any order, pose and scale."""
    centroid = np.sort(points, axis=0).mean(axis=0)
    return np.argsort(np.linalg.norm(points - centroid, axis=1), kind="stable")


def fit(points, flat=FLAT):
    """The frame of points (n, 3). The outward axis points away from the centre of the fitted sphere."""
    centroid = points.mean(axis=0)
    centred = points - centroid
    variances, vectors = np.linalg.eigh(centred.T @ centred / len(points))
    extents = np.sqrt(np.maximum(variances[::-1], 0))
    if not extents[2] > flat * extents[0]:
        raise Rejected(
            "degenerate",
            f"the points are {extents[2] / max(extents[0], 1e-300):.2%} as thick as they are wide; a face has depth "
            f"(at least {flat:.0%}): check that the scan is not a flat picture or a single line",
        )
    centre, radius = _sphere(centred)
    outward = vectors[:, 0] if vectors[:, 0] @ -centre >= 0 else -vectors[:, 0]
    widest = vectors[:, 2]
    axes = np.stack([widest, np.cross(outward, widest), outward])
    return Frame(centroid, axes, extents, centroid + centre, radius)


def _sphere(centred):
    """Least-squares sphere: |p|^2 = 2 p.c + (r^2 - |c|^2)."""
    system = np.column_stack([2 * centred, np.ones(len(centred))])
    solution = np.linalg.lstsq(system, (centred**2).sum(axis=1), rcond=None)[0]
    centre = solution[:3]
    return centre, float(np.sqrt(max(solution[3] + centre @ centre, 0.0)))
