"""Modes in which people vary about the effects of their covariates, by noised moments, as many as noise leaves."""

from dataclasses import dataclass, replace

import numpy as np

from shapedp.privacy.manifolds import axes as canonical

# A mode is shown above this quantile, so that at most 5 % of releases show one where nobody varies (the quantile itself
# is simulated); draws of noise for it, and for how modes turn.
QUANTILE, SIMULATED, AGAIN = 0.98, 2000, 100
# Of people along a mode, where no public people tell it.
NORMAL_KURTOSIS = 3.0


@dataclass(frozen=True)
class Modes:
    """All axes (q', q') in the coordinates u, the widest first, sd (q',) in the surface's unit, 0 where negative.

    floor : sd that noise alone reaches; sd_noise (q',) : of each sd by noise; sd_errors (q',) : by how much each sd
    errs, noise and chance in who takes part and, once a model states it, the clip; kept (q',) mean cosine between an
    axis and itself after as much noise once more; shown : how many stand above the noise; covariance (q', q') of
    everybody along the public axes, noised, in the surface's unit
    """

    axes: np.ndarray
    sd: np.ndarray
    floor: float
    sd_noise: np.ndarray
    sd_errors: np.ndarray
    kept: np.ndarray
    shown: int
    covariance: np.ndarray

    def with_people(self, n, kurtosis, left):
        """Return the same Modes, whose errors count how n people differ and what the clip may have taken: (12.10).

        A model states them of each mode's standard deviation.

        Parameters
        ----------
        n : int
            People.
        kurtosis : (q',) float
            Of people along each axis.
        left : (q',) float
            Share of their standard deviation along it, that the clip left.
        """
        chance = self.sd * np.sqrt(np.maximum(kurtosis - 1, 0) / (4 * n))
        taken = self.sd * (1 / left - 1)
        return replace(self, sd_errors=np.sqrt(self.sd_noise**2 + chance**2 + taken**2))


def find_modes(m1, m3, noise, n, back):
    """Return the Modes, the directions in which people vary most, of noised moments, and which stand above the noise.

    How far as much noise again would turn them says how much of each direction is kept.

    Parameters
    ----------
    m1, m3 : (1 + p, q), (q', q') float
        The noised moments.
    noise : (3,) float
        Standard deviations on entries of M1, M2 and M3.
    n : int
        People.
    back : (q',) float
        Length of each coordinate on the surface.
    """
    leading = len(m3)
    mean, s = m1[0, :leading] / n, noise[0] / n
    covariance = m3 / n - np.outer(mean, mean) + s**2 * np.eye(leading)
    released = back[:, None] * covariance * back
    values, vectors = canonical.decompose(released)

    axes, sd = vectors[:, ::-1], np.sqrt(np.maximum(values[::-1], 0))
    sizes, cosines = [], []
    # How much a mode turns under as much noise again tells how much of its direction is kept.
    for noise_matrix in _symmetric(noise[2] / n, back, np.random.default_rng(1), AGAIN):
        values, turned = np.linalg.eigh(released + noise_matrix)
        sizes.append(np.sqrt(np.maximum(values[::-1], 0)))
        cosines.append(np.abs(np.einsum("ik,ik->k", axes, turned[:, ::-1])))
    floor, sd_noise = float(np.sqrt(noise_floor(noise[2] / n, back, mean, s))), np.std(sizes, axis=0)
    modes = Modes(
        axes=(axes / back[:, None]).T,
        sd=sd,
        floor=floor,
        sd_noise=sd_noise,
        sd_errors=sd_noise,
        kept=np.mean(cosines, axis=0),
        shown=int(np.sum(sd > floor)),
        covariance=released,
    )
    return modes.with_people(n, np.full(leading, NORMAL_KURTOSIS), np.ones(leading))


def noise_floor(sd, back, mean, s):
    """Return how large noise alone makes the largest eigenvalue, at the QUANTILE: modes above it are shown, (12.4).

    Parameters
    ----------
    sd : float
        Of the noise on M3/n.
    back : (q',) float
        Length of each coordinate on the surface.
    mean : (q',) float
        The noised mean, whose length beyond that of the noise is taken for where all people lie.
    s : float
        Of the noise on its entries.
    """
    rng, size = np.random.default_rng(0), len(back)
    mean_place = mean * np.sqrt(max(0.0, 1 - size * s**2 / max(mean @ mean, 1e-300)))
    of_mean = s * rng.standard_normal((SIMULATED, size))
    cross_terms = (of_mean / 2 + mean_place)[:, :, None] * of_mean[:, None, :]
    noise_matrices = _symmetric(sd, back, rng, SIMULATED)
    noise_matrices += back[:, None] * (s**2 * np.eye(size) - cross_terms - cross_terms.transpose(0, 2, 1)) * back
    return float(np.quantile(np.linalg.eigvalsh(noise_matrices)[:, -1], QUANTILE))


def _symmetric(sd, back, rng, count):
    """Return (count, q', q') draws of D N D, N symmetric noise."""
    normals = rng.normal(0.0, sd / np.sqrt(2), (count, len(back), len(back)))
    return back[:, None] * (normals + normals.transpose(0, 2, 1)) / np.sqrt(2) * back
