"""Sums of bounded vectors on an integer grid: exact in any order, so that no rounding can leak or add up.

Each person's coordinates are cut towards zero on a grid of bound/2^24, so that a person's integer vector is no longer
than 2^24: made so in integers. A row with a number that is not finite counts as zero, the reference: cast to an
integer it would be -2^63, whose square is 0 in 64 bits and would pass the check. Noise on the sums is OpenDP's
discrete Gaussian: docs/mathematics.md, (4.1), (4.2) and (4.3).

First and second moments of people's coordinates and covariates under one budget: what a face model is made from.
Person i has coordinates u (q,), ||u|| <= tau, and covariates a in [-1, 1]^p; z = (1, kappa a), kappa public, and
kappa a shortened where it is longer than a public bound, so that ||z||^2 <= zeta^2, 1 + sum kappa^2 or less. Released
are three sums over people, with independent Gaussian noise on each entry:

    M1 = sum z u'       M2 = sum z z' but for its entry (1, 1), which is n       M3 = sum v v', v = the first q' of u

A symmetric matrix is counted by its upper triangle, off-diagonals times sqrt 2, so that its norm is Frobenius'. All
sums are of whole numbers (u on a grid of tau/2^20, z on 2^-10): docs/mathematics.md, (12.1) and (12.2).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy import noise
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.privacy.accounting.sensitivity import ROUNDED_UP
from shapedp.privacy.statistic import Rows

# Steps from 0 to the bound.
GRID = 1 << 24
SENSITIVITY = 2 * GRID
# A share of mu that covers the rounding of squares and their root.
DIGITS = 2.0**-50
# Scale of the rounding at random in the proof.
ROUNDED = 2
# Standard deviation on a sum in units in which the bound is mu: mu = 2 bound/noise.
NOISE = 2.0


def to_grid(coordinates: NDArray[np.float64], bound: float) -> NDArray[np.int64]:
    """Return integer rows (n, N) no longer than GRID, so that sums are exact and no record moves them by more.

    They are of coordinates no longer than `bound` up to rounding. A row that is longer all the same, by a fault of
    whoever should have clipped it, is cut back to the bound here.

    Parameters
    ----------
    coordinates : (n, N) float
        One row a person, whatever it holds; one that is not finite counts as zero.
    bound : float
        On a row's length, in the coordinates' unit.

    Returns
    -------
    (n, N) int64
    """
    with np.errstate(over="ignore", invalid="ignore"):
        steps = coordinates * (GRID / bound)
    # cast to an integer, what is not finite would be -2^63, whose square is 0 in 64 bits and would pass the check
    steps[~np.isfinite(steps).all(axis=1)] = 0.0
    # In floating point, since the squares of whole numbers may not fit into 64 bits.
    with np.errstate(over="ignore"):
        is_far = np.einsum("ij,ij->i", steps, steps, dtype=float) > (1 + 2.0**-38) * GRID**2
        steps[is_far] *= (GRID / np.linalg.norm(steps[is_far], axis=1))[:, None]
    whole_steps = np.trunc(steps).astype(np.int64)
    is_longer = np.einsum("ij,ij->i", whole_steps, whole_steps) > GRID**2
    # Only by rounding in the clip: what is longer by more than a hair was cut above.
    while is_longer.any():
        steps[is_longer] *= 1 - 2.0**-40
        whole_steps[is_longer] = shorter_steps = np.trunc(steps[is_longer]).astype(np.int64)
        is_longer[is_longer] = np.einsum("ij,ij->i", shorter_steps, shorter_steps) > GRID**2
    return whole_steps


@cache
def gaussian_scale(sensitivity: float, mu: float) -> float:
    """Return the scale of discrete Gaussian noise that makes sums of integers mu-GDP up to `eta`, rounded up.

    It is the least double s >= sqrt((sensitivity/mu)^2 + ROUNDED^2).
    """
    least_square = (Fraction(sensitivity) / Fraction(mu)) ** 2 + ROUNDED**2
    # doubles round: start surely below the root, and go up until its square is large enough in fractions
    scale = math.sqrt(float(least_square)) * (1 - 2.0**-50)
    while Fraction(scale) ** 2 < least_square:
        scale = math.nextafter(scale, math.inf)
    return scale


@cache
def rho(sensitivity: float, scale: float) -> float:
    """Return rho of zCDP that discrete Gaussian noise of this scale spends, never below what OpenDP certifies.

    It is sensitivity^2/(2 scale^2), rounded up by as much as OpenDP rounds it up, and more.

    Parameters
    ----------
    sensitivity : float
        Of the integers, in the Euclidean norm.
    scale : float
        Standard deviation of the discrete Gaussian noise on each.
    """
    return float((Fraction(sensitivity) / Fraction(scale)) ** 2 / 2) * (1 + 2.0**-48)


def eta(count: int, scale: float) -> float:
    """Return eta, by which the drawn discrete noise may miss the mu-GDP of real Gaussian noise: statements give it.

    It is the largest log ratio of two densities. The one noise is discrete Gaussian, of this scale, on `count`
    integers; the other is Gaussian, rounded by discrete Gaussian noise of scale ROUNDED. At no point do the two differ
    by more than the factor e^eta.
    """
    return count * (math.log1p(_excess(scale)) - math.log1p(-_excess(ROUNDED)))


def _excess(scale):
    """Return how unlike real Gaussian noise discrete noise of a scale may be, a bound of which `eta` is made.

    It bounds by how much the sum of exp(-(k - x)^2/(2 scale^2)) over the integers k varies as x moves, relative to its
    mean.
    """
    return 2 * math.exp(-2 * math.pi**2 * scale**2) / -math.expm1(-6 * math.pi**2 * scale**2)


def gaussian_cost(mu: float, *stages: tuple[int, float, float]) -> Cost:
    """Return what a release by stages of Gaussian noise spends, for the ledger: mu, with certified rho and eta.

    A stage is (count of integers, their sensitivity, mu of the stage).
    """
    scales = [(count, moved, gaussian_scale(moved, share)) for count, moved, share in stages]
    return Cost(
        GAUSSIAN,
        mu=mu,
        rho=sum(rho(moved, scale) for _, moved, scale in scales),
        eta=sum(eta(count, scale) for count, _, scale in scales),
    )


def noised_mean(
    sums: NDArray[np.int64], bound: float, n: int, mu: float, source: Any
) -> tuple[NDArray[np.float64], float]:
    """Return the mean's coordinates with the noise that makes their sum mu-GDP, and the rho certified of it.

    Parameters
    ----------
    sums : (N,) int64
        Exact sums of rows as `to_grid` makes them.
    bound : float
        That the rows were held to; its unit is that of the result.
    n : int
        People, public.
    mu : float
        Of Gaussian differential privacy.
    source : SecureNoise or SeededNoise
        The noise.

    Returns
    -------
    mean : (N,) float
        Coordinates with noise.
    rho : float
        Of zCDP.
    """
    noised, certified_rho = source.gaussian_integers(sums, gaussian_scale(SENSITIVITY, mu), SENSITIVITY)
    return noised * (bound / GRID / n), certified_rho


def sum_people(mechanism: Any, read_rows: Callable[[int, int], NDArray[np.float64]], n: int) -> NDArray[np.int64]:
    """Return the exact sum (N,) of people's integers, to which experiments add noise many times; private.

    A group whose members are private may have any number of people, none included: that must not show as an error.

    Parameters
    ----------
    mechanism : CurveMechanism
        Whose integers are summed.
    read_rows : callable
        (start, stop) -> their curves (stop - start, J, 3, m), a few at a time.
    n : int
        How many people there are.
    """
    return mechanism.sums(Rows(n, read_rows)).values[0]


def ask_first_stage(
    mechanism: Any, read_rows: Callable[[int, int], NDArray[np.float64]], n: int, source: Any
) -> tuple[Any, NDArray[np.int64]]:
    """Return (mechanism, exact sum) for `draw`, the first stage asked and noised: for comparisons that none publishes.

    Parameters
    ----------
    mechanism : CurveMechanism
        Before its first stage.
    read_rows : callable
        (start, stop) -> people's curves (stop - start, J, 3, m), a few at a time.
    n : int
        How many people there are.
    source : SecureNoise or SeededNoise
        The noise of the first stage.
    """
    first, people = mechanism.first_stage(), Rows(n, read_rows)
    answers = () if first is None else (first.noised(first.sums(people), source),)
    mechanism_after = mechanism.with_bound_from(answers)
    return mechanism_after, mechanism_after.sums(people).values[0]


# Steps from 0 to tau, and from 0 to 1.
U_GRID, Z_GRID = 1 << 20, 1 << 10
# People, so that sums of products of two u stay within 62 bits.
MOST_IN_MODEL = 1 << 21


@dataclass(frozen=True)
class Moments:
    """The three sums that a model is made from, and the noise on them; see the module.

    n : people; q : coordinates, of which the first `leading` enter M3; tau : bound on ||u||
    kappa : (p,) weights of the covariates; longest : ||kappa a|| beyond which it is shortened
    mu : of Gaussian differential privacy, for all three together
    shares : (3,) how mu^2 is split among M1, M2, M3; positive, or 0 for one that is not released
    """

    n: int
    q: int
    leading: int
    tau: float
    kappa: np.ndarray
    mu: float
    shares: np.ndarray
    longest: float = math.inf

    def __post_init__(self):
        if not 2 <= self.n <= MOST_IN_MODEL:
            raise RefusedRelease(f"a model is made from 2 to {MOST_IN_MODEL} people, got n = {self.n}")
        if not 0 < self.leading <= self.q:
            raise RefusedRelease(f"modes come from 1 to q = {self.q} coordinates, got {self.leading}")
        if np.shape(self.shares) != (3,) or np.min(self.shares) < 0 or not np.sum(self.shares) > 0:
            raise RefusedRelease(f"the budget is split by three shares that are not negative, got {self.shares}")
        if not (self.mu > 0 and np.isfinite(self.mu) and self.tau > 0 and np.isfinite(self.tau)):
            raise RefusedRelease(f"mu and tau must be positive numbers, got {self.mu} and {self.tau}")

    @property
    def covariates(self) -> int:
        """Return how many covariates stand beside a person's row."""
        return self.p

    @property
    def p(self) -> int:
        """Return how many covariates there are."""
        return len(self.kappa)

    @property
    def zeta(self) -> float:
        """Return the bound on a person's ||z||."""
        return float(np.sqrt(1 + min(np.sum(self.z_weights[1:] ** 2), self.longest**2)))

    @cached_property
    def z_weights(self) -> NDArray[np.float64]:
        """Return 1 and kappa (1 + p,), on the grid of z."""
        return np.concatenate([[1.0], np.trunc(np.asarray(self.kappa, dtype=float) * Z_GRID) / Z_GRID])

    @property
    def alone(self) -> NDArray[np.float64]:
        """Return the sensitivity (3,) of M1, M2, M3, each by itself."""
        zeta, tau = self.zeta, self.tau
        return np.array([2 * zeta * tau, np.sqrt(2) * zeta**2, np.sqrt(2) * tau**2])

    @cached_property
    def noise(self) -> NDArray[np.float64]:
        """Return the noise that makes the three sums mu-GDP together: its sd (3,) on diagonal entries of M1, M2, M3.

        Off the diagonal it is 1/sqrt 2 of that; inf where a sum is not made.
        """
        shares = np.array(self.shares, dtype=float)
        if not self.p:
            # Without covariates M2 is n, which is public.
            shares[1] = 0.0
        weights = np.sqrt(shares / shares.sum()) / self.alone
        with np.errstate(divide="ignore"):
            return self.joint(weights) / (weights * self.mu) * ROUNDED_UP

    def joint(self, weights: ArrayLike) -> float:
        """Return by how much one person moves the weighted sums; sums of other products bound it otherwise."""
        return joint_sensitivity(weights, self.zeta, self.tau)

    @property
    def steps(self) -> NDArray[np.float64]:
        """Return the steps (3,) of the grids that M1, M2 and M3 lie on."""
        step_u, step_z = self.tau / U_GRID, 1 / Z_GRID
        return np.array([step_z * step_u, step_z**2, step_u**2])

    def integers(
        self, u: NDArray[np.float64], covariates: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return people's coordinates and covariates as bounded whole numbers, so that none moves the sums farther.

        They are (whole u (n, q) no longer than U_GRID, whole z (n, 1 + p)), for any input.
        """
        u = np.array(u, dtype=float)
        # A row so long that its length is no number counts as 0.
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.sqrt(np.einsum("ij,ij->i", u, u))
            u = u * np.minimum(1.0, self.tau / np.maximum(lengths, 1e-300))[:, None]
        fine_steps = to_grid(u, self.tau)
        whole_u = np.sign(fine_steps) * (
            np.abs(fine_steps) // (GRID // U_GRID)
        )  # cut towards zero: no row grows longer
        y = self.weigh_covariates(np.asarray(covariates, dtype=float), len(whole_u))
        if math.isfinite(self.longest):
            # A hair below the bound, so that rounding never lifts a shortened row above it.
            limit = self.longest * (1 - 2.0**-40)
            y = y * np.minimum(1.0, limit / np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-300))
        z = np.column_stack([np.ones(len(y)), y])
        return whole_u, np.trunc(z * Z_GRID).astype(np.int64)

    def weigh_covariates(self, covariates: NDArray[np.float64], count: int) -> NDArray[np.float64]:
        """Return kappa a (count, p), before it is shortened; what is no number counts as 0."""
        return np.clip(np.nan_to_num(covariates.reshape(count, self.p), nan=0.0), -1, 1) * self.z_weights[1:]

    def sums(self, u: NDArray[np.float64], covariates: NDArray[np.float64]) -> list[NDArray[np.int64]]:
        """Return the three exact sums over some people, before noise: private; those of parts of a cohort add up."""
        whole_u, z = self.integers(u, covariates)
        v = whole_u[:, : self.leading]
        return [z.T @ whole_u, z.T @ z, v.T @ v]

    @cached_property
    def scales(self) -> NDArray[np.float64]:
        """Return the scales (3, 2), in steps, that noise is drawn with for a model's sums: on the diagonal and off.

        They contain what the rounding at random of the proof takes; inf where a sum is not made.
        """
        return np.sqrt(np.outer(self.noise / self.steps, [1.0, np.sqrt(0.5)]) ** 2 + ROUNDED**2)

    def cost(self) -> Cost:
        """Return mu-GDP, with eta of all entries; rho is mu^2/2, since none of the three is bounded by itself."""
        scales = zip(self.counts, self.scales.min(axis=1), strict=True)
        return Cost(GAUSSIAN, mu=self.mu, eta=sum(eta(count, scale) for count, scale in scales if scale < np.inf))

    @property
    def counts(self) -> list[int]:
        """Return how many entries of each of the three sums carry noise."""
        return [(1 + self.p) * self.q, math.comb(2 + self.p, 2), math.comb(1 + self.leading, 2)]

    def check_certified(self) -> None:
        """Refuse to draw where the noise that OpenDP certifies would not give the mu that the model claims."""
        # 1 over the standard deviations that OpenDP certifies, in units of the sums.
        weights = np.zeros(3)
        for c, step in enumerate(self.steps):
            for scale, factor in zip(self.scales[c], (1.0, np.sqrt(0.5)), strict=True):
                if np.isfinite(scale):
                    variance = 1 / (2 * noise.certified_rho(float(scale), 1.0)) - ROUNDED**2
                    weights[c] = max(weights[c], factor / (step * np.sqrt(variance)) if variance > 0 else np.inf)
        certified_mu = self.joint(weights)
        if not certified_mu <= self.mu:
            raise RefusedRelease(
                f"OpenDP certifies mu = {certified_mu:.15g} for the moments, the model claims {self.mu:.15g}; "
                "nothing drawn"
            )

    def draw(self, sums: list[NDArray[np.int64]], source: Any) -> list[NDArray[np.float64]]:
        """Return the three sums with noise, in the units of z and u: all that a model is made from.

        They are M1 (1 + p, q), M2 (1 + p, 1 + p) and M3 (q', q').
        """
        self.check_certified()
        noised = [self.noised(c, whole, source) for c, whole in enumerate(sums)]
        # The entry (1, 1) of M2 counts people: it is public and bears no noise.
        noised[1][0, 0] = self.n * Z_GRID**2
        return [whole * step for whole, step in zip(noised, self.steps, strict=True)]

    def noised(self, c: int, whole: NDArray[np.int64], source: Any) -> NDArray[np.float64]:
        """Return one of the three sums with noise on every entry, in steps; zeros where it is not released.

        c : which. Of M2 and M3 (c = 1, 2) noise is drawn on the upper triangle, which the lower one repeats.
        """
        noised, scales = np.zeros(whole.shape), self.scales[c]
        if not np.isfinite(scales[0]):
            return noised
        if c == 0:
            return source.gaussian_integers(whole.ravel(), scales[0], 1)[0].reshape(whole.shape).astype(float)
        for entries, scale in zip((np.diag_indices(len(whole)), np.triu_indices(len(whole), 1)), scales, strict=True):
            if len(entries[0]):
                noised[entries] = source.gaussian_integers(whole[entries], scale, 1)[0]
                noised[entries[::-1]] = noised[entries]
        return noised


def joint_sensitivity(weights: ArrayLike, zeta: float, tau: float) -> float:
    """Return how far one person moves the three weighted sums together: their noise is scaled to it.

    It is Delta of docs/mathematics.md, (12.2).

    Parameters
    ----------
    weights : (3,) float
        Of M1, M2, M3.
    zeta, tau : float
        Bounds on ||z|| and ||u|| of a person.
    """
    return float(np.sqrt(joint_square(np.asarray(weights, dtype=float) ** 2, zeta, tau)))


def joint_square(squares: Any, zeta: Any, tau: Any) -> Any:
    """Return the square of `joint_sensitivity`, of the weights' squares: exact of fractions, as proofs take it."""
    w1, w2, w3 = squares

    def moved_square(rho, d):
        return 2 * w1 * tau**2 * (zeta**2 - rho * d) + 2 * w2 * (zeta**4 - rho**2) + 2 * w3 * tau**4 * (1 - d**2)

    def clip(x, least, most):
        return min(max(x, least), most)

    # z begins with 1, so that the product z'z of two people is at least 1 - (zeta^2 - 1).
    low, high = 2 - zeta**2, zeta**2
    # The square is quadratic in each of rho and d: its largest value is where its slope is 0, or at an end.
    places = [(clip(0, low, high), 0), *((rho, d) for rho in (low, high) for d in (-1, 1))]
    if w2 > 0:
        places += [(clip(-w1 * tau**2 * d / (2 * w2), low, high), d) for d in (-1, 1)]
    if w3 > 0:
        places += [(rho, clip(-w1 * rho / (2 * w3 * tau**2), -1, 1)) for rho in (low, high)]
    return max(moved_square(rho, d) for rho, d in places)
