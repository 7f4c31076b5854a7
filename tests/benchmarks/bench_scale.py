"""Whole runs on 100 and 1,000 scans, from raw clouds to the release: time, memory, disk, and what Snakemake adds.

SHAPEDP_SCALE="100 1000 10000" also runs 10,000 faces, which share the scans of 1,000; SHAPEDP_SCALE_FOLDER names a
folder that stays, for a look at the logs. Seconds are processor time, which other work on the machine does not change.
Drawing the scans is not part of a run; the 40 public scans that the bounds come from are, and count as faces.
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import psutil
import yaml

from shapedp.surfaces.chain.steps import RULES
from shapedp.surfaces.human_face.demo import scans
from workflow import runs

POPULATIONS = ("demo",)
SEEDS = "9 of scans"
WHOLE_LIBRARY = True
DISTINCT = 1000  # scans that are drawn; more faces share them
CORES = 2
MB = 1e6
USAGE = re.compile(r"used ([0-9.]+) s of processor time, ([0-9.]+) of them to start, and ([0-9.]+) MB")


@dataclass(frozen=True)
class Size:
    """warm_up : faces of a first run, which compiles the loops; faces : of each run; public : those of the bounds."""

    warm_up: int
    faces: tuple
    public: int


FULL = Size(4, tuple(int(word) for word in os.environ.get("SHAPEDP_SCALE", "100 1000").split()), 40)
TINY = Size(0, (2,), 10)


@dataclass(frozen=True)
class Measured:
    """A finished run: seconds by the clock and of processor time, most memory, and (rule, s, s to start, MB) a job.

    plan : seconds by the clock of a dry run before; cpu : of Snakemake and all its jobs; own : of its process alone
    disk : MB of each step's artifacts, and of all else
    """

    plan: float
    wall: float
    cpu: float
    own: float
    peak: float
    jobs: list
    faces: int
    disk: dict

    def of_jobs(self, column):
        """Sum of a column of the jobs."""
        return sum(job[column] for job in self.jobs)


def run(_, size):
    """Rows of the table: a first run that compiles, then one case a size, then how the cost grows."""
    kept = os.environ.get("SHAPEDP_SCALE_FOLDER")
    with tempfile.TemporaryDirectory() as passing:
        folder = Path(kept or passing).resolve()
        scans.make_scans(folder / "scans", min(DISTINCT, max(size.faces)), seed=9, word="demo")
        if size.warm_up:
            warm = measure(folder, size.warm_up, size.public)
            yield "first_run", "cpu_s", warm.cpu, "s"
            yield "first_run", "faces", warm.faces, "count"
        found = {count: measure(folder, count, size.public) for count in size.faces}
    for count, one in found.items():
        yield from rows_of(f"n{count}", one)
    for (count, one), (larger, other) in itertools.pairwise(found.items()):
        ratio = (other.cpu / other.faces) / (one.cpu / one.faces)
        yield f"n{larger}_to_n{count}", "cpu_per_face_ratio", ratio, "1"


def rows_of(case, one):
    """What a run cost: in all, then by rule."""
    yield from (
        (case, "plan_s", one.plan, "s"),
        (case, "wall_s", one.wall, "s"),
        (case, "cpu_s_per_face", one.cpu / one.faces, "s"),
        (case, "peak_memory_mb", one.peak, "MB"),
        (case, "disk_mb_per_face", sum(one.disk.values()) / one.faces, "MB"),
        (case, "snakemake_overhead_share", one.own / one.cpu, "1"),
        (case, "job_start_and_end_share", 1 - (one.own + one.of_jobs(1) - one.of_jobs(2)) / one.cpu, "1"),
    )
    seconds, memory = defaultdict(float), defaultdict(float)
    for rule, used, _, megabytes in one.jobs:
        seconds[rule] += used / one.faces
        memory[rule] = max(memory[rule], megabytes)
    yield from ((case, f"cpu_s_per_face_{rule}", value, "s") for rule, value in sorted(seconds.items()))
    yield from ((case, f"peak_memory_mb_{rule}", value, "MB") for rule, value in sorted(memory.items()))
    yield from ((case, f"disk_mb_per_face_{step}", value / one.faces, "MB") for step, value in sorted(one.disk.items()))


def measure(folder, size, public):
    """Run the face branch on `size` scans, and on `public` ones for the bounds, in a folder of its own."""
    work = folder / f"n{size}"
    work.mkdir(parents=True)
    runs.write_settings(work, settings(sheet(folder / "scans", size), public))
    plan, *_ = snakemake(work, "--dry-run")
    wall, used, own = snakemake(work)
    private = work / "results" / "private"
    return Measured(
        plan=plan,
        wall=wall,
        cpu=used.ru_utime + used.ru_stime,
        own=own,
        peak=used.ru_maxrss / 1024,
        jobs=list(jobs(private / "logs")),
        faces=size + public,
        disk=disk(private),
    )


def disk(private):
    """MB of each step's folders, all cohorts together, and of `other` files."""
    found = defaultdict(float)
    for path in private.rglob("*"):
        if path.is_file():
            parts = path.relative_to(private).parts
            found[parts[1] if len(parts) > 2 and parts[1] in RULES else "other"] += path.stat().st_size / MB
    return found


def settings(scans_sheet, public):
    """The shipped settings on these scans, with so many public ones; curves alone are kept, as large cohorts do."""
    found = yaml.safe_load((runs.ROOT / "config.yaml").read_text(encoding="utf-8"))
    found["faces"]["keep"] = ["curves"]
    found["faces"]["scans"] = str(scans_sheet)
    found["faces"]["bounds"]["reference_count"] = public
    for release in found["faces"]["releases"]:
        release["worth_it_anyway"] = True  # of the few of a first run, too
    found["privacy"]["people"]["faces"] = len(scans_sheet.read_text(encoding="utf-8").splitlines()) - 1
    found["privacy"]["sources"]["settings"] = "drawn scans, which are nobody's"
    return found


def sheet(folder, size):
    """A sample sheet of `size` faces; beyond the scans that there are, they are used again."""
    header, *rows = (folder / "samples.tsv").read_text(encoding="utf-8").splitlines()
    columns = header.split("\t")
    path_of = columns.index("path")
    paths = [row.split("\t")[path_of] for row in rows]
    path = folder / f"{size}.tsv"
    lines = [f"face_{index:06d}\t{paths[index % len(paths)]}" for index in range(size)]
    path.write_text("\n".join(["id\tpath", *lines]) + "\n", encoding="utf-8")
    return path


def snakemake(work, *options):
    """(seconds by the clock, resources of Snakemake and all its jobs, seconds of Snakemake alone) of a whole run."""
    started = time.monotonic()
    with (work / "output.txt").open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "snakemake",
                "--snakefile",
                str(runs.ROOT / "Snakefile"),
                "--directory",
                str(work),
                "--configfile",
                str(work / "config.yaml"),
                "--cores",
                str(CORES),
                "results/release/faces/mean_face/index.html",
                "results/private/faces/quality.tsv",
                *options,
            ],
            env=runs.environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it is over, and can still be asked
        own = psutil.Process(process.pid).cpu_times()
        _, ended, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(ended)
    if process.returncode:
        raise RuntimeError(f"the run failed:\n{(work / 'output.txt').read_text(encoding='utf-8')[-3000:]}")
    return time.monotonic() - started, used, own.user + own.system


def jobs(folder):
    """(rule, s of processor time, s to start, MB) of each job, from its log in a folder of logs."""
    for path in sorted(folder.rglob("*.log")):
        if used := USAGE.findall(path.read_text(encoding="utf-8")):
            yield path.relative_to(folder).parts[0].removesuffix(".log"), *map(float, used[-1])
