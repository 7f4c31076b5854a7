"""The template of public scans: what a Procrustes mean is, what is written and told, and a whole pass."""

import json

import numpy as np
import pytest

from shapedp.base.errors import ConfigError
from shapedp.people import populations, samples
from shapedp.surfaces import polar
from shapedp.surfaces.chain import mean_template
from shapedp.surfaces.chain.step import Refusal
from shapedp.surfaces.chain.surface_means import find_procrustes_mean
from shapedp.surfaces.human_face import mean_face
from shapedp.surfaces.human_face.demo import scans
from shapedp.surfaces.registration import srnf
from shapedp.surfaces.scans.scan import Scan
from shapedp.surfaces.subjects import means

TRIANGLE = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]])


def surface(bend):
    """A bent disk of unit area on a small grid."""
    x, y = np.moveaxis(polar.polar_grid(12, 32).points, -1, 0)
    return polar.unit_surface(np.stack([x, 1.3 * y + 0.1 * x**2, bend * x**2 - 0.3 * y], axis=-1))[0]


def test_surfaces_that_were_turned_and_moved_have_the_mean_of_those_that_were_not():
    given = np.array([surface(bend) for bend in (0.2, 0.3, 0.5, 0.6)])
    rng = np.random.default_rng(0)
    placed = []
    for one in given:
        turn = srnf.best_rotation(rng.standard_normal((3, 3)) + 4 * np.eye(3))
        placed.append(one @ turn.T + rng.standard_normal(3))
    wanted = find_procrustes_mean(given, given[0])
    assert np.abs(find_procrustes_mean(np.array(placed), given[0]) - wanted).max() < 1e-6
    assert polar.unit_surface(wanted)[1] == pytest.approx(1)
    assert np.abs(wanted - surface(0.4)).max() < 0.03


@pytest.fixture
def without_a_chain(monkeypatch):
    refused = {"p1": Refusal("mesh_faces", "no_face", "no place of the scan is a face")}
    monkeypatch.setattr(means, "build_mean", lambda scans, word: (*TRIANGLE, refused, [2.0, 0.3, 0.2]))


@pytest.fixture
def public(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    for index in range(6):
        (folder / f"p{index}.ply").write_text(f"scan {index}")
    return folder


def test_what_a_template_is_made_of_is_written_and_copies_of_private_scans_are_told(without_a_chain, public, tmp_path):
    private = tmp_path / "private"
    private.mkdir()
    (private / "a.ply").write_text("scan 2")
    (private / "b.ply").write_text("another")
    output = tmp_path / "template.ply"
    lines = list(mean_template.write([str(public)], output, "volunteers", str(private)))
    assert "p1.ply: left out in mesh_faces (no_face)" in lines[0]
    assert "5 of 6 public scans" in lines[1]
    assert "p2.ply' holds the same as the private scan" in lines[2]
    assert len(lines) == 4
    record = json.loads((tmp_path / "template.json").read_text())
    assert record["source"] == "volunteers"
    assert [one["name"] for one in record["scans"]] == [f"p{index}.ply" for index in (0, 2, 3, 4, 5)]
    assert output.read_bytes().startswith(b"ply")
    cohort = {"faces": [samples.Sample(one.stem, str(one), one.stem) for one in sorted(private.iterdir())]}
    faces = {"template": str(output), "scans": str(private), "bounds": {"reference_set": "built_in"}}
    (told,) = populations.describe_copies(faces, cohort)
    assert "made of 1 scan(s)" in told and "a.ply" in told
    (private / "a.ply").write_text("scan 9")
    assert not list(populations.describe_copies(faces, cohort))
    (tmp_path / "template.json").write_text("[1]")
    assert not list(populations.describe_copies(faces, cohort)), "another file of that name"


def test_too_few_scans_and_another_ending_are_refused(without_a_chain, public, tmp_path):
    few = [str(public / f"p{index}.ply") for index in range(4)]
    with pytest.raises(ConfigError, match="4 scan"):
        list(mean_template.write(few, tmp_path / "template.ply", "volunteers"))
    with pytest.raises(ConfigError, match=r"not a \.ply"):
        list(mean_template.write([str(public)], tmp_path / "template.h5", "volunteers"))


def test_of_two_scans_of_one_name_none_is_lost_without_a_word(without_a_chain, public, tmp_path):
    other = tmp_path / "yours"
    other.mkdir()
    for name in ("p2", "q2"):
        (other / f"{name}.ply").write_text(f"another scan, {name}")
    with pytest.raises(ConfigError, match=r"mine/p2\.ply' and '.*yours/p2\.ply' are both called 'p2'"):
        list(mean_template.write([str(public), str(other)], tmp_path / "template.ply", "volunteers"))
    lines = list(mean_template.write([str(public), str(public / "p2.ply")], tmp_path / "template.ply", "volunteers"))
    assert "5 of 6 public scans" in lines[1], "one file that is named twice is one scan"


@pytest.mark.long
def test_a_template_of_demo_people_settles():
    clouds = [Scan(scans.scan(3, index, "demo"), None, ()) for index in range(6)]
    given = [mean_template.Scan(f"p{index}", cloud) for index, cloud in enumerate(clouds)]
    vertices, _, refused, moved = mean_face.build_mean(given)
    assert not refused
    assert moved[2] < moved[1] < moved[0]
    assert 60 < np.linalg.norm(vertices - vertices[0], axis=1).max() < 110, "mm"
