"""Whole runs: under hard limits of the machine with one hostile record, and under one kernel after another."""

import csv
import subprocess
from itertools import permutations
from pathlib import Path

import yaml

from benchmarks import hostile_limits
from shapedp.base import writers
from shapedp.surfaces.human_face.demo import scans
from workflow import runs

# Just above what a batch of four scans may take by scans/limits.py (2048 MB, 180 s, 512 MB), and far below it.
LIMITS = ("-v 2200000", "-t 200", "-f 530000", "-v 1000000")
KERNELS = ("Haswell", "Zen", "SkylakeX", "Nehalem")
RELEASED = "results/release/faces/mean_face/statement.json"
SAME = {"identical", "within tolerance"}


def stopped_releases(folder, limits, triangles):
    """Return under how many limits one record stops the others' release, although the run does not say at its start
    that the machine gives too little.

    Parameters
    ----------
    folder : path
        For the runs, a folder each.
    limits : sequence of str
        Options of the shell's ulimit.
    triangles : int
        Of the hostile record's mesh.
    """
    stopped = 0
    for number, limit in enumerate(limits):
        place = Path(folder) / f"under_{number}"
        write_cohort(place / "scans", triangles)
        runs.write_settings(place, settings())
        command = " ".join(map(str, runs.command_of(place, 1)))
        done = subprocess.run(
            ["bash", "-c", f"ulimit {limit} && exec {command}"],
            env=runs.environment() | {"OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        is_released, is_announced = (place / RELEASED).is_file(), "caution: ulimit" in done.stdout + done.stderr
        print(f"ulimit {limit}: {'released' if is_released else 'stopped'}, {'' if is_announced else 'not '}announced")
        stopped += not is_released and not is_announced
    return stopped


def write_cohort(folder, triangles):
    """Write three scans and a dome of so many triangles, with their sheet."""
    folder.mkdir(parents=True)
    for index in range(3):
        writers.write_scan(folder / f"{index}.ply", scans.scan(11, index, "demo"))
    hostile_limits.dome(folder / "3.ply", triangles)
    rows = ["id\tpath", *(f"face_{index}\t{index}.ply" for index in range(4))]
    (folder / "samples.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def settings():
    """Return small settings with one release of faces."""
    changes = runs.TWO_FACES | {"faces.scans": "scans/samples.tsv", "faces.batch_size": 4, "shapes": None}
    return runs.tiny(changes | {"privacy.people": {"faces": 4}})


def demo():
    """Return the shipped settings, whose faces and public people are verified."""
    return yaml.safe_load((runs.ROOT / "config.yaml").read_text(encoding="utf-8"))


def differing_artifacts(folder, kernels, config):
    """Return (verifications, artifacts that differ) of demos that one kernel made and another verifies, one thread and
    two in turn.

    Parameters
    ----------
    folder : path
        For the demos, a folder each.
    kernels : sequence of str
        Names for OPENBLAS_CORETYPE.
    config : mapping
        The demo's settings.
    """
    for kernel in kernels:
        place = Path(folder) / kernel
        place.mkdir()
        runs.write_settings(place, config)
        _verified(place, kernel, 1)
    count = differ = 0
    for number, (made, checked) in enumerate(permutations(kernels, 2)):
        found = _verified(Path(folder) / made, checked, 1 + number % 2)
        wrong = [row["artifact"] for row in found if row["status"] not in SAME]
        print(f"made under {made}, verified under {checked}, {1 + number % 2} threads: {len(found)} artifacts", *wrong)
        count, differ = count + 1, differ + len(wrong)
    return count, differ


def _verified(place, kernel, threads):
    """Return the rows of a verification under a kernel of OpenBLAS."""
    table = place / "results/private/verify.tsv"
    table.unlink(missing_ok=True)
    words = {"OPENBLAS_CORETYPE": kernel, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    command = runs.command_of(place, 2, "verify")
    done = subprocess.run(command, env=runs.environment() | words, capture_output=True, text=True, check=False)
    if not table.is_file():
        raise RuntimeError(f"{kernel}: {done.stderr[-2000:]}")
    with table.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))
