"""What a clip took of people who lie far on one side, along each axis.

Whoever lies far is clipped to the nearest within the bound, which takes most along the axes that count least on the
face. What is put back as of public people does not know of it. But the direction in which a mean is seen to lie, and
how far they are told to lie, say together what was taken: docs/mathematics.md, (11.13).
"""

from dataclasses import dataclass

import numpy as np

from shapedp.privacy.learned import clips

SHORTEST = 0.7  # of the length that is told, have those from whom on lengths fall off as the third power
PRICES = np.geomspace(1e-4, 1e3, 300)  # that are tried of what lies beyond a bound


@dataclass(frozen=True)
class FarLoss:
    """What a clip took of a mean: taken (k,) along the axes, as is expected, errors (k,) by how much that is in doubt.

    explained (h,) : of each thing that is told of far people, the share of people who lie far where the mean is seen to
    """

    taken: np.ndarray
    errors: np.ndarray
    explained: np.ndarray


def lost_on_one_side(far_people, seen, people_squares, plan, asked):
    """Return the FarLoss of people who lie far on the side on which their mean is seen to lie.

    With so many of them, each beyond the bound by as much, the nearest within it is g_i = x_i/(1 + s/m_i), and the mean
    is seen at their share of g. What they add to it, their lengths within the bound and those that were told leave one
    s and one share for each length.

    Parameters
    ----------
    far_people : clips.FarPeople
        What is told of them.
    seen : (k,) array
        How far the mean lies off, noise and chance taken off, in lengths on the face.
    people_squares : (k,) array
        Mean squares of people's own lengths about their mean.
    plan : Choice
        The axes and the bound to which people were clipped.
    asked : Choice
        The same axes, in whose units and bound it was asked how far people lie.

    Returns
    -------
    FarLoss
    """
    none = FarLoss(np.zeros_like(seen), np.zeros_like(seen), np.zeros_like(far_people.shares))
    square = float(np.sum((seen / plan.scales) ** 2))
    if not square > 0:
        return none
    ratios = plan.weights.max() * PRICES[:, None] / plan.weights
    own = np.sum(people_squares / (plan.scales * (1 + ratios)) ** 2, axis=1)
    # 1/share^2: what of the bound is left for where they lie
    rarities = (plan.tau**2 - own) / square
    is_beyond = rarities > 0
    if not is_beyond.any():
        return none
    ratios, rarities = ratios[is_beyond], rarities[is_beyond]
    unclipped = np.sum((seen * (1 + ratios) / asked.scales) ** 2, axis=1)
    own_unclipped = float(np.sum(people_squares / asked.scales**2))
    lengths = np.sqrt(unclipped * rarities + own_unclipped) / asked.tau
    times, at = np.unique(far_people.times, return_inverse=True)
    prices = np.interp(times, lengths, ratios[:, 0], left=0.0)[:, None] * plan.weights[0]
    grown = np.sum((seen * (1 + prices / plan.weights) / asked.scales) ** 2, axis=1)
    shares = np.sqrt(grown / np.maximum((times * asked.tau) ** 2 - own_unclipped, 1e-300))[at]
    explained = np.minimum(far_people.shares, shares)
    likely = np.bincount(at, far_people.likely * explained / shares, len(times))
    losses = seen * prices / plan.weights
    taken = likely @ losses
    # mean distances, not squares: of these, what is hardly likely but far would be nearly all
    errors = likely @ np.abs(losses - taken) + max(1 - likely.sum(), 0.0) * np.abs(taken)
    return FarLoss(taken, errors, explained)


def lost_all_round(far_people, explained, n, bound):
    """Return the square of what a clip is expected to have taken of a mean of people who lie far on any side.

    It is the square of the expected length: of an expected square, what is hardly likely but far would be nearly all.

    Parameters
    ----------
    far_people : clips.FarPeople
        What is told of them.
    explained : (h,) array
        The share of people, of each thing that is told, who lie far where the mean does.
    n : int
        People.
    bound : float
        To which they were clipped, in units of the bound that their lengths were asked in; so is the result.

    Returns
    -------
    float
    """
    squares = clips.square_beyond(SHORTEST * far_people.times, bound)
    return float(np.sqrt((far_people.shares - explained) * squares / n) @ far_people.likely) ** 2
