"""A scan that an adversary chose goes through the whole chain: what an outsider sees does not move."""

import shutil

import pytest

from shapedp.audit import outside_view
from shapedp.surfaces.human_face.demo import scans
from workflow import runs

pytestmark = pytest.mark.thorough

MARK = "results/private/shown/faces/mean_face.json"
CHOSEN = {
    "empty": lambda path, _: path.write_bytes(b""),
    "no scan at all": lambda path, _: path.write_bytes(bytes(range(256)) * 50),
    "one point": lambda path, _: path.write_bytes(HEADER % 1 + b"0 0 0\n"),
    "points without numbers": lambda path, _: path.write_bytes(HEADER % 500 + b"nan nan nan\n" * 500),
    "the scan of another": lambda path, other: shutil.copy(other, path),
}
HEADER = b"ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nend_header\n"


def seen(folder, change):
    """What an outsider sees of a release of three people, after `change(their last scan, their first)`."""
    scans.make_scans(folder / "scans", 3, seed=9, bad=0)
    first, *_, last = sorted(path for path in (folder / "scans").iterdir() if path.name != "samples.tsv")
    change(last, first)
    settings = runs.tiny(
        runs.TWO_FACES | {"faces.scans": "scans/samples.tsv", "privacy.people": {"faces": 3, "shapes": 40}}
    )
    done = runs.snakemake(folder, MARK, settings=settings, check=False)
    found = outside_view.view_run(done.returncode, folder / "results/release", folder / "data/ledger")
    numbers = {name: "noised numbers, packed" for name in found["files"] if name.endswith(".h5")}  # of any size
    return found | {"files": found["files"] | numbers}


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory):
    found = seen(tmp_path_factory.mktemp("ordinary"), lambda last, first: None)
    assert found["exit status"] == 0 and len(found["ledger"]) == 3 and found["statements"]
    return found


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", CHOSEN)
def test_a_chosen_scan_moves_nothing(ordinary, tmp_path, name):
    assert outside_view.find_differences(ordinary, seen(tmp_path, CHOSEN[name])) == []
