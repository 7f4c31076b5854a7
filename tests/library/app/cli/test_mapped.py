"""The mapped mesh of each person lies on the scan it is of, in its place; landmarks go along."""

import csv
import json

import numpy as np
import pytest
import trimesh
from scipy.spatial import cKDTree

from library.releases.figures.test_face_chain import FACES
from shapedp.app.cli import mapped
from shapedp.base import writers
from shapedp.base.errors import ConfigError
from shapedp.people.samples import Sample
from shapedp.surfaces.chain import cohort
from shapedp.surfaces.human_face.demo import scans as demo

pytestmark = pytest.mark.slow
MOVED = np.array([300.0, -40.0, 7.0])


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """(folder, points of the scans): two scans, one of them elsewhere and turned, and one that shows nothing."""
    folder = tmp_path_factory.mktemp("mapped")
    template, (points, turn) = folder / "template.h5", (demo.scan(5, 0, "demo"), np.eye(3)[[1, 2, 0]])
    keys = ("template", "template_as", "center", "mesh", "surface", "extent", "curves")
    cohort.prepare_template(None, template, {key: FACES[key] for key in keys}, False)
    shown = {"a": points, "b": points @ turn.T + MOVED, "c": points[:3]}
    for name, one in shown.items():
        writers.write_scan(folder / f"{name}.ply", one)
    people = [Sample(name, str(folder / f"{name}.ply"), name) for name in shown]
    people.append(Sample("d", str(folder / "a.ply"), "d", use=False))
    patch = pytest.MonkeyPatch()
    patch.setattr(mapped.populations, "find", lambda faces, cells: {"faces": people})
    settings = {"faces": FACES | {"scans": str(folder)}}
    (folder / "first").mkdir()
    (folder / "first").chmod(0o755)
    list(mapped.write_meshes(settings, template, "faces", folder / "first"))
    tip = trimesh.load(folder / "first/template.ply", process=False).vertices
    (folder / "points.csv").write_text(writers.format_csv(tip[[0, 40, 60]] + [0, 0, 0.01]), encoding="utf-8")
    said = list(mapped.write_meshes(settings, template, "faces", folder / "out", folder / "points.csv"))
    patch.undo()
    return folder / "out", shown, turn, said


def mesh(folder, name):
    return trimesh.load(folder / f"{name}.ply", process=False)


def test_a_mesh_lies_on_its_scan_and_has_the_templates_triangles(done):
    folder, shown, _, said = done
    assert "2 meshes" in said[0] and "2 rejected" in said[0] and not (folder / "d.ply").exists()
    for name in "ab":
        found = mesh(folder, name)
        assert (found.faces == mesh(folder, "template").faces).all()
        assert np.median(cKDTree(shown[name]).query(found.vertices)[0]) < 1.5  # of points some 2 mm apart


def test_a_scan_that_was_moved_and_turned_has_its_mesh_moved_and_turned(done):
    folder, _, turn, _ = done
    apart = mesh(folder, "b").vertices - (mesh(folder, "a").vertices @ turn.T + MOVED)
    assert np.median(np.linalg.norm(apart, axis=1)) < 0.5


def test_landmarks_are_the_templates_places_on_each_mesh(done):
    folder, *_ = done
    with (folder / "landmarks.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["id"] for row in rows] == ["a"] * 3 + ["b"] * 3
    found = np.array([[float(row[axis]) for axis in "xyz"] for row in rows]).reshape(2, 3, 3)
    for points, name in zip(found, "ab", strict=True):
        assert np.abs(points - mesh(folder, name).vertices[[0, 40, 60]]).max() < 0.5
        marks = json.loads((folder / f"{name}.mrk.json").read_text())["markups"][0]["controlPoints"]
        assert np.allclose([one["position"] for one in marks], points)
    assert (folder / "landmarks.tps").read_text().count("LM3=3") == 2


def test_a_folder_that_it_made_is_closed_to_others_and_one_that_was_there_stays_as_it_was(done):
    folder, *_ = done
    assert [one.stat().st_mode & 0o777 for one in (folder, folder.parent / "first")] == [0o700, 0o755]


def test_landmarks_of_another_template_are_refused(done):
    vertices, triangles = np.eye(3), np.array([[0, 1, 2]])
    with pytest.raises(ConfigError, match="landmark 2 lies"):
        mapped.find_places(np.array([[0.3, 0.3, 0.4], [9, 9, 9]]), vertices, triangles, 0.5, "points.csv")
