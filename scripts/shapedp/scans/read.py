"""One file of any of the formats, from a stranger."""

import stat
from pathlib import Path

import numpy as np

from shapedp.errors import Rejected, StorageError
from shapedp.scans import clean, sniff
from shapedp.scans.limits import MAX_BYTES
from shapedp.storage import faults


def read(path):
    """The Scan in a file of one of the formats of `sniff.SUFFIXES`, packed by gzip or not.

    The content decides what it is; nothing in it is executed and no other file is opened.
    Raises errors.Rejected, whose message names the file, what was found and what to do.
    """
    path = Path(path)
    try:
        return parse(contents(path), _suffix(path))
    except Rejected as error:
        name = "".join(letter if letter.isprintable() else "?" for letter in path.name)
        raise Rejected(error.code, f"{name}: {error}") from None


def _suffix(path):
    """The extension in small letters, of what is packed if the file is."""
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def parse(data, suffix):
    """The Scan in a file's bytes; `suffix` is the extension it came with, ".ply"."""
    if not data:
        raise Rejected("empty_file", "an empty file: export or copy it again")
    kind, data = sniff.kind(data, suffix)
    expected = sniff.SUFFIXES.get(suffix)
    renamed = (f"its content is {kind}, although its name ends in {suffix!r}",) if kind != expected else ()
    with np.errstate(over="ignore", invalid="ignore"):  # numbers too large or none are counted by clean.scan
        points, triangles, notices = sniff.PARSERS[kind](data)
    del data  # a large file's bytes are not wanted beside its points
    return clean.scan(points, triangles, renamed + notices)


def contents(path, limit=MAX_BYTES):
    """The bytes of a regular file of bounded size; a failing machine is not the file's fault and passes through."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise Rejected("missing_file", "not a file but a folder or device: give the path of a scan")
        if status.st_size > limit:
            raise Rejected("too_large", f"{status.st_size} bytes, more than {limit}: thin it out or split it")
        with path.open("rb") as file:
            return file.read(status.st_size)  # Python reserves what is asked for
    except FileNotFoundError:
        raise Rejected("missing_file", "there is no such file: check the path in the sample sheet") from None
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) in faults.FAILING:
            raise StorageError(f"{path}: cannot be read: {error}; {faults.AGAIN}") from error
        raise Rejected(
            "unreadable_file", f"cannot be opened ({error.__class__.__name__}): check its permissions"
        ) from None
