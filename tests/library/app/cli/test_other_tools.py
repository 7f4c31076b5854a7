"""A release in the files of other tools: read back by them where they are here, else by what they document of them."""

import csv
import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose

from scripts.test_release_face_model import Workspace
from shapedp.app.cli import models, other_tools
from shapedp.app.cli.other_tools import PointModel
from shapedp.base.errors import ConfigError

TO = 1e-6  # of the largest coordinate


def points(d=3, modes=2, mesh=True):
    """Some points with modes that are not orthogonal, as those of a face are over the vertices of its mesh."""
    rng = np.random.default_rng(5)
    triangles = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4]]) if mesh and d == 3 else None
    mean, moved = 50 * rng.normal(size=(9, d)), rng.normal(size=(modes, 9, d))
    return PointModel(mean, moved, triangles, "mm", {"age": rng.normal(size=(9, d))}, residual=2.0)


def covariance(model):
    flat = model.modes.reshape(len(model.modes), -1)
    return flat.T @ flat


def error(read, wanted):
    return np.max(np.abs(read - wanted)) / np.max(np.abs(wanted))


def read_back(tool, folder):
    """The largest error of a mean and of its modes' covariance, written for a tool and read; of the largest number."""
    model = points()
    if tool == "statismo":
        other_tools.write_statismo(model, folder / "model.h5")
        with h5py.File(folder / "model.h5") as file:
            mean, basis, variance = (file[f"model/{name}"][()] for name in ("mean", "pcaBasis", "pcaVariance"))
        return max(error(mean, model.mean.ravel()), error(basis * variance @ basis.T, covariance(model)))
    made = other_tools.TOOLS[tool](model)
    if tool == "csv":
        mean, modes = (np.array(rows(made[name])[1:], float)[:, 1:] for name in ("mean.csv", "modes.csv"))
        return max(error(mean, model.mean), error(modes.reshape(9, 2, 3).transpose(1, 0, 2), model.modes))
    if tool == "slicermorph":
        mean, vectors = (
            np.array([row[1:] for row in rows(made[name])[1:]], float) for name in ("meanShape.csv", "eigenvector.csv")
        )
        values = np.array([row[1] for row in rows(made["eigenvalues.csv"])], float)
        ras = (model.modes * [-1, -1, 1]).reshape(2, -1)
        return max(error(mean, model.mean * [-1, -1, 1]), error(vectors * values @ vectors.T, ras.T @ ras))
    placed = put(folder / tool, made)
    code = "R <- geomorph$rotation; cat(format(R %*% diag(geomorph$d) %*% t(R), digits = 15))"
    mean = in_r(placed, "cat(format(t(A[, , 1]), digits = 15))").reshape(-1, 3)
    return max(error(mean, model.mean), error(in_r(placed, code).reshape(27, 27), covariance(model)))


@pytest.mark.slow
@pytest.mark.parametrize("tool", other_tools.TOOLS)
def test_what_is_written_for_a_tool_is_read_back(tmp_path, tool):
    assert read_back(tool, tmp_path) < TO


@pytest.mark.parametrize("d", [2, 3])
def test_statismo_holds_mean_mesh_and_covariance_as_scalismo_reads_them(tmp_path, d):
    """StatismoIO.readStatismoPDM: mean and points as floats, the basis orthonormal since version 0.9, cells (3, t)."""
    model = points(d)
    other_tools.write_statismo(model, tmp_path / "model.h5")
    with h5py.File(tmp_path / "model.h5") as file:
        kind = file["representer"].attrs["datasetType"]
        assert kind == ("POLYGON_MESH" if d == 3 else "POINT_SET")
        assert (file["version/majorVersion"][()], file["version/minorVersion"][()]) == (0, 9)
        assert file["catalog/shapedp/modelPath"].asstr()[()] == "/"
        basis, variance = file["model/pcaBasis"][()], file["model/pcaVariance"][()]
        assert {basis.dtype, file["model/mean"].dtype, file["representer/points"].dtype} == {np.dtype("f4")}
        assert error(file["representer/points"][()], model.mean.T) < TO
        assert error(file["model/mean"][()], model.mean.ravel()) < TO
        assert_allclose(basis.T @ basis, np.eye(2), atol=1e-6)
        assert error(basis * variance @ basis.T, covariance(model)) < TO
        assert_allclose(file["model/noiseVariance"][()], [2.0 - np.sum(model.modes**2) / model.mean.size], rtol=1e-6)
        if d == 3:
            assert_allclose(file["representer/cells"][()], model.triangles.T)


def test_a_mean_has_no_statismo_model(tmp_path):
    with pytest.raises(ConfigError, match="no mode stands above the noise"):
        other_tools.write_statismo(points(modes=0), tmp_path / "model.h5")


def in_r(folder, code):
    """Numbers that R prints after model.R ran in its folder."""
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not installed")
    text = f'source("model.R"); {code}'
    done = subprocess.run(["Rscript", "-e", text], cwd=folder, capture_output=True, text=True, check=True)
    return np.array(done.stdout.split(), dtype=float)


def put(folder, contents):
    folder.mkdir()
    for name, content in contents.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.mark.slow
def test_r_makes_objects_of_morpho_and_geomorph(tmp_path):
    """Morpho: mshape + matrix(PCs scores, k, d); geomorph: rows of rotation are x, y, z of a point after the other."""
    model = points()
    folder = put(tmp_path / "morpho", other_tools.make_morpho(model))
    assert error(in_r(folder, "cat(t(A[, , 1]))").reshape(-1, 3), model.mean) < TO
    code = "P <- morpho$PCs; cat(format(P %*% diag(morpho$eigenvalues) %*% t(P), digits = 15))"
    turned = covariance(model).reshape(9, 3, 9, 3).transpose(1, 0, 3, 2).reshape(27, 27)
    assert error(in_r(folder, code).reshape(27, 27), turned) < TO
    code = "R <- geomorph$rotation; cat(format(R %*% diag(geomorph$d) %*% t(R), digits = 15))"
    assert error(in_r(folder, code).reshape(27, 27), covariance(model)) < TO
    moved = in_r(folder, "cat(format(t(geomorph$shapes$shapes.comp1$max - mean_shape), digits = 15))")
    basis, variance = model.axes()
    assert error(np.abs(moved), np.abs(2 * np.sqrt(variance[0]) * basis[:, 0])) < TO
    assert error(in_r(folder, "cat(mesh$vb[1:3, mesh$it[, 2]])").reshape(-1, 3), model.mean[model.triangles[1]]) < TO


@pytest.mark.slow
def test_r_makes_a_mean_without_modes(tmp_path):
    folder = put(tmp_path / "morpho", other_tools.make_morpho(points(2, modes=0)))
    assert in_r(folder, "cat(dim(A))").tolist() == [9, 2, 1]


def rows(text):
    return list(csv.reader(text.splitlines()))


def test_tables_hold_mean_modes_effects_and_triangles():
    model = points()
    made = other_tools.make_tables(model)
    numbers = {name: np.array(rows(text)[1:], float) for name, text in made.items()}
    assert error(numbers["mean.csv"][:, 1:], model.mean) < TO
    assert error(numbers["modes.csv"][:, 1:].reshape(9, 2, 3).transpose(1, 0, 2), model.modes) < TO
    assert rows(made["modes.csv"])[0][4] == "mode_2_x" and rows(made["effects.csv"])[0][1] == "effect_age_x"
    assert error(numbers["effects.csv"][:, 1:], model.effects["age"]) < TO
    assert (numbers["triangles.csv"] - 1).tolist() == model.triangles.tolist()


def test_slicermorph_loads_the_tables_as_an_analysis():
    """GPA.onLoadFromFile: LMData.initializeFromDataFrame takes these columns; meshes are LPS, tables RAS."""
    model = points()
    made = other_tools.make_slicermorph(model)
    ras = model.mean * [-1, -1, 1]
    assert error(np.array([row[1:] for row in rows(made["meanShape.csv"])[1:]], float), ras) < TO
    header, *lines = rows(made["outputData.csv"])
    assert header[:4] == ["Sample_name", "proc_dist", "centroid", "LM 1_X"] and len(lines) == other_tools.DRAWN
    people = np.array([line[3:] for line in lines], float).reshape(len(lines), -1, 3)
    values = np.array([row[1] for row in rows(made["eigenvalues.csv"])], float)
    vectors = np.array([row[1:] for row in rows(made["eigenvector.csv"])[1:]], float)
    scores = np.array([row[1:] for row in rows(made["pcScores.csv"])[1:]], float)
    assert error(people, ras + (scores @ vectors.T).reshape(people.shape)) < TO
    wanted = (model.modes * [-1, -1, 1]).reshape(2, -1)
    assert error(vectors * values @ vectors.T, wanted.T @ wanted) < TO
    log = json.loads(made["analysis.json"])["GPALog"][0]
    assert log["Boas"] is True and log["NumberLM"] == 9
    marks = json.loads(made["mean.mrk.json"])["markups"][0]
    assert marks["coordinateSystem"] == "LPS" and marks["type"] == "Fiducial"
    assert error(np.array([one["position"] for one in marks["controlPoints"]]), model.mean) < TO


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp("model"))
    workspace.stack()
    return workspace.release(mu=20.0, cap=100.0)[0]


@pytest.mark.slow
@pytest.mark.parametrize("tool", other_tools.TOOLS)
def test_a_released_model_goes_to_each_tool_with_its_statement(folder, tmp_path, tool):
    output = tmp_path / ("model.h5" if tool == "statismo" else "model")
    (said,) = other_tools.export(folder, output, tool)
    assert str(output) in said and "mode(s)" in said
    if tool == "statismo":
        with h5py.File(output) as file:
            model = other_tools.read_points(folder)
            assert error(file["model/mean"][()], model.mean.ravel()) < TO
            assert file["model/noiseVariance"][0] > 0
    else:
        assert (output / "statement.md").read_bytes() == (folder / "statement.md").read_bytes()


@pytest.mark.slow
def test_synthetic_people_are_a_folder_of_meshes_and_one_table(folder, tmp_path):
    list(models.write_samples(folder, 3, tmp_path / "people", seed=1))
    list(models.write_samples(folder, 3, tmp_path / "people.npz", seed=1))
    with (tmp_path / "people/samples.csv").open() as stream:
        told = list(csv.DictReader(stream))
    model = models.read_model(folder)
    with np.load(tmp_path / "people.npz") as drawn:
        for row, wanted in zip(told, drawn["vertices"], strict=True):
            read = trimesh.load(tmp_path / "people" / row["file"], process=False).vertices
            assert_allclose(read, wanted, atol=1e-3)
    assert len(told[0]) == 1 + model.shown


@pytest.mark.parametrize(
    ("tool", "output", "words"),
    [("blender", "x", "no such tool"), ("statismo", "x", "ends in .h5"), ("csv", "x.csv", "writes a folder")],
)
def test_a_wrong_use_says_what_to_give(monkeypatch, tmp_path, tool, output, words):
    monkeypatch.setattr(other_tools, "read_points", lambda path: points())
    with pytest.raises(ConfigError, match=words):
        other_tools.export(Path("release"), tmp_path / output, tool)


def test_landmarks_in_the_plane_are_not_for_slicermorph():
    with pytest.raises(ConfigError, match="in the plane"):
        other_tools.make_slicermorph(SimpleNamespace(mean=np.zeros((4, 2))))
