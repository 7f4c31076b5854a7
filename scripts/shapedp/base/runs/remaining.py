"""How long a run still takes: its open jobs laid on the workers that it has, by what jobs like them took."""

import heapq
import re
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

# Seconds of a job on one core of a desk computer, and more for each scan in it. Measured on the demo; they matter only
# until jobs of the rule are through, and only beside each other: the run's own jobs say how fast its machine is.
BEFOREHAND = {
    "prepare_template": (9.0, 0.0),
    "rehearse_chain": (5.0, 0.0),
    "make_demo_scans": (2.0, 0.04),
    "make_demo_outlines": (1.0, 0.0),
    "make_curves": (1.5, 0.6),
    "mesh_faces": (1.5, 0.45),
    "map_disks": (1.0, 0.06),
    "recenter_disks": (1.0, 0.02),
    "sample_surfaces": (1.0, 0.04),
    "register_surfaces": (1.5, 0.4),
    "extract_curves": (1.0, 0.02),
    "measure_quality": (1.0, 0.03),
    "stack_curves": (0.8, 0.002),
    "tabulate_quality": (0.7, 0.0),
    "bound_curves": (1.6, 0.0),
    "learn_variation": (8.0, 0.08),
    "forecast_faces": (7.0, 0.0),
    "compare_releases": (10.0, 0.07),
    "review_faces": (2.5, 0.02),
    "release_faces": (6.0, 0.0),
    "show_release": (5.5, 0.0),
    "read_shapes": (1.0, 0.0),
    "center_shapes": (3.5, 0.0),
    "mean_shape": (1.0, 0.0),
    "forecast_shapes": (3.0, 0.0),
    "compare_shape_releases": (14.0, 0.0),
    "review_shapes": (5.0, 0.0),
    "release_shapes": (3.3, 0.0),
    "draw_shapes": (5.0, 0.0),
}
UNKNOWN = (4.0, 0.0)
# Of a foretold job, beside one that was timed.
WEIGHT_BEFOREHAND = 0.5
# What `runs.logs.report_progress` writes.
DONE_OF_ALL = re.compile(r": (\d+) of (\d+), ")


@dataclass(frozen=True)
class Job:
    """One job of a run.

    rule : its name; label : the rule and what tells its jobs apart; scans : how many stand in it; cohort : whose
    needs : ids of the jobs that must be through before; log : where it says how far it is
    is_empty : whether it does nothing but wait for others
    """

    rule: str
    label: str
    scans: int = 0
    cohort: str | None = None
    needs: frozenset = frozenset()
    log: Path | None = None
    is_empty: bool = False


@dataclass
class Schedule:
    """The jobs of a run, and what is known of their times.

    jobs : {id: Job}; workers : how many run side by side; scans : {cohort: how many it has}
    """

    jobs: dict[int, Job]
    workers: int
    scans: dict[str, int] = field(default_factory=dict)
    started: dict[int, float] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    _times: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))

    def start(self, job: int, now: float | None = None) -> None:
        """Note that a job began."""
        self.started[job] = time.monotonic() if now is None else now
        self.failed.discard(job)

    def finish(self, job: int, now: float | None = None) -> None:
        """Note that a job is through, and what it took, by which the pace of the jobs to come is known."""
        begun = self.started.pop(job, None)
        self.done.add(job)
        if begun is not None and job in self.jobs and not self.jobs[job].is_empty:
            seconds = (time.monotonic() if now is None else now) - begun
            self._times[self.jobs[job].rule].append((seconds, _foretell_seconds(self.jobs[job])))

    def fail(self, job: int) -> None:
        """Note that a job failed; it may be started again."""
        self.started.pop(job, None)
        self.failed.add(job)

    def running(self) -> list[Job]:
        """Return the jobs at work, those that began first first."""
        return [self.jobs[job] for job in sorted(self.started, key=self.started.get) if job in self.jobs]

    def scans_through(self, last_rules: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return {cohort: (scans that are through, scans)} for each cohort that this run has scans of, as the view
        shows it.

        last_rules : the rules at the end of a scan's way, one job of them a batch
        """
        waiting = defaultdict(int)
        for number, job in self.jobs.items():
            if job.rule in last_rules and job.cohort:
                through = (
                    job.scans if number in self.done else _count_scans_logged(job) if number in self.started else 0
                )
                waiting[job.cohort] += job.scans - through
        return {cohort: (self.scans[cohort] - count, self.scans[cohort]) for cohort, count in waiting.items()}

    def seconds_left(self, now: float | None = None) -> float:
        """Return how many seconds the run still takes, as the view and `shapedp status` say it.

        Open jobs are laid on the workers in the order in which they can begin, the one with the longest way to the
        run's end first.
        """
        now = time.monotonic() if now is None else now
        open_jobs = set(self.jobs) - self.done - self._given_up()
        pace = self._pace()
        seconds = {number: self._seconds(self.jobs[number], pace) for number in open_jobs}
        for number, begun in self.started.items():
            if number in seconds:
                seconds[number] = self._seconds_of_running(self.jobs[number], seconds[number], now - begun)
        return _simulate_workers(self.jobs, seconds, set(self.started), self.workers)

    def _given_up(self):
        """Return the jobs that this run does no more, and which take none of its time: those that failed, and all that
        need them.
        """
        given_up, size = set(self.failed), -1
        while size != len(given_up):
            size = len(given_up)
            given_up |= {number for number, job in self.jobs.items() if job.needs & given_up}
        return given_up

    def _pace(self):
        """Return how many times as long as foretold this run's jobs take; those still at work tell nothing yet."""
        timings = [timing for times in self._times.values() for timing in times]
        return sum(seconds for seconds, _ in timings) / sum(seconds for _, seconds in timings) if timings else 1.0

    def _seconds(self, job, pace):
        """Return how many seconds a job will take: by what its rule's jobs took in this run, else as foretold, at this
        run's pace.
        """
        expected = _foretell_seconds(job)
        if not expected:
            return 0.0
        times = self._times.get(job.rule, [])
        weighted_seconds = sum(number for number, _ in times) + WEIGHT_BEFOREHAND * pace * expected
        return expected * weighted_seconds / (sum(number for _, number in times) + WEIGHT_BEFOREHAND * expected)

    @staticmethod
    def _seconds_of_running(job, expected, elapsed):
        """Return what a job at work still takes: by the scans that its log says are done, or else by the time it has
        had.
        """
        scans = _count_scans_logged(job)
        if job.scans and 0 < scans < job.scans:
            return elapsed * (job.scans - scans) / scans
        return max(expected - elapsed, 0.1 * max(expected, elapsed))


def _foretell_seconds(job):
    """Return what a job is expected to take before any of its rule was timed in this run, by the table BEFOREHAND."""
    if job.is_empty:
        return 0.0
    fixed, each = BEFOREHAND.get(job.rule, UNKNOWN)
    return fixed + each * job.scans


def _count_scans_logged(job):
    """Return how many scans of a running job are done, by the last line of its log that says so, to foretell the
    rest.
    """
    try:
        counts = DONE_OF_ALL.findall(job.log.read_text(encoding="utf-8", errors="replace")[-4000:]) if job.log else []
    except OSError:
        return 0
    return int(counts[-1][0]) if counts else 0


def _simulate_workers(jobs, seconds, at_work, workers):
    """Return the seconds until all open jobs are through, by laying them on the run's workers; `at_work` hold one
    already.

    The one with the longest way to the run's end begins first. seconds : {id: how long}
    """
    users = defaultdict(list)
    waits = {}
    for number in seconds:
        needs = [needed for needed in jobs[number].needs if needed in seconds]
        waits[number] = len(needs)
        for needed in needs:
            users[needed].append(number)
    way = _find_longest_ways(seconds, users)
    ready = [(-way[number], number) for number, count in waits.items() if not count and number not in at_work]
    heapq.heapify(ready)
    ends = [(seconds[number], number) for number in at_work if number in seconds]
    heapq.heapify(ends)
    clock = 0.0
    while ready or ends:
        while ready and len(ends) < max(1, workers):
            _, number = heapq.heappop(ready)
            heapq.heappush(ends, (clock + seconds[number], number))
        clock, number = heapq.heappop(ends)
        for user in users[number]:
            waits[user] -= 1
            if not waits[user] and user not in at_work:
                heapq.heappush(ready, (-way[user], user))
    return clock


def _find_longest_ways(seconds, users):
    """Return {id: seconds from a job's start to the end of the longest chain of jobs that wait for it}.

    In `_simulate_workers`, which foretells the run's end, jobs with the longest chain begin first.
    """
    ways = {}
    stack = list(seconds)
    while stack:
        number = stack[-1]
        missing = [user for user in users[number] if user not in ways]
        if missing:
            stack += missing
            continue
        ways[number] = seconds[number] + max((ways[user] for user in users[number]), default=0.0)
        stack.pop()
    return ways


def describe_seconds(seconds: float) -> str:
    """Return how long a run still takes, in words, as exactly as it is known: `20 s`, `2 min 30 s`, `14 min`, `2 h 05
    min`.
    """
    if seconds < 120:
        rounded = max(10, 10 * round(seconds / 10))
        return f"{rounded} s" if rounded < 60 else f"{rounded // 60} min" + f" {rounded % 60} s" * (rounded % 60 > 0)
    if seconds < 600:
        halves = round(seconds / 30)
        return f"{halves // 2} min" + " 30 s" * (halves % 2)
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
