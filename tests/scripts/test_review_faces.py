"""The review page of faces: a scan that stands under two persons' names in other forms is told, to the operator."""

import numpy as np
import pytest

import make_curves
import review_cohort
from scripts.test_face_chain import CHAIN, GATES, SETTINGS
from scripts.test_review_shapes import records_of
from shapedp.app.forecast import budgets
from shapedp.base import writers
from shapedp.surfaces.chain import cohort, quality
from shapedp.surfaces.human_face import likely_error
from shapedp.surfaces.human_face.demo import scans as demo

TURN = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])


@pytest.fixture(scope="module")
def faces(tmp_path_factory):
    """Three people, and the first once more: turned, in cm, in another order of its points, as text."""
    folder = tmp_path_factory.mktemp("review")
    scans = [demo.scan(5, index, "demo") for index in range(3)]
    for index, points in enumerate(scans):
        writers.write_scan(folder / f"{index}.ply", points)
    again = np.random.default_rng(1).permutation(scans[0] @ TURN.T / 10)
    np.savetxt(folder / "again.xyz", again, fmt="%.5f")
    cohort.prepare_template(None, folder / "template.h5", CHAIN, False)
    samples = [(name, str(folder / f"{name}.ply"), None) for name in "012"]
    samples.append(("again", str(folder / "again.xyz"), None))
    made = [folder / name for name in ("curves.h5", "quality.tsv", "look.h5")]
    make_curves.make_curves(samples, folder / "template.h5", *made, SETTINGS)
    return folder


def reviewed(folder, persons, gates=GATES):
    """{id: record} of the page; the table beside it lies in private/faces/."""
    private = folder / "private/faces"
    private.mkdir(parents=True, exist_ok=True)
    people = [(name, person, "") for name, person in persons.items()]
    paths = folder / "quality.tsv", folder / "template.h5", folder / "review.html", private / "alike.tsv"
    review_cohort.review_faces({"1": folder / "look.h5"}, *paths, people, gates)
    return records_of(folder / "review.html")


def test_a_scan_under_two_names_is_told_whatever_its_format(faces):
    found = reviewed(faces, {name: name for name in ("0", "1", "2", "again")})
    assert found["0"]["words"][0] == "shows the same face as 'again': is it one person?"
    assert found["again"]["words"][0] == "shows the same face as '0': is it one person?"
    assert found["0"]["state"] == found["again"]["state"] == "doubtful"
    assert not any("same face" in words for name in "12" for words in found[name]["words"])
    (line,) = budgets.caution_results({"faces": {"releases": []}, "shapes": None}, faces)
    assert "scans of different persons show the same face, '0' and 'again'" in line and "more pairs" not in line
    assert line[9:] in (faces / "review.html").read_text(encoding="utf-8").replace("&#x27;", "'")


def test_two_scans_of_one_person_are_as_they_should_be(faces):
    found = reviewed(faces, {"0": "a", "again": "a", "1": "b", "2": "c"})
    assert not any("same face" in words for one in found.values() for words in one["words"])
    assert list(budgets.caution_results({"faces": {"releases": []}, "shapes": None}, faces)) == []


def test_a_doubtful_scan_says_how_far_it_is_likely_to_be_off_and_where(faces, monkeypatch):
    """However near it comes to a gate: one number that is normal for a camera is no doubt of all its scans."""
    names, near = {name: name for name in ("0", "1", "2", "again")}, {**GATES, "unlike": 1.1 * unlike(faces)}
    assert reviewed(faces, names, near)["1"]["state"] == "good"
    limits = 0.9 * float(quality.read(faces)["1"]["error_mm"]), *likely_error.DOUBTFUL_MM[1:]
    monkeypatch.setattr(likely_error, "DOUBTFUL_MM", limits)
    found = reviewed(faces, names, near)
    (word,) = (one for one in found["1"]["words"] if one.startswith("likely"))
    assert "mm off in the mean, most at the" in word
    assert found["1"]["state"] == "doubtful"
    assert found["1"]["figures"]["least Jacobian"].endswith("(at least 0)")
    assert float(found["1"]["figures"]["mm from the reference, root mean square"].split(" (at most")[0]) > 0
    assert float(found["1"]["figures"]["of that at the chin"]) > 0


def unlike(folder):
    """Of the second scan, by the table of quality."""
    return float(quality.read(folder)["1"]["unlike"])
