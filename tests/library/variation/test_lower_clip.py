"""A lower clip where nobody was seen far: less noise, and what it takes of a mean that lies far is put back."""

from dataclasses import replace

import numpy as np
import pytest

from library.mechanisms.test_curve_mechanisms import KERNEL
from library.variation import people
from shapedp.mechanisms import curve_mechanisms, integer_sums, noise
from shapedp.mechanisms.curves import learned
from shapedp.variation import face_variation

N, MU = 150, 0.8


def mechanism():
    variation = people.variation()
    made = curve_mechanisms.make(
        "shaped", variation.center.shape, N, variation, variation.center, {"mu_total": MU}, KERNEL
    )
    assert made.first > 0
    return made


def settled(made, answer=0.0):
    return made.settled((np.array([answer]),))


def test_the_bound_is_lowered_where_the_first_stage_saw_nobody_far_and_only_there():
    made = mechanism()
    low, far = settled(made), settled(made, 0.2)
    assert low.lowered == face_variation.lower(made.variation, made.chosen) < 1
    assert low.chosen.tau == pytest.approx(low.lowered * made.chosen.tau) and low.widened == 1
    assert far.lowered == 1 and far.widened > learned.NEAR and far.undone is None
    assert low.noise_size() == pytest.approx(low.lowered * made.noise_size())
    assert (low.n, low.bound, low.noise) == (made.n, made.bound, made.noise)  # what the guarantee follows from


def test_a_mean_that_lies_far_is_put_back_and_one_that_does_not_is_left():
    """Expected means of clipped people about a shifted mean, without noise: nearer to it afterwards, and never less."""
    low = settled(mechanism())
    variation, chosen = low.variation, low.chosen
    v = variation.held_out[:, chosen.axes].astype(float) / chosen.moments**0.25
    v = np.concatenate([v - v.mean(axis=0), v.mean(axis=0) - v])
    m = np.zeros(len(chosen.axes))
    m[0] = 1.5 * np.sqrt(np.mean(v[:, 0] ** 2))
    around = m + v
    clipped = (around * np.minimum(1, chosen.tau / np.linalg.norm(around, axis=1))[:, None]).mean(axis=0)
    factors = face_variation.undoing(variation, chosen, N, clipped, 1e-6)
    assert clipped[0] < 0.97 * m[0]
    assert abs(factors[0] * clipped[0] - m[0]) < 0.2 * abs(clipped[0] - m[0])
    assert (factors >= 1).all() and (factors <= 1 / face_variation.LEAST_KEPT).all()
    nowhere = face_variation.undoing(variation, chosen, N, np.zeros(len(m)), 0.1)
    assert (nowhere == 1).all()


def test_the_error_falls_where_people_are_like_the_public_set():
    made, crowd = mechanism(), people.draw(N, 8)
    mean, errors = crowd.mean(axis=0), {}
    for one in (settled(made), replace(made, first=0.0)):
        sums = integer_sums.total(one, people.reading(crowd), N)
        source = noise.SeededNoise(1)
        off = [one.draw(sums, source) - mean for _ in range(60)]
        errors[one.lowered] = np.sqrt(np.mean(np.square(off)))
    assert min(errors) < 1 and errors[min(errors)] < 0.95 * errors[1.0]


def test_a_released_correction_is_the_noise_fields_too():
    low = settled(mechanism())
    done = low.corrected(np.full(low.coordinates, 0.3 * low.bound / np.sqrt(len(low.gain))))
    assert done.undone > 1
    grown = done.point_variances() / low.point_variances()
    assert grown.max() > 1 and grown.min() >= 1 - 1e-12
