"""What is made of the noised mean of clipped people, from it and from public people alone.

What the clip took is put back; noise is taken off as far as the mean itself does not say that these people lie off the
public mean. docs/mathematics.md, (11.7), (11.8), (11.14), (14.7).
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from shapedp.privacy.learned.clips import (
    clip_to_nearest,
    find_share_left,
    list_people_about_mean,
)
from shapedp.privacy.learned.face_variation import public_spread
from shapedp.privacy.learned.likely_shares import (
    FAR,
    LIKE,
    find_error_shares,
    find_likely_shares,
    find_probability_beyond_chance,
    find_typical_excess,
    group_axes,
)

# Turns in which what the clip took and where the mean lies follow from each other, (11.7).
UNDOING = 5
# Standard deviations of what is kept of a mean, that are stated as error: people whose mean lies off by something are
# not drawn from the law that stands beforehand.
CAREFULLY = 0.5
# Over the number of public people, by what share more noise counts where a cohort is surely like them, and the power of
# that probability: chosen so that seven kinds of cohorts beside other sets of 20 gain as much by it as they lose.
CLOSER, SURELY = 32.0, 8


@dataclass(frozen=True)
class RestoredMean:
    """What a noised mean u (k,) of clipped people becomes: factors u + moved.

    errors : (k,) standard deviations by which that errs
    shares : (k,) of what is seen beside the public mean, that is kept
    undone : the largest factor by which what the clip took was put back
    scale : how many times as far as public people these lie about it
    """

    factors: np.ndarray
    moved: np.ndarray
    errors: np.ndarray
    shares: np.ndarray
    undone: float
    scale: float = 1.0


def restore_mean(
    variation,
    plan,
    n,
    u,
    sd,
    shrinks=True,
    reach_answer=None,
    clip=clip_to_nearest,
    turns=UNDOING,
    scale=1.0,
    like=None,
):
    """Return the mean that a release states, from the noised one: what the clip took put back, noise taken off.

    Both are done as far as they follow from the noised mean and public people.

    Of a mean m with people v about it the clip leaves F(m) = E clip(m + v), the share k_i of coordinate i. The mean is
    likely to lie off the public one by chance, and by more where the noised mean says so. So m is the public mean and
    what `find_likely_shares` keeps of x - that, x = m + (u - F(m))/k, in turns. Unless it shrinks, u + m -
    F(m) is released: only what was taken of a mean that is seen. See docs/mathematics.md, (11.7).

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    u : (k,) array
        The noised mean of clipped people.
    sd : float or (k,) array
        Standard deviation of its noise.
    shrinks : bool
        Whether the mean is drawn to the public one.
    reach_answer : SpreadAnswer, optional
        How far people lie, where a first stage asked it; public people then lie as far about the mean as it says.
    clip : callable
        (u, tau, weights) -> u, as people were clipped.
    turns : int
        In which the two are found.
    scale : float
        How many times as far as public people these lie, where no first stage asked.
    like : float, optional
        See `find_likely_shares`.

    Returns
    -------
    RestoredMean
    """
    weights, mean = plan.weights, find_public_mean(variation, plan) / plan.scales
    chance = (1 / n + 1 / variation.people) * public_spread(variation, plan) / weights
    parts, likely = group_axes(variation, plan), chance * (1 + FAR[:, None, None])
    v, x, kept = list_people_about_mean(variation, plan), u, np.ones_like(u)
    for _ in range(turns):
        shares, _ = find_likely_shares(x - mean, scale**2 * likely, (sd / kept) ** 2, parts, like=like)
        m = mean + shares * (x - mean)
        if reach_answer is not None:
            errors = np.sqrt(shares) * sd / kept
            scale = reach_answer.scale_about_mean(*(plan.scales * lengths for lengths in (m, errors, v)))
        people = m + scale * v
        clipped = clip(people, plan.tau, weights)
        left, kept = clipped.mean(axis=0), find_share_left(clipped, people)
        x = m + (u - left) / kept
    if not shrinks:
        # Only what was taken of the part that is seen comes back, so that the noise grows by less than 1/k.
        noise_growth = 1 / (1 - (1 - kept) * shares)
        return RestoredMean(
            np.ones_like(u), m - left, noise_growth * sd, np.ones_like(u), float(noise_growth.max()), scale
        )
    shares, doubt = find_likely_shares(x - mean, scale**2 * likely, (sd / kept) ** 2, parts, like=like)
    careful = find_error_shares(shares, doubt, (x - mean) / (sd / kept), CAREFULLY)
    moved = (1 - shares) * mean + shares * (m - left / kept)
    errors = np.sqrt(careful) * sd / kept
    return RestoredMean(shares / kept, moved, errors, shares, float(1 / kept.min()), scale)


def find_public_mean(variation, plan):
    """Return (k,) where the public mean lies along the axes: there a cohort's mean is expected, and drawn to in doubt.

    It is taken to lie no farther than people do.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    """
    ends = np.sqrt(variation.moments)
    return np.clip(variation.mean, -ends, ends)[plan.axes]


def shrink_to_public(variation, plan, n, mean, errors, scale):
    """Return a noised mean drawn to the public mean as far as noise hides where it lies: (11.8).

    All of the result is `moved`; its factors are 0.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    mean, errors : (k,) arrays
        The mean along the axes and by how much it errs, in lengths on the face.
    scale : float
        How many times as far as public people from theirs these lie about it.

    Returns
    -------
    RestoredMean
    """
    public, spread = find_public_mean(variation, plan), scale**2 * variation.falling_variances[plan.axes]
    away, parts = mean - public, group_axes(variation, plan)
    chance = (1 / n + 1 / variation.people) * spread
    likely_shares, doubt = find_likely_shares(away, chance * (1 + FAR[:, None, None]), errors**2, parts, like=LIKE)
    by_chance = 1 - find_probability_beyond_chance(away, chance, errors**2, parts)
    shares = draw_closer(likely_shares, by_chance, variation.people)
    left = np.sqrt(find_error_shares(likely_shares, doubt + (shares - likely_shares) ** 2, away / errors)) * errors
    return RestoredMean(np.zeros_like(mean), public + shares * away, left, shares, 1.0, scale)


def draw_closer(shares, by_chance, people):
    """Return the shares (k,) of a noised mean that are kept: less where a cohort is surely like public people.

    The mean of all people like them lies nearer to theirs than the cohort's own, which loses next to nothing by it
    where they are few: noise counts CLOSER/people more.

    Parameters
    ----------
    shares : (k,) array
        What else is kept, t/(t + noise) by all that is likely.
    by_chance : (k,) array
        The probability that the mean lies off by chance alone.
    people : int
        Of the public.
    """
    more_noise = CLOSER / people * by_chance**SURELY
    return shares / (1 + more_noise * (1 - shares))


# How many times as far as public people a model's may be told to lie.
WIDTHS = 0.5, 1.5
# Share by which people's squares differ otherwise than by how far they lie.
UNSURE = 0.05


def restore_mean_by_squares(variation, plan, n, u, sd, squares, clip, turns):
    """Return a model's mean from the noised one, what the clip took put back; none of it is drawn to public people's.

    The result is as of `restore_mean`. How far people lie about the mean is told by a noised mean of squares. Of public
    people so many times as far, about the mean that the noised one becomes with them, the mean of |v|^2 is the answer:
    as near to 1 as twice its noise, chance, and UNSURE of it allow.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    u : (k,) array
        The noised mean of clipped people.
    sd : float or (k,) array
        Standard deviation of its noise.
    squares : (float, float, int)
        The noised mean of |v|^2, v the first so many of a clipped person's u; standard deviation of its noise; how
        many.
    clip : callable
        As of `restore_mean`.
    turns : int
        As of `restore_mean`.

    Returns
    -------
    RestoredMean
    """
    (answer, noise, leading), people = squares, list_people_about_mean(variation, plan)

    def at(scale):
        return restore_mean(variation, plan, n, u, sd, False, None, clip, turns, scale)

    def beyond(scale):
        restored_mean = at(scale)
        clipped = clip(restored_mean.factors * u + restored_mean.moved + scale * people, plan.tau, plan.weights)
        return np.sum(clipped[:, :leading] ** 2, axis=1) - answer

    excess_at_1 = beyond(1.0)
    room, excess_at_1 = np.linalg.norm([2 * noise, excess_at_1.std() / np.sqrt(n), UNSURE * answer]), excess_at_1.mean()
    if abs(excess_at_1) <= room:
        return at(1.0)
    target, last_scale = (room, WIDTHS[0]) if excess_at_1 > 0 else (-room, WIDTHS[1])
    if (beyond(last_scale).mean() - target) * (excess_at_1 - target) > 0:
        return at(last_scale)
    low, high = sorted((1.0, last_scale))
    return at(scipy.optimize.brentq(lambda scale: beyond(scale).mean() - target, low, high, xtol=1e-2, rtol=1e-2))


# How many times as far as public people a model's may lie, when it is stated what the clip took of their spread.
REACHES = 0.5, 3.0


def find_spread_left(variation, plan, mean, squares, clip, along):
    """Return how public people differ along a model's modes, and what the clip leaves of that, to state a mode's error.

    They lie about the mean, so many times as far that their clipped |v|^2 is the noised one on average. What the clip
    takes of people whose tails are heavier than theirs is not seen.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    mean : (k,) array
        Of the cohort, what the clip took put back, in u.
    squares : float
        The noised mean of |v|^2, v the first q of a clipped person's u.
    clip : callable
        As of `restore_mean`.
    along : (q, c) array
        What each of v counts along each mode.

    Returns
    -------
    kurtosis, left : (c,) float
        left : share of the standard deviation.
    """
    people, leading = list_people_about_mean(variation, plan), len(along)

    def at(scale):
        return clip(mean + scale * people, plan.tau, plan.weights)[:, :leading]

    def beyond(scale):
        return float(np.mean(np.sum(at(scale) ** 2, axis=1)) - squares)

    low, high = REACHES
    if beyond(low) >= 0:
        scale = low
    elif beyond(high) <= 0:
        scale = high
    else:
        scale = scipy.optimize.brentq(beyond, low, high, xtol=1e-2, rtol=1e-2)
    spread = people[:, :leading] @ along
    kurtosis = np.mean(spread**4, axis=0) / np.mean(spread**2, axis=0) ** 2
    return kurtosis, (at(scale) @ along).std(axis=0) / (scale * spread.std(axis=0))


# Of a move of people's mean, at least, that is taken to be left.
LEAST_LEFT = 0.5


def find_moves_left(variation, plan, mean, scale, clip, moves):
    """Return the shares (p,) that the clip leaves of how far two halves of people move apart, to put effects back.

    They lie about the mean as public people do, and either half moves to one side. A share is of the move's length on
    the face, LEAST_LEFT at least and 1 at most.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    mean : (k,) array
        Of the cohort, what the clip took put back, in u.
    scale : float
        How many times as far as public people these lie about it.
    clip : callable
        As of `restore_mean`.
    moves : (p, k) array
        To either side, in u.
    """
    people, squares = mean + scale * list_people_about_mean(variation, plan), plan.scales**2

    def at(move):
        return clip(people + move, plan.tau, plan.weights).mean(axis=0)

    left = np.reshape([(at(move) - at(-move)) / 2 for move in moves], moves.shape)
    lengths = moves**2 @ squares
    along = np.divide((left * moves) @ squares, lengths, out=np.ones_like(lengths), where=lengths > 0)
    return np.clip(along, LEAST_LEFT, 1.0)


# Of what the clip took is what the mean may err by once it is put back: public people stand for these.
DOUBT = 0.5


def find_doubted_errors(restored_mean):
    """Return (k,) by how much a restored mean errs that is not drawn to public people's, for what a release states.

    It errs by noise, and where these people differ otherwise than public ones.
    """
    return np.hypot(restored_mean.errors, DOUBT * restored_mean.moved)


# Of false alarms, were public people as many as they are taken to be.
LEVEL = 1e-3


def differs_from_public_mean(variation, plan, n, restored_mean, u, counted=slice(None), level=LEVEL, known=np.inf):
    """Return whether the mean lies off the public one by more than noise and chance: a statement warns of that.

    The sum of squared lengths is set beside what is expected of n people like the public ones: docs/mathematics.md,
    (11.11).

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    n : int
        People in the cohort.
    restored_mean : RestoredMean
        What their noised mean became.
    u : (k,) array
        That noised mean.
    counted : slice or (k,) bool array
        Which of the axes count.
    level : float
        Of false alarms.
    known : float
        Degrees of a chi-square that is known as well as the mean's squared errors are.
    """
    mean, spread = find_public_mean(variation, plan), public_spread(variation, plan)
    distances = plan.scales * (restored_mean.factors * u + restored_mean.moved) - mean
    expected = ((1 / n + 1 / variation.people) * spread + (plan.scales * restored_mean.errors) ** 2)[counted]
    distances = distances[counted]
    free = degrees(expected)
    most = scipy.special.fdtri(free, 1 / (1 / (free * (variation.people - 1)) + 1 / known), 1 - level)
    return bool(distances @ distances > most * expected.sum())


def degrees(shares):
    """Return (sum)^2 / sum of squares, of the variances of independent normal coordinates: their degrees of freedom."""
    square = float(np.sum(np.square(shares)))
    return float(np.sum(shares)) ** 2 / square if square > 0 else 1.0


def restore_recentred_mean(plan, u, sd, people, errors):
    """Return how to put back into a noised mean what the clip took, where people were clipped about an earlier answer.

    So are means that are asked several times. This is (11.7), where the errors of that answer say what is likely; the
    mean is not drawn towards the answer.

    Parameters
    ----------
    plan : ReleasePlan
        The released axes and their bound.
    u : (k,) array
        The noised mean of clipped people.
    sd : float
        Standard deviation of its noise.
    people : (p, k) array
        Public people's u, as these people lie about their mean.
    errors : (k,) array
        Up to which the mean was known.

    Returns
    -------
    RestoredMean
    """
    x, kept = u, np.ones_like(u)
    for _ in range(UNDOING):
        shares = errors**2 / (errors**2 + (sd / kept) ** 2)
        m = shares * x
        clipped = clip_to_nearest(m + people, plan.tau, plan.weights)
        left, kept = clipped.mean(axis=0), find_share_left(clipped, m + people)
        x = m + (u - left) / kept
    return RestoredMean(1 / kept, m - left / kept, sd / kept, shares, float(1 / kept.min()))


# Share of what is seen along harmonics that may lie along modes, were none of these released.
ELSEWHERE = 0.55
# Times people's square about their mean and the third power of the noise on who lies far: the square by which a cohort
# may lie off along harmonics that surely lies off there.
UNTOLD = 11.0
# Share of what is seen along harmonics up to which it may be sure by chance.
SURE_BY_CHANCE = 0.1
# At most, of the square by which a mean surely lies off along harmonics, what a clip is thought to have left in doubt.
DOUBTED = 0.4
# At most, of what is seen along harmonics, what may lie along slower ones than are released, or beyond all axes.
BEYOND = 0.15


def find_untold_square(variation, seen, sure, far_sd):
    """Return the square on the face by which a mean may lie off along harmonics, beyond what surely is seen there.

    Everybody of a cohort that differs as public people do not is clipped, and the clip leaves least of just that. Its
    harmonics stand out of the noise all the same: by how little says nothing, and whether everybody lies far is told
    only where noise does not hide it. The more noise, the likelier that is untold, and the farther they may lie.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    seen : (h,) array
        How far the mean is seen to lie off along harmonics, in lengths on the face.
    sure : (h,) array
        What of that is surely more than chance and noise.
    far_sd : float
        Standard deviation of the noise on each answer to who lies far.

    Returns
    -------
    float
    """
    sure_square, people_square = float(np.sum(sure**2)), float(variation.variances[: len(variation.modes)].sum())
    sure_share = sure_square / max(float(np.sum(seen**2)), 1e-300)
    surely = max(sure_share - SURE_BY_CHANCE, 0.0) / (1 - SURE_BY_CHANCE)
    return surely * max(UNTOLD * far_sd**3 * people_square - sure_square, 0.0)


def limit_doubt(squares, noise, sure):
    """Return the squares (h,) by which a mean errs along harmonics, if in all they are no more than may be in doubt.

    Of far people who may lie anywhere it is expected that the clip took much. But what it took is put back, and what
    then surely stands out is most of it: the errors are limited to a share of that, or to the noise.

    Parameters
    ----------
    squares, noise : (h,) arrays
        The squares, and what of them is noise.
    sure : (h,) array
        How far the mean surely lies off, in lengths on the face.
    """
    most = max(DOUBTED * float(np.sum(sure**2)), float(noise.sum()))
    return squares * min(1.0, most / max(float(squares.sum()), 1e-300))


def with_unseen(variation, plan, unreleased, off, chance, parts, untold=0.0, is_falling=False):
    """Return the UnreleasedPart with what may lie off there of a cohort that is seen to lie off elsewhere.

    Along modes that is as many times chance as a typical part of the released ones lies off, or what a cohort that
    lies off along harmonics may. Along harmonics, and beyond all axes, it is as much as along the faster half of the
    released ones: what is smooth falls off with frequency.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    unreleased : UnreleasedPart
        Of people like the public ones.
    off : (k,) array
        How far the mean lies off, beyond chance, in lengths on the face.
    chance : (k,) array
        Variances.
    parts : list of (p,) arrays
        How many axes each part has; see `group_axes`.
    untold : float
        Square by which it may lie off along harmonics besides; see `find_untold_square`.
    is_falling : bool
        Whether it goes on falling beyond the released harmonics as it falls along these, where it is expected so.
    """
    axes = unreleased.axes
    is_mode, is_harmonic = axes < len(variation.modes), plan.axes >= len(variation.modes)
    squares, lengths = np.square(unreleased.errors), np.sqrt(variation.variances[axes])
    modes = int((~is_harmonic).sum())
    typical = find_typical_excess(off[:modes], chance[:modes], parts[0]) if modes else 0.0
    slower, faster = (float(np.sum(half**2)) for half in np.split(off[modes:], [(len(off) - modes) // 2]))
    off_square = slower + faster
    more = np.zeros_like(squares)
    if is_mode.any():
        square = ELSEWHERE**2 * (off_square + untold) * is_mode.sum() / len(variation.modes)
        # more of it where people differ more, but less unevenly than they do
        by_harmonics = square * np.where(is_mode, lengths, 0.0) / lengths[is_mode].sum()
        more = np.where(is_mode, np.maximum(by_harmonics, typical * squares), 0.0)
    tail = min(faster, BEYOND**2 * off_square)
    if is_falling:
        tail *= min(1.0, faster / max(slower, 1e-300))
    if (~is_mode).any():
        return replace(unreleased, errors=np.sqrt(squares + more + tail * ~is_mode / (~is_mode).sum()))
    return replace(unreleased, errors=np.sqrt(squares + more), outside=unreleased.outside + tail)
