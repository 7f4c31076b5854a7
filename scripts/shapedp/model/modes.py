"""Modes of variation from noised moments: principal axes of the people's coordinates in the metric of the surface.

    D (M3/n - m m' + s^2 I) D,   D = diag(back), m = the released mean of the first q' coordinates, s its noise

(the square of a noised mean is too large by s^2). A mode is shown only where its eigenvalue stands above the 95 %
quantile of the largest eigenvalue of D N D, N the noise on M3/n alone: a public number, by simulation.
"""

from dataclasses import dataclass

import numpy as np

QUANTILE, SIMULATED = 0.95, 400


@dataclass(frozen=True)
class Modes:
    """axes (modes, q') in the coordinates u; sd (modes,) in the surface's unit; floor : sd that noise alone reaches."""

    axes: np.ndarray
    sd: np.ndarray
    floor: float


def find(m1, m3, noise, n, back):
    """The modes that stand above the noise; back (q',) length of each coordinate's own direction on the surface."""
    leading = len(m3)
    mean, s = m1[0, :leading] / n, noise[0] / n
    covariance = m3 / n - np.outer(mean, mean) + s**2 * np.eye(leading)
    values, vectors = np.linalg.eigh(back[:, None] * covariance * back)
    floor = noise_floor(noise[2] / n, back)
    shown = np.flatnonzero(values > floor)[::-1]
    return Modes((vectors[:, shown] / back[:, None]).T, np.sqrt(values[shown]), float(np.sqrt(floor)))


def noise_floor(sd, back, seed=0):
    """The 95 % quantile of the largest eigenvalue that noise of this size on M3/n gives; public."""
    rng, leading = np.random.default_rng(seed), len(back)
    largest = np.empty(SIMULATED)
    for i in range(SIMULATED):
        upper = np.triu(rng.normal(0.0, sd / np.sqrt(2), (leading, leading)), 1)
        made = upper + upper.T + np.diag(rng.normal(0.0, sd, leading))
        largest[i] = np.linalg.eigvalsh(back[:, None] * made * back)[-1]
    return float(np.quantile(largest, QUANTILE))
