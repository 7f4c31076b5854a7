"""How far people lie beside public people, and the bound that they are clipped to by it.

A first stage asks how far people lie about the reference (`reach`, `Told`); the bound of the mean follows (`after`).
Where people's mean is known, they are clipped about it, and how far they lie about it counts (`about_a_mean`). A person
beyond the bound becomes the nearest face within it (`nearest`). docs/mathematics.md, (11.4), (11.5), (11.9), (14.6).
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from shapedp.privacy.learned.face_variation import QUARTER, Choice, bounded_by, in_units, measured_by

FLATTER = 0.05  # is added to the power QUARTER where people lie no farther than public ones
NEAR = 1.5  # times as far as public people, from where on nothing is added, and the bound is as low as FAR_ENOUGH says
FACTORS = np.linspace(1.0, 0.7, 7)  # times the bound, to which it may be lowered
FAR_ENOUGH = 0.9  # the same of people who lie far: their lengths differ less than public people's
ABOUT = np.linspace(1.2, 0.5, 8)  # times the bound of people clipped about their mean, that are tried
CAREFUL = 4.0  # times the chance in what the clip takes
WITHIN, SHORTEST, WIDEST = 1 / 3, 0.5, 16.0  # what lengths from SHORTEST to 1 count in `reach`; times the bound
SCALES = np.geomspace(0.5, WIDEST, 120)  # how many times as far as public people others may be told to lie
FARTHEST, NEWTON = 1e6, 8  # times a bound that matters; steps
LEAST_KEPT = 0.1  # of a mean's coordinate, by a clip, that is undone
AROUND = 400  # public people that stand for the cohort's


def reach(lengths):
    """(...) numbers between 0 and 1 of people's lengths, in units of the bound: how far they lie, as a first stage asks
    it. Logarithms, so that nobody counts for much: a third from SHORTEST to the bound, the rest from there to WIDEST.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        inside, beyond = np.log(lengths / SHORTEST) / -np.log(SHORTEST), np.log(lengths) / np.log(WIDEST)
    return WITHIN * np.clip(inside, 0.0, 1.0) + (1 - WITHIN) * np.clip(beyond, 0.0, 1.0)


@dataclass(frozen=True)
class Told:
    """What a first stage told of how far people lie: answer, the noised mean of `reach`; sd, of its noise; chosen, the
    Choice in whose units and bound faces' lengths were asked for.
    """

    answer: float
    sd: float
    chosen: Choice | None = None

    def scale(self, lengths, doubt=0.0):
        """How many times as far as public people these lie, as near to 1 as the answer allows within one standard
        deviation: then the mean of `reach` is the answer. lengths (c, p) : public people's at each of SCALES; doubt :
        standard deviation of that mean by what else is not known
        """
        means, sd = np.maximum.accumulate(reach(lengths).mean(axis=1)), np.hypot(self.sd, doubt)
        return float(np.clip(1.0, *np.interp([self.answer - sd, self.answer + sd], means, SCALES)))

    def beside(self, lengths):
        """The same from public people's own lengths (p,) in units of the bound, before the mean is known."""
        return self.scale(SCALES[:, None] * lengths)

    def about(self, mean, errors, people):
        """The same of people (p, k) scaled about a mean (k,) that errs by `errors` (k,), all in lengths on the face."""
        units = 1 / (self.chosen.scales * self.chosen.tau)
        mean, errors, people = mean * units, errors * units, people * units
        along, squares, square = people @ mean, np.sum(people**2, axis=1), mean @ mean + errors @ errors
        lengths = np.sqrt(np.maximum(square + 2 * SCALES[:, None] * along + SCALES[:, None] ** 2 * squares, 0.0))
        lengths_now = np.sqrt(np.maximum(square + 2 * along + squares, 1e-300))
        slopes = _reach_slopes(lengths_now) / lengths_now @ (mean + people) / len(people)
        return self.scale(lengths, np.linalg.norm(slopes * errors))


def _reach_slopes(lengths):
    """(...) by how much `reach` grows with lengths."""
    inside = (lengths > SHORTEST) & (lengths < 1)
    beyond = (lengths > 1) & (lengths < WIDEST)
    return (inside * WITHIN / -np.log(SHORTEST) + beyond * (1 - WITHIN) / np.log(WIDEST)) / lengths


START, END = 1.25, 16.0  # times the bound: from here to there a person's angle turns half round
SHARES, TIMES = (
    np.geomspace(0.02, 0.5, 12),
    np.geomspace(1.5, END, 14),
)  # of far people, and how far, that are thought of
ALL_NEAR = 0.85  # probability beforehand that nobody lies far but as public people do
RARER = 1.5  # the power of the distance with which far people are less likely beforehand
UNEVEN = 2.0  # times the square of a typical length of far people, is the mean of their squares
GREATER = np.geomspace(1.0, 12.0, 25)  # times the bound, to which it may be raised


def directions_of_lengths(lengths):
    """(..., 2) cosine and sine of the angle by which people's lengths, in units of the bound, say how far they lie.

    The angle is 0 up to START and grows with the logarithm to half a turn at END: so no two people differ by more than
    2, and people who lie far, and how far they lie, show in two means. docs/mathematics.md, (14.8).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        turned = np.pi * np.clip(np.log(lengths / START) / np.log(END / START), 0.0, 1.0)
    return np.stack([np.cos(turned), np.sin(turned)], axis=-1)


@dataclass(frozen=True)
class FarPeople:
    """What a noised answer leaves likely of people who lie farther than public people would: that a share of them, one
    of shares (k,), lies so many times the bound away, one of times (k,), with probability likely (k,); and that nobody
    does, with what is left of 1.
    """

    likely: np.ndarray
    shares: np.ndarray
    times: np.ndarray

    @classmethod
    def from_answer(cls, answer, sd, lengths):
        """From the noised means (2,) of `directions_of_lengths`.

        Parameters
        ----------
        answer : (2,) array
            Noised means of cosine and sine.
        sd : float
            Standard deviation of the noise on each.
        lengths : (p,) array
            Of public people, scaled as far as these are told to lie, in units of the bound.
        """
        near = directions_of_lengths(lengths).mean(axis=0)
        shares, times = (grid.ravel() for grid in np.meshgrid(SHARES, TIMES))
        means = near + shares[:, None] * (directions_of_lengths(times) - near)
        by_answer = -0.5 * np.sum((np.vstack([near, means]) - answer) ** 2, axis=1) / sd**2
        rarer = times**-RARER / np.sum(times**-RARER)
        beforehand = np.append(ALL_NEAR, (1 - ALL_NEAR) * rarer)
        likely = scipy.special.softmax(by_answer + np.log(beforehand))
        return cls(likely[1:], shares, times)

    def lost(self, factors, n, away, seen):
        """Expected squares of what a clip takes of a mean of n people, in squared lengths of the bound.

        Far people may all lie on one side, as who responds to a treatment does, or anywhere. Those on one side move a
        mean of people clipped to the bound by their share of it, so they are no more than it may lie off, and at least
        as many as it is seen to. The others' lengths differ, and the longest lose most: UNEVEN times as much.

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
        """Whether it is more likely than not that somebody lies far."""
        return bool(self.likely.sum() > 0.5)

    @property
    def share(self):
        """Expected share of far people."""
        return float(self.shares @ self.likely)


def square_beyond(shortest, bound):
    """Return the mean square by which lengths exceed a bound, where as many are longer than t as t^-3 says.

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


def followed(chosen, scale, lowered=1.0):
    """The same Choice for people who lie `scale` times as far as public ones; see `following`."""
    return chosen.widened(scale if chosen.loose > 1 else following(scale, lowered))


def following(scale, lowered=1.0, far=FAR_ENOUGH):
    """Return by how much the bound grows for people who lie `scale` times as far as public ones.

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
    """From 1 where people lie no farther than public ones to 0 where they lie NEAR times as far."""
    return min(1.0, max(0.0, (NEAR - scale) / (NEAR - 1)))


def after(variation, chosen, n, scale):
    """Return the Choice once a first stage has told how far people lie.

    The less far, the lower is the bound, and the more are axes measured by a larger power of their moments, in which
    people's lengths differ less.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    n : int
        People in the cohort.
    scale : float
        How many times as far as public people these lie.
    """
    remeasured = measured_by(variation, chosen, QUARTER + FLATTER * nearness(scale))
    return followed(remeasured, scale, lowest(variation, remeasured, n))


def about_a_mean(variation, chosen, n):
    """Return the Choice for people who lie about where they are clipped as public people lie about their mean.

    Axes are measured by the power of people who lie near. The bound makes least the noise, as it is once what the
    clip took is put back, and chance in what it takes.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    n : int
        People in the cohort.
    """
    plan = about_quantile(variation, chosen, QUARTER + FLATTER)
    people, weights = around(variation, plan), plan.weights
    people = people[: len(people) // 2]  # their mirror images lose as much

    def expected(factor):
        clipped = nearest(people, factor * plan.tau, weights)
        kept = share_left(clipped, people)
        noise = factor**2 * plan.noise * np.sum(weights / kept**2) / np.sum(weights)
        return noise + np.mean((people - clipped / kept) ** 2 @ weights) / n

    return plan.widened(float(min(ABOUT, key=expected)))


def about_quantile(variation, chosen, power=QUARTER):
    """Return the same axes, bound to the public quantile of lengths about people's mean.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    power : float
        Of the moments, by which axes are measured.
    """
    plan = replace(chosen, power=power, loose=1.0)
    lengths = np.linalg.norm(around(variation, plan), axis=1)
    return bounded_by(plan, chosen, float(np.quantile(lengths, variation.quantile, method="higher")))


def length_on_face(people, chosen):
    """Return how long on the face one of ||u|| is, in the root mean square of public people.

    Parameters
    ----------
    people : (p, k) array
        Their lengths along the axes.
    chosen : Choice
        The released axes and their bound.
    """
    return float(np.sqrt(np.mean(np.sum(people**2, axis=1)) / np.mean(np.sum((people / chosen.scales) ** 2, axis=1))))


def around(variation, chosen):
    """Return (2p, k) public people's u about their mean, and their mirror images.

    They stand for the cohort's about its own.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    """
    v = in_units(variation, chosen)[:AROUND]
    v -= v.mean(axis=0)
    return np.concatenate([v, -v])


def scale_by_squares(variation, chosen, w, sd, off):
    """Return how many times as far from their mean as public people these lie, by their noised w of (14.2).

    The scale is as near to 1 as one standard deviation of w allows.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    w, sd : float
        The answer and the standard deviation of its noise.
    off : (k,) array
        By how much their mean errs about which w was asked, in lengths on the face.
    """
    people, weights = around(variation, chosen), chosen.weights
    whole = chosen.tau**2 * weights.max()

    def beyond(scale):
        return np.mean(nearest(scale * people, chosen.tau, weights) ** 2 @ weights) / whole + off @ off / whole - w

    excess_at_1 = beyond(1.0)
    if abs(excess_at_1) <= sd:
        return 1.0
    target, last_scale = (sd, SCALES[0]) if excess_at_1 > 0 else (-sd, SCALES[-1])
    if (beyond(last_scale) - target) * (excess_at_1 - target) > 0:
        return float(last_scale)
    return float(scipy.optimize.brentq(lambda scale: beyond(scale) - target, *sorted((1.0, last_scale)), rtol=1e-4))


def nearest(u, tau, weights):
    """Return (n, k) the faces within the bound that are nearest to people's, where axis i weighs weights_i.

    The least sum of weights_i (u_i - g_i)^2 with |g| <= tau is g_i = u_i/(1 + s/weights_i); s >= 0 makes |g| = tau, by
    Newton's steps on 1/|g|, which is all but linear in s. What rounding leaves above tau is shortened.

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
        g = u / (1 + s * ease)
        size = np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1e-300)
        steep = np.maximum(np.sum(g**2 * (ease / (1 + s * ease)), axis=1, keepdims=True), 1e-300)
        s = np.maximum(0.0, s + (size / tau - 1) * size**2 / steep)
    g = u / (1 + s * ease)
    kept[beyond] = g * np.minimum(1.0, tau / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1e-300))
    return kept


def shortened(u, tau, weights=None):
    """Return (n, k) people's u with whoever is longer than tau shortened to it, whatever an axis weighs.

    Parameters
    ----------
    u : (n, k) array
        People's coordinates.
    tau : float
        The bound.
    weights : (k,) array, optional
        Taken as `nearest` takes them, and ignored.
    """
    del weights
    lengths = np.linalg.norm(u, axis=1, keepdims=True)
    return u * np.minimum(1.0, tau / np.maximum(lengths, tau))


def lowest(variation, chosen, n):
    """Return the factor by which the bound is lowered: it makes the variance of the noise plus CAREFUL times that of
    what the clip takes least, for a cohort like the public one; 1 where the bound is loose already.

    The second part weighs more because clipping takes more from a cohort whose mean lies elsewhere.
    """
    if chosen.loose > 1:
        return 1.0

    def expected(factor):
        lowered = chosen.widened(factor)
        return lowered.noise + CAREFUL * clipping_bias(variation, lowered, n)

    return float(min(FACTORS, key=expected))


def clipping_bias(variation, choice, n):
    """Return the squared bias per point by clipping people to tau, who lie on either side of the mean alike.

    By chance, that is 1/n of what a public person loses.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    choice : Choice
        The released axes and their bound.
    n : int
        People in the cohort.
    """
    u, weights = in_units(variation, choice)[:AROUND], choice.weights
    lost = u - nearest(u, choice.tau, weights)
    return float(np.mean(lost**2 @ (choice.filters**2 * weights))) / n


def left_by_clipping(variation, chosen):
    """Return (k,) the share of each coordinate that the clip leaves of public people's about their mean.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    """
    u = in_units(variation, chosen)[:AROUND]
    u -= u.mean(axis=0)
    return share_left(nearest(u, chosen.tau, chosen.weights), u)


def share_left(clipped, people):
    kept = np.sum(clipped * people, axis=0) / np.maximum(np.sum(people**2, axis=0), 1e-300)
    return np.clip(kept, LEAST_KEPT, 1.0)
