"""Thirty runs killed at random moments and started again; the same workflow on SLURM and here (issue 9)."""

import tempfile
from pathlib import Path

import killed_runs

from cluster import local_slurm
from workflow import runs

PROFILE = runs.ROOT / "workflow/profiles/slurm"


def slurm_rows():
    """How many artifacts are the same bytes from a local run and from a real SLURM cluster; none if it cannot start."""
    if reason := local_slurm.missing():
        print(f"slurm: not measured here: {reason}")
        return []
    with tempfile.TemporaryDirectory() as scratch, local_slurm.cluster(Path(scratch) / "slurm"):
        local, remote = Path(scratch) / "local", Path(scratch) / "remote"
        targets = killed_runs.TARGETS[:2]
        for folder in (local, remote):
            folder.mkdir()
            runs.write_settings(folder, runs.tiny(killed_runs.SMALL))
        runs.snakemake(local, *targets)
        runs.snakemake(remote, "--workflow-profile", str(PROFILE), *targets, cores=None)
        here, there = runs.artifacts_of(local), runs.artifacts_of(remote)
    same = sum(here.get(name) == content for name, content in there.items())
    return [
        ("slurm", "artifacts_identical", same, "artifacts"),
        ("slurm", "artifacts", len(here.keys() | there.keys()), "artifacts"),
    ]


def run():
    """Rows of the bench."""
    return [*killed_runs.kill_rows(), *slurm_rows()]
