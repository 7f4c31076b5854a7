"""The model of public people fitted to one scan, for scans that the template alone leads astray.

An elastic registration takes rim to rim and fold to fold; where a person is far from the template, or a scan shows less
than it, points slide. A face x(w) = mean + sum_i w_i modes_i + a small similarity is fitted to the scan's points, each
held against the plane of x(w) that lies nearest, with w ~ N(0, SPREAD^2): what no point tells stays as people are on
average. The face that fits knows where the template's points lie on it: it is a template of this person, to which a
whole scan is registered; and it is laid onto a scan that shows a part, whose rim is a cut through it. A registration
and a fit err for different reasons: halfway between its places in the two, a point is nearer to its true one. All
of this follows from the one record and public numbers.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

from shapedp.surfaces import outside, polar, topology
from shapedp.surfaces.registration import alignment, disk_transfer, extent, srnf
from shapedp.surfaces.registration.template import unit_srnf

STEPS, STILL_MM = 12, 0.03  # times that nearest points are looked for, at most; how far the face may still move
POINTS = 2_500  # of the scan, about, that are fitted to
NEAR = 1.1  # times the template's reach: what lies farther from the nose has no place on it
OFF_MM = 0.7  # root mean square by which a sound scan's points lie off the model's surface, beside what w explains
INDEPENDENT = 400  # points whose distances have little to do with each other
FACING = 0.5  # cosine between two normals, at least, of points that are the same
ROBUST = 2.0  # times the typical distance: points farther off count less
RIM = 2  # rings: what lies nearest to these may lie beyond the rim
LAID_MM = 30.0  # from the model: a scan that has nothing so near does not show that place
FADE_MM, BESIDE = 20.0, 8  # over which what a scan has beside the model dies away where it ends; points averaged
SOUND, CALM = 1.05, 0.03  # times OFF_MM: what a noisier scan has beside the model is smoothed over so much of the disk
LEFT_MM = 0.6  # what the packed modes leave of a person
MEAN = 0.92  # mean length of a normal vector in space over its root mean square


@dataclass(frozen=True)
class Fit:
    """points (R, T, 3) : where the template's grid lies on the scan, in the template's units and place
    covariance (k + 7, k + 7) : of w, the scan seen; typical : distance of the scan's points from the model's surface
    """

    points: np.ndarray
    covariance: np.ndarray
    typical: float


def fit(face, place, template, people):
    """The Fit of a Face.

    place : the alignment.Place of the Face; people : likeness.People of the template
    """
    points, normals, areas = _points_of(face, place, template)
    basis, mean = people.fitting
    shape, count = mean.shape[:2], basis.shape[-1]
    basis, mean = basis.reshape(-1, 3, count), mean.reshape(-1, 3)
    inner = np.repeat(np.arange(shape[0]) < shape[0] - RIM, shape[1])
    prior = people.precision
    there = mean
    for _ in range(STEPS):
        _, nearest = scipy.spatial.cKDTree(there).query(points)
        facing = np.einsum("nc,nc->n", _normals(there.reshape(*shape, 3))[nearest], normals)
        same = inner[nearest] & (facing > FACING)
        across, at = normals[same], nearest[same]
        rows = np.einsum("nc,nck->nk", across, basis[at])
        goal = np.einsum("nc,nc->n", across, points[same] - mean[at])
        off = np.abs(np.einsum("nc,nc->n", across, points[same] - there[at]))
        typical = max(1.48 * np.median(off), OFF_MM / people.size) if len(off) else 1.0
        weights = areas[same] / (1 + (off / (ROBUST * typical)) ** 2)
        weights *= INDEPENDENT / (max(areas[same].sum(), 1e-300) * typical**2)
        known = (rows * weights[:, None]).T @ rows + prior
        w = np.linalg.solve(known, rows.T @ (weights * goal))
        before, there = there, mean + basis @ w
        if np.sqrt(((there - before) ** 2).sum(axis=1).mean()) * people.size < STILL_MM:
            break
    whole, mean = people.everywhere
    return Fit(mean + whole @ w, np.linalg.inv(known), float(typical))


def _points_of(face, place, template):
    """(points (n, 3), normals (n, 3), areas (n,)) of a Face in the template's place: about POINTS of those vertices
    that may lie on the template.
    """
    points = place.of(face.vertices) + template.extent.nose
    triangles = topology.areas(points, face.triangles)
    areas = sum(np.bincount(face.triangles[:, k], triangles, len(points)) for k in range(3)) / 3
    along = (points - template.extent.nose) @ template.extent.axes.T
    near = np.flatnonzero(extent.beyond(along, NEAR * template.extent.reach) <= 0)
    chosen = near[:: max(1, len(near) // POINTS)]
    return points[chosen], outside.normals(points, face.triangles)[chosen], areas[chosen]


def _normals(f):
    """(R * T, 3) unit normals of a grid (R, T, 3), outwards."""
    across = np.cross(np.gradient(f, axis=0), np.roll(f, -1, axis=1) - np.roll(f, 1, axis=1)).reshape(-1, 3)
    return across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)


def aligned(face, place, template, found, end):
    """(the Template that a Fit is, the Aligned of its Face to that); end : the End of its registration to the other."""
    f, size, shift = polar.unit_surface(found.points)
    own = alignment.Template(f, template.options, like=template)
    nose = (own.extent.nose * size + shift - template.extent.nose) @ place.rotation * place.size + place.nose
    return own, alignment.settled(
        face, own, replace(place, nose=nose, size=place.size * size), replace(end, u=np.zeros_like(end.u))
    )


def laid(face, place, template, found, people):
    """(points (R, T, 3), seen (R, T)): a Fit moved along its normals onto the scan, where that shows it."""
    x = found.points.reshape(-1, 3)
    vertices = place.of(face.vertices) + template.extent.nose
    triangle, weights = disk_transfer.closest(x, vertices, face.triangles)
    there = np.einsum("nk,nkc->nc", weights, vertices[face.triangles[triangle]])
    normals = _normals(found.points)
    off = there - x
    along = np.einsum("nc,nc->n", off, normals)
    edge = np.zeros(len(vertices), dtype=bool)
    edge[topology.boundary_loops(face.triangles)[0]] = True
    beyond = (edge[face.triangles[triangle]] | (weights < 1e-6)).all(axis=1)
    seen = ~beyond & (np.linalg.norm(off, axis=1) <= LAID_MM / people.size)
    return (x + along[:, None] * normals).reshape(found.points.shape), seen.reshape(found.points.shape[:2])


def halfway(points, found):
    """Registered points (R, T, 3), each moved along the surface half of the way to its place on a Fit.

    Half of a tangential step t leaves the surface by t^2 / 8 times its curvature: by .03 mm for 1.5 mm where it bends
    within 10 mm.
    """
    normals = _normals(points).reshape(points.shape)
    step = found.points - points
    return points + (step - (step * normals).sum(axis=-1, keepdims=True) * normals) / 2


def completed(points, seen, found, people):
    """(points (R, T, 3) with those not seen filled in, mean error in mm to be expected over the extent).

    Beyond what is seen, what the scan has beside the model is carried on and dies away; of a noisy scan it is smoothed.
    """
    basis, _ = people.everywhere
    own, size = found.points, people.size
    filled = np.where(seen[..., None], points, own)
    if not seen.all() and seen.any():
        away, near = scipy.spatial.cKDTree(own[seen]).query(own[~seen], BESIDE)
        beside = (points - own)[seen][near].mean(axis=1)
        filled[~seen] += np.exp(-away[:, :1] * size / FADE_MM) * beside
    if found.typical * size > SOUND * OFF_MM:
        filled = own + _smoothed(filled - own)
    chosen = slice(None, None, 3), slice(None, None, 8)
    variance = np.einsum("rtci,ij,rtcj->rt", basis[chosen], found.covariance, basis[chosen], optimize=True)
    off = MEAN * np.sqrt(variance + (LEFT_MM / size) ** 2) * size
    areas = people.areas[chosen]
    return filled, float((areas * off).sum() / areas.sum())


def _smoothed(field):
    """A field (R, T, 3) without what is finer than CALM."""
    grid = polar.polar_grid(*field.shape[:2])
    return polar.smoothed(field, _kernel(grid))


@lru_cache(maxsize=2)
def _kernel(grid):
    with threadpool_limits(1):
        return polar.heat_kernels(grid, (CALM,))[0]


def against(template, points, seen, registered):
    """(a Registered of points (R, T, 3) against a template, its energy that of what is seen; scale, centroid).

    registered : whence its other fields come
    """
    surface, scale, centroid = polar.unit_surface(points)
    grid = polar.polar_grid(*points.shape[:2])
    wanted, own = template.q, unit_srnf(surface, grid)
    turn = srnf.best_rotation(srnf.covariance(wanted * seen[..., None], own, grid))
    energy = ((wanted - srnf.rotate(turn, own)) ** 2).sum(axis=-1)
    shown = grid.integral(np.where(seen, (wanted**2).sum(axis=-1), 0.0))
    energy = float(grid.integral(np.where(seen, energy, 0.0)) / max(shown, 1e-300))
    return replace(registered, surface=srnf.rotate(turn, surface), rotation=turn, energy_after=energy), scale, centroid
