"""Rejection for many targets at once: order, and giving up loudly."""

import numpy as np
import pytest

from shapedp.manifolds.sphere import Sphere
from shapedp.mechanisms import rejection


def test_the_first_accepted_are_kept_in_order():
    """Target i accepts the points whose number is a multiple of i + 2."""
    count = iter(range(10_000))

    def attempt(rows, width):
        number = np.array([next(count) for _ in range(width)])
        points = np.broadcast_to(number[None, :, None], (len(rows), width, 2)).astype(float)
        return points, number[None, :] % (rows[:, None] + 2) == 0

    drawn = rejection.collect(Sphere(1), 2, 4, 2, attempt)
    assert drawn[0, :, 0].tolist() == [0, 2, 4, 6]
    assert drawn[1, :, 0].tolist() == [0, 3, 6, 9]


@pytest.mark.slow
def test_a_target_that_accepts_nothing_is_an_error(monkeypatch):
    monkeypatch.setattr(rejection, "MOST_PROPOSALS", 1000)

    def attempt(rows, width):
        return np.zeros((len(rows), width, 2)), np.zeros((len(rows), width), bool)

    with pytest.raises(rejection.Exhausted, match="no draw"):
        rejection.collect(Sphere(1), 1, 1, 2, attempt)
