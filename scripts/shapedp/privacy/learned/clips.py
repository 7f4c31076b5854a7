"""How far people lie beside public people, and the bound that they are clipped to by it.

A first stage asks how far people lie about the reference (`score_lengths`, `SpreadAnswer`); the bound of the mean
follows (`replan`). Where people's mean is known, they are clipped about it, and how far they lie about it counts
(`plan_about_mean`). A person beyond the bound becomes the nearest face within it (`clip_to_nearest`).
docs/mathematics.md, (11.4), (11.5), (11.9), (14.6).
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import scipy

from shapedp.privacy.learned.face_variation import (
    QUARTER,
    ReleasePlan,
    bound_plan,
    measure_by_power,
    public_spread,
    to_units,
)

# Added to the power QUARTER where people lie no farther than public ones: the bound is a quantile, which the first axes
# decide, (11.9).
FLATTER = 0.05
# Times as far as public people: from there on nothing is added, and the bound is as low as FAR_ENOUGH says.
NEAR = 1.5
# Times the bound, to which it may be lowered.
FACTORS = np.linspace(1.0, 0.7, 7)
# The same of people who lie far: their lengths differ less than public people's.
FAR_ENOUGH = 0.9
# Times the bound of people clipped about their mean, that are tried; and of a mean that is drawn to the public one.
ABOUT_FINELY = np.linspace(1.2, 0.5, 29)
ABOUT = ABOUT_FINELY[::4]
STEP = 0.099  # between two of these, but for rounding
# Times the least square that a bound may let a mean err by, nothing of which is drawn to the public one.
UNLIKE_ERROR = 1.08
# Times the chance in what the clip takes: it takes more of a cohort whose mean lies elsewhere.
CAREFUL = 4.0
# What lengths from SHORTEST to 1 count in `score_lengths`; and the ends of the lengths that count, times the bound.
# Also within it, since a cohort that is little wider hardly lies beyond the bound, and yet farther within it.
WITHIN, SHORTEST, WIDEST = 1 / 3, 0.5, 16.0
# How many times as far as public people others may be told to lie.
SCALES = np.geomspace(0.5, WIDEST, 120)
# Times the bound: whoever lies farther is drawn in to there first, so that no square overflows; and steps of Newton.
FARTHEST, NEWTON = 1e6, 8
# Of a mean's coordinate, by a clip, that is undone: its noise grows tenfold at most.
LEAST_KEPT = 0.1
# Public people that stand for the cohort's, at most.
AROUND = 400


def score_lengths(lengths):
    """Return how far people lie as bounded scores (...) in [0, 1], which a first stage sums with little noise.

    Lengths are in units of the bound. Scores are logarithms, so that nobody counts for much: a third from SHORTEST to
    the bound, the rest from there to WIDEST.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        inside, beyond = np.log(lengths / SHORTEST) / -np.log(SHORTEST), np.log(lengths) / np.log(WIDEST)
    return WITHIN * np.clip(inside, 0.0, 1.0) + (1 - WITHIN) * np.clip(beyond, 0.0, 1.0)


@dataclass(frozen=True)
class SpreadAnswer:
    """What a first stage told of how far people lie.

    answer : the noised mean of `score_lengths`; sd : of its noise
    plan : the ReleasePlan in whose units and bound faces' lengths were asked for
    """

    answer: float
    sd: float
    plan: ReleasePlan | None = None

    def find_scale(self, lengths, doubt=0.0):
        """Return how many times as far as public people the cohort's lie, by which its bound is set.

        The answer is a noised mean of `score_lengths`; the scale is as near to 1 as one standard deviation of its noise
        allows.

        Parameters
        ----------
        lengths : (c, p) array
            Public people's, at each of SCALES, in units of the bound.
        doubt : float
            Standard deviation of that mean by what else is not known.
        """
        means, sd = np.maximum.accumulate(score_lengths(lengths).mean(axis=1)), np.hypot(self.sd, doubt)
        return float(np.clip(1.0, *np.interp([self.answer - sd, self.answer + sd], means, SCALES)))

    def scale_from_lengths(self, lengths):
        """Return how many times as far as public people the cohort lies, as its noised answer told, to set its bound.

        The answer is of lengths about the reference, before a mean is known; `scale_about_mean` is once it is known.

        lengths : (p,) public people's own, in units of the bound
        """
        return self.find_scale(SCALES[:, None] * lengths)

    def scale_about_mean(self, mean, errors, people):
        """Return how many times as far as public people the cohort's lie about their mean, once it is known.

        All is in lengths on the face.

        Parameters
        ----------
        mean, errors : (k,) arrays
            The mean along the axes, and standard deviations by which it errs.
        people : (p, k) array
            Public people's lengths along the axes about their own mean.
        """
        units = 1 / (self.plan.scales * self.plan.tau)
        mean, errors, people = mean * units, errors * units, people * units
        along, squares, square = people @ mean, np.sum(people**2, axis=1), mean @ mean + errors @ errors
        lengths = np.sqrt(np.maximum(square + 2 * SCALES[:, None] * along + SCALES[:, None] ** 2 * squares, 0.0))
        lengths_now = np.sqrt(np.maximum(square + 2 * along + squares, 1e-300))
        slopes = _score_slopes(lengths_now) / lengths_now @ (mean + people) / len(people)
        return self.find_scale(lengths, np.linalg.norm(slopes * errors))


def _score_slopes(lengths):
    """Return the slope (...) of `score_lengths`, by which an error of the mean becomes doubt of the answer."""
    inside = (lengths > SHORTEST) & (lengths < 1)
    beyond = (lengths > 1) & (lengths < WIDEST)
    return (inside * WITHIN / -np.log(SHORTEST) + beyond * (1 - WITHIN) / np.log(WIDEST)) / lengths


# Times the bound: whoever lies here, or farther, has turned all the way.
END = 16.0


@dataclass(frozen=True)
class FarScale:
    """How a person's length becomes an angle, and what is thought of far people before anything is asked.

    turn : radian, by which the angle of somebody at END is turned
    start : times the bound, from where on it turns
    is_logarithmic : whether it turns with the logarithm of the length, or with what its inverse falls by
    rarer : the power of the distance with which far people are less likely beforehand
    threshold : probability that somebody lies far, above which that is told
    """

    turn: float
    start: float
    is_logarithmic: bool
    rarer: float
    threshold: float


# Three quarters of a round move an answer more, by people of the same distance, than half a round does; a whole one
# would turn the farthest back to where nobody lies far.
# Of changes a false alarm costs most: no other answer says that nobody lies far.
FAR_IN_CHANGES = FarScale(turn=1.5 * np.pi, start=1.25, is_logarithmic=True, rarer=1.0, threshold=0.65)
# Of means it turns soon, and then less and less: so it tells heavy tails, of which many lie somewhat far, from a few
# who lie far together. How far these lie is told less well, but no bound is raised that far.
FAR_IN_MEANS = FarScale(turn=np.pi, start=1.0, is_logarithmic=False, rarer=1.5, threshold=0.5)
# Shares of far people, and how many times the bound away, that are thought of.
SHARES, TIMES = np.geomspace(0.02, 0.5, 12), np.geomspace(1.5, END, 14)
# Probability beforehand that nobody lies far but as public people do.
ALL_NEAR = 0.85
# Times the square of a typical length of far people is the mean of their squares: their lengths differ.
UNEVEN = 2.0
# Times the bound, to which it may be raised.
GREATER = np.geomspace(1.0, 12.0, 25)


def to_directions(lengths, far_scale):
    """Return (..., 2) a person's answer to who lies far: cosine and sine of an angle that grows with their length.

    The angle is 0 up to where the scale starts and `turn` from END on: so no two people differ by more than 2, and
    people who lie far, and how far they lie, show in two means. docs/mathematics.md, (14.8).

    Parameters
    ----------
    lengths : (...) array
        In units of the bound.
    far_scale : FarScale
        How the angle grows between these.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        times, most = np.maximum(lengths, far_scale.start) / far_scale.start, END / far_scale.start
        way = np.log(times) / np.log(most) if far_scale.is_logarithmic else (1 - 1 / times) / (1 - 1 / most)
    turned = far_scale.turn * np.clip(way, 0.0, 1.0)
    return np.stack([np.cos(turned), np.sin(turned)], axis=-1)


@dataclass(frozen=True)
class FarPeople:
    """What a noised answer leaves likely of people who lie farther than public people would.

    likely : (k,) probability that a share of them, one of shares (k,), lies so many times the bound away, one of times
        (k,); that nobody does has what is left of 1
    threshold : probability that anybody lies far, above which that is told
    """

    likely: np.ndarray
    shares: np.ndarray
    times: np.ndarray
    threshold: float

    @classmethod
    def from_answer(cls, answer, sd, lengths, far_scale):
        """Return how many people likely lie how far, by which the next clip's bound is raised, from a noised answer.

        The answer is noised means (2,) of `to_directions`.

        Parameters
        ----------
        answer : (2,) array
            Noised means of cosine and sine.
        sd : float
            Standard deviation of the noise on each.
        lengths : (p,) array
            Of public people, scaled as far as these are told to lie, in units of the bound.
        far_scale : FarScale
            By which it was asked.
        """
        near = to_directions(lengths, far_scale).mean(axis=0)
        shares, times = (grid.ravel() for grid in np.meshgrid(SHARES, TIMES))
        means = near + shares[:, None] * (to_directions(times, far_scale) - near)
        by_answer = -0.5 * np.sum((np.vstack([near, means]) - answer) ** 2, axis=1) / sd**2
        rarer = times**-far_scale.rarer / np.sum(times**-far_scale.rarer)
        beforehand = np.append(ALL_NEAR, (1 - ALL_NEAR) * rarer)
        likely = scipy.special.softmax(by_answer + np.log(beforehand))
        return cls(likely[1:], shares, times, far_scale.threshold)

    def expect_losses(self, factors, n, away, seen):
        """Return how much clips are expected to take of the mean for people who lie far, to choose a bound by it.

        They are expected squares, in squared lengths of the bound, of a mean of n people. Far people may all lie on one
        side, as who responds to a treatment does, or anywhere. Those on one side move a mean of people clipped to the
        bound by their share of it, so they are no more than it may lie off, and at least as many as it is seen to. The
        others' lengths differ, and the longest lose most: UNEVEN times as much.

        Parameters
        ----------
        factors : (f,) array
            Bounds of the clip, times the one that people's lengths were asked in.
        n : int
            People.
        away, seen : float
            How far the mean may lie off from where people lie who do not respond, with what noise hides, and how far it
            is seen to, in units of the bound.

        Returns
        -------
        together, alone : (f,) arrays
            Where far people lie on one side, and where each lies on any.
        """
        beyond = np.maximum(self.times - np.asarray(factors, dtype=float)[..., None], 0.0)
        together = np.minimum(self.shares, away) * beyond
        elsewhere = self.shares - np.minimum(self.shares, seen)
        return together**2 @ self.likely, UNEVEN * (elsewhere * beyond**2 / n) @ self.likely

    @property
    def is_told(self):
        """Return whether it is so likely that somebody lies far that it is told."""
        return bool(self.likely.sum() > self.threshold)

    @property
    def share(self):
        """Return the expected share of far people."""
        return float(self.shares @ self.likely)


def find_square_beyond(shortest, bound):
    """Return the mean square that a clip takes of people who lie far, by which the error stated of a mean grows.

    Their lengths fall off as t^-3.

    Parameters
    ----------
    shortest, bound : float or arrays that broadcast
        From where on there are such lengths, and the bound, in one unit.

    Returns
    -------
    array
    """
    within = 3 * shortest**2 - 3 * shortest * bound + bound**2
    return np.where(bound >= shortest, shortest**3 / np.maximum(bound, 1e-300), within)


def widen_plan(plan, scale, lowered=1.0):
    """Return the same plan for people who lie `scale` times as far as public ones; see `find_bound_factor`."""
    return plan.widened(scale if plan.loose > 1 else find_bound_factor(scale, lowered))


def find_bound_factor(scale, lowered=1.0, far=FAR_ENOUGH):
    """Return how much larger the bound must be for people who lie `scale` times as far as public ones.

    People who lie far differ less in their lengths than public ones: `far` is enough for them.

    Parameters
    ----------
    scale : float
        How many times as far as public people.
    lowered : float
        Factor by which the bound is lowered where people lie no farther than public ones.
    far : float
        The same where they lie far.
    """
    near = nearness(scale)
    return scale * (near * lowered + (1 - near) * far)


def nearness(scale):
    """Return a number that falls from 1, where people lie no farther than public ones, to 0 at NEAR times as far."""
    return min(1.0, max(0.0, (NEAR - scale) / (NEAR - 1)))


def replan(variation, plan, n, scale):
    """Return the plan with the bound, and the measure of axes, that suit how far people lie by a first stage.

    The less far, the lower is the bound, and the more are axes measured by a larger power of their moments, in which
    people's lengths differ less.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    scale : float
        How many times as far as public people these lie.
    """
    remeasured = measure_by_power(variation, plan, QUARTER + FLATTER * nearness(scale))
    return widen_plan(remeasured, scale, find_lowest_factor(variation, remeasured, n))


def plan_about_mean(variation, first_plan, n, towards_public=False):
    """Return the plan for people clipped about where their mean is known to lie: a lower bound, less noise.

    They lie about it as public people about theirs. Axes are measured by the power of people who lie near. The bound
    makes least the noise, as it is once what the clip took is put back, and chance in what it takes. Of a mean that is
    drawn to the public one it is the noise that chance leaves, among bounds at which a mean errs little more that lies
    elsewhere.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    first_plan : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    towards_public : bool
        Whether the mean is drawn to the public one.
    """
    plan = plan_at_quantile(variation, first_plan, QUARTER + FLATTER)
    people, weights = list_people_about_mean(variation, plan), plan.weights
    # Their mirror images lose as much.
    people = people[: len(people) // 2]

    chance = (1 / n + 1 / variation.people) * public_spread(variation, plan)

    @cache
    def expect_errors(factor):
        """Return the mean's expected squared errors, of noise and chance, at a bound this many times the plan's.

        They are of the mean as it is, and drawn to the public one as chance allows.
        """
        clipped = clip_to_nearest(people, factor * plan.tau, weights)
        kept = find_share_left(clipped, people)
        noise = factor**2 * plan.noise * weights / kept**2 / np.sum(weights)
        taken = np.mean((people - clipped / kept) ** 2 @ weights) / n
        return np.sum(noise) + taken, np.sum(noise * chance / (noise + chance)) + taken

    def order(factors):
        """Return the factors, the best first."""
        plain, drawn = np.transpose([expect_errors(float(factor)) for factor in factors])
        errors = np.where(plain <= UNLIKE_ERROR * plain.min(), drawn, np.inf) if towards_public else plain
        return factors[np.argsort(errors, kind="stable")], float(factors[np.argmin(plain)])

    best, least = order(ABOUT)
    if towards_public:
        # The errors have one least, so that the fine steps are tried beside it alone.
        is_near = np.minimum(np.abs(ABOUT_FINELY - best[0]), np.abs(ABOUT_FINELY - least)) < STEP
        best, _ = order(ABOUT_FINELY[is_near])
    return plan.widened(float(best[0]))


def plan_at_quantile(variation, first_plan, power=QUARTER):
    """Return the plan by which people's spread is asked: the same axes, clipped so high that little of it is hidden.

    The clip is about people's mean, at the quantile of public people's lengths; `plan_about_mean` lowers it for means.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    first_plan : ReleasePlan
        The released axes and their bound.
    power : float
        Of the moments, by which axes are measured.
    """
    plan = replace(first_plan, power=power, loose=1.0)
    lengths = np.linalg.norm(list_people_about_mean(variation, plan), axis=1)
    return bound_plan(plan, first_plan, float(np.quantile(lengths, variation.quantile, method="higher")))


def length_on_face(people, plan):
    """Return the factor from lengths ||u||, which clips bound, to lengths on the face, which errors are stated in.

    It is that of public people in the root mean square.

    Parameters
    ----------
    people : (p, k) array
        Their lengths along the axes.
    plan : ReleasePlan
        The released axes and their bound.
    """
    return float(np.sqrt(np.mean(np.sum(people**2, axis=1)) / np.mean(np.sum((people / plan.scales) ** 2, axis=1))))


def list_people_about_mean(variation, plan):
    """Return (2p, k) public people about their mean, and mirror images, by which clips are planned and put back.

    They stand for the cohort's people about their own mean, whom no plan may look at.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    """
    v = to_units(variation, plan)[:AROUND]
    # Mirror images beside them leave no side on which the clip takes more, as of people about their own mean.
    v -= v.mean(axis=0)
    return np.concatenate([v, -v])


def scale_by_squares(variation, plan, w, sd, nearer_sd, off):
    """Return how many times as far from their mean as public people the cohort's lie, by which its bound is set.

    It is told by the noised w. w is of (14.2). The scale is as near to 1 as the doubts about it allow.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    w : float
        The answer.
    sd, nearer_sd : float
        Up to which it may be too large, and too small: who is taken to lie nearer than they do is clipped too much.
    off : (k,) array
        By how much their mean errs about which w was asked, in lengths on the face.
    """
    people, weights = list_people_about_mean(variation, plan), plan.weights
    whole = plan.tau**2 * weights.max()

    def beyond(scale):
        return (
            np.mean(clip_to_nearest(scale * people, plan.tau, weights) ** 2 @ weights) / whole + off @ off / whole - w
        )

    excess_at_1 = beyond(1.0)
    if -sd <= excess_at_1 <= nearer_sd:
        return 1.0
    target, last_scale = (nearer_sd, SCALES[0]) if excess_at_1 > 0 else (-sd, SCALES[-1])
    if (beyond(last_scale) - target) * (excess_at_1 - target) > 0:
        return float(last_scale)
    return float(scipy.optimize.brentq(lambda scale: beyond(scale) - target, *sorted((1.0, last_scale)), rtol=1e-4))


def clip_to_nearest(u, tau, weights):
    """Return (n, k) people clipped to the bound tau, each to the face within it that is nearest to their own.

    Axis i weighs weights_i. The least sum of weights_i (u_i - g_i)^2 with |g| <= tau is g_i = u_i/(1 + s/weights_i); s
    >= 0 makes |g| = tau, by Newton's steps on 1/|g|, which is all but linear in s. What rounding leaves above tau is
    shortened.

    Parameters
    ----------
    u : (n, k) array
        People's coordinates.
    tau : float
        The bound.
    weights : (k,) array
        What a square of each coordinate counts on the face.
    """
    lengths = np.linalg.norm(u, axis=1, keepdims=True)
    kept = np.array(u * np.minimum(1.0, FARTHEST * tau / np.maximum(lengths, 1e-300)))
    # who is within the bound stays as they are, and takes no steps
    beyond = ~(lengths[:, 0] <= tau)
    u = kept[beyond]
    ease, s = weights.min() / weights, np.zeros((len(u), 1))
    for _ in range(NEWTON):
        shrink = 1 + s * ease
        squares = np.square(u / shrink)
        size = np.maximum(np.sqrt(np.add.reduce(squares, axis=1, keepdims=True)), 1e-300)
        steep = np.maximum(np.add.reduce(squares * (ease / shrink), axis=1, keepdims=True), 1e-300)
        s = np.maximum(0.0, s + (size / tau - 1) * size**2 / steep)
    g = u / (1 + s * ease)
    kept[beyond] = g * np.minimum(1.0, tau / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1e-300))
    return kept


def clip_by_length(u, tau, weights=None):
    """Return (n, k) landmark shapes' coordinates shortened to tau: the clip that `clip_to_nearest` is to faces.

    Parameters
    ----------
    u : (n, k) array
        People's coordinates.
    tau : float
        The bound.
    weights : (k,) array, optional
        Taken as `clip_to_nearest` takes them, and ignored.
    """
    del weights
    lengths = np.linalg.norm(u, axis=1, keepdims=True)
    return u * np.minimum(1.0, tau / np.maximum(lengths, tau))


def find_lowest_factor(variation, plan, n):
    """Return how far to lower the bound for the least of noise and clipping: one of FACTORS, 1 where it is loose.

    It makes the variance of the noise plus CAREFUL times that of what the clip takes least, for a cohort like the
    public one. The second part weighs more because clipping takes more from a cohort whose mean lies elsewhere.
    """
    if plan.loose > 1:
        return 1.0

    def expect_error(factor):
        """Return the mean's expected squared error, of noise and clipping, at a bound this many times the plan's."""
        lowered = plan.widened(factor)
        return lowered.noise + CAREFUL * forecast_clipping_bias(variation, lowered, n)

    return float(min(FACTORS, key=expect_error))


def forecast_clipping_bias(variation, choice, n):
    """Return the squared bias per point that a clip is expected to cause, of n people like the public ones.

    They lie on either side of the mean alike, so that it is by chance: 1/n of what a public person loses.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    choice : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    """
    u, weights = to_units(variation, choice)[:AROUND], choice.weights
    lost = u - clip_to_nearest(u, choice.tau, weights)
    return float(np.mean(lost**2 @ (choice.filters**2 * weights))) / n


def find_left_by_clipping(variation, plan):
    """Return (k,) the share of each coordinate that the clip leaves, by which forecasts know what is put back.

    It is that of public people's about their mean.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    """
    u = to_units(variation, plan)[:AROUND]
    u -= u.mean(axis=0)
    return find_share_left(clip_to_nearest(u, plan.tau, plan.weights), u)


def find_share_left(clipped, people):
    """Return the share (k,) of each coordinate of people (n, k) that clipped ones keep, LEAST_KEPT at least."""
    kept = np.sum(clipped * people, axis=0) / np.maximum(np.sum(people**2, axis=0), 1e-300)
    return np.clip(kept, LEAST_KEPT, 1.0)
