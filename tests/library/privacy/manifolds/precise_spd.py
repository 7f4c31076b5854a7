"""Logarithms and distances on P(k) in 60 decimal digits."""

import mpmath
import numpy as np
from scipy.stats import ortho_group

DIGITS = 60


def hard_pair(k, condition, rng):
    """Two matrices of this condition in random frames."""
    spectrum = np.logspace(0, -np.log10(condition), k)
    frames = [ortho_group.rvs(k, random_state=rng) for _ in range(2)]
    found = [(frame * spectrum) @ frame.T for frame in frames]
    return tuple((one + one.T) / 2 for one in found)


def log_and_dist(x, y):
    """(log_x y, dist(x, y)) of these very doubles, rounded at the end."""
    with mpmath.workdps(DIGITS):
        root, inverse = (_function(mpmath.matrix(x.tolist()), power) for power in (mpmath.sqrt, lambda v: v**-0.5))
        whitened = inverse * mpmath.matrix(y.tolist()) * inverse
        log = _function((whitened + whitened.T) / 2, mpmath.log)
        back = root * log * root
        return np.array(back.tolist(), dtype=float), float(mpmath.norm(log, 2))


def _function(a, function):
    values, vectors = mpmath.eigsy(a)
    return vectors * mpmath.diag([function(value) for value in values]) * vectors.T


def worst_relative(log, dist, k, condition, pairs, seed=0):
    """Largest relative error of log and dist over random hard pairs."""
    rng = np.random.default_rng(seed)
    errors = []
    for _ in range(pairs):
        x, y = hard_pair(k, condition, rng)
        true_log, true_dist = log_and_dist(x, y)
        errors += [np.linalg.norm(log(x, y) - true_log) / np.linalg.norm(true_log), abs(dist(x, y) / true_dist - 1)]
    return max(errors)
