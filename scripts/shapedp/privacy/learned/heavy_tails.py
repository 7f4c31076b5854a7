"""How likely a cohort has heavy tails, of whom too few lie far to be told, and by how much a mean then errs.

A few people who lie much farther than others move both noised answers to how people lie: the mean of w and the mean
direction of lengths. Each alone says little; people who are wider, two kinds of people and a minority far off move one
or the other. So kinds of cohort are set beside each other, each made of public people, and what a mean of people with
heavy tails errs by counts as often as the answers make them likely. docs/mathematics.md, (11.13).
"""

from dataclasses import dataclass

import numpy as np
import scipy

from shapedp.privacy.learned import clips

# Degrees of the t law of heavy tails; of how many equal parts of it one person each answers, and is clipped.
FREEDOM, PARTS, PARTS_CLIPPED = 3, 12, 36
# How many times as far as public people others may lie, with weights beforehand.
WIDTHS, LIKELY_WIDTHS = np.array([1.0, 1.15, 1.3, 1.5]), np.array([0.5, 0.1, 0.1, 0.05])
# Weights beforehand that some lie far together, and of heavy tails.
FAR, HEAVY = 0.15, 0.2


@dataclass(frozen=True)
class Answers:
    """What noised answers say of how n people lie about an early mean.

    w, direction (2,) : as noised; w_sd, direction_sd : of their noise; off : error of that mean, squared, in units of
    the bound, on the face and in lengths
    """

    n: int
    w: float
    direction: np.ndarray
    w_sd: float
    direction_sd: float
    off: tuple[float, float]


def find_probability(answers, people, plan, far_scale):
    """Return the probability that a cohort has heavy tails.

    Parameters
    ----------
    answers : Answers
        What is told.
    people : (2p, k) array
        Public ones about their mean, in u, and their mirror images.
    plan : ReleasePlan
        Axes and bound by which it was asked.
    far_scale : clips.FarScale
        By which directions follow from lengths.

    Returns
    -------
    float
    """
    return weigh_heavy_tails(np.append(answers.w, answers.direction), *list_kinds(answers, people, plan, far_scale))


def weigh_heavy_tails(answer, means, covariances, beforehand):
    """Return the probability of heavy tails, the first of kinds, that an answer leaves; `find_probability` lists these.

    Parameters
    ----------
    answer : (3,) array
        Noised w and direction.
    means, covariances, beforehand : (h, 3), (h, 3, 3), (h,) arrays
        What is expected of each kind, as `list_kinds` has it.

    Returns
    -------
    float
    """
    off = answer - means
    squares = (off[:, None] @ np.linalg.solve(covariances, off[:, :, None]))[:, 0, 0]
    # logarithms of likelihoods
    scores = -0.5 * (squares + np.linalg.slogdet(covariances)[1])
    return float(scipy.special.softmax(scores + np.log(beforehand))[0])


def list_kinds(answers, people, plan, far_scale):
    """Return what noised answers are expected of each kind of cohort, of which the first has heavy tails.

    The parameters are as of `find_probability`; of the answers only n, the noise and `off` count.

    Returns
    -------
    means, covariances : (h, 3), (h, 3, 3) arrays
        Of w and direction.
    beforehand : (h,) array
        The weight of each kind.
    """
    # mirror images answer the same
    people = people[: len(people) // 2]
    times = (list_times(PARTS), *WIDTHS)
    rows = [_list_answers(people * np.reshape(many, (-1, 1, 1)), answers, plan, far_scale) for many in times]
    means = [people_rows.mean(axis=0) for people_rows in rows]
    covariances = [np.cov(people_rows.T) / answers.n for people_rows in rows]
    shares, far_times = (grid.ravel() for grid in np.meshgrid(clips.SHARES, clips.TIMES))
    alike = means[1]
    far_means = np.tile(alike, (len(shares), 1))
    far_means[:, 1:] += shares[:, None] * (clips.to_directions(far_times, far_scale.turn) - alike[1:])
    rarer = far_times**-far_scale.rarer
    noise = np.diag(np.square([answers.w_sd, answers.direction_sd, answers.direction_sd]))
    return (
        np.concatenate([means, far_means]),
        noise + np.concatenate([covariances, np.tile(covariances[1], (len(shares), 1, 1))]),
        np.concatenate([[HEAVY], LIKELY_WIDTHS, FAR * rarer / rarer.sum()]),
    )


def list_times(parts):
    """Return how many times as far as public people those of heavy tails lie, one a part (parts,) of equal parts."""
    # Quantiles of chi-squared: scipy.stats has them, too, and takes half a second to load.
    squares = 2 * scipy.special.gammaincinv(FREEDOM / 2, (np.arange(parts) + 0.5) / parts)
    return np.sqrt(FREEDOM / squares)


def find_lost_squares(people, plan, scale):
    """Return the mean squares (k,) of what a clip takes of one of a cohort with heavy tails, along the axes.

    What it takes of public people, as far as these are told to lie, is put back of them: what then is missing, or too
    much, counts.

    Parameters
    ----------
    people : (2p, k) array
        Public ones about their mean, in u, and their mirror images.
    plan : ReleasePlan
        Axes and bound to which people were clipped.
    scale : float
        How many times as far as public people these are told to lie.
    """
    people = people[: len(people) // 2]

    def clip(times):
        return clips.clip_to_nearest(times * people, plan.tau, plan.weights)

    kept = clips.find_share_left(clip(scale), scale * people)
    return np.mean(
        [np.mean((times * people - clip(times) / kept) ** 2, axis=0) for times in list_times(PARTS_CLIPPED)], axis=0
    )


def _list_answers(people, answers, plan, far_scale):
    """Return (..., 3) what each person of people (..., k) would answer, w and direction, one after the other."""
    squares, turned = answers.off
    people = people.reshape(-1, people.shape[-1])
    w = clips.clip_to_nearest(people, plan.tau, plan.weights) ** 2 @ plan.weights
    lengths = np.sqrt(np.sum(people**2, axis=1) / plan.tau**2 + turned)
    directions = clips.to_directions(lengths, far_scale.turn)
    return np.column_stack([w / (plan.tau**2 * plan.weights.max()) + squares, directions])
