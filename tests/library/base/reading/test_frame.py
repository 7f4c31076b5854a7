"""The public frame: lines, headers and the cells that say whose a row is, whatever bytes a record holds."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapedp import landmarks
from shapedp.base.errors import ConfigError, Rejected
from shapedp.base.reading import frame
from shapedp.landmarks import tps

NAMES = ["id", "person", "age", "note", "use"]
FRAMED = {"id": "a", "person": "Ann, B.", "use": "yes"}


@pytest.mark.parametrize("mark", ["\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_a_line_ends_at_a_line_feed_alone(mark):
    assert frame.split_lines(f"a{mark}b\r\n\n{mark}c\n".encode()) == [(1, f"a{mark}b"), (3, f"{mark}c")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_as_spreadsheets_write_it(encoding):
    assert frame.split_lines("ä\r\nb".encode(encoding)) == [(1, "ä"), (2, "b")]


def test_bytes_that_are_no_text_stay_in_their_line():
    assert [text for _, text in frame.split_lines(b"a\xff\xc3\nb\n")][1] == "b"


def test_of_a_line_without_end_the_frames_cells_are_read(tmp_path, monkeypatch):
    """A record as large as it likes makes no file too large."""
    monkeypatch.setattr(frame, "LONGEST_LINE", 50)
    rows = [f'{name},p,{"9" * count},"no, note",yes' for name, count in (("a", 3), ("b", 5000), ("c", 45), ("d", 46))]
    (tmp_path / "sheet.csv").write_text("\n".join([",".join(NAMES), *rows]), encoding="utf-8")
    found = frame.read_lines(tmp_path / "sheet.csv")
    read = [frame.Columns(NAMES, ",").row(*line) for line in found[1:]]
    assert [one.frame["id"] + one.frame["use"] for one in read] == ["ayes", "byes", "cyes", "dyes"]
    assert [one.own["note"] for one in read] == ["no, note"] * 4 and not read[1].own["age"] and read[2].own["age"]
    monkeypatch.setattr(frame, "MOST_RECORDS", 4)
    with pytest.raises(Rejected, match=r"sheet\.csv: holds too many rows"):
        frame.read_lines(tmp_path / "sheet.csv")


def test_a_record_of_many_lines_leaves_those_of_others_and_its_own_frame(tmp_path, monkeypatch):
    monkeypatch.setattr(frame, "LONGEST_RECORD", 20)
    blocks = ["LM=2\n1 2\n3 4\nID=a", "LM=2\n" + "1 2\nID=x\n" * 5000 + "id = b", "LM=2\n5 6\n7 8\nID=c"]
    (tmp_path / "many.tps").write_text("\n".join(blocks), encoding="utf-8")
    found = [text for _, text in frame.read_lines(tmp_path / "many.tps", tps.START, tps.FRAMING)]
    first, second, third = (block.split("\n") for block in blocks)
    assert found == [*first, *second[:5], "id = b", *third]
    (tmp_path / "one.pts").write_text("Version 1.0\n" + "S0 1 2 3\n" * 3, encoding="utf-8")
    with pytest.raises(Rejected, match=r"one\.pts: holds too many characters"):
        frame.read_lines(tmp_path / "one.pts", frame.WHOLE)


@pytest.mark.parametrize(("rows", "headed"), [(19, True), (20, False), (21, True), (0, True)])
def test_a_header_is_known_by_the_number_of_rows(rows, headed):
    assert frame.has_header(rows, 20) == headed


@given(st.text(max_size=30).filter(lambda text: "\n" not in text))
def test_no_bytes_of_a_record_move_a_cell_of_the_frame(own):
    row = frame.Columns(NAMES, ",").row(2, f'a,"Ann, B.",{own},yes')
    assert row.frame == FRAMED
    assert set(row.own) == {"age", "note"}


@pytest.mark.parametrize(
    ("own", "cells", "fault"),
    [
        ("18,tall", {"age": "18", "note": "tall"}, ""),
        ('18,"tall, ""very"""', {"age": "18", "note": 'tall, "very"'}, ""),
        ('18,"tall', {"age": "", "note": ""}, "quotation mark"),
        ("18,5,tall", {"age": "", "note": ""}, "more cells"),
        ("18", {"age": "", "note": ""}, "fewer cells"),
        ("18,ta\u200bll", {"age": "18", "note": ""}, "do not show, in note"),
        ("18,ta\tll", {"age": "18", "note": ""}, "do not show, in note"),
        ("1" * 200_000 + ",tall", {"age": "", "note": "tall"}, "more than 200 characters"),
    ],
)
def test_what_cannot_be_read_is_the_records_own_and_is_told(own, cells, fault):
    row = frame.Columns(NAMES, ",").row(2, f'a,"Ann, B.",{own},yes')
    assert row.own == cells and row.frame == FRAMED
    assert re.search(fault, row.fault) and bool(fault) == bool(row.fault)


@pytest.mark.parametrize("own", ["teacher, retired", '"unclosed', "", "\u200b"])
def test_nothing_else_of_a_record_moves_a_group_that_stands_next_to_the_frame(own):
    for names, text in (
        (["id", "group", "job"], f"a,women,{own}"),
        (["id", "job", "group", "use"], f"a,{own},women,no"),
    ):
        columns = frame.Columns(names, ",")
        row = columns.row(2, text)
        assert row.own["group"] == "women" and set(row.own) == {"group", "job"} and not columns.has_movable_group
    assert frame.Columns(["id", "age", "group", "job"], ",").has_movable_group
    assert not frame.Columns(["id", "group"], ",").has_movable_group


@pytest.mark.parametrize("group", ["wo,men", "wo\u200bmen", '"women'])
def test_a_group_is_the_records_own_and_moves_no_cell_of_the_frame(group):
    row = frame.Columns(["id", "person", "group", "job", "use"], ",").row(2, f"a,p,{group},clerk,no")
    assert row.frame == {"id": "a", "person": "p", "use": "no"}


def test_a_row_without_the_frames_own_cells_is_none():
    assert frame.Columns(NAMES, ",").row(2, "a") is None


def test_columns_of_the_frame_between_those_of_records_are_told():
    assert frame.Columns(["id", "age", "person", "note"], ",").enclosed == ["person"]
    assert frame.Columns(NAMES, ",").enclosed == []


def test_many_cells_take_no_time_that_grows_with_their_square():
    assert len(frame.split_cells('"1",' * 200_000, ",")) == 200_001


FACES = ("id", "path", "person", "group", "use", "nose_x", "nose_y", "nose_z", "time", "pair")
LANDMARKS = ("id", "person", "individual", "animal", "subject", "side", "group", "time", "pair", "use")
COMMON = (
    "age sex weight height site sizes size bmi ethnicity ancestry smoker "
    "diagnosis dose years months visit scanner operator date birthday note comment "
    "comments job hair eyes nose nose_width country centre center sessions species "
    "strain genotype treatment arm control patient cohort batch score iq volume "
    "length width slide pain score house season version object reason agegroup "
    "age_group user inside aid timepoint scan_id site_id study_id sexe alter Größe "
    "wave prime pulse"
)


@pytest.mark.parametrize("taken", [FACES, LANDMARKS])
def test_names_of_ones_own_columns_are_kept(taken):
    own = COMMON.split()
    assert len(own) >= 50
    frame.refuse_misnamed("sheet.csv", own, taken)
    frame.refuse_misnamed("sheet.csv", list(taken), taken)


@pytest.mark.parametrize(
    ("taken", "names", "right"),
    [
        (FACES, "persons Person PERSON persn perosn person_id subject individual animal subjects SubjectID", "person"),
        (FACES, "Time times time_no", "time"),
        (FACES, "Pair pairs", "pair"),
        (FACES, "Use used uses", "use"),
        (FACES, "Group groups grop gruop group_id", "group"),
        (FACES, "ID ids", "id"),
        (FACES, "nosex nose.x Nose_X nose-x", "nose_x"),
        (LANDMARKS, "persons persn person_nr id_person", "person"),
        (LANDMARKS, "subjects subject_id subjct", "subject"),
        (LANDMARKS, "animals animalid", "animal"),
        (LANDMARKS, "individuals indivdual", "individual"),
        (LANDMARKS, "sides", "side"),
        (LANDMARKS, "used", "use"),
        (LANDMARKS, "times", "time"),
    ],
)
def test_a_column_that_is_nearly_one_of_ours_is_refused_with_the_right_name(taken, names, right):
    for name in names.split():
        with pytest.raises(ConfigError, match=f"sheet.csv: unknown column '{name}'; did you mean '{right}'"):
            frame.refuse_misnamed("sheet.csv", ["file", name, "age"], taken)


def test_beside_the_right_column_another_of_nearly_its_name_is_ones_own():
    frame.refuse_misnamed("sheet.csv", ["id", "path", "person", "subject", "group", "group_name", "ids"], FACES)
    frame.refuse_misnamed("sheet.csv", ["id", "animal", "person_nr", "pair", "times"], LANDMARKS)


def sparse(path, first, last, hole):
    """A file of two texts, and between them bytes that lie on no disk."""
    with path.open("wb") as file:
        file.write(first)
        file.seek(hole, 1)
        file.write(last)
        file.truncate()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("odd", [0, 1])
def test_what_lies_on_no_disk_is_not_read_and_its_line_is_the_same(tmp_path, monkeypatch, encoding, odd):
    monkeypatch.setattr(frame, "LONGEST_LINE", 1 << 12)
    first, last = ("id,person,x\na,p,1\nb,q,".encode(encoding), "\nc,r,3\n".encode(encoding)[-12 if odd else 0 :])
    found = []
    for hole in (1 << 20, 1 << 40):
        sparse(tmp_path / "sheet.csv", first, last, hole + odd)
        found.append(frame.read_lines(tmp_path / "sheet.csv"))
    assert found[0] == found[1]
    data = (tmp_path / "sheet.csv").stat().st_size
    assert data > 1 << 40 and len(found[1]) >= 3
    sparse(tmp_path / "sheet.csv", first, last, (1 << 20) + odd)
    assert frame.split_lines((tmp_path / "sheet.csv").read_bytes()) == found[0]


@pytest.mark.parametrize("ending", [".pts", ".fcsv", ".mrk.json", ".tps", ".txt", ".csv", ".nts"])
def test_a_file_of_terabytes_that_lie_on_no_disk_is_refused_or_read_at_once(tmp_path, ending):
    """Without end, the test would be stopped: at 1.4 s a gigabyte it takes an hour."""
    path = tmp_path / f"one{ending}"
    sparse(path, b"LM=3\n1 2\n3 4\n", b"\nLM=3\n5 6\n", 8 << 40)
    with pytest.raises(Rejected) as caught:
        landmarks.read(path)
    assert "\n" not in str(caught.value) and path.name in str(caught.value)


@pytest.mark.parametrize(("limit", "most"), [("MOST_BYTES", 5000), ("MOST_KEPT", 5000)])
def test_a_table_that_lies_on_the_disk_has_a_public_limit(tmp_path, monkeypatch, limit, most):
    path = tmp_path / "all.csv"
    path.write_text("id,x1,y1\n" + "".join(f"{row},1.5,2.5\n" for row in range(300)), encoding="utf-8")
    monkeypatch.setattr(frame, limit, path.stat().st_size)
    assert len(frame.read_lines(path)) == 301
    monkeypatch.setattr(frame, limit, most // 2)
    with pytest.raises(Rejected, match=rf"^all.csv: holds more than {most // 2} .*; split it, or give each record"):
        frame.read_lines(path)


@pytest.mark.parametrize("limit", ["MOST_BYTES", "MOST_KEPT"])
def test_a_file_beyond_it_stops_nobody_else_where_each_record_has_its_own(tmp_path, monkeypatch, limit):
    for name in "abc":
        (tmp_path / f"{name}.csv").write_text("x,y\n1,2\n3,4\n5,7\n" + " \n" * 5000 * (name == "b"), encoding="utf-8")
    monkeypatch.setattr(frame, limit, 1000)
    found = landmarks.read(tmp_path, landmarks.Layout(3, 2), records=3)
    assert found.ids == ["a", "b", "c"]
    assert [bool(np.isfinite(shape).all()) for shape in found.shapes] == [True, False, True]
    assert any("holds more than 1000 " in notice for notice in found.notices)
