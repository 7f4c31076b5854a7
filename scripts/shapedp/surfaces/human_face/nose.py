"""Find a face's nose tip: the vertex that goes to the center of its disk.

It is found from the face's own geometry alone.
"""

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.storage.loops import loop
from shapedp.surfaces import frame, topology
from shapedp.surfaces.disk_map import centers

# Square roots of the area: nearest the nose may lie to the rim before the face counts as half a face.
SIDE = 0.15
# Confidence in the nose below which a notice is given.
UNSURE = 0.15


def find_center(vertices, triangles, marked=None, sought=None):
    """Return the Center of a face, its nose tip, which every face has at the middle of its disk so that disks
    correspond.

    Parameters
    ----------
    vertices, triangles : (n, 3), (t, 3)
        Of a face that is a disk, in units of the scan.
    marked : (3,), optional
        The nose tip, where somebody marked it.
    sought : (3,), optional
        About where the nose tip lies, where the face was looked for in the scan: it is looked for near by.
    """
    return _center(vertices, triangles, *(None if hint is None else tuple(hint) for hint in (marked, sought)))


# Meshing asks for the nose already, to see whether a scan is a face.
@topology.remember_last_call
def _center(vertices, triangles, marked, sought):
    """Return the Center that `find_center` is asked for, a face's nose tip, kept so that it is not found twice.

    Its arguments can be compared with the last ones.
    """
    rim = topology.boundary_loops(triangles)[0]
    size = np.sqrt(topology.areas(vertices, triangles).sum())
    scan_frame = frame.fit(vertices, flat=frame.FLAT)
    if marked is not None:
        center = centers.find(vertices, triangles, "boundary", marked)
    else:
        tip, confidence = find_nose(vertices, scan_frame, size, rim, sought)
        words = f"the nose tip is uncertain (confidence {confidence:.2f}); mark it in the sample sheet"
        center = centers.Center(tip, "found", confidence, words if confidence < UNSURE else "")
    nearest = np.linalg.norm(vertices[rim] - vertices[center.vertex], axis=1).min() / size
    if nearest < SIDE:
        raise Rejected(
            "partial_face",
            f"the nose tip lies {nearest:.2f} face sizes from the scan's edge (at least {SIDE}); the scan shows only "
            "part of a face: scan it from the front",
        )
    return center


# Of the square root of the area: the ring that a nose stands out from.
INNER, OUTER = 0.10, 0.17
# Of the same: the middle of the face, which says where the nose points.
WIDE = 0.325
# Of the same: how far the tip may lie from the point that stands out most.
TIP = 0.08
# Of the same: candidates keep this distance from the boundary.
RIM = 0.10
# Sectors of eight in which a nose must stand out, too: its bridge takes up two.
LEAST = 3
# Cells in OUTER sizes, where the points of a ring are looked for.
FINER = 3
# Such cells along an axis; a face has about fifty.
MOST_ACROSS = 1000
# At most so many each, evenly drawn, where the whole face is searched.
CANDIDATES, RING_POINTS = 800, 1500


def find_nose(points, seen, size, rim, sought=None):
    """Return (index of the nose's tip, confidence 0..1 that it is the tip) among the points of a face.

    points : (n, 3) vertices; seen : the scan's frame, its third axis outward; size : square root of the area
    rim : (b,) indices of the boundary vertices; sought : (3,) about where the tip lies, if that is known
    """
    inside = _find_far_from_rim(points[rim], points, RIM * size)
    frame_points = (points - seen.centroid) @ seen.axes.T
    stand_out = np.full(len(points), -np.inf)
    coarse = _spread(np.flatnonzero(inside), CANDIDATES)
    stand_out[coarse] = _measure_standing_out(frame_points[coarse], _spread(frame_points, RING_POINTS), size)
    away = frame.distances(points, points[np.argmax(stand_out)] if sought is None else np.asarray(sought, dtype=float))
    near = np.flatnonzero(inside & (away <= INNER * size))
    if not len(near):
        raise Rejected(
            "partial_face", "the nose lies at the scan's edge; the scan shows only part of a face: scan it whole"
        )
    stand_out[near] = _measure_standing_out(frame_points[near], frame_points[away <= (INNER + OUTER) * size], size)
    bump = near[np.argmax(stand_out[near])]
    # Confidence compares with the next best elsewhere, not with the neighbours of the tip, which stand out as well.
    second = np.max(stand_out[frame.distances(points, points[bump]) > 2 * OUTER * size], initial=0.0)
    confidence = float(np.clip(1 - second / max(stand_out[bump], 1e-300), 0, 1))
    return _find_foremost_point(points, bump, size), confidence


def _spread(rows, most):
    """Return every k-th row, `most` at most, to search a face coarsely first: the rows come by distance from the
    centroid.
    """
    return rows[:: 1 + len(rows) // most]


def _find_foremost_point(points, bump, size):
    """Return the tip of the nose near the bump that was found: the foremost point seen from the middle of the face.

    That line leans about 2 degrees below the direction of gaze, where the foremost point is the anatomical tip.
    """
    near = np.flatnonzero(frame.distances(points, points[bump]) <= TIP * size)
    tip = bump
    for _ in range(2):
        away = frame.distances(points, points[tip])
        middle = points[(away > INNER * size) & (away <= WIDE * size)].mean(axis=0)
        tip = int(near[np.argmax(points[near] @ (points[tip] - middle))])
    return tip


@loop
def _find_far_from_rim(rim, points, least):
    """Return (n,), which of the points may be a nose, for no point of the rim lies within `least` of them."""
    far = np.empty(len(points), dtype=np.bool_)
    across, along, height = rim[:, 0].copy(), rim[:, 1].copy(), rim[:, 2].copy()
    for i in range(len(points)):
        near = False
        # To the end, without a branch: so it is done several at a time.
        for j in range(len(rim)):
            x, y, z = across[j] - points[i, 0], along[j] - points[i, 1], height[j] - points[i, 2]
            near |= x * x + y * y + z * z <= least * least
        far[i] = not near
    return far


@loop
def _measure_standing_out(tips, points, size):
    """Return how far each tip lies in front of its surroundings, a ring about it: the largest is the nose.

    The ring holds the points at INNER to OUTER sizes. It is cut into eight sectors, and of their mean depths below the
    tip the LEAST smallest are averaged. So a tip counts that stands out on every side, as a nose does; a chin or the
    edge of a forehead has sides where it does not. -inf where the ring has hardly any points.

    tips, points : (m, 3) and (n, 3), the third axis outward; points are looked for in cells across that
    """
    result = np.full(len(tips), -np.inf)
    inner, outer, side = (INNER * size) ** 2, (OUTER * size) ** 2, OUTER * size / FINER
    left, bottom = points[:, 0].min(), points[:, 1].min()
    side = max(side, (points[:, 0].max() - left) / MOST_ACROSS, (points[:, 1].max() - bottom) / MOST_ACROSS)
    columns, rows = int((points[:, 0].max() - left) / side) + 1, int((points[:, 1].max() - bottom) / side) + 1
    place = np.empty(len(points), dtype=np.int64)
    for j in range(len(points)):
        place[j] = int((points[j, 1] - bottom) / side) * columns + int((points[j, 0] - left) / side)
    order, starts = topology.by_number(place, columns * rows)
    across, along, height = points[order, 0], points[order, 1], points[order, 2]
    ring, total, count, depths = np.empty(len(points) + 1, dtype=np.int64), np.empty(8), np.empty(8), np.empty(8)
    for i in range(len(tips)):
        a, b, c = tips[i, 0], tips[i, 1], tips[i, 2]
        column, row = int(np.floor((a - left) / side)), int(np.floor((b - bottom) / side))
        first, end = min(max(column - FINER, 0), columns), max(min(column + FINER + 1, columns), 0)
        within = 0
        for other in range(max(row - FINER, 0), min(row + FINER + 1, rows)):
            for j in range(starts[other * columns + first], starts[other * columns + end]):  # without a branch
                x, y, z = across[j] - a, along[j] - b, height[j] - c
                square = x * x + y * y + z * z
                ring[within] = j
                within += (inner < square) & (square <= outer)
        if within <= 8:
            continue
        total[:], count[:] = 0.0, 0.0
        for at in range(within):
            x, y = across[ring[at]] - a, along[ring[at]] - b
            sector = 4 * (x > 0) + 2 * (y > 0) + (abs(x) > abs(y))
            total[sector] += c - height[ring[at]]
            count[sector] += 1
        sector_count = 0
        for sector in range(8):
            if count[sector] > 0:
                depths[sector_count] = total[sector] / count[sector]
                sector_count += 1
        result[i] = np.sort(depths[:sector_count])[:LEAST].mean()
    return result
