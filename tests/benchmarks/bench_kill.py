"""Runs killed at random moments and started again; the same workflow on SLURM and here.

The cohort is three scans of the demo model.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks import killed_runs
from cluster import local_slurm
from workflow import runs

POPULATIONS = ("demo",)
SEEDS = "7 of scans"
WHOLE_LIBRARY = True
PROFILE = runs.ROOT / "workflow/profiles/slurm"


@dataclass(frozen=True)
class Size:
    """kills; slurm : whether a cluster is started."""

    kills: int
    slurm: bool


FULL, TINY = Size(30, True), Size(1, False)


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


def run(_, size):
    """Rows of the bench."""
    yield from killed_runs.kill_rows(size.kills)
    if size.slurm:
        yield from slurm_rows()
