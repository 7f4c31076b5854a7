"""A face in the template's frame and extent: registered, cropped about the nose that this finds, registered again."""

from dataclasses import dataclass, replace

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import blending, conformal, extent, mobius, normalise, sampling, topology
from shapedp.surfaces.delaunay import compact
from shapedp.surfaces.registration.register import Registered, register
from shapedp.surfaces.registration.template import prepare

FAR = 0.05  # template sizes (about 10 mm) between the nose found and the nose registered: then both are tried


@dataclass(frozen=True)
class Template:
    """whole : (R, T, 3) the template as far as it goes; common : cropped to the extent, of unit area; both prepared.

    within : the whole's points in the extent and their areas
    surroundings : where the common lies in the whole; None where they are one, or the whole has no share in the result
    """

    whole: np.ndarray
    common: np.ndarray
    extent: extent.Extent
    within: tuple
    surroundings: blending.Surroundings | None
    prepared_whole: object
    prepared_common: object


@dataclass(frozen=True)
class Face:
    """A face's mesh, its disk map with the nose at 0, and its surface f of unit area: f = (points - centroid)/scale.

    own_triangles : whether they came with the scan; False where its points were meshed anew
    """

    vertices: np.ndarray
    triangles: np.ndarray
    z: np.ndarray
    f: np.ndarray
    scale: float
    centroid: np.ndarray
    own_triangles: bool = False


@dataclass(frozen=True)
class Aligned:
    """registered : the last registration; face : what it is of
    scale, centroid : of the registered surface in the scan, whose points are surface @ rotation * scale + centroid
    removed : share of the scan beyond the extent, 0 if left on; missing : share of the extent beyond the scan
    nose_distance : from the nose found to the one registered, in sizes of the face
    """

    registered: Registered
    face: Face
    scale: float
    centroid: np.ndarray
    removed: float
    missing: float
    nose_distance: float

    @property
    def points(self):
        """(R, T, 3) the registered surface where the scan has it, in its units."""
        return self.registered.surface @ self.registered.rotation * self.scale + self.centroid


def prepared(whole, common, places, radius, options):
    """The Template of two surfaces on one grid; common is whole where the radius cuts nothing off it.

    places : (R, T, 2) where the grid of the common lies in the whole's disk; None: the whole has no share in the result
    """
    chosen = extent.of_template(whole, radius)
    first, one = prepare(whole, options), np.array_equal(whole, common)
    second = first if one else prepare(common, options)
    around = None if one or places is None else blending.surroundings(whole, places)
    return Template(whole, common, chosen, extent.within(whole, chosen), around, first, second)


def align(face, template):
    """The Aligned of a Face."""
    here, around = _located(face, template), template.surroundings
    placed = _placed(here, template)
    rim = placed[topology.boundary_loops(here.face.triangles)[0]]
    found = _within(here, placed, template.extent, template.prepared_common, template)
    if around:
        whole = _within(here, placed, around.extent, template.prepared_whole, template)
        found = blending.blended(found, whole, blending.shares(rim, around), around, template.common)
    return replace(found, missing=extent.missing(rim, *template.within))


def _within(here, placed, chosen, prepared, template):
    """The Aligned of what lies within an Extent, registered to `prepared`.

    here : all of the face, registered to the whole; placed : its vertices, as from `_placed`
    """
    face = here.face
    triangles, removed = extent.cropped(face.vertices, face.triangles, placed, chosen)
    if not removed:
        same = prepared is template.prepared_whole
        return here if same else replace(here, registered=register(face.f, prepared))
    triangles, used = compact(triangles)
    nose = np.linalg.norm(placed[used], axis=1)
    smaller = mapped(face.vertices[used], triangles, _inner(triangles, nose), face.f.shape, face.own_triangles)
    return replace(_as_it_is(smaller, register(smaller.f, prepared), here.nose_distance), removed=removed)


def common_of(whole, radius):
    """The Face of a template cropped to its own extent; itself where the radius cuts nothing off."""
    chosen = extent.of_template(whole.f, radius)
    placed = ((whole.vertices - whole.centroid) / whole.scale - chosen.nose) @ chosen.axes.T
    triangles, removed = extent.cropped(whole.vertices, whole.triangles, placed, chosen)
    if not removed:
        return whole
    triangles, used = compact(triangles)
    nose = np.linalg.norm(placed[used], axis=1)
    return mapped(whole.vertices[used], triangles, _inner(triangles, nose), whole.f.shape, whole.own_triangles)


def mapped(vertices, triangles, vertex, shape, own_triangles=False):
    """The Face of a mesh with a vertex at the center of its disk; shape : (R, T, 3) of its surface."""
    z = mobius.centered(conformal.disk_map(vertices, triangles), triangles, vertex)
    return sampled(vertices, triangles, z, shape, own_triangles)


def sampled(vertices, triangles, z, shape, own_triangles=False):
    """The Face of a mesh and its disk map."""
    f, scale, centroid = normalise.unit_surface(sampling.sample(vertices, triangles, z, *shape[:2]))
    return Face(vertices, triangles, z, f, scale, centroid, own_triangles)


def _located(face, template):
    """The Aligned of a Face to the whole template, nothing cropped; the better of two noses."""
    first = register(face.f, template.prepared_whole)
    distance, vertex = _nose_off(face, first)
    if distance <= FAR:
        return _as_it_is(face, first, distance)
    z = mobius.centered(face.z, face.triangles, vertex)
    moved = sampled(face.vertices, face.triangles, z, face.f.shape, face.own_triangles)
    second = register(moved.f, template.prepared_whole)
    better = second.energy_after < first.energy_after
    return _as_it_is(moved, second, distance) if better else _as_it_is(face, first, distance)


def _as_it_is(face, registered, distance):
    """The Aligned of all of a Face."""
    return Aligned(registered, face, face.scale, face.centroid, 0.0, 0.0, distance)


def _nose_off(face, found):
    """(distance of the registered nose from the disk's center in sizes of the face, the inner vertex nearest to it)."""
    registered = extent.center(found.surface) @ found.rotation
    away = np.linalg.norm((face.vertices - face.centroid) / face.scale - registered, axis=1)
    return float(np.linalg.norm(registered - extent.center(face.f))), _inner(face.triangles, away)


def _inner(triangles, away):
    """The inner vertex that is least far away."""
    away = away.copy()
    away[topology.boundary_loops(triangles)[0]] = np.inf
    if not np.isfinite(away.min()):
        raise Rejected("outside_extent", "nothing of the scan lies where the template has its face; look at the scan")
    return int(np.argmin(away))


def _placed(here, template):
    """(n, 3) the vertices in the whole template's place and size, along the extent's axes, the nose at 0."""
    face, found = here.face, here.registered
    unit = (face.vertices - face.centroid) / face.scale @ found.rotation.T
    nose = extent.center(found.surface)
    return (unit - nose) / extent.size_ratio(found.surface, template.whole) @ template.extent.axes.T
