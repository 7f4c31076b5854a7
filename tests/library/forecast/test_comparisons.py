"""What is foretold of a comparison of groups is what two releases of people like the public ones come to."""

import numpy as np
import pytest

from library.mechanisms.shaped import people
from shapedp.accuracy import predictions
from shapedp.forecast import comparisons, plans
from shapedp.mechanisms import bounds, noise
from shapedp.model import groups, surface
from shapedp.model.mechanism import FaceModel

MU, SCALE = 3.0, 200.0
PUBLIC = people.variation(count=60)


def test_the_people_needed_are_those_that_compare_reckons_from_two_releases():
    n = comparisons.people_needed(PUBLIC, MU, SCALE)
    made = FaceModel.of(PUBLIC, n, MU)
    fields = []
    for seed in (5, 6):
        sums = made.total(people.reading(people.draw(n, seed)), n, np.zeros((n, 0)))
        values = surface.fields(made, *made.draw(sums, noise.SeededNoise(seed)))
        model = surface.Released.of({**values, "radii": np.ones(1), "scale": SCALE}, ())
        fields.append(model.covariances(model.average))
    found = groups.people_needed(fields, [n, n], groups.SHIFT, groups.SHARE)
    assert found == pytest.approx(n, rel=0.2)


def test_its_noise_is_that_of_the_mechanism():
    made = FaceModel.of(PUBLIC, 300, MU)
    foretold, _ = surface.foretold(made)
    assert np.mean(surface.band(foretold) ** 2) == pytest.approx(made.noise_size() ** 2, rel=1e-5)


def test_a_plan_says_it_or_why_there_is_no_model():
    limits = bounds.from_numbers([0.02, 0.03, 0.04], people.SHAPE[0])
    kernel = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
    inputs = predictions.Inputs(people.SHAPE, SCALE, limits, kernel, PUBLIC)
    *_, last = plans.words(inputs, "shaped", 300, MU)
    assert last.endswith(groups.words(comparisons.people_needed(PUBLIC, MU, SCALE))) and "mu = 3:" in last
    *_, last = plans.words(inputs, "shaped", 300, 1e-3)
    assert last.startswith("two groups: a model of 1000 people at mu = 0.001: noise would leave no mode")
