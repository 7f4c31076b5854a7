"""The sheet beside landmarks is joined by id, and says what it lacks."""

import json

import pytest

from shapedp import landmarks
from shapedp.errors import ConfigError, Rejected
from shapedp.landmarks import sources

SHEET = "id;Person;side;group;age\nb;anna;left;old;70\na;anna;right;old;70\nc;bert;left;young;20\n"


def test_rows_are_joined_by_id_and_not_by_order(tmp_path):
    (tmp_path / "sheet.csv").write_text(SHEET, encoding="utf-8")
    found = landmarks.read_sheet(tmp_path / "sheet.csv", ["a", "b"])
    assert (found.persons, found.sides, found.groups) == (["anna", "anna"], ["right", "left"], ["old", "old"])
    assert [json.loads(one) for one in found.covariates_of()] == [{"age": "70"}, {"age": "70"}]
    assert found.notices == ("sheet.csv: rows without a record: c",)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (SHEET.replace("a;anna", "d;anna"), "not_in_sheet"),
        (SHEET.replace("c;bert", "a;bert"), "repeated_id"),
        (SHEET.replace("id;", "name;"), "no_id"),
        (SHEET.replace("a;anna;right;", "a;;right;"), "no_person"),
        (SHEET.replace(";left;young", ";young"), "not_a_table"),
        (SHEET.replace("anna", "an\x1bna"), "not_a_table"),
        ("", "no_id"),
    ],
)
def test_a_sheet_that_does_not_fit_is_refused_with_its_name(tmp_path, text, code):
    (tmp_path / "sheet.csv").write_text(text, encoding="utf-8")
    with pytest.raises(Rejected, match=r"sheet\.csv: ") as caught:
        landmarks.read_sheet(tmp_path / "sheet.csv", ["a", "b"])
    assert caught.value.code == code


def test_a_path_that_does_not_exist_is_told_by_its_setting(tmp_path):
    settings = {"landmarks": "demo", "center": "demo"}
    assert sources.find(settings) == {}
    for key in ("landmarks", "center", "reference_set", "sheet"):
        with pytest.raises(ConfigError, match=f"shapes.{key}: there is no 'nowhere'"):
            sources.find(settings | {key: "nowhere"})
        assert sources.find(settings | {key: str(tmp_path)}) == {key: str(tmp_path)}
    with pytest.raises(ConfigError, match=r"shapes\.reference_set: missing"):
        sources.find(settings | {"center": "reference_set"})
