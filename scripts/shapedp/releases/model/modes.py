"""Modes in which people vary about the effects of their covariates, by noised moments, as many as noise leaves."""

from dataclasses import dataclass, replace

import numpy as np

from shapedp.privacy.manifolds import axes as canonical

# A mode is shown above this quantile, so that at most 5 % of releases show one where nobody varies (the quantile itself
# is simulated); draws of noise for it, for how modes turn, and for how much wider the widest seen ones look.
QUANTILE, SIMULATED, AGAIN, WIDER = 0.98, 2000, 100, 200
# Times as wide as public people, at least, that people are taken to lie where noise hides it.
LEAST_WIDTH = 0.2
# Of people along a mode, where no public people tell it.
NORMAL_KURTOSIS = 3.0


@dataclass(frozen=True)
class Modes:
    """All axes (q', q') in the coordinates u, the widest first, sd (q',) in the surface's unit, 0 where negative.

    floor : sd that noise alone reaches; sd_noise (q',) : of each sd by noise; sd_errors (q',) : by how much each sd
    errs, noise and chance in who takes part and, once a model states it, the clip; kept (q',) mean cosine between an
    axis and itself after as much noise once more; shown : how many stand above the noise; covariance (q', q') of
    everybody along the public axes, noised, in the surface's unit

    What the widest direction that is seen owes to noise and chance is taken off sd.
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

    def with_spread_put_back(self, n, factors, doubts, kurtosis):
        """Return the same Modes, as wide as people were before the clip, where it is told how these lie: (12.11).

        Parameters
        ----------
        n : int
            People.
        factors, doubts : (q',) float
            People's standard deviation along each axis over that of clipped ones, and by how much that errs.
        kurtosis : (q',) float
            Of clipped people along each axis.
        """
        noise, chance = factors * self.sd_noise, factors * self.sd * np.sqrt(np.maximum(kurtosis - 1, 0) / (4 * n))
        errors = np.sqrt(noise**2 + chance**2 + (doubts * self.sd) ** 2)
        return replace(self, sd=factors * self.sd, sd_noise=noise, sd_errors=errors)


def find_modes(m1, m3, noise, n, back, variances):
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
    variances : (q',) float
        Of public people's coordinates.
    """
    leading = len(m3)
    mean, s = m1[0, :leading] / n, noise[0] / n
    covariance = m3 / n - np.outer(mean, mean) + s**2 * np.eye(leading)
    released = back[:, None] * covariance * back
    values, vectors = canonical.decompose(released)

    axes, sd = vectors[:, ::-1], np.sqrt(np.maximum(values[::-1], 0))
    # How much a mode turns under as much noise again tells how much of its direction is kept.
    _, turned = np.linalg.eigh(released + _symmetric(noise[2] / n, back, np.random.default_rng(1), AGAIN))
    cosines = np.abs(np.einsum("ik,dik->dk", axes, turned[:, :, ::-1]))
    floor = float(np.sqrt(noise_floor(noise[2] / n, back, mean, s)))
    wider, sd_noise = _find_wider(released, back**2 * variances, noise[2] / n, back, mean, s, n)
    modes = Modes(
        axes=(axes / back[:, None]).T,
        sd=np.maximum(sd - wider, 0.0),
        floor=floor,
        sd_noise=sd_noise,
        sd_errors=sd_noise,
        kept=np.mean(cosines, axis=0),
        shown=int(np.sum(sd > floor)),
        covariance=released,
    )
    return modes.with_people(n, np.full(leading, NORMAL_KURTOSIS), np.ones(leading))


def _find_wider(released, public, sd, back, mean, s, n):
    """Return by how much the modes' standard deviations look too large, and what noise moves them by: both (q',).

    The widest directions that are seen are those to which noise and chance added most. How much that is follows from
    draws about a covariance that is likely: the released one, drawn to public people's, as wide as these people, as far
    as noise makes the two differ.

    Parameters
    ----------
    released : (q', q') float
        The noised covariance of people, on the surface.
    public : (q',) float
        Public people's variances there.
    sd, back, mean, s : float, array
        As of `noise_floor`.
    n : int
        People.
    """
    rng = np.random.default_rng(2)
    noise_matrices = _draw_noise(sd, back, mean, s, rng, WIDER)
    wide = max(float(np.trace(released)) / float(public.sum()), LEAST_WIDTH) * np.diag(public)
    away, noise_square = np.sum((released - wide) ** 2), np.mean(np.sum(noise_matrices**2, axis=(1, 2)))
    likely = wide + max(0.0, 1 - noise_square / max(float(away), 1e-300)) * (released - wide)
    values, vectors = np.linalg.eigh(likely)
    likely = (vectors * np.maximum(values, 0.0)) @ vectors.T
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    chance = root @ _symmetric(np.sqrt(2 / n), np.ones(len(back)), rng, WIDER) @ root.T

    def find_excess(draws):
        """Return (d, q') by how much each draw's modes look too large."""
        values, vectors = np.linalg.eigh(draws)
        true = np.einsum("dik,ij,djk->dk", vectors, likely, vectors, optimize=True)
        return (np.sqrt(np.maximum(values, 0.0)) - np.sqrt(np.maximum(true, 0.0)))[:, ::-1]

    return find_excess(likely + noise_matrices + chance).mean(axis=0), find_excess(likely + noise_matrices).std(axis=0)


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
    noise_matrices = _draw_noise(sd, back, mean, s, np.random.default_rng(0), SIMULATED)
    return float(np.quantile(np.linalg.eigvalsh(noise_matrices)[:, -1], QUANTILE))


def _draw_noise(sd, back, mean, s, rng, count):
    """Return (count, q', q') draws of the noise on people's covariance on the surface, the mean's among it.

    The parameters are as of `noise_floor`.
    """
    size = len(back)
    mean_place = mean * np.sqrt(max(0.0, 1 - size * s**2 / max(mean @ mean, 1e-300)))
    of_mean = s * rng.standard_normal((count, size))
    cross_terms = (of_mean / 2 + mean_place)[:, :, None] * of_mean[:, None, :]
    noise_matrices = _symmetric(sd, back, rng, count)
    noise_matrices += back[:, None] * (s**2 * np.eye(size) - cross_terms - cross_terms.transpose(0, 2, 1)) * back
    return noise_matrices


def _symmetric(sd, back, rng, count):
    """Return (count, q', q') draws of D N D, N symmetric noise."""
    normals = rng.normal(0.0, sd / np.sqrt(2), (count, len(back), len(back)))
    return back[:, None] * (normals + normals.transpose(0, 2, 1)) / np.sqrt(2) * back
