"""What a face release states of itself, its noise at every point included, agrees with the mechanism that draws it."""

from dataclasses import replace

import numpy as np
import pytest

from library.privacy.learned import people
from shapedp.app.forecast import predictions
from shapedp.base.errors import RefusedRelease
from shapedp.privacy import noise, worth
from shapedp.privacy.curves import bounds
from shapedp.releases import curve_mechanisms, faces
from shapedp.releases.kinds.mean.release import DRAWS, MeanFace, noise_fields, withhold
from shapedp.releases.protocol import Evidence, People
from shapedp.releases.statement import conditions

SHAPE = (4, 3, 16)
N = 30
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
FACES = {"kernel": KERNEL, "persons": "refuse"}
PRIVACY = {"tuned_on": "public"}
SOUND = Evidence(("curves", "face_curves", "template"), listed=N, used=N, persons=N, named=True)
PEOPLE = 0.1 * np.random.default_rng(0).normal(size=(40, *SHAPE))
DEMO = faces.Template(np.zeros(SHAPE), np.ones(4), 200.0, True, "built_in")


def stated(name, public=True, source=None, evidence=SOUND):
    limits = bounds.from_population(lambda a, b: PEOPLE[a:b], 40, np.zeros(SHAPE), 0.9, 1.2, "a set", public)
    entry = {"name": "a", "mechanism": name, "budget": {"mu_total": 2.0}}
    release = MeanFace.from_inputs(faces.ReleaseInputs(entry, FACES, PRIVACY, DEMO, limits, N))
    given = People(count=0, read=None, n=N, records="", evidence=evidence)
    return release.mechanism, release.facts(given, source or noise.SecureNoise())


def broken(facts):
    """Names of the conditions that do not hold."""
    return {check.name for check in conditions.check(facts) if not check.holds}


@pytest.mark.parametrize("name", curve_mechanisms.NAMES)
def test_a_public_release_breaks_no_condition(name):
    assert not broken(stated(name)[1])


@pytest.mark.parametrize("name", [one for one in curve_mechanisms.NAMES if one != "pointwise_literal"])
@pytest.mark.parametrize("n", [10, 10**6])
def test_a_release_is_refused_where_the_forecast_finds_its_noise_no_better_than_the_reference(name, n):
    known = people.variation()
    seen = people.draw(40, 5)
    limits = bounds.from_population(people.reading(seen), 40, known.center, 0.9, 1.2, "a set", True)
    template = replace(DEMO, curves=known.center, radii=np.ones(len(known.center)))
    foretold, _ = predictions.Inputs(people.SHAPE, 200.0, limits, KERNEL, known).worth(name, n, 0.3)
    assert foretold == (worth.NO_BETTER if n == 10 else worth.OPEN)

    def planned(limits=limits, known=known, **more):
        entry = {"name": "a", "mechanism": name, "budget": {"mu_total": 0.3}, **more}
        return MeanFace.from_inputs(faces.ReleaseInputs(entry, FACES, PRIVACY, template, limits, n, known))

    if foretold == worth.NO_BETTER:
        with pytest.raises(RefusedRelease, match="release 'a': no better than the public reference"):
            planned()
    else:
        planned()
    planned(worth_it_anyway=True), planned(known=None), planned(replace(limits, public=False))


@pytest.mark.parametrize("name", curve_mechanisms.NAMES)
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


@pytest.mark.parametrize("field", ["tau", "lower", "upper", "deviations"])
def test_other_bounds_of_the_same_words_make_another_request(field):
    """Two public sets of which the settings say the same: quantile, margin, number of people."""
    found = bounds.from_population(lambda a, b: PEOPLE[a:b], 40, np.zeros(SHAPE), 0.9, 1.2, "a set", True)
    other = replace(found, **{field: np.nextafter(getattr(found, field), np.inf)})
    given = People(count=0, read=None, n=N, records="", evidence=SOUND)
    entry = {"name": "a", "mechanism": "matched", "budget": {"mu_total": 2.0}}
    made = [
        MeanFace.from_inputs(faces.ReleaseInputs(entry, FACES, PRIVACY, DEMO, one, N)) for one in (found, found, other)
    ]
    first, same, third = (one.digests(bytes(32), given) for one in made)
    assert first == same != third


@pytest.mark.parametrize("name", curve_mechanisms.NAMES)
def test_the_sensitivity_in_units_of_the_noise_is_the_mu_that_is_charged(name):
    made, facts = stated(name)
    assert facts.sensitivity == pytest.approx(made.sensitivity() / (made.noise / N)) == pytest.approx(made.cost().mu)
    assert facts.sensitivity_unit == "standard deviations of the noise"


def test_ranges_are_stated_as_spanning_the_set():
    """Norms are bounded by the 0.9 quantile, ranges by least and largest."""
    assert stated("pointwise")[1].bounds[0].origin.quantile == 1.0
    assert stated("matched")[1].bounds[0].origin.quantile == 0.9


CROWD = people.draw(30, 9)
RANGED = bounds.from_population(people.reading(CROWD), 30, people.center(), 0.9, 1.2, "a public set", True)
VARIATION = people.variation()


def made(name):
    limits = VARIATION if name == "shaped" else RANGED
    return curve_mechanisms.make(name, people.SHAPE, 50, limits, people.center(), {"mu_total": 1.0}, KERNEL)


@pytest.mark.parametrize("name", ["shaped", "matched", "pointwise"])
def test_simulated_noise_is_as_large_as_stated_at_every_point(name):
    """400 draws: at each point a chi-square; 240 points within 35 % of their variance, and all together within 5 %."""
    mechanism, rng = made(name), np.random.default_rng(2)
    drawn = np.array([mechanism.simulate_error(rng) for _ in range(400)])
    found = np.mean(np.sum(drawn**2, axis=2), axis=0)
    stated = np.square(noise_fields(mechanism, people.center(), 1.0)["noise_mm"])
    assert found == pytest.approx(stated, rel=0.35)
    assert found.mean() == pytest.approx(stated.mean(), rel=0.05)


def test_lengths_are_in_mm_and_agree_with_the_mean_of_each_curve():
    found = noise_fields(made("shaped"), people.center(), 200.0)
    by_curve = np.sqrt(np.mean(found["noise_mm"] ** 2, axis=1))
    assert by_curve == pytest.approx(200 * np.linalg.norm(found["noise_sd"], axis=1))


def test_draws_lie_about_the_release_and_repeat():
    release = people.center() + 0.1
    first, again = (noise_fields(made("shaped"), release, 1.0)["noise_draws"] for _ in range(2))
    assert np.array_equal(first, again)
    assert len({one.tobytes() for one in first}) == DRAWS
    assert np.abs(first - release).max() < 6 * np.sqrt(made("shaped").point_variances().max())


def test_what_is_withheld_says_nothing():
    found = withhold(noise_fields(made("pointwise"), people.center(), 1.0))
    assert all(np.isnan(value).all() for value in found.values())
