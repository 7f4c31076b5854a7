"""What is made of the noised mean of clipped people, from it and from public people alone.

What the clip took is put back; noise is taken off as far as the mean itself does not say that these people lie off the
public mean. docs/mathematics.md, (11.7), (11.8), (14.7).
"""

from dataclasses import dataclass

import numpy as np
import scipy

from shapedp.privacy.learned.clips import around, clipping_bias, left_by_clipping, nearest, share_left
from shapedp.privacy.learned.face_variation import public_spread, unreleased

UNDOING = 5  # turns
FAR = np.append(0.0, np.geomspace(0.1, 1e6, 39))  # times chance, that a mean lies off beyond it
OFTEN = np.linspace(0.05, 0.55, 6)  # shares of the parts that lie off as all do
LIKE = 0.7  # probability beforehand, of a mean face, that it lies off the public mean by chance alone
CAREFULLY = 0.5  # standard deviations of what is kept of a mean, that are stated as error


@dataclass(frozen=True)
class Restored:
    """What a noised mean u (k,) of clipped people becomes: factors u + moved, which err by `errors` (k,), standard
    deviations; shares (k,) : of what is seen beside the public mean, that is kept; undone : the largest factor by which
    what the clip took was put back; scale : how many times as far as public people these lie about it.
    """

    factors: np.ndarray
    moved: np.ndarray
    errors: np.ndarray
    shares: np.ndarray
    undone: float
    scale: float = 1.0


def restored(
    variation, chosen, n, u, sd, shrinks=True, reach_answer=None, clip=nearest, turns=UNDOING, scale=1.0, like=None
):
    """Return the mean of n people once what the clip took is put back and noise is taken off.

    Both are done as far as they follow from the noised mean and public people.

    Of a mean m with people v about it the clip leaves F(m) = E nearest(m + v), the share k_i of coordinate i. The mean
    is likely to lie off the public one by chance, and by more where the noised mean says so. So m is the public mean +
    what `likely_kept` keeps of x - that, x = m + (u - F(m))/k, in turns. Unless it shrinks, the release is u + m -
    F(m): only what was taken of a mean that is seen. See docs/mathematics.md, (11.7).

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    n : int
        People in the cohort.
    u : (k,) array
        The noised mean of clipped people.
    sd : float or (k,) array
        Standard deviation of its noise.
    shrinks : bool
        Whether the mean is drawn to the public one.
    reach_answer : Told, optional
        How far people lie, where a first stage asked it; public people then lie as far about the mean as it says.
    clip : callable
        (u, tau, weights) -> u, as people were clipped.
    turns : int
        In which the two are found.
    scale : float
        How many times as far as public people these lie, where no first stage asked.
    like : float, optional
        See `likely_kept`.

    Returns
    -------
    Restored
    """
    weights, mean = chosen.weights, public_mean(variation, chosen) / chosen.scales
    chance = (1 / n + 1 / variation.people) * public_spread(variation, chosen) / weights
    parts, likely = alike(variation, chosen), chance * (1 + FAR[:, None, None])
    v, x, kept = around(variation, chosen), u, np.ones_like(u)
    for _ in range(turns):
        shares, _ = likely_kept(x - mean, scale**2 * likely, (sd / kept) ** 2, parts, like=like)
        m = mean + shares * (x - mean)
        if reach_answer is not None:
            errors = np.sqrt(shares) * sd / kept
            scale = reach_answer.about(*(chosen.scales * lengths for lengths in (m, errors, v)))
        people = m + scale * v
        clipped = clip(people, chosen.tau, weights)
        left, kept = clipped.mean(axis=0), share_left(clipped, people)
        x = m + (u - left) / kept
    if not shrinks:
        grown = 1 / (1 - (1 - kept) * shares)
        return Restored(np.ones_like(u), m - left, grown * sd, np.ones_like(u), float(grown.max()), scale)
    shares, doubt = likely_kept(x - mean, scale**2 * likely, (sd / kept) ** 2, parts, like=like)
    careful = errs(shares, doubt, (x - mean) / (sd / kept), CAREFULLY)
    moved = (1 - shares) * mean + shares * (m - left / kept)
    errors = np.sqrt(careful) * sd / kept
    return Restored(shares / kept, moved, errors, shares, float(1 / kept.min()), scale)


def public_mean(variation, chosen):
    """Return (k,) where the public mean lies along the chosen axes, no farther than people do.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    """
    ends = np.sqrt(variation.moments)
    return np.clip(variation.mean, -ends, ends)[chosen.axes]


def towards_public(variation, chosen, n, mean, errors, scale):
    """Return a mean drawn to the public mean as far as noise hides where it lies: (11.8).

    All of the result is `moved`; its factors are 0.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    n : int
        People in the cohort.
    mean, errors : (k,) arrays
        The mean along the axes and by how much it errs, in lengths on the face.
    scale : float
        How many times as far as public people from theirs these lie about it.

    Returns
    -------
    Restored
    """
    public, spread = public_mean(variation, chosen), scale**2 * public_spread(variation, chosen)
    likely = (1 / n + 1 / variation.people) * spread * (1 + FAR[:, None, None])
    shares, doubt = likely_kept(mean - public, likely, errors**2, alike(variation, chosen), like=LIKE)
    careful = np.sqrt(errs(shares, doubt, (mean - public) / errors, CAREFULLY)) * errors
    return Restored(np.zeros_like(mean), public + shares * (mean - public), careful, shares, 1.0, scale)


WIDTHS = 0.5, 1.5  # how many times as far as public people a model's may be told to lie
UNSURE = 0.05  # share by which people's squares differ otherwise than by how far they lie


def restored_by_squares(variation, chosen, n, u, sd, squares, clip, turns):
    """The same of a model's mean, nothing of which is drawn to public people's; how far people lie about it is told by
    squares : (noised mean of |v|^2, v the first so many of a clipped person's u; sd of its noise; how many).

    Of public people so many times as far, about the mean that the noised one becomes with them, the mean of |v|^2 is
    the answer: as near to 1 as twice its noise, chance, and UNSURE of it allow.
    """
    (answer, noise, leading), people = squares, around(variation, chosen)

    def at(scale):
        return restored(variation, chosen, n, u, sd, False, None, clip, turns, scale)

    def beyond(scale):
        restored_mean = at(scale)
        clipped = clip(restored_mean.factors * u + restored_mean.moved + scale * people, chosen.tau, chosen.weights)
        return np.sum(clipped[:, :leading] ** 2, axis=1) - answer

    excess_at_1 = beyond(1.0)
    room, excess_at_1 = np.linalg.norm([2 * noise, excess_at_1.std() / np.sqrt(n), UNSURE * answer]), excess_at_1.mean()
    if abs(excess_at_1) <= room:
        return at(1.0)
    target, last_scale = (room, WIDTHS[0]) if excess_at_1 > 0 else (-room, WIDTHS[1])
    if (beyond(last_scale).mean() - target) * (excess_at_1 - target) > 0:
        return at(last_scale)
    ends = sorted((1.0, last_scale))
    return at(scipy.optimize.brentq(lambda scale: beyond(scale).mean() - target, *ends, xtol=1e-2, rtol=1e-2))


DOUBT = 0.5  # of what the clip took, is what it may err by once it is put back: public people stand for these


def doubted(restored_mean):
    """(k,) by how much a Restored mean errs that is not drawn to public people's: by noise, and where these people
    differ otherwise than public ones.
    """
    return np.hypot(restored_mean.errors, DOUBT * restored_mean.moved)


LEVEL = 1e-3  # of false alarms, were public people as many as they are taken to be


def lies_off(variation, chosen, n, restored_mean, u, counted=slice(None)):
    """Return whether the mean of n people lies off the public mean by more than noise and chance.

    The sum of squared lengths is set beside what is expected of people like the public ones: docs/mathematics.md,
    (11.11).

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    n : int
        People in the cohort.
    restored_mean : Restored
        What their noised mean became.
    u : (k,) array
        That noised mean.
    counted : slice or (k,) bool array
        Which of the axes count.
    """
    mean, spread = public_mean(variation, chosen), public_spread(variation, chosen)
    distances = chosen.scales * (restored_mean.factors * u + restored_mean.moved) - mean
    expected = ((1 / n + 1 / variation.people) * spread + (chosen.scales * restored_mean.errors) ** 2)[counted]
    distances = distances[counted]
    free = degrees(expected)
    most = scipy.special.fdtri(free, free * (variation.people - 1), 1 - LEVEL)
    return bool(distances @ distances > most * expected.sum())


def degrees(shares):
    """(sum)^2 / sum of squares, of the variances of independent normal coordinates."""
    square = float(np.sum(np.square(shares)))
    return float(np.sum(shares)) ** 2 / square if square > 0 else 1.0


def put_back(chosen, u, sd, people, errors):
    """Return the mean of people who were clipped about where it was known to lie, with what that clip took put back.

    This is (11.7) with the errors of where it was known to lie for what is likely. Nothing is drawn to there.

    Parameters
    ----------
    chosen : Choice
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
    Restored
    """
    x, kept = u, np.ones_like(u)
    for _ in range(UNDOING):
        shares = errors**2 / (errors**2 + (sd / kept) ** 2)
        m = shares * x
        clipped = nearest(m + people, chosen.tau, chosen.weights)
        left, kept = clipped.mean(axis=0), share_left(clipped, m + people)
        x = m + (u - left) / kept
    return Restored(1 / kept, m - left / kept, sd / kept, shares, float(1 / kept.min()))


def likely_kept(seen, t, noise, parts, weights=(1.0,), like=None):
    """((k,) means and (k,) variances of the shares t/(t + noise) of what is seen (k,), over all that it leaves likely).

    t (far, uneven, k) : variances that what is wanted may have. Each part of the axes has a `far` of its own or that of
    all parts of its kind, each axis one of `uneven`, by their weights. parts : see `alike`; noise (k,) variances;
    like : probability beforehand of the first `far`, or None where all are as likely; docs/mathematics.md, (11.8).
    """
    likely, shares = _likely(seen, t, noise, parts, weights, like), t / (t + noise)
    kept = np.sum(likely * shares, axis=(0, 1))
    return kept, np.sum(likely * (shares - kept) ** 2, axis=(0, 1))


def kept_beyond_chance(seen, chance, noise, parts, like=LIKE):
    """Return (k,) shares of what is seen that lies beyond what chance explains, over all that is left likely.

    Parameters
    ----------
    seen : (k,) array
        How far a mean is seen to lie off, in lengths on the face.
    chance, noise : (k,) arrays
        Variances of that, where these people are like the public ones, and of the noise.
    parts : list of (p,) arrays
        How many axes each part has; see `alike`.
    like : float
        Probability beforehand that the mean lies off by chance alone.

    Returns
    -------
    (k,) array
    """
    far = FAR[:, None, None]
    variances = chance * (1 + far)
    likely = _likely(seen, variances, noise, parts, (1.0,), like)
    return np.sum(likely * variances / (variances + noise) * far / (1 + far), axis=(0, 1))


def _likely(seen, t, noise, parts, weights, like):
    """(far, uneven, k) what is left likely of the variances t of each axis; as `likely_kept` takes them."""
    whole, sizes, often = t + noise, np.concatenate(parts), OFTEN[:, None, None]
    beforehand = _beforehand(len(t), like)[:, None]
    by_axis = np.log(weights)[:, None] - 0.5 * (np.log(whole) + seen**2 / whole)
    by_part = np.add.reduceat(scipy.special.logsumexp(by_axis, axis=1), np.cumsum(sizes) - sizes, axis=1)
    alone = scipy.special.softmax(by_part + np.log(beforehand), axis=0)
    mixed = often * alone + (1 - often) * beforehand
    kinds = np.split(np.log(mixed / beforehand), np.cumsum([len(kind) for kind in parts])[:-1], axis=2)
    joint = [scipy.special.softmax(kind.sum(axis=2) + np.log(beforehand[:, 0])) for kind in kinds]
    of_parts = [of_kind for of_kind, kind in zip(joint, kinds, strict=True) for _ in range(kind.shape[2])]
    joint = np.stack(of_parts, axis=2)
    as_all = np.sum(joint * often * alone / mixed, axis=0)
    far = np.repeat(as_all + (1 - as_all.sum(axis=0)) * alone, sizes, axis=1)
    return far[:, None] * scipy.special.softmax(by_axis, axis=1)


def _beforehand(count, like):
    """(count,) probabilities: the first is `like`, the others alike; all alike where that is None."""
    if like is None or count == 1:
        return np.full(count, 1 / count)
    return np.append(like, np.full(count - 1, (1 - like) / (count - 1)))


def errs(kept, doubt, seen, carefully=0.0):
    """Return (k,) the error variance of each shrunk coordinate as a share of the noise variance, 1 at most.

    It is the shrinkage factor `kept`, plus its posterior variance `doubt` times the squared coordinate `seen` (in
    standard deviations of noise), plus `carefully` posterior standard deviations as a margin.
    """
    return np.minimum(1.0, kept + carefully * np.sqrt(doubt) + doubt * seen**2)


def alike(variation, chosen):
    """Return how many axes each part has along which a mean may lie off alike, for modes and for harmonics.

    Parts of 1, 1, 2, 4, ... modes; where there are harmonics, of 8, 8, 16, ... of these.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.

    Returns
    -------
    list of (p,) arrays
    """
    modes = int(np.sum(chosen.axes < len(variation.modes)))
    return [_doubled(count, first) for count, first in ((modes, 1), (len(chosen.axes) - modes, 8)) if count]


def share_beyond_chance(away, chance, parts):
    """Return (k,) the share of what a mean lies off that is more than twice what chance explains, alike in each part.

    Parameters
    ----------
    away : (k,) array
        How far the mean lies off, in lengths on the face.
    chance : (k,) array
        Variances by chance and noise.
    parts : list of (p,) arrays
        How many axes each part has; see `alike`.
    """
    sizes = np.concatenate(parts)
    starts = np.cumsum(sizes) - sizes
    of_part, by_chance = np.add.reduceat(away**2, starts), np.add.reduceat(chance, starts)
    return np.repeat(np.sqrt(np.maximum(0.0, 1 - 4 * by_chance / np.maximum(of_part, 1e-300))), sizes)


def _doubled(count, first):
    """Sizes first, first, 2 first, 4 first, ... of `count`, the last what is left."""
    ends = first * 2 ** np.arange(20)
    return np.diff([0, *ends[ends < count], count])


def foretold(variation, chosen, n, unit):
    """Return (noise, bias), the squares per point that are expected of a cohort of n people like the public set.

    Noise is as much of it as is left beside chance; the bias is what is not released or clipped.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    n : int
        People in the cohort.
    unit : float
        Variance of the noise on the mean of u.
    """
    drawn = unit * chosen.weights / left_by_clipping(variation, chosen) ** 2
    return left_of_noise(variation, chosen, n, drawn), expected_beside(variation, chosen, n)


def left_of_noise(variation, chosen, n, drawn):
    """Return the square of what is expected to be left of noise, beside the chance of n people like the public ones.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    n : int
        People in the cohort.
    drawn : (k,) array
        Variances of the noise, in squared lengths on the face.
    """
    spread, chance = public_spread(variation, chosen), 1 / n + 1 / variation.people
    seen = np.sqrt(spread * chance + drawn)
    likely = chance * (1 + FAR[:, None, None]) * spread
    kept = likely_kept(seen, likely, drawn, alike(variation, chosen), like=LIKE)
    return float(errs(*kept, seen / np.sqrt(drawn), CAREFULLY) @ drawn)


def expected_beside(variation, chosen, n):
    """Return the expected square of what of the mean of n people like the public ones is not released, or clipped.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    chosen : Choice
        The released axes and their bound.
    n : int
        People in the cohort.
    """
    left = unreleased(variation, chosen, n)
    return float(left.errors @ left.errors) + left.outside + clipping_bias(variation, chosen, n)
