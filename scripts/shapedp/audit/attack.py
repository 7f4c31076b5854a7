"""Attack a mechanism on two neighbouring data sets, and bound from below what it gave away.

Many outputs of either data set are compared by a statistic; on one half of them the best threshold is chosen, on the
other half its error rates are counted. With Clopper-Pearson bounds a on the false alarms and b on the misses, no mu-GDP
mechanism has mu below Phi^-1(1 - a) - Phi^-1(b), and no epsilon-DP one epsilon below log((1 - b)/a) or
log((1 - a)/b): with confidence 99.9 %. Which of the two is used is chosen on the first half as well.

See docs/mathematics.md, (9.1).
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import beta, norm

CONFIDENCE = 0.999
THRESHOLDS = 200
TAILS = 0.02, 0.98  # where thresholds are looked for; farther out the counts are too small to bound rates


@dataclass(frozen=True)
class Finding:
    """Lower bounds, from the same attack: mu of GDP and epsilon of pure DP."""

    mu: float
    epsilon: float


def upper_rate(hits, trials, confidence=CONFIDENCE):
    """Clopper-Pearson upper bound on the rate behind `hits` of `trials`; half of the failure probability each side."""
    tail = (1 - confidence) / 2
    return np.where(hits < trials, beta.ppf(1 - tail, hits + 1, np.maximum(trials - hits, 1)), 1.0)


def attack(first, second):
    """Finding from the statistic's values on outputs of two neighbouring data sets; large values speak for the
    second.
    """
    (learn_a, judge_a), (learn_b, judge_b) = _halves(first), _halves(second)
    candidates = np.quantile(np.concatenate([learn_a, learn_b]), np.linspace(*TAILS, THRESHOLDS))
    alarms, misses = _rates(learn_a, learn_b, candidates)
    at_mu = candidates[np.argmax(norm.isf(alarms) - norm.ppf(misses))]
    side, place = np.unravel_index(np.argmax(_ratios(alarms, misses)), (2, len(candidates)))
    a, b = _rates(judge_a, judge_b, np.array([at_mu, candidates[place]]))
    epsilon = np.log(max(_ratios(a, b)[side, 1], 1.0))
    return Finding(float(norm.isf(a[0]) - norm.ppf(b[0])), float(epsilon))


def _ratios(alarms, misses):
    """(2, b) factors by which an output is more likely under one data set: above the threshold, and below it."""
    return np.stack([(1 - misses) / alarms, (1 - alarms) / misses])


def _halves(values):
    middle = len(values) // 2
    return values[:middle], values[middle:]


def _rates(first, second, thresholds):
    """Upper bounds on false alarms and misses of the test `value > threshold`, for each threshold."""
    alarms = len(first) - np.searchsorted(np.sort(first), thresholds, side="right")
    misses = np.searchsorted(np.sort(second), thresholds, side="right")
    return upper_rate(alarms, len(first)), upper_rate(misses, len(second))
