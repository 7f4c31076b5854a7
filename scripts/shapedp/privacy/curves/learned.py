"""The whole face released in coordinates shaped by public people: noise goes where people differ, and looks like them.

C = sum_i l_i v_i v_i^T is a reproducing kernel on the whole face (curves, angle, coordinate), learned from public
faces. u_i = l_i^(-1/4) <v_i, x - center>, clipped to ||u|| <= tau; noise of standard deviation 2 tau/(n mu) on the mean
of u; back: center + sum_i s_i l_i^(1/4) u_i v_i. This is the paper's RKHS-smoothed mean with that kernel, its filter
s_i on coordinate i (`variation.face_variation`). Why l^(1/4): with E||u||^2 = sum l_i w_i for weights w_i of the clip,
noise sum 1/w_i, Cauchy-Schwarz gives (sum l_i w_i)(sum 1/w_i) >= (sum sqrt l_i)^2, reached at w_i = l_i^(-1/2).

Privacy: a public linear map before the clip and one after the noise; one person moves the sum of u by at most 2 tau,
whatever C is. How good C is decides only how much noise is needed. Where n and mu allow it, tau is widened first by a
noised answer to how far people lie: both stages together are mu-GDP.

The first stage. No public number can tell how far a cohort lies that is unlike the public set. A cohort that lies
farther from the reference than public people from each other would be clipped on one side, and its mean with it; one
that lies nearer would bear more noise than it need. So a small share of mu^2 buys the mean over people of a number a
between 0 and 1, which grows with log(||u||/tau), u a person's coordinates before the clip (`clips.score_lengths`).
Public people tell how many times as far as they this cohort lies, and the bound follows (`clips.replan`). One
person moves the sum of 2a - 1 by at most 2; given its noised value the bound is a number, so the two stages compose:
mu^2 = mu_1^2 + mu_2^2. What they cost is decided in advance: SHARE of mu^2 at most, and nothing where n and mu are too
small to tell a factor of exp(COARSEST) beyond the bound.

Whether a cohort differs from the public set is told from its release alone, by post-processing. The public set's people
hardly differ along harmonics. Released harmonic i of a cohort like them is normal about the public mean's m_i, with
variance v_i (1/n + 1/p) by the chance in who takes part and in who was public, and with the noise's own. Far above what
chance allows, the sum of z_i^2 = (x_i - m_i)^2 / (that variance) says that the cohort is another one. People's
harmonics move together, so that this sum is no chi-square of as many degrees as there are harmonics, k: with S the
covariance of z, its mean is k and its variance 2 ||S||^2, those of k/f times a chi-square of f = k^2/||S||^2 degrees
(Satterthwaite).

Proofs: docs/mathematics.md, (11.1) to (11.9).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy import integer_sums, worth
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.privacy.curves.base import NOISE, CurveMechanism
from shapedp.privacy.learned import clips, face_variation, likely_shares, noised_means
from shapedp.privacy.proofs import Proofs
from shapedp.privacy.statistic import BoundedSum, Sums


@dataclass(frozen=True)
class Shaped(CurveMechanism):
    """The mechanism on the whole face in coordinates shaped by public people; see the module.

    center : (J, 3, m); gain, back : (k,), along the axes, which are orthonormal in the mean over the points
    plan : what the planner chose; modes : how many of the axes are modes, the rest are harmonics
    variation : what was learned of public people

    first : mu_1 of the first stage, 0 where there is none; spread_answer : what it told, None before it
    bound_scale : how many times as far as public people these lie by it
    at_full_bound : the same with that bound, not lowered

    mean_shift, errors : (k,) what `decoder_for` adds along the axes, and the standard deviations by which they err then
    shrink_shares : (least, largest) of what is seen beside the public mean, that it kept
    largest_undo_factor : the largest factor by which it put back what the clip took
    unreleased : what is not released of the mean, once it is corrected
    """

    center: np.ndarray
    gain: np.ndarray
    back: np.ndarray
    plan: face_variation.ReleasePlan
    modes: int
    variation: object
    first: float = 0.0
    spread_answer: clips.SpreadAnswer | None = None
    bound_scale: float | None = None
    at_full_bound: "Shaped | None" = None
    mean_shift: np.ndarray | None = None
    errors: np.ndarray | None = None
    shrink_shares: tuple[float, float] | None = None
    unreleased: face_variation.UnreleasedPart | None = None
    largest_undo_factor: float | None = None

    clip = staticmethod(clips.clip_to_nearest)
    proofs = Proofs(("11", "test_learned"), machine_checked=("2.5", "2.7", "3.3", "4.1", "4.3", "11.1", "11.4"))
    name = "shaped"
    label = "shaped like public people"
    words = (
        "Gaussian noise on the whole mean face at once, shaped as public faces differ: the smoothed mean in the space "
        "of a kernel learned from public faces, with the smoothing chosen by the planner; with enough people, first "
        "and with noise of its own, how far they lie beside public people, which the bound follows"
    )
    formula = (
        "2 tau/n for the whole face in the norm sqrt(sum over axes of u^2), records clipped to tau; before it, where "
        "there is a first stage, 1/n for the mean of log(2|u|/tau)/(3 log 2) + 2 log(|u|/tau)/(3 log 16), each "
        "logarithm kept from 0 to where |u| is tau and 16 tau, from which the norm and the tau of the mean follow"
    )
    clipping = "joint_norm"
    budgets = ("mu_total",)
    learns = True
    section = "variation"
    gives_curves = True
    # The axes are turned to double precision once for all of these people.
    at_once = 64
    # Whether noise is taken off by drawing the mean towards the public people's.
    towards_public = True

    @classmethod
    def from_settings(cls, settings: Any) -> Any:
        """Return the mechanism whose axes, clip and shrinkage are chosen from n, mu and public numbers."""
        mu = _mu(settings.budget)
        if settings.planned_for is None:
            first, rest, plan = plan_stages(settings.bounds, settings.n, mu, cls.towards_public)
        else:
            first, rest, plan = plan_part_of_pool(
                settings.bounds, settings.n, mu, settings.planned_for, cls.towards_public
            )
        mechanism = cls.from_plan(settings.bounds, settings.n, rest, plan)
        return replace(mechanism, claimed=mu, first=first)

    @classmethod
    def from_plan(cls, variation: Any, n: int, mu: float, plan: Any) -> Any:
        """Return the mechanism that asks for a mean by this plan, in one stage: of a mean face, a model or a growth.

        Parameters
        ----------
        variation : Variation
            How public people vary.
        n : int
            People, public.
        mu : float
            Of the mean.
        plan : face_variation.ReleasePlan
            Axes, clip and shrinkage.
        """
        return cls(
            n=n,
            bound=mu,
            noise=NOISE,
            claimed=mu,
            center=variation.center,
            **_gain_and_back(plan, mu),
            plan=plan,
            modes=int(np.sum(plan.axes < len(variation.modes))),
            variation=variation,
        )

    @property
    def axes(self) -> NDArray[np.float64]:
        """Return the axes (k, J, 3, m) that are released; a plan alone, as a forecast makes many, copies none."""
        return self.variation.axes(self.plan.axes)

    @property
    def mu(self) -> float:
        """Return mu of both stages together."""
        return math.hypot(super().mu, self.first)

    @property
    def settled_sd(self) -> float | None:
        """Return the standard deviation of the noise on each u, once the bound followed a first stage, or None."""
        return None if self.bound_scale is None else self.noise / self.n * self.plan.tau / self.bound

    def worth(self) -> Any:
        """Return the worth.Worth of the release, beside the reference alone."""
        return worth.judge_mean_face(self.variation, self.plan, self.n)

    def noise_stages(self) -> list[tuple]:
        """Return what each stage adds noise to, the first one where there is one."""
        return [*([(1, integer_sums.SENSITIVITY, self.first)] if self.first else []), *super().noise_stages()]

    @property
    def loose(self) -> float:
        """Return the bound over the public quantile."""
        return self.plan.loose

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Return (k,)."""
        return self.gain.shape

    def first_stage(self) -> Any:
        """Return the question how far people lie, where that is asked first; otherwise None."""
        return SpreadQuestion(self) if self.first else None

    def with_bound_from(self, answers: tuple) -> Any:
        """Return the mechanism with the bound that suits this cohort, by its noised answer how far people lie.

        What is left to spend is the second stage's.
        """
        if not self.first:
            return self
        spread_answer = clips.SpreadAnswer(float(answers[0][0]), 1 / (self.n * self.first), self.plan)
        scale = spread_answer.scale_from_lengths(
            face_variation.public_lengths(self.variation, self.plan) / self.plan.tau
        )
        at_full_bound = self.clipped_to(clips.widen_plan(self.plan, scale))
        at_full_bound = replace(at_full_bound, first=0.0, spread_answer=spread_answer, bound_scale=scale)
        plan = clips.replan(self.variation, self.plan, self.n, scale)
        return replace(at_full_bound.clipped_to(plan), at_full_bound=at_full_bound)

    def decoder_for(self, mean_coordinates: NDArray[np.float64]) -> Any:
        """Return the mechanism that decodes the noised mean, with what the clip took put back and noise taken off.

        Both are done as far as they follow from this noised mean and public people.
        """
        correction, scales = self.undo_clip(mean_coordinates, self.towards_public), self.plan.scales
        unreleased = face_variation.describe_unreleased(self.variation, self.plan, self.n, correction.scale)
        return replace(
            self,
            back=scales * correction.factors * self.plan.tau / self.bound,
            mean_shift=scales * correction.moved,
            errors=scales * correction.errors,
            shrink_shares=(float(correction.shares.min()), float(correction.shares.max()))
            if self.towards_public
            else None,
            unreleased=unreleased if self.towards_public else None,
            largest_undo_factor=correction.undone,
        )

    def undo_clip(self, mean_coordinates: NDArray[np.float64], shrinks: bool) -> noised_means.RestoredMean:
        """Return the noised mean, as u, with what the clip took of far people put back as public people tell it.

        With `shrinks` it is drawn towards the public people's mean, too.
        """
        u, sd = self.to_clip_units(mean_coordinates)
        return noised_means.restore_mean(
            self.variation,
            self.plan,
            self.n,
            u,
            sd,
            shrinks=shrinks,
            reach_answer=self.spread_answer,
            like=likely_shares.LIKE if shrinks else None,
        )

    def to_clip_units(self, mean_coordinates: NDArray[np.float64]) -> tuple[NDArray[np.float64], Any]:
        """Return (u of a noised mean, standard deviation of its noise), as of people who are clipped to tau."""
        unit = self.plan.tau / self.bound
        return mean_coordinates * unit, self.noise * unit / self.n

    def clipped_to(self, plan: face_variation.ReleasePlan) -> Any:
        """Return the mechanism with another bound on the same axes, and its noise with it."""
        return replace(self, **_gain_and_back(plan, self.bound), plan=plan)

    def lengths(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ||u||/tau (...,) of people's curves (..., J, 3, m), before the clip."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.linalg.norm(self.gain * self.measure_deviations(curves), axis=-1) / self.bound

    def encode(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return people's coordinates u (..., k), clipped to the nearest on the face: what is summed and noised."""
        # Whatever a record holds, the integer grid ends it.
        with np.errstate(over="ignore", invalid="ignore"):
            u = self.gain * self.measure_deviations(curves)
            flat = u.reshape(-1, u.shape[-1])
            return clips.clip_to_nearest(flat, self.bound, self.plan.weights).reshape(u.shape)

    def decode(self, mean_coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return center + the axes times back * u, and what was moved; the public mean along what is not released."""
        released = np.tensordot(self.back * mean_coordinates + self._moved, self.axes, axes=1)
        return self.center + self._not_released + released

    @property
    def lengths_along(self) -> NDArray[np.float64]:
        """Return how far one of each u leads along its axis (k,), before any correction or shrinkage."""
        return self.plan.scales * self.plan.tau / self.bound

    def recover_coordinates(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return u of released curves, the inverse of `decode`."""
        return (self.project_on_axes(curves - self.center - self._not_released) - self._moved) / self.back

    @property
    def _not_released(self):
        """Return the public mean (J, 3, m) along axes that are not released, which stands in for the cohort's there."""
        return 0.0 if self.unreleased is None else self.variation.lay_along(self.unreleased.axes, self.unreleased.mean)

    @property
    def _moved(self):
        """Return what a correction adds along the axes (k,), or 0."""
        return 0.0 if self.mean_shift is None else self.mean_shift

    def point_variances(self) -> NDArray[np.float64]:
        """Return the variance (J, 3, m) by which each coordinate of each point errs, for the stated error and its map.

        Each axis errs by noise of its own: it is the sum of their squares at every point, and what is not released.
        """
        released = np.einsum("k,kjcm->jcm", self.errors_along**2, np.square(self.axes, dtype=float))
        if self.unreleased is None:
            return released
        return released + self.unreleased.point_variances(self.variation)

    @property
    def errors_along(self) -> NDArray[np.float64]:
        """Return the standard deviations (k,) by which a release errs along its axes: stated errors follow from them.

        They are the noise's own until it is corrected.
        """
        return self.noise / self.n * self.back if self.errors is None else self.errors

    def noise_left(self) -> float:
        """Return the noise alone of what is decoded; the axes are orthonormal."""
        return float(np.linalg.norm(self.noise / self.n * self.back))

    def simulate_error(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return (J, 3, m) an invented error of a release, for pictures of how far off it may be.

        It is drawn from an ordinary generator: what is left of the noise, what it hides, and what is not released along
        public axes.
        """
        released = np.tensordot(self.errors_along * rng.standard_normal(self.coordinates), self.axes, axes=1)
        if self.unreleased is None:
            return released
        others = self.unreleased.errors * rng.standard_normal(len(self.unreleased.axes))
        return released + np.tensordot(others, self.variation.axes(self.unreleased.axes), axes=1)

    def differs_from_public_set(self, mean_coordinates: NDArray[np.float64]) -> bool | None:
        """Return whether the noised mean says that the cohort is unlike public people: the statement warns of that.

        It does by its harmonics, or because it lies off the public mean along modes by more than noise and chance; None
        where nothing says it.
        """
        lengths, noise = self.lengths_along * mean_coordinates, self.lengths_along * (self.noise / self.n)
        modes = self.plan.axes < len(self.variation.modes)
        if modes.any():
            u, _ = self.to_clip_units(mean_coordinates)
            correction = self.undo_clip(mean_coordinates, False)
            if noised_means.differs_from_public_mean(self.variation, self.plan, self.n, correction, u, modes):
                return True
        verdict = differs_from_public(self.variation, self.plan, self.n, lengths, noise)
        return False if verdict is None and modes.any() else verdict

    def variances(self) -> NDArray[np.float64]:
        """Return the mean (J, 3) of `point_variances` over the points of each curve."""
        return self.point_variances().mean(axis=-1)

    def worst_pair(self) -> NDArray[np.float64]:
        """Return two people for the audit to tell apart: twice the bound along the first axis, on either side."""
        deviation = 2 * self.bound / self.gain[0] * self.axes[0].astype(float)
        return np.stack([self.center - deviation, self.center + deviation])

    def inputs(self, kernel_settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the statement tells of the plan, by symbol, so that a reader can follow the sensitivity.

        The kernel is learned and has no settings. Told are how many modes and harmonics, and phi of the filter, as the
        planner chose them; w : shares of mu^2 of the two stages.
        """
        del kernel_settings
        return {
            **{"n": self.n, "mu": self.mu, "tau": self.plan.tau, "phi": self.plan.phi},
            **{"modes": self.modes, "harmonics": len(self.axes) - self.modes},
            "w": [(self.first / self.mu) ** 2, (self.bound / self.mu) ** 2],
        }

    def stated_bounds(self) -> tuple:
        """Return the one bound, in the norm of the coordinates u."""
        return (("tau_shaped", self.plan.tau, "1"),)

    def measure_deviations(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return lengths (..., k) along the axes, from where people are clipped about."""
        return self.project_on_axes(curves - self.center)

    def project_on_axes(self, deviations: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return coordinates <v_i, x> (..., k) of deviations (..., J, 3, m) along released axes, before any clip."""
        axes = self.axes.reshape(len(self.axes), -1)
        points = self.axes.shape[1] * self.axes.shape[3]
        flat = deviations.reshape(*deviations.shape[:-3], axes.shape[1])
        return flat @ axes.T.astype(float) / points


def _gain_and_back(plan, bound):
    """Return what takes a face to u that is clipped to a bound, and back, along each axis."""
    scales = plan.scales
    return {"gain": bound / (plan.tau * scales), "back": plan.filters * scales * plan.tau / bound}


def _mu(budget):
    """Return the mu that settings give for the whole face; refuse a budget for each curve, which says nothing here."""
    if "mu_total" not in budget:
        raise RefusedRelease("mechanism `shaped` releases the whole face at once: give its budget as mu_total")
    return float(budget["mu_total"])


@dataclass(frozen=True)
class SpreadQuestion(BoundedSum):
    """The question of the first stage, how far people lie beside public ones; see the module.

    mechanism : Shaped, or the like of landmarks (`shapes.learned`), before this is answered
    """

    mechanism: Any

    width = 1

    @property
    def at_once(self) -> int:
        """Return how many people's rows are made together: as many as of the mean."""
        return self.mechanism.at_once

    def integers(self, rows: NDArray[np.float64], covariates: None = None) -> NDArray[np.int64]:
        """Return whole numbers (b, 1) whose exact sum tells how far people lie: GRID (2a - 1), a their scores."""
        del covariates
        return spread_integers(self.mechanism.lengths(rows))

    def noised(self, sums: Sums, source: Any) -> NDArray[np.float64]:
        """Return the noised answer (1,) to how far people lie, which sets their bound: the mean of their scores a."""
        return noised_spread_answer(sums.values[0], self.mechanism.n, self.mechanism.first, source)[0]

    def cost(self) -> Cost:
        """Return mu_1."""
        return Cost(GAUSSIAN, mu=self.mechanism.first)


# Of mu^2, at most: it makes the noise of the mean 2.6 % larger.
SHARE = 0.05
# Of log 16 times the mean of a, by the noise: a finer answer is worth nothing.
PRECISION = 0.03
# Of the same. With more noise nothing is asked, for n mu below 36.
COARSEST = 0.35


def plan_stages(variation: Any, n: int, mu: float, shrinks: bool = True) -> tuple:
    """Return how to spend mu for the least expected error: on asking how far people lie, on the mean, on which axes.

    Parameters
    ----------
    variation : Variation
        How public people vary.
    n : int
        People of the cohort, public.
    mu : float
        Of both stages together.
    shrinks : bool
        Whether the mean is drawn towards the public people's.

    Returns
    -------
    first, rest : float
        mu_1 and mu_2.
    plan : face_variation.ReleasePlan
        Axes, clip and shrinkage.
    """
    first, rest = split_mu_by_stage(n, mu)
    return first, rest, face_variation.loosen_bound(variation, face_variation.choose(variation, n, rest, shrinks), n)


def split_mu_by_stage(n: int, mu: float) -> tuple:
    """Return (mu_1, mu_2): what the question how far people lie takes of mu, and what it leaves for the mean.

    Parameters
    ----------
    n : int
        People, public.
    mu : float
        Of both stages together.
    """
    first = first_budget(n, mu)
    # The share DIGITS covers the rounding of these squares and their root, so that the two never exceed mu.
    return first, math.sqrt(mu**2 - first**2) * (1 - integer_sums.DIGITS if first else 1)


def plan_part_of_pool(variation: Any, n: int, mu: float, people: int, shrinks: bool = True) -> tuple:
    """Return how n people spend mu if their mean is to be pooled with others': (mu_1, mu_2, plan), as of `plan_stages`.

    `people` are all whose means will be pooled. Axes and clip are those of all of them, so that nothing of what they
    could show together is lost; the shrinkage is that of n.
    """
    if n > people:
        raise RefusedRelease(f"planned_for: {people}; these are {n} people already: plan for no fewer")
    _, _, plan = plan_stages(variation, people, mu, shrinks)
    first, rest = split_mu_by_stage(n, mu)
    # The noise is that of these n people's own mean, although the clip was chosen for all that will be pooled.
    unit = (2 * plan.tau / (n * rest)) ** 2
    return first, rest, face_variation.refilter(variation, plan, n, unit, shrinks)


def first_budget(n: int, mu: float) -> float:
    """Return mu_1, what is worth spending on the question how far people lie; 0 where it is not asked. Public.

    Parameters
    ----------
    n : int
        People, public.
    mu : float
        Of both stages together.
    """
    # A share of mu^2, or less where that would buy a finer answer than is of use.
    first = min(math.log(clips.WIDEST) / (n * PRECISION), math.sqrt(SHARE) * mu)
    return first if math.log(clips.WIDEST) / (n * first) <= COARSEST else 0.0


def spread_integers(lengths: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return whole numbers (n, 1) that say how far people lie, GRID (2a - 1) of ||u||/tau (n,), for an exact sum.

    a is `clips.score_lengths`; the numbers lie between -GRID and GRID.
    """
    # A length that is no number counts as the reference.
    a = np.where(np.isfinite(lengths), clips.score_lengths(lengths), 0.0)
    return integer_sums.to_grid(2 * a[:, None] - 1, 1.0)


def noised_spread_answer(sums: NDArray[np.int64], n: int, first: float, source: Any) -> tuple[float, float]:
    """Return the noised answer to how far people lie, from exact sums, and what is certified of its noise.

    The answer is the mean of a, see `spread_integers`.

    Parameters
    ----------
    sums : (b,) int64
        Sums over people of `spread_integers`.
    n : int
        People, public.
    first : float
        mu_1.
    source : SecureNoise or SeededNoise
        The noise.

    Returns
    -------
    answers : (b,) float
        Means of a with noise.
    rho : float
        Of zCDP.
    """
    mean, rho = integer_sums.noised_mean(sums, first, n, first, source)
    return (mean / first + 1) / 2, rho


# Of false alarms, were the public variances exact.
LEVEL = 1e-3
# On the public variances, which are known from few people: too small ones would call every cohort another.
SLACK = 1.5


def differs_from_public(
    variation: Any,
    plan: Any,
    n: int,
    released: NDArray[np.float64],
    noise: NDArray[np.float64],
    level: float = LEVEL,
    known: float = math.inf,
) -> bool | None:
    """Return whether a release's harmonics say that the cohort is unlike the public set, of which a statement warns.

    None where no harmonic is released. The test is at the module's head.

    Parameters
    ----------
    variation : Variation
        How public people vary.
    plan : face_variation.ReleasePlan
        What is released.
    n : int
        People, public.
    released : (k,) float
        Coordinates of the release along the chosen axes, its shrinkage undone.
    noise : (k,) float
        Their standard deviation.
    level : float
        Of false alarms.
    known : float
        Degrees of a chi-square that is known as well as squares of that deviation are.
    """
    of_harmonics = plan.axes >= len(variation.modes)
    if not of_harmonics.any():
        return None
    axes = plan.axes[of_harmonics]
    inside, _ = variation.pull(n, False)
    # A public mean that seems to lie farther off than people do is chance.
    mean = np.clip(variation.mean, -np.sqrt(variation.moments), np.sqrt(variation.moments))
    mean_chances = inside - np.minimum(variation.mean**2, variation.moments)
    chance_variances = SLACK * mean_chances[axes]
    variance = chance_variances + noise[of_harmonics] ** 2
    statistic = np.mean((released[of_harmonics] - mean[axes]) ** 2 / variance)
    degrees = degrees_of_freedom(variation.held_out[:, axes], np.sqrt(chance_variances / variance))
    exact = scipy.special.chdtri(degrees, level) / degrees
    return bool(statistic > (exact if math.isinf(known) else scipy.special.fdtri(degrees, known, 1 - level)))


def degrees_of_freedom(people: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Return the degrees of freedom f of the test whether people differ: of the chi-square that sum z_i^2 resembles.

    That is k, or less where coordinates move together. Few people seem to move together more than they do, and f is too
    small: then less is told.

    Parameters
    ----------
    people : (p, k) float
        Coordinates of public people.
    weights : (k,) float
        Share of each standard deviation that is not the noise's.
    """
    deviations = (people - people.mean(axis=0)).astype(float)
    deviations *= weights / np.maximum(np.linalg.norm(deviations, axis=0), 1e-300)
    correlations = deviations.T @ deviations
    np.fill_diagonal(correlations, 1.0)
    return len(correlations) ** 2 / np.sum(correlations**2)
