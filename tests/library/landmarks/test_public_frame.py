"""Landmark files whose number of records is public: no record changes how many are read, or another's numbers."""

import json

import numpy as np
import pytest

from library.landmarks import formats
from shapedp import landmarks
from shapedp.base.errors import Rejected

N, K = 20, 5
COHORT = {d: np.random.default_rng(d).normal(size=(N, K, d)).round(6) for d in (2, 3)}


def read(path, text, d=2, **kept):
    path.write_text(text, encoding="utf-8", newline="", **kept)
    return landmarks.read(path, landmarks.Layout(K, d), records=N)


def headless(shapes):
    """MorphoJ's rows without a header."""
    return formats.as_morphoj(shapes).split("\n", 1)[1]


@pytest.mark.parametrize(
    ("ending", "text_of"),
    [
        (".csv", formats.as_two_d_array),
        (".csv", formats.as_long),
        (".csv", formats.as_shuffled_long),
        (".txt", formats.as_morphoj),
        (".txt", headless),
        (".txt", formats.as_xy_names),
        (".tps", formats.as_tps),
        (".nts", formats.as_nts),
        (".dta", formats.as_dta),
        (".txt", formats.as_morphologika),
    ],
)
@pytest.mark.parametrize(
    "typed",
    [
        '"1.0',
        "1.0\x0c2",
        "1.0\u2028",
        "1.0\r2",
        "\x85",
        "one",
        "1,5,2",
        "1;2",
        "",
        "1" * 200_000,
        "1e308",
        "nan",
        "\x00",
    ],
)
@pytest.mark.parametrize("place", [(0, 0), (7, 2)])
def test_one_number_moves_neither_the_count_nor_another_record(tmp_path, ending, text_of, typed, place):
    text = text_of(COHORT[2])
    number = str(COHORT[2][place[0], place[1], 0])
    assert text.count(number) == 1
    sound = read(tmp_path / f"a{ending}", text)
    assert np.array_equal(sound.shapes, COHORT[2])
    found = read(tmp_path / f"a{ending}", text.replace(number, typed))
    assert found.ids == sound.ids and found.shapes.shape == (N, K, 2)
    others = np.arange(N) != place[0]
    assert np.array_equal(found.shapes[others], COHORT[2][others])
    read_as_typed = ('"1.0', "1.0\x0c2", "1.0\u2028", "\x85")
    assert typed in read_as_typed or not np.isfinite(found.shapes[place[0]]).all(), "no number is made up"


def test_a_byte_that_is_no_text_spoils_its_own_number(tmp_path):
    text = formats.as_two_d_array(COHORT[2]).encode()
    number = str(COHORT[2][3, 1, 0]).encode()
    (tmp_path / "a.csv").write_bytes(text.replace(number, b"\xff"))
    found = landmarks.read(tmp_path / "a.csv", landmarks.Layout(K, 2), records=N)
    assert np.argwhere(np.isnan(found.shapes).all(axis=2)).tolist() == [[3, 1]]
    assert any("row 5" in notice for notice in found.notices)


def test_another_number_of_rows_is_refused(tmp_path):
    lines = formats.as_two_d_array(COHORT[2]).splitlines(keepends=True)
    with pytest.raises(Rejected, match="21 records where 20 are declared"):
        read(tmp_path / "a.csv", "".join([*lines, lines[-1].replace("s19", "s20")]))
    with pytest.raises(Rejected, match="18 records where 20 are declared"):
        read(tmp_path / "a.csv", "".join(lines[:-2]))
    with pytest.raises(Rejected, match="the id '' is empty"):  # as many rows as records: its first is one
        read(tmp_path / "a.csv", "".join(lines[:-1]))


def test_a_number_too_few_in_an_nts_is_told_and_spoils_its_row(tmp_path):
    text = formats.as_nts(COHORT[2]).replace(str(COHORT[2][4, 2, 1]), "")
    found = read(tmp_path / "a.nts", text)
    assert np.argwhere(np.isnan(found.shapes).all(axis=(1, 2))).ravel().tolist() == [4]
    assert any("row 5 has 9 of 10 numbers" in notice for notice in found.notices)


def test_an_individual_of_morphologika_that_lacks_a_row_spoils_no_other(tmp_path):
    row = " ".join(map(str, COHORT[2][4, 2])) + "\n"
    found = read(tmp_path / "a.txt", formats.as_morphologika(COHORT[2]).replace(row, ""))
    assert np.argwhere(np.isnan(found.shapes).all(axis=(1, 2))).ravel().tolist() == [4]


SINGLE = {".mrk.json": formats.as_markups, ".fcsv": formats.as_fcsv, ".csv": formats.as_morpho_csv}


@pytest.mark.parametrize("ending", SINGLE)
@pytest.mark.parametrize("content", [b"", b"\xff" * 9, b"[" * 100_000, b"{}", b"id\n" * 30, b"\x00", b"1" * 100_000])
def test_one_file_a_record_is_that_records_own_affair(tmp_path, ending, content):
    for index, shape in enumerate(COHORT[3]):
        (tmp_path / f"s{index:02d}{ending}").write_text(SINGLE[ending](shape), encoding="utf-8")
    (tmp_path / f"s07{ending}").write_bytes(content)
    found = landmarks.read(tmp_path, landmarks.Layout(K, 3), records=N)
    assert found.ids == [f"s{index:02d}" for index in range(N)]
    others = np.arange(N) != 7
    assert np.isnan(found.shapes[7]).all() and np.array_equal(found.shapes[others], COHORT[3][others])
    assert any("s07" in notice for notice in found.notices)


def test_one_tps_a_record_keeps_its_own_name_however_it_is_broken(tmp_path):
    for index, shape in enumerate(COHORT[2]):
        (tmp_path / f"f{index:02d}.tps").write_text(
            formats.as_tps(shape[None]).replace("s0", f"s{index}"), encoding="utf-8"
        )
    (tmp_path / "f03.tps").write_text("LM=9\n\x0c\nSCALE=1e306\nID=s3\n", encoding="utf-8")
    found = landmarks.read(tmp_path, landmarks.Layout(K, 2), records=N)
    assert found.ids == [f"s{index}" for index in range(N)] and np.isnan(found.shapes[3]).all()


def test_a_scale_that_makes_numbers_too_large_makes_the_record_missing(tmp_path):
    text = formats.as_tps(COHORT[2]).replace("ID=s4\n", "SCALE=1e306\nID=s4\n")
    assert np.isnan(read(tmp_path / "a.tps", text).shapes[4]).all()


def test_a_carriage_return_within_a_row_of_slicer_is_no_line(tmp_path):
    text = formats.as_fcsv(COHORT[3][0]).replace(",,\n", ",\r,\n")
    (tmp_path / "a.fcsv").write_text(text, encoding="utf-8", newline="")
    assert landmarks.read(tmp_path / "a.fcsv").shapes.shape == (1, K, 3)


def test_points_of_landmark_editor(tmp_path):
    rows = "".join(f"S{at:03d} {x} {y} {z}\n" for at, (x, y, z) in enumerate(COHORT[3][0]))
    (tmp_path / "a.pts").write_text(f"Version 1.0\n{K}\n{rows}", encoding="utf-8")
    assert np.array_equal(landmarks.read(tmp_path / "a.pts").shapes[0], COHORT[3][0])
    missing = rows.replace(" ".join(map(str, COHORT[3][0, 1])), "9999 9999 9999")
    (tmp_path / "a.pts").write_text(f"Version 1.0\n{K}\n{missing}", encoding="utf-8")
    assert np.isnan(landmarks.read(tmp_path / "a.pts").shapes[0, :, 0]).tolist() == [False, True, False, False, False]


@pytest.mark.parametrize("header", ['"","V1","V2","V3"\n', ""])
def test_a_matrix_of_r_without_names(tmp_path, header):
    rows = "".join(f'"{at}",{x},{y},{z}\n' for at, (x, y, z) in enumerate(COHORT[3][0], start=1))
    for index in range(N):
        (tmp_path / f"s{index:02d}.csv").write_text(header + rows, encoding="utf-8")
    found = landmarks.read(tmp_path, landmarks.Layout(K, 3), records=N)
    assert np.array_equal(found.shapes[0], COHORT[3][0]) and found.ids[3] == "s03"


def test_tags_of_semilandmarks_are_told_as_the_setting_wants_them(tmp_path):
    markup = json.loads(formats.as_markups(COHORT[3][0]))
    for at, tag in ((1, "Semi"), (3, "semi-landmark"), (4, "Fixed")):
        markup["markups"][0]["controlPoints"][at]["description"] = tag
    (tmp_path / "a.mrk.json").write_text(json.dumps(markup), encoding="utf-8")
    told = " ".join(landmarks.read(tmp_path / "a.mrk.json").notices)
    assert "2 points are tagged as semilandmarks; for the setting shapes.semilandmarks: 2, 4" in told


def test_no_byte_of_a_row_without_a_header_moves_its_id(tmp_path):
    """What separates cells is what ends the id: not the sign that the record holds most of."""
    lines = headless(COHORT[2]).splitlines(keepends=True)
    for own in ("1" * 300 + ";" * 60 + "\n", ";" * 60 + "\n", '"' * 9 + "\n"):
        found = read(tmp_path / "a.txt", "".join([*lines[:3], "s3\t" + own, *lines[4:]]))
        assert found.ids == [f"s{index}" for index in range(N)] and np.isnan(found.shapes[3]).all()
        assert np.array_equal(np.delete(found.shapes, 3, 0), np.delete(COHORT[2], 3, 0))


def test_the_first_record_of_a_text_without_a_header_makes_it_no_other_format(tmp_path):
    """`1 20L 10 0 DIM=2` is the parameter line of an NTS, and here a record called 1."""
    lines = headless(COHORT[2]).splitlines(keepends=True)
    rows = [line.replace(f"s{at}", str(at + 1), 1) for at, line in enumerate(lines)]
    found = read(tmp_path / "a.txt", "".join(["1\t20L\t10\t0\tDIM=2\n", *rows[1:]]))
    assert found.ids[:2] == ["1", "2"] and np.array_equal(found.shapes[1:], COHORT[2][1:])


def test_an_individual_of_blanks_spoils_no_other_of_morphologika(tmp_path):
    """A landmark file without apostrophes, an individual a line."""
    own = [" ".join(map(str, shape.ravel())) for shape in COHORT[2]]
    names = "".join(f"s{index}\n" for index in range(N))
    head = f"[individuals]\n{N}\n[landmarks]\n{K}\n[dimensions]\n2\n[names]\n{names}[rawpoints]\n"
    assert np.array_equal(read(tmp_path / "a.txt", head + "\n".join([*own, "  \n"])).shapes, COHORT[2])
    found = read(tmp_path / "b.txt", head + "\n".join([*own[:4], "  ", *own[5:], ""]))
    assert np.isnan(found.shapes[4]).all()
    assert np.array_equal(np.delete(found.shapes, 4, 0), np.delete(COHORT[2], 4, 0))


def test_records_side_by_side_are_refused_by_their_header(tmp_path):
    """A comma too many in one would move the others: so they are refused whatever they hold, but of public files."""
    text = formats.as_r_array(COHORT[2])
    for one in (text.replace(str(COHORT[2][3, 1, 0]), '"'), text):
        with pytest.raises(Rejected, match="side by side"):
            read(tmp_path / "a.csv", one)
    assert np.array_equal(landmarks.read(tmp_path / "a.csv").shapes, COHORT[2])


@pytest.mark.parametrize("ending", [".mrk.json", ".fcsv"])
def test_landmarks_called_by_small_raised_digits_are_one_records_own_affair(tmp_path, ending):
    """They count as digits, and are no numbers."""
    for index, shape in enumerate(COHORT[3]):
        text = SINGLE[ending](shape)
        if index == 7:
            for at, sign in enumerate("²³¹⁴⁵"):
                text = text.replace(f"F-{at}", sign)
            assert "²" in text or "\\u00b2" in text
        (tmp_path / f"s{index:02d}{ending}").write_text(text, encoding="utf-8")
    found = landmarks.read(tmp_path, landmarks.Layout(K, 3), records=N)
    assert found.ids == [f"s{index:02d}" for index in range(N)]
    assert np.array_equal(np.delete(found.shapes, 7, 0), np.delete(COHORT[3], 7, 0))


FALSE_FRAMES = ("\u0131d=s5", "\u0131mage=s5.jpg", "\u2028ID=s5", "\x1eLM=5", "\u00a0LM=5", "\x1fID=s5")


@pytest.mark.parametrize("typed", FALSE_FRAMES)
def test_what_only_looks_like_a_line_of_the_frame_of_a_tps_is_its_records_own(tmp_path, typed):
    """A dotless i is an I in capitals, and Python takes off more blanks than there are in a file of plain text."""
    found = read(tmp_path / "a.tps", formats.as_tps(COHORT[2]).replace("ID=s4\n", f"ID=s4\n{typed}\n"))
    assert found.ids == [f"s{index}" for index in range(N)]
    assert np.array_equal(np.delete(found.shapes, 4, 0), np.delete(COHORT[2], 4, 0))


@pytest.mark.parametrize("typed", ["\u2028[names]", "[name\u017f]", "\u2028'"])
def test_what_only_looks_like_a_line_of_the_frame_of_morphologika_is_its_records_own(tmp_path, typed):
    row = " ".join(map(str, COHORT[2][4, 2]))
    text = formats.as_morphologika(COHORT[2])
    assert text.count(row) == 1
    found = read(tmp_path / "a.txt", text.replace(row, typed))
    assert found.ids == [f"s{index}" for index in range(N)]
    assert np.array_equal(np.delete(found.shapes, 4, 0), np.delete(COHORT[2], 4, 0))
