"""The error table's three errors by hand, and its seeded draws against the noise that the mechanism states."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from shapedp.accuracy import comparison
from shapedp.mechanisms import bounds, curve_mean, kernel, noise, smoothing
from shapedp.mechanisms import curve_mechanisms as mechanisms

SHAPE = (4, 3, 16)
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
N = 50


def circle(radius=1.0, samples=16):
    theta = 2 * np.pi * np.arange(samples) / samples
    return radius * np.array([[np.cos(theta), np.sin(theta), 0 * theta]])


def test_points_keep_their_coordinates_together():
    curves = np.arange(24.0).reshape(2, 3, 4)
    assert np.array_equal(comparison.points(curves)[1], curves[0, :, 1])


def test_point_by_point_by_hand():
    assert comparison.mean_square(circle(), circle() + np.array([[[3.0], [0], [4]]])) == pytest.approx(25)


def test_the_nearest_point_ignores_size_and_the_order_of_samples():
    target = circle()
    tree = cKDTree(comparison.points(target))
    assert comparison.nearest_square(circle(7.0), target, tree) == pytest.approx(0, abs=1e-28)
    swapped = target.copy()
    swapped[..., [2, 3]] = target[..., [3, 2]]
    assert 0 < comparison.nearest_square(swapped, target, tree) < comparison.mean_square(swapped, target)


def test_the_scale_is_that_of_least_squares():
    """Radii 1 and 2 against 1 and 1: a = (1 + 2)/(1 + 4)."""
    curves, target = np.concatenate([circle(1.0), circle(2.0)]), np.concatenate([circle(), circle()])
    found = comparison.nearest_square(curves, target, cKDTree(comparison.points(target)))
    assert found == pytest.approx(((1 - 0.6) ** 2 + (1 - 1.2) ** 2) / 2)


def released(name, draws=60):
    """Seeded errors of a mechanism on a made-up cohort, and what there is besides noise."""
    rng = np.random.default_rng(1)
    template = rng.normal(size=SHAPE)
    people = template + 0.1 * rng.normal(size=(N, *SHAPE))
    found = bounds.from_population(lambda a, b: people[a:b], N, template, 1.0, 1.0, "data", False)
    made = mechanisms.make(name, SHAPE, N, found, template, {"mu_total": 2.0}, KERNEL)
    sums = curve_mean.total(made, lambda a, b: people[a:b], N)
    mean = people.mean(axis=0)
    rkhs = template + smoothing.smooth(mean - template, smoothing.filters(SHAPE[2], **KERNEL))
    return made, comparison.errors(made, sums, mean, rkhs, noise.SeededNoise(3), draws)


def test_the_error_to_the_rkhs_mean_is_the_noise_alone():
    """No person is clipped, so that only the noise separates the two: its variance is the one stated."""
    made, found = released("matched")
    mean, error = comparison.summary(found)
    assert abs(mean[1] - made.variances().sum(axis=1).mean()) < 5 * error[1]


def test_a_pointwise_release_is_compared_point_by_point():
    made, found = released("pointwise")
    mean, error = comparison.summary(found)
    assert abs(mean[0] - made.variances().sum(axis=1).mean()) < 5 * error[0]


def test_the_summary_by_hand():
    mean, error = comparison.summary(np.array([[1.0], [3.0]]))
    assert mean[0] == 2
    assert error[0] == pytest.approx(1)


def test_seeded_draws_repeat():
    assert np.array_equal(released("matched_joint", 3)[1], released("matched_joint", 3)[1])
    assert kernel.norm(released("matched_joint", 3)[1]).min() > 0


def cohort(scale=200.0):
    """A made-up cohort and its people."""
    people = np.random.default_rng(1).normal(size=(N, *SHAPE))
    return comparison.Cohort.of(lambda a, b: people[a:b], N, scale, KERNEL), people


def test_no_data_and_chance_by_hand():
    """People are normal in three coordinates: spread 3, sampling 200 sqrt(3/50); a reference 5 away is 1,000 mm."""
    found, people = cohort()
    no_data, chance = found.without_noise(people.mean(axis=0) + np.array([3.0, 0.0, 4.0])[:, None])
    assert (no_data["mechanism"], chance["mechanism"]) == (comparison.NO_DATA, comparison.CHANCE)
    assert no_data["error_mm"] == pytest.approx(1000)
    assert chance["error_mm"] == pytest.approx(200 * np.sqrt(3 / N), rel=0.05)


def test_noise_and_bias_are_apart_and_together():
    """Noise by the mechanism's own account; bias by what it gives without noise; draws err by both."""
    found, people = cohort()
    limits = bounds.from_population(lambda a, b: people[a:b], N, np.zeros(SHAPE), 0.5, 1.0, "data", False)
    made = mechanisms.make("pointwise", SHAPE, N, limits, None, {"mu_total": 2.0}, KERNEL)
    sums = curve_mean.total(made, lambda a, b: people[a:b], N)
    row = found.errors(made, sums, None, noise.SeededNoise(3), 60)
    assert row["noise_mm"] == pytest.approx(200 * made.noise_size())
    assert row["bias_mm"] == pytest.approx(200 * np.sqrt(comparison.mean_square(made.exact(sums), found.mean)))
    assert row["error_mm"] == pytest.approx(np.hypot(row["noise_mm"], row["bias_mm"]))
    assert row["nearest_point_mm"] == pytest.approx(row["error_mm"], rel=0.05)


def test_lines_leave_open_what_a_row_does_not_have():
    header, line = comparison.lines([{"mechanism": comparison.CHANCE, "error_mm": 0.41}])
    assert dict(zip(header.split("\t"), line.split("\t"), strict=True)) == {
        **dict.fromkeys(comparison.COLUMNS, ""),
        "mechanism": comparison.CHANCE,
        "error_mm": "0.41",
    }
