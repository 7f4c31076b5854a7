"""The sheet beside landmarks is joined by id, and says what it lacks."""

import json

import numpy as np
import pytest

from shapedp import landmarks
from shapedp.base.errors import ConfigError, Rejected
from shapedp.landmarks import sheet
from shapedp.people import populations

SHEET = "id;Person;side;group;age\nb;anna;left;old;70\na;anna;right;old;70\nc;bert;left;young;20\n"


def test_rows_are_joined_by_id_and_not_by_order(tmp_path):
    (tmp_path / "sheet.csv").write_text(SHEET, encoding="utf-8")
    found = landmarks.read_sheet(tmp_path / "sheet.csv", ["a", "b"])
    assert (found.persons, found.sides, found.groups) == (["anna", "anna"], ["right", "left"], ["old", "old"])
    assert [json.loads(one) for one in found.format_covariates()] == [{"age": "70"}, {"age": "70"}]
    assert found.notices == ("sheet.csv: rows without a record: c",)


def test_blanks_about_a_cell_are_no_part_of_it(tmp_path):
    text = "id;person;time;use;group;age\na ; anna; after ; no ;old ; 7\nb; anna ;after;;old;7\n"
    (tmp_path / "sheet.csv").write_text(text, encoding="utf-8")
    found = landmarks.read_sheet(tmp_path / "sheet.csv", ["a", "b"])
    assert (found.persons, found.groups, found.used) == (["anna"] * 2, ["old"] * 2, [False, True])
    assert found.covariates == {"time": ["after"] * 2, "age": ["7"] * 2}


def test_right_sides_are_mirrored_and_records_that_are_not_used_are_missing(tmp_path):
    text = "id;use;person;side\na;yes;anna;R\nb;No;anna;left\nc;;bert;both\nd;;bert;\n"
    (tmp_path / "sheet.csv").write_text(text, encoding="utf-8")
    found = landmarks.read_sheet(tmp_path / "sheet.csv", list("abcd"))
    shapes = np.arange(1.0, 25).reshape(4, 3, 2)
    expected = shapes.copy()
    expected[0, :, 0] *= -1
    expected[1] = np.nan
    assert np.array_equal(found.mirror_and_drop(shapes), expected, equal_nan=True)
    assert found.used == [True, False, True, True] and found.covariates == {}
    assert found.notices == ("sheet.csv: `side` is neither left nor right, so it is not mirrored: c (both)",)
    assert np.array_equal(landmarks.read_sheet(None, "abcd").mirror_and_drop(shapes), shapes)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (SHEET.replace("a;anna", "d;anna"), "not_in_sheet"),
        (SHEET.replace("c;bert", "a;bert"), "repeated_id"),
        (SHEET.replace("id;", "name;"), "no_id"),
        (SHEET.replace("a;anna;right;", "a;;right;"), "no_person"),
        (SHEET.replace("c;bert;left;young;20", "c"), "not_a_table"),
        (SHEET.replace("anna", "an\x1bna"), "not_a_table"),
        ("", "no_id"),
    ],
)
def test_a_sheet_that_does_not_fit_is_refused_with_its_name(tmp_path, text, code):
    (tmp_path / "sheet.csv").write_text(text, encoding="utf-8")
    with pytest.raises(Rejected, match=r"sheet\.csv: ") as caught:
        landmarks.read_sheet(tmp_path / "sheet.csv", ["a", "b"])
    assert caught.value.code == code


@pytest.mark.parametrize(
    "cells",
    [
        '"left;old;70',
        "left;old;70;1",
        "left;old",
        "left;o\u200bld;70",
        "left;old;7\r0",
        "left;" + "o" * 201 + ";70",
        "",
        '";"',
    ],
)
def test_a_fault_in_one_row_spoils_no_other_and_is_told(tmp_path, cells):
    (tmp_path / "sheet.csv").write_text(SHEET.replace("left;old;70", cells, 1), encoding="utf-8", newline="")
    found = landmarks.read_sheet(tmp_path / "sheet.csv", ["a", "b", "c"])
    assert (found.persons, found.sides[::2], found.groups[::2]) == (
        ["anna", "anna", "bert"],
        ["right", "left"],
        ["old", "young"],
    )
    assert found.covariates["age"][::2] == ["70", "20"] and "not read: row 2" in found.notices[0]


def test_a_path_that_does_not_exist_is_told_by_its_setting(tmp_path):
    settings = {"landmarks": "demo", "center": "demo"}
    assert populations.find_landmark_files(settings) == {}
    for key in ("landmarks", "center", "reference_set", "sheet"):
        with pytest.raises(ConfigError, match=f"shapes.{key}: there is no 'nowhere'"):
            populations.find_landmark_files(settings | {key: "nowhere"})
        assert populations.find_landmark_files(settings | {key: str(tmp_path)}) == {key: str(tmp_path)}


@pytest.mark.parametrize(("wrong", "right"), [("persons", "person"), ("sides", "side"), ("used", "use")])
def test_a_column_that_would_go_unread_is_refused_wherever_the_sheet_is_read(tmp_path, wrong, right):
    path = tmp_path / "sheet.csv"
    path.write_text(f"id,{wrong},age\na,no,3\nb,no,4\n", encoding="utf-8")
    for read in (lambda: landmarks.read_sheet(path, ["a", "b"]), lambda: sheet.read_samples(path)):
        with pytest.raises(ConfigError, match=rf"sheet\.csv: unknown column '{wrong}'; did you mean '{right}'"):
            read()
