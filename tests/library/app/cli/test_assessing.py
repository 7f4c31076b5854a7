"""One scan beside a released model: its page, its distances, and the words of what it shows."""

import csv
import re

import numpy as np
import pytest

from library.privacy.learned import people
from scripts.test_release_face_model import Workspace
from shapedp.app.cli import assessing
from shapedp.base import artifacts
from shapedp.base.artifacts import kinds

GIVEN = {"age": "40", "sex": "f"}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """(folder of a model, its template)."""
    workspace = Workspace(tmp_path_factory.mktemp("model"))
    workspace.stack()
    return workspace.release(mu=5.0, cap=30.0)[0], workspace.folder / "template.h5"


@pytest.fixture
def subject_template(model, tmp_path):
    """The same template as of a subject that is no face, with three marked points of its curves."""
    path = tmp_path / "template.h5"
    with artifacts.reader(model[1], artifacts.TEMPLATE) as source:
        fields = {name: source[name] for name in artifacts.TEMPLATE.fields}
    points = np.moveaxis(fields["curves"], 1, 2)[-1, :3]
    numbers = ("specimens_", "trusts", "tells")
    of_subject = {name: 0 for name in kinds.SUBJECT_TEMPLATE.fields if name.startswith(numbers)}
    of_subject["specimens_modes"] = np.zeros((0, 3, 1))
    with artifacts.writer(path, kinds.SUBJECT_TEMPLATE) as out:
        out.set(
            **fields, **of_subject, subject="knee", upright=np.eye(3), mark_names=["apex", "base", "side"],
            mark_points=points,
        )  # fmt: skip
    return path


def assessed(monkeypatch, model, template, faces, output):
    """The lines of an assessment of one drawn record, and its page."""
    curves = people.draw(1, 5)[0] * 150.0
    monkeypatch.setattr(assessing, "run_chain", lambda *_: curves)
    told = list(assessing.assess("knee.ply", model[0], template, faces, GIVEN, output))
    return told, (output / "index.html").read_text(encoding="utf-8")


def test_a_face_is_set_beside_its_norm(monkeypatch, model, tmp_path):
    told, page = assessed(monkeypatch, model, model[1], {}, tmp_path / "out")
    assert "this face" in page and "One face beside its norm" in page
    assert any("points" in line for line in told)


def test_another_subject_is_told_in_its_words_with_distances_between_its_marks(
    monkeypatch, model, subject_template, tmp_path
):
    faces = {"subject": "knee", "unit": "cm"}
    told, page = assessed(monkeypatch, model, subject_template, faces, tmp_path / "out")
    rows = list(csv.DictReader((tmp_path / "out/distances.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["measure"] for row in rows] == ["apex to base", "apex to side", "base to side"]
    words = re.sub(r"<script.*?</script>|<style.*?</style>|base64,[^\"']*", "", page, flags=re.DOTALL)
    assert "One knee beside its norm" in words and "<td>cm</td>" in words
    main = words.split("<main>")[1]  # above it stands what the release's own statement says
    assert not re.search(r"\bfaces?\b", main)
    assert not any(re.search(r"\bfaces?\b(?!\.ply)", line) for line in told)


def test_without_marks_there_are_no_distances(monkeypatch, model, subject_template, tmp_path):
    bare = tmp_path / "bare.h5"
    with artifacts.reader(subject_template, kinds.SUBJECT_TEMPLATE) as source:
        fields = {name: source[name] for name in kinds.SUBJECT_TEMPLATE.fields}
    with artifacts.writer(bare, kinds.SUBJECT_TEMPLATE) as out:
        out.set(**{**fields, "mark_names": [], "mark_points": np.zeros((0, 3))})
    assessed(monkeypatch, model, bare, {"subject": "knee"}, tmp_path / "out")
    assert (tmp_path / "out/distances.csv").read_text(encoding="utf-8").splitlines()[1:] == []
