"""Kill the run without warning and start it again: the same bytes in the end, nothing half-written, nothing lost."""

import random
import shutil
import time

import pytest

from shapedp.base import artifacts
from workflow import runs

pytestmark = pytest.mark.thorough

TARGETS = ("results/private/faces/curves.h5", "results/private/faces/quality.tsv")
SMALL = {
    "faces.demo": {"count": 3, "bad": 1, "seed": 7},
    "faces.batch_size": 2,
    "faces.bounds.source": "public",
    "faces.bounds.tau": [0.05, 0.05, 0.05],
}
MOMENTS = random.Random(20261121).sample(range(4, 24), 3)  # seconds after the start


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("undisturbed")
    runs.snakemake(folder, *TARGETS, settings=runs.tiny(SMALL))
    return folder


@pytest.fixture(scope="module")
def undisturbed(finished):
    """What it made."""
    return runs.artifacts_of(finished)


@pytest.mark.parametrize(
    "moments", [[min(MOMENTS)], pytest.param(MOMENTS, marks=pytest.mark.long)], ids=["once", "often"]
)
def test_killed_and_restarted_the_run_ends_in_the_same_bytes(undisturbed, tmp_path, moments):
    runs.write_settings(tmp_path, runs.tiny(SMALL))
    for moment in moments:
        running = runs.start(tmp_path, *TARGETS)
        time.sleep(moment)
        runs.kill(running)
        whole = [path for path in tmp_path.rglob("results/private/**/*.h5") if not path.name.startswith(".")]
        assert all(artifacts.header(path) for path in whole), "what is visible under its name is complete"
        runs.snakemake(tmp_path, "--unlock")
    runs.snakemake(tmp_path, *TARGETS)
    assert runs.artifacts_of(tmp_path) == undisturbed
    assert list((tmp_path / "results").rglob(".*.partial")) == []


def test_a_lock_left_behind_is_explained(tmp_path):
    runs.write_settings(tmp_path, runs.tiny(SMALL))
    running = runs.start(tmp_path, *TARGETS)
    runs.wait_for_lock(tmp_path, running)
    runs.kill(running)
    refused = runs.snakemake(tmp_path, *TARGETS, check=False)
    assert refused.returncode != 0
    assert "--unlock" in refused.stderr + refused.stdout


def test_a_damaged_artifact_is_named_with_the_remedy(finished, undisturbed, tmp_path):
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    damaged = tmp_path / "results/private/faces/disk/1.h5"
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    lost = "results/private/faces/surface/1.h5"
    (tmp_path / lost).unlink()
    refused = runs.snakemake(tmp_path, lost, check=False)
    assert refused.returncode != 0
    words = refused.stderr + refused.stdout
    assert "disk/1.h5: truncated or damaged" in words
    assert "delete it and run snakemake again" in words
    damaged.unlink()
    runs.snakemake(tmp_path, lost, *TARGETS)
    assert runs.artifacts_of(tmp_path) == undisturbed
