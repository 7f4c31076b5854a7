"""People of the three populations: what is planted is there, and the demo's are other people than the public ones."""

import numpy as np
import pytest

from shapedp.releases.figures import shading
from shapedp.surfaces import topology
from shapedp.surfaces.human_face import real_faces
from shapedp.surfaces.human_face.demo import people

COUNT = 400


def drawn(word):
    population, rng = people.named(word), np.random.default_rng(3)
    return population, [population.person(rng) for _ in range(COUNT)]


def rms(vertices):
    return np.sqrt((vertices**2).sum(axis=1).mean())


@pytest.mark.parametrize("word", ["built_in", "demo", "formula"])
def test_sexes_and_ages_are_mixed_and_named_in_the_sheet(word):
    _, told = drawn(word)
    male = np.mean([one.sex == "m" for one in told])
    assert abs(male - 0.5) < 0.1
    ages = [one.age for one in told]
    assert people.YOUNGEST <= min(ages) < 25 < 70 < max(ages) <= people.OLDEST
    assert told[0].cells() == {"sex": told[0].sex, "age": f"{told[0].age:.0f}"}


@pytest.mark.parametrize("word", ["built_in", "demo"])
def test_sex_and_age_have_the_effects_that_are_planted(word):
    population, told = drawn(word)
    weights = np.array([one.weights for one in told])
    causes = np.array([(1, 1 if one.sex == "m" else -1, (one.age - 49) / (62 / np.sqrt(12))) for one in told])
    found = np.linalg.lstsq(causes, weights, rcond=None)[0]
    allowed = 5 * population.spread / np.sqrt(COUNT)
    assert np.abs(found - [population.shift, population.sex, population.age]).max() < allowed


def test_the_demos_people_are_other_people_than_the_public_ones():
    demo, public = people.named("demo"), people.named("built_in")
    assert 1.5 <= rms(real_faces.face(demo.shift) - real_faces.template()) <= 2.0 + 1e-9, "mm"
    assert demo.spread == 1.15
    assert public.modes < demo.modes == real_faces.count()
    cosine = demo.sex[: public.modes] @ public.sex / np.linalg.norm(demo.sex) / np.linalg.norm(public.sex)
    assert abs(cosine) < 0.5
    assert not public.shift.any()


def test_a_second_visit_shows_the_same_person_older():
    population, rng = people.named("built_in"), np.random.default_rng(0)
    person = population.person(rng)
    visits = [population.later(person, 10, rng) for _ in range(200)]
    assert {one.sex for one in visits} == {person.sex}
    assert {one.age for one in visits} == {person.age + 10}
    grown = np.mean([one.weights for one in visits], axis=0) - person.weights
    assert np.abs(grown - population.age * 10 / (62 / np.sqrt(12))).max() < 5 * people.VISIT / np.sqrt(200)


def test_the_packed_faces_are_disks_looking_along_z():
    mean, triangles = real_faces.template(), real_faces.triangles().astype(np.int64)
    assert not topology.fault(triangles, len(mean))
    tip = mean[real_faces.nose_tip()]
    assert tip[2] > mean[:, 2].max() - 0.5, "mm"
    a, b, c = (mean[triangles[:, k]] for k in range(3))
    assert np.cross(b - a, c - a)[:, 2].sum() > 0
    assert np.linalg.norm(np.ptp(mean, axis=0)) < 350, "mm"


def test_what_was_an_opening_has_no_spikes():
    """Along the normal, the patches' vertices lie near the mean of their neighbours."""
    mean, triangles = real_faces.template(), real_faces.triangles()
    total, count = np.zeros_like(mean), np.zeros(len(mean))
    for k in range(3):
        np.add.at(total, triangles[:, k], mean[triangles[:, (k + 1) % 3]])
        np.add.at(count, triangles[:, k], 1)
    normals = shading.find_vertex_normals(mean, triangles.astype(np.int64))
    off = np.abs(((total / count[:, None] - mean) * normals).sum(axis=1))
    assert off[5422:].max() < 0.4, "mm; the vertices of the patches come last"


def test_too_many_weights_are_refused():
    with pytest.raises(ValueError, match=f"at most {real_faces.count()} weights"):
        real_faces.face(np.zeros(real_faces.count() + 1))
