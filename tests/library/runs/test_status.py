"""How far a run is, read from what lies in its results folder."""

import pytest

from shapedp.runs import status
from shapedp.storage.files import partial_path

BATCHES = {"faces": {"1": ["a", "b"], "2": ["c", "d"], "3": ["e"]}, "reference": {"1": ["f"]}}


@pytest.fixture
def results(tmp_path):
    """Meshed throughout; of the faces, batch 1 is mapped to the disk in 6 s and batch 2 is at it."""
    for cohort, members in BATCHES.items():
        for batch in members:
            touch(tmp_path, f"{cohort}/mesh/{batch}.h5")
    touch(tmp_path, "faces/disk_map/1.h5")
    touch(tmp_path, "benchmarks/map_disks/faces/1.tsv").write_text("s\th:m:s\n6.0\t0:00:06\n", encoding="utf-8")
    partial = partial_path(touch(tmp_path, "faces/disk_map/2.h5"))
    (tmp_path / "private/faces/disk_map/2.h5").rename(partial)
    return tmp_path


def touch(results, path):
    made = results / "private" / path
    made.parent.mkdir(parents=True, exist_ok=True)
    made.touch()
    return made


def test_what_has_begun_is_told_and_what_is_through_is_not(results):
    first, *_ = status.lines(BATCHES, results)
    assert first == "faces, batches done: map_disks 1 of 3 (1 running)"


def test_time_left_is_that_of_the_faces_still_waiting(results):
    *_, last = status.lines(BATCHES, results)
    assert (
        last == "left at this pace: 12 s and what was not timed yet"
    )  # 3 s a face; c, d, e and f wait, one job at work


def test_an_artifact_that_was_not_kept_counts_as_made(results):
    (results / "private/faces/mesh/1.h5").unlink()
    first, *_ = status.lines(BATCHES, results)
    assert first == "faces, batches done: map_disks 1 of 3 (1 running)"


def test_a_run_that_is_through_says_nothing(results):
    for cohort, members in BATCHES.items():
        for step in status.STEPS:
            for batch in members:
                touch(results, f"{cohort}/{step}/{batch}.h5")
    partial_path(results / "private/faces/disk_map/2.h5").unlink()
    assert list(status.lines(BATCHES, results)) == []


def test_before_the_first_step_there_is_nothing_to_say(tmp_path):
    assert list(status.lines(BATCHES, tmp_path)) == []
