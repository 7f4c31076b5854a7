"""The drawings of a face model: glTF as its standard wants it, shape keys that move what the model moves."""

import json
import struct

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose

from scripts.test_release_face_model import Workspace
from shapedp.base import writers
from shapedp.releases import allow_list
from shapedp.releases.figures import face_means, release_files, render
from shapedp.releases.kinds.model import shown
from shapedp.releases.model import released_model
from shapedp.releases.statement import statement_text
from shapedp.surfaces import curve_mesh

pytestmark = pytest.mark.usefixtures("coarse_pictures")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp("model"))
    workspace.stack()
    made, _ = workspace.release(mu=50.0, cap=100.0)
    release_files.draw(made, "faces", made)
    return made


def parts(content):
    """(description, binary) of a glb."""
    length = struct.unpack_from("<I", content, 12)[0]
    return json.loads(content[20 : 20 + length]), content[20 + length + 8 :]


def array(described, data, index):
    view = described["bufferViews"][described["accessors"][index]["bufferView"]]
    return np.frombuffer(data, "<f4", view["byteLength"] // 4, view["byteOffset"]).reshape(-1, 3)


def test_the_glb_holds_the_mean_in_metres_and_a_named_target_for_each_mode_and_effect(folder):
    model, _ = released_model.read(folder / "face_model.h5")
    described, data = parts((folder / "face_model.glb").read_bytes())
    (mesh,) = described["meshes"]
    names = mesh["extras"]["targetNames"]
    assert model.shown == 3 and names == ["mode_1", "mode_2", "mode_3", "effect_age", "effect_sex"]
    assert mesh["weights"] == [0.0] * 5 and len(mesh["primitives"][0]["targets"]) == 5
    vertices = curve_mesh.mesh(model.mean, model.radii)[0]
    assert_allclose(array(described, data, 0), vertices * 1e-3, atol=1e-6)
    plus = curve_mesh.mesh(model.mean + 2 * model.sd[1] * model.modes[1], model.radii)[0]
    moved = array(described, data, mesh["primitives"][0]["targets"][1]["POSITION"])
    assert_allclose(array(described, data, 0) + moved, plus * 1e-3, atol=1e-6)


def test_the_bounds_of_positions_are_those_of_the_numbers(folder):
    described, data = parts((folder / "face_model.glb").read_bytes())
    for index, accessor in enumerate(described["accessors"][:-1]):
        points = array(described, data, index)
        assert accessor["min"] == points.min(axis=0).tolist() and accessor["max"] == points.max(axis=0).tolist()
    assert described["accessors"][-1]["count"] % 3 == 0
    assert described["buffers"][0]["byteLength"] <= len(data) < described["buffers"][0]["byteLength"] + 4


def test_another_reader_opens_it(folder):
    scene = trimesh.load(folder / "face_model.glb")
    (mesh,) = scene.geometry.values()
    assert_allclose(mesh.vertices * 1e3, trimesh.load(folder / "face_model.ply").vertices, atol=1e-3)


def test_a_surface_of_each_end_lies_there(folder):
    model, _ = released_model.read(folder / "face_model.h5")
    for sign, word in ((-1, "minus"), (1, "plus")):
        wanted = curve_mesh.mesh(model.mean + sign * 2 * model.sd[0] * model.modes[0], model.radii)[0]
        assert_allclose(trimesh.load(folder / f"mode_1_{word}.ply", process=False).vertices, wanted, atol=1e-4)
    low, high = (trimesh.load(folder / f"effect_sex_{word}.ply", process=False).vertices for word in ("low", "high"))
    assert_allclose(high - low, curve_mesh.mesh(2 * model.effects[2], model.radii)[0], atol=1e-3)


def test_the_table_of_effects_names_the_covariates(folder):
    model, _ = released_model.read(folder / "face_model.h5")
    header, *lines = (folder / "effects.csv").read_text().splitlines()
    assert header.split(",")[0] == "covariate"
    assert [line.split(",")[0] for line in lines] == [one.name for one in model.covariates] == ["age", "sex"]


def test_all_may_be_published_and_is_drawn_the_same_again(folder):
    allow_list.check_folder(folder, "faces")
    allow_list.check_drawings(folder, "faces", release_files.draw)


def test_without_targets_it_is_a_plain_surface():
    described, _ = parts(writers.encode_morphs(np.eye(3), [[0, 1, 2]], {}))
    assert "targets" not in described["meshes"][0]["primitives"][0]


def test_the_picture_says_which_end_each_face_is_and_of_how_many_people(folder, monkeypatch):
    titles, captions = [], []
    written, over_scale = render.write_on, face_means.put_over_scale
    monkeypatch.setattr(render, "write_on", lambda *asked: titles.append(asked[1]) or written(*asked))
    monkeypatch.setattr(face_means, "put_over_scale", lambda *asked: captions.append(asked[2]) or over_scale(*asked))
    pictures = {name: one for name, one in shown.draw_face(folder) if name == "preview.png"}
    modes = [f"mode {k}: {sign}2 SD" for k in (1, 2, 3) for sign in "-+"]
    model, _ = released_model.read(folder / "face_model.h5")
    ends = [f"{one.name}: {end}" for one in model.covariates for end in one.ends]
    assert titles == modes + ends and titles[-2:] == ["sex: f", "sex: m"]
    stated = json.loads((folder / "statement.json").read_text(encoding="utf-8"))
    assert captions == [statement_text.caption(stated)]
    assert captions[0].startswith(f"The face model of {stated['release']['n']} people, noise included")
    assert pictures["preview.png"].shape[1] == 800 * 5
