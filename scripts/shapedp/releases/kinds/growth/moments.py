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
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.integer_sums import U_GRID, Z_GRID, Moments, joint_sensitivity
from shapedp.privacy.learned import clips, face_variation, likely_shares, noised_means
from shapedp.privacy.proofs import Proofs
from shapedp.privacy.statistic import Source
from shapedp.releases.kinds.growth.clipped import Clipped
from shapedp.releases.kinds.growth.functions import DEGREE, FINE, Floats, Functions
from shapedp.releases.kinds.growth.likelihood import Fit, estimate_share, find_possible_moments, fit_functions
from shapedp.releases.kinds.growth.public_growth import Public, Seen, spread_along, with_the_rest
from shapedp.releases.model.model_mechanism import OfMoments, find_beyond_axes, scale_axes

# Steps of u in M3: on the grid of tau/2^15 the sums of products by band stay within 62 bits.
COARSER = 1 << 5


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


# Of mu^2 for M1, M2 and M3: M2 for a quarter of M1's costs M1 nothing.
SHARES = np.array([4.0, 1.0, 0.5])
# Axes of the spread: along further ones people's spread is taken to be public people's.
MOST_AXES = 40
# Modes by which public people tell how much age explains, before the axes are chosen.
LOOKED = 40


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
        chance, parts = self._find_chance(scale), likely_shares.group_axes(variation, plan)
        off = likely_shares.find_shares_beyond_chance(off, chance, noise, parts) * off
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
        parts = likely_shares.group_axes(variation, plan)
        likely = self._find_chance(scale) * (1 + likely_shares.FAR[:, None, None])
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
            kept, _ = likely_shares.find_likely_shares(lengths * away, likely, noise, parts)
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
