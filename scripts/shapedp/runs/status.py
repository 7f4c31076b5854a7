"""How far a run is: of each step over the batches what is done, running and left, and how long it may take."""

import csv
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from shapedp.artifacts import FACE_STEPS
from shapedp.runs.logs import duration
from shapedp.storage.files import partial_path

STEPS = {step.folder: step.rule for step in FACE_STEPS}


@dataclass(frozen=True)
class Step:
    """One rule over the batches of one cohort: batches in all, done and running; seconds of work left, if known."""

    rule: str
    batches: int
    done: int
    running: int
    seconds: float | None

    @property
    def words(self):
        """`register_surfaces 3 of 8 (2 running)`."""
        return f"{self.rule} {self.done} of {self.batches}" + (f" ({self.running} running)" if self.running else "")


def lines(batches, results="results"):
    """One line a cohort that is not through, and the time left; batches : {cohort: {batch: its faces}}."""
    found = {cohort: [_step(batches, cohort, step, Path(results) / "private") for step in STEPS] for cohort in batches}
    for cohort, steps in found.items():
        begun = [step.words for step in steps if step.running or 0 < step.done < step.batches]
        if begun:
            yield f"{cohort}, batches done: {', '.join(begun)}"
    steps = [step for of_cohort in found.values() for step in of_cohort]
    running = sum(step.running for step in steps)
    if running:
        seconds = sum(step.seconds or 0.0 for step in steps) / running
        more = "" if all(step.seconds is not None for step in steps) else " and what was not timed yet"
        yield f"left at this pace: {duration(seconds)}{more}"


def _step(batches, cohort, step, private):
    members = batches[cohort]
    paths = {batch: private / cohort / step / f"{batch}.h5" for batch in members}
    later = list(STEPS)[list(STEPS).index(step) :]  # an artifact that is not kept is gone once the next ones are there
    waiting = [
        batch for batch in members if not any((private / cohort / one / f"{batch}.h5").exists() for one in later)
    ]
    each = seconds_a_face(private / "benchmarks" / STEPS[step], batches) if waiting else 0.0
    return Step(
        rule=STEPS[step],
        batches=len(paths),
        done=len(paths) - len(waiting),
        running=sum(partial_path(path).exists() for path in paths.values()),
        seconds=None if each is None else each * sum(len(members[batch]) for batch in waiting),
    )


def seconds_a_face(folder, batches):
    """Mean seconds a face of a rule's finished jobs, from their benchmarks; None before the first."""
    seconds, faces = 0.0, 0
    for cohort, members in batches.items():
        for batch, inside in members.items():
            path = folder / cohort / f"{batch}.tsv"
            if path.exists():
                with path.open(encoding="utf-8", newline="") as stream:
                    seconds += sum(float(row["s"]) for row in csv.DictReader(stream, delimiter="\t"))
                faces += len(inside)
    return seconds / faces if faces else None


def watch(batches, every, results="results"):
    """Print `lines` every so many seconds, in the background, for as long as the process lives."""

    def tell():
        while True:
            time.sleep(every)
            for line in lines(batches, results):
                print(f"  {line}", file=sys.stderr, flush=True)

    threading.Thread(target=tell, daemon=True).start()
