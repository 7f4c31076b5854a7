"""What differs is found and told apart from what other software rounds otherwise."""

import numpy as np
import pytest

import verify
from shapedp.base import artifacts
from shapedp.base.artifacts import sealed_files

SURFACE = np.random.default_rng(3).normal(size=(4, 6, 3))


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A function that writes an artifact of two faces: (name, surface, ...) -> path."""

    def write(name, f=SURFACE, settings=None, made_with="one", rejected="no nose found"):
        monkeypatch.setattr(sealed_files, "find_software", lambda: {"blas": made_with})
        path = tmp_path / f"{name}.h5"
        with artifacts.writer(path, artifacts.SURFACE, settings) as out:
            out.write("anna", f=f, scale=200.0, centroid=np.zeros(3))
            out.reject("bert", "mesh_faces", "no_nose", rejected)
        return path

    return write


def compare(old, new):
    return verify.compare(old, new, artifacts.SURFACE)


def test_the_same_bytes_are_identical(write):
    assert compare(write("old"), write("new")).status == "identical"


def test_one_bit_is_noticed_where_the_software_is_the_same(write):
    f = SURFACE.copy()
    f[0, 0, 0] = np.nextafter(f[0, 0, 0], 9)
    found = compare(write("old"), write("new", f))
    assert found.status == "differs"
    assert "field 'f' of 'anna'" in found.words


@pytest.mark.parametrize(("factor", "status"), [(0.1, "within tolerance"), (10, "differs")])
def test_other_software_may_round_but_no_more(write, factor, status):
    f = SURFACE.copy()
    f[1, 2, 0] += factor * verify.TOLERANCE * abs(f).max()
    found = compare(write("old", made_with="other"), write("new", f))
    assert found.status == status
    assert found.difference == pytest.approx(factor * verify.TOLERANCE)
    assert "blas other -> one" in found.words


def test_another_reason_for_a_rejection_is_a_difference(write):
    found = compare(write("old", made_with="other"), write("new", rejected="a hole"))
    assert (found.status, "'bert' was rejected otherwise" in found.words) == ("differs", True)


def test_other_settings_are_told(write):
    found = compare(write("old", settings={"rings": 96}), write("new", settings={"rings": 48}))
    assert "other settings" in found.words


def test_a_damaged_artifact_is_told(write):
    path = write("old")
    path.write_bytes(path.read_bytes()[:-1])
    assert compare(path, write("new")).status == "damaged"


def test_what_is_published_says_nothing_about_the_machine():
    released = {kind.name for kind in artifacts.KINDS.values() if kind.released}
    assert released == {
        *("mean_face", "face_model", "face_change", "growth"),
        *("released_shape", "shape_model", "shape_change", "released_point", "drawn", "heterogeneity", "at_landmarks"),
        "mean_at_landmarks",
    }
