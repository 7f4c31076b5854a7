"""The frame of a scan: where its middle is, which way it faces, the sphere it lies about, and its flattening there.

Everything is equivariant under rigid motions and scale, and does not depend on the order of the points. A surface is
flattened along directions from a point inside it, by stereographic projection from behind.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import Rejected

FLAT = 0.02  # smallest share of the widest extent that a face has in its thinnest direction
BLOCK = 1 << 18  # points that are centered at a time
PLANE = 1e-6  # the same for any surface: below it rounding decides which side is out


@dataclass(frozen=True)
class Frame:
    """centroid (3,); axes (3, 3), rows: widest, middle, outward; extents (3,) sd along them; the fitted sphere."""

    centroid: np.ndarray
    axes: np.ndarray
    extents: np.ndarray
    center: np.ndarray
    radius: float


def canonical_order(points):
    """Indices that sort points by their distance from the centroid: the same for any order, pose and scale."""
    centroid = np.sort(points, axis=0).mean(axis=0)
    return np.argsort(np.linalg.norm(points - centroid, axis=1), kind="stable")


def fit(points, flat=PLANE):
    """The frame of points (n, 3). The outward axis points away from the center of the fitted sphere."""
    centroid, extents, vectors = principal(points)
    centered = points - centroid
    if not extents[2] > flat * extents[0]:
        raise Rejected(
            "degenerate",
            f"the points are {extents[2] / max(extents[0], 1e-300):.2%} as thick as they are wide; a face has depth "
            f"(at least {flat:.2g} of its width): check that the scan is not a flat picture or a single line",
        )
    center, radius = _sphere(centered, extents[::-1], vectors)
    outward = vectors[:, 0] if vectors[:, 0] @ -center >= 0 else -vectors[:, 0]
    widest = vectors[:, 2]
    axes = np.stack([widest, np.cross(outward, widest), outward])
    return Frame(centroid, axes, extents, centroid + center, radius)


def principal(points):
    """(centroid (3,), sd along the principal axes from widest to thinnest, axes (3, 3) as columns, thinnest first)."""
    centroid = points.mean(axis=0)
    squares = np.zeros((3, 3))
    for start in range(0, len(points), BLOCK):
        centered = points[start : start + BLOCK] - centroid
        squares += centered.T @ centered
    variances, vectors = np.linalg.eigh(squares / len(points))
    return centroid, np.sqrt(np.maximum(variances[::-1], 0)), vectors


def _sphere(centered, extents, axes):
    """Least-squares sphere |p|^2 = 2 p.c + (r^2 - |c|^2) of points with mean 0, sd `extents` along the axes (columns):
    2 V c = mean(|p|^2 p) with their covariance V, r^2 - |c|^2 = mean(|p|^2).
    """
    squares = np.einsum("nc,nc->n", centered, centered)
    center = axes @ (axes.T @ (squares @ centered / len(centered)) / (2 * extents**2))
    return center, float(np.sqrt(squares.mean() + center @ center))


def eye(frame):
    """The point inside the head from which the surface is seen: the fitted sphere's center, not nearer than twice its
    thickness and not farther than four, so that a nearly flat surface is seen from a finite distance."""
    behind = float((frame.centroid - frame.center) @ frame.axes[2])
    return frame.centroid - np.clip(behind, 2 * frame.extents[2], 4 * frame.extents[0]) * frame.axes[2]


def directions(points, origin):
    """Unit vectors from `origin` to points (n, 3), and the distances."""
    away = points - origin
    distance = np.linalg.norm(away, axis=1)
    return away / distance[:, None], distance


def stereographic(directions, frame):
    """(n, 2): directions d (n, 3) projected from the point opposite to the outward axis, (d.u, d.v)/(1 + d.w)."""
    along = directions @ frame.axes.T
    return along[:, :2] / (1 + along[:, 2:])
