"""Every landmark format gives the same shapes; every fault is named. Files are written as their programs write them."""

import json

import h5py
import numpy as np
import pytest

from library.landmarks import formats
from shapedp import landmarks
from shapedp.base.errors import Rejected
from shapedp.landmarks import Layout

SHAPES = np.array([[[0, 0], [4, 0], [4.5, 3]], [[1, 1], [5, 1], [5, 4.25]]])
SPACE = np.concatenate([SHAPES, SHAPES[..., :1] + [[[0.5], [1.0], [2.0]]]], axis=2)


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(("ending", "text_of", "dimensions"), formats.COHORTS)
def test_text_formats_agree(tmp_path, ending, text_of, dimensions):
    for d in dimensions:
        shapes = SHAPES if d == 2 else SPACE
        found = landmarks.read(write(tmp_path, f"shapes{ending}", text_of(shapes)))
        assert np.array_equal(found.shapes, shapes)
        assert found.ids == ["s0", "s1"]


@pytest.mark.parametrize(("ending", "text_of", "dimensions"), formats.SINGLE)
def test_folders_of_one_specimen_a_file_agree(tmp_path, ending, text_of, dimensions):
    for d in dimensions:
        shapes = SHAPES if d == 2 else SPACE
        for i, shape in enumerate(shapes):
            write(tmp_path, f"s{i}{ending}", text_of(shape))
        found = landmarks.read(tmp_path)
        assert np.array_equal(found.shapes, shapes)
        assert found.ids == ["s0", "s1"]


def test_morphoj_rows_are_planar_or_in_space_as_the_center_is_and_unclear_without_one(tmp_path):
    file = write(tmp_path, "a.txt", formats.as_morphoj(SHAPES))
    assert np.array_equal(landmarks.read(file, Layout(3, 2)).shapes, SHAPES)
    with pytest.raises(Rejected, match="3 planar landmarks or 2 in space; name the columns"):
        landmarks.read(file)


def test_a_slicer_point_without_a_position_is_missing(tmp_path):
    marks = json.loads(formats.as_markups(SPACE[0]))
    marks["markups"][0]["controlPoints"][1]["positionStatus"] = "undefined"
    found = landmarks.read(write(tmp_path, "a.mrk.json", json.dumps(marks)))
    assert np.array_equal(np.isnan(found.shapes[0, :, 0]), [False, True, False])


@pytest.mark.parametrize("axes", formats.ARRAYS)
def test_arrays_in_the_order_of_python_r_and_r_through_hdf5(tmp_path, axes):
    cohort = np.random.default_rng(5).normal(size=(7, 11, 3))
    np.savez(tmp_path / "a.npz", coords=np.transpose(cohort, axes))
    assert np.array_equal(landmarks.read(tmp_path / "a.npz", Layout(11, 3)).shapes, cohort)


def test_missing_landmarks_are_read_and_said_in_words(tmp_path):
    text = "LM=3\n0 0\n-1 -1\n4 3\nID=a\nSCALE=2\nLM=3\n0 0\nNA NA\n-1 3\nID=b\nSCALE=2\n"
    found = landmarks.read(write(tmp_path, "a.tps", text))
    assert np.array_equal(np.isnan(found.shapes[..., 0]), [[False, True, False], [False, True, False]])
    assert np.array_equal(found.shapes[1, 2], [-2, 6]), "one coordinate of -1 is a coordinate"
    said = " ".join(found.notices)
    assert "-1 -1, tpsDig's mark, is read as missing: a" in said
    assert "some landmarks are missing: a, b" in said
    table = "id,landmark,x,y\na,1,0,0\na,2,NA,NA\na,3,1,1\nb,3,2,2\nb,1,0,0\n"
    found = landmarks.read(write(tmp_path, "b.csv", table)).shapes
    assert np.array_equal(np.isnan(found[..., 0]), [[False, True, False], [False, True, False]])


def test_the_code_of_missing_values_in_nts(tmp_path):
    found = landmarks.read(write(tmp_path, "a.nts", "1 1 6 1 -999 DIM=2\n0 0 -999 -999 2 2\n"))
    assert np.array_equal(np.isnan(found.shapes[0, :, 0]), [False, True, False])
    assert "-999 is read as missing" in found.notices[0]


def test_the_mark_of_what_is_missing_in_morphologika(tmp_path):
    text = formats.as_morphologika(SHAPES).replace("4.0 0.0", "9999 9999").replace("5.0 1.0", "9999 1")
    found = landmarks.read(write(tmp_path, "a.txt", text))
    assert np.array_equal(np.isnan(found.shapes[..., 0]), [[False, True, False], [False] * 3])
    assert "some landmarks are missing: s0" in found.notices


def test_a_record_of_another_layout_is_missing_whole_and_moves_no_other(tmp_path):
    public = Layout(3, 2)
    odd = [*SHAPES, np.vstack([SHAPES[0], [[9, 9]]]), SHAPES[0][:2]]
    found = landmarks.read(write(tmp_path, "a.tps", formats.as_tps(odd)), public)
    assert np.array_equal(found.shapes[:2], SHAPES)
    assert np.isnan(found.shapes[2:]).all()
    words = "landmarks of 2 coordinates do not fit the 3 of 2, by number or by name"
    assert found.faults == ["", "", f"its 4 {words}", f"its 2 {words}"]
    assert found.notices[0] == f"not read: s2: its 4 {words}, s3: its 2 {words}"
    most = landmarks.read(write(tmp_path, "b.tps", formats.as_tps(odd[1:] + odd[2:])), public)
    assert most.shapes.shape == (5, 3, 2), "the public layout decides, not what most records have"


def test_rows_that_a_block_lacks_make_its_record_missing(tmp_path):
    text = formats.as_tps(SHAPES).replace("4.5 3.0\n", "")
    found = landmarks.read(write(tmp_path, "a.tps", text))
    assert np.isnan(found.shapes[0]).all()
    assert "rows are missing or too many, so the whole record counts as missing: s0 (2 of 3)" in " ".join(found.notices)


def test_what_a_folder_holds_besides_is_named(tmp_path):
    write(tmp_path, "a.tps", formats.as_tps(SHAPES))
    write(tmp_path, "wing.jpg", "")
    assert "wing.jpg" in " ".join(landmarks.read(tmp_path).notices)


def test_binary_formats_agree(tmp_path):
    np.savez(tmp_path / "a.npz", X=SHAPES, sex=np.arange(2))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["landmarks"] = SHAPES
        file["sex"] = np.arange(2)
    for name in ("a.npz", "a.h5"):
        found = landmarks.read(tmp_path / name)
        assert np.array_equal(found.shapes, SHAPES)
        assert f"{name}: not read, because names and covariates are taken from the sheet: 'sex'" in found.notices


def test_a_folder_is_read_file_by_file(tmp_path):
    (tmp_path / "b.tps").write_text(formats.as_tps(SHAPES[1:]).replace("s0", "second"), encoding="utf-8")
    (tmp_path / "a.tps").write_text(formats.as_tps(SHAPES[:1]), encoding="utf-8")
    found = landmarks.read(tmp_path)
    assert found.ids == ["s0", "second"]
    assert np.array_equal(found.shapes, SHAPES)


def test_tps_scale_is_applied(tmp_path):
    path = tmp_path / "s.tps"
    path.write_text("LM=2\n1 2\n3 4\nSCALE=0.5\n", encoding="utf-8")
    assert np.array_equal(landmarks.read(path).shapes[0], [[0.5, 1], [1.5, 2]])


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.tps", "LM=3\n0 0\n1 1\n", "truncated"),
        ("a.tps", "hello\n", "not_tps"),
        ("a.tps", "LM3=2\n0 0\n1 1\n", "truncated"),
        ("a.tps", "LP=2\n0 0\n1 1\n", "not_tps"),
        ("a.nts", "2 1 6 0 DIM=2\n0 0 0 0 0 0\n", "not_nts"),
        ("a.nts", "1 2 6 0 DIM=2\n0 0 0 0 0 0\n", "truncated"),
        ("a.json", "{}", "not_markups"),
        ("a.fcsv", "0,1,2\n", "truncated"),
        ("a.csv", "id,age,weight\na,3,4\n", "no_landmarks"),
        ("a.csv", "id,colour\na,red\n", "no_landmarks"),
        ("a.csv", "id,x,y\na,1,red\n", "truncated"),
        ("a.csv", "", "empty_file"),
        ("a.txt", "[individuals]\n2\n", "not_morphologika"),
        ("a.txt", formats.as_morphologika(SHAPES).replace("[dimensions]\n2", "[dimensions]\n4"), "not_morphologika"),
        ("a.h5", "no hdf5", "unreadable"),
        ("a.npz", "no zip", "truncated"),
        ("a.doc", "", "unknown_format"),
    ],
)
def test_each_fault_has_its_code_and_names_the_file(tmp_path, name, text, code):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Rejected, match="a") as caught:
        landmarks.read(path)
    assert caught.value.code == code
    assert name in str(caught.value)


def test_a_landmark_without_one_of_its_coordinates_is_missing(tmp_path):
    (tmp_path / "a.csv").write_text("id,x,y\na,1,\na,2,3\n", encoding="utf-8")
    assert np.array_equal(np.isnan(landmarks.read(tmp_path / "a.csv").shapes), [[[True, True], [False, False]]])


def test_pickled_objects_are_never_opened(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.array([{"a": 1}], dtype=object))
    with pytest.raises(Rejected, match=r"a\.npz: holds a pickled Python object, which could run code"):
        landmarks.read(tmp_path / "a.npz")


def test_the_same_id_twice_is_refused(tmp_path):
    (tmp_path / "a.tps").write_text(formats.as_tps(SHAPES), encoding="utf-8")
    (tmp_path / "b.tps").write_text(formats.as_tps(SHAPES), encoding="utf-8")
    with pytest.raises(Rejected, match="s0, s1 stand more than once"):
        landmarks.read(tmp_path)


@pytest.mark.parametrize(("name", "shape"), [("drosophila_wings", (2257, 48, 2)), ("ptychomya_shells", (137, 100, 2))])
def test_real_landmark_files(shared_data, name, shape):
    assert landmarks.read(shared_data / "shapes" / f"{name}.npz").shapes.shape == shape


def with_a_word(text, number):
    """A file's text with a word in the place of one number."""
    assert text.count(number) == 1, number
    return text.replace(number, "seven")


@pytest.mark.parametrize(
    ("ending", "text_of", "d"), [(e, t, d[-1]) for e, t, d in formats.COHORTS if t is not formats.as_tpsdig]
)
def test_a_word_for_a_coordinate_is_that_records_own_affair(tmp_path, ending, text_of, d):
    """Its landmark counts as missing and is told in words; the others stand: one record stops no cohort."""
    cohort = np.random.default_rng(5).normal(size=(4, 6, d)).round(6)
    slip = str(cohort[1, 2, 0]) if text_of is not formats.as_wide else str(cohort[1, 2, 0]).replace(".", ",")
    text = text_of(cohort)
    (tmp_path / f"a{ending}").write_text(with_a_word(text, slip), encoding="utf-8")
    found = landmarks.read(tmp_path / f"a{ending}", landmarks.Layout(6, d))
    missing = np.isnan(found.shapes).all(axis=2)
    assert np.argwhere(missing).tolist() == [[1, 2]]
    assert np.array_equal(found.shapes[~missing], cohort[~missing])
    assert any("a word stands where a coordinate should" in one and "'seven'" in one for one in found.notices)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("LM=3\n0 0\n1 1\n2 0\nSCALE=ten\nID=a\n", "SCALE= is no number above 0"),
        ("LM=3\n0 0\n1 1\n2 0\nSCALE=\nID=a\n", "write the number, or take out all lines SCALE="),
        ("LM=three\n0 0\n1 1\n2 0\nID=a\n", "rows are missing or too many"),
        ("LM=3\n0 0\n1 1 4\n2 0\nID=a\n", "should have 2 numbers"),
        ("LM=2\n0 0\n1 1\nCURVES=1\nPOINTS=one\n2 0\nID=a\n", "rows are missing or too many"),
    ],
)
def test_a_fault_in_one_block_of_a_tps_stops_no_other(tmp_path, broken, words):
    (tmp_path / "a.tps").write_text(f"{broken}LM=3\n0 0\n1 0\n1 1\nID=b\n", encoding="utf-8")
    found = landmarks.read(tmp_path / "a.tps", landmarks.Layout(3, 2))
    assert found.ids == ["a", "b"] and found.shapes[1].tolist() == [[0, 0], [1, 0], [1, 1]]
    assert np.isnan(found.shapes[0]).any() and any(words in one for one in found.notices)


@pytest.mark.parametrize(("ending", "text"), [(".mrk.json", "{"), (".mrk.json", '{"markups": 7}'), (".fcsv", "\xff")])
def test_one_specimens_file_that_cannot_be_read_stops_no_cohort(tmp_path, ending, text):
    shape = np.random.default_rng(5).normal(size=(4, 3)).round(6)
    text_of = formats.as_markups if ending == ".mrk.json" else formats.as_fcsv
    (tmp_path / f"a{ending}").write_text(text, encoding="latin-1")
    (tmp_path / f"b{ending}").write_text(text_of(shape), encoding="utf-8")
    found = landmarks.read(tmp_path, landmarks.Layout(4, 3))
    assert found.ids == ["a", "b"] and np.isnan(found.shapes[0]).all() and np.array_equal(found.shapes[1], shape)
    assert any("cannot be read, so it counts as missing" in one for one in found.notices)
    with pytest.raises(Rejected):
        landmarks.read(tmp_path)  # a public file is to be mended


@pytest.mark.parametrize("position", ['["x", 1, 2]', "[1, 2]", '"here"', "null", "[1, 2, [3]]"])
def test_a_point_of_slicer_without_three_numbers_is_missing(tmp_path, position):
    points = f'{{"label": "1", "position": [0, 0, 1]}}, {{"label": "2", "position": {position}}}'
    (tmp_path / "a.mrk.json").write_text(f'{{"markups": [{{"controlPoints": [{points}]}}]}}', encoding="utf-8")
    assert np.isnan(landmarks.read(tmp_path / "a.mrk.json").shapes).all(axis=2).tolist() == [[False, True]]


@pytest.mark.parametrize("row", ["s1,1,2", "s1,1,2,3,4,5,6,7"])
def test_a_row_of_a_wide_table_that_is_too_short_or_long_is_that_records_own_affair(tmp_path, row):
    (tmp_path / "a.csv").write_text(f"id,x1,y1,x2,y2,x3,y3\ns0,0,0,1,0,1,1\n{row}\n", encoding="utf-8")
    found = landmarks.read(tmp_path / "a.csv", landmarks.Layout(3, 2))
    assert found.ids == ["s0", "s1"] and np.isnan(found.shapes[1]).all() and np.isfinite(found.shapes[0]).all()
    assert any("row 3 has" in one for one in found.notices)


def test_a_short_row_of_all_specimens_side_by_side_is_refused(tmp_path):
    """Nobody knows whose number is missing."""
    cohort = np.random.default_rng(5).normal(size=(4, 6, 2)).round(6)
    text = formats.as_r_array(cohort).strip().rpartition(",")[0]
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(Rejected, match=r"a\.csv: .*row 7 has fewer cells than the 9 columns"):
        landmarks.read(tmp_path / "a.csv", landmarks.Layout(6, 2))


def test_a_word_in_the_first_row_of_morphoj_is_that_records_own_affair(tmp_path):
    (tmp_path / "a.txt").write_text("Id\tC1\tC2\tC3\tC4\tC5\tC6\na\t0\tx\t1\t0\t1\t1\nb\t0\t0\t1\t0\t1\t1\n")
    found = landmarks.read(tmp_path / "a.txt", landmarks.Layout(3, 2))
    assert np.isnan(found.shapes).all(axis=2).tolist() == [[True, False, False], [False] * 3]


def test_what_is_left_out_is_as_if_it_had_never_been_measured(tmp_path):
    text = "id,landmark,x,y\n" + "".join(
        f"{one},{name},{at},{at * at}\n" for one in "pq" for at, name in enumerate("abcde")
    )
    path = write(tmp_path, "all.csv", text.replace("q,b,1,1\n", "q,b,NA,1\n"))
    found = landmarks.read(path, leave_out=[4, 2])
    assert found.shapes.tolist() == 2 * [[[0.0, 0.0], [2.0, 4.0], [4.0, 16.0]]]
    assert found.layout == Layout(3, 2, ("a", "c", "e")) and not found.notices
    assert "some landmarks are missing: q" in landmarks.read(path, leave_out=[4]).notices


@pytest.mark.parametrize(
    ("numbers", "words"),
    [([6], r"shapes\.leave_out: names landmark 6, and all\.npz has 5"), ([1, 2, 3], r"of which a shape needs 3")],
)
def test_leaving_out_what_is_not_there_or_too_many_is_refused(tmp_path, numbers, words):
    np.savez(tmp_path / "all.npz", X=np.random.default_rng(0).normal(size=(4, 5, 2)))
    with pytest.raises(Rejected, match=words):
        landmarks.read(tmp_path / "all.npz", leave_out=numbers)
