"""A rehearsal of the chain on the public template, before anybody's scan counts.

A record that fails in an unexpected way is rejected with the reason, since a bad record stops nobody else. A program
that fails so on every record would then release the mean of nobody and call it private. The template is public, so what
it meets in the chain may stop a run.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts, writers
from shapedp.base.errors import MachineError, ProgramError, Rejected
from shapedp.base.runs.logs import log
from shapedp.base.storage import files
from shapedp.surfaces.chain import step
from shapedp.surfaces.chain.step import ChainSettings, Refusal, Scan, Step

NAME = "the public template"
# Rings and angles of the template's grid that are kept: enough of a face for every step, and quick.
MOST = 64
NOBODYS = "no scan is to blame: please report it with the log. Nothing was spent"


def rehearse_chain(
    template_path: Path | str, steps: Sequence[Step], settings: Mapping[str, Any], output_path: Path | str
) -> None:
    """Take the public template through steps as if it were a scan, so that a fault of the program stops a run before
    records.

    Raises ProgramError where the program fails; a template that a gate rejects stops nobody.

    Parameters
    ----------
    template_path : path
        The template's artifact.
    steps : sequence of Step
        The chain's first steps, or all.
    settings : mapping
        The sections of `faces` that these steps depend on.
    output_path : path
        A text file that says how far the template came.
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        points, triangles = as_mesh(source["f"] * source["scale"])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "template.ply"
        writers.write_scan(path, points, triangles)
        (walked,) = step.walk([Scan(NAME, path)], steps, ChainSettings(settings, template_path))
    _refuse_fault(walked.refusal)
    words = (
        f"rejected in {walked.refusal.stage}: {walked.refusal.reason}"
        if walked.refusal
        else f"to its {steps[-1].makes}"
    )
    files.write_text(Path(output_path), f"{NAME} was taken through the chain: {words}\n")


def _refuse_fault(refusal: Refusal | None) -> None:
    """Raise ProgramError where the template failed in a way that no refusal foresees: the program is at fault, and the
    run stops.
    """
    # A template that a gate rejects says nothing of the program, and stops nobody.
    if refusal and refusal.code == step.UNEXPECTED:
        raise ProgramError(f"{refusal.stage} fails on {NAME}: {refusal.reason.split(';')[0]}; {NOBODYS}")


def rehearse(function: Callable[[Any], Any], scan: Any) -> None:
    """Take the public template, as a scan, through a function that takes scans to curves, to find a fault of the
    program first.

    Raises ProgramError where the program fails.

    Parameters
    ----------
    function : callable
        What every scan is taken through.
    scan : Scan
        The public template.
    """
    try:
        function(scan)
    except Rejected as error:
        log.info("%s is rejected: %s", NAME, error)
    except (MemoryError, MachineError):
        raise
    except Exception as error:
        raise ProgramError(f"the chain fails on {NAME}: {type(error).__name__}: {error}; {NOBODYS}") from error


def as_mesh(f: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return (points, triangles) of a template (R, T, 3) on the polar grid, thinned out, to be rehearsed with as if a
    scan.
    """
    rings, angles = (
        np.unique(np.linspace(0, count - 1, min(count, MOST)).round().astype(int)) for count in f.shape[:2]
    )
    f = f[np.ix_(rings, angles)]
    count, around = f.shape[:2]
    index = 1 + np.arange(count * around).reshape(count, around)
    after = np.roll(index, -1, axis=1)
    fan = np.stack([np.zeros(around, dtype=int), index[0], after[0]], axis=-1)
    lower = np.stack([index[:-1], index[1:], after[1:]], axis=-1).reshape(-1, 3)
    upper = np.stack([index[:-1], after[1:], after[:-1]], axis=-1).reshape(-1, 3)
    points = np.concatenate([f[:1].mean(axis=1), f.reshape(-1, 3)])
    return points, np.concatenate([fan, lower, upper])
