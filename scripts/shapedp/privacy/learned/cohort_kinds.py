"""Which kind of cohort noised answers leave likely: like the public people, wider, of heavy tails, or with some far.

A few people who lie much farther than others move both noised answers to how people lie: the mean of w and the mean
direction of lengths. Each alone says little; people who are wider, heavy tails and some who lie far together move them
in different ways. So kinds of cohort are set beside each other, each made of public people, and weighed by Bayes' rule.
docs/mathematics.md, (11.13).
"""

from dataclasses import dataclass

import numpy as np
import scipy

from shapedp.privacy.learned import clips, heavy_tails

# How many times as far as public people others may lie, with weights beforehand; the last is of as far as is told.
WIDTHS, LIKELY_WIDTHS = np.array([1.0, 1.15, 1.3, 1.5]), np.array([0.42, 0.08, 0.08, 0.04, 0.03])
# Weights beforehand of heavy tails, and that some lie far together.
HEAVY, FAR = 0.25, 0.1
# Standard deviations by which answers lie off those of the kinds that are thought of, which are few.
COARSE = 0.015
# No kind answers more than 1, but a file of another laboratory may say anything: farther answers say no more than this.
FARTHEST = 1e3


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


@dataclass(frozen=True)
class Kinds:
    """What is expected of each kind of cohort: the first has heavy tails, then come wider ones, then those some of whom
    lie far.

    means, covariances (h, 3), (h, 3, 3) : of w and direction; beforehand (h,) : weights
    shares, times (g,) : of the last g, how many lie how many times the bound away
    """

    means: np.ndarray
    covariances: np.ndarray
    beforehand: np.ndarray
    shares: np.ndarray
    times: np.ndarray

    def weigh(self, answer):
        """Return the probabilities (h,) of the kinds that an answer (3,) leaves.

        COARSE counts beside the noise where kinds are told apart, and not where it is told how far far people lie.
        """
        off = np.clip(answer, -FARTHEST, FARTHEST) - self.means
        likely = scipy.special.softmax(self._score(off, self.covariances + COARSE**2 * np.eye(3)))
        is_far = slice(len(likely) - len(self.shares), None)
        likely[is_far] = likely[is_far].sum() * scipy.special.softmax(self._score(off, self.covariances)[is_far])
        return likely

    def _score(self, off, covariances):
        """Return logarithms (h,) of how likely kinds are, up to a constant, which lie off an answer by off (h, 3)."""
        squares = (off[:, None] @ np.linalg.solve(covariances, off[:, :, None]))[:, 0, 0]
        return -0.5 * (squares + np.linalg.slogdet(covariances)[1]) + np.log(self.beforehand)


def find_likely_kinds(answers, people, plan, far_scale, scale):
    """Return what answers leave likely of heavy tails, and of people who lie far together.

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
    scale : float
        How many times as far as public people those are told to lie who do not lie far.

    Returns
    -------
    heavy : float
        Probability of heavy tails.
    far_people : clips.FarPeople
        Who likely lies how far.
    """
    kinds = list_kinds(answers, people, plan, far_scale, scale)
    likely = kinds.weigh(np.append(answers.w, answers.direction))
    far_people = clips.FarPeople(likely[-len(kinds.shares) :], kinds.shares, kinds.times, far_scale.threshold)
    return float(likely[0]), far_people


def list_kinds(answers, people, plan, far_scale, scale):
    """Return the Kinds of cohort that are weighed.

    The parameters are as of `find_likely_kinds`; of the answers only n, the noise and `off` count.
    """
    # mirror images answer the same
    people = people[: len(people) // 2]
    heavy_times, heavy_shares = heavy_tails.list_times()
    heavy_rows = _list_answers(heavy_times[:, None, None] * people, answers, plan, far_scale)
    rows = [_list_answers(times * people, answers, plan, far_scale) for times in (*WIDTHS, max(scale, 1.0))]
    weighed = [(heavy_rows, np.repeat(heavy_shares, len(people))), *((of_people, None) for of_people in rows)]
    means = [np.average(of_people, axis=0, weights=weights) for of_people, weights in weighed]
    covariances = [np.cov(of_people.T, aweights=weights) / answers.n for of_people, weights in weighed]
    shares, far_times = (grid.ravel() for grid in np.meshgrid(clips.SHARES, clips.TIMES))
    far_means = np.tile(means[-1], (len(shares), 1))
    far_means[:, 1:] += shares[:, None] * (clips.to_directions(far_times, far_scale) - means[-1][1:])
    rarer = far_times**-far_scale.rarer
    noise = np.diag(np.square([answers.w_sd, answers.direction_sd, answers.direction_sd]))
    return Kinds(
        means=np.concatenate([means, far_means]),
        covariances=noise + np.concatenate([covariances, np.tile(covariances[-1], (len(shares), 1, 1))]),
        beforehand=np.concatenate([[HEAVY], LIKELY_WIDTHS, FAR * rarer / rarer.sum()]),
        shares=shares,
        times=far_times,
    )


def _list_answers(people, answers, plan, far_scale):
    """Return (..., 3) what each person of people (..., k) would answer, w and direction, one after the other."""
    squares, turned = answers.off
    people = people.reshape(-1, people.shape[-1])
    w = clips.clip_to_nearest(people, plan.tau, plan.weights) ** 2 @ plan.weights
    lengths = np.sqrt(np.sum(people**2, axis=1) / plan.tau**2 + turned)
    directions = clips.to_directions(lengths, far_scale)
    return np.column_stack([w / (plan.tau**2 * plan.weights.max()) + squares, directions])
