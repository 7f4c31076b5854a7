"""The whole workflow on a small cohort, as a user runs it."""

import csv
import json
import re
import shutil
import stat

import numpy as np
import pytest
import trimesh
from scipy.spatial import cKDTree

from shapedp.base import artifacts
from shapedp.ledger.ledger_folder import Ledger
from shapedp.releases import allow_list
from workflow import runs
from workflow.finished import LEDGER, PEOPLE, REJECTED

BUNDLE = {
    "mean_face.h5",
    "mean_face.ply",
    "mean_face.glb",
    "preview.png",
    "noise.png",
    "statement.json",
    "statement.md",
    "nist.md",
    "for_the_board.html",
    "index.html",
}


def test_each_face_is_in_the_quality_table_with_its_reason(done):
    with (done / "results/private/faces/quality.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert len(rows) == len(PEOPLE) + 1
    rejected = {row["id"]: row["code"] for row in rows if row["status"] == "rejected"}
    assert rejected == {f"{REJECTED}_visit": "truncated"}
    assert all(float(row["energy_after"]) < float(row["energy_rotation_only"]) for row in rows if row["status"] == "ok")


def test_the_release_folder_holds_the_bundle_and_nothing_else(done):
    assert {path.name for path in (done / "results/release/faces/everybody").iterdir()} == BUNDLE
    assert {path.name for path in (done / "results/release").iterdir()} == {"faces", "shapes"}


def test_private_results_are_closed_to_others(done):
    assert stat.S_IMODE((done / "results/private").stat().st_mode) == 0o700


def test_the_released_face_is_a_surface_in_mm_of_a_faces_size(done):
    face = done / "results/release/faces/everybody"
    surface = trimesh.load(face / "mean_face.ply", process=False)
    assert surface.is_winding_consistent
    with artifacts.reader(face / "mean_face.h5", artifacts.MEAN_FACE) as release:
        assert 120 < release["scale"] < 260, "the root of a face's area; its noise, of six people, is large"
        rim = release["scale"] * release["curves"][-1].T
    assert cKDTree(surface.vertices).query(rim)[0].max() < 1e-3, "the outermost curve is the surface's rim"
    other = trimesh.load(face / "mean_face.glb", force="mesh", process=False)
    assert np.allclose(1000 * np.ptp(other.vertices, axis=0), np.ptp(surface.vertices, axis=0), rtol=1e-4), "in metres"


def test_the_statement_says_what_was_asked(done):
    stated = json.loads((done / "results/release/faces/everybody/statement.json").read_text(encoding="utf-8"))
    assert stated["formally_private"] is True
    assert stated["release"]["n"] == len(PEOPLE) + 1, "rejected faces count as the reference"
    assert stated["guarantee"]["mu"] == pytest.approx(1.25)


def test_the_mean_is_near_the_template_it_should_resemble(done):
    with (
        artifacts.reader(done / "results/release/faces/everybody/mean_face.h5", artifacts.MEAN_FACE) as release,
        artifacts.reader(done / "results/private/template.h5", artifacts.TEMPLATE) as template,
    ):
        apart = release["curves"] - template["curves"]
        assert np.sqrt(np.mean(apart**2)) < 3 * np.sqrt(np.mean(release["noise_sd"] ** 2)) + 0.02


def test_the_comparison_ranks_the_mechanisms_as_the_theory_does(done):
    with (done / "results/private/faces/comparison.tsv").open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream, delimiter="\t") if row["budget"] == "each curve"]
    for reference in ("none", "template"):
        noise = {
            row["name"]: float(row["noise_mm"])
            for row in rows
            if row["reference"] == reference and row["bounds"] == "data"
        }
        assert noise["matched"] < noise["rkhs"] < noise["rkhs_paper"]
    assert all(row["formally_private"] == "false" for row in rows if row["bounds"] == "data")


def test_snakemake_looks_for_work_when_a_job_has_ended_and_not_all_the_time(done):
    output = (done / "output.txt").read_text(encoding="utf-8")
    ended = re.search(r"(\d+) of \1 steps \(100%\) done", output)
    assert 1 < output.count("Ready jobs:") <= int(ended[1]) + 1


def test_a_second_run_does_nothing(done):
    again = runs.snakemake(done)
    assert "Nothing to be done" in again.stderr + again.stdout
    assert "nothing to do; all of this is there already:\nfaces: " in again.stderr


def test_releases_are_returned_not_redrawn_when_results_are_cleaned(done, tmp_path):
    again = shutil.copytree(done, tmp_path / "again")
    release = again / "results/release/faces/everybody/mean_face.h5"
    before = release.read_bytes()
    spent = len(Ledger(again / LEDGER).list_releases("demo_faces"))
    release.unlink()
    runs.snakemake(again, "results/private/shown/faces/everybody.json")
    assert release.read_bytes() == before
    assert len(Ledger(again / LEDGER).list_releases("demo_faces")) == spent


def test_every_release_passes_the_list_of_what_may_be_published(done):
    for branch in ("faces", "shapes"):
        for folder in (done / "results/release" / branch).iterdir():
            for name in ("statement.json", "statement.md"):
                assert (folder / name).is_file()
            allow_list.check_statement(folder)
