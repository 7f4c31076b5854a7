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

MOST_KEPT = 1 << 28  # bytes kept in memory after a failure; the writer stops at the record in which it happened


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
    """Make a folder that only its owner can enter, or close one that is there; refuse one that cannot be written."""
    path = Path(path)
    with writing(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_mode & 0o077:
            path.chmod(0o700)
    if not os.access(path, os.W_OK):
        raise refusal(path, OSError(errno.EROFS, ""))


class Sink:
    """A file for the HDF5 library, which crashes natively when a write fails: it sees every write succeed.

    The first failure is kept, and what comes after it stays in memory, so that the library finds what it wrote until
    the writer stops. `check` raises the failure in words; so does leaving the `with` block, whatever else went wrong.
    """

    def __init__(self, path, shown):
        self._shown, self._error, self._kept = shown, None, []
        self._at = self._end = 0
        with writing(shown):
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o666)

    def seek(self, offset, whence=os.SEEK_SET):
        """Move to a place counted from the beginning, from here or from the end."""
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._end}[whence]
        return self._at

    def tell(self):
        """The place where the next byte goes."""
        return self._at

    def write(self, data):
        """Write all of `data`, to the disk or, once that has failed, to memory."""
        data = memoryview(data).cast("B")
        if self._error is None:
            self._attempt(lambda: _write_all(self._file, data, self._at))
        if self._error is not None and sum(len(kept) for _, kept in self._kept) < MOST_KEPT:
            self._kept.append((self._at, bytes(data)))
        self._at += len(data)
        self._end = max(self._end, self._at)
        return len(data)

    def readinto(self, buffer):
        """Read what was written, from the disk and from memory."""
        buffer = memoryview(buffer).cast("B")
        count = max(0, min(len(buffer), self._end - self._at))
        found = bytearray(os.pread(self._file, count, self._at).ljust(count, b"\0"))
        for place, kept in self._kept:
            first, last = max(place, self._at), min(place + len(kept), self._at + count)
            if first < last:
                found[first - self._at : last - self._at] = kept[first - place : last - place]
        buffer[:count] = found
        self._at += count
        return count

    def read(self, size):
        """The next `size` bytes."""
        found = bytearray(size)
        return bytes(found[: self.readinto(found)])

    def truncate(self, size):
        """Change the file's size."""
        if self._error is None:
            self._attempt(lambda: os.ftruncate(self._file, size))
        self._end = size
        return size

    def flush(self):
        """Nothing is buffered here."""

    def check(self):
        """Raise StorageError if any write failed."""
        if self._error is not None:
            raise refusal(self._shown, self._error) from self._error

    def _attempt(self, action):
        try:
            action()
        except OSError as error:
            self._error = error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._file)
        self.check()


def _write_all(file, data, place):
    while data:
        written = os.pwrite(file, data, place)
        data, place = data[written:], place + written
