"""Every landmark format gives the same shapes; every fault is named."""

import h5py
import numpy as np
import pytest

from shapedp import landmarks
from shapedp.errors import Rejected

SHAPES = np.array([[[0, 0], [4, 0], [4.5, 3]], [[1, 1], [5, 1], [5, 4.25]]])


def as_tps(shapes):
    return "".join(
        f"LP={len(shape)}\n" + "".join(f"{x} {y}\n" for x, y in shape) + f"ID=s{i}\n" for i, shape in enumerate(shapes)
    )


def as_morphologika(shapes):
    points = "".join(f"'s{i}\n" + "".join(f"{x} {y}\n" for x, y in shape) for i, shape in enumerate(shapes))
    names = "".join(f"s{i}\n" for i in range(len(shapes)))
    return f"[individuals]\n2\n[landmarks]\n3\n[dimensions]\n2\n[names]\n{names}[rawpoints]\n{points}"


def as_long(shapes):
    rows = [f"s{i},{j},{x},{y}" for i, shape in enumerate(shapes) for j, (x, y) in enumerate(shape)]
    return "id,landmark,x,y\n" + "\n".join(rows)


def as_wide(shapes):
    """As a European spreadsheet writes it: semicolons and decimal commas."""
    rows = [f"s{i};" + ";".join(f"{x};{y}" for x, y in shape).replace(".", ",") for i, shape in enumerate(shapes)]
    return "\ufeffid;x1;y1;x2;y2;x3;y3\n" + "\n".join(rows)


@pytest.mark.parametrize(
    ("ending", "write"), [(".tps", as_tps), (".txt", as_morphologika), (".csv", as_long), (".csv", as_wide)]
)
def test_text_formats_agree(tmp_path, ending, write):
    path = tmp_path / f"shapes{ending}"
    path.write_text(write(SHAPES), encoding="utf-8")
    found = landmarks.read(path)
    assert np.array_equal(found.shapes, SHAPES)
    assert found.ids == ["s0", "s1"]


def test_binary_formats_agree(tmp_path):
    np.savez(tmp_path / "a.npz", X=SHAPES, sex=np.arange(2))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["landmarks"] = SHAPES
    for name in ("a.npz", "a.h5"):
        assert np.array_equal(landmarks.read(tmp_path / name).shapes, SHAPES)


def test_a_folder_is_read_file_by_file(tmp_path):
    (tmp_path / "b.tps").write_text(as_tps(SHAPES[1:]).replace("s0", "second"), encoding="utf-8")
    (tmp_path / "a.tps").write_text(as_tps(SHAPES[:1]), encoding="utf-8")
    found = landmarks.read(tmp_path)
    assert found.ids == ["s0", "second"]
    assert np.array_equal(found.shapes, SHAPES)


def test_tps_scale_is_applied(tmp_path):
    path = tmp_path / "s.tps"
    path.write_text("LP=2\n1 2\n3 4\nSCALE=0.5\n", encoding="utf-8")
    assert np.array_equal(landmarks.read(path).shapes[0], [[0.5, 1], [1.5, 2]])


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.tps", "LP=3\n0 0\n1 1\n", "truncated"),
        ("a.tps", "hello\n", "not_tps"),
        ("a.tps", "LP=2\n0 0\n1 x\n", "not_numeric"),
        ("a.tps", as_tps([SHAPES[0], SHAPES[1][:2]]), "mixed_landmarks"),
        ("a.csv", "id,colour\na,red\n", "no_landmarks"),
        ("a.csv", "id,x,y\na,1,red\n", "not_numeric"),
        ("a.csv", "", "empty_file"),
        ("a.txt", "[individuals]\n2\n", "not_morphologika"),
        ("a.txt", as_morphologika(SHAPES).replace("[dimensions]\n2", "[dimensions]\n3"), "not_planar"),
        ("a.txt", as_morphologika(SHAPES).replace("4.25", ""), "truncated"),
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
    (tmp_path / "a.tps").write_text(as_tps(SHAPES), encoding="utf-8")
    (tmp_path / "b.tps").write_text(as_tps(SHAPES), encoding="utf-8")
    with pytest.raises(Rejected, match="s0, s1 stand more than once"):
        landmarks.read(tmp_path)


@pytest.mark.parametrize(("name", "shape"), [("drosophila_wings", (2257, 48, 2)), ("ptychomya_shells", (137, 100, 2))])
def test_real_landmark_files(shared_data, name, shape):
    assert landmarks.read(shared_data / "shapes" / f"{name}.npz").shapes.shape == shape
