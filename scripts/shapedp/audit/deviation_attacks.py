"""Attacks on the mechanisms for mean shapes that add noise to deviations from the public center.

All people but one lie at one end of the first released axis, at twice the bound, so that clipping puts them on it; the
last one lies there or at the other end. A release goes through to the shape and is read back from it. The statistic is
the log ratio of the two densities of the coordinates read.
"""

import numpy as np

from shapedp.audit import attack
from shapedp.demo import outlines
from shapedp.manifolds.kendall import shape_of
from shapedp.mechanisms import integer_sums, shape_mechanisms
from shapedp.mechanisms.deviations import knorm
from shapedp.mechanisms.shapes.ball import Ball

PEOPLE = 400  # fewer would be refused: the center alone would be nearer
RADIUS, MODES = 0.2, 8
MU, EPSILON = 2.9661, 1.0


def mechanism(name):
    """The mechanism with what makes it MU-GDP or EPSILON-DP, about the demo's center and without a public set."""
    ball = Ball(PEOPLE, shape_of(outlines.template()), RADIUS, MODES)
    return shape_mechanisms.make(name, ball, {"mu_total": MU, "epsilon": EPSILON})


def sums(made):
    """Exact sums (2, q) of the two neighbouring cohorts."""
    found = made.coordinates
    ends = 2 * found.choice.clip * np.eye(found.choice.axes)[[0, 0]] * [[1.0], [-1.0]]
    one, other = found.integers(found.shape(ends))
    return np.stack([PEOPLE * one, (PEOPLE - 1) * one + other])


def gaussian(source, draws):
    """Lower bound on mu of `shaped`: the coordinate along the pair's difference. The others are independent of it,
    tell nothing, and are left without noise.
    """
    made = mechanism("shaped")
    clip = made.coordinates.choice.clip
    values = []
    for one in sums(made):
        u = np.zeros((draws, len(one)))
        u[:, 0], _ = integer_sums.noised_mean(np.repeat(one[0], draws), clip, PEOPLE, 2 * clip / MU, source)
        values.append(-_read(made, u)[:, 0])
    return attack.attack(*values).mu


def exact_gaussian():
    """d' of the pair: the distance of the two integer sums over the noise, without sampling."""
    made = mechanism("shaped")
    one, other = sums(made)
    return float(np.linalg.norm(one - other)) / (integer_sums.SENSITIVITY / MU)


def pure(source, draws, share=1.0):
    """Lower bound on epsilon of `knorm`, with a share of its noise."""
    made = mechanism("knorm")
    means = sums(made) * (made.coordinates.choice.clip / integer_sums.GRID / PEOPLE)
    sigma = share * made.sensitivity() / EPSILON
    drawn = [_read(made, mean + knorm.sample(means.shape[1], sigma, source.generator(), (draws,))) for mean in means]
    away = [[np.linalg.norm(u - mean, axis=1) for mean in means] for u in drawn]
    return attack.attack(*((first - second) / sigma for first, second in away)).epsilon


def _read(made, u):
    """Coordinates (draws, q) of the shapes that are released for u."""
    found = made.coordinates
    return found.shapes.deviations(found.shape(u)) @ found.axes.T / found.roots
