"""The extent that all faces have in common: the template's outline, and no more than a public radius about its nose.

Where one scan ends at the ear and another at the cheek, a registration that maps rim to rim moves everything between.
Directions are angles about the template's outward axis; distances are from the nose tip, in units of the template.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.surfaces import edges, polar, rim, topology
from shapedp.surfaces.delaunay import compact
from shapedp.surfaces.registration import rotation, srnf

DIRECTIONS = 72
TRIFLE = 0.04  # share of the area: so little beyond the extent is as well left on
INNER = 0.8  # of the disk's radius: where a face is compared in size with the template, off its rim


@dataclass(frozen=True)
class Extent:
    """nose (3,); axes (3, 3), rows: two across, outward; reach (DIRECTIONS,): largest distance in each direction."""

    nose: np.ndarray
    axes: np.ndarray
    reach: np.ndarray


def of_template(f, radius):
    """The Extent of a template f (R, T, 3): its rim, and nothing beyond `radius`."""
    grid = polar.polar_grid(*f.shape[:2])
    outward = (srnf.normals(f, grid) * grid.weights[:, None, None]).sum(axis=(0, 1))
    outward /= np.linalg.norm(outward)
    nose = center(f)
    first = f[-1, 0] - nose
    first -= (first @ outward) * outward
    first /= np.linalg.norm(first)
    axes = np.stack([first, np.cross(outward, first), outward])
    return Extent(nose, axes, np.minimum(reaches((f[-1] - nose) @ axes.T), radius))


def center(f):
    """The point f(0) of a surface, (3,): the mean over a circle is f(0) + c r^2 + O(r^4), and two circles remove c."""
    inner, outer = f[0].mean(axis=0), f[1].mean(axis=0)
    a, b = polar.radii(len(f))[:2] ** 2
    return (b * inner - a * outer) / (b - a)


def directions(placed):
    """Direction of each point (n, 3), in steps, as a number in [0, DIRECTIONS)."""
    return np.arctan2(placed[:, 1], placed[:, 0]) / (2 * np.pi) * DIRECTIONS % DIRECTIONS


def reaches(placed):
    """(DIRECTIONS,) how far a rim reaches in each direction, read off its points (b, 3) in their order."""
    turn = np.unwrap(np.arctan2(placed[:, 1], placed[:, 0]))
    order = np.argsort(turn, kind="stable")
    period = 2 * np.pi
    wanted = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    return np.interp(wanted, turn[order] % period, np.linalg.norm(placed, axis=1)[order], period=period)


def beyond(placed, reach):
    """(n,) distance of each point (n, 3) minus the reach in its direction."""
    allowed = np.interp(directions(placed), np.arange(DIRECTIONS), reach, period=DIRECTIONS)
    return np.linalg.norm(placed, axis=1) - allowed


def size_ratio(f, template):
    """Size of a registered surface over the template's, by the least-squares similarity of what lies within INNER."""
    grid = polar.polar_grid(*f.shape[:2])
    inner = grid.r <= INNER
    w = np.repeat(grid.weights[inner], grid.angles)
    a, b = (one[inner].reshape(-1, 3) for one in (f, template))
    a, b = a - w @ a / w.sum(), b - w @ b / w.sum()
    covariance = (b * w[:, None]).T @ a
    return float((rotation.best_rotation(covariance) * covariance).sum() / (w @ (b**2).sum(axis=1)))


def cropped(vertices, triangles, placed, extent):
    """(triangles kept (k, 3), share of the area removed): what lies within the extent, a disk round the nose.

    placed : (n, 3) the vertices in the template's place, the nose at 0. A part that is cut off but does not reach the
    old rim (the tip of a cap, an ear's inside) stays, and so does all where no more than a TRIFLE would go.
    """
    inside = beyond(placed, extent.reach)[triangles].mean(axis=1) <= 0
    if inside.all():
        return triangles, 0.0
    areas = edges.areas(vertices, triangles)
    stay = _piece_of(triangles, inside, np.argmin(np.linalg.norm(placed, axis=1)))
    across = edges.neighbours(triangles)
    patch = rim.patches(across, ~stay)
    reaching = np.zeros(patch.max() + 2, dtype=bool)
    reaching[patch[(across < 0).any(axis=1)]] = True
    stay |= (patch >= 0) & ~reaching[patch]
    if areas[~stay].sum() <= TRIFLE * areas.sum():
        return triangles, 0.0
    kept = triangles[stay].astype(np.int64)
    if topology.fault(compact(kept)[0], len(np.unique(kept))):
        stay = _peeled(triangles, stay)
    return triangles[stay], float(1 - areas[stay].sum() / areas.sum())


def _piece_of(triangles, chosen, vertex):
    """(t,) mask of the chosen triangles that hang together with those round a vertex."""
    patch = rim.patches(edges.neighbours(triangles), chosen)
    return (patch >= 0) & (patch == patch[np.flatnonzero((triangles == vertex).any(axis=1))[0]])


def _peeled(triangles, stay):
    """The mask without what the rest of the disk touches in single vertices: peeled off the old rim instead of cut."""
    no_corners = np.full(triangles.shape, np.deg2rad(120))
    left, _ = rim.peel(triangles.astype(np.int64), edges.neighbours(triangles), ~stay, no_corners)
    return left


def within(template, extent):
    """(points (n, 3) along the extent's axes, their areas (n,)): what of a template lies within its extent."""
    grid = polar.polar_grid(*template.shape[:2])
    placed = ((template - extent.nose) @ extent.axes.T).reshape(-1, 3)
    areas = np.linalg.norm(srnf.normals(template, grid), axis=-1) * grid.weights[:, None]
    inside = beyond(placed, extent.reach) <= 0
    return placed[inside], areas.ravel()[inside]


def missing(rim_placed, placed, areas):
    """Share of the extent's area that lies beyond a scan's rim (b, 3); placed, areas : as from `within`."""
    return float(areas[beyond(placed, reaches(rim_placed)) > 0].sum() / areas.sum())
