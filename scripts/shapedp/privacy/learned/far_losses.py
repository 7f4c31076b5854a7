"""What a clip took of people who lie far on one side, along each axis.

Whoever lies far is clipped to the nearest within the bound, which takes most along the axes that count least on the
face. What is put back as of public people does not know of it. But the direction in which a mean is seen to lie, and
how far they are told to lie, say together what was taken: docs/mathematics.md, (11.13).
"""

from dataclasses import dataclass

import numpy as np

from shapedp.privacy.learned import clips

# Of the length that is told: from there on the lengths of far people fall off as the third power.
SHORTEST = 0.7
# Tried prices s of what lies beyond a bound.
PRICES = np.geomspace(1e-4, 1e3, 300)


@dataclass(frozen=True)
class FarLoss:
    """What a clip took of a mean along the axes.

    taken : (k,) as is expected; errors : (k,) by how much that is in doubt
    explained : (h,) of each possibility that is left of far people, the share who lie far where the mean is seen to
    """

    taken: np.ndarray
    errors: np.ndarray
    explained: np.ndarray


def find_one_sided_loss(far_people, seen, people_squares, plan, length_plan):
    """Return what a clip took of people who lie far on one side, so that it can be put back along each axis.

    They lie on the side on which their mean is seen to lie. With so many of them, each beyond the bound by as much, the
    nearest within it is g_i = x_i/(1 + s/m_i), and the mean is seen at their share of g. What they add to it, their
    lengths within the bound and those that were told leave one s and one share for each length.

    Parameters
    ----------
    far_people : clips.FarPeople
        What is told of them.
    seen : (k,) array
        How far the mean lies off, noise and chance taken off, in lengths on the face.
    people_squares : (k,) array
        Mean squares of people's own lengths about their mean.
    plan : ReleasePlan
        The axes and the bound to which people were clipped.
    length_plan : ReleasePlan
        The same axes, in whose units and bound it was asked how far people lie.

    Returns
    -------
    FarLoss
    """
    no_loss = FarLoss(np.zeros_like(seen), np.zeros_like(seen), np.zeros_like(far_people.shares))
    square = float(np.sum((seen / plan.scales) ** 2))
    if not square > 0:
        return no_loss
    ratios = plan.weights.max() * PRICES[:, None] / plan.weights
    own_squares = np.sum(people_squares / (plan.scales * (1 + ratios)) ** 2, axis=1)
    # 1/share^2: what of the bound is left for where they lie
    rarities = (plan.tau**2 - own_squares) / square
    is_beyond = rarities > 0
    if not is_beyond.any():
        return no_loss
    ratios, rarities = ratios[is_beyond], rarities[is_beyond]
    length_squares = np.sum((seen * (1 + ratios) / length_plan.scales) ** 2, axis=1)
    own_length_square = float(np.sum(people_squares / length_plan.scales**2))
    lengths = np.sqrt(length_squares * rarities + own_length_square) / length_plan.tau
    times, at = np.unique(far_people.times, return_inverse=True)
    prices = np.interp(times, lengths, ratios[:, 0], left=0.0)[:, None] * plan.weights[0]
    mean_squares = np.sum((seen * (1 + prices / plan.weights) / length_plan.scales) ** 2, axis=1)
    shares = np.sqrt(mean_squares / np.maximum((times * length_plan.tau) ** 2 - own_length_square, 1e-300))[at]
    explained = np.minimum(far_people.shares, shares)
    likely = np.bincount(at, far_people.likely * explained / shares, len(times))
    losses = seen * prices / plan.weights
    taken = likely @ losses
    # mean distances, not squares: of these, what is hardly likely but far would be nearly all
    errors = likely @ np.abs(losses - taken) + max(1 - likely.sum(), 0.0) * np.abs(taken)
    return FarLoss(taken, errors, explained)


def find_scattered_loss(far_people, explained, n, bound):
    """Return the square by which a mean may err for what a clip took of people who lie far on any side.

    It is the square of the expected length: of an expected square, what is hardly likely but far would be nearly all.
    Where it is not told that anybody lies far, it is the geometric mean of both: that is then hardly likely, too.

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
    squares = clips.find_square_beyond(SHORTEST * far_people.times, bound)
    squares = (far_people.shares - explained) * squares / n
    square_of_expected = float(np.sqrt(squares) @ far_people.likely) ** 2
    if far_people.is_told:
        return square_of_expected
    return float(np.sqrt(square_of_expected * (squares @ far_people.likely)))
