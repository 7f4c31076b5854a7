"""What is written is read back exactly, and the same input gives the same bytes."""

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_array_equal

import tolerances
from benchmarks.fuzz_reading import points_and_triangles
from shapedp import scans

FORMATS = ["ply", "obj", "xyz", "csv", "npy"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_round_trip(tmp_path, suffix):
    points, triangles = points_and_triangles()
    points = points * np.pi  # no short decimals
    triangles = triangles if suffix in ("ply", "obj") else None
    paths = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for path in paths:
        scans.write(path, points, triangles)
    scan = scans.read(paths[0])
    assert_array_equal(scan.points, points)
    if triangles is not None:
        assert_array_equal(scan.triangles, triangles)
    assert scan.notices == ()
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("suffix", ["ply", "obj"])
def test_another_reader_sees_the_same_mesh(tmp_path, suffix):
    points, triangles = points_and_triangles()
    scans.write(tmp_path / f"a.{suffix}", points, triangles)
    mesh = trimesh.load_mesh(tmp_path / f"a.{suffix}", process=False)
    assert_array_equal(mesh.vertices, points)
    assert_array_equal(mesh.faces, triangles)


@pytest.mark.parametrize("suffix", ["ply", "obj", "stl", "off"])
def test_files_of_another_writer(tmp_path, suffix):
    points, triangles = points_and_triangles()
    mesh = trimesh.Trimesh(points, triangles, process=False)
    mesh.export(tmp_path / f"a.{suffix}", **({"digits": 17} if suffix in ("obj", "off") else {}))
    scan = scans.read(tmp_path / f"a.{suffix}")
    precision = tolerances.SINGLE_PRECISION if suffix in ("ply", "stl") else 0
    np.testing.assert_allclose(scan.points[scan.triangles], points[triangles], rtol=precision, atol=0)


def test_npy_is_what_numpy_reads(tmp_path):
    points, _ = points_and_triangles()
    scans.write(tmp_path / "a.npy", points)
    assert_array_equal(np.load(tmp_path / "a.npy"), points)


def test_unknown_names_and_lost_triangles_are_refused(tmp_path):
    points, triangles = points_and_triangles()
    with pytest.raises(ValueError, match=r"must end in one of \.ply"):
        scans.write(tmp_path / "a.stl", points)
    with pytest.raises(ValueError, match=r"triangles need \.ply or \.obj"):
        scans.write(tmp_path / "a.xyz", points, triangles)
