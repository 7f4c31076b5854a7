"""The test whether several groups' released means differ: its law under equal means, its power, what it refuses."""

from types import SimpleNamespace

import numpy as np
import pytest

from shapedp.base.errors import ArtifactError
from shapedp.releases.model import compared
from shapedp.releases.model.compared import Group

SPREAD = np.array([0.6, 0.5, 0.3, 0.2, 0.1])


def group(rng, n=200, away=0.0, s1=0.0, s3=0.0):
    """Of n people with variances SPREAD, their mean `away` on the first axis; s1, s3 : noise on entries of M1, M3."""
    count = len(SPREAD)
    u = rng.standard_normal((n, count)) * np.sqrt(SPREAD)
    u[:, 0] += away
    upper = np.triu(rng.normal(0, s3 / np.sqrt(2), (count, count)), 1)
    m1 = u.sum(axis=0) + rng.normal(0, s1, count)
    m3 = u.T @ u + upper + upper.T + np.diag(rng.normal(0, s3, count))
    raw = m3 / n - np.outer(m1, m1) / n**2 + (s1 / n) ** 2 * np.eye(count)
    off = s3 / n * np.where(np.eye(count), 1, np.sqrt(0.5))
    return Group(m1 / n, (s1 / n) ** 2 * np.eye(count), raw, n, off)


@pytest.mark.parametrize("noise", [{}, {"s1": 5.0, "s3": 8.0}])
@pytest.mark.parametrize("sizes", [(200, 200, 200), (100, 400, 200, 150)])
def test_equal_means_are_told_apart_in_five_of_a_hundred(noise, sizes):
    rng = np.random.default_rng(1)
    p_values = [compared.test([group(rng, n, **noise) for n in sizes]).p_value for _ in range(1500)]
    assert 0.035 < np.mean(np.array(p_values) < 0.05) < 0.065
    assert 0.46 < np.mean(p_values) < 0.54


def test_two_groups_by_hand():
    first, second = (Group(np.array([x, 0.0]), np.zeros((2, 2)), np.eye(2), 100.0, np.zeros((2, 2))) for x in (0, 0.3))
    # w = 50 each: T = 2 * 50 * 0.15^2, its mean is 2 * (50 - 25) * 0.02
    assert compared.test([first, second]).statistic == pytest.approx(2 * 50 * 0.15**2 / (2 * 25 * 0.02))


def test_noise_for_privacy_is_no_difference_but_a_difference_is():
    rng = np.random.default_rng(2)
    loud = [compared.test([group(rng, s1=40.0, s3=8.0) for _ in range(3)]).p_value < 0.05 for _ in range(300)]
    assert np.mean(loud) < 0.09
    apart = [compared.test([group(rng, away=x, s1=5.0, s3=8.0) for x in (0, 0, 0.5)]).p_value for _ in range(50)]
    assert np.median(apart) < 1e-4


def test_models_with_other_axes_are_refused():
    models = [SimpleNamespace(axes=name, coordinate_noise=np.ones(3)) for name in ("a", "b")]
    with pytest.raises(ArtifactError, match=r"not made with the same public set.*faces.variation"):
        compared.compare_models(models)


def test_a_model_whose_spread_noise_hides_is_refused():
    hidden = Group(np.zeros(2), np.zeros((2, 2)), -np.eye(2), 100.0, np.zeros((2, 2)))
    with pytest.raises(ArtifactError, match="leave that model out"):
        compared.test([hidden, hidden])


def test_noise_on_peoples_spread_has_the_lengths_of_coordinates_and_not_those_of_the_mean():
    """A clip that leaves the mean unsure leaves the noise on the third sum as it is."""
    unit, unsure = np.array([2.0, 3.0]), np.array([20.0, 30.0])
    model = SimpleNamespace(
        inverse=np.array([[0.01]]),
        average=np.ones(1),
        moment_noise=np.array([1.0, np.inf, 4.0]),
        coordinates=np.zeros((1, 2)),
        coordinate_unit=unit,
        coordinate_noise=unsure,
        coordinate_residual=np.eye(2),
        people=100.0,
    )
    made = Group.from_model(model, 2)
    expected = 0.04 * np.array([[4.0, 6.0 / np.sqrt(2)], [6.0 / np.sqrt(2), 9.0]])
    np.testing.assert_allclose(made.moment_noise, expected)
    np.testing.assert_allclose(np.diag(made.noise), 1e-4 * unsure**2)
