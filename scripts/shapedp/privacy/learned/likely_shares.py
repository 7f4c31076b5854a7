"""How much of a noised mean is likely what it shows: by the likelihood of noised squares, in parts of the axes."""

import numpy as np

# Times chance, that a mean may lie off the public one beyond it.
FAR = np.append(0.0, np.geomspace(0.1, 1e6, 39))
# Shares of the parts that lie off as all of their kind do.
OFTEN = np.linspace(0.05, 0.55, 6)
# Probability beforehand, of a mean face, that it lies off the public mean by chance alone.
LIKE = 0.7


def find_likely_shares(seen, t, noise, parts, weights=(1.0,), like=None):
    """Return how much of each noised coordinate to keep, posterior means (k,), and how sure that is, variances (k,).

    They are of the shares t/(t + noise), over all that what is seen leaves likely: docs/mathematics.md, (11.8).

    Parameters
    ----------
    seen : (k,) array
        Normal about 0, with variance t + noise.
    t : (far, uneven, k) array
        Variances that what is wanted may have. Each part of the axes has a `far` of its own or that of all parts of its
        kind, each axis one of `uneven`, by their weights.
    noise : (k,) array
        Variances.
    parts : list of (p,) arrays
        How many axes each part has; see `group_axes`.
    weights : (uneven,) sequence
        Probabilities beforehand.
    like : float, optional
        Probability beforehand of the first `far`; without it all are as likely.
    """
    likely, shares = _find_likely(seen, t, noise, parts, weights, like), t / (t + noise)
    kept = np.sum(likely * shares, axis=(0, 1))
    return kept, np.sum(likely * (shares - kept) ** 2, axis=(0, 1))


def find_shares_beyond_chance(seen, chance, noise, parts, like=LIKE):
    """Return (k,) the shares of a noised mean that surely tell these people from public ones, beyond chance and noise.

    It is over all that is left likely.

    Parameters
    ----------
    seen : (k,) array
        How far a mean is seen to lie off, in lengths on the face.
    chance, noise : (k,) arrays
        Variances of that, where these people are like the public ones, and of the noise.
    parts : list of (p,) arrays
        How many axes each part has; see `group_axes`.
    like : float
        Probability beforehand that the mean lies off by chance alone.

    Returns
    -------
    (k,) array
    """
    far = FAR[:, None, None]
    variances = chance * (1 + far)
    likely = _find_likely(seen, variances, noise, parts, (1.0,), like)
    return np.sum(likely * variances / (variances + noise) * far / (1 + far), axis=(0, 1))


def find_probability_beyond_chance(seen, chance, noise, parts, like=LIKE):
    """Return (k,) the probability that the parts of an axis' kind lie off by more than chance, where they do so alike.

    Parameters
    ----------
    seen : (k,) array
        How far a mean is seen to lie off, in lengths on the face.
    chance, noise : (k,) arrays
        Variances of that, where these people are like the public ones, and of the noise.
    parts : list of (p,) arrays
        How many axes each part has; see `group_axes`.
    like : float
        Probability beforehand that the mean lies off by chance alone.
    """
    *_, joint = _find_likely_parts(seen, chance * (1 + FAR[:, None, None]), noise, parts, (1.0,), like)
    return np.repeat([1 - of_kind[:, 0].sum() for of_kind in joint], [kind.sum() for kind in parts])


def find_typical_excess(off, chance, sizes):
    """Return how many times chance a typical part of a mean lies off beyond it, to state errors of unreleased axes by.

    It is the geometric mean of 1 + that over the parts of a kind, less 1: a cohort seen to lie off may do so unseen.

    Parameters
    ----------
    off : (k,) array
        How far a mean lies off beyond chance, in lengths on the face.
    chance : (k,) array
        Variances by chance.
    sizes : (p,) array
        How many axes each part has.
    """
    starts = np.cumsum(sizes) - sizes
    times = np.add.reduceat(off**2, starts) / np.add.reduceat(chance, starts)
    return float(np.expm1(np.mean(np.log1p(times))))


def _find_likely(seen, t, noise, parts, weights, like):
    """Return the posterior (far, uneven, k) of how far a mean may lie off along each axis; see `find_likely_shares`."""
    by_axis, alone, mixed, joint = _find_likely_parts(seen, t, noise, parts, weights, like)
    sizes, often = np.concatenate(parts), OFTEN[:, None, None]
    of_parts = [of_kind for of_kind, kind in zip(joint, parts, strict=True) for _ in kind]
    as_all = np.sum(np.stack(of_parts, axis=2) * often * alone / mixed, axis=0)
    far = np.repeat(as_all + (1 - as_all.sum(axis=0)) * alone, sizes, axis=1)
    return far[:, None] * _find_probabilities(by_axis, axis=1)


def _find_likely_parts(seen, t, noise, parts, weights, like):
    """Return how likely each amount is by which a mean may lie off, part by part of the axes, to shrink noise by.

    It is (logarithmic likelihoods of what is seen (far, uneven, k); what they leave likely of each part alone (far, p);
    that mixed with what is likely beforehand (often, far, p); for each kind of axes, what all its parts leave likely
    (often, far) of where they lie off alike).
    """
    whole, sizes, often = t + noise, np.concatenate(parts), OFTEN[:, None, None]
    beforehand = _list_probabilities(len(t), like)[:, None]
    by_axis = np.log(weights)[:, None] - 0.5 * (np.log(whole) + seen**2 / whole)
    by_part = np.add.reduceat(_add_in_logarithms(by_axis), np.cumsum(sizes) - sizes, axis=1)
    alone = _find_probabilities(by_part + np.log(beforehand), axis=0)
    mixed = often * alone + (1 - often) * beforehand
    kinds = np.split(np.log(mixed / beforehand), np.cumsum([len(kind) for kind in parts])[:-1], axis=2)
    joint = [_find_probabilities(kind.sum(axis=2) + np.log(beforehand[:, 0])) for kind in kinds]
    return by_axis, alone, mixed, joint


def _add_in_logarithms(values):
    """Return (far, k) the logarithms of sums over the middle axis of values given by theirs (far, uneven, k).

    Digit for digit as scipy.special.logsumexp, which takes most of its time to look at what it was given: a release
    asks for it hundreds of times.
    """
    if values.shape[1] == 1:
        return values[:, 0]
    largest = values.max(axis=1, keepdims=True)
    is_largest = values == largest
    count = is_largest.sum(axis=1, dtype=float)
    rest = np.exp(np.where(is_largest, -np.inf, values) - largest).sum(axis=1)
    return np.log1p(rest / count) + np.log(count) + largest[:, 0]


def _find_probabilities(values, axis=None):
    """Return probabilities by their logarithms up to a constant, as scipy.special.softmax: they add up to 1."""
    weights = np.exp(values - np.max(values, axis=axis, keepdims=True))
    return weights / np.sum(weights, axis=axis, keepdims=True)


def _list_probabilities(count, like):
    """Return prior probabilities (count,) of how far a mean may lie off: `like` for the first, the rest alike.

    All are alike where that is None.
    """
    if like is None or count == 1:
        return np.full(count, 1 / count)
    return np.append(like, np.full(count - 1, (1 - like) / (count - 1)))


def find_error_shares(kept, doubt, seen, carefully=0.0):
    """Return (k,) by how much shrunk coordinates err, as shares of the noise's variance, for the stated error.

    It is 1 at most.

    Parameters
    ----------
    kept : (k,) array
        The shrinkage factor.
    doubt : (k,) array
        Its posterior variance, which counts times the squared coordinate.
    seen : (k,) array
        The coordinate, in standard deviations of noise.
    carefully : float
        Posterior standard deviations that are added as a margin.
    """
    return np.minimum(1.0, kept + carefully * np.sqrt(doubt) + doubt * seen**2)


def group_axes(variation, plan):
    """Return into how many axes the parts fall along which a mean is taken to lie off alike, so that few tell of many.

    It is for modes and for harmonics: parts of 1, 1, 2, 4, ... modes; where there are harmonics, of 8, 8, 16, ... of
    these.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.

    Returns
    -------
    list of (p,) arrays
    """
    modes = int(np.sum(plan.axes < len(variation.modes)))
    return [double_sizes(count, first) for count, first in ((modes, 1), (len(plan.axes) - modes, 8)) if count]


def find_excess_by_part(away, chance, parts):
    """Return shares (k,) of a mean's length that are surely no chance: they tell on which side far people may lie.

    By these directions it is stated what clips may have taken of them. It is the share above twice the chance, alike
    in each part of the axes.

    Parameters
    ----------
    away : (k,) array
        How far the mean lies off, in lengths on the face.
    chance : (k,) array
        Variances by chance and noise.
    parts : list of (p,) arrays
        How many axes each part has; see `group_axes`.
    """
    sizes = np.concatenate(parts)
    starts = np.cumsum(sizes) - sizes
    of_part, by_chance = np.add.reduceat(away**2, starts), np.add.reduceat(chance, starts)
    return np.repeat(np.sqrt(np.maximum(0.0, 1 - 4 * by_chance / np.maximum(of_part, 1e-300))), sizes)


def double_sizes(count, first):
    """Return sizes first, first, 2 first, 4 first, ... of `count`, the last what is left: of parts, as `group_axes`."""
    ends = first * 2 ** np.arange(20)
    return np.diff([0, *ends[ends < count], count])
