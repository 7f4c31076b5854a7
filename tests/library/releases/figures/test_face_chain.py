"""The picture of one face, taken through the chain anew; and where its scan and its settings are found."""

import json

import numpy as np
import pytest

from shapedp.base import settings, writers
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.settings import read_default
from shapedp.releases.figures import face_chain
from shapedp.surfaces.chain import cohort
from shapedp.surfaces.chain.step import ChainSettings, Scan
from shapedp.surfaces.human_face.demo import scans as demo

FACES = {
    "template": "built_in",
    "template_as": "scan",
    "center": "nose",
    "mesh": read_default("faces.mesh"),
    "extent": {"radius": None},
    "surface": {"rings": 48, "angles": 128},
    "curves": {"count": 6, "samples": 16, "spacing": "arc"},
    "registration": read_default("faces.registration") | {"levels": 2, "basis": 60},
    "gates": {"energy": 1.0, "jacobian": 0.0, "unseen": 100.0, "unlike": 100.0},
    "expression": "as_scanned",
}


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    path = tmp_path_factory.mktemp("one") / "template.h5"
    keys = ("template", "template_as", "center", "mesh", "surface", "extent", "curves")
    cohort.prepare_template(None, path, {key: FACES[key] for key in keys}, False)
    return ChainSettings(FACES, path)


def run_settings(folder):
    """The settings of a run, as it leaves them with its results: of two scans, a and c."""
    (folder / "scans").mkdir()
    for name in ("a", "c"):
        (folder / "scans" / f"{name}.ply").touch()
    found = settings.load(settings.checks.ROOT / "config.yaml")
    found["faces"] |= {"scans": str(folder / "scans"), "releases": []}
    (folder / "results/private").mkdir(parents=True)
    (folder / "results/private/settings.json").write_text(json.dumps(found), encoding="utf-8")
    return found


def test_the_settings_are_those_that_the_run_left(tmp_path):
    found = run_settings(tmp_path)
    assert settings.load_run(tmp_path / "results", None) == found
    assert face_chain.find_scan("a", "faces", found, "here") == Scan("a", str(tmp_path / "scans" / "a.ply"), None)


def test_results_without_settings_ask_for_them(tmp_path):
    with pytest.raises(ConfigError, match=r"settings of the run .* --config FILE"):
        settings.load_run(tmp_path, None)


def test_a_face_of_other_settings_is_refused_in_words(tmp_path):
    with pytest.raises(ConfigError, match=r"my\.yaml: no face 'b' among its faces; name the settings of the run"):
        face_chain.find_scan("b", "faces", run_settings(tmp_path), "my.yaml")


def test_a_run_that_made_no_template_is_refused(tmp_path):
    with pytest.raises(ArtifactError, match="run snakemake first"):
        face_chain.draw_glance(Scan("a", "a.ply"), ChainSettings(FACES, tmp_path / "template.h5"))


def test_settings_of_another_run_are_refused(given):
    other = FACES | {"surface": {"rings": 96, "angles": 256}}
    with pytest.raises(ConfigError, match=r"made with another faces\.surface than these settings have"):
        face_chain.draw_glance(Scan("a", "a.ply"), ChainSettings(other, given.template))


@pytest.mark.slow
def test_the_picture_shows_every_step(given, tmp_path):
    writers.write_scan(tmp_path / "a.ply", demo.scan(5, 0, "demo"))
    made = face_chain.draw_glance(Scan("a", tmp_path / "a.ply"), given)
    assert [axes.get_title() for axes in made.axes] == [
        "points, the nearer the brighter",
        "mesh",
        "disk map, turned upright",
        "surface",
        "registered",
        "",
    ]


def test_the_picture_of_a_rejected_face_says_why(given, tmp_path):
    np.savetxt(tmp_path / "d.xyz", np.eye(3))
    made = face_chain.draw_glance(Scan("d", tmp_path / "d.xyz"), given)
    assert made.axes[0].get_title() == "d: rejected"
    assert "Rejected in mesh_faces (too_few_points)" in made.get_supxlabel()


def test_holes_are_told_as_many_as_they_are():
    told = [face_chain._describe_holes(count, 0.014) for count in (0, 1, 2)]
    assert told == ["no hole", "a hole of 1.4% of the area closed", "2 holes closed, the largest 1.4% of the area"]


def test_a_disk_map_is_drawn_as_the_face_stands():
    points = np.random.default_rng(2).standard_normal((40, 3))
    z = 0.2 * (points[:, 0] + 1j * points[:, 1])
    np.testing.assert_allclose(face_chain._turn_upright(z * np.exp(2.1j), points), z, atol=1e-12)
