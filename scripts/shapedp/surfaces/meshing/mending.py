"""Triangulate an open surface, and mend a triangulation where it has folded.

A cloud is triangulated by Delaunay of its flattening; edges are flipped to fit the surface, rim and spikes trimmed.
Spikes are inner vertices that stick out or lie behind: the angles round a vertex of a smooth surface add up to nearly
2 pi; a point behind another (a nostril's pocket, the inside of a lip) makes a spike or a ruff, and a conformal map must
bend its triangles by the whole defect. They are found by their angles and taken out by flips.
"""

from contextlib import suppress

import numpy as np
import pythoncdt as cdt

from shapedp.base.errors import NotConverged, Rejected
from shapedp.base.storage.loops import loop
from shapedp.surfaces import topology
from shapedp.surfaces.disk_map import conformal
from shapedp.surfaces.meshing import clipping, delaunay

# Radii of the sphere from the middle of its flattening; at 1e15 and beyond CDT does not come to an end.
FARTHEST = 1e6


def triangulate_cloud(points, flat, height):
    """Return (triangles, kept), a cloud's mesh: a disk over points[kept], from the flattening flat (n, 2).

    height : (n,) increases outwards
    """
    triangles, across = triangulate_plane(flat)
    topology.lawson(points, triangles, across, np.arange(len(triangles))[::-1])
    triangles, across = topology.part(triangles, across, clipping.trim_rim(points, triangles, across))
    alive = remove_spikes(points, triangles, across, height)
    return topology.compact(triangles[alive])


def triangulate_plane(flat):
    """Return (triangles, across) of the Delaunay triangulation of flat (n, 2), of which a cloud's mesh is made; one
    point a place.

    By exact arithmetic where rounding leaves a doubt.
    """
    places = np.ascontiguousarray(flat, dtype=float)
    refuse_behind(places)
    triangles, across = delaunay.triangulate(places)
    if not len(triangles):
        triangles = _triangulate_exactly(places)
        across = topology.neighbours(triangles)
    return _sort_triangles(triangles, across)


def refuse_behind(flat):
    """Raise Rejected where a point lies so far out in a flattening, or nowhere, that nothing can be computed of it."""
    if not (np.abs(flat) <= FARTHEST).all():
        raise Rejected(
            "closed_surface",
            "a point lies straight behind the surface, so it cannot be flattened: remove stray points from the scan",
        )


def _triangulate_exactly(places):
    """Return the Delaunay triangles over places by exact arithmetic, of the first point at each place, where rounding
    leaves a doubt.
    """
    first = np.sort(np.unique(places.view(complex).ravel(), return_index=True)[1])
    plane = cdt.Triangulation(cdt.VertexInsertionOrder.AUTO, cdt.IntersectingConstraintEdges.NOT_ALLOWED, 0.0)
    plane.insert_vertices(places[first])
    plane.erase_super_triangle()
    return first[plane.triangles_array(copy=False)["vertices"]]


def _sort_triangles(triangles, across):
    """Return (triangles, across) of the same triangles in one order, whichever program found them, so that results are
    the same.

    Each comes from its least corner on, in the order of their corners.
    """
    number = np.arange(len(triangles))
    corner = 3 * number[:, None] + (np.argmin(triangles, axis=1)[:, None] + np.arange(3)) % 3
    triangles, across = triangles.take(corner), across.take(corner)
    # The first two corners make an edge that belongs to one triangle alone, so it orders them.
    edge = triangles[:, 0] * (triangles.max() + 1) + triangles[:, 1]
    order = np.argsort(edge)
    # The last number is for -1 in `across`.
    place = np.full(len(order) + 1, -1)
    place[order] = number
    return triangles.take(order, axis=0), place.take(across.take(order, axis=0))


MENDING_ROUNDS = 3
# So many again where triangles stay turned over, as about a pocket with a narrow neck.
MORE_ROUNDS = 9
# Degrees by which the map may change an angle.
LARGEST_CHANGE = 60.0
# Share of the vertices.
MOST_DROPPED = 0.25


def mend(vertices, triangles):
    """Return (triangles, kept): a disk over vertices[kept] that can be mapped, no triangle turned over nor bent
    strongly.

    Bad triangles are taken off the rim, and the inner vertices of the others taken out. What is still bent after all
    rounds is kept: it is the best that these points allow.
    """
    triangles, kept_indices = _take_out_bent(vertices, triangles, MENDING_ROUNDS)
    refuse_folded(len(kept_indices), len(vertices))
    points = vertices[kept_indices]
    if conformal.is_folded(points, triangles, _flatten(points, triangles)):
        with suppress(Rejected):
            fewer_triangles, stay = _take_out_bent(points, triangles, MORE_ROUNDS)
            refuse_folded(len(stay), len(vertices))
            fewer_points = points[stay]
            if not conformal.is_folded(fewer_points, fewer_triangles, _flatten(fewer_points, fewer_triangles)):
                return fewer_triangles, kept_indices[stay]
    return triangles, kept_indices


def _take_out_bent(vertices, triangles, rounds):
    """Return (triangles, kept) of a disk without what its map turns over or bends strongly, after so many rounds at
    most.
    """
    kept_indices = np.arange(len(vertices))
    for _ in range(rounds):
        points = vertices[kept_indices]
        z = _flatten(points, triangles)
        bent = topology.largest(np.abs(conformal.measure_angle_changes(points, triangles, z))) > LARGEST_CHANGE
        bad = bent | conformal.find_flipped(z, triangles)
        if not bad.any():
            break
        # With such corners nothing but the bad triangles is peeled.
        no_corners = np.full(triangles.shape, np.deg2rad(120))
        stay, _ = clipping.peel(triangles, topology.neighbours(triangles), bad, no_corners)
        triangles, suspects = triangles[stay], np.unique(triangles[stay & bad])
        across, alive = topology.neighbours(triangles), np.ones(len(triangles), dtype=bool)
        topology.lawson(points, triangles, across, take_out(points, triangles, across, alive, suspects))
        triangles, stay = topology.compact(triangles[alive])
        kept_indices = kept_indices[stay]
    return triangles, kept_indices


def _flatten(points, triangles):
    """Return z (n,), the plain map of a disk, by which it is mended; it is remembered, so that the next step has it."""
    try:
        return conformal.disk_map(points, triangles, unfold=False)
    except NotConverged as error:
        words = "the surface cannot be flattened, as a strip much longer than wide cannot, nor one with a crease"
        raise Rejected("folded_surface", f"{words}: {error}") from error


def refuse_folded(left, count):
    """Raise Rejected where mending took so many points out that the scan must overlap itself."""
    if left < (1 - MOST_DROPPED) * count:
        raise Rejected(
            "folded_surface",
            f"only {left} of {count} points lie on one sheet: the surface overlaps itself, as strong noise "
            "or a second layer does; crop the scan to the face, or smooth it",
        )


# Radian by which the angles round an inner vertex may differ from 2 pi.
DEFECT = 1.0
# Larger than any ratio of two defects, so that deeper spikes come first.
DEEP_FIRST = 100.0
SPIKE_ROUNDS = 30
# Of a vertex that is taken out: all of them are looked at for each.
MOST_SPOKES = 1000


def remove_spikes(points, triangles, across, height):
    """Return (t,), the triangles left when the spikes of a disk are out, which a map would bend; the arrays change in
    place.

    The worst of each neighbourhood goes first, but those that lie deeper than their neighbours before those that lie
    higher: where two layers alternate, the outer one is the face. Flips fit the surroundings to the surface before the
    next round.

    height : (n,) of the points, along whatever leads outwards
    """
    alive = np.ones(len(triangles), dtype=bool)
    for _ in range(SPIKE_ROUNDS):
        bad = np.abs(find_defects(points, triangles, across, alive))
        bad[bad <= DEFECT] = 0
        bad[_is_deep(triangles, alive, height)] *= DEEP_FIRST
        worst = _find_worst(triangles, alive, bad)
        if len(worst) == 0:
            break
        topology.lawson(points, triangles, across, take_out(points, triangles, across, alive, worst))
    return alive


@loop
def find_defects(points, triangles, across, alive):
    """Return (n,), the angle defect of each vertex, by which spikes of a mesh are found: 2 pi less the angles round it.

    It is 0 on the rim and for points in no triangle.
    """
    total = np.zeros(len(points))
    inside = np.ones(len(points), dtype=np.bool_)
    for t in np.flatnonzero(alive):
        angle_left = np.pi
        for k in range(3):
            a, b = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
            angle = (
                topology.find_angle(*topology.sine_and_cosine(points, triangles[t, k], a, b)) if k < 2 else angle_left
            )
            angle_left -= angle
            total[triangles[t, k]] += angle
            if across[t, k] < 0:
                inside[a] = inside[b] = False
    return np.where(inside & (total > 0), 2 * np.pi - total, 0.0)


@loop
def _is_deep(triangles, alive, height):
    """Return (n,), which vertices lie lower than their neighbours in the mean: of two layers the inner, which goes
    first.
    """
    above = np.zeros(len(height))
    for t in np.flatnonzero(alive):
        for k in range(3):
            i, j = triangles[t, k], triangles[t, (k + 1) % 3]
            above[i] += height[j] - height[i]
            above[j] += height[i] - height[j]
    return above > 0


@loop
def _find_worst(triangles, alive, badness):
    """Return the spikes to be taken out in one round: vertices whose badness exceeds that of all their neighbours.

    Of equals the first; none of badness 0.
    """
    is_worst = badness > 0
    for t in np.flatnonzero(alive):
        for k in range(3):
            i, j = triangles[t, k], triangles[t, (k + 1) % 3]
            if badness[i] < badness[j] or (badness[i] == badness[j] and j < i):
                is_worst[i] = False
            else:
                is_worst[j] = False
    return np.flatnonzero(is_worst)


@loop
def take_out(points, triangles, across, alive, vertices):
    """Remove bad inner vertices, such as spikes, from a disk and close it by flips, in place; return changed triangles.

    A vertex on the rim stays, and so does one that no flip can free, or that has more than MOST_SPOKES.
    """
    changed = [0 for _ in range(0)]
    touching = np.full(triangles.max() + 1, -1)
    for t in np.flatnonzero(alive):
        touching[triangles[t]] = t
    for v in vertices:
        star = _find_star(triangles, across, v, touching[v])
        while 3 < len(star) <= MOST_SPOKES:
            h = _find_best_ear(points, triangles, across, v, star)
            if h < 0:
                break
            flipped = (h // 3, across[h // 3, h % 3])
            topology.flip(triangles, across, h // 3, h % 3)
            for t in flipped:
                touching[triangles[t]] = t
                changed.append(t)
            star = _find_star(triangles, across, v, touching[v])
        if len(star) == 3:
            _merge(triangles, across, alive, v, star)
            touching[triangles[star[0]]] = star[0]
            changed.append(star[0])
    return np.array([t for t in changed if alive[t]], dtype=np.int64)


@loop
def _find_star(triangles, across, v, start):
    """Return the triangles round vertex v, counter-clockwise, to be flipped away; nothing if v lies on the rim or in no
    triangle.
    """
    star = [0 for _ in range(0)]
    t = start
    while t >= 0:
        star.append(t)
        t = across[t, (topology.corner(triangles, t, v) + 1) % 3]
        if t == start:
            return star
    return [0 for _ in range(0)]


@loop
def _find_best_ear(points, triangles, across, v, star):
    """Return the edge, as 3 t + side, whose flip best frees vertex v that is to be taken out; -1 if none can be
    flipped.

    It is the spoke vq whose flip cuts the ear (p, q, r) off v's star. Best: the area as seen along the star's own
    normal, for the ear's size, is the largest.
    """
    normal = np.zeros(3)
    for t in star:
        k = topology.corner(triangles, t, v)
        normal += np.cross(points[triangles[t, (k + 1) % 3]] - points[v], points[triangles[t, (k + 2) % 3]] - points[v])
    best, best_edge = -np.inf, -1
    for t in star:
        k = topology.corner(triangles, t, v)
        p, q = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
        other = across[t, (k + 1) % 3]
        r = triangles[other, (topology.corner(triangles, other, v) + 2) % 3]
        a, b, c = points[q] - points[p], points[r] - points[q], points[p] - points[r]
        quality = (np.cross(a, b) * normal).sum() / ((a * a).sum() + (b * b).sum() + (c * c).sum() + 1e-300)
        if quality > best and not topology.are_joined(triangles, across, t, p, r):
            best, best_edge = quality, 3 * t + (k + 1) % 3
    return best_edge


@loop
def _merge(triangles, across, alive, v, star):
    """Replace the three triangles round v by one, in place: the last step of taking v out."""
    link, beyond = np.empty(3, dtype=np.int64), np.empty(3, dtype=np.int64)
    for i in range(3):
        k = topology.corner(triangles, star[i], v)
        link[i], beyond[i] = triangles[star[i], (k + 1) % 3], across[star[i], k]
    t = star[0]
    for i in range(3):
        triangles[t, i] = link[i]
        across[t, i] = beyond[(i + 1) % 3]
        if beyond[i] >= 0:
            across[beyond[i], topology.corner(across, beyond[i], star[i])] = t
    alive[star[1]] = alive[star[2]] = False
