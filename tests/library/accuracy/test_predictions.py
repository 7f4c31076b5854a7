"""Predictions for a shaped release: those of the mechanism itself, and true on cohorts like the public set."""

import math

import numpy as np
import pytest

from library.mechanisms.shaped import people
from shapedp.accuracy import predictions
from shapedp.errors import ConfigError
from shapedp.mechanisms import bounds, curve_mean, curve_mechanisms

VARIATION = people.variation(count=300)
SCALE = 200.0
LIMITS = bounds.from_numbers([0.02, 0.03, 0.04], people.SHAPE[0])
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
INPUTS = predictions.Inputs(people.SHAPE, SCALE, LIMITS, KERNEL, VARIATION)


def test_noise_is_that_of_the_mechanism():
    made = curve_mechanisms.make("shaped", people.SHAPE, 100, VARIATION, people.center(), {"mu_total": 1.0}, KERNEL)
    assert predictions.predict(VARIATION, 100, 1.0, SCALE).noise == pytest.approx(SCALE * made.noise_size(), rel=0.03)


@pytest.mark.slow
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
    n = INPUTS.people_needed("shaped", 1.0, 0.3)
    assert INPUTS.predict("shaped", n, 1.0).error <= 0.3
    assert INPUTS.predict("shaped", n - 1, 1.0).error > 0.3
    assert INPUTS.people_needed("shaped", 1.0, 1e-9) is None


def test_the_people_needed_by_hand():
    """Noise K/(n mu): 100 mm for 1 person at mu = 1 take 200 people to half a millimetre, 400 at mu = 1/2."""
    k = INPUTS.predict("matched", 1, 1.0).noise
    assert INPUTS.people_needed("matched", 1.0, k / 200) == 200
    assert INPUTS.people_needed("matched", 0.5, k / 200) == 400


@pytest.mark.parametrize("bad", [{"n": 0}, {"mu": -1.0}, {"mu": math.nan}])
def test_questions_without_an_answer_are_refused(bad):
    with pytest.raises(ConfigError, match="must be a positive number"):
        INPUTS.predict("shaped", **{"n": 100, "mu": 1.0, **bad})


def test_without_a_public_set_shaped_cannot_be_foretold():
    alone = predictions.Inputs(people.SHAPE, SCALE, LIMITS, KERNEL)
    with pytest.raises(ConfigError, match="`shaped` cannot be foretold here, but matched_joint"):
        alone.predict("shaped", 100, 1.0)
