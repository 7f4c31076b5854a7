"""An attack on both stages of `shaped` at once: how far people lie, then the release with the bound that this widened.

The person who is replaced lies at the bound in one data set and sixteen times as far, on the other side, in its
neighbour: each stage moves by its whole sensitivity. The attacker sees the noised answer and, given the bound that
follows from it, the noised coordinate in which the two differ: the log likelihood ratio of both is the statistic.
"""

import numpy as np

from shapedp.audit import attack, curve_attacks
from shapedp.mechanisms import curve_mean, curve_mechanisms, integer_sums
from shapedp.mechanisms.shaped import reach

PEOPLE = 20
NEAR, FAR = -0.999, 1.001 * reach.WIDEST  # of the bound


def mechanism():
    """Two stages, MU-GDP together."""
    learned, budget = curve_attacks.learned(curve_attacks.public_people()), {"mu_total": curve_attacks.MU}
    center, kernel = np.zeros(curve_attacks.SHAPE), curve_attacks.KERNEL
    return curve_mechanisms.make("shaped", curve_attacks.SHAPE, PEOPLE, learned, center, budget, kernel)


def pair(made):
    """(2, J, 3, m) the person as they are and as they are in the neighbour; all others are like the first."""
    away = made.bound / made.gain[0] * made.axes[0].astype(float)
    return made.center + np.multiply.outer([NEAR, FAR], away)


def exact():
    """(claim, d' of the two stages together where the first leaves the bound as it is)."""
    made = mechanism()
    apart = [np.linalg.norm(np.subtract(*stage)) / integer_sums.GRID for stage in (_first(made), _second(made, 1.0))]
    return made.mu, float(np.hypot(made.first * apart[0], made.bound * apart[1]) / integer_sums.NOISE)


def drawn(source, draws):
    """(claim, lower bound) from `draws` releases of either data set."""
    made = mechanism()
    return made.mu, attack.attack(*(_ratios(made, side, source, draws) for side in (0, 1))).mu


def _ratios(made, side, source, draws):
    """(draws,) log likelihood ratios of releases of the data set in which the person is pair[side]."""
    others = (PEOPLE - 1) * _first(made)[0]
    openings = (others + _first(made)).ravel()
    answers, _ = reach.noised(np.repeat(openings[side], draws), PEOPLE, made.first, source)
    means = (openings / integer_sums.GRID / PEOPLE + 1) / 2
    ratios = _ratio(answers, *means, 1 / (PEOPLE * made.first))
    widened = [reach.factor(answer, PEOPLE, made.first) for answer in answers]
    sums = np.array([(PEOPLE - 1) * second[0] + second for second in (_second(made, one)[:, 0] for one in widened)])
    step = made.bound / integer_sums.GRID / PEOPLE
    seen, _ = integer_sums.noised_mean(sums[:, side], made.bound, PEOPLE, made.noise, source)
    return ratios + _ratio(seen, *(step * sums.T), made.noise / PEOPLE)


def _first(made):
    """(2, 1) whole numbers of the pair in the first stage."""
    return reach.integers(made.lengths(pair(made)))


def _second(made, widened):
    """(2, k) whole numbers of the pair in the second stage, the bound so many times as wide."""
    return curve_mean.integers(made.widened_by(widened), pair(made))


def _ratio(seen, first, second, sd):
    return (((seen - first) / sd) ** 2 - ((seen - second) / sd) ** 2) / 2
