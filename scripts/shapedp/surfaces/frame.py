"""Find the frame of a scan: where its middle is, which way it faces, the sphere it lies about, and its flattening
there.

Everything is equivariant under rigid motions and scale, and does not depend on the order of the points. A surface is
flattened along directions from a point inside it, by stereographic projection from behind.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.storage.loops import loop

# The least share of the widest extent that a face has in its thinnest direction.
FLAT = 0.02
# Points that are worked on at a time: millions at once would fill the memory.
BLOCK = 1 << 18
# The same as FLAT for any surface: below it rounding decides which side is out.
PLANE = 1e-6


@dataclass(frozen=True)
class Frame:
    """centroid (3,); axes (3, 3), rows: widest, middle, outward; extents (3,) sd along them; center of the sphere."""

    centroid: np.ndarray
    axes: np.ndarray
    extents: np.ndarray
    center: np.ndarray


def canonical_order(points):
    """Return indices that sort points by their distance from the centroid, so that results do not depend on a file's
    order.

    It is the same for any order, pose and scale.
    """
    # Sorted before they are summed, so that the last bit of the mean is the same for any order of the points.
    centroid = np.sort(points.T.copy()).mean(axis=1)
    return np.argsort(distances(points, centroid), kind="stable")


def fit(points, flat=PLANE):
    """Return the Frame of points (n, 3): where a scan's middle is and which way it faces.

    The outward axis points away from the center of the fitted sphere.
    """
    centroid, extents, vectors = principal(points)
    if not extents[2] > flat * extents[0]:
        raise Rejected(
            "degenerate",
            f"the points are {extents[2] / max(extents[0], 1e-300):.2%} as thick as they are wide; a face has depth "
            f"(at least {flat:.2g} of its width): check that the scan is not a flat picture or a single line",
        )
    # the least-squares sphere |p|^2 = 2 p.c + (r^2 - |c|^2) about the centroid has 2 V c = mean(|p|^2 p), V the
    # covariance of the points
    center = vectors @ (vectors.T @ _average_cubes(points, centroid) / (2 * extents[::-1] ** 2))
    outward = vectors[:, 0] if vectors[:, 0] @ -center >= 0 else -vectors[:, 0]
    widest = vectors[:, 2]
    axes = np.stack([widest, np.cross(outward, widest), outward])
    return Frame(centroid, axes, extents, centroid + center)


def principal(points):
    """Return a scan's own axes, by which frames and thinning do not depend on how it lies: (centroid, sds, axes).

    centroid is (3,), sds (3,) those along the axes from the widest to the thinnest, axes (3, 3) columns, the thinnest
    first.
    """
    centroid, squares = _sum_squares(points)
    variances, vectors = np.linalg.eigh(squares / len(points))
    return centroid, np.sqrt(np.maximum(variances[::-1], 0)), vectors


def variance(points):
    """Return the mean squared distance of points (n, 3) from their centroid."""
    return np.trace(_sum_squares(points)[1]) / len(points)


@loop(fastmath={"reassoc", "contract"})
def _sum_squares(points):
    """Return (centroid (3,), the sums of squares and products (3, 3) about it), from which principal axes follow.

    Summed in the points' order, on one thread.
    """
    n = len(points)
    middle, squares = np.zeros(3), np.empty((3, 3))
    for i in range(n):
        for d in range(3):
            middle[d] += points[i, d]
    middle /= max(n, 1)
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        x, y, z = points[i, 0] - middle[0], points[i, 1] - middle[1], points[i, 2] - middle[2]
        xx, xy, xz, yy, yz, zz = xx + x * x, xy + x * y, xz + x * z, yy + y * y, yz + y * z, zz + z * z
    squares[0, 0], squares[1, 1], squares[2, 2] = xx, yy, zz
    squares[0, 1], squares[0, 2], squares[1, 2] = xy, xz, yz
    squares[1, 0], squares[2, 0], squares[2, 1] = xy, xz, yz
    return middle, squares


@loop(fastmath={"reassoc", "contract"})
def _average_cubes(points, centroid):
    """Return mean(|p|^2 p) (3,) of the points p about their centroid, from which `fit` has the center of the sphere."""
    a, b, c = 0.0, 0.0, 0.0
    for i in range(len(points)):
        x, y, z = points[i, 0] - centroid[0], points[i, 1] - centroid[1], points[i, 2] - centroid[2]
        own = x * x + y * y + z * z
        a, b, c = a + own * x, b + own * y, c + own * z
    return np.array([a, b, c]) / len(points)


def eye(frame):
    """Return the point inside the head from which the surface is seen, to find which points are hidden and to flatten
    it.

    It is the fitted sphere's center, not nearer than twice its thickness and not farther than four, so that a nearly
    flat surface is seen from a finite distance.
    """
    behind = float((frame.centroid - frame.center) @ frame.axes[2])
    return frame.centroid - np.clip(behind, 2 * frame.extents[2], 4 * frame.extents[0]) * frame.axes[2]


@loop
def distances(points, origin):
    """Return (n,), the distances of points (n, 3) from one: the frame's parts and many searches ask for them."""
    result = np.empty(len(points))
    for i in range(len(points)):
        x, y, z = points[i, 0] - origin[0], points[i, 1] - origin[1], points[i, 2] - origin[2]
        result[i] = np.sqrt(x * x + y * y + z * z)
    return result


@loop(error_model="numpy")
def directions(points, origin):
    """Return (the unit vectors from `origin` to points (n, 3), the distances), as a scan is seen from its eye."""
    unit, distance = np.empty(points.shape), distances(points, origin)
    for i in range(len(points)):
        for d in range(3):
            unit[i, d] = (points[i, d] - origin[d]) / distance[i]
    return unit, distance


@loop(error_model="numpy")
def stereographic(directions, axes):
    """Return (n, 2), unit directions (n, 3) flattened conformally, in which a cloud's points can be triangulated.

    d is projected from the point opposite to w, the last axis: (d.u, d.v)/(1 + d.w).
    """
    flat = np.empty((len(directions), 2))
    for i in range(len(directions)):
        x, y, z = directions[i]
        along = 1 + (x * axes[2, 0] + y * axes[2, 1] + z * axes[2, 2])
        for d in range(2):
            flat[i, d] = (x * axes[d, 0] + y * axes[d, 1] + z * axes[d, 2]) / along
    return flat
