"""What stays on disk, and whether it is still what its inputs give."""

import csv
import os

import pytest

from workflow import runs
from workflow.finished import KEPT


def findings(folder):
    """{artifact below results/private: status} of the last verification."""
    with (folder / "results/private/verify.tsv").open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t")
        return {row["artifact"].removeprefix("results/private/"): row["status"] for row in rows}


def test_only_what_is_to_be_kept_stays(done):
    folders = {path.parent.name for path in (done / "results/private/faces").rglob("[0-9]*.h5")}
    assert folders == {*KEPT, "look"}  # what the review page shows is always kept


def test_what_was_not_kept_is_not_made_again(done):
    again = runs.snakemake(done, "results/private/faces/quality.tsv", "--dry-run")
    assert "Nothing to be done" in again.stderr + again.stdout


@pytest.mark.thorough
def test_a_face_is_drawn_at_every_step_where_a_run_is_finished(done):
    runs.snakemake(done, "results/private/faces/inspect/zoltan_visit.png")
    assert (done / "results/private/faces/inspect/zoltan_visit.png").read_bytes().startswith(b"\x89PNG")


def test_where_curves_alone_are_kept_a_batch_is_one_job(tmp_path):
    asked = "results/private/faces/quality.tsv", "results/private/faces/curves.h5"
    planned = runs.snakemake(tmp_path, *asked, "--dry-run", settings=runs.tiny({"faces.keep": ["curves"]}))
    told = planned.stderr + planned.stdout
    assert "make_curves" in told
    assert "mesh_faces" not in told
    assert "measure_quality" not in told
    picture = runs.snakemake(tmp_path, "results/private/faces/inspect/face_0001.png", "--dry-run")
    assert "inspect_face" in picture.stderr + picture.stdout
    assert "mesh_faces" not in picture.stderr + picture.stdout  # the face is taken through the chain anew


def test_public_people_are_one_job_a_batch_whatever_is_kept(tmp_path):
    asked = [
        f"results/private/{cohort}/{made}" for cohort in ("faces", "reference") for made in ("curves.h5", "quality.tsv")
    ]
    planned = runs.snakemake(tmp_path, *asked, "--dry-run", settings=runs.tiny({"faces.keep": KEPT}))
    told = planned.stderr + planned.stdout
    assert "make_curves/reference/1" in told
    assert "mesh_faces/faces/1" in told
    assert "make_curves/faces" not in told
    assert "mesh_faces/reference" not in told


def test_a_sample_of_the_batches_and_what_all_share_is_identical(done):
    found = findings(done)
    assert set(found.values()) == {"identical"}
    assert {"template.h5", "faces/curves.h5", "faces/registered/1.h5", "reference/curves/1.h5"} <= set(found)


@pytest.mark.thorough
def test_bounds_of_a_list_of_public_sets_and_rows_of_single_releases_are_what_their_inputs_give(tmp_path):
    mean = {"mechanism": "matched_joint", "budget": {"mu_total": 1.0}, "worth_it_anyway": True}
    change = {"kind": "mean_change", "times": ["first", "second"], "mechanism": "shaped", "budget": {"mu_total": 1.0}}
    asked = [{"name": "change", **change}, {"name": "late", "time": "second", **mean}]
    changes = {"shapes": None, "faces.demo": {"count": 2, "bad": 0, "seed": 7, "later": 1.0}, "faces.releases": asked}
    changes |= {"faces.bounds.reference_set": ["built_in"], "faces.keep": ["curves"], "faces.persons": "average"}
    table = "results/private/verify/shared.tsv"
    runs.snakemake(tmp_path, table, "--notemp", settings=runs.tiny(changes))
    found = [line.split("\t")[:2] for line in (tmp_path / table).read_text(encoding="utf-8").splitlines()]
    assert {status for _, status in found} == {"identical"}
    assert {path.removeprefix("results/private/") for path, _ in found} == {
        *("template.h5", "faces/curves.h5", "reference/curves.h5", "faces/bounds/reference_set_template.h5"),
        *("reference/variation.h5", "faces/of_releases/change.h5", "faces/of_releases/late.h5"),
        "reference/of_releases/change.h5",
    }


@pytest.mark.thorough
def test_an_artifact_damaged_on_the_disk_fails_in_words_each_time(done):
    """As a disk damages: the time of the file stays. What has a new time is made again before it is compared."""
    path = done / "results/private/faces/registered/1.h5"
    content, before = path.read_bytes(), path.stat()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    try:
        for _ in range(2):
            failed = runs.snakemake(done, "verify", check=False)
            assert failed.returncode != 0
            assert "faces/registered/1.h5 damaged" in failed.stderr + failed.stdout
            assert findings(done)["faces/registered/1.h5"] == "damaged"
    finally:
        path.write_bytes(content)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
