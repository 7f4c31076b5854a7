"""A step of the chain, and how faces are taken through: one step over a batch, or all steps face by face.

A bad face is rejected in words and the others go on. Both ways write the same bytes.
"""

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shapedp.base import artifacts
from shapedp.base.artifacts import InMemoryRecord, Kind
from shapedp.base.errors import ArtifactError, ConfigError, MachineError, Rejected
from shapedp.base.runs.logs import log, report_progress
from shapedp.base.settings import subjects
from shapedp.surfaces.subjects.words import explain

# Times the coordinates of a scan whose mirror image is what counts.
MIRROR = (-1, 1, 1)

# The code of a record on which the program failed, as no refusal foresees it.
UNEXPECTED = "unexpected_error"


@dataclass(frozen=True)
class Scan:
    """A scan of a sample sheet: its id, its file, its nose tip (3,) and other points, as (name, (3,)), if somebody
    marked them; mirrored : whether its mirror image is what counts.
    """

    name: str
    path: Any = None
    nose: tuple | None = None
    marks: tuple = ()
    mirrored: bool = False

    @property
    def inputs(self) -> dict[str, Any]:
        """Return what the chain's first steps read of a scan, by name: file, nose tip and marks, mirrored where its
        image counts.
        """
        marks, nose = self.marks, self.nose
        if self.mirrored:
            marks = tuple((name, _mirror(point)) for name, point in marks)
            nose = nose and _mirror(nose)
        return {"scan": self.path, "nose": nose, "marks": marks, "mirrored": self.mirrored}


@dataclass(frozen=True)
class ChainSettings:
    """What holds for every face: the settings that steps name, and the template: its artifact's path, or its fields."""

    settings: Mapping[str, Any]
    template: Path | str | Mapping[str, Any] | None = None


def _mirror(point):
    """Return a point (3,) of a scan's mirror image."""
    return tuple(sign * x for sign, x in zip(MIRROR, point, strict=True))


def refuse_other_settings(shared: ChainSettings) -> None:
    """Raise where a run's template is missing, or was made with other settings, so that its faces would not be
    comparable.
    """
    if not Path(shared.template).is_file():
        raise ArtifactError(f"{shared.template}: no such file; run snakemake first")
    with artifacts.reader(shared.template, artifacts.TEMPLATE) as template:
        settings_then = template.provenance["settings"]
    if other := [f"faces.{key}" for key, value in settings_then.items() if shared.settings[key] != value]:
        raise ConfigError(
            f"{shared.template}: made with another {', '.join(other)} than these settings "
            "have; name the settings of the run: --config FILE, or run snakemake again"
        )


@dataclass(frozen=True)
class Step:
    """One step of the chain, of one face at a time.

    makes : the folder of its artifact, of this kind
    reads : what it takes of the face, in the order of its function's arguments: of `Scan.inputs`, or what steps made
    prepared : ChainSettings -> the function from these records to the fields of the artifact's record
    settings : the sections of `faces` that it depends on; template : whether it needs the template
    """

    makes: str
    kind: Kind
    reads: tuple[str, ...]
    prepared: Callable[[ChainSettings], Callable[..., dict]]
    settings: tuple[str, ...] = ()
    template: bool = False

    @property
    def name(self) -> str:
        """Return the name of its rule and its script: that of the function that prepares it."""
        return self.prepared.__name__.lstrip("_")

    @property
    def numbers(self) -> list[str]:
        """Return the fields of the step's artifact that are single numbers or texts about a face's quality."""
        fields = self.kind.fields.items()
        return [name for name, field in fields if field.shape == () and field.unit != "index" and name != "scan"]


@dataclass(frozen=True)
class Refusal:
    """Where in the chain a face was rejected, and why."""

    stage: str
    code: str
    reason: str


@dataclass(frozen=True)
class FaceRecord:
    """A face that went through the chain: its records by the folder of each step; the Refusal of a rejected face."""

    scan: Scan
    records: Mapping[str, InMemoryRecord]
    refusal: Refusal | None


def run_step(name: str, stage: str, function: Callable[..., dict], *records) -> dict | Refusal:
    """Return what a step's function makes of a face's records; if it fails, the Refusal with the reason: the others go
    on.

    Parameters
    ----------
    name : str
        Of the face.
    stage : str
        Of the chain, for the reason.
    function : callable
        From the records to the fields of the step's record.
    *records
        What it takes.
    """
    try:
        return function(*records)
    except Rejected as error:
        return _refuse(name, stage, error.code, str(error))
    except (MemoryError, MachineError):
        # The machine, not the face, is at fault: the workflow tries again, with more memory.
        raise
    except Exception as error:
        # One bad record stops nobody else, whatever it does to the program; the log keeps where it failed.
        log.error("%s: %s", name, traceback.format_exc())
        words = f"{type(error).__name__}: {error}; please report it with the log"
        return _refuse(name, stage, UNEXPECTED, words)


def _refuse(name, stage, code, reason):
    """Return the Refusal of a face, which the log is told of as well."""
    log.warning("%s rejected in %s (%s): %s", name, stage, code, reason)
    return Refusal(stage, code, artifacts.make_printable(" ".join(reason.split())))


def _translate_refusal(outcome, shared):
    """Return what a step made of a face; of a Refusal the reason is put in the words of what the scans show."""
    if not isinstance(outcome, Refusal):
        return outcome
    return replace(outcome, reason=explain(outcome.reason, subjects.from_settings(shared.settings)))


def walk(
    scans: Sequence[Scan], steps: Sequence[Step], shared: ChainSettings, label: str | None = None
) -> Iterator[FaceRecord]:
    """Yield the FaceRecords of scans taken through the steps one face after the other, in this process, ordered by id.

    Parameters
    ----------
    scans : sequence of Scan
    steps : sequence of Step
    shared : ChainSettings
    label : str or None
        What the progress is called; None: none is reported.
    """
    functions = [(step, step.prepared(shared)) for step in steps]
    # In the order in which an artifact gives its records back, so that both ways write the same bytes.
    ordered = sorted(scans, key=lambda scan: scan.name)
    for scan in report_progress(ordered, len(ordered), label) if label else ordered:
        records, refusal = scan.inputs, None
        for step, function in functions:
            outcome = _translate_refusal(
                run_step(scan.name, step.name, function, *(records[name] for name in step.reads)), shared
            )
            if isinstance(outcome, Refusal):
                refusal = outcome
                break
            records[step.makes] = InMemoryRecord(scan.name, step.kind, outcome)
        yield FaceRecord(scan, records, refusal)


def write(
    step: Step, sources: Mapping[str, Path | str], output_path: Path | str, shared: ChainSettings, scans=()
) -> None:
    """Write the artifact of one step over a batch; a face that was rejected before passes through as rejected.

    Parameters
    ----------
    step : Step
    sources : mapping
        {folder: path} of the artifacts that it reads.
    output_path : path
    shared : ChainSettings
    scans : sequence of Scan
        Of the batch, for a step that reads them.
    """
    function, scan_of = step.prepared(shared), {scan.name: scan for scan in scans}
    with ExitStack() as stack:
        read = {}
        for name in (kind for kind in step.reads if kind in sources):
            read[name] = stack.enter_context(artifacts.reader(sources[name], artifacts.KINDS[name]))
        out = stack.enter_context(_open_writer(step, output_path, shared, artifacts.lineage(*sources.values())))
        latest = read[next(iter(read))] if read else sorted(scan_of.values(), key=lambda scan: scan.name)
        for record in report_progress(latest, len(latest), name_job(step.name, output_path)):
            if read and record.rejected:
                out.reject(record.name, record.stage, record.code, record.reason)
                continue
            scan = scan_of.get(record.name, Scan(record.name))
            records = {**scan.inputs, **{name: source.record(record.name) for name, source in read.items()}}
            outcome = run_step(record.name, step.name, function, *(records[name] for name in step.reads))
            write_record(out, record.name, _translate_refusal(outcome, shared))


def write_all(
    paths: Mapping[str, Path | str], scans: Sequence[Scan], steps: Sequence[Step], shared: ChainSettings, label: str
) -> Iterator[FaceRecord]:
    """Take a batch through the steps and write the artifacts, bit for bit as step by step; yield each FaceRecord.

    Parameters
    ----------
    paths : mapping
        {folder: path} of the artifacts that are kept.
    scans : sequence of Scan
    steps : sequence of Step
    shared : ChainSettings
    label : str
        What the progress is called.
    """
    with ExitStack() as stack:
        outs = {}
        for step in (step for step in steps if step.makes in paths):
            made_of = _list_kinds_before(step, steps, shared)
            outs[step.makes] = stack.enter_context(_open_writer(step, paths[step.makes], shared, made_of))
        for face in walk(scans, steps, shared, label):
            for makes, out in outs.items():
                write_record(out, face.scan.name, face.records.get(makes) or face.refusal)
            yield face


def _list_kinds_before(step, steps, shared):
    """Return the kinds of the artifacts that a step's was made of, directly or through others, for its stated lineage.

    `write_all` names them, since it need not keep these artifacts, so that both ways write the same bytes.
    """
    by_folder = {step_before.makes: step_before for step_before in steps}
    kinds = set()
    for name in step.reads:
        if name in by_folder:
            earlier = by_folder[name]
            kinds |= {earlier.kind.name, *_list_kinds_before(earlier, steps, shared)}
            kinds |= set(artifacts.lineage(shared.template)) if earlier.template else set()
    return sorted(kinds)


def _open_writer(step, path, shared, kinds_before):
    """Return the writer of a step's artifact, with the settings and the template that it depends on."""
    settings = {key: shared.settings[key] for key in step.settings if key in shared.settings} or None
    return artifacts.writer(path, step.kind, settings, [shared.template] if step.template else [], kinds_before)


def write_record(out, name: str, outcome) -> None:
    """Write what a step made of one face into the step's artifact: the fields, or the Refusal in their place."""
    if isinstance(outcome, Refusal):
        out.reject(name, outcome.stage, outcome.code, outcome.reason)
    else:
        out.write(name, **(outcome.fields if isinstance(outcome, InMemoryRecord) else outcome))


def name_job(stage: str, output_path: Path | str) -> str:
    """Return what a job is called in its progress: `register_surfaces faces/3` for .../faces/registered/3.h5.

    Parameters
    ----------
    stage : str
        Of the chain.
    output_path : path
        Of the artifact.
    """
    path = Path(output_path)
    return f"{stage} {path.parent.parent.name}/{path.stem}"
