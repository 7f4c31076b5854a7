"""Make a triangulated disk of a scan: manifold, oriented outwards, one boundary loop, chi = 1.

A scan that is a mesh keeps its triangles where they make a disk: its inner holes are closed; where they do not, its
points are triangulated anew, as those of a cloud are. A noisy scan is smoothed first. Holes that the triangulation has
bridged are counted and judged.
"""

import heapq
from dataclasses import dataclass, field

import numpy as np
import scipy

from shapedp.base.errors import Rejected, format_count
from shapedp.base.storage.loops import loop
from shapedp.surfaces import frame, topology
from shapedp.surfaces.disk_map import conformal
from shapedp.surfaces.meshing import clipping, clouds, coarsening, mending
from shapedp.surfaces.scans import meshlab


@dataclass(frozen=True)
class Options:
    """largest_hole, refused_hole : shares of the area, from notice and refusal
    smooth_noise : whether a scan that is noisy is smoothed first
    find_face : auto | never, for face_mesh
    """

    largest_hole: float = 0.02
    refused_hole: float = 0.08
    smooth_noise: bool = False
    find_face: str = "auto"


@dataclass(frozen=True)
class Mesh:
    """vertices (n, 3), triangles (t, 3) int32, quality : numbers, notices : words."""

    vertices: np.ndarray
    triangles: np.ndarray
    quality: dict
    notices: list = field(default_factory=list)


def mesh_scan(points, triangles=None, options=None):
    """Return the Mesh of a scan, cleaned and triangulated as a disk so that it can be mapped; raise Rejected with the
    reason.

    Parameters
    ----------
    points : (n, 3) array
    triangles : (t, 3) integer array or None
        Of a scan that is a mesh, kept where they are sound.
    options : Options or None
        None: as they are by default.
    """
    options = options or Options()
    points_read, notices, vertices, own = len(points), [], None, 0
    if triangles is not None:
        # This refuses several objects before anything is spent on them.
        whole, _ = _find_largest_piece(points, triangles)
        if len(whole) < SECOND_PIECE * len(triangles):
            triangles = None
            notices.append(f"the scan's own triangles are not used: only {len(whole)} of them are connected")
    if triangles is not None:
        points, triangles, more_notices = reduce_mesh(points, triangles)
        notices += more_notices
    if triangles is None:
        clouds.refuse_few(points)
        points, more_notices = clouds.thin_points(points)
        notices += more_notices
    noise, width = np.nan, 0.0
    if options.smooth_noise:
        points, noise, width, more_notices = clouds.smooth_scan(points)
        notices += more_notices
    # The order of the points decides ties from here on, so it must not be the file's.
    order = frame.canonical_order(points)
    points = points[order]
    if triangles is not None:
        vertices, faces, more_notices = make_disk(points, np.argsort(order)[triangles])
        notices += more_notices
        own = int(vertices is not None)
    if vertices is None and triangles is not None and len(points) > MOST_ANEW:
        points, more_notices = clouds.thin_points(points)
        points = points[frame.canonical_order(points)]
        notices += more_notices
    if vertices is None:
        kept_indices, spacing, more_notices = clouds.keep_one_surface(points)
        notices += more_notices
        vertices, faces = _mesh_cloud(points[kept_indices], spacing)
    reason = topology.fault(faces, len(vertices))
    if reason:
        raise Rejected("not_a_disk", f"no disk could be made of the scan: {reason}")
    quality = {
        "points_read": points_read,
        "noise": noise,
        "smoothing": width,
        "own_triangles": own,
        "points_kept": len(vertices),
        **judge_holes(vertices, faces, options, notices),
    }
    return Mesh(vertices, faces.astype(np.int32), quality, notices)


def _mesh_cloud(points, spacing):
    """Return (vertices, triangles) of a cloud's mesh, a disk, by Delaunay in the flattening of its outer layer."""
    cloud_frame = frame.fit(points)
    backwards = (frame.directions(points, cloud_frame.center)[0] @ cloud_frame.axes[2]).min()
    # A surface that reaches all round the center of its sphere has no open side.
    if backwards < -0.9:
        raise Rejected(
            "closed_surface",
            f"the surface closes behind itself (directions down to {np.degrees(np.arccos(backwards)):.0f} degrees from "
            "its front); crop it to its open side, or clean it",
        )
    directions, height = frame.directions(points, frame.eye(cloud_frame))
    flat = frame.stereographic(directions, cloud_frame.axes)
    mending.refuse_behind(flat)
    outer = ~clouds.find_hidden(directions, height, flat, spacing)
    vertices = points[outer]
    triangles, kept_indices = mending.triangulate_cloud(vertices, flat[outer], height[outer])
    mending.refuse_folded(len(kept_indices), len(points))
    triangles, sound = mending.mend(vertices[kept_indices], triangles)
    return vertices[kept_indices][sound], triangles


# Triangles: more than DENSE are reduced to REDUCED before anything else.
DENSE, REDUCED = 400_000, 200_000
# More than VAST are made COARSE before that, since the reduction takes long for each triangle.
VAST, COARSE = 600_000, 500_000
# Triangles round a vertex: each is walked round for each flip there.
MOST_ROUND = 6000
# Points of a mesh whose triangles are not used: more are thinned as a cloud's are.
MOST_ANEW = 50_000
# Share of the triangles from which a second piece is a second object.
SECOND_PIECE = 0.05


def reduce_mesh(points, triangles):
    """Return (points, triangles, notices) of a mesh, made coarser if it is too dense to map; triangles is None where
    that fails.

    Points that no triangle names count only up to as many as there may be triangles.
    """
    if len(triangles) <= DENSE and len(points) <= DENSE:
        return points, triangles, []
    if len(triangles) <= DENSE:
        triangles, used_points = topology.compact(triangles)
        return (
            points[used_points],
            triangles,
            [f"{format_count(len(points) - len(used_points), 'point')} that belong to no triangle dropped"],
        )
    try:
        if len(triangles) > VAST:
            points, triangles = coarsening.coarsen(points, triangles, COARSE)
        points, triangles = meshlab.reduce(points, triangles, REDUCED)
    except Rejected as error:
        return points, None, [f"the scan's own triangles are not used: {error}"]
    return points, triangles, [f"the mesh was reduced to {len(triangles)} triangles"]


def make_disk(points, triangles):
    """Return (vertices, triangles, notices): a scan's own triangles made a disk, its holes closed.

    vertices is None if the points must be triangulated anew.

    Triangles with three different corners are kept, each once, of the largest piece. The longest boundary loop stays
    the rim, every other loop is closed.
    """
    triangles, notices = _find_largest_piece(points, triangles)
    proper = triangles[np.all(triangles != np.roll(triangles, 1, axis=1), axis=1)]
    _, first = np.unique(np.sort(proper, axis=1), axis=0, return_index=True)
    triangles, used_points = topology.compact(proper[np.sort(first)].astype(np.int64))
    vertices = points[used_points]
    if (most := np.bincount(triangles.ravel()).max(initial=0)) > MOST_ROUND:
        words = f"a vertex has {most} triangles round it, more than {MOST_ROUND}"
        return None, None, [f"the scan's own triangles are not used: {words}"]
    reason, loops = topology.examine(triangles, len(vertices))
    if reason and not loops and "closed" not in reason:
        vertices, triangles, reason, loops, words = _repair(vertices, triangles, reason)
        notices.append(words)
    if loops:
        try:
            # Loops come longest first, so of the others none is longer.
            conformal.refuse_long_rim(len(loops[0]))
        except Rejected as error:
            return None, None, [f"the scan's own triangles are not used: {error}"]
    if len(loops) > 1:
        triangles = np.concatenate([triangles, *_close_holes(vertices, triangles, loops[1:])])
        notices.append(f"{format_count(len(loops) - 1, 'hole')} of the mesh closed")
        reason = topology.fault(triangles, len(vertices))
    if reason.startswith("it is closed"):
        raise Rejected("closed_surface", "the mesh is closed; crop it to the face, so that it has a rim")
    if reason:
        return None, None, [f"the scan's own triangles are not used: {reason}"]
    try:
        triangles, kept_indices = mending.mend(vertices, triangles)
    except Rejected as error:
        return None, None, [f"the scan's own triangles are not used: {error}"]
    return vertices[kept_indices], triangles, notices


def _close_holes(vertices, triangles, holes):
    """Return the triangles that close each hole of a mesh, given by its loop, so that the scan's own may be kept."""
    is_at_hole = np.zeros(len(vertices), dtype=bool)
    is_at_hole[np.concatenate(holes)] = True
    sides = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    edges = set(map(tuple, sides[is_at_hole[sides].all(axis=1)].tolist()))
    return [_cut_ears(vertices[hole], hole, edges) for hole in holes]


def _cut_ears(points, hole, edges):
    """Return the triangles over a hole of a mesh, cut ear by ear from its loop, the one of the smallest circle first,
    so that a slit is sewn from its ends.

    Ears that would lie on the surface beside the hole come last, and those without an area, as between the halves of a
    vertex that was split. An edge that the mesh has already is not made again, for three triangles would meet there; a
    hole that cannot be closed otherwise stays open.

    points : (n, 3) of the loop's vertices; hole : (n,) their numbers, the surface on the left; edges : set of pairs of
    numbers
    """
    count = len(hole)
    normal = _find_normal(points)
    number, before, after = hole.tolist(), [count - 1, *range(count - 1)], [*range(1, count), 0]

    def measure(b):
        """Return the ear at b as the heap orders it, with the neighbours that it had then."""
        return *_measure_ear(points, normal, before[b], b, after[b]), b, before[b], after[b]

    ears = [measure(b) for b in range(count)]
    heapq.heapify(ears)
    made = []
    while ears and len(made) < count - 2:
        _, _, b, a, c = heapq.heappop(ears)
        if (before[b], after[b]) != (a, c):
            continue
        is_made = (number[a], number[c]) in edges or (number[c], number[a]) in edges
        if is_made and after[c] != a:
            continue
        made.append((number[a], number[c], number[b]))
        before[b] = after[b] = -1
        after[a], before[c] = c, a
        for neighbour in (a, c):
            heapq.heappush(ears, measure(neighbour))
    return np.array(made, dtype=np.int64).reshape(-1, 3)


@loop
def _find_normal(points):
    """Return (3,), the normal of a loop (n, 3) as it runs, times twice its area, by which ears beside a hole show."""
    normal = np.zeros(3)
    for b in range(1, len(points) - 1):
        normal += _cross(points, 0, b, b + 1)
    return normal


@loop
def _cross(points, a, b, c):
    """Return (b - a) x (c - b) of three points, the way that a loop turns at b times twice the area of its ear."""
    x, y, z = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    u, v, w = points[c, 0] - points[b, 0], points[c, 1] - points[b, 1], points[c, 2] - points[b, 2]
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


@loop
def _measure_ear(points, normal, a, b, c):
    """Return what orders the ears of a hole: whether one lies on the surface beside it, radius of its circle."""
    across = _cross(points, a, b, c)
    area = np.sqrt((across**2).sum())
    squares = 1.0
    for start, end in ((a, b), (b, c), (c, a)):
        squares *= ((points[end] - points[start]) ** 2).sum()
    return (across * normal).sum() <= 0, np.sqrt(squares) / (2 * area) if area > 0 else np.inf


def _repair(vertices, triangles, reason):
    """Return a scan's own mesh after MeshLab took out what makes it no surface, so that its triangles may be kept.

    (vertices, triangles, what is still wrong, boundary loops, words)
    """
    try:
        points, mended = meshlab.repair(vertices, triangles)
        sound = _drop_clashes(mended)
        if not len(sound):
            raise Rejected("degenerate", "no triangle of it lies in a surface")
        points, mended = _split_touches(points, sound)
        mended, used_points = topology.compact(_find_largest_piece(points, mended)[0])
    except Rejected as error:
        return vertices, triangles, reason, [], f"the mesh could not be repaired: {error}"
    still, loops = topology.examine(mended, len(used_points))
    words = f"{reason}: repaired, {format_count(len(triangles) - len(mended), 'triangle')} removed"
    return points[used_points], mended, still, loops, words


def _drop_clashes(triangles):
    """Return the triangles of a mesh that no neighbour turns away from: those left run along each edge once a way."""
    sides = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    _, number, count = np.unique(
        sides[:, 0] * (triangles.max(initial=-1) + 1) + sides[:, 1], return_inverse=True, return_counts=True
    )
    return triangles[(count[number] == 1).reshape(-1, 3).all(axis=1)]


def _split_touches(points, triangles):
    """Return (points, triangles) of a mesh where parts that meet in a vertex alone have one each, at the same place.

    MeshLab splits such a vertex in two, even where three parts meet. Each edge belongs to two triangles at most.
    """
    twin = topology.twins(triangles)
    half = np.flatnonzero(twin >= 0)
    # Half-edge 3 t + k runs from corner k + 1 to corner k + 2 of its triangle.
    start, end = (3 * (side // 3) + (side + step) % 3 for side, step in ((half, 1), (twin[half], 2)))
    joined = scipy.sparse.coo_array((np.ones(len(half)), (start, end)), shape=(len(twin), len(twin)))
    count, label = scipy.sparse.csgraph.connected_components(joined, directed=False)
    vertex = np.empty(count, dtype=np.int64)
    vertex[label] = triangles.ravel()
    order = np.argsort(vertex, kind="stable")
    return points[vertex[order]], np.argsort(order)[label].reshape(-1, 3)


def _find_largest_piece(points, triangles):
    """Return (the triangles of the scan's largest connected piece, notices), without crumbs beside it.

    Raises Rejected where a second piece is as good as another object.
    """
    label = topology.label_components(triangles, len(points))
    sizes = np.bincount(label[triangles[:, 0]])
    order = np.sort(sizes)[::-1]
    if len(order) > 1 and order[1] > SECOND_PIECE * len(triangles):
        raise Rejected(
            "multiple_components",
            f"the mesh has separate parts of {order[0]} and {order[1]} triangles; crop it to one face",
        )
    piece = triangles[label[triangles[:, 0]] == np.argmax(sizes)]
    dropped = len(triangles) - len(piece)
    return piece, [f"{format_count(dropped, 'triangle')} of stray pieces dropped"] if dropped else []


# Share of the area below which a gap is not called a hole.
SMALLEST_HOLE = 0.002
# A gap that reaches the rim may be so many times larger than a hole inside: behind it lies the neck, not the face.
SHADOW = 2.0


def measure_holes(vertices, triangles):
    """Return ({holes_filled, largest_hole, area}, whether the largest reaches the rim, as a shadow does), to judge a
    scan by.

    Holes are connected patches of triangles with an edge longer than LONG typical ones, the largest a share of the area
    of the whole surface.
    """
    areas = topology.areas(vertices, triangles)
    lengths = topology.lengths(vertices, triangles)
    across = topology.neighbours(triangles)
    patch = clipping.patches(across, topology.largest(lengths) > clipping.LONG * np.median(lengths))
    bridging = patch >= 0
    shares = np.bincount(patch[bridging], weights=areas[bridging], minlength=1) / areas.sum()
    largest = np.argmax(shares)
    shadow = bool((across[patch == largest] < 0).any())
    count = int(np.sum(shares > SMALLEST_HOLE))
    return {"holes_filled": count, "largest_hole": float(shares[largest]), "area": float(areas.sum())}, shadow


def judge_holes(vertices, triangles, options, notices):
    """Return what was measured of a scan's holes; raise Rejected beyond options.refused_hole, where too much would be
    invented.

    One beyond options.largest_hole is noted.
    """
    filled, shadow = measure_holes(vertices, triangles)
    limit = options.refused_hole * (SHADOW if shadow else 1)
    what, largest = "shadow at the rim" if shadow else "hole", filled["largest_hole"]
    if largest > limit:
        raise Rejected(
            "large_hole",
            f"a {what} covers {largest:.1%} of the surface, more than {limit:.0%}; "
            "if the surface ends there, crop it so; else scan again, or raise faces.mesh.refused_hole",
        )
    if largest > options.largest_hole:
        notices.append(f"a {what} of {largest:.1%} of the surface was closed")
    return filled
