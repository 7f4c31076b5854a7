"""The review page of landmarks: rejected, far and exchanged ones stand out, all others are there."""

import json
import re

import numpy as np

import center_shapes
import read_shapes
import review_cohort
from shapedp.app.forecast import budgets
from shapedp.base.storage import files
from shapedp.landmarks import outlines


def test_a_specimen_with_exchanged_landmarks_is_told(tmp_path):
    records = outlines.population(12, 1)[0].copy()
    records[3, [5, 30]] = records[3, [30, 5]]
    records[7] = np.nan
    np.savez(tmp_path / "private.npz", X=records)
    paths = [tmp_path / name for name in ("landmarks.h5", "shapes.h5", "review.html", "alike.tsv")]
    read_shapes.read_shapes(tmp_path / "private.npz", paths[0], "demo")
    center_shapes.center_shapes(*paths[:2], "demo")
    review_cohort.review_shapes(*paths[1:], None, [[1, 2]])
    found = records_of(paths[2])
    assert found["private_00004"]["swapped"] == [[6, 31]]
    assert "landmarks 6 and 31 look exchanged" in found["private_00004"]["words"]
    assert found["private_00008"]["state"] == "rejected" and "shape" not in found["private_00008"]
    assert len(found) == 12 and sum(bool(one.get("swapped")) for one in found.values()) == 1


def test_landmarks_are_told_by_the_numbers_that_they_have_in_the_files(tmp_path):
    records = outlines.population(12, 1)[0].copy()
    records[3, [5, 30]] = records[3, [30, 5]]
    np.savez(tmp_path / "private.npz", X=records)
    paths = [tmp_path / name for name in ("landmarks.h5", "shapes.h5", "review.html", "alike.tsv")]
    out = {"leave_out": [20, 3]}
    read_shapes.read_shapes(tmp_path / "private.npz", paths[0], "demo", **out)
    center_shapes.center_shapes(*paths[:2], "demo", **out)
    review_cohort.review_shapes(*paths[1:], None, [[1, 2]], **out)
    told = records_of(paths[2])["private_00004"]
    assert told["swapped"] == [[5, 29]] and "landmarks 6 and 31 look exchanged" in told["words"]


def test_a_record_under_two_names_is_told_whatever_its_place_size_and_turn(tmp_path):
    records = outlines.population(12, 1)[0].copy()
    records[9] = np.round(40 * records[2] @ np.array([[0.0, -1], [1, 0]]) + 7, 3)
    np.savez(tmp_path / "private.npz", X=records)
    paths = [tmp_path / name for name in ("landmarks.h5", "shapes.h5", "review.html")]
    folder = tmp_path / "private/shapes"
    folder.mkdir(parents=True)
    read_shapes.read_shapes(tmp_path / "private.npz", paths[0], "demo")
    center_shapes.center_shapes(*paths[:2], "demo")
    review_cohort.review_shapes(*paths[1:], folder / "alike.tsv", None, [])
    found = records_of(paths[2])
    assert found["private_00003"]["words"] == [
        "is the same shape as 'private_00010', or its mirror image: is it one person?"
    ]
    assert found["private_00010"]["state"] == "doubtful"
    assert sum("same shape" in words for one in found.values() for words in one["words"]) == 2
    (line,) = budgets.caution_results({"faces": None, "shapes": {"releases": []}}, tmp_path)
    assert "records of different persons are the same shape, 'private_00003' and 'private_00010'" in line


def test_a_copy_with_its_side_flipped_and_a_size_in_another_unit_are_told(tmp_path):
    records = outlines.population(12, 1)[0].copy()
    records[9] = 3 * records[2] * [-1, 1] + 7
    records[5] *= 1000
    np.savez(tmp_path / "private.npz", X=records)
    paths = [tmp_path / name for name in ("landmarks.h5", "shapes.h5", "review.html", "alike.tsv")]
    read_shapes.read_shapes(tmp_path / "private.npz", paths[0], "demo")
    center_shapes.center_shapes(*paths[:2], "demo", table_path=tmp_path / "quality.tsv")
    review_cohort.review_shapes(*paths[1:], None, [])
    (row,) = [one.split("\t")[:2] for one in paths[3].read_text().splitlines()[1:]]
    assert row == ["private_00003", "private_00010"]
    assert any("or its mirror image" in one for one in records_of(paths[2])["private_00010"]["words"])
    told = {one["id"]: one for one in files.read_table(tmp_path / "quality.tsv")}
    assert told["private_00006"]["status"] == "ok" and told["private_00006"]["code"] == "size"
    words = told["private_00006"]["reason"]
    assert re.fullmatch(r"\S+ times as large as most records: is it in another unit\?", words)
    assert 500 < float(words.split()[0]) < 2000 and words in records_of(paths[2])["private_00006"]["words"]
    assert records_of(paths[2])["private_00006"]["state"] == "doubtful"
    assert [one for one in told.values() if one["code"] == "size"] == [told["private_00006"]]


def records_of(page):
    """{id: record} of a review page."""
    data = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)[1])
    return {one["id"]: one for one in data["records"]}
