"""What is written is read back exactly, by our own reader, by others and by R; the same input gives the same bytes."""

import io
import shutil
import subprocess

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose, assert_array_equal

import tolerances
from benchmarks.fuzz_reading import points_and_triangles
from shapedp import landmarks
from shapedp.base import writers
from shapedp.surfaces import scans

FORMATS = ["ply", "obj", "xyz", "csv", "npy"]
SHAPES = {d: np.random.default_rng(d).normal(size=(6, d)).round(8) for d in (2, 3)}


@pytest.mark.parametrize("suffix", FORMATS)
def test_round_trip(tmp_path, suffix):
    points, triangles = points_and_triangles()
    points = points * np.pi  # no short decimals
    triangles = triangles if suffix in ("ply", "obj") else None
    paths = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for path in paths:
        writers.write_scan(path, points, triangles)
    scan = scans.read(paths[0])
    assert_array_equal(scan.points, points)
    if triangles is not None:
        assert_array_equal(scan.triangles, triangles)
    assert scan.notices == ()
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("suffix", ["ply", "obj"])
def test_another_reader_sees_the_same_mesh(tmp_path, suffix):
    points, triangles = points_and_triangles()
    writers.write_scan(tmp_path / f"a.{suffix}", points, triangles)
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
    writers.write_scan(tmp_path / "a.npy", points)
    assert_array_equal(np.load(tmp_path / "a.npy"), points)


def test_unknown_names_and_lost_triangles_are_refused(tmp_path):
    points, triangles = points_and_triangles()
    with pytest.raises(ValueError, match=r"must end in one of \.ply"):
        writers.write_scan(tmp_path / "a.stl", points)
    with pytest.raises(ValueError, match=r"triangles need \.ply or \.obj"):
        writers.write_scan(tmp_path / "a.xyz", points, triangles)


@pytest.mark.parametrize("d", SHAPES)
@pytest.mark.parametrize("ending", ["csv", "tps"])
def test_what_is_written_is_read_back(tmp_path, d, ending):
    text = writers.format_csv(SHAPES[d]) if ending == "csv" else writers.format_tps(SHAPES[d], "mean_shape")
    (tmp_path / f"mean_shape.{ending}").write_text(text, encoding="utf-8")
    found = landmarks.read(tmp_path / f"mean_shape.{ending}")
    assert found.ids == ["mean_shape"] and np.array_equal(found.shapes[0], SHAPES[d])


def test_a_shape_of_size_1_with_a_size_is_read_back_as_large_as_that(tmp_path):
    (tmp_path / "mean_shape.tps").write_text(writers.format_tps(SHAPES[3], "mean_shape", 12.5), encoding="utf-8")
    assert np.allclose(landmarks.read(tmp_path / "mean_shape.tps").shapes[0], 12.5 * SHAPES[3])


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R: apt install r-base-core")
@pytest.mark.parametrize("d", SHAPES)
def test_the_script_gives_r_the_array_that_geomorph_has(tmp_path, d):
    """p x k x 1, and the numbers in R's order."""
    (tmp_path / "mean_shape.csv").write_text(writers.format_csv(SHAPES[d]), encoding="utf-8")
    (tmp_path / "mean_shape.R").write_text(writers.R_SCRIPT, encoding="utf-8")
    asked = 'source("mean_shape.R"); stopifnot(is.array(A), is.numeric(A)); cat(dim(A), sprintf("%.8f", A))'
    told = subprocess.run(["Rscript", "-e", asked], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    shape, numbers = told.split()[:3], np.array(told.split()[3:], dtype=float)
    assert shape == ["6", str(d), "1"]
    assert np.array_equal(numbers.reshape(d, 6).T, SHAPES[d])


VERTICES = np.array([[0.0, 0, 0], [100, 0, 0], [0, 100, 0], [100, 100, 30]])  # mm
TRIANGLES = np.array([[0, 1, 2], [2, 1, 3]])


@pytest.mark.parametrize(("ending", "width"), [(".ply", 100), (".obj", 100), (".stl", 100), (".glb", 0.1)])
def test_a_face_of_100_mm_is_a_tenth_of_a_metre_in_gltf_and_100_mm_elsewhere(ending, width):
    content = writers.encode_surface(VERTICES, TRIANGLES, ending)
    found = trimesh.load(io.BytesIO(content), file_type=ending[1:], force="mesh")
    assert_allclose(found.extents, np.array([1, 1, 0.3]) * width, rtol=1e-6)
    assert found.face_normals[0] @ [0, 0, 1] > 0.9, "triangles keep their sense"
