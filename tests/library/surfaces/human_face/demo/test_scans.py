import csv

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial import cKDTree

from shapedp.base.errors import Rejected
from shapedp.people import names, samples
from shapedp.releases.figures import shading
from shapedp.surfaces import scans
from shapedp.surfaces.human_face.demo import faces, people
from shapedp.surfaces.human_face.demo import scans as demo

SEED = 11
SCANS = range(15)  # every kind in every format


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("demo")
    demo.make_scans(made, 6, SEED, bad=3, nose_columns=True)
    return made


def finely(vertices, parts=6):
    """Points of the surface less than half a millimetre apart: a lattice in every triangle."""
    i, j = np.mgrid[0 : parts + 1, 0 : parts + 1]
    inside = i + j <= parts
    a, b = i[inside] / parts, j[inside] / parts
    weights = np.stack([a, b, 1 - a - b], axis=1)
    return np.einsum("pk,tkd->tpd", weights, vertices[faces.triangles()]).reshape(-1, 3)


@pytest.mark.parametrize("index", range(3))
def test_points_lie_on_the_true_surface(index):
    distance, _ = cKDTree(finely(demo.truth(SEED, index).vertices)).query(demo.scan(SEED, index))
    assert distance.max() < 5.5 * demo.NOISE_MM + 0.5  # noise, and the lattice's own spacing
    assert np.median(distance) < 3 * demo.NOISE_MM


@pytest.mark.parametrize("index", SCANS)
def test_pose_is_a_small_rotation(index):
    truth = demo.truth(SEED, index)
    assert_allclose(truth.rotation @ truth.rotation.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(truth.rotation) > 0
    assert np.rad2deg(np.arccos((np.trace(truth.rotation) - 1) / 2)) <= 20
    turned_then_moved = truth.rotation @ faces.face(truth.person.weights)[faces.NOSE_TIP] + truth.translation
    assert_allclose(truth.nose_tip, turned_then_moved, atol=1e-12)


@pytest.mark.slow
def test_a_range_scan_sees_nothing_that_is_hidden():
    for index in [i for i in SCANS if demo.truth(SEED, i).kind == "range"]:
        vertices, points = demo.truth(SEED, index).vertices, demo.scan(SEED, index)
        low, scale = vertices[:, :2].min(axis=0) - 2, 4  # pixels a mm
        column, row = (scale * (vertices[:, :2] - low)).T
        size = int(scale * (np.ptp(vertices[:, :2], axis=0).max() + 4))
        _, depth, _ = shading.cover(column, row, vertices[:, 2], faces.triangles(), size, size)
        j, i = (scale * (points[:, :2] - low)).astype(int).T
        inside = np.isfinite(depth[i, j])
        behind = depth[i, j][inside] - points[inside, 2]
        assert np.quantile(behind, 0.99) < 2.0  # mm: one cell of the grid on a steep flank


def test_what_is_seen_first_by_hand():
    points = np.array([[0.0, 0, 1], [0.4, 0.3, 5], [0.2, 0.9, 2], [1.2, 0.1, -3], [0.3, 1.1, 4], [0.1, 1.9, 7]])
    assert_array_equal(demo.first_seen(points, 1.0), points[[1, 3, 5]])


def test_about_as_many_points_as_a_real_scan_and_some_holes():
    sizes = np.array([len(demo.scan(SEED, i)) for i in range(30)])
    assert sizes.min() > 6300
    assert sizes.max() < 8000
    whole = [sizes[i] for i in range(30) if demo.truth(SEED, i).kind == "surface"]
    assert demo.POINTS in whole
    assert min(whole) < demo.POINTS


def test_a_longer_list_begins_with_the_shorter(folder, tmp_path):
    demo.make_scans(tmp_path, 3, SEED)
    for _, file in names.list_scans(3, 0):
        assert (tmp_path / file).read_bytes() == (folder / file).read_bytes()
    assert not np.array_equal(demo.truth(SEED, 0).person.weights, demo.truth(SEED + 1, 0).person.weights)
    assert not np.array_equal(demo.truth(SEED, 0).person.weights, demo.truth(SEED, 1).person.weights)


def test_files_read_back_and_the_sheet_lists_them(folder):
    found = samples.read_sheet(folder / "samples.tsv")
    assert [one.id for one in found] == [name for name, _ in names.list_scans(6, 3)]
    for index, sample in enumerate(found[:6]):
        assert_array_equal(scans.read(folder / names.list_scans(6, 3)[index][1]).points, demo.scan(SEED, index))
        assert_allclose(sample.nose, demo.truth(SEED, index).nose_tip, atol=1e-3)
        assert sample.path.endswith(names.SUFFIXES[index % 5])
        assert dict(sample.covariates) == people.find_covariates(demo.truth(SEED, index).person.weights)
    assert {cell for sample in found[6:] for _, cell in sample.covariates} == {""}, "of broken scans nothing is known"


def test_without_nose_columns_the_sheet_has_id_path_and_covariates(tmp_path):
    sheet = demo.make_scans(tmp_path, 2, SEED)
    with sheet.open(encoding="utf-8") as file:
        assert next(csv.reader(file, delimiter="\t")) == ["id", "path", "sex", "age"]


def test_bad_files_are_bad(folder):
    empty, two_heads, truncated = (folder / file for _, file in names.list_scans(6, 3)[6:])
    assert empty.stat().st_size == 0
    with pytest.raises(Rejected):
        scans.read(empty)
    with pytest.raises(Rejected):
        scans.read(truncated)
    x = np.sort(scans.read(two_heads).points[:, 0])
    assert np.diff(x).max() > 60  # mm of air between the heads


@pytest.mark.parametrize("camera", ["depth", "around"])
def test_other_cameras_see_head_and_shoulders_of_the_same_person(camera):
    told = demo.truth(SEED, 1, "built_in")
    points = demo.scan(SEED, 1, "built_in", camera)
    assert np.array_equal(points, demo.scan(SEED, 1, "built_in", camera))
    assert np.linalg.norm(points - told.nose_tip, axis=1).min() < 5
    assert np.ptp(points, axis=0).max() > 300
