"""The extent that all faces have in common: the template's outline, and no more than a public radius about its nose.

Where one scan ends at the ear and another at the cheek, a registration that maps rim to rim moves everything between.
Directions are angles about the template's outward axis; distances are from the nose tip, in units of the template.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.base.storage.loops import loop
from shapedp.surfaces import curve_mesh, polar, table
from shapedp.surfaces.registration import srnf

# Directions about the nose in which a reach is kept, one every 5 degrees.
DIRECTIONS = 72
# A face is compared in size with the template within this share of the disk's radius, off its rim.
INNER = 0.8


@dataclass(frozen=True)
class Extent:
    """nose (3,); axes (3, 3), rows: two across, outward; reach (DIRECTIONS,): largest distance in each direction."""

    nose: np.ndarray
    axes: np.ndarray
    reach: np.ndarray


def find_extent(f, radius):
    """Return the Extent of a template f (R, T, 3), to which all scans are cut: its rim, and nothing beyond `radius`."""
    grid = polar.polar_grid(*f.shape[:2])
    n = np.ascontiguousarray(np.moveaxis(srnf.normals(f, grid), 1, 2))
    outward = (n * grid.weights[:, None, None]).sum(axis=(0, 1))
    outward /= np.linalg.norm(outward)
    nose = center(f)
    first = f[-1, 0] - nose
    first -= (first @ outward) * outward
    first /= np.linalg.norm(first)
    axes = np.stack([first, np.cross(outward, first), outward])
    return Extent(nose, axes, np.minimum(reaches((f[-1] - nose) @ axes.T), radius))


def center(f):
    """Return the point f(0) of a surface f (R, T, 3), (3,), which no grid point is: of a face the nose tip."""
    return curve_mesh.center(np.moveaxis(f[:2], 1, 2), polar.radii(len(f)))


def mesh_grid(f, center):
    """Return (vertices, triangles) of a surface's grid (R, T, 3) as a disk that can be cut or searched, its center the
    first vertex.
    """
    rings, angles = f.shape[:2]
    ring = 1 + np.arange(angles) + angles * np.arange(rings)[:, None]
    after = np.roll(ring, -1, axis=1)
    fan = np.stack([np.zeros(angles, dtype=int), ring[0], after[0]], axis=-1)
    near = np.stack([ring[:-1], ring[1:], after[1:]], axis=-1).reshape(-1, 3)
    far = np.stack([ring[:-1], after[1:], after[:-1]], axis=-1).reshape(-1, 3)
    return np.concatenate([center[None], f.reshape(-1, 3)]), np.concatenate([fan, near, far]).astype(np.int32)


@loop
def directions(placed):
    """Return the direction about the nose of each point (n, 3), as a number of steps in [0, DIRECTIONS], to look its
    reach up.

    placed : along the extent's axes, the nose at 0
    """
    steps, flat = np.empty(len(placed)), placed.reshape(-1)
    for n in range(len(steps)):
        step = table.angle(flat[3 * n], flat[3 * n + 1]) * (DIRECTIONS / (2 * np.pi))
        steps[n] = step + DIRECTIONS if step < 0 else step
    return steps


def reaches(placed):
    """Return (DIRECTIONS,), how far a rim reaches from the nose in each direction: the outline of a template or of a
    scan.

    placed : (b, 3) its points in their order, along the extent's axes
    """
    turn = np.unwrap(np.arctan2(placed[:, 1], placed[:, 0]))
    order = np.argsort(turn, kind="stable")
    period = 2 * np.pi
    angles = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    return np.interp(angles, turn[order] % period, np.linalg.norm(placed, axis=1)[order], period=period)


def measure_beyond(placed, reach):
    """Return (n,), how far each point (n, 3) lies beyond the outline in its direction: what is cut off is above 0.

    placed : along the extent's axes, the nose at 0; reach : (DIRECTIONS,)
    """
    placed = np.ascontiguousarray(placed)
    return _measure_beyond(directions(placed), placed, np.append(reach, [reach[0], reach[0]]))


@loop
def _measure_beyond(direction, placed, reach):
    """Return (n,), how far each point lies beyond an outline, by which scans are cut: the loop of `measure_beyond`.

    direction : (n,) of each point, in steps of `reach`
    reach : with the first one again at its end, and then whatever is multiplied by 0
    """
    heights, flat = np.empty(len(placed)), placed.reshape(-1)
    for n in range(len(heights)):
        x, y, z = flat[3 * n], flat[3 * n + 1], flat[3 * n + 2]
        step = int(direction[n])
        share = direction[n] - step
        heights[n] = np.sqrt(x * x + y * y + z * z) - (reach[step] + share * (reach[step + 1] - reach[step]))
    return heights


def measure_size_ratio(f, template):
    """Return how many times as large as the template a registered surface is, by the least-squares similarity of both.

    By it the scale of a pose is corrected where a face is found in a scan: the scale of the whole depends on where the
    scan was cut, that of the part within INNER does not.

    Parameters
    ----------
    f, template : (R, T, 3) array
        Points on the same polar grid.
    """
    grid = polar.polar_grid(*f.shape[:2])
    inner = grid.r <= INNER
    w = np.repeat(grid.weights[inner], grid.angles)
    a, b = (surface[inner].reshape(-1, 3) for surface in (f, template))
    a, b = a - w @ a / w.sum(), b - w @ b / w.sum()
    covariance = (b * w[:, None]).T @ a
    return float((srnf.best_rotation(covariance) * covariance).sum() / (w @ (b**2).sum(axis=1)))


def find_within(template, extent):
    """Return (points (n, 3) along the extent's axes, their areas (n,)) of a template within its extent, to measure what
    a scan lacks.
    """
    axis_points = ((template - extent.nose) @ extent.axes.T).reshape(-1, 3)
    inside = measure_beyond(axis_points, extent.reach) <= 0
    return axis_points[inside], polar.plain_areas(template).ravel()[inside]


def measure_missing(reach, placed, areas):
    """Return the share of the extent's area beyond a scan's reach (DIRECTIONS,); placed, areas : by `find_within`."""
    return float(areas[measure_beyond(placed, reach) > 0].sum() / areas.sum())
