"""What a face release states of itself agrees with the mechanism that draws it."""

from dataclasses import replace

import numpy as np
import pytest

from shapedp.mechanisms import bounds, noise
from shapedp.mechanisms import curve_mechanisms as mechanisms
from shapedp.releases import conditions, face_facts

SHAPE = (4, 3, 16)
N = 30
ASKED = {"kernel": {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}, "persons": "refuse", "tuned_on": "public"}
SOUND = face_facts.Evidence(("curves", "face_curves", "template"), listed=N, used=N, persons=N, named=True)
PEOPLE = 0.1 * np.random.default_rng(0).normal(size=(40, *SHAPE))
DEMO = {"source": "demo", "public": True, "scale": 200.0}


def stated(name, public=True, source=None, template=DEMO, evidence=SOUND):
    found = bounds.from_population(lambda a, b: PEOPLE[a:b], 40, np.zeros(SHAPE), 0.9, 1.2, "a set", public)
    reference = np.zeros(SHAPE)
    made = mechanisms.make(name, SHAPE, N, found, reference, {"mu_total": 2.0}, ASKED["kernel"])
    source = source or noise.SecureNoise()
    return made, face_facts.facts(
        made, made.inputs(ASKED["kernel"]), N, found, template, reference, ASKED, evidence, source
    )


def broken(facts):
    """Names of the conditions that do not hold."""
    return {check.name for check in conditions.check(facts) if not check.holds}


@pytest.mark.parametrize("name", mechanisms.NAMES)
def test_a_public_release_breaks_no_condition(name):
    assert not broken(stated(name)[1])


@pytest.mark.parametrize("name", mechanisms.NAMES)
def test_bounds_from_the_data_and_seeds_break_one(name):
    assert broken(stated(name, public=False)[1])
    assert broken(stated(name, source=noise.SeededNoise(1))[1])


@pytest.mark.parametrize(
    ("found", "condition"),
    [
        ({"listed": N + 1}, "fixed_count"),
        ({"persons": N - 1}, "one_record_a_person"),
        ({"made_of": ("curves", "face_curves", "template", "mean_face")}, "records_independent"),
        ({"made_of": ()}, "records_independent"),
    ],
)
def test_what_was_found_breaks_its_condition(found, condition):
    assert broken(stated("matched", evidence=replace(SOUND, **found))[1]) == {condition}


@pytest.mark.parametrize("name", mechanisms.NAMES)
def test_the_sensitivity_in_units_of_the_noise_is_the_mu_that_is_charged(name):
    made, facts = stated(name)
    assert facts.sensitivity == pytest.approx(made.sensitivity() / (made.noise / N)) == pytest.approx(made.cost().mu)
    assert facts.sensitivity_unit == "standard deviations of the noise"


def test_ranges_are_stated_as_spanning_the_set():
    """Norms are bounded by the 0.9 quantile, ranges by least and largest."""
    assert stated("pointwise")[1].bounds[0].origin.quantile == 1.0
    assert stated("matched")[1].bounds[0].origin.quantile == 0.9
