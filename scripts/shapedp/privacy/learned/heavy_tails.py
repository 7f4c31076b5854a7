"""People with heavy tails, a few of whom lie much farther than others, and by how much clips make their mean err.

docs/mathematics.md, (11.13).
"""

import numpy as np
import scipy

from shapedp.privacy.learned import clips

# Degrees of the t law of heavy tails; of how many equal parts of it one person each stands; and how often the last is
# halved, for most of what a wide clip takes is of very few.
FREEDOM, PARTS, HALVES = 3, 36, 8


def find_spread(freedom):
    """Return how many times the square of public people's lengths is the mean of theirs, for so many degrees."""
    return freedom / (freedom - 2)


SPREAD = find_spread(FREEDOM)


def list_times(freedom=FREEDOM):
    """Return how many times as far as public people those of heavy tails lie in each part (p,) of their law.

    And how large a share (p,) each part is. The times are roots of mean squares, so that the last part, which is
    without end, counts as much as it does.

    Parameters
    ----------
    freedom : float
        Degrees of the t law, more than 2.
    """
    ends = np.concatenate([[0.0], 0.5 ** np.arange(HALVES, -1, -1) / PARTS, np.arange(2, PARTS + 1) / PARTS])
    # Chi-squared's laws: scipy.stats has them, too, and takes half a second to load.
    halves = scipy.special.gammaincinv(freedom / 2, ends)
    # E freedom/x up to a quantile, of a chi-squared x
    squares = scipy.special.gammainc(freedom / 2 - 1, halves) * find_spread(freedom)
    shares = np.diff(ends)
    return np.sqrt(np.diff(squares) / shares)[::-1], shares[::-1]


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
    times, shares = list_times()
    return shares @ [np.mean((many * people - clip(many) / kept) ** 2, axis=0) for many in times]
