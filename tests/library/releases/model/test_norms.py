"""Norm tables of a released model: what they say is what people drawn from it show."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from shapedp.base.errors import ArtifactError
from shapedp.releases.model import norms
from shapedp.releases.model.compared import ReleasedMean
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.released_model import Released
from shapedp.surfaces.human_face import distances, real_faces
from shapedp.surfaces.human_face.distances import MEASURES, VERTICES, FaceMeasures

SHAPE, N = (10, 3, 24), 400.0
NAMES = tuple(VERTICES)
PLACES = [(k % SHAPE[0], k) for k in range(len(NAMES))]
SEX = Covariate("sex", -1.0, 1.0, ("f", "m"))
AGE = Covariate("age", 20.0, 60.0)
SIGMA = 4.0  # mm^2 of a landmark's variance, in all


def on_grid():
    """Each landmark at a grid point of its own."""
    weights = np.zeros((len(NAMES), SHAPE[0], SHAPE[2]))
    for row, place in zip(weights, PLACES, strict=True):
        row[place] = 1.0
    return FaceMeasures(NAMES, weights)


def face():
    """(J, 3, m) with the public mean's landmarks on it, turned, so that its frame is another."""
    found = np.zeros(SHAPE)
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    for name, (j, k) in zip(NAMES, PLACES, strict=True):
        found[j, :, k] = turn @ real_faces.template()[VERTICES[name]]
    return found


def at_points(sd):
    return np.broadcast_to(sd**2 / 3 * np.eye(3), (SHAPE[0], SHAPE[2], 3, 3)).copy()


def model(covariates=(), noise=0.1, people=2.0):
    """A Released whose people lie `people` mm from the mean at each point, and noise moves the mean by `noise` mm."""
    p = len(covariates)
    effects = np.concatenate([[face()], np.zeros((p, *SHAPE))])
    parts = np.zeros((1 + p, 1 + p, SHAPE[0], SHAPE[2], 3, 3))
    parts[0, 0] = at_points(noise)
    return Released(
        reference=face(),
        effects=effects,
        average=np.eye(1 + p)[0],
        inverse=np.eye(1 + p) / N,
        moment_noise=np.array([20.0, 0.0, 20.0]),
        noise_parts=parts,
        residual=at_points(people),
        modes=np.zeros((0, *SHAPE)),
        sd=np.zeros(0),
        shown=0,
        radii=np.arange(1, SHAPE[0] + 1) / SHAPE[0],
        covariates=tuple(covariates),
        coordinates=np.zeros((1 + p, 1)),
        coordinate_unit=np.ones(1),
        coordinate_noise=np.ones(1),
        coordinate_residual=np.ones((1, 1)),
        axes="",
        people=N,
        outside=np.zeros((SHAPE[0], SHAPE[2], 3, 3)),
    )


def test_of_people_like_the_public_ones_means_and_spread_are_right():
    """Where the release has public people's covariance at each landmark, its table is that of people who are drawn from
    public ones: the mean distance exceeds that in the mean face, and the table says so.
    """
    one, measures = model(noise=0.0), on_grid()
    parts = norms._Landmarks(one.mean, measures)
    alone, public = parts._public(np.zeros((0, *parts.points.shape)), of_noise=False)
    people = one.residual.copy()
    for block, (j, k) in zip(alone, PLACES, strict=True):
        people[j, k] = block
    found = norms.from_model(replace(one, residual=people), measures, one.average)
    rng, count = np.random.default_rng(0), 40_000
    values, vectors = np.linalg.eigh(public.transpose(0, 2, 1, 3).reshape(3 * len(NAMES), -1))
    moved = rng.standard_normal((count, len(values))) * np.sqrt(np.maximum(values, 0)) @ vectors.T
    points = measures.points(one.mean) + moved.reshape(count, -1, 3)
    chance = 1 / N  # of the released mean, which is taken off
    for at, name in enumerate(measures.names):
        if len(MEASURES[name]) == 2:
            first, last = (NAMES.index(end) for end in MEASURES[name])
            drawn = np.linalg.norm(points[:, first] - points[:, last], axis=1)
            wanted = drawn.mean() - measures.values(one.mean)[at]
            beyond = (found.mean[at] - measures.values(one.mean)[at]) / (1 - chance)
            assert beyond == pytest.approx(wanted, abs=5 * drawn.std() / np.sqrt(count) + 0.15 * wanted)
            curved = 0.5 * drawn.var() / drawn.mean() ** 2  # a short distance is no linear function
            assert beyond > 0 and found.sd[at] == pytest.approx(drawn.std(), rel=0.06 + curved)


def test_neighbours_go_together_as_in_public_people():
    """So a short distance spreads less than two landmarks that had nothing to do with each other would."""
    one, measures = model(people=2.0), on_grid()
    found = norms.from_model(one, measures, one.average)
    apart = np.sqrt(2 * 2.0**2 / 3)  # of two landmarks that go their own ways, along the distance
    assert found.sd[measures.names.index("upper vermilion height")] < 0.8 * apart


def test_people_twice_as_far_apart_spread_twice_as_far():
    measures = on_grid()
    near, far = (norms.from_model(model(people=size), measures, np.ones(1)).sd for size in (1.0, 2.0))
    np.testing.assert_allclose(far, 2 * near, rtol=1e-9)


def test_a_variance_that_noise_made_negative_counts_as_none():
    one = model()
    measures = on_grid()
    parts = norms._Landmarks(one.mean, measures)
    assert np.all(parts.variances(measures.in_landmarks(one.mean), -one.residual) == 0.0)


def test_along_a_mode_that_is_shown_landmarks_move_as_it_says():
    """A mode that widens the mouth by 2 mm spreads its width by as much, and moves nothing else."""
    one, measures = model(noise=0.0), on_grid()
    mode = np.zeros((1, *SHAPE))
    ends = [NAMES.index(end) for end in MEASURES["mouth width"]]
    first, last = (measures.points(one.mean)[end] for end in ends)
    for end, sign in zip(ends, (1, -1), strict=True):
        j, k = PLACES[end]
        mode[0, j, :, k] = sign * (first - last) / np.linalg.norm(first - last)
    moved = replace(one, modes=mode, sd=np.ones(1), shown=1, residual=np.einsum("kjcm,kjdm->jmcd", mode, mode))
    sd = norms.from_model(moved, measures, one.average).sd
    assert sd[measures.names.index("mouth width")] == pytest.approx(2.0)
    assert sd[measures.names.index("nose height")] == pytest.approx(0.0, abs=1e-9)


def test_more_noise_and_fewer_people_are_told():
    one, measures = model(noise=0.1), on_grid()
    sure, unsure = (norms.from_model(model(noise=size), measures, one.average) for size in (0.1, 1.0))
    assert np.all(unsure.mean_error > sure.mean_error) and np.all(unsure.sd_error > sure.sd_error)
    few = replace(one, inverse=one.inverse * 4, people=N / 4)
    assert np.all(norms.from_model(few, measures, one.average).mean_error > sure.mean_error)
    assert np.all(norms.from_model(replace(one, people=N / 4), measures, one.average).sd_error > sure.sd_error)


def test_the_table_has_each_measure_at_each_level():
    one, measures = model((AGE, SEX)), on_grid()
    levels = [(words, norms.from_model(one, measures, z)) for words, z in norms.levels(one)]
    rows = list(csv.DictReader(norms.table(levels, measures)))
    assert len(rows) == len(MEASURES) * (1 + 3 * 2)
    assert [(row["age"], row["sex"]) for row in rows[:3]] == [("everybody", "everybody"), ("20", "f"), ("20", "m")]
    for row in rows:
        centiles = [float(row[f"centile_{one}"]) for one in norms.CENTILES]
        assert centiles == sorted(centiles) and centiles[3] == pytest.approx(float(row["mean"]), rel=1e-4)
        assert all(float(row[f"centile_{one}_error"]) > 0 for one in norms.CENTILES)
    assert rows[0]["measure"] == "face_height" and rows[0]["unit"] == "mm"


def test_beside_the_spread_stands_what_registration_adds_to_it_where_a_measure_is_known():
    one, at = model(), on_grid()
    own = {"mouth to chin": ("stomion", "gnathion"), "nose width": ("nasion", "pronasale")}
    measures = replace(at, ends_of={**at.ends_of, **own})
    lines = norms.table([({}, norms.from_model(one, measures, one.average))], measures)
    stated = {row["measure"]: row["between_scans_sd"] for row in csv.DictReader(lines)}
    known = distances.BETWEEN_SCANS
    assert float(stated["face_height"]) == pytest.approx(known["face height"], rel=0.01)
    assert stated["mouth_to_chin"] == stated["nose_width"] == ""
    assert set(known) == set(MEASURES)


def test_a_mean_face_has_means_alone():
    noise = np.full((SHAPE[0], SHAPE[2], 1, 1), 0.04)
    mean = ReleasedMean(face(), noise, 0.02 * noise, N, np.ones(SHAPE[0]), {"budget": {}})
    measures = on_grid()
    found = norms.from_mean(mean, measures)
    header, *rows = norms.table([({}, found)], measures)
    assert header == "measure,unit,mean,mean_error" and len(rows) == len(MEASURES)
    assert np.all(found.mean_error > 0)
    without = norms.from_mean(replace(mean, sampling=None), measures)
    assert np.all(without.mean_error < found.mean_error)


def test_a_template_without_landmarks_is_refused():
    one = model()
    with pytest.raises(ArtifactError, match="carries 0 of 22 landmarks"):
        norms.from_model(one, FaceMeasures((), np.zeros((0, SHAPE[0], SHAPE[2]))), one.average)


def test_the_directions_across_a_distance_are_across_it():
    measures, at = on_grid(), face()
    points, across = measures.points(at), measures.across(at)
    for name, rows in zip(measures.names, across, strict=True):
        ends = [NAMES.index(end) for end in MEASURES[name]]
        if len(ends) == 3:
            assert not rows.any()
            continue
        along = points[ends[0]] - points[ends[1]]
        np.testing.assert_allclose(rows[:, ends[0]] @ along, 0.0, atol=1e-9)
        np.testing.assert_allclose(rows[:, ends[0]] @ rows[:, ends[0]].T, np.eye(2), atol=1e-12)
        np.testing.assert_array_equal(rows[:, ends[1]], -rows[:, ends[0]])
