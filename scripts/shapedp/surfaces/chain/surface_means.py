"""The mean of surfaces on one grid, of which templates are made, in rounds."""

import numpy as np
from numpy.typing import NDArray

from shapedp.surfaces import polar
from shapedp.surfaces.registration import srnf

# Registrations of all scans to the mean of the round before.
ROUNDS = 3
# Scans that a mean is made of, at least.
LEAST = 5
# How often surfaces are turned to their mean, and the mean is taken again.
TURNS = 5


def find_procrustes_mean(surfaces: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (R, T, 3), the Procrustes mean of surfaces, from which a template is made; of unit area, turned as
    `start`.

    Parameters
    ----------
    surfaces : (p, R, T, 3) array
    start : (R, T, 3) array
        About what the mean is.
    """
    weights = find_grid_weights(*start.shape[:2])

    def centered(f):
        """Return a surface with its centroid at 0."""
        return f - np.einsum("rt,rtc->c", weights, f)

    def turned(f, to):
        """Return a surface turned so that it lies best on another."""
        return f @ srnf.best_rotation(np.einsum("rt,rtc,rtd->cd", weights, to, f)).T

    surfaces, mean, start = [centered(surface) for surface in surfaces], centered(start), centered(start)
    for _ in range(TURNS):
        mean = np.mean([turned(surface, mean) for surface in surfaces], axis=0)
    return turned(polar.unit_surface(mean)[0], start)


def find_grid_weights(rings: int, angles: int) -> NDArray[np.float64]:
    """Return (R, T), the areas of a polar grid's cells of the disk, of sum 1, by which means over its points are
    weighted.
    """
    grid = polar.polar_grid(rings, angles)
    weights = grid.weights[:, None] * np.ones(angles)
    return weights / weights.sum()
