"""An artifact from a stranger, with a valid header: nothing runs, nothing outside it is read, nothing is unbounded."""

import json

import h5py
import numpy as np
import pytest

from shapedp import landmarks
from shapedp.app.cli import commands
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, Rejected

PROVENANCE = {"shapedp": "0.1.0", "settings": {}, "inputs": {}, "made_of": []}
SHAPE = (23, 3, 80)
ELSEWHERE = "link to somewhere else"


def forge(path, kind, build, provenance=PROVENANCE):
    """A file with a valid header around what `build(file)` puts into it."""
    with h5py.File(path, "w", libver="latest", userblock_size=artifacts.HEADER_BYTES) as file:
        file.attrs["provenance"] = provenance if isinstance(provenance, str) else json.dumps(provenance)
        build(file)
    artifacts.seal(path, kind)
    return path


def face(file, name="x", **attributes):
    """A record's group."""
    group = file.create_group(name)
    group.attrs.update({"status": "ok", **attributes})
    return group


def read(path, kind=artifacts.FACE_CURVES, field="curves"):
    """What a step does with a file: every record's field."""
    return [record[field] for record in artifacts.records(path, kind)]


def link_to_other_file(file):
    file["x"] = h5py.ExternalLink("/etc/other.h5", "/anna")


def soft_link(file):
    face(file, "y").create_dataset("curves", SHAPE, "f8")
    file["x"] = h5py.SoftLink("/y")


def soft_link_to_values(file):
    face(file)["curves"] = h5py.SoftLink("/elsewhere")


def values_in_another_file(file):
    face(file).create_dataset("curves", SHAPE, "f8", external=[("/etc/passwd", 0, int(np.prod(SHAPE)) * 8)])


def virtual_values(file):
    layout = h5py.VirtualLayout(SHAPE, "f8")
    layout[:] = h5py.VirtualSource("/etc/other.h5", "curves", SHAPE)
    face(file).create_virtual_dataset("curves", layout)


def huge_claim(file):
    face(file).create_dataset("curves", (1 << 20, 3, 1 << 20), "f8", chunks=(64, 3, 64))


def huge_record(file):
    face(file).create_dataset("curves", (1 << 20, 3, 12), "f8", data=np.zeros((1 << 20, 3, 12)), compression="gzip")


def huge_chunk(file):
    face(file).create_dataset(
        "curves", SHAPE, "f8", chunks=(1 << 13, 3, 1 << 12), maxshape=(None, None, None), compression="gzip"
    )


def filter_that_loads_a_plugin(file):
    face(file).create_dataset("curves", SHAPE, "f8", chunks=SHAPE, compression=307, allow_unknown_filter=True)


def objects(file):
    face(file).create_dataset("curves", SHAPE, h5py.vlen_dtype("f8"))


def text_for_numbers(file):
    face(file).create_dataset("curves", SHAPE, h5py.string_dtype())


def references(file):
    face(file).create_dataset("curves", SHAPE, h5py.ref_dtype)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (link_to_other_file, ELSEWHERE),
        (soft_link, ELSEWHERE),
        (soft_link_to_values, ELSEWHERE),
        (values_in_another_file, "outside the file"),
        (virtual_values, "outside the file"),
        (huge_claim, "more than"),
        (huge_record, "more than"),
        (huge_chunk, "chunks of more than"),
        (filter_that_loads_a_plugin, "could load a plugin"),
        (objects, "holds object, declared as f8"),
        (text_for_numbers, "holds object, declared as f8"),
        (references, "holds object, declared as f8"),
        (lambda file: file.create_dataset("x", SHAPE, "f8"), ELSEWHERE),
        (lambda file: face(file, status=7), "'status' of '/x' is not a text"),
    ],
)
def test_hostile_content_is_refused_by_name(tmp_path, build, words):
    forged = forge(tmp_path / "forged.h5", artifacts.FACE_CURVES, build)
    with pytest.raises(ArtifactError, match=words) as caught:
        read(forged)
    assert "forged.h5" in str(caught.value)


@pytest.mark.parametrize(
    "name", ["..", ".hidden", "a\nb", "a\tb", "a\u202eb", "a\u2215b", "\x1b[2Jb", "e\u0301", "\u0435", "a" * 201, ""]
)
def test_record_names_that_could_mislead_are_refused_when_read_and_when_written(tmp_path, name):
    if name not in ("", ".."):  # which HDF5 itself cannot store
        forged = forge(tmp_path / "forged.h5", artifacts.FACE_CURVES, lambda file: face(file, name))
        with pytest.raises(ArtifactError, match="record name") as caught:
            read(forged)
        assert str(caught.value).isprintable()
    with (
        pytest.raises(ArtifactError, match="record name"),
        artifacts.writer(tmp_path / "new.h5", artifacts.FACE_CURVES) as out,
    ):
        out.reject(name, "s", "c", "r")


@pytest.mark.parametrize("name", ["a/b", "../a", "/a", "a\0b"])
def test_names_that_are_paths_are_not_written(tmp_path, name):
    with (
        pytest.raises(ArtifactError, match="record name"),
        artifacts.writer(tmp_path / "new.h5", artifacts.FACE_CURVES) as out,
    ):
        out.write(name, curves=np.zeros(SHAPE))


def test_words_of_a_stranger_are_made_safe_to_show(tmp_path):
    words = {"status": "rejected", "stage": "s", "code": "\x1b]0;c\x07", "reason": "\x1b[2J\u202e\n" + "r" * 9000}
    forged = forge(tmp_path / "forged.h5", artifacts.FACE_CURVES, lambda file: face(file, **words))
    (record,) = artifacts.records(forged, artifacts.FACE_CURVES)
    assert record.rejected
    assert (record.code + record.reason).isprintable()
    assert len(record.reason) <= artifacts.LONGEST_WORDS
    assert all(line.isprintable() for line in commands.describe_file(forged))


@pytest.mark.parametrize("provenance", ["", "{", "[" * 100_000, "7", "{}", '{"shapedp": "0.1.0"}'])
def test_a_lying_history_is_refused(tmp_path, provenance):
    with h5py.File(tmp_path / "f.h5", "w", libver="latest", userblock_size=artifacts.HEADER_BYTES) as file:
        file.attrs.create("provenance", provenance, dtype=h5py.string_dtype())
    artifacts.seal(tmp_path / "f.h5", artifacts.FACE_CURVES)
    with pytest.raises(ArtifactError, match="does not say what it was made of"):
        read(tmp_path / "f.h5")
    with pytest.raises(ArtifactError, match="does not say what it was made of"):
        artifacts.lineage(tmp_path / "f.h5")


@pytest.mark.parametrize(
    "first", ["shapedp artifact mesh x", "shapedp artifact mesh -1", "shapedp artifact", "shapedp artifact a b c"]
)
def test_a_lying_header_is_refused(tmp_path, first):
    (tmp_path / "f.h5").write_bytes(f"{first}\n{'0' * 64}\n".encode().ljust(4096, b"\0"))
    with pytest.raises(ArtifactError, match="not an artifact"):
        artifacts.check(tmp_path / "f.h5", artifacts.MESH)


def test_what_is_no_hdf5_behind_a_valid_header_is_refused(tmp_path):
    path = tmp_path / "f.h5"
    path.write_bytes(bytes(artifacts.HEADER_BYTES) + b"no HDF5 at all")
    artifacts.seal(path, artifacts.FACE_CURVES)
    with pytest.raises(ArtifactError, match="not a readable HDF5 file"):
        read(path)


@pytest.mark.parametrize("index", [3, -1])
def test_indices_that_leave_the_mesh_never_reach_compiled_loops(tmp_path, index):
    def build_mesh(file):
        group = face(file)
        group["vertices"] = np.zeros((3, 3))
        group["triangles"] = np.array([[0, 1, index]], dtype="i4")

    def build_disk(file):
        group = face(file)
        group["z"] = np.zeros(3, dtype=complex)
        group["nose_tip"] = index

    for kind, field, build in (
        (artifacts.MESH, "triangles", build_mesh),
        (artifacts.DISK, "nose_tip", build_disk),
    ):
        forged = forge(tmp_path / f"{kind.name}.h5", kind, build)
        with pytest.raises(ArtifactError, match="points outside the 3 vertices"):
            read(forged, kind, field)


def test_many_entries_that_point_at_one_long_text_are_refused(tmp_path):
    """HDF5 keeps a text once in its heap; entries are 16-byte pointers, copied here to point at the same text."""
    count, length = 2000, 60_000

    def build(file):
        file.create_dataset("ids", (count,), h5py.string_dtype(), data=["l" * length] + ["s"] * (count - 1))

    path = forge(tmp_path / "forged.h5", artifacts.LANDMARKS, build)
    with h5py.File(path, "r") as file:
        start = artifacts.HEADER_BYTES + file["ids"].id.get_offset() - file.userblock_size
    content = bytearray(path.read_bytes())
    content[start : start + 16 * count] = content[start : start + 16] * count
    path.write_bytes(content)
    artifacts.seal(path, artifacts.LANDMARKS)
    with artifacts.reader(path, artifacts.LANDMARKS) as source, pytest.raises(ArtifactError, match="more text than"):
        source["ids"]


@pytest.mark.parametrize(
    "build",
    [
        lambda file: file.create_dataset("X", (5, 3, 2), h5py.vlen_dtype("f8")),
        lambda file: file.create_dataset("X", (5, 3, 2), h5py.string_dtype()),
        lambda file: file.create_dataset("X", (1 << 30, 3, 2), "f8", chunks=(64, 3, 2)),
        lambda file: file.create_dataset("X", (5, 3, 2), "f8", external=[("/etc/passwd", 0, 240)]),
        lambda file: file.__setitem__("X", h5py.ExternalLink("/etc/other.h5", "/X")),
        lambda file: file.create_group("X"),
        lambda file: file.create_dataset(
            "X", (5, 3, 2), "f8", chunks=(5, 3, 2), compression=307, allow_unknown_filter=True
        ),
    ],
)
def test_landmarks_in_somebody_elses_hdf5_meet_the_same_guards(tmp_path, build):
    with h5py.File(tmp_path / "s.h5", "w") as file:
        build(file)
    with pytest.raises(Rejected, match=r"s\.h5") as caught:
        landmarks.read(tmp_path / "s.h5")
    assert caught.value.code == "unreadable"
