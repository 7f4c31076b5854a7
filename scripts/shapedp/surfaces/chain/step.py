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

MIRROR = (-1, 1, 1)  # times the coordinates of a scan whose mirror image is what counts

UNEXPECTED = "unexpected_error"  # code of a record on which the program failed


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
        """Return what steps read of it, by name."""
        marks, nose = self.marks, self.nose
        if self.mirrored:
            marks = tuple((name, _mirrored(point)) for name, point in marks)
            nose = nose and _mirrored(nose)
        return {"scan": self.path, "nose": nose, "marks": marks, "mirrored": self.mirrored}


@dataclass(frozen=True)
class Given:
    """What holds for every face: the settings that steps name, and the template: its artifact's path, or its fields."""

    settings: Mapping[str, Any]
    template: Path | str | Mapping[str, Any] | None = None


def _mirrored(point):
    return tuple(sign * x for sign, x in zip(MIRROR, point, strict=True))


def refuse_other_settings(shared: Given) -> None:
    """A template that is not there, or was made with other settings: every face would be another one."""
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
    prepared : Given -> the function from these records to the fields of the artifact's record
    settings : the sections of `faces` that it depends on; template : whether it needs the template
    """

    makes: str
    kind: Kind
    reads: tuple[str, ...]
    prepared: Callable[[Given], Callable[..., dict]]
    settings: tuple[str, ...] = ()
    template: bool = False

    @property
    def name(self) -> str:
        """Of its rule and its script: that of the function that prepares it."""
        return self.prepared.__name__.lstrip("_")

    @property
    def numbers(self) -> list[str]:
        """The fields of the step's artifact that are single numbers or texts about a face's quality."""
        fields = self.kind.fields.items()
        return [name for name, field in fields if field.shape == () and field.unit != "index" and name != "scan"]


@dataclass(frozen=True)
class Refusal:
    """Where in the chain a face was rejected, and why."""

    stage: str
    code: str
    reason: str


@dataclass(frozen=True)
class Walked:
    """A face that went through the chain: its records by the folder of each step; the Refusal of a rejected face."""

    scan: Scan
    records: Mapping[str, InMemoryRecord]
    refusal: Refusal | None


def tried(name: str, stage: str, function: Callable[..., dict], *records) -> dict | Refusal:
    """What the function returns of a face's records; if it fails, the Refusal with the reason."""
    try:
        return function(*records)
    except Rejected as error:
        return _refused(name, stage, error.code, str(error))
    except (MemoryError, MachineError):
        raise  # the machine, not the face, is at fault: the workflow tries again, with more memory
    except Exception as error:
        log.error("%s: %s", name, traceback.format_exc())
        words = f"{type(error).__name__}: {error}; please report it with the log"
        return _refused(name, stage, UNEXPECTED, words)


def _refused(name, stage, code, reason):
    log.warning("%s rejected in %s (%s): %s", name, stage, code, reason)
    return Refusal(stage, code, artifacts.make_printable(" ".join(reason.split())))


def _in_words(outcome, shared):
    """What a step made; the reason of a Refusal in the words of what the scans show."""
    if not isinstance(outcome, Refusal):
        return outcome
    return replace(outcome, reason=explain(outcome.reason, subjects.from_settings(shared.settings)))


def walk(scans: Sequence[Scan], steps: Sequence[Step], shared: Given, label: str | None = None) -> Iterator[Walked]:
    """Take faces through the steps in this process, in the order of their ids; label : of its progress, or None."""
    functions = [(step, step.prepared(shared)) for step in steps]
    ordered = sorted(scans, key=lambda scan: scan.name)  # as an artifact gives its records back
    for scan in report_progress(ordered, len(ordered), label) if label else ordered:
        records, refusal = scan.inputs, None
        for step, function in functions:
            outcome = _in_words(tried(scan.name, step.name, function, *(records[name] for name in step.reads)), shared)
            if isinstance(outcome, Refusal):
                refusal = outcome
                break
            records[step.makes] = InMemoryRecord(scan.name, step.kind, outcome)
        yield Walked(scan, records, refusal)


def write(step: Step, sources: Mapping[str, Path | str], output_path: Path | str, shared: Given, scans=()) -> None:
    """Apply a step to a batch; who was rejected before passes through. sources : {folder: path} of what it reads."""
    function, scan_of = step.prepared(shared), {scan.name: scan for scan in scans}
    with ExitStack() as stack:
        read = {}
        for name in (kind for kind in step.reads if kind in sources):
            read[name] = stack.enter_context(artifacts.reader(sources[name], artifacts.KINDS[name]))
        out = stack.enter_context(_writer(step, output_path, shared, artifacts.lineage(*sources.values())))
        latest = read[next(iter(read))] if read else sorted(scan_of.values(), key=lambda scan: scan.name)
        for record in report_progress(latest, len(latest), label(step.name, output_path)):
            if read and record.rejected:
                out.reject(record.name, record.stage, record.code, record.reason)
                continue
            scan = scan_of.get(record.name, Scan(record.name))
            records = {**scan.inputs, **{name: source.record(record.name) for name, source in read.items()}}
            outcome = tried(record.name, step.name, function, *(records[name] for name in step.reads))
            enter(out, record.name, _in_words(outcome, shared))


def write_all(
    paths: Mapping[str, Path | str], scans: Sequence[Scan], steps: Sequence[Step], shared: Given, label: str
) -> Iterator[Walked]:
    """Take a batch through the steps and write the artifacts at paths, {folder: path}, bit for bit as step by step."""
    with ExitStack() as stack:
        outs = {}
        for step in (step for step in steps if step.makes in paths):
            made_of = _before(step, steps, shared)
            outs[step.makes] = stack.enter_context(_writer(step, paths[step.makes], shared, made_of))
        for face in walk(scans, steps, shared, label):
            for makes, out in outs.items():
                enter(out, face.scan.name, face.records.get(makes) or face.refusal)
            yield face


def _before(step, steps, shared):
    """The kinds of the artifacts that a step's was made of, directly or through others."""
    by_folder = {step_before.makes: step_before for step_before in steps}
    kinds = set()
    for name in step.reads:
        if name in by_folder:
            earlier = by_folder[name]
            kinds |= {earlier.kind.name, *_before(earlier, steps, shared)}
            kinds |= set(artifacts.lineage(shared.template)) if earlier.template else set()
    return sorted(kinds)


def _writer(step, path, shared, kinds_before):
    settings = {key: shared.settings[key] for key in step.settings if key in shared.settings} or None
    return artifacts.writer(path, step.kind, settings, [shared.template] if step.template else [], kinds_before)


def enter(out, name: str, outcome) -> None:
    """Write the record `name`: its fields, or the Refusal."""
    if isinstance(outcome, Refusal):
        out.reject(name, outcome.stage, outcome.code, outcome.reason)
    else:
        out.write(name, **(outcome.fields if isinstance(outcome, InMemoryRecord) else outcome))


def label(stage: str, output_path: Path | str) -> str:
    """What a job is called in its progress: `register_surfaces faces/3` for .../faces/registered/3.h5."""
    path = Path(output_path)
    return f"{stage} {path.parent.parent.name}/{path.stem}"
