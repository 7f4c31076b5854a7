"""What has been spent on each population, kept where cleaning the results does not reach it.

    <folder>/<population>.jsonl    one line an event, see linked_lines
    <folder>/<population>.lock     held by the one process that is making a release
    <folder>/<population>/<intent>-<request>/   a copy of the released files

Two events make a release: an `intent`, which spends, and a `commit`, which names the stored files and their digests. An
intent is never taken back: if the process is stopped before the commit, the budget stays spent.

The folder is private: its lines hold the digests of the inputs.
"""

import fcntl
import hashlib
import os
import re
import shutil
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from shapedp.errors import ArtifactError, ConfigError
from shapedp.mechanisms.cost import Cost
from shapedp.releases import linked_lines, spending
from shapedp.storage import files

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
SHORT = 32  # hexadecimal digits of the request's digest in a folder's name


class Ledger:
    """A folder of ledgers, one a population."""

    def __init__(self, folder):
        self.folder = Path(folder)

    @contextmanager
    def opened(self, population):
        """The population's book, checked, with every other process kept waiting until the block ends."""
        _check_name(population)
        _make_durable(self.folder)
        ignore = self.folder / ".gitignore"
        if not ignore.exists():
            linked_lines.write_whole(ignore, b"*\n")
        with self._locked(population, fcntl.LOCK_EX):
            yield Book(self.folder, population)

    def table(self, population):
        """One row a release, oldest first: what it was, what it cost, what became of it, and the totals after it."""
        charges, rows = [], []
        with self._read(population) as book:
            for intent in book.intents():
                charges.append(_charge(intent))
                rows.append(_row(intent, book.committed(intent), spending.total(charges)))
        return rows

    def spent(self, population):
        """The population's spending.Total."""
        with self._read(population) as book:
            return spending.total(book.charges())

    def populations(self):
        """Names of the populations that have a ledger here."""
        return sorted(path.stem for path in self.folder.glob("*.jsonl"))

    @contextmanager
    def _read(self, population):
        """The book, while nobody writes in it; empty, and nothing is made, where nobody ever did."""
        _check_name(population)
        if not self._lock(population).exists():
            yield Book(self.folder, population)
            return
        with self._locked(population, fcntl.LOCK_SH):
            yield Book(self.folder, population)

    @contextmanager
    def _locked(self, population, kind):
        handle = os.open(self._lock(population), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, kind)
            yield
        finally:
            os.close(handle)

    def _lock(self, population):
        return self.folder / f"{population}.lock"


class Book:
    """The ledger of one population, as read under the lock."""

    def __init__(self, folder, population):
        self.population = population
        self.path, self.store = folder / f"{population}.jsonl", folder / population
        self.entries = linked_lines.read(self.path)
        self._check_copies()

    def intents(self):
        """The entries that spent something, oldest first."""
        return [entry for entry in self.entries if entry["event"] == "intent"]

    def committed(self, intent):
        """The commit of an intent, or None."""
        return next((entry for entry in self.entries if entry.get("intent") == intent["entry"]), None)

    def charges(self):
        """(Cost, Group or None) of every intent, whether or not its release was completed."""
        return [_charge(intent) for intent in self.intents()]

    def reserve(self, request, cost, group, **details):
        """Write the intent: from here on the budget is spent."""
        kept = {key: value for key, value in asdict(cost).items() if value is not None}
        return self._append(
            event="intent", request=request, cost=kept, group=asdict(group) if group else None, **details
        )

    def check_recorded(self, intent):
        """Refuse to go on unless the ledger, read again from its file, ends with this intent."""
        if [entry["digest"] for entry in linked_lines.read(self.path)[-1:]] != [intent["digest"]]:
            raise ArtifactError(f"{self.path}: lost what was just written to it; nothing was drawn. Check the disk")

    def keep(self, intent, contents, check):
        """Store the released files, {name: bytes}, all of them in one step, unless `check(folder)` raises."""
        _make_durable(self.store)
        final = self.folder_of(intent)
        partial = final.with_name(f".{final.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o700)
        for name, content in contents.items():
            linked_lines.write_synced(partial / name, content)
        check(partial)
        files.sync_folder(partial)
        partial.rename(final)
        files.sync_folder(self.store)

    def commit(self, intent):
        """Write the commit: names and digests of the files stored for an intent."""
        stored = {path.name: _digest(path.read_bytes()) for path in sorted(self.folder_of(intent).iterdir())}
        return self._append(event="commit", intent=intent["entry"], files=stored)

    def stored(self, intent):
        """{name: bytes} of a committed release, exactly as they were released."""
        listed = self.committed(intent)["files"]
        contents = {name: self._stored_file(intent, name) for name in listed}
        for name, content in contents.items():
            if _digest(content) != listed[name]:
                raise ArtifactError(
                    f"{self.folder_of(intent) / name}: changed since its release; {linked_lines.REMEDY}"
                )
        return contents

    def has_copy(self, intent):
        """Whether the files of an intent were stored before its process ended."""
        return self.folder_of(intent).is_dir()

    def folder_of(self, intent):
        """Where the released files of an intent are kept."""
        return self.store / f"{intent['entry']:06d}-{intent['request'][:SHORT]}"

    def _append(self, **body):
        body["time"] = datetime.now(UTC).isoformat(timespec="seconds")  # for people; nothing is decided by it
        entry = linked_lines.append(self.path, self.entries, body)
        self.entries.append(entry)
        return entry

    def _stored_file(self, intent, name):
        try:
            return (self.folder_of(intent) / name).read_bytes()
        except OSError as error:
            raise ArtifactError(f"{self.folder_of(intent) / name}: {error.strerror}; {linked_lines.REMEDY}") from error

    def _check_copies(self):
        """Refuse a store that knows of more releases than the ledger: lines were lost."""
        known = {self.folder_of(intent).name for intent in self.intents()}
        kept = {path.name for path in self.store.iterdir() if path.name[0] != "."} if self.store.is_dir() else set()
        if lost := sorted(kept - known):
            raise ArtifactError(f"{self.path}: has no line for the release stored as {lost[0]}; {linked_lines.REMEDY}")


def _make_durable(folder):
    """Make a private folder, with its name on the disk before anything in it counts."""
    if not folder.is_dir():
        _make_durable(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        files.sync_folder(folder.parent)


def _charge(intent):
    return Cost(**intent["cost"]), spending.Group(**intent["group"]) if intent["group"] else None


def _row(intent, commit, total):
    return {
        "entry": intent["entry"],
        "branch": intent["branch"],
        "name": intent["name"],
        "guarantee": intent["cost"]["kind"],
        "mu": intent["cost"].get("mu"),
        "epsilon": intent["cost"].get("epsilon"),
        "group": intent["group"]["name"] if intent["group"] else "",
        "status": "released" if commit else "spent, never released",
        "time": intent["time"],
        "total_mu": total.mu,
        "total_rho": total.rho,
        "total_epsilon_pure": total.epsilon,
        "unprotected": total.unprotected,
    }


def _digest(content):
    return hashlib.blake2b(content, digest_size=32).hexdigest()


def _check_name(population):
    if not NAME.fullmatch(population):
        raise ConfigError(f"population '{population}': letters, digits, _ and -, at most 64, no first _ or -")
