"""The same command on a real SLURM cluster of one machine gives the same bytes as a local run."""

import re

import pytest
import yaml

from cluster import local_slurm
from workflow import runs

pytestmark = pytest.mark.skipif(bool(local_slurm.missing()), reason=local_slurm.missing())

TARGETS = ("results/private/faces/curves.h5", "results/private/faces/quality.tsv")
SMALL = {
    "faces.demo": {"count": 3, "bad": 1, "seed": 7},
    "faces.batch_size": 2,
    "faces.bounds.source": "public",
    "faces.bounds.tau": [0.05, 0.05, 0.05],
}
PROFILE = runs.ROOT / "workflow/profiles/slurm/config.yaml"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with local_slurm.cluster(tmp_path_factory.mktemp("slurm")) as running:
        yield running


def test_a_run_on_slurm_gives_the_bytes_of_a_local_run(cluster, tmp_path):
    local, remote = tmp_path / "local", tmp_path / "remote"
    for folder in (local, remote):
        folder.mkdir()
    runs.snakemake(local, *TARGETS, settings=runs.tiny(SMALL))
    done = runs.snakemake(
        remote,
        "--workflow-profile",
        str(PROFILE.parent),
        *TARGETS,
        "--printshellcmds",
        settings=runs.tiny(SMALL),
        cores=None,
    )
    assert re.search(r"submitted.*SLURM jobid", done.stderr), "no job went through the cluster"
    assert runs.artifacts_of(remote) == runs.artifacts_of(local)
    for target in TARGETS:
        assert (remote / target).read_bytes() == (local / target).read_bytes()


def test_each_line_of_the_profile_is_explained():
    lines = PROFILE.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "#" not in line and line.strip() != "default-resources:"] == []
    assert yaml.safe_load(PROFILE.read_text(encoding="utf-8"))["executor"] == "slurm"
