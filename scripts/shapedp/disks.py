"""Disks that are full, read-only or failing: what happened and what to do in words, and no harm done."""

import errno
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

from shapedp.errors import StorageError

AGAIN = "then start the same command again: what is finished is kept"
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
LOCKED = {errno.EROFS, errno.EACCES, errno.EPERM}
FAILING = {errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.ENOMEM, errno.EMFILE, errno.ENFILE}  # not the file's fault


@contextmanager
def writing(path):
    """Turn what the operating system says when `path` cannot be written into words; other errors pass unchanged."""
    path = Path(path)
    try:
        yield
    except OSError as error:
        if error.errno in FULL or (error.errno in LOCKED and _is_about(error, path.parent)):
            raise refusal(path, error) from error
        raise


def _is_about(error, folder):
    """Whether an error names a place in `folder`, or the folder itself or one above it."""
    if error.filename is None:
        return error.errno == errno.EROFS
    named, folder = Path(os.fsdecode(error.filename)).absolute(), folder.absolute()
    return named == folder or named.parent == folder or named in folder.parents


def refusal(path, error):
    """The StorageError that says why `path` cannot be written."""
    reason = os.strerror(error.errno)
    if error.errno in FULL:
        return StorageError(f"{path}: cannot be written: {reason}{_room(path)}; make room, {AGAIN}")
    return StorageError(
        f"{path}: cannot be written: {reason}; make the folder writable for you or work in another folder "
        f"(snakemake --directory), {AGAIN}"
    )


def _room(path):
    try:
        return f" ({shutil.disk_usage(Path(path).parent).free / 1e6:.0f} MB free on its disk)"
    except OSError:
        return ""


def private_folder(path):
    """Make a folder that only its owner can enter, unless it is there; refuse one that cannot be written."""
    path = Path(path)
    with writing(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not os.access(path, os.W_OK):
        raise refusal(path, OSError(errno.EROFS, ""))


class Sink:
    """A file for the HDF5 library, which crashes natively when a write fails: it sees every write succeed.

    The first failure is kept, what comes after it is thrown away; `check` raises it in words.
    """

    def __init__(self, path, shown):
        self._shown, self._error = shown, None
        with writing(shown):
            self._file = Path(path).open("w+b", buffering=0)  # noqa: SIM115 closed in __exit__
        self.seek, self.tell = self._file.seek, self._file.tell
        self.read, self.readinto = self._file.read, self._file.readinto

    def write(self, data):
        """Write all of `data`, or remember why not."""
        rest = memoryview(data).cast("B")
        total = len(rest)
        while rest and self._error is None:
            try:
                rest = rest[self._file.write(rest) :]
            except OSError as error:
                self._error = error
        return total

    def truncate(self, size=None):
        """Change the file's size, or remember why not."""
        try:
            return self._file.truncate(size)
        except OSError as error:
            self._error = self._error or error
            return size

    def flush(self):
        """Nothing is buffered here."""

    def check(self):
        """Raise StorageError if any write failed."""
        if self._error is not None:
            raise refusal(self._shown, self._error) from self._error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()
