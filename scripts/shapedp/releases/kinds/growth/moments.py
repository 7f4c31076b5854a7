"""Growth: the mean face as a curve of age, with the spread of people about it by age, as one noised statistic.

Three noised sums are released: of u z', of z z', and of u u' for each band of age. u are a person's shaped coordinates
minus a public curve of growth; z are functions of age and of a second covariate in [-1, 1], such as sex. The
public curve is that of public people whose ages are known, estimated as the people's is but without noise, else 0. The
curve and the spread follow from what was noised and from public numbers alone, and what the clip took of people who lie
off the public curve is put back: docs/mathematics.md, section 15.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.integer_sums import U_GRID, Z_GRID, Moments, joint_sensitivity
from shapedp.privacy.learned import clips, face_variation, noised_means
from shapedp.privacy.proofs import Proofs
from shapedp.privacy.statistic import Source
from shapedp.releases.kinds.growth.clipped import Clipped
from shapedp.releases.model.model_mechanism import OfMoments, find_beyond_axes, scale_axes

Floats = NDArray[np.float64]

# Of the splines, at most: fewer degrees are taken where noise leaves no more.
DEGREE = 3
# Bands of age for the spread, at most: each costs noise of its own.
BANDS = 3
# Ages at which the public range is looked at.
FINE = 400
# Of the axes in which people differ most. They share one omega, and those after them another (15.4).
FIRST_AXES = 20
# Steps of u in M3: on the grid of tau/2^15 the sums of products by band stay within 62 bits.
COARSER = 1 << 5
# Shares of people's variance that a function may explain, over which the likelihood averages.
OMEGAS = np.geomspace(1e-5, 0.3, 45)
# Weight of even ages where noise leaves open how people fill the range; and the share of people that is taken to fill
# it evenly, so that no age is without anybody.
EVEN, LEFT_EVEN = 1e-3, 0.02
# Times omega that curves may turn by near an end of the range besides, all levels together (15.5).
TURNED = 1.0
# Omega of a straight line where public people have no ages, a public guess; a quarter of it for each further degree.
GUESSED = 0.03


@dataclass(frozen=True)
class Functions:
    """The functions z of a person's age, and of a second covariate.

    knots : (k,) public ages, the first and the last of which are the range; degree : of the splines between them; by :
    whether a second covariate multiplies them
    """

    knots: tuple[float, ...]
    degree: int
    by: bool

    @property
    def count(self) -> int:
        """The number of splines."""
        return self.degree + len(self._kept) - 1

    @property
    def size(self) -> int:
        """The number of functions in z."""
        return self.count * (1 + self.by)

    @property
    def _kept(self):
        """The knots that splines of this degree have: of a low degree only the range."""
        return self.knots if self.degree == DEGREE else (self.knots[0], self.knots[-1])

    def splines(self, ages: Floats) -> Floats:
        """Return (n, count) B-splines at ages, from which the curve of age and the bands of spread are put together.

        Ages are kept to the range; splines are not negative, and 1 together (Cox and de Boor).
        """
        inner = self._kept
        t = np.array([inner[0]] * self.degree + list(inner) + [inner[-1]] * self.degree)
        # Whatever a cell holds, an age counts as one of the public range: the sensitivity is proved for these.
        x = np.clip(np.asarray(ages, dtype=float), inner[0], inner[-1])[:, None]
        last = np.searchsorted(t, inner[-1]) - 1
        within = np.clip(np.searchsorted(t, x[:, 0], side="right") - 1, self.degree, last)
        b = (np.arange(len(t) - 1) == within[:, None]).astype(float)
        for d in range(1, self.degree + 1):
            with np.errstate(divide="ignore", invalid="ignore"):
                up = np.nan_to_num((x - t[: -d - 1]) / (t[d:-1] - t[: -d - 1]), posinf=0, neginf=0)
                down = np.nan_to_num((t[d + 1 :] - x) / (t[d + 1 :] - t[1:-d]), posinf=0, neginf=0)
            b = up[:, : b.shape[1] - 1] * b[:, :-1] + down[:, : b.shape[1] - 1] * b[:, 1:]
        return b

    @cached_property
    def ages(self) -> Floats:
        """Return (FINE,) ages that fill the public range evenly, over which the functions of age are compared."""
        return self.knots[0] + (self.knots[-1] - self.knots[0]) * (np.arange(FINE) + 0.5) / FINE

    @cached_property
    def turn(self) -> Floats:
        """Return (count, count), which turns splines into functions of age whose coefficients are shrunk one by one.

        These are kappa F of (15.1): F are orthonormal for even ages, powers of age first, and kappa^2 is 1/max |F|.
        """
        b = self.splines(self.ages)
        a = np.linspace(-1, 1, FINE)[:, None] ** np.arange(self.degree + 1)
        f = np.linalg.qr(np.column_stack([a, b]))[0][:, : self.count] * math.sqrt(FINE)
        # QR leaves the signs open: every function is positive at the last age, which `alike` counts on.
        f *= np.sign(f[-1])
        c = np.linalg.lstsq(b, f, rcond=None)[0]
        return c / np.sqrt(np.abs(self.splines(np.linspace(self.knots[0], self.knots[-1], FINE)) @ c).max(axis=0))

    @cached_property
    def kappa(self) -> Floats:
        """Return (size,) the length of each function in z, in which coefficients of curves of age are compared.

        It is the root mean square over even ages and s = 1 or -1.
        """
        f = self.splines(self.ages) @ self.turn
        return np.tile(np.sqrt(np.mean(f**2, axis=0)), 1 + self.by)

    @cached_property
    def alike(self) -> Floats:
        """Return (c, size) which functions of age, of the same signs at both ends, move together where a curve turns.

        They are classes c within each level. As growth turns there, coefficients of these go together (15.5), and so
        does what smoothing takes of them.
        """
        # All functions are positive at the last knot, so the sign at the first tells the class.
        first = (self.splines(np.array([self.knots[0]])) @ self.turn)[0, 1:] > 0
        return np.kron(np.eye(1 + self.by), np.pad(np.array([first, ~first], dtype=float), ((0, 0), (1, 0))))

    def find_places(self, lower: "Functions") -> NDArray[np.int64]:
        """Return which z of these are those of a lower degree: powers of age come first in both."""
        return (np.arange(1 + self.by)[:, None] * self.count + np.arange(lower.count)).ravel()

    @cached_property
    def zeta(self) -> float:
        """Return the bound of |z|, whatever a person's age, by which noise is scaled; on the grid of people's z."""
        ages = np.linspace(self.knots[0], self.knots[-1], FINE)
        longest = np.sqrt(np.max(np.sum(self.at(ages, np.ones(FINE)) ** 2, axis=1)))
        # Rounded up to the grid of z, so that rounding never makes z longer than is stated.
        return math.ceil(longest * Z_GRID) / Z_GRID

    def at(self, ages: Floats, other: Floats) -> Floats:
        """Return (n, size) z at ages (n,) and at the other covariate (n,), in [-1, 1]."""
        f = self.splines(ages) @ self.turn
        return np.column_stack([f, np.clip(other, -1, 1)[:, None] * f]) if self.by else f

    def evaluate(self, coded: Floats) -> Floats:
        """Return (n, size) z of people, what the released sums take of their ages and second covariates.

        They are coded in (n, 1 or 2): age from -1 to 1 over the range, and the other.
        """
        return self.at(
            self.decode_ages(coded), np.nan_to_num(coded[:, 1], nan=0.0) if self.by else np.zeros(len(coded))
        )

    def decode_ages(self, coded: Floats) -> Floats:
        """Return (n,) ages of people by coded covariates; one that is no number counts as the middle."""
        low, high = self.knots[0], self.knots[-1]
        return (low + high) / 2 + np.clip(np.nan_to_num(coded[:, 0], nan=0.0), -1, 1) * (high - low) / 2

    @cached_property
    def splines_by_band(self) -> Floats:
        """Return (b, count) which splines belong to each band of ages, for which people's spread is released."""
        part = np.array_split(np.arange(self.count), min(BANDS, self.count))
        return np.array([np.isin(np.arange(self.count), splines_of_band) for splines_of_band in part], dtype=float)

    def weights(self, ages: Floats) -> Floats:
        """Return (n, b) how much ages (n,) count in each band."""
        return self.splines(ages) @ self.splines_by_band.T

    @cached_property
    def places(self) -> tuple[Floats, Floats]:
        """Return (ages, other) of a grid of possible people, to whose moments noised ones are brought back.

        Ages cover the public range; other is the second covariate, -1 to 1.
        """
        ages = np.linspace(self.knots[0], self.knots[-1], 40)
        others = (-1.0, 0.0, 1.0) if self.by else (0.0,)
        return np.tile(ages, len(others)), np.repeat(others, len(ages))

    @cached_property
    def at_places(self) -> Floats:
        """Return (g, size) z of the people of `places`."""
        return self.at(*self.places)


@dataclass(frozen=True)
class GrowthMoments(Moments):
    """The three sums of n people: M1, M2, and M3 of each band. functions : z and the bands."""

    functions: Functions | None = None
    # The age, and what it is looked at by.
    covariates = 2

    @classmethod
    def for_functions(
        cls, n: int, q: int, leading: int, tau: float, mu: float, shares: Floats, functions: Functions
    ) -> "GrowthMoments":
        """Return the moments of n people, with noise for z that is as long as these functions are at most."""
        longest = math.sqrt(functions.zeta**2 - 1)
        return cls(n, q, leading, tau, np.ones(functions.size - 1), mu, shares, longest, functions)

    @property
    def zeta(self) -> float:
        """The bound of |z|, which the functions of age give."""
        return self.functions.zeta

    def joint(self, weights: Sequence[float]) -> float:
        """Return how far one person moves the weighted sums, by which their noise is scaled: (15.3).

        The bands' part is 2 w3^2 tau^4 whatever the two people's bands are.
        """
        w1, w2, w3 = weights
        # The bands' term is the same at every rho and d, so it is added to the maximum over the other two.
        without = joint_sensitivity([w1, w2, 0.0], self.zeta, self.tau)
        return math.sqrt(without**2 + 2 * w3**2 * self.tau**4)

    @property
    def counts(self) -> list[int]:
        """The number of entries of each sum: those of M3 for each band."""
        m1, m2, m3 = super().counts
        return [m1, m2, len(self.functions.splines_by_band) * m3]

    @property
    def steps(self) -> Floats:
        """As of Moments; in M3 weights lie on the grid of z, u on a coarser one: sums stay within 62 bits."""
        m1, m2, _ = super().steps
        return np.array([m1, m2, (self.tau * COARSER / U_GRID) ** 2 / Z_GRID])

    def weigh_covariates(self, coded: Floats, count: int) -> Floats:
        """Return the functions of age and level of people, without the first, which is 1."""
        return self.functions.evaluate(coded)[:, 1:]

    def sums(self, u: Floats, coded: Floats) -> list[NDArray[np.int64]]:
        """Return the exact whole-number sums over some people, to which noise is added; those of parts add up."""
        whole_u, z = self.integers(u, coded)
        # Towards 0, for a record must not become longer than its bound.
        v = np.sign(whole_u[:, : self.leading]) * (np.abs(whole_u[:, : self.leading]) // COARSER)
        w = np.trunc(self.functions.weights(self.functions.decode_ages(coded)) * Z_GRID).astype(np.int64)
        return [z.T @ whole_u, z.T @ z, np.stack([(v * weights_of_band[:, None]).T @ v for weights_of_band in w.T])]

    def draw(self, sums: Sequence[NDArray[np.int64]], source: Source) -> list[Floats]:
        """Return the noised sums M1 (p, q), M2 (p, p), M3 (b, q', q') in the units of z and u, all that is learned."""
        m1, m2, m3 = sums
        first = super().draw([m1, m2, m3[0]], source)
        other_bands = [self.noised(2, band_sum, source) * self.steps[2] for band_sum in m3[1:]]
        return [*first[:2], np.stack([first[2], *other_bands])]


def estimate_share(deviations: Floats, variances: Floats, sizes: Floats) -> tuple[float, Floats]:
    """Return the share of people's variance that functions explain, by which coefficients are shrunk, and its doubt.

    The share is averaged by the likelihood.

    Parameters
    ----------
    deviations : (...) float
        Noised coefficients, taken as N(0, omega sizes + variances), entry by entry.
    variances, sizes : (...) float
        Of noise and chance; and public people's.

    Returns
    -------
    omega : float
    doubt : (...) float
        What not knowing omega adds to the variance of each entry's estimate.
    """
    signal = OMEGAS.reshape(-1, *[1] * deviations.ndim) * sizes
    total = signal + variances
    log = -0.5 * np.sum((np.log(total) + deviations**2 / total).reshape(len(OMEGAS), -1), axis=1)
    weights = np.exp(log - log.max())
    weights /= weights.sum()
    kept = signal / total
    mean = np.tensordot(weights, kept, axes=1)
    return float(weights @ OMEGAS), np.tensordot(weights, (kept - mean) ** 2, axes=1) * deviations**2


@dataclass(frozen=True)
class Fit:
    """Of some functions: coefficients (p, q) of z along axes; covariances (q, p, p) of what is not known of each axis'
    coefficients; missed (q, p, p) of which smoothing takes what part away; omegas (p, q) of people's variance that each
    function was found to explain.
    """

    coefficients: Floats
    covariances: Floats
    missed: Floats
    omegas: Floats


def fit_functions(
    m1: Floats,
    m2: Floats,
    sizes: Floats,
    residual: Floats,
    kappa: Floats,
    s1: float = 0.0,
    s2: float = 0.0,
    chance: Floats | None = None,
    left: float = 1.0,
) -> Fit:
    """Return the Fit to noised sums m1 (p, q), m2 (p, p): the curve of age, shrunk as noise s1, s2 and chance ask.

    First each coefficient by itself tells omega, then all of an axis are estimated together.

    Parameters
    ----------
    m1 : (p, q) float
        The noised sum of u z', without what a clip adds to it about the share that it leaves of means.
    m2 : (p, p) float
        The moment of z, each person by that share.
    sizes, residual : (q,) float
        Public variances of people; theirs about the curve.
    kappa : (p,) float
        Lengths of z's parts.
    s1, s2 : float
        Standard deviations of the noise on both sums.
    chance : (p, p) float, optional
        The moment of z, each person by the share's square; m2 itself where there is no clip.
    left : float
        That share on average, by which noise on m2 counts.
    """
    # M2 is that of people on a grid of ages (`find_possible_moments`), or of public ones with a ridge: it can be
    # inverted.
    inverse = np.linalg.inv(m2)
    plain = inverse @ m1
    covariances = (inverse if chance is None else inverse @ chance @ inverse)[None] * residual[:, None, None]
    if s1:
        covariances = covariances + inverse @ _find_noise_of_sums(left * plain, s1, s2) @ inverse
    known = np.diagonal(covariances, axis1=1, axis2=2).T
    # Omega is told in lengths that all functions share, whatever their kappa.
    scale = kappa[:, None] ** 2
    omegas, doubt = np.empty_like(plain), np.empty_like(plain)
    for part in filter(len, np.split(np.arange(len(sizes)), [FIRST_AXES])):
        for j in range(len(plain)):
            omega_and_doubt = estimate_share(plain[j, part] * kappa[j], known[j, part] * scale[j], sizes[part])
            omegas[j, part], doubt[j, part] = omega_and_doubt
    prior = np.concatenate([np.zeros((1, len(sizes))), 1 / (omegas[1:] * sizes / scale[1:])]).T
    precision = np.linalg.inv(covariances)
    with_prior, every = precision.copy(), np.arange(len(m2))
    with_prior[:, every, every] += prior
    unknown = np.linalg.inv(with_prior)
    coefficients = np.einsum("qab,qbc,cq->aq", unknown, precision, plain)
    missed = unknown * prior[:, None]
    unknown[:, every[1:], every[1:]] += (doubt[1:] / scale[1:]).T
    return Fit(coefficients, unknown, missed, omegas)


def with_the_rest(fit: Fit, functions: Functions, public_curve: "Public", sizes: Floats) -> Fit:
    """Return the Fit of `functions` as one of all public functions, so that what was not fitted counts as not known.

    The others are left at 0, their omegas as expected. To what is not known comes a curve that turns near an end of the
    range, as growth does: coefficients of functions that are alike go together in it, so that what smoothing takes of
    them adds up there.
    """
    full = public_curve.functions
    place, every = full.find_places(functions), np.arange(full.size)
    omegas = np.tile(public_curve.omegas[:, None], len(sizes))
    coefficients, (missed, covariances) = np.zeros_like(omegas), np.zeros((2, len(sizes), full.size, full.size))
    # Functions that are not fitted stay at 0 and keep the omegas that public people tell, or that are guessed.
    omegas[place], coefficients[place] = fit.omegas, fit.coefficients
    sd = np.sqrt(omegas * sizes).T / full.kappa
    missed[:, every, every], covariances[:, every, every] = 1.0, sd**2
    missed[:, place[:, None], place], covariances[:, place[:, None], place] = fit.missed, fit.covariances
    turned = np.einsum("qab,qb,cb->qca", missed, sd, full.alike)
    covariances += TURNED / (1 + full.by) * np.einsum("qca,qcb->qab", turned, turned)
    return Fit(coefficients, covariances, missed, omegas)


def _find_noise_of_sums(b: Floats, s1: float, s2: float) -> Floats:
    """Return the covariance (q, p, p) of the noise in a fit's normal equations, axis by axis, to weigh them by: (12.3).

    The equations of coefficients b are M2 b = M1, and both sums are noised.
    """
    p = len(b)
    covariance = s1**2 * np.eye(p) + s2**2 / 2 * (
        np.sum(b**2, axis=0)[:, None, None] * np.eye(p) + np.einsum("aq,bq->qab", b, b)
    )
    covariance[:, 0, 0] -= s2**2 * b[0] ** 2
    return covariance


def find_possible_moments(m2: Floats, functions: Functions, n: int, noise: float) -> tuple[Floats, Floats]:
    """Return the nearest moments to the noised m2 that n people of the public range can have, for a fit to divide by.

    They are drawn towards ages that fill the range evenly where noise leaves it open.

    Parameters
    ----------
    m2 : (p, p) float
        The noised moment of z.
    functions : Functions
        Which z is of.
    n : int
        People.
    noise : float
        Standard deviation of the noise on the diagonal of m2.

    Returns
    -------
    m2 : (p, p) float
    people : (g,) float
        How many lie at each of `functions.places`.
    """
    z = functions.at_places
    # Entries off the diagonal have 1/sqrt(2) of the noise, (12.1), and weigh by as much more.
    upper = np.triu_indices(len(m2))
    twice = np.where(upper[0] == upper[1], 1.0, math.sqrt(2.0)) / max(noise, 1e-9)
    rows = np.array([np.outer(function_values, function_values)[upper] for function_values in z]).T * twice[:, None]
    even = np.where(functions.places[1] == 0, 0.0 if functions.by else 1.0, 1.0)
    even *= n / even.sum()
    pull = EVEN / math.sqrt(n)
    system = np.concatenate([rows, np.full((1, len(z)), 1e3 / n), pull * np.eye(len(z))])
    try:
        people = scipy.optimize.nnls(system, np.concatenate([m2[upper] * twice, [1e3], pull * even]))[0]
    except RuntimeError:
        # The iteration came to no end, so that nothing is known of ages: a release must not fail by what noise drew.
        people = even
    people = (1 - LEFT_EVEN) * people * (n / max(people.sum(), 1e-300)) + LEFT_EVEN * even
    return (z.T * people) @ z, people


# Of mu^2 for M1, M2 and M3: M2 for a quarter of M1's costs M1 nothing.
SHARES = np.array([4.0, 1.0, 0.5])
# Share of what age is foretold to explain, by which a cohort may grow otherwise than public people.
UNLIKE = 0.25
# Axes of the spread: along further ones people's spread is taken to be public people's.
MOST_AXES = 40
# Modes by which public people tell how much age explains, before the axes are chosen.
LOOKED = 40


def guess_omegas(functions: Functions) -> Floats:
    """Return the omega (p,) of each function, before anybody was asked."""
    return np.tile(GUESSED / 4.0 ** np.maximum(np.arange(functions.count) - 1, 0), 1 + functions.by)


@dataclass(frozen=True)
class Public:
    """What public people tell of growth: coefficients (p, a) of z along axes, in lengths; omegas (p,) that are expected
    of how people of the cohort deviate from it.
    """

    functions: Functions
    coefficients: Floats
    omegas: Floats

    @classmethod
    def unknown(cls, functions: Functions, axes: int) -> "Public":
        """Return what holds where no public person's age is known: no growth, and a guess of how much there may be."""
        return cls(functions, np.zeros((functions.size, axes)), guess_omegas(functions))

    @classmethod
    def from_people(
        cls, functions: Functions, seen: "Seen | None", variation: Any, axes: NDArray[np.int64]
    ) -> "Public":
        """Return the public curve of age, taken off people before the clip; a guess where few have known ages."""
        if seen is None or len(seen.coded) < LEAST * functions.size:
            return cls.unknown(functions, len(axes))
        z, variances = functions.evaluate(seen.coded), spread_along(variation)[axes]
        m2 = z.T @ z + 1e-6 * len(z) * np.eye(functions.size)
        m1 = z.T @ seen.along(variation.axes(axes))
        fit = fit_functions(m1, m2, variances, variances, functions.kappa)
        left = np.einsum("qaa,a->qa", fit.covariances, functions.kappa**2) / variances[:, None]
        least_omegas = np.maximum(fit.omegas.mean(axis=1), guess_omegas(functions))
        return cls(functions, fit.coefficients, left.mean(axis=0) + UNLIKE * least_omegas)

    def forecast_omegas(self, functions: Functions) -> tuple[Floats, float]:
        """Return the shares of people's variance that other functions of age may explain, and the share they leave out.

        By these `forecast_errors` compares splines of several degrees before anything is released.

        Parameters
        ----------
        functions : Functions
            Some of the public functions, of the same range.

        Returns
        -------
        omegas : (p,) float
            Of each function, as public people tell it, or as it is guessed.
        missing : float
            Omega of further functions of this range, and of what no spline on these knots follows.
        """
        place = self.functions.find_places(functions)
        beyond = (1 + functions.by) * self.beyond
        return self.omegas[place], beyond + float(np.delete(self.omegas, place).sum())

    @property
    def beyond(self) -> float:
        """Omega of what no spline on these knots follows, of each level: the guess is all that is known."""
        return GUESSED / 4.0 ** (self.functions.count - 1) * 4 / 3


@dataclass(frozen=True)
class Seen:
    """Public people whose ages are known: curves' deviations from the reference (n, J, 3, m), coded covariates."""

    deviations: NDArray[Any]
    coded: Floats

    def along(self, axes: Floats) -> Floats:
        """Return coordinates (n, k) along axes (k, J, 3, m)."""
        flat = self.deviations.reshape(len(self.deviations), -1)
        return (flat @ axes.reshape(len(axes), -1).T).astype(float) / (axes.shape[1] * axes.shape[3])


@dataclass(frozen=True)
class Growth(OfMoments):
    """Mean and spread as curves of age; public : the curve that is taken off before the clip, in the units of u;
    covariates : age, and the other.
    """

    public: Public

    proofs = Proofs(("12 and 15", "test_growth"), ("12 and 15", "test_growth"), machine_checked=("4.3", "15.3"))
    name = "growth"
    label = "mean and spread as curves of age"
    words = (
        "Gaussian noise on three sums at once, of people's coordinates along the ways in which public faces differ "
        "times functions of their age, of products of these functions, and of products of coordinates by band of age: "
        "curves of the mean face and of the spread about it follow from them"
    )
    formula = (
        "the largest joint move of the three weighted sums, people clipped to tau about a public curve of age, and "
        "functions of age and of the other covariate to zeta"
    )

    @classmethod
    def from_variation(
        cls, variation: Any, n: int, mu: float, coded_covariates: Sequence, knots: Sequence[float], seen: Seen | None
    ) -> "Growth":
        """Return the mechanism that releases a growth of n people, functions and axes chosen from public numbers."""
        if n < 2:
            raise RefusedRelease(f"growth is of at least 2 people, got n = {n}")
        by = len(coded_covariates) > 1
        full = Functions(tuple(map(float, knots)), DEGREE, by)
        public_along_modes = Public.from_people(full, seen, variation, np.arange(min(LOOKED, len(variation.modes))))
        functions, at = choose_functions(variation, n, mu, public_along_modes)
        chosen = face_variation.plan_at_index(variation, n, mu, at, 0.0)
        shaped = Shaped.from_plan(variation, n, mu, chosen)
        leading = min(int(np.sum(chosen.axes < len(variation.modes))), MOST_AXES)
        split = SHARES / SHARES.sum()
        moments = GrowthMoments.for_functions(n, len(chosen.axes), leading, shaped.bound, mu, split, functions)
        public = Public.from_people(full, seen, variation, chosen.axes)
        public = replace(public, coefficients=public.coefficients * shaped.gain)
        return cls(
            n,
            mu,
            shaped,
            moments,
            spread_along(variation)[chosen.axes] * shaped.gain**2,
            tuple(coded_covariates),
            public,
        )

    @property
    def functions(self) -> Functions:
        """The functions of age that the sums are of."""
        return self.moments.functions

    def stated_bounds(self) -> tuple:
        """Return (name, value, unit) of the bounds that a statement gives."""
        return ("tau_shaped", self.shaped.plan.tau, "1"), ("zeta", self.functions.zeta, "1")

    @property
    def weighed(self) -> dict[str, Any]:
        """{symbol: number} by which age and level enter the sums."""
        return {"zeta": self.functions.zeta}

    def noise_size(self) -> float:
        """Return how far noise moves a point of the mean face at even ages, rms, unsmoothed, for the statement."""
        kappa = self.functions.kappa
        return float(self.moments.noise[0] / self.n * np.linalg.norm(self.shaped.back) * np.sqrt(np.sum(kappa**-2.0)))

    def coordinates(self, rows: NDArray, coded: Floats) -> Floats:
        """Return (b, q) u of b people's rows, about the public curve at their ages."""
        u = self.shaped.gain * self.shaped.project_on_axes(rows - self.shaped.center)
        return u - self.public.functions.evaluate(coded) @ self.public.coefficients

    def estimated(self, answer: Sequence[Floats]) -> tuple[Floats, Floats, Floats, Floats]:
        """Return what the noised sums say: the curve of age, how sure it is, and people's spread about it.

        What the clip took is put back, and counted as not known as far as that is in doubt.

        Returns
        -------
        coefficients : (p, q) float
            Of all public functions, of the deviation from the public curve, in units of u.
        covariances : (q, p, p) float
            Of what they err by.
        spread : (b, q, q) float
            Of people's u about the curve, by band.
        unseen : (J, 3, m) float
            Variances at points by what is not released of the mean.
        """
        m1, m2, m3 = answer
        m2, people = find_possible_moments(m2, self.functions, self.n, self.moments.noise[1])
        scale = self._find_scale(m1, m3, people)
        restored = self._restore(m1, people, scale, scale**2 * self.variances)
        spread = self._spread(restored, m3, people)
        # What noise says of the residual is believed within a factor of four of public people's.
        residual_variances = np.clip(np.einsum("bqq->q", spread) / len(spread), self.variances / 4, self.variances * 4)
        restored = self._restore(m1, people, scale, residual_variances)
        # The same of people who lie farther than they are taken to: by so much may err what was put back.
        farther = self._restore(m1, people, (1 + DOUBT) * scale, residual_variances).fit
        apart = farther.coefficients - restored.fit.coefficients
        doubt = np.einsum("aq,bq->qab", apart, apart)
        unseen = restored.unreleased.point_variances(self.shaped.variation)
        return restored.fit.coefficients, restored.fit.covariances + doubt, spread, unseen

    def _restore(self, m1: Floats, people: Floats, scale: float, residual: Floats) -> "Restored":
        """Return the curve of age with what the clip took of people put back, and what is not released of the mean.

        Parameters are those of `_put_back`.
        """
        variation, plan = self.shaped.variation, self.shaped.plan
        fit, clipped, off, noise = self._put_back(m1, people, scale, residual)
        chance, parts = self._find_chance(scale), noised_means.group_axes(variation, plan)
        off = noised_means.find_shares_beyond_chance(off, chance, noise, parts) * off
        unreleased = noised_means.with_unseen(
            variation, plan, face_variation.describe_unreleased(variation, plan, self.n, scale), off, chance, parts
        )
        # The reference stands in for the public mean along axes that are not released.
        unreleased = replace(unreleased, errors=np.hypot(unreleased.errors, unreleased.mean))
        whole = with_the_rest(fit, self.functions, self.public, self.variances)
        return Restored(whole, clipped, unreleased)

    def _put_back(
        self, m1: Floats, people: Floats, scale: float, residual: Floats
    ) -> tuple[Fit, Clipped, Floats, Floats]:
        """Return the curve of age with what the clip took of people put back, in turns: (15.6).

        Parameters
        ----------
        m1 : (p, q) float
            The noised sum of u z'.
        people : (g,) float
            How many lie at each of `functions.places`.
        scale : float
            How many times as far as public people they lie about the curve.
        residual : (q,) float
            Their variances about it.

        Returns
        -------
        fit : Fit
            Of the functions that the sums are of.
        clipped : Clipped
            People at `functions.places`.
        off, noise : (q,) float
            How far their mean over age lies off the public one, in lengths on the face, and the variance of noise on
            that.
        """
        functions, variation, plan = self.functions, self.shaped.variation, self.shaped.plan
        s1, s2, _ = self.moments.noise
        z = functions.at_places
        lengths = self._lengths
        around = scale * clips.list_people_about_mean(variation, plan) * plan.scales / lengths
        public_mean = noised_means.find_public_mean(variation, plan) / lengths - self.public.coefficients[0]
        parts = noised_means.group_axes(variation, plan)
        likely = self._find_chance(scale) * (1 + noised_means.FAR[:, None, None])
        shares, offsets, before = np.ones(len(z)), np.zeros((len(z), len(lengths))), np.inf
        for _ in range(TURNS):
            m2, squared = (z.T * (people * shares)) @ z, (z.T * (people * shares**2)) @ z
            fit = fit_functions(
                m1 - (z.T * people) @ offsets,
                m2,
                self.variances,
                residual,
                functions.kappa,
                s1,
                MENDED * s2,
                squared,
                float(np.average(shares, weights=people)),
            )
            away = fit.coefficients[0] - public_mean
            noise = lengths**2 * s1**2 * np.sum(np.linalg.inv(m2)[0] ** 2)
            kept, _ = noised_means.find_likely_shares(lengths * away, likely, noise, parts)
            # A clip takes nothing of noise: the mean over age counts as far as it is seen to lie off.
            means = z @ fit.coefficients - (1 - kept) * away
            clipped = Clipped.about(means, around, self.moments.tau, self.moments.leading)
            shares, offsets = clipped.shares, clipped.means_left - clipped.shares[:, None] * clipped.means
            if np.max(np.abs(clipped.means - before)) <= SETTLED * self.moments.tau:
                break
            before = clipped.means
        return fit, clipped, lengths * away, noise

    def _find_chance(self, scale: float) -> Floats:
        """Return (q,) by how much chance moves the mean along each axis, squared, in lengths on the face."""
        spread = face_variation.public_spread(self.shaped.variation, self.shaped.plan)
        return scale**2 * (1 / self.n + 1 / self.shaped.variation.people) * spread

    @property
    def _lengths(self):
        """Return how far one of each u leads on the face, (q,)."""
        return self.shaped.plan.scales * self.shaped.plan.tau / self.shaped.bound

    def _find_scale(self, m1: Floats, m3: Floats, people: Floats) -> float:
        """Return how many times as far as public people these lie about the curve, by M3, beforehand likely once.

        Of people who are all beyond the bound M3 tells little of that: what is likely beforehand then decides.
        """
        answer, bands = float(np.trace(m3.sum(axis=0))) / self.n, len(m3)
        noise = self.moments.noise[2] * math.sqrt(bands * self.moments.leading) / self.n
        sd = np.linalg.norm([noise, noised_means.UNSURE * answer, UNEVEN * answer / math.sqrt(self.n)])

        def judge(log_scale: float) -> float:
            scale = math.exp(log_scale)
            _, clipped, *_ = self._put_back(m1, people, scale, scale**2 * self.variances)
            excess = float(np.average(clipped.squares, weights=people)) - answer
            return (excess / sd) ** 2 + (log_scale / LIKELY_WIDTH) ** 2

        ends = tuple(np.log(noised_means.REACHES))
        return math.exp(scipy.optimize.minimize_scalar(judge, bounds=ends, method="bounded", options=FINELY).x)

    def fields(self, curve: Floats, doubt: Floats, spread: Floats, unseen: Floats) -> dict[str, Any]:
        """Return what the released file holds, in unit-area faces: the public curve with the deviation from it."""
        shaped, full = self.shaped, self.public.functions
        shape, coefficients = self.center.shape, self.public.coefficients + curve
        last = np.arange(full.count - 1, full.size, full.count)
        covariances = doubt.copy()
        covariances[:, last, last] += self.public.beyond * self.variances[:, None] / full.kappa[last] ** 2
        basis = scale_axes(shaped.back, shaped.axes)
        even = full.at(full.ages, np.zeros(FINE)).mean(axis=0)
        return {
            "reference": self.center,
            "curves": self.center + (even @ coefficients @ basis).reshape(shape),
            "knots": np.array(full.knots),
            "degree": self.functions.degree,
            "directions": basis.reshape((-1, *shape)),
            "coefficients": coefficients,
            "covariances": covariances,
            "spread": spread,
            "outside": find_beyond_axes(shaped.variation, shaped.plan.axes),
            "unseen": unseen,
            "people": self.n,
        }

    def _spread(self, restored: "Restored", m3: Floats, people: Floats) -> Floats:
        """Return (b, q, q) people's spread about the curve in each band of age, from which centiles are drawn.

        What bands share is solved for, what the mean of clipped people contributes is taken off, what the clip took of
        their spread is put back, and each entry is drawn towards public people's, brought to this cohort's size, as far
        as noise asks for it. A band counts for that size by the people
        in it: what an empty one says of them is noise.
        """
        functions, leading, s3 = self.functions, self.moments.leading, self.moments.noise[2]
        fit, clipped = restored.fit, restored.clipped
        ages, _ = functions.places
        w, z = functions.weights(ages), self.public.functions.at(*functions.places)
        mean = clipped.means_left[:, :leading]
        of_mean = np.einsum("gb,gk,gl->bkl", w * people[:, None], mean, mean)
        known = np.einsum("na,qab,nb->nq", z, fit.covariances, z)[:, :leading]
        unsure = np.einsum("gb,gk->bk", w * (people * clipped.shares**2)[:, None], known)
        counts = w.T @ people
        left = np.sqrt((w.T * people) @ clipped.variances_left / np.maximum(counts, 1e-300)[:, None])
        put_back = left[:, :, None] * left[:, None]
        together = np.linalg.inv((w.T * people) @ w + 1e-3 * self.n * np.eye(w.shape[1]))
        raw = np.einsum("bc,ckl->bkl", together, m3 - of_mean - unsure[:, :, None] * np.eye(leading)) / put_back
        noise = s3**2 * np.sum(together**2, axis=1)[:, None, None] * np.where(np.eye(leading) > 0, 1.0, 0.5)
        public = self.variances[:leading]
        diagonal = np.einsum("b,bkk->k", counts / counts.sum(), raw)
        size = float(np.clip(diagonal @ public / (public @ public), 0.1, 10.0))
        target = size * np.diag(public)
        sizes = np.broadcast_to(np.outer(public, public), raw.shape)
        noise = noise / put_back**2
        omega, _ = estimate_share(raw - target, noise, sizes)
        drawn_to_public = target + (raw - target) * omega * sizes / (omega * sizes + noise)
        spread = np.tile(np.diag(size * self.variances), (len(raw), 1, 1))
        # The nearest matrix that is no less than the square of this root in any direction.
        root = np.sqrt(np.diag(LEAST_SPREAD * target))
        values, vectors = np.linalg.eigh(drawn_to_public / np.outer(root, root))
        nearest = (vectors * np.maximum(values, 1.0)[:, None]) @ vectors.transpose(0, 2, 1)
        spread[:, :leading, :leading] = np.outer(root, root) * nearest
        return spread


@dataclass(frozen=True)
class Restored:
    """A growth with what the clip took put back: fit, of all public functions; clipped : people at `Functions.places`;
    unreleased : what is not released of the mean.
    """

    fit: Fit
    clipped: Clipped
    unreleased: face_variation.UnreleasedPart


# Turns in which what the clip took is found, at most, and the share of the bound below which the last changed nothing.
TURNS, SETTLED = 30, 1e-3
# Share by which people may lie farther from each other than they are taken to: what is put back is in doubt by that.
DOUBT = 0.08
# Standard deviation, beforehand, of the logarithm of how many times as far as public people these lie; how finely it is
# sought.
LIKELY_WIDTH, FINELY = 0.25, {"xatol": 0.02}
# Standard deviation of people's squared lengths, as a share of their mean.
UNEVEN = 0.5
# Share of public people's variance that people have along an axis at least.
LEAST_SPREAD = 0.02
# Share of the noise on M2 that is about left once `find_possible_moments` has taken the nearest moments of people.
MENDED = 0.6
# Public people for each function of age, below which nothing is learned of their growth.
LEAST = 4


def spread_along(variation: Any) -> Floats:
    """Return the variances (a,) of public people along all axes, none of them 0."""
    return np.maximum(variation.variances, 1e-6 * variation.variances.max())


def choose_functions(variation: Any, n: int, mu: float, public_curve: Public) -> tuple[Functions, int]:
    """Return the functions of age and the axes to release: those with the least foretold error of the mean over age.

    Refused where that releases no mode of the public set: it would be the public curve, called the people's.

    Returns
    -------
    functions : Functions
    at : int
        Index into `variation.tried`.
    """
    tried = [replace(public_curve.functions, degree=degree) for degree in range(1, DEGREE + 1)]
    errors = [forecast_errors(variation, n, mu, functions, public_curve) for functions in tried]
    best = int(np.argmin([of_degree.min() for of_degree in errors]))
    at = int(errors[best].argmin())
    if not np.any(variation.tried[0][at, : len(variation.modes)]):
        raise RefusedRelease(
            f"growth of {n} people at mu = {mu:g}: noise would leave no mode of the public set; ask for a mean, a "
            "larger mu, or more people"
        )
    return tried[best], at


def forecast_errors(variation: Any, n: int, mu: float, functions: Functions, public_curve: Public) -> Floats:
    """Return (c,) squared errors a point of the mean face over even ages, by which functions and axes are chosen.

    They are of each of `variation.tried`, in unit-area faces. Function j along axis i leaves the Wiener filter's omega
    v V/(omega v + V), V by noise and chance; an axis that is not released leaves omega v.
    """
    kept, tau = variation.tried
    moments = GrowthMoments.for_functions(n, 1, 1, 1.0, mu, SHARES / SHARES.sum(), functions)
    omegas, missing = public_curve.forecast_omegas(functions)
    v, root, (inside, outside) = spread_along(variation), np.sqrt(variation.moments), variation.pull(n, True)
    total = np.full(len(tau), outside + missing * v.sum()) + (1 - kept) @ inside
    for j, (omega, kappa) in enumerate(zip(omegas, functions.kappa, strict=True)):
        known = np.square(moments.noise[0] * tau / (n * kappa))[:, None] * root + v / n
        total += np.sum(kept * (known if j == 0 else omega * v * known / (omega * v + known)), axis=1)
        total += (1 - kept) @ v * (omega if j else 0.0)
    return total
