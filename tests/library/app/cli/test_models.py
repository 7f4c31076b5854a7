"""Commands about released models: what they write is the model's, and they say that it costs nothing."""

import csv
import json
import re
import shutil
from dataclasses import replace

import h5py
import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from scripts.test_release_face_model import Workspace
from shapedp import landmarks
from shapedp.app.cli import commands, models
from shapedp.base import artifacts, writers
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.releases.model import released_model
from shapedp.surfaces import curve_mesh


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp("model"))
    workspace.stack()
    made, _ = workspace.release(mu=20.0, cap=100.0)
    workspace.release(mu=21.0, cap=100.0, name="again")
    return made


def run(*arguments):
    done = CliRunner().invoke(commands.app, [str(one) for one in arguments])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "post-processing" in done.output
    return done.output


@pytest.mark.slow
def test_samples_spread_as_the_modes_do(folder, tmp_path):
    run("sample", folder, "-n", 400, "--output", tmp_path / "faces.npz", "--seed", 1)
    with np.load(tmp_path / "faces.npz") as drawn:
        assert drawn["vertices"].shape[0] == 400 and drawn["triangles"].max() < drawn["vertices"].shape[1]
    model = models.read_model(folder)
    faces = model.sample(400, np.random.default_rng(1)) - model.mean
    along = np.mean(np.sum(faces * model.modes[0], axis=2), axis=(1, 2)) * 1.0
    assert_allclose(along.std(), model.sd[0], rtol=0.15)


def test_errors_of_effects_that_are_told_in_part_are_refused(folder, tmp_path):
    """A file has what is left of chance and of the noise on the second sum, or, an older one, neither."""
    path = tmp_path / "face_model.h5"
    for names, refused in (("chance_parts",), True), (("chance_parts", "second_parts"), False):
        shutil.copy(folder / path.name, path)
        with h5py.File(path, "r+") as file:
            for name in names:
                del file[name]
        artifacts.seal(path, artifacts.FACE_MODEL)
        if refused:
            with pytest.raises(ArtifactError, match=r"face_model.h5: holds one of second_parts and chance_parts alone"):
                models.read_model(tmp_path)
        else:
            assert models.read_model(tmp_path).chance_parts is None


def test_without_a_mode_above_the_noise_nothing_is_drawn(folder, tmp_path, monkeypatch):
    none = replace(models.read_model(folder), shown=0)
    monkeypatch.setattr(models, "read_model", lambda release: none)
    with pytest.raises(ConfigError, match="no mode stands above the noise"):
        none.sample(3, np.random.default_rng(1))
    with pytest.raises(ConfigError, match="no mode stands above the noise"):
        list(models.write_samples(folder, 3, tmp_path / "faces.npz"))


def test_a_predicted_face_is_the_models_and_has_a_band(folder, tmp_path):
    words = run("predict", folder, "--age", 40, "--sex", "f", "--output", tmp_path / "p.ply")
    model = models.read_model(folder)
    wanted = curve_mesh.mesh(model.at(np.array([1.0, 0.0, -1.0])), model.radii)[0]
    assert_allclose(trimesh.load(tmp_path / "p.ply", process=False).vertices, wanted, atol=1e-3)
    z = np.array([1.0, 0.0, -1.0])
    noise = np.sqrt(np.mean(np.trace(model.noise_covariance(z), axis1=-2, axis2=-1)))
    assert f"noise for privacy {noise:.2g} mm" in words


def test_what_a_number_beyond_the_range_counts_as_is_told(folder, tmp_path):
    words = run("predict", folder, "--age", 400, "--output", tmp_path / "p.ply")
    assert "at age = 400 (counts as 60, the end of the range that the model knows), sex as on average" in words


def test_a_surface_without_a_known_ending_is_refused_in_words(folder, tmp_path):
    for name in ("pred", "pred.csv"):
        with pytest.raises(ConfigError, match=f"{name}: a surface is written as .ply, .glb, .obj, .stl; found"):
            list(models.write_prediction(folder, {}, tmp_path / name))


@pytest.mark.parametrize("given", [{"bmi": "3"}, {"age": "old"}, {"sex": "x"}])
def test_what_the_model_does_not_know_is_refused(folder, tmp_path, given):
    with pytest.raises(ConfigError):
        list(models.write_prediction(folder, given, tmp_path / "p.ply"))


def test_a_model_compared_with_one_of_the_same_people_shows_nothing(folder, tmp_path):
    words = run("compare", folder, folder.parent / "again", "--output", tmp_path / "map.csv")
    with (tmp_path / "map.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 240 and {row["exceeds"] for row in rows} == {"0"}
    assert "0% of the points exceed" in words and "power" in words


def test_three_models_are_tested_as_one_and_then_pair_by_pair(folder, tmp_path):
    again = folder.parent / "again"
    words = run("compare", folder, again, folder, "--output", tmp_path / "map.csv")
    with (tmp_path / "map.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["first"], row["second"]) for row in rows[::240]] == [("1", "2"), ("1", "3"), ("2", "3")]
    assert f"where {folder.name} (1), again (2), {folder.name} (3) differ" in words
    assert re.search(r"one test of all 3 means: p = (0\.\d+|1)", words)
    assert {row["exceeds"] for row in rows} == {"0"}


def test_one_model_alone_is_not_compared(folder):
    with pytest.raises(ConfigError, match="needs two or more releases"):
        commands.compare([folder])


def test_options_are_read_in_both_forms():
    assert models.parse_covariates(["--age", "40", "--sex=f"]) == {"age": "40", "sex": "f"}
    assert (
        models.parse_covariates(["--log-size", "4.1"])
        == models.parse_covariates(["--log_size", "4.1"])
        == {"log_size": "4.1"}
    )


@pytest.mark.parametrize("ending", [".csv", ".npz", ".tps", ".nts", ".fcsv", ".mrk.json"])
def test_landmarks_come_back_from_each_format_that_export_writes(tmp_path, ending):
    for dimensions in (2, 3):
        points = np.random.default_rng(dimensions).normal(size=(7, dimensions))
        with artifacts.writer(tmp_path / f"{dimensions}.h5", artifacts.RELEASED_SHAPE) as out:
            numbers = {"noise_radius": 0.1, "size": np.nan, "size_noise": np.nan, "settings": "{}"}
            covariance = np.zeros((*points.shape, points.shape[1]))
            out.set(landmarks=points, center=points, noise_covariance=covariance, **numbers)
        output = tmp_path / f"mean {dimensions}{ending}"
        if dimensions == 2 and ending in (".fcsv", ".mrk.json"):
            with pytest.raises(ArtifactError, match=r"lie in the plane; write \.csv, \.npz, \.tps, \.nts$"):
                models.write_mean(tmp_path / "2.h5", output)
            continue
        models.write_mean(tmp_path / f"{dimensions}.h5", output)
        np.testing.assert_allclose(landmarks.read(output).shapes[0], points, atol=1e-8)
    with pytest.raises(ConfigError, match="--name value"):
        models.parse_covariates(["--age"])


def test_the_statement_says_face_model(folder):
    assert json.loads((folder / "statement.json").read_text())["release"]["statistic"] == "face model"


@pytest.mark.slow
def test_a_comparison_may_be_a_page_with_a_map_and_says_how_many_people_it_takes(folder, tmp_path):
    again = folder.parent / "again"
    words = run("compare", folder, again, "--output", tmp_path / "compared.html")
    page = (tmp_path / "compared.html").read_text()
    needed = int(re.search(r"about ([\d,]+) people a group", words)[1].replace(",", ""))
    assert f"about {needed:,} people a group" in page and "data:image/png;base64," in page and "<script" not in page
    first, second = (models.read_model(one) for one in (folder, again))
    fields = [one.covariances(one.average) for one in (first, second)]
    had = [round(one.people) for one in (first, second)]
    assert had == [200, 200]

    def found(n):
        total = sum(noise * (200 / n) ** 2 + sampling * (200 / n) for noise, sampling in fields)
        return np.median(released_model.detectable(total, 0.05 * 0.1)) <= 1.0

    assert found(needed) and not found(needed - 1)


def test_a_mesh_is_bent_with_its_landmarks_to_a_released_shape_wherever_and_however_large_it_is(tmp_path):
    """The scan is moved, turned and scaled; what is affine the spline carries exactly."""
    rng = np.random.default_rng(4)
    released, turn = rng.standard_normal((12, 3)), np.eye(3)[[1, 2, 0]]
    with artifacts.writer(tmp_path / "mean_shape.h5", artifacts.RELEASED_SHAPE) as out:
        noise = {"noise_radius": 0.01, "noise_covariance": np.tile(1e-5 * np.eye(3), (12, 1, 1))}
        out.set(landmarks=released, center=released, size=np.nan, size_noise=np.nan, **noise, settings='{"modes": 0}')
    marks = 40 * (released + 0.1 * rng.standard_normal((12, 3))) @ turn.T + 5
    ball = trimesh.creation.icosphere(radius=60)
    writers.write_scan(tmp_path / "scan.ply", np.vstack([ball.vertices, marks]), ball.faces)
    (tmp_path / "marks.csv").write_text(writers.format_csv(marks), encoding="utf-8")
    run("warp", tmp_path, tmp_path / "scan.ply", tmp_path / "marks.csv", "--output", tmp_path / "w.ply")
    found = trimesh.load(tmp_path / "w.ply", process=False).vertices
    wanted = models.align_to(released, marks)
    assert_allclose(found[-12:], wanted, atol=1e-3)
    assert_allclose(wanted - wanted.mean(axis=0), (released - released.mean(axis=0)) @ turn.T * 40, atol=9)
    assert_allclose(models.fit_bending(marks, 2 * marks + 1)(ball.vertices), 2 * ball.vertices + 1, atol=1e-6)
    (tmp_path / "flat.csv").write_text(writers.format_csv(marks[:, :2]), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"flat\.csv: must hold one specimen in space .* placed on .*scan\.ply"):
        list(models.write_warped(tmp_path, {}, tmp_path / "scan.ply", tmp_path / "flat.csv", tmp_path / "w.ply"))
