"""A made-up population whose second moment is known: a few smooth directions with known variances, and a mean."""

from functools import cache

import numpy as np

from shapedp.privacy.learned import face_learning
from shapedp.privacy.learned.face_variation import Variation

SHAPE = (10, 3, 24)
VARIANCES = 1e-4 / np.arange(1, 7) ** 2.0


@cache
def directions():
    """(6, J, 3, m), orthonormal in the mean over the points: smooth, mixed from slow harmonics."""
    slow = face_learning.harmonic_functions(SHAPE, 8).reshape(24, -1)
    mixed = np.random.default_rng(3).standard_normal((6, 24)) @ slow
    points = SHAPE[0] * SHAPE[2]
    return _kept(np.linalg.qr(mixed.T)[0].T.reshape(6, *SHAPE) * np.sqrt(points))


def _kept(values):
    """Values that all tests share, and none may write to."""
    values.setflags(write=False)
    return values


def draw(count, seed, shift=0.0):
    """(count, J, 3, m) people; shift : of the mean along the first direction."""
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal((count, 6)) * np.sqrt(VARIANCES)
    weights[:, 0] += shift
    return center() + np.tensordot(weights, directions(), axes=1) + 1e-4 * rng.standard_normal((count, *SHAPE))


@cache
def center():
    """(J, 3, m)."""
    return _kept(np.random.default_rng(4).standard_normal(SHAPE))


def reading(people):
    """read_rows of people in memory."""
    return lambda start, stop: people[start:stop]


def variation(count=60, seed=1, modes=12, added=10, **guessed):
    """Learned from `count` public people."""
    found = face_learning.learn(reading(draw(count, seed)), count, center(), modes, added)
    guesses = {"quantile": 0.95, "assumed_mean_shift": 0.3, "assumed_shift_outside_modes": 1.0, **guessed}
    return Variation(center=center(), **vars(found), **guesses, source="made up", public=True)
