"""How long a run still takes: against schedules that are laid by hand."""

import pytest

from shapedp.base.runs import remaining
from shapedp.base.runs.remaining import Job, Schedule

UNKNOWN = remaining.UNKNOWN[0]  # seconds of a job of a rule that nothing foretells


def chain_and_side():
    """1 before 2 before 3, and 4 that waits for nothing."""
    needs = {1: (), 2: (1,), 3: (2,), 4: ()}
    return {
        number: Job(f"rule_{number}", f"rule_{number}", needs=frozenset(before)) for number, before in needs.items()
    }


@pytest.mark.parametrize(("workers", "jobs"), [(1, 4), (2, 3), (8, 3)])
def test_the_longest_chain_bounds_what_more_workers_save(workers, jobs):
    assert Schedule(chain_and_side(), workers).seconds_left() == jobs * UNKNOWN


def test_jobs_that_are_through_say_how_fast_the_machine_is():
    run = Schedule(chain_and_side(), 1)
    run.start(1, now=0.0)
    run.finish(1, now=3 * UNKNOWN)
    assert run.seconds_left() == pytest.approx(3 * 3 * UNKNOWN)


def test_a_job_at_work_has_had_some_of_its_time():
    run = Schedule(chain_and_side(), 1)
    run.start(4, now=10.0)
    assert run.seconds_left(now=10.0 + UNKNOWN / 4) == pytest.approx(UNKNOWN * 3.75)


def test_scans_in_the_log_tell_how_far_a_job_is(tmp_path):
    log = tmp_path / "1.log"
    log.write_text("... INFO make_curves faces/1: 2 of 8, 1 s each\n... INFO make_curves faces/1: 4 of 8, 1 s each\n")
    jobs = {1: Job("make_curves", "make_curves/faces/1", 8, "faces", log=log), 2: Job("make_curves", "", 8, "faces")}
    run = Schedule(jobs, 1, {"faces": 20})
    assert run.scans_through(["make_curves"]) == {"faces": (4, 20)}
    run.start(1, now=0.0)
    assert run.scans_through(["make_curves"]) == {"faces": (8, 20)}
    assert remaining.Schedule({1: jobs[1]}, 1, {}, {1: 0.0}).seconds_left(now=30.0) == pytest.approx(30.0)
    run.finish(1, now=60.0)
    assert run.scans_through(["make_curves"]) == {"faces": (12, 20)}
    assert run.seconds_left() == pytest.approx(60.0), "the other batch of the rule takes as long as the first"


def test_what_waits_for_a_failed_job_is_not_waited_for():
    run = Schedule(chain_and_side(), 1)
    run.start(2, now=0.0)
    run.fail(2)
    assert run.seconds_left() == 2 * UNKNOWN, "1 and 4"
    run.start(2, now=0.0)
    assert run.seconds_left(now=0.0) == 4 * UNKNOWN, "it is tried again"


def test_a_target_that_only_gathers_takes_no_time():
    jobs = chain_and_side() | {5: Job("all", "all", needs=frozenset((3, 4)), is_empty=True)}
    assert Schedule(jobs, 1).seconds_left() == 4 * UNKNOWN


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        *((3, "10 s"), (54, "50 s"), (58, "1 min"), (100, "1 min 40 s"), (140, "2 min 30 s"), (130, "2 min")),
        *((720, "12 min"), (7500, "2 h 05 min")),
    ],
)
def test_time_is_said_as_exactly_as_it_is_known(seconds, words):
    assert remaining.describe_seconds(seconds) == words
