"""Files that are there whole or not at all, locks between processes, the markers of what was shown, what people give.

Where a disk is full, read-only or failing, the words say what happened and what to do, and no harm is done.
"""

import csv
import errno
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from shapedp.base.errors import StorageError, join_first

AGAIN = "then start the same command again: what is finished is kept"
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
LOCKED = {errno.EROFS, errno.EACCES, errno.EPERM}
# Errors that are not the file's fault.
FAILING = {errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.ENOMEM, errno.EMFILE, errno.ENFILE}

# Bytes kept in memory after a failure; the writer stops at the record in which it happened.
MOST_KEPT = 1 << 28


@contextmanager
def explain_write_errors(path):
    """Turn what the operating system says when `path` cannot be written into words with a remedy; other errors pass
    unchanged.
    """
    path = Path(path)
    try:
        yield
    except OSError as error:
        if error.errno in FULL or (error.errno in LOCKED and _is_about(error, path.parent)):
            raise make_refusal(path, error) from error
        raise


def _is_about(error, folder):
    """Return whether an error of the system is one of writing in `folder`, to blame this folder and not another file.

    It is where the error names the folder, a place in it or one above it.
    """
    if error.filename is None:
        return error.errno == errno.EROFS
    place, folder = Path(os.fsdecode(error.filename)).absolute(), folder.absolute()
    return place == folder or place.parent == folder or place in folder.parents


def make_refusal(path, error):
    """Return the StorageError that tells the operator why `path` cannot be written, and what to do."""
    reason = os.strerror(error.errno)
    if error.errno in FULL:
        room = ""
        with suppress(OSError):
            room = f" ({shutil.disk_usage(Path(path).parent).free / 1e6:.0f} MB free on its disk)"
        return StorageError(f"{path}: cannot be written: {reason}{room}; make room, {AGAIN}")
    elsewhere = "make the folder writable for you or work in another folder (snakemake --directory)"
    return StorageError(f"{path}: cannot be written: {reason}; {elsewhere}, {AGAIN}")


def read_table(path):
    """Return [{column: text}] of a table of tabs that the software wrote; a quotation mark is a sign like any other."""
    with Path(path).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def write_table(path, rows):
    """Write a table of tabs, as `read_table` reads it, whole or not at all.

    Parameters
    ----------
    path : path
        The file.
    rows : iterable of sequences
        Rows of cells, the names of the columns first.
    """
    write_text(path, "".join("\t".join(map(str, row)) + "\n" for row in rows))


def make_private_folder(path):
    """Make a folder that only its owner can enter, for what nobody else may see; refuse one that cannot be written.

    One that is there is closed to others.
    """
    path = Path(path)
    with explain_write_errors(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_mode & 0o077:
            path.chmod(0o700)
    if not os.access(path, os.W_OK):
        raise make_refusal(path, OSError(errno.EROFS, ""))


class Sink:
    """A file for the HDF5 library, which crashes natively when a write fails: it sees every write succeed.

    The first failure is kept, and what comes after it stays in memory, so that the library finds what it wrote until
    the writer stops. `check` raises the failure in words; so does leaving the `with` block, whatever else went wrong.
    """

    def __init__(self, path, shown):
        self._shown, self._error, self._kept = shown, None, []
        self._at = self._end = 0
        with explain_write_errors(shown):
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o666)

    def seek(self, offset, whence=os.SEEK_SET):
        """Move to a place counted from the beginning, from here or from the end."""
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._end}[whence]
        return self._at

    def tell(self):
        """Return where the next byte goes."""
        return self._at

    def write(self, data):
        """Write all of `data`: to the disk or, once that has failed, to memory, since HDF5 would crash on the failure
        itself.
        """
        data, written = memoryview(data).cast("B"), 0
        try:
            while self._error is None and written < len(data):
                written += os.pwrite(self._file, data[written:], self._at + written)
        except OSError as error:
            self._error = error
        if self._error is not None and sum(len(kept_bytes) for _, kept_bytes in self._kept) < MOST_KEPT:
            # HDF5 must find what it wrote, or it crashes natively before the failure is raised.
            self._kept.append((self._at, bytes(data)))
        self._at += len(data)
        self._end = max(self._end, self._at)
        return len(data)

    def readinto(self, buffer):
        """Read back what was written, from the disk, and from memory what the disk did not take; HDF5 asks for it."""
        buffer = memoryview(buffer).cast("B")
        count = max(0, min(len(buffer), self._end - self._at))
        content = bytearray(os.pread(self._file, count, self._at).ljust(count, b"\0"))
        for place, kept_bytes in self._kept:
            first, last = max(place, self._at), min(place + len(kept_bytes), self._at + count)
            if first < last:
                content[first - self._at : last - self._at] = kept_bytes[first - place : last - place]
        buffer[:count] = content
        self._at += count
        return count

    def read(self, size):
        """Return the next so many bytes."""
        content = bytearray(size)
        return bytes(content[: self.readinto(content)])

    def truncate(self, size):
        """Cut the file to `size` bytes, as HDF5 asks of a file; what the disk refuses is raised later."""
        try:
            if self._error is None:
                os.ftruncate(self._file, size)
        except OSError as error:
            self._error = error
        self._end = size
        return size

    def flush(self):
        """Nothing is buffered here."""

    def check(self):
        """Raise StorageError if any write failed."""
        if self._error is not None:
            raise make_refusal(self._shown, self._error) from self._error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._file)
        self.check()


@contextmanager
def atomic(path):
    """Yield a path beside `path` to write to, which becomes it in one step on success, so that no half file is ever
    there.

    It is always the same one, and is removed on failure.
    """
    path = Path(path)
    partial = locate_partial(path)
    with explain_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield partial
            with partial.open("rb") as written:
                # The content must be on the disk before the name is: else a crash leaves an empty file under it.
                os.fsync(written.fileno())
            partial.replace(path)
            sync_folder(path.parent)
        finally:
            # On a read-only disk nothing was written, and the first error is the one to report.
            with suppress(OSError):
                partial.unlink(missing_ok=True)


def locate_partial(path):
    """Return where a file lies while it is being written."""
    path = Path(path)
    return path.with_name(f".{path.name}.partial")


def sync_folder(folder):
    """Bring the names in a folder to the disk, so that they survive a crash of the machine."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_durable_folder(folder):
    """Make a private folder, with its name on the disk before anything in it counts."""
    if not folder.is_dir():
        make_durable_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        sync_folder(folder.parent)


def write_bytes(path, content):
    """Write bytes so that the file is there whole or not at all.

    Parameters
    ----------
    path : path
        The file.
    content : bytes
        All that it will hold.
    """
    with atomic(path) as partial:
        partial.write_bytes(content)


def write_text(path, text):
    """Write text so that the file is there whole or not at all: UTF-8, line feeds as they are.

    Parameters
    ----------
    path : path
        The file.
    text : str
        All that it will hold.
    """
    write_bytes(path, text.encode("utf-8"))


def digest_file(path, skip=0):
    """Return the digest (BLAKE2b-256) of a file's bytes, as hexadecimal digits, by which it is known again.

    Parameters
    ----------
    path : path
        The file.
    skip : int
        Bytes at its beginning that are left out.
    """
    with Path(path).open("rb") as stream:
        stream.seek(skip)
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=32)).hexdigest()


@contextmanager
def hold_lock(path, shared=False):
    """Lock a file for as long as the block runs, so that two processes do not spend from one ledger at a time.

    Parameters
    ----------
    path : path
        The file, which is made where it is not there.
    shared : bool
        Whether to wait only for whoever holds it exclusively.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


TESTED_DISKS: set[int] = set()  # device numbers of disks on which another process was kept out, in this process
# The exit status of a process that could not get a lock.
KEPT_OUT = 3
SECOND = """
import fcntl, os, sys
try:
    fcntl.flock(os.open(sys.argv[1], os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    sys.exit(int(sys.argv[2]))
"""
MOUNTS = Path("/proc/self/mountinfo")
# Options of disks that others share, with which a lock keeps out this machine's processes alone.
LOCAL_LOCKS = {"nolock", "local_lock=all", "local_lock=flock", "localflock"}


def refuse_broken_lock(path):
    """Refuse a disk on which a lock keeps nobody out, so that no ledger on it is spent from twice.

    Another process is let try, once a disk, while this one holds it. A disk of the network whose options say that locks
    hold on this machine alone is refused by these.
    """
    path = Path(path)
    device = path.parent.stat().st_dev
    if device in TESTED_DISKS:
        return
    remedy = (
        "two releases at once could then both spend what is left; keep the ledger (privacy.ledger) on a disk whose "
        "locks hold, such as a local one, or have it mounted without `nolock`"
    )
    if option := _find_local_lock(device):
        raise StorageError(
            f"{path}: its disk is mounted with `{option}`, so that locks hold on this machine alone; {remedy}"
        )
    try:
        with hold_lock(path):
            second = [sys.executable, "-I", "-S", "-c", SECOND, str(path), str(KEPT_OUT)]
            status = subprocess.run(second, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode
    except OSError as error:
        raise StorageError(f"{path}: cannot be locked: {os.strerror(error.errno)}; {remedy}") from error
    if status != KEPT_OUT:
        raise StorageError(f"{path}: another process was not kept out while it was locked; {remedy}")
    TESTED_DISKS.add(device)


def _find_local_lock(device):
    """Return the mount option that keeps a disk's locks to this machine, to refuse a ledger that others could write to.

    None where the disk has no such option. device : its number
    """
    device_name = f"{os.major(device)}:{os.minor(device)}"
    lines = MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines() if MOUNTS.exists() else []
    for words in (line.split() for line in lines):
        if len(words) > SUPER and words[2] == device_name:
            options = {*words[OPTIONS].split(","), *words[-1].split(",")}
            if lock_options := sorted(options & LOCAL_LOCKS):
                return lock_options[0]
    return None


# Fields of a line of mountinfo: options of the mount; those of the disk are the last.
OPTIONS, SUPER = 5, 8


def write_shown_marker(path, folder, names):
    """Write the marker that a release's folder is shown, with the names of its files, so that a lost one is noticed.

    Parameters
    ----------
    path : path
        The marker.
    folder : path
        The folder.
    names : iterable of str
        Its files.
    """
    write_text(path, json.dumps({"folder": str(folder), "files": sorted(names)}, indent=2) + "\n")


def forget_lost_markers(marks_root, shown_root):
    """Remove the markers of release folders that have lost a file, so that Snakemake shows these releases again.

    Parameters
    ----------
    marks_root : path
        The folder of markers <branch>/<name>.json.
    shown_root : path
        The folder of shown folders <branch>/<name>.
    """
    for path in sorted(Path(marks_root).glob("*/*.json")):
        folder = Path(shown_root) / path.parent.name / path.stem
        names = json.loads(path.read_text(encoding="utf-8"))["files"]
        if not all((folder / name).is_file() for name in names):
            path.unlink()


LONGEST_PATH = 4096  # characters of a path
ESCAPE_REMEDY = "copy it into the folder, or name a folder above both"
LOOKED_AT = 4096  # bytes
# Seconds; disks on the network date files by their own clock.
CLOCK_SLACK = 2.0


def find_escaping(paths, folder):
    """Return those of the paths that lead out of a folder, by name or symbolic link, so that no sheet reads what lies
    elsewhere.

    To the folder itself links may lead.

    Parameters
    ----------
    paths : sequence of path
        Files that should lie in the folder.
    folder : path
        The folder.
    """
    root, checked_paths = Path(folder).resolve(), [Path(path) for path in paths]
    # Of a million files, once.
    parents = {parent: parent.resolve() for parent in {path.parent for path in checked_paths}}
    places = (path.resolve() if path.is_symlink() else parents[path.parent] / path.name for path in checked_paths)
    return [path for path, place in zip(paths, places, strict=True) if not place.is_relative_to(root)]


def find_linked_files(paths, others):
    """Return [(path, other)] of files in two lists that are one file, by path or links: a public file must be no
    private one.

    What the files hold does not decide it.

    Parameters
    ----------
    paths, others : iterable of path
        The two lists; what is not there is nobody's.
    """
    places = defaultdict(list)
    for other in sorted(set(map(str, others))):
        if Path(other).is_file():
            places[_read_inode(other)].append(other)
    existing = [path for path in sorted(set(map(str, paths))) if Path(path).is_file()]
    return [(path, other) for path in existing for other in places.get(_read_inode(path), ())]


def _read_inode(path):
    """Return (device, inode) of a file, which say whether two paths lead to one file."""
    status = Path(path).stat()
    return status.st_dev, status.st_ino


def find_same_files(paths, others):
    """Return [(path, other)] of files in two lists that hold the same, as a private scan copied among public ones
    would.

    Parameters
    ----------
    paths, others : iterable of path
        The two lists; empty and missing files are nobody's.
    """
    first_paths, other_paths = set(map(str, paths)), set(map(str, others))
    return [
        (path, other)
        for group in _group_same(first_paths | other_paths)
        for path in group & first_paths
        for other in group & other_paths
    ]


def find_repeats(paths):
    """Return the sets of files in one list that are the same."""
    return [group for group in _group_same(set(map(str, paths))) if len(group) > 1]


def _group_same(paths):
    """Return sets of files that hold the same, to find copies of scans; a file that is like no other may be left
    out.
    """
    inodes = defaultdict(set)
    for path in paths:
        if Path(path).is_file() and (status := Path(path).stat()).st_size:
            inodes[status.st_size, status.st_dev, status.st_ino].add(path)
    groups = [list(inodes)]
    # Sizes first, then the middle, then the whole: few files need be read at all.
    readers = (
        lambda key: key[0],
        lambda key: _read_middle(min(inodes[key]), key[0]),
        lambda key: digest_file(min(inodes[key])),
    )
    for read_part in readers:
        finer_groups = defaultdict(list)
        for group_number, group in enumerate(groups):
            for key in group:
                finer_groups[group_number, read_part(key) if len(group) > 1 else None].append(key)
        groups = list(finer_groups.values())
    return [set().union(*(inodes[key] for key in group)) for group in groups]


def _read_middle(path, size):
    """Return some bytes of the middle of a file: where they differ, files of one size need not be read whole to be told
    apart.
    """
    with Path(path).open("rb") as stream:
        stream.seek(max(0, size // 2 - LOOKED_AT // 2))
        return stream.read(LOOKED_AT)


def refuse_future(paths, now=None):
    """Refuse files whose date lies in the future, before hours of work are thrown away because of them.

    Parameters
    ----------
    paths : iterable of path
        Files; what is not there passes.
    now : float
        Seconds of the epoch; by default the clock's.
    """
    now = time.time() if now is None else now
    future_paths = [path for path in map(Path, paths) if path.exists() and path.stat().st_mtime > now + CLOCK_SLACK]
    if future_paths:
        raise StorageError(
            f"{len(future_paths)} file(s) are dated after now ({datetime.fromtimestamp(now):%Y-%m-%d %H:%M:%S}): "
            f"{join_first([repr(str(path)) for path in future_paths])}. A clock was or is wrong: set it, then "
            "give these files a new date (touch FILE ...) and start the same command again; nothing is lost"
        )
