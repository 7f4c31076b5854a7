"""Every landmark format gives the same shapes; every fault is named. Files are written as their programs write them."""

import json

import h5py
import numpy as np
import pytest

from library.landmarks import formats
from shapedp import landmarks
from shapedp.errors import Rejected
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


def test_a_record_of_another_layout_is_missing_whole_and_moves_no_other(tmp_path):
    public = Layout(3, 2)
    odd = [*SHAPES, np.vstack([SHAPES[0], [[9, 9]]]), SHAPES[0][:2]]
    found = landmarks.read(write(tmp_path, "a.tps", formats.as_tps(odd)), public)
    assert np.array_equal(found.shapes[:2], SHAPES)
    assert np.isnan(found.shapes[2:]).all()
    assert "not 3 landmarks of 2 coordinates, so all of them count as missing: s2 (4, 2), s3 (2, 2)" in found.notices
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
    for name in ("a.npz", "a.h5"):
        assert np.array_equal(landmarks.read(tmp_path / name).shapes, SHAPES)


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
        ("a.tps", "LM3=2\n0 0\n1 1\n", "not_tps"),
        ("a.tps", "LP=2\n0 0\n1 1\n", "not_tps"),
        ("a.nts", "2 1 6 0 DIM=2\n0 0 0 0 0 0\n", "not_nts"),
        ("a.nts", "1 2 6 0 DIM=2\n0 0 0 0 0 0\n", "truncated"),
        ("a.json", "{}", "not_markups"),
        ("a.fcsv", "0,1,2\n", "not_fcsv"),
        ("a.csv", "id,age,weight\na,3,4\n", "no_landmarks"),
        ("a.csv", "id,colour\na,red\n", "no_landmarks"),
        ("a.csv", "id,x,y\na,1,red\n", "not_numeric"),
        ("a.csv", "", "empty_file"),
        ("a.txt", "[individuals]\n2\n", "not_morphologika"),
        ("a.txt", formats.as_morphologika(SHAPES).replace("[dimensions]\n2", "[dimensions]\n4"), "not_morphologika"),
        ("a.txt", formats.as_morphologika(SHAPES).replace("4.25", ""), "truncated"),
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


def test_a_missing_coordinate_is_left_to_the_step_that_judges_single_shapes(tmp_path):
    (tmp_path / "a.csv").write_text("id,x,y\na,1,\na,2,3\n", encoding="utf-8")
    assert np.array_equal(np.isnan(landmarks.read(tmp_path / "a.csv").shapes), [[[False, True], [False, False]]])


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


def test_a_word_for_a_coordinate_in_a_tps_is_that_records_own_affair(tmp_path):
    """Its landmark counts as missing, the others stand: one person's record stops no cohort."""
    path = tmp_path / "a.tps"
    path.write_text("LM=3\n0 0\n1 x\n1 1\nID=a\nLM=3\n0 0\n1 0\n1 1\nID=b\n", encoding="utf-8")
    found = landmarks.read(path)
    assert np.isnan(found.shapes[0]).tolist() == [[False, False], [True, True], [False, False]]
    assert found.shapes[1].tolist() == [[0, 0], [1, 0], [1, 1]]
    assert any("some landmarks are missing: a" in one for one in found.notices)
