"""Files that are there whole or not at all."""

import hashlib
import os
from contextlib import contextmanager, suppress
from pathlib import Path

from shapedp.storage import faults

BLOCK = 1 << 20


@contextmanager
def atomic(path):
    """Yield a temporary path beside `path`; on success it becomes `path` in one step, on failure it is removed.

    The temporary name is fixed, so that what a killed job left behind is overwritten by the next try.
    """
    path = Path(path)
    partial = partial_path(path)
    with faults.writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield partial
            with partial.open("rb") as written:
                os.fsync(written.fileno())
            partial.replace(path)
            sync_folder(path.parent)
        finally:
            _remove(partial)


def _remove(partial):
    """Remove a file if it can be removed: on a read-only disk nothing was written, and the first error is the one."""
    with suppress(OSError):
        partial.unlink(missing_ok=True)


def partial_path(path):
    """Where a file lies while it is being written."""
    path = Path(path)
    return path.with_name(f".{path.name}.partial")


def sync_folder(folder):
    """Make the names in a folder survive a crash of the machine."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def durable_folder(folder):
    """Make a private folder, with its name on the disk before anything in it counts."""
    if not folder.is_dir():
        durable_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        sync_folder(folder.parent)


def write_text(path, text):
    """Write text atomically, UTF-8, line feeds as they are."""
    with atomic(path) as partial:
        partial.write_bytes(text.encode("utf-8"))


def digest(path, skip=0):
    """BLAKE2b-256 of a file's bytes from `skip` on, as hexadecimal digits."""
    state = hashlib.blake2b(digest_size=32)
    with Path(path).open("rb") as stream:
        stream.seek(skip)
        while block := stream.read(BLOCK):
            state.update(block)
    return state.hexdigest()
