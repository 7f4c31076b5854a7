"""A bad face is rejected in words, the others go on, and a face's result depends on that face alone."""

import numpy as np
import pytest

from shapedp.base import artifacts
from shapedp.base.errors import Rejected
from shapedp.surfaces.chain.step import ChainSettings, Step, write


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.h5"
    with artifacts.writer(path, artifacts.FACE_CURVES) as out:
        for name, value in (("a", 1.0), ("b", -1.0), ("c", 2.0), ("d", np.nan)):
            out.write(name, curves=np.full((2, 3, 8), value))
        out.reject("e", "mesh_faces", "empty_file", "the file holds nothing")
    return path


def step(record):
    value = record["curves"][0, 0, 0]
    if value < 0:
        raise Rejected("negative", f"found {value}; curves must be positive")
    if np.isnan(value):
        raise ZeroDivisionError("a bug")
    return {"curves": record["curves"] * 2}


def doubling(function):
    """A step that reads curves and makes curves."""

    def double(given):
        return function

    return Step("doubled", artifacts.FACE_CURVES, ("face_curves",), double)


def run(source, output):
    write(doubling(step), {"face_curves": source}, output, ChainSettings({}))
    return {record.name: record for record in artifacts.records(output, artifacts.FACE_CURVES)}


def test_good_faces_go_on_and_bad_ones_keep_their_reason(source, tmp_path):
    output = tmp_path / "out.h5"
    found = run(source, output)
    assert list(found) == ["a", "b", "c", "d", "e"]
    assert [name for name, record in found.items() if record.rejected] == ["b", "d", "e"]
    assert (found["b"].stage, found["b"].code, found["b"].reason) == (
        "double",
        "negative",
        "found -1.0; curves must be positive",
    )
    assert found["d"].code == "unexpected_error"
    assert "ZeroDivisionError: a bug" in found["d"].reason
    assert (found["e"].stage, found["e"].code) == ("mesh_faces", "empty_file")


def test_running_out_of_memory_fails_the_job_not_the_face(source, tmp_path):
    def hungry(record):
        raise MemoryError

    with pytest.raises(MemoryError):
        write(doubling(hungry), {"face_curves": source}, tmp_path / "o.h5", ChainSettings({}))
    assert not (tmp_path / "o.h5").exists()
