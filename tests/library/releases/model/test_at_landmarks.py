"""What a model knows at its landmarks: people's distances follow from it, whatever moves together."""

from dataclasses import replace

import numpy as np
import pytest

from library.privacy.learned import people
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError
from shapedp.privacy import noise
from shapedp.privacy.statistic import Rows
from shapedp.releases.model import at_landmarks, norms
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.releases.model.released_model import Released
from shapedp.surfaces.human_face.distances import VERTICES, FaceMeasures

N, SCALE = 4000, 150.0
SEX = Covariate("sex", -1.0, 1.0, ("f", "m"))
RADII = np.arange(1, people.SHAPE[0] + 1) / people.SHAPE[0]


def landmarks():
    """Each landmark at a point of its own."""
    weights = np.zeros((len(VERTICES), people.SHAPE[0], people.SHAPE[2]))
    for k, one in enumerate(weights):
        one[k % people.SHAPE[0], (7 * k) % people.SHAPE[2]] = 1.0  # neighbours go together
    between = {"width": ("nasion", "gnathion"), "height": ("glabella", "stomion"), "depth": ("subnasale", "pogonion")}
    return FaceMeasures(tuple(VERTICES), weights, between)


@pytest.fixture(scope="module")
def cohort():
    """(curves of N people, of whom half are moved along the first mode; their covariate)."""
    coded = np.where(np.arange(N) % 2, 1.0, -1.0)[:, None]
    curves = people.draw(N, 5)
    return curves + 0.005 * coded[:, :, None, None] * people.directions()[1], coded


def release(cohort, mu, public=None, seed=1):
    """(Released, AtLandmarks) in mm."""
    curves, coded = cohort
    made = FaceModel.from_variation(people.variation(), len(curves), mu, (SEX,), 3)
    sums = made.sums(Rows(len(curves), lambda start, stop: curves[start:stop], coded))
    fitted, found = made.estimated(made.noised(sums, noise.SeededNoise(seed)))
    values = made.fields(fitted, found) | {"radii": RADII, "scale": SCALE}
    known = at_landmarks.learn(made, fitted, landmarks(), public).in_mm(SCALE)
    return Released.from_fields(values, (SEX,)), known


def measured(curves):
    """(n, 3) true measures, mm."""
    return landmarks().values(curves * SCALE)


def test_people_s_distances_spread_as_the_table_says(cohort):
    """The true standard deviation of people of a level, and of everybody, whose levels differ."""
    model, known = release(cohort, 3.0, [people.draw(3000, 9)])
    curves, coded = cohort
    level = norms.from_model(model, landmarks(), np.array([1.0, 1.0]), known)
    everybody = norms.from_model(model, landmarks(), model.average, known, of_everybody=True)
    of_level = measured(curves[coded[:, 0] > 0])
    np.testing.assert_allclose(level.sd, of_level.std(axis=0), rtol=0.07)
    np.testing.assert_allclose(everybody.sd, measured(curves).std(axis=0), rtol=0.07)
    assert np.all(np.abs(level.mean - of_level.mean(axis=0)) < 4 * level.mean_error)
    assert np.any(everybody.sd > 1.05 * level.sd)


def test_a_cohort_that_is_wider_than_the_public_people_is_told_as_wide(cohort):
    curves, coded = cohort
    wide = people.center() + 1.5 * (curves - people.center())
    model, known = release((wide, coded), 3.0, [people.draw(3000, 9)])
    sd = norms.from_model(model, landmarks(), model.average, known, of_everybody=True).sd
    np.testing.assert_allclose(sd, measured(wide).std(axis=0), rtol=0.1)


def test_where_noise_is_large_public_people_tell(cohort):
    """And the error says so: it is no larger than what the two may differ by."""
    curves, coded = cohort
    public = measured(people.draw(3000, 9)).std(axis=0)
    for seed in range(8):
        model, known = release((curves[:60], coded[:60]), 0.3, [people.draw(3000, 9)], seed)
        norm = norms.from_model(model, landmarks(), np.array([1.0, 1.0]), known)
        assert np.all(norm.sd < 2 * public) and np.all(norm.sd > 0.5 * public)
    sure = norms.from_model(*release(cohort, 3.0)[:1], landmarks(), np.array([1.0, 1.0]), release(cohort, 3.0)[1])
    assert np.all(norm.sd_error > sure.sd_error) and np.all(norm.mean_error > sure.mean_error)


def test_what_lies_beside_the_leading_axes_is_public_people_s(cohort):
    """As much more variance as they have more of it there."""
    model, known = release(cohort, 3.0, [people.draw(3000, 9)])
    each = np.einsum("ab,cd->acbd", np.eye(len(known.names)), np.eye(3))
    beside = replace(known, public=known.public + each)
    told, more = (norms.AlongAxes(model, one, model.average) for one in (known, beside))
    gradients = landmarks().in_landmarks(model.mean)
    away = np.einsum("rac,acbd,rbd->r", gradients, beside.public - known.public, gradients)
    np.testing.assert_allclose(more.people(gradients)[0] - told.people(gradients)[0], told.width * away, rtol=0.2)


def test_without_public_curves_the_variation_tells(cohort):
    model, known = release(cohort, 3.0)
    sd = norms.from_model(model, landmarks(), model.average, known, of_everybody=True).sd
    np.testing.assert_allclose(sd, measured(cohort[0]).std(axis=0), rtol=0.2)


def test_right_less_left_spreads_less_than_either_alone_where_sides_go_together():
    known = landmarks()
    between = {"right eye": ("nasion", "gnathion"), "left eye": ("nasion", "gnathion")}
    sides = replace(known, ends_of=between)
    model, beside = release((people.draw(500, 5), np.tile([[1.0], [-1.0]], (250, 1))), 3.0)
    (eye,) = norms.asymmetries(model, sides, beside)
    assert eye.name == "eye" and eye.mean == pytest.approx(0.0, abs=1e-9) and eye.sd < 1e-6


def test_what_lies_beside_a_model_must_be_of_it(cohort, tmp_path):
    model, known = release(cohort, 3.0)
    path = tmp_path / "at_landmarks.h5"
    with artifacts.writer(path, artifacts.AT_LANDMARKS) as out:
        out.set(**at_landmarks.to_fields(known.in_mm(1 / SCALE)), settings='{"n": 1}')
    again = at_landmarks.read(path, model, {"n": 1})
    np.testing.assert_allclose(again.errors, known.errors, rtol=1e-12)
    np.testing.assert_allclose(again.public, known.public, rtol=1e-6, atol=1e-9)
    with pytest.raises(ArtifactError, match="other settings than the model"):
        at_landmarks.read(path, model, {"n": 2})
    other = replace(model, average=np.ones(3))
    with pytest.raises(ArtifactError, match="has shape"):
        at_landmarks.read(path, other, {"n": 1})
