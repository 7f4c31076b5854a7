"""One step of the face chain over the faces of a batch: a bad face is rejected in words, the others go on."""

import traceback
from contextlib import ExitStack
from pathlib import Path

from shapedp import artifacts
from shapedp.errors import Rejected, StorageError
from shapedp.runs.logs import log, progress


def attempt(out, name, stage, step):
    """Write what `step()` returns as the record `name`; if it fails, reject the record with the reason."""
    try:
        fields = step()
    except Rejected as error:
        _reject(out, name, stage, error.code, str(error))
    except (MemoryError, StorageError):
        raise  # the machine, not the face, is at fault: the workflow tries again, with more memory
    except Exception as error:
        log.error("%s: %s", name, traceback.format_exc())
        _reject(out, name, stage, "unexpected_error", f"{type(error).__name__}: {error}; please report it with the log")
    else:
        out.write(name, **fields)


def _reject(out, name, stage, code, reason):
    log.warning("%s rejected in %s (%s): %s", name, stage, code, reason)
    out.reject(name, stage, code, " ".join(reason.split()))


def label(stage, output_path):
    """What a job is called in its progress: `register_surfaces faces/3` for .../faces/registered/3.h5."""
    path = Path(output_path)
    return f"{stage} {path.parent.parent.name}/{path.stem}"


def transform(sources, output_path, output_kind, stage, step, settings=None, shared=()):
    """Apply `step(record, ...) -> fields` to each face of a batch; faces rejected before pass through.

    sources : (path, kind) of the artifacts whose records of the face `step` takes, the latest step's first
    shared : artifacts that `step` uses for every face, such as the template
    """
    with ExitStack() as stack:
        latest, *earlier = [stack.enter_context(artifacts.reader(*source)) for source in sources]
        inputs = [*(path for path, _ in sources), *shared]
        out = stack.enter_context(artifacts.writer(output_path, output_kind, settings, inputs))
        for record in progress(latest, len(latest), label(stage, output_path)):
            if record.rejected:
                out.pass_on(record)
            else:
                records = record, *(one.record(record.name) for one in earlier)
                attempt(out, record.name, stage, lambda records=records: step(*records))
