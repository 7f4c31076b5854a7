"""Sex and age of demo people: both sexes, all ages, and faces that differ with them."""

import numpy as np

from shapedp.surfaces.human_face.demo import faces, people

PEOPLE = np.random.default_rng(1).standard_normal((2000, len(faces.names())))
TOLD = [people.find_covariates(one) for one in PEOPLE]


def test_half_are_women_and_ages_are_spread_evenly():
    women, ages = np.array([one["sex"] == "f" for one in TOLD]), np.array([int(one["age"]) for one in TOLD])
    assert abs(women.mean() - 0.5) < 0.05
    quarters = np.histogram(ages, [18, 33.5, 49, 64.5, 80])[0] / len(ages)
    assert np.all(np.abs(quarters - 0.25) < 0.05)


def test_a_wider_jaw_is_male_and_a_longer_nose_older():
    jaw, nose = (np.eye(len(faces.names()))[faces.names().index(name)] for name in ("jaw width", "nose length"))
    assert [people.find_covariates(sign * jaw)["sex"] for sign in (1, -1)] == ["m", "f"]
    assert people.find_covariates(0 * nose)["age"] == "49"
    assert int(people.find_covariates(2 * nose)["age"]) > 49 > int(people.find_covariates(-2 * nose)["age"])
