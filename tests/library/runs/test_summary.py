"""The end of a run in a few lines."""

import json

import numpy as np
import pytest

from shapedp import artifacts
from shapedp.runs import summary

QUALITY = "\n".join(
    [
        "id\tstatus\tstage\tcode\treason",
        "a\tok\t\t\t",
        "b\trejected\tmesh_faces\tempty_file\tb.xyz: an empty file",
        "c\trejected\tmesh_faces\tempty_file\tc.xyz: an empty file",
        "d\trejected\tmesh_faces\tlarge_hole\ta hole of 9 %",
    ]
)


@pytest.fixture
def results(tmp_path):
    for cohort in ("faces", "reference"):
        write(tmp_path / f"private/{cohort}/quality.tsv", QUALITY)
    for name, private in (("good", True), ("bad", False)):
        stated = {"formally_private": private, "summary": f"What {name} promises."}
        write(tmp_path / f"release/faces/{name}/statement.json", json.dumps(stated))
    for batch, seconds in (("1", 70), ("2", 20.4)):
        write(tmp_path / f"private/benchmarks/mesh_faces/faces/{batch}.tsv", f"s\th:m:s\n{seconds}\t-\n")
    write(tmp_path / "private/benchmarks/plan_release.tsv", "s\th:m:s\n5\t-\n")
    return tmp_path


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_accepted_rejected_and_why(results):
    told = list(summary.lines(results))
    assert told[0] == f"faces: 1 accepted, 3 rejected; each stands in {results / 'private/faces/quality.tsv'}"
    assert told[2] == "  2 x empty_file: b.xyz: an empty file"
    assert told[3] == "  1 x large_hole: a hole of 9 %"


def test_only_people_whose_mean_is_released_count_as_the_reference(results):
    told = list(summary.lines(results))
    assert [index for index, line in enumerate(told) if "count as the public reference" in line] == [1]


def test_where_each_release_is_and_what_it_guarantees(results):
    told = list(summary.lines(results))
    folder = results / "release/faces"
    assert f"release in {folder / 'good'}: formally private. What good promises." in told
    assert f"release in {folder / 'bad'}: NOT formally private. What bad promises." in told


def test_times_are_summed_over_jobs_longest_first(results):
    *_, head, first, second = summary.lines(results)
    assert head.endswith("1 min 35 s")
    assert first.split() == ["mesh_faces", "1", "min", "30", "s", "2", "job(s)"]
    assert second.split() == ["plan_release", "5", "s", "1", "job(s)"]


def test_rejected_shapes_are_told_with_their_reason(results):
    shapes = np.ones((3, 4, 2))
    fields = {
        "center": shapes[0],
        "ignored": shapes[:0],
        "slid": shapes[:0],
        "center_source": "demo",
        "center_public": 1,
        "ids": list("abc"),
        "groups": [""] * 3,
    }
    with artifacts.writer(results / "private/shapes/shapes.h5", artifacts.SHAPES) as out:
        out.set(
            shapes=shapes, log_sizes=[0.0] * 3, ok=[1, 0, 1], reasons=["", "all landmarks in one point", ""], **fields
        )
    told = list(summary.lines(results))
    assert "shapes: 2 accepted, 1 rejected" in told
    assert "  1 x all landmarks in one point" in told


def test_an_empty_folder_has_no_summary(tmp_path):
    assert list(summary.lines(tmp_path)) == []
