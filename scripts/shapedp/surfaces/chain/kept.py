"""Faces that a run has taken through the chain already, read from what it kept; the others are taken through it anew.

A batch counts as kept where its meshes, registered surfaces and curves lie there, made with these settings and this
template, and are no older than the sample sheet, whose marks they were made with. A face of it counts where its mesh is
of the file that the sheet names today.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from shapedp.base import artifacts
from shapedp.base.storage import files
from shapedp.surfaces.chain.step import ChainSettings, FaceRecord, Refusal, Scan, Step, walk

NEEDED = "mesh", "registered", "curves"


def read_or_walk(
    scans: Sequence[Scan],
    steps: Sequence[Step],
    shared: ChainSettings,
    cohort_folder: Path,
    label: str,
    sheets: Sequence[Path] = (),
) -> Iterator[FaceRecord]:
    """Yield each face as far as NEEDED for its registered mesh: first those that a run kept, then the others by `walk`.

    Parameters
    ----------
    scans : sequence of Scan
        All of the cohort's.
    steps : sequence of Step
        Of the chain.
    shared : ChainSettings
        Of the run.
    cohort_folder : Path
        Of the run's artifacts, a folder for each step.
    label : str
        Of the progress of what is taken through the chain.
    sheets : sequence of Path
        What tells the scans: batches that are older than one of these are not taken.
    """
    left = {scan.name: scan for scan in scans}
    wanted = [step for step in steps if step.makes in NEEDED]
    for path in sorted((cohort_folder / wanted[-1].makes).glob("*.h5")):
        paths = [cohort_folder / step.makes / path.name for step in wanted]
        if not all(map(Path.is_file, paths)) or any(_is_newer(sheet, path) for sheet in sheets):
            continue
        with ExitStack() as stack:
            open_kinds = [
                stack.enter_context(artifacts.reader(kept_path, step.kind))
                for step, kept_path in zip(wanted, paths, strict=True)
            ]
            if not all(_is_of_this_run(step, kind, shared) for step, kind in zip(wanted, open_kinds, strict=True)):
                continue
            for name in [record.name for record in open_kinds[-1] if record.name in left]:
                records = {step.makes: kind.record(name) for step, kind in zip(wanted, open_kinds, strict=True)}
                if face := _find_face(left[name], records, path):
                    del left[name]
                    yield face
    if left:
        yield from walk(list(left.values()), steps, shared, label)


def _is_of_this_run(step, source, shared):
    """Return whether a step's artifact was made with these settings and this template, so that it need not be made
    again.
    """
    settings = {key: shared.settings[key] for key in step.settings if key in shared.settings}
    kind, _, digest = artifacts.header(shared.template)
    made_from = source.provenance["inputs"].get(f"{kind} {Path(shared.template).name}")
    return source.provenance["settings"] == settings and (not step.template or made_from == digest)


def _find_face(scan, records, path):
    """Return the FaceRecord of a scan as its run left it, or None where the file is another one today and must be
    mapped anew.
    """
    last = records[NEEDED[-1]]
    if scan.path is None or not Path(scan.path).is_file() or _is_newer(Path(scan.path), path):
        return None
    if last.rejected:
        return FaceRecord(scan, {}, Refusal(last.stage, last.code, last.reason))
    if records["mesh"]["scan"] != files.digest_file(scan.path):
        return None
    return FaceRecord(scan, records, None)


def _is_newer(path, artifact):
    """Return whether a file was changed after an artifact was made, which may then be of something else."""
    return path.stat().st_mtime > artifact.stat().st_mtime
