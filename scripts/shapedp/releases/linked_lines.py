"""Lines that cannot be changed or cut off unnoticed: each carries the digest of the line before it.

A line is canonical JSON with `entry` (0, 1, ...), `previous`, `random` (128 secret bits) and `digest` (BLAKE2b-256 of
the line without it). Because of the random bits a published digest tells nothing of its line: nobody can test a guess.
A second file, the head, holds the number of lines and the last digest, so that a shortened file is noticed too. A line
that lacks its line feed was never completed, so nothing was done on the strength of it: it is dropped before the next
is written. Order is the chain's; no clock is consulted. This guards against accidents and careless editing; whoever may
write the folder and wants to can compute a new history.
"""

import hashlib
import json
import os
import secrets
from pathlib import Path

from shapedp.errors import ArtifactError
from shapedp.storage import files

START = "0" * 64
SECRET_BYTES = 16  # random ones in each line
REMEDY = "restore the ledger and its folder from a backup; never delete it, the budget it records is spent"


def canonical(value):
    """The one JSON text of a value: sorted keys, no spaces, ASCII; refuses NaN and infinities."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value):
    """BLAKE2b-256 of the canonical JSON text."""
    return hashlib.blake2b(canonical(value).encode("ascii"), digest_size=32).hexdigest()


def read(path):
    """The entries of a chain, checked from the first to the last; empty if the file is not there yet."""
    path = Path(path)
    lines = _whole_part(path).decode("utf-8", "replace").splitlines()
    entries, previous = [], START
    for number, line in enumerate(lines):
        entries.append(_checked(line, number, previous, path))
        previous = entries[-1]["digest"]
    _check_head(path, entries)
    return entries


def lines(path):
    """The entries of a chain that another process may be writing just now, oldest first, without checks."""
    try:
        return [json.loads(line) for line in _whole_part(Path(path)).decode("utf-8", "replace").splitlines()]
    except ValueError as error:
        raise ArtifactError(f"{path}: damaged since it was written; {REMEDY}") from error


def append(path, entries, body):
    """Write one more line after `entries` and return its entry, once it is on the disk."""
    path = Path(path)
    entry = {**body, "entry": len(entries), "previous": entries[-1]["digest"] if entries else START}
    entry["random"] = secrets.token_hex(SECRET_BYTES)
    entry["digest"] = digest(entry)
    whole = len(_whole_part(path))
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        os.ftruncate(handle, whole)
        write_all(handle, canonical(entry).encode("ascii") + b"\n")
        os.fsync(handle)
    finally:
        os.close(handle)
    write_whole(_head(path), f"{entry['entry'] + 1} {entry['digest']}\n".encode("ascii"))
    return entry


def write_whole(path, content):
    """Write bytes so that the file is there whole or not at all, whatever stops the process; mode 0600."""
    partial = path.with_name(f".{path.name}.partial")
    write_synced(partial, content)
    partial.replace(path)
    files.sync_folder(path.parent)


def write_synced(path, content, mode=0o600):
    """Write bytes and wait until they are on the disk."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        write_all(handle, content)
        os.fsync(handle)
    finally:
        os.close(handle)


def write_all(handle, content):
    """Write all bytes, in as many calls as the system needs."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _whole_part(path):
    """The bytes up to the last line feed."""
    content = path.read_bytes() if path.exists() else b""
    return content[: content.rfind(b"\n") + 1]


def _checked(line, number, previous, path):
    try:
        entry = json.loads(line)
        stated = entry.pop("digest")
        sound = entry["entry"] == number and entry["previous"] == previous and digest(entry) == stated
    except (ValueError, KeyError, TypeError, AttributeError):
        sound = False
    if not sound:
        raise ArtifactError(f"{path} line {number + 1}: changed, moved or damaged since it was written; {REMEDY}")
    return {**entry, "digest": stated}


def _check_head(path, entries):
    """The head stands at the last line, or before it if the process was stopped between writing the two."""
    head = _head(path)
    if not head.exists():
        if len(entries) > 1:
            raise ArtifactError(f"{head}: missing beside {len(entries)} lines of {path.name}; {REMEDY}")
        return
    words = head.read_text(encoding="ascii", errors="replace").split()
    count, last = (int(words[0]), words[1]) if len(words) == 2 and words[0].isdigit() else (0, "")
    if not 0 < count <= len(entries):
        raise ArtifactError(f"{path}: holds {len(entries)} lines, {head.name} says {count}: cut off; {REMEDY}")
    if entries[count - 1]["digest"] != last:
        raise ArtifactError(f"{path}: is not the file that {head.name} belongs to; {REMEDY}")


def _head(path):
    return path.with_suffix(".head")
