"""A face beside a released model: z of held-out people, where something was planted, and what the norm is worth."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from library.releases import dome_faces as dome
from shapedp.app.cli import assessing
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.privacy.learned import face_learning
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.statistic import Rows
from shapedp.releases.model import assessment, covariates, released_model
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.surfaces.human_face import distances
from shapedp.surfaces.human_face.distances import FaceMeasures

RADII = np.arange(1, dome.J + 1) / dome.J
AGE = covariates.from_settings({"age": {"range": [20, 80]}})
OLDER = 0.02  # of the unit, along one field, from the middle of the range to its end


def variation():
    """Of public people of all ages."""
    faces = dome.people(150, 7)
    found = face_learning.learn(lambda start, stop: faces[start:stop], len(faces), dome.template(), 15, 12)
    guesses = {"quantile": 0.95, "assumed_mean_shift": 0.35, "assumed_shift_outside_modes": 1.2}
    return Variation(center=dome.template(), **vars(found), **guesses, source="test", public=True)


def model(n, mu, seed=1):
    """A released model of n people, with age."""
    a = np.random.default_rng(seed).uniform(-1, 1, (n, 1))
    faces = dome.people(n, seed + 1) + OLDER * a[:, :, None, None] * dome.fields()[4]
    made = FaceModel.from_variation(variation(), n, mu, AGE)
    fields = made.fields(*made.draw(made.sums(Rows.of(faces, a)).values, SeededNoise(seed)))
    return released_model.Released.from_fields({**fields, "radii": RADII, "scale": dome.SCALE}, AGE)


@pytest.fixture(scope="module")
def norm():
    """Of many people, nearly without noise."""
    return model(3000, 4.0)


def test_one_point_in_twenty_of_held_out_people_is_far(norm):
    z = np.array([assessment.assess(dome.SCALE * one, norm, {"age": "50"}).z for one in dome.people(300, 50)])
    assert 0.03 < np.mean(np.abs(z) > 2) < 0.07
    assert np.std(z) == pytest.approx(1.0, abs=0.08)


def test_with_few_people_and_much_noise_z_is_no_larger():
    few = model(60, 1.0)
    short = replace(few, outside=np.zeros_like(few.outside))
    z, without = (
        np.array([assessment.assess(dome.SCALE * one, norm, {}).z for one in dome.people(200, 50)])
        for norm in (few, short)
    )
    assert np.std(z) < 1.1
    assert np.std(without) > 1.002 * np.std(z)  # what lies beyond the released coordinates is counted


def test_an_older_face_is_usual_among_the_old_and_not_among_the_young(norm):
    old = dome.SCALE * (dome.template() + 3 * OLDER * dome.fields()[4])
    told = [assessment.assess(old, norm, {"age": age}) for age in ("80", "20")]
    assert np.mean(told[0].z ** 2) < np.mean(told[1].z ** 2)


def test_outward_is_positive_and_where_it_was_planted(norm):
    planted = dome.SCALE * dome.template()
    planted[2, 2, 5] += 20.0
    found = assessment.assess(planted, norm, {})
    assert np.unravel_index(np.argmax(found.z), found.z.shape) == (2, 5) and found.z[2, 5] > 2
    assert found.away[2, 5] > 10


def test_the_share_of_people_farther_out_is_that_of_the_people(norm):
    shares = [assessment.assess(dome.SCALE * one, norm, {}).farther for one in dome.people(300, 60)]
    assert norm.shown and np.mean(shares) == pytest.approx(0.5, abs=0.08)
    assert assessment.assess(dome.SCALE * dome.people(1, 3, spread=0.2)[0], norm, {}).farther < 1e-6


def test_it_says_when_the_public_reference_alone_would_do(norm):
    assert assessment.assess(dome.SCALE * dome.template(), model(30, 0.5), {}).alone
    assert not assessment.assess(dome.SCALE * dome.template(), norm, {"age": "80"}).alone
    told = assessment.words(assessment.assess(dome.SCALE * dome.template(), model(30, 0.5), {}), {}, ())
    assert "public reference alone" in told[-1] and any("the norm is of 30 people" in line for line in told)


def test_a_face_on_other_curves_is_refused(norm):
    with pytest.raises(ArtifactError, match="make both with one template"):
        assessment.assess(np.zeros((3, 3, 8)), norm, {})


def dome_measures():
    """Landmarks at some points of the dome's curves, by names of which 30 measures ask for all."""
    names, weights = list(distances.VERTICES), np.zeros((len(distances.VERTICES), dome.J, dome.M))
    for row, (j, k) in zip(
        weights, np.random.default_rng(4).permutation(list(np.ndindex(dome.J, dome.M))), strict=False
    ):
        row[j, k] = 1.0
    return FaceMeasures(tuple(names), weights)


def test_centiles_of_held_out_people_are_as_many_as_they_say(norm):
    """Six in a hundred lie outside the 3rd to 97th centile of each distance and angle, and half above the mean."""
    found = [assessment.measure(dome.SCALE * one, norm, {"age": "50"}, dome_measures()) for one in dome.people(200, 50)]
    centiles = np.array([[one.centile for one in rows] for rows in found])
    assert centiles.shape == (200, 33)
    assert 0.02 < np.mean((centiles < 3) | (centiles > 97)) < 0.10
    assert np.mean(centiles) == pytest.approx(50, abs=4)


def test_a_longer_distance_has_a_higher_centile_and_its_own_norm(norm):
    measures = dome_measures()
    mean = norm.at(norm.z({"age": "50"}))
    longer = mean + 4 * norm.sd[0] * norm.modes[0] + 6 * measures.gradients(mean)[0] * norm.radii.size
    usual, found = (assessment.measure(one, norm, {"age": "50"}, measures)[0] for one in (mean, longer))
    assert usual.centile == pytest.approx(50) and usual.value == usual.mean == found.mean
    assert found.value > usual.value and found.centile > 97 and found.unit == "mm"


@pytest.fixture
def written(norm, tmp_path, monkeypatch):
    """What `assess` takes, the chain left out: its curves are those of the template."""
    dome.write_template(tmp_path / "template.h5")
    monkeypatch.setattr(assessing.models, "read_model", lambda release, with_norm: norm)
    monkeypatch.setattr(assessing, "find_released_file", lambda release: Path(release) / "face_model.h5")
    walked = SimpleNamespace(refusal=None, records={"curves": {"curves": dome.template()}})
    monkeypatch.setattr(assessing.step, "walk", lambda *_: iter([walked]))
    return tmp_path


def test_what_is_no_model_is_refused_before_settings_are_read(tmp_path):
    dome.write_template(tmp_path / "template.h5")
    with pytest.raises(ArtifactError, match="holds 'template', which is not a model"):
        assessing.is_shape_model(tmp_path / "template.h5")


def run(folder, given=None, output=None):
    output = output or folder / "assessed"
    return list(assessing.assess(Path("scan.ply"), folder / "model", folder / "template.h5", {}, given or {}, output))


@pytest.mark.slow
def test_the_page_the_map_and_the_surface_are_written_beside_no_release(written):
    lines = run(written, {"age": "40"})
    assert "keep them as you keep the scan" in lines[0]
    page = (written / "assessed/index.html").read_text(encoding="utf-8")
    assert "it is no release" in page and "data:image/png;base64," in page and "<script" not in page
    assert (written / "assessed/face.ply").read_bytes().startswith(b"ply")
    assert b"property uchar red" in (written / "assessed/face.ply").read_bytes()[:600]
    assert (written / "assessed/z.png").stat().st_size > 1000
    assert (
        (written / "assessed/distances.csv")
        .read_text(encoding="utf-8")
        .startswith("measure,unit,value,mean,sd,centile")
    )
    assert oct((written / "assessed").stat().st_mode)[-3:] == "700"


def test_the_page_names_scan_release_and_its_guarantee(written):
    release = {"statistic": "face model", "n": 60, "group": None}
    stated = {
        "release": release,
        "noise": {"rms_mm": 0.5},
        "mechanism": {"name": "shaped"},
        "guarantee": {"mu": 1.25},
        "date": "2026-01-02",
    }
    (written / "model").mkdir()
    (written / "model/statement.json").write_text(json.dumps(stated), encoding="utf-8")
    run(written)
    page = (written / "assessed/index.html").read_text(encoding="utf-8")
    words = (
        "scan.ply beside the release model, released on 2026-01-02: the face model of 60 people, noise included, which"
    )
    assert words in page and "mu = 1.25. Assessed on" in page


def test_a_value_beyond_the_range_is_told_with_what_it_counts_as(written):
    lines = run(written, {"age": "400"})
    assert any(
        "mean face at age = 400 (counts as 80, the end of the range that the model knows);" in line for line in lines
    )
    assert not any("counts as" in line for line in run(written, {"age": "79"}))


def test_distances_stand_in_the_table_the_page_and_the_words(written, monkeypatch):
    monkeypatch.setattr(FaceMeasures, "from_template", lambda _: dome_measures())
    lines = run(written, {"age": "40"})
    assert "of 33 distances and angles" in lines[-1]
    rows = (written / "assessed/distances.csv").read_text(encoding="utf-8").splitlines()
    page = (written / "assessed/index.html").read_text(encoding="utf-8")
    assert len(rows) == 34 and page.count('<th scope="row">') == 33 and "nasolabial angle" in page


def test_nobody_is_shown_among_releases(written):
    with pytest.raises(ConfigError, match="lies among the releases"):
        run(written, output=written / "results/release/faces/model")


def test_another_template_and_an_unknown_covariate_are_refused(written):
    with pytest.raises(ConfigError, match="has no covariate bmi"):
        run(written, {"bmi": "3"})
    with artifacts.reader(written / "template.h5", artifacts.TEMPLATE) as source:
        fields = {name: source[name] for name in artifacts.TEMPLATE.fields}
    with artifacts.writer(written / "template.h5", artifacts.TEMPLATE) as out:
        out.set(**{**fields, "curves": fields["curves"] * 1.01})
    with pytest.raises(ArtifactError, match="not the template that the model"):
        run(written)


def test_a_template_of_other_public_people_is_refused_by_name(written):
    with artifacts.reader(written / "template.h5", artifacts.TEMPLATE) as source:
        fields = {name: source[name] for name in artifacts.TEMPLATE.fields}
    with artifacts.writer(written / "template.h5", artifacts.TEMPLATE) as out:
        out.set(**{**fields, "people_size": 1.0, "people_model": "another"})
    with pytest.raises(ArtifactError, match="made with another model of public people"):
        run(written)
