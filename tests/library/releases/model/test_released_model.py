"""Groups compared: false alarms of nothing, planted differences found where the power says so."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.releases.model import released_model

POINTS, MODES = 400, 12


def surface_noise(rng):
    """(MODES, POINTS, 3) smooth fields, and the covariance (POINTS, 3, 3) of their random sum."""
    s = np.linspace(0, 1, POINTS)
    fields = np.array([np.cos(np.pi * k * s)[:, None] * rng.normal(size=3) / (1 + k) for k in range(MODES)])
    return fields, np.einsum("kni,knj->nij", fields, fields) + 1e-4 * np.eye(3)


def draw(rng, fields):
    return np.einsum("k,kni->ni", rng.normal(size=MODES), fields) + 0.01 * rng.normal(size=(POINTS, 3))


def test_the_rule_is_benjamini_and_hochbergs():
    p = np.array([0.019, 0.9, 0.001, np.nan, 0.0199, 0.034])  # the largest k with p_(k) <= .05 k/6 is 3
    assert released_model.discoveries(p, 0.05).tolist() == [True, False, True, False, True, False]


@pytest.mark.slow
def test_equal_groups_show_anything_in_at_most_7_of_100_runs():
    rng = np.random.default_rng(2)
    fields, covariance = surface_noise(rng)
    alarms = [released_model.compare(draw(rng, fields), covariance).exceeds.any() for _ in range(500)]
    assert np.mean(alarms) <= 0.07


@pytest.mark.slow
def test_a_planted_difference_is_found_where_it_is():
    rng = np.random.default_rng(3)
    fields, covariance = surface_noise(rng)
    planted = np.zeros((POINTS, 3))
    planted[100:180, 2] = 4 * np.sqrt(covariance[100:180, 2, 2].max())
    found = [released_model.compare(draw(rng, fields) + planted, covariance).exceeds for _ in range(50)]
    share = np.mean(found, axis=0)
    assert share[110:170].mean() > 0.8
    assert share[:80].mean() < 0.1


def test_a_shift_as_large_as_said_is_detected_with_the_power_said():
    rng = np.random.default_rng(4)
    c = np.diag([0.04, 0.09, 0.25])
    shift = released_model.detectable(c[None])[0] * np.array([0, 0, 1.0])
    d = rng.multivariate_normal(shift, c, 4000)
    p = released_model.compare(d, np.tile(c, (4000, 1, 1)), rate=0.05).p_values
    assert_allclose(np.mean(p <= 0.05), 0.8, atol=0.03)
