"""An artifact is whole, of the right kind, and the same bytes for the same content; or it is refused in words."""

import re
from dataclasses import replace

import numpy as np
import pytest

from shapedp.app.cli import commands
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError

CURVES = np.random.default_rng(1).normal(size=(23, 3, 80))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "curves.h5"
    with artifacts.writer(path, artifacts.FACE_CURVES, {"count": 23}) as out:
        out.write("anna", curves=CURVES)
        out.reject("bert", "mesh_faces", "large_hole", "a hole of 12 % of the surface; scan again")
    return path


def test_what_is_written_is_read_back_exactly(path):
    with artifacts.reader(path, artifacts.FACE_CURVES) as source:
        anna, bert = source
        assert (anna.name, anna.rejected, bert.name, bert.rejected) == ("anna", False, "bert", True)
        assert np.array_equal(anna["curves"], CURVES)
    assert (bert.stage, bert.code) == ("mesh_faces", "large_hole")
    assert "12 %" in bert.reason


def test_the_same_content_gives_the_same_bytes(path, tmp_path):
    again = tmp_path / "again.h5"
    with artifacts.writer(again, artifacts.FACE_CURVES, {"count": 23}) as out:
        out.write("anna", curves=CURVES.copy(order="F"))
        out.reject("bert", "mesh_faces", "large_hole", "a hole of 12 % of the surface; scan again")
    assert again.read_bytes() == path.read_bytes()


def test_a_file_from_before_a_field_was_declared_is_read_without_it(tmp_path):
    declared = {"age": artifacts.Field("f8", ("n",), "years", "of each"), "sex": artifacts.Field("i8", ("n",), "", "")}
    then = artifacts.Kind("told", 1, "what people told").with_fields(age=declared["age"])
    with artifacts.writer(path := tmp_path / "told.h5", then) as out:
        out.set(age=[41.0])
    now = then.with_fields(**declared)
    with artifacts.reader(path, now) as source, pytest.raises(ArtifactError, match="'sex' of '/' is missing"):
        source["sex"]
    later = then.with_fields(age=declared["age"], sex=replace(declared["sex"], later=True))
    with artifacts.reader(path, later) as source:
        assert list(source.kind.fields) == list(source.meanings()) == ["age"]


def test_another_kind_is_refused(path):
    with pytest.raises(ArtifactError, match=r"holds 'face_curves', expected 'mesh'"):
        list(artifacts.records(path, artifacts.MESH))


def test_another_version_is_refused(path):
    content = path.read_bytes().replace(b"face_curves 1\n", b"face_curves 9\n", 1)
    path.write_bytes(content)
    with pytest.raises(ArtifactError, match=r"version 9 of 'face_curves', this shapedp reads version 1"):
        list(artifacts.records(path, artifacts.FACE_CURVES))


@pytest.mark.parametrize("size", [0, 100, 600, -1])
def test_a_truncated_file_is_refused(path, size):
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ArtifactError, match=r"truncated|not an artifact"):
        list(artifacts.records(path, artifacts.FACE_CURVES))


def test_every_single_damaged_byte_is_noticed(path):
    content = path.read_bytes()
    for position in np.linspace(artifacts.HEADER_BYTES, len(content) - 1, 60).astype(int):
        damaged = bytearray(content)
        damaged[position] ^= 1
        path.write_bytes(bytes(damaged))
        with pytest.raises(ArtifactError, match="damaged"):
            list(artifacts.records(path, artifacts.FACE_CURVES))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ArtifactError, match=r"none\.h5: no such file"):
        list(artifacts.records(tmp_path / "none.h5", artifacts.MESH))


def test_a_failed_writer_leaves_nothing(tmp_path):
    path = tmp_path / "curves.h5"
    with pytest.raises(RuntimeError), artifacts.writer(path, artifacts.FACE_CURVES) as out:
        out.write("anna", curves=CURVES)
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_wrong_shapes_names_and_gaps_are_refused(tmp_path):
    with (
        pytest.raises(ArtifactError, match=r"'curves' has shape \(23, 80\)"),
        artifacts.writer(tmp_path / "a.h5", artifacts.FACE_CURVES) as out,
    ):
        out.write("anna", curves=CURVES[:, 0])
    with (
        pytest.raises(ArtifactError, match="declares no field colour"),
        artifacts.writer(tmp_path / "a.h5", artifacts.FACE_CURVES) as out,
    ):
        out.write("anna", curves=CURVES, colour=1)
    with (
        pytest.raises(ArtifactError, match="needs the field"),
        artifacts.writer(tmp_path / "a.h5", artifacts.SURFACE) as out,
    ):
        out.write("anna", f=np.zeros((4, 8, 3)))


def test_one_symbol_means_one_size(tmp_path):
    with (
        pytest.raises(ArtifactError, match="gamma"),
        artifacts.writer(tmp_path / "a.h5", artifacts.REGISTERED) as out,
    ):
        numbers = dict.fromkeys(artifacts.REGISTERED.fields, 0)
        out.write("anna", **numbers | {"f": np.zeros((4, 8, 3)), "rotation": np.eye(3), "gamma": np.zeros((4, 9, 2))})


def test_rows_are_read_without_the_rest(tmp_path):
    path = tmp_path / "stack.h5"
    stack = np.random.default_rng(2).normal(size=(7, 2, 3, 8))
    with artifacts.writer(path, artifacts.CURVES) as out:
        out.rows("curves", stack.shape)[:] = stack
        out.set(ok=np.ones(7), ids=list("abcdefg"), groups=[""] * 7, radii=[0.5, 1.0], template="t")
    with artifacts.reader(path, artifacts.CURVES) as source:
        assert np.array_equal(source.rows("curves", 2, 5), stack[2:5])
        assert source["ids"] == list("abcdefg")


def test_describe_names_every_field_and_every_rejection(path):
    text = "\n".join(commands.describe_file(path))
    assert "radial curves" in text
    assert "2 records, 1 rejected" in text
    assert "bert: rejected in mesh_faces (large_hole): a hole of 12 %" in text


def test_every_declared_kind_can_be_described():
    declared = {kind.name for kind in vars(artifacts).values() if isinstance(kind, artifacts.Kind)}
    assert declared == set(artifacts.KINDS)
    assert "bounds" in declared


def test_readme_table_is_the_declarations(root):
    readme = (root / "docs/artifacts.md").read_text(encoding="utf-8")
    block = re.search(r"<!-- artifacts -->\n(.*?)\n<!-- end of artifacts -->", readme, re.S)
    assert block, "docs/artifacts.md has lost its artifact table; run: shapedp describe --table"
    assert block.group(1) == "\n".join(commands.list_artifacts()), (
        "run: shapedp describe --table, and paste it into docs/artifacts.md"
    )


def test_only_artifacts_knows_hdf5(root):
    users = [
        path.parent.name
        for path in (root / "scripts").rglob("*.py")
        if re.search(r"^\s*(import|from) h5py", path.read_text(encoding="utf-8"), re.M)
    ]
    assert set(users) == {"artifacts"}
