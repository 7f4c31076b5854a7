"""Landmark files from strangers: no code runs, no other file is read, memory is bounded, every id can be shown."""

import io
import os
import zipfile

import numpy as np
import pytest

from shapedp import landmarks
from shapedp.base.errors import Rejected
from shapedp.base.reading.files import MAX_BYTES

TRAP = "touched"


class Trap:
    """Pickled, this makes a folder when it is opened."""

    def __reduce__(self):
        return os.mkdir, (TRAP,)


def pickled():
    stream = io.BytesIO()
    np.save(stream, np.array([Trap()], dtype=object), allow_pickle=True)
    return stream.getvalue()


def zipped(name, data, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr(name, data)
    return stream.getvalue()


def npy_header(shape, dtype="<f8"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": dtype, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def bomb():
    """Return 400 MB of zeros, packed: made by the test that reads them, since packing takes a second."""
    return zipped("X.npy", npy_header((1 << 23, 3, 2)) + bytes((1 << 23) * 48))


FILES = {
    "pickle.npy": (pickled(), "unsafe_pickle"),
    "pickle.npz": (zipped("X.npy", pickled()), "unsafe_pickle"),
    "bomb.npz": (bomb, "too_large"),
    "method.npz": (zipped("X.npy", npy_header((1, 3, 2)) + bytes(48), zipfile.ZIP_LZMA), "unknown_format"),
    "names.npz": (zipped("../X.npy", npy_header((1, 3, 2)) + bytes(48)), "no_landmarks"),
    "claim.npy": (npy_header((1 << 40, 3, 2)), "truncated"),
    "claim.npz": (zipped("X.npy", npy_header((1 << 40, 3, 2))), "truncated"),
    "records.npy": (npy_header((2,), [("x", "<f8"), ("y", "<f8")]) + bytes(32), "wrong_shape"),
    "text.npy": (npy_header((2,), "<U4") + bytes(32), "not_numeric"),
    "header.npy": (b"\x93NUMPY\x01\x00\x20\x00" + b"(" * 32, "truncated"),
    "count.tps": (b"LM=999999999\n0 0\n", "truncated"),
    "digits.tps": (b"LM=" + b"9" * 5000 + b"\n0 0\n", "truncated"),
    "square.tps": ("LM=²\n0 0\n1 1\n".encode(), "truncated"),
    "empty.tps": (b"", "empty_file"),
    "scale.tps": (b"LM=1\n0 0\nSCALE=\x1b[2J\n", "truncated"),
    "blank.tps": (b"\n\n\n", "empty_file"),
    "negative.txt": (
        b"[individuals]\n-1\n[landmarks]\n-3\n[dimensions]\n2\n[rawpoints]\n0 0\n0 0\n0 0\n",
        "not_morphologika",
    ),
    "digits.txt": (b"[individuals]\n" + b"9" * 5000 + b"\n[landmarks]\n3\n[dimensions]\n2\n", "not_morphologika"),
    "names.txt": (
        b"[individuals]\n2\n[landmarks]\n1\n[dimensions]\n2\n[names]\na\n[rawpoints]\n0 0\n1 1\n",
        "truncated",
    ),
    "cell.csv": (b"id,x,y\na," + b"1" * 200_000 + b",0\n", "truncated"),
    "columns.csv": (f"id,x{'9' * 5000},y1\na,0,0\n".encode(), "no_landmarks"),
    "control.csv": (b"id,x,y\na,\x1b[2J,0\n", "truncated"),
    "latin.csv": ("id,x,y\nå,0,0\n".encode("latin-1"), "not_text"),
    "header.csv": (b"id,x,y\n\x0c", "bad_id"),
}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_in_words(tmp_path, name):
    data, code = FILES[name]
    (tmp_path / name).write_bytes(data() if callable(data) else data)
    with pytest.raises(Rejected) as caught:
        landmarks.read(tmp_path / name)
    assert caught.value.code == code
    assert name in str(caught.value)
    assert len(str(caught.value)) < 600
    assert str(caught.value).isprintable()
    assert not (tmp_path / TRAP).exists(), "the file ran code"


@pytest.mark.parametrize(
    "bad", ["", "a\x1b[2J", "a\u202eb", "a\0b", "a\u200bb", "a" * 201, "a\x7f", "a\x9b2J", "\ufeffa"]
)
def test_ids_that_do_not_show_are_refused(tmp_path, bad):
    (tmp_path / "s.csv").write_text(f"id,x,y\n{bad},0,0\nb,1,1\n", encoding="utf-8")
    with pytest.raises(Rejected, match="the id") as caught:
        landmarks.read(tmp_path / "s.csv")
    assert caught.value.code == "bad_id"
    assert str(caught.value).isprintable()


def test_ids_may_be_file_names_of_any_language_for_they_never_become_paths(tmp_path):
    (tmp_path / "s.csv").write_text("id,x,y\n../flügel 1.jpg,0,0\n王,1,1\n", encoding="utf-8")
    assert landmarks.read(tmp_path / "s.csv").ids == ["../flügel 1.jpg", "王"]


def test_links_out_of_the_folder_pipes_and_large_files_are_not_opened(tmp_path):
    (tmp_path / "other.csv").write_text("id,x,y\na,0,0\n", encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir()
    (home / "link.csv").symlink_to(tmp_path / "other.csv")
    with pytest.raises(Rejected, match=r"'link\.csv': a link out of its folder; copy it"):
        landmarks.read(home)
    (home / "link.csv").unlink()
    for pipe in ("pipe.csv", "pipe.npz", "pipe.h5"):
        os.mkfifo(home / pipe)
        with pytest.raises(Rejected, match=pipe):
            landmarks.read(home)
        (home / pipe).unlink()
    for name, limit in (
        ("a.npy", MAX_BYTES),
        ("a.h5", landmarks.LARGEST_HDF5),
    ):
        with (home / name).open("wb") as stream:
            stream.truncate(limit + 1)
        with pytest.raises(Rejected, match=name) as caught:
            landmarks.read(home / name)
        assert caught.value.code == "too_large"
