"""Modes of variation from noised moments: principal axes of the people's coordinates in the metric of the surface.

    D (M3/n - m m' + s^2 I) D,   D = diag(back), m = the released mean of the first q' coordinates, s its noise

(the square of a noised mean is too large by s^2). A mode is shown only where its eigenvalue stands above the 95 %
quantile of the largest eigenvalue of D N D, N the noise on M3/n alone: a public number, by simulation. How far noise
has turned each axis is told by drawing such noise upon the released matrix once more.
"""

from dataclasses import dataclass

import numpy as np

QUANTILE, SIMULATED, AGAIN = 0.95, 400, 100


@dataclass(frozen=True)
class Modes:
    """All axes (q', q') in the coordinates u, the widest first, sd (q',) in the surface's unit, 0 where negative.

    floor : sd that noise alone reaches; sd_noise (q',) : of each sd by noise; kept (q',) mean cosine between an axis
    and itself after as much noise once more
    """

    axes: np.ndarray
    sd: np.ndarray
    floor: float
    sd_noise: np.ndarray
    kept: np.ndarray

    @property
    def shown(self):
        """How many stand above the noise."""
        return int(np.sum(self.sd > self.floor))


def find(m1, m3, noise, n, back):
    """The modes; back (q',) length of each coordinate's own direction on the surface."""
    leading = len(m3)
    mean, s = m1[0, :leading] / n, noise[0] / n
    covariance = m3 / n - np.outer(mean, mean) + s**2 * np.eye(leading)
    released = back[:, None] * covariance * back
    values, vectors = np.linalg.eigh(released)
    floor = noise_floor(noise[2] / n, back)
    sd_noise, kept = _stability(released, noise[2] / n, back)
    return Modes((vectors[:, ::-1] / back[:, None]).T, _root(values[::-1]), float(np.sqrt(floor)), sd_noise, kept)


def noise_floor(sd, back, seed=0):
    """The 95 % quantile of the largest eigenvalue that noise of this size on M3/n gives; public."""
    rng = np.random.default_rng(seed)
    largest = [np.linalg.eigvalsh(_noise(sd, back, rng))[-1] for _ in range(SIMULATED)]
    return float(np.quantile(largest, QUANTILE))


def _stability(released, sd, back, seed=1):
    """((q',) standard deviation of each sd, (q',) mean cosine) under noise upon what was released."""
    rng, vectors = np.random.default_rng(seed), np.linalg.eigh(released)[1][:, ::-1]
    sizes, cosines = [], []
    for _ in range(AGAIN):
        values, turned = np.linalg.eigh(released + _noise(sd, back, rng))
        sizes.append(_root(values[::-1]))
        cosines.append(np.abs(np.einsum("ik,ik->k", vectors, turned[:, ::-1])))
    return np.std(sizes, axis=0), np.mean(cosines, axis=0)


def _noise(sd, back, rng):
    """A draw of D N D."""
    leading = len(back)
    upper = np.triu(rng.normal(0.0, sd / np.sqrt(2), (leading, leading)), 1)
    return back[:, None] * (upper + upper.T + np.diag(rng.normal(0.0, sd, leading))) * back


def _root(values):
    return np.sqrt(np.maximum(values, 0))
