"""On a terminal a run shows one line a step; Snakemake's own lines go to its file alone."""

import logging
from enum import Enum

import pytest

from shapedp.runs import progress


class Kind(Enum):
    """As Snakemake marks its records."""

    JOB_INFO = "job_info"
    JOB_FINISHED = "job_finished"


@pytest.fixture
def logger(monkeypatch):
    """A logger like Snakemake's, with a screen that keeps what it shows."""
    monkeypatch.setenv(progress.BARS, "")
    made, shown = logging.Logger("like Snakemake's"), []
    screen = logging.StreamHandler()
    screen.name, screen.emit = progress.SCREEN, lambda record: shown.append(record.getMessage())
    made.addHandler(screen)
    made.shown = shown
    return made


def test_each_step_has_a_line_that_counts_its_jobs(logger):
    bars = progress.Bars()
    bars.start(logger, {"mesh_faces": 2, "stack_curves": 1})
    for job in (1, 2):
        logger.info("meshing", extra={"event": Kind.JOB_INFO, "jobid": job, "rule_name": "mesh_faces"})
    logger.info("done", extra={"event": Kind.JOB_FINISHED, "job_id": 1})
    logger.warning("a disk is nearly full")
    bars.stop()
    assert bars.counts() == {"mesh_faces": (1, 2)}
    assert logger.shown == ["a disk is nearly full"]
