"""The shared collections: each reading-related verdict, and scans whose fault is not in the file simply read."""

import csv

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose, assert_array_equal

import tolerances
from shapedp.base.errors import Rejected
from shapedp.surfaces import scans

# What can be known from the file alone; the other verdicts are geometry's.
OF_READING = {
    "empty_file",
    "non_finite",
    "duplicates_removed",
    "truncated",
    "unknown_format",
    "not_numeric",
    "units",
    "unsafe_pickle",
}
NOTICES = {
    "02_nan_inf.npy": "5 of 5980 rows dropped",
    "08_duplicates.npy": "2500 repeated points merged",
    "11_wrong_extension.npy": "its content is ply",
    "15_metres.xyz": "units",
    "18_decimal_comma.csv": "decimal commas",
}


@pytest.fixture(scope="module")
def faces(shared_data):
    return shared_data / "faces"


def test_every_bad_file_gets_its_verdict(faces):
    with (faces / "bad_manifest.csv").open() as file:
        manifest = list(csv.DictReader(file))
    assert len(manifest) == 19
    for row in manifest:
        path = faces / "bad" / row["file"]
        try:
            scan = scans.read(path)
        except Rejected as refusal:
            assert row["expected"] == "reject"
            assert refusal.code == row["reason_code"]
            assert path.name in str(refusal)
        else:
            assert row["expected"] == "accept" or row["also_acceptable"] or row["reason_code"] not in OF_READING
            assert any(NOTICES.get(path.name, "") in notice for notice in (*scan.notices, ""))


def test_variants_of_the_reference_have_its_numbers(faces):
    reference = scans.read(faces / "bad" / "00_reference_ok_mm.ply").points
    assert reference.shape == (6000, 3)
    for name, scale in {"18_decimal_comma.csv": 1, "15_metres.xyz": 1000, "11_wrong_extension.npy": 1}.items():
        points = scans.read(faces / "bad" / name).points * scale
        assert_allclose(points, reference, rtol=0, atol=tolerances.FOUR_DECIMALS, err_msg=name)


@pytest.mark.parametrize("name", ["00_reference_ok_mm.ply", "16_colours_normals.ply", "07_huge_hole.obj"])
def test_another_reader_sees_the_same_points(faces, name):
    points = scans.read(faces / "bad" / name).points
    assert_array_equal(points, trimesh.load(faces / "bad" / name, process=False).vertices)


def test_raw_scans_are_read_and_hold_their_nose(faces):
    with (faces / "raw_truth.csv").open() as file:
        truth = list(csv.DictReader(file))
    paths = sorted((faces / "raw").iterdir())
    assert len(paths) == len(truth) == 8
    for path in paths:
        scan = scans.read(path)
        assert 5000 < len(scan.points) < 9000
        assert scan.notices == ()
        assert np.ptp(scan.points, axis=0).min() > 60
