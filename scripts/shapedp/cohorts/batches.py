"""One step of the face chain over the faces of a batch: a bad face is rejected in words, the others go on."""

import traceback
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from shapedp import artifacts
from shapedp.errors import Rejected, StorageError
from shapedp.runs.logs import log, progress


@dataclass(frozen=True)
class Refusal:
    """Where in the chain a face was rejected, and why."""

    stage: str
    code: str
    reason: str


def attempt(out, name, stage, step):
    """Write what `step()` returns as the record `name`; if it fails, reject the record with the reason."""
    enter(out, name, tried(name, stage, step))


def enter(out, name, found):
    """Write the record `name`: its fields, or the Refusal."""
    if isinstance(found, Refusal):
        out.reject(name, found.stage, found.code, found.reason)
    else:
        out.write(name, **found)


def tried(name, stage, step):
    """What `step()` returns for the face `name`; if it fails, the Refusal with the reason."""
    try:
        return step()
    except Rejected as error:
        return _refused(name, stage, error.code, str(error))
    except (MemoryError, StorageError):
        raise  # the machine, not the face, is at fault: the workflow tries again, with more memory
    except Exception as error:
        log.error("%s: %s", name, traceback.format_exc())
        words = f"{type(error).__name__}: {error}; please report it with the log"
        return _refused(name, stage, "unexpected_error", words)


def _refused(name, stage, code, reason):
    log.warning("%s rejected in %s (%s): %s", name, stage, code, reason)
    return Refusal(stage, code, artifacts.printable(" ".join(reason.split())))


def label(stage, output_path):
    """What a job is called in its progress: `register_surfaces faces/3` for .../faces/registered/3.h5."""
    path = Path(output_path)
    return f"{stage} {path.parent.parent.name}/{path.stem}"


def transform(sources, output_path, output_kind, stage, step, settings=None, shared=()):
    """Apply `step(record, ...) -> fields` to each face of a batch; faces rejected before pass through.

    sources : (path, kind) of the artifacts whose records of the face `step` takes, the latest step's first
    shared : artifacts that `step` uses for every face, such as the template; the digests of these are recorded, and the
        kinds alone of the sources, which need not stay
    """
    with ExitStack() as stack:
        latest, *earlier = [stack.enter_context(artifacts.reader(*source)) for source in sources]
        made_of = artifacts.lineage(*(path for path, _ in sources))
        out = stack.enter_context(artifacts.writer(output_path, output_kind, settings, shared, made_of))
        for record in progress(latest, len(latest), label(stage, output_path)):
            if record.rejected:
                out.pass_on(record)
            else:
                records = record, *(one.record(record.name) for one in earlier)
                attempt(out, record.name, stage, lambda records=records: step(*records))
