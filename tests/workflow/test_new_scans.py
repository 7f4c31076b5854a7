"""A scan in another's place makes its batch again, whatever its date says; the other batches stay."""

import os
import shutil

import pytest

from shapedp.base import artifacts
from shapedp.surfaces.human_face.demo import scans
from workflow import runs

pytestmark = pytest.mark.thorough

MESHES = "results/private/faces/mesh/1.h5", "results/private/faces/mesh/2.h5"
LONG_AGO = 1_500_000_000  # seconds since 1970


@pytest.fixture
def meshed(tmp_path):
    """Two scans, meshed in a batch each: (the folder, the scans' files)."""
    scans.make_scans(tmp_path / "scans", 2, seed=9, bad=0)
    settings = runs.tiny(
        runs.TWO_FACES
        | {"faces.scans": "scans/samples.tsv", "faces.batch_size": 1, "privacy.people": {"faces": 2, "shapes": 40}}
    )
    runs.snakemake(tmp_path, *MESHES, settings=settings)
    return tmp_path, sorted(path for path in (tmp_path / "scans").iterdir() if path.name != "samples.tsv")


def planned(folder):
    """What snakemake says that it would do."""
    told = runs.snakemake(folder, *MESHES, "--dry-run")
    return told.stdout + told.stderr


def test_a_replaced_scan_is_meshed_again_though_it_is_older(meshed):
    folder, (first, second) = meshed
    assert "Nothing to be done" in planned(folder)
    shutil.copy(first, second)
    os.utime(second, (LONG_AGO, LONG_AGO))
    told = planned(folder)
    assert "mesh_faces/faces/2: Mesh the scans" in told
    assert "mesh_faces/faces/1: Mesh the scans" not in told


@pytest.mark.parametrize("kept", [["mesh", "curves"], ["curves"]])
def test_a_scan_that_the_sheet_leaves_out_is_not_read_whatever_is_kept(tmp_path, kept):
    (tmp_path / "scans").mkdir()
    for name in ("a", "b"):
        (tmp_path / f"scans/{name}.xyz").write_text("no numbers\n")
    (tmp_path / "scans/sheet.csv").write_text("path,person,use\na.xyz,a,no\nb.xyz,b,yes\n")
    of_faces = {"faces.scans": "scans/sheet.csv", "faces.keep": kept, "faces.releases": []}
    declared = {"privacy.people": {"faces": 2, "shapes": 40}, "privacy.reviewed": "each_alone"}
    settings = runs.tiny(runs.TWO_FACES | of_faces | declared)
    runs.snakemake(tmp_path, "results/private/faces/curves/1.h5", settings=settings)
    with artifacts.reader(tmp_path / "results/private/faces/curves/1.h5", artifacts.FACE_CURVES) as made:
        assert {one.name: one.code for one in made} == {"a": "left_out", "b": "not_numeric"}
