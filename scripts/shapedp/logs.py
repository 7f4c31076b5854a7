"""The log of a job: what happened, how far it is, and the traceback if it failed."""

import logging
import sys
import time
import traceback
from contextlib import contextmanager
from pathlib import Path

from shapedp.errors import ShapedpError

log = logging.getLogger("shapedp")
EVERY = 5.0  # seconds between two lines of progress


@contextmanager
def logged(path):
    """Send the library's messages, warnings and any traceback to `path`; a mendable error ends in one line."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    logging.captureWarnings(True)
    logging.getLogger("py.warnings").addHandler(handler)
    try:
        yield
    except ShapedpError as error:
        log.error("%s\n%s", error, traceback.format_exc())
        sys.exit(f"{type(error).__name__}: {error}")
    except BaseException:
        log.error("%s", traceback.format_exc())
        raise
    finally:
        handler.close()
        log.removeHandler(handler)
        logging.getLogger("py.warnings").removeHandler(handler)


def progress(items, total, what):
    """Yield the items, logging how many are done every few seconds and on standard error at the end of each tenth."""
    started = last = time.monotonic()
    for done, item in enumerate(items, start=1):
        yield item
        now = time.monotonic()
        if now - last >= EVERY or done == total:
            last = now
            log.info("%s: %d of %d, %.1f s", what, done, total, now - started)
            print(f"  {what}: {done} of {total}, {now - started:.0f} s", file=sys.stderr, flush=True)
