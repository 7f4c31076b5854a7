"""Predictions for a shaped release: those of the mechanism itself, and true on cohorts like the public set."""

import math

import numpy as np
import pytest

from library.mechanisms.shaped import people
from shapedp.accuracy import predictions
from shapedp.mechanisms import curve_mean, curve_mechanisms

VARIATION = people.variation(count=300)
SCALE = 200.0
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}


def test_noise_is_that_of_the_mechanism():
    made = curve_mechanisms.make("shaped", people.SHAPE, 100, VARIATION, people.center(), {"mu_total": 1.0}, KERNEL)
    assert predictions.predict(VARIATION, 100, 1.0, SCALE).noise == pytest.approx(SCALE * made.noise_size(), rel=0.03)


@pytest.mark.parametrize(("n", "mu"), [(60, 1.0), (150, 0.5)])
def test_predicted_and_realised_error_agree_on_ten_cohorts(n, mu):
    made = curve_mechanisms.make("shaped", people.SHAPE, n, VARIATION, people.center(), {"mu_total": mu}, KERNEL)
    predicted = predictions.predict(VARIATION, n, mu, SCALE).error
    for seed in range(10):
        crowd = people.draw(n, 100 + seed)
        kept = made.exact(curve_mean.total(made, people.reading(crowd), n))
        bias = SCALE * math.sqrt(np.mean(np.sum((kept - crowd.mean(axis=0)) ** 2, axis=1)))
        assert math.hypot(SCALE * made.noise_size(), bias) == pytest.approx(predicted, rel=0.15)


def test_sampling_and_the_reference_by_hand():
    """The public people are spread by the sum of the variances, and their mean is the reference's own."""
    found = predictions.predict(VARIATION, 100, 1.0, SCALE)
    spread = SCALE * math.sqrt(people.VARIANCES.sum() + 3 * 1e-8)
    assert found.sampling == pytest.approx(spread / 10, rel=0.1)
    assert found.reference == pytest.approx(spread * math.sqrt(1 / 100 + 1 / 300), rel=0.35)


def test_the_people_needed_are_the_least():
    n = predictions.people_needed(VARIATION, 1.0, SCALE, 0.3)
    assert predictions.predict(VARIATION, n, 1.0, SCALE).error <= 0.3
    assert predictions.predict(VARIATION, n - 1, 1.0, SCALE).error > 0.3
    assert predictions.people_needed(VARIATION, 1.0, SCALE, 1e-9) is None


def test_the_table_has_a_line_for_each_n_and_mu():
    lines = list(predictions.table(VARIATION, SCALE))
    assert lines[0].split("\t") == list(predictions.COLUMNS)
    assert len(lines) == 1 + len(predictions.PEOPLE) * len(predictions.BUDGETS)
    assert all(len(line.split("\t")) == len(predictions.COLUMNS) for line in lines)
