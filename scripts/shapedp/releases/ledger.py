"""What has been spent on each population, kept where cleaning the results does not reach it.

    <folder>/key                   secret; digests of records are made with it, see fingerprints
    <folder>/.lock                 held while the folder is set up, and while records are looked up in all ledgers
    <folder>/<population>.jsonl    one line an event, see linked_lines
    <folder>/<population>.lock     held by the one process that is making a release
    <folder>/<population>/<intent>-<request>/   a copy of the released files

Two events make a release: an `intent`, which spends, and a `commit`, which names the stored files and their digests. An
intent is never taken back: if the process is stopped before the commit, the budget stays spent. Two more are acts of
the people in charge: `cap` records the most that may be spent, on first use and when it is raised; `different` declares
that the same records under another population's name are other people. Each carries its reason.
"""

import re
import secrets
from contextlib import contextmanager
from pathlib import Path

from shapedp.errors import ArtifactError, ConfigError
from shapedp.releases import fingerprints, given_words, linked_lines, spending
from shapedp.releases.book import Book, charge
from shapedp.storage import files, locks

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class Ledger:
    """A folder of ledgers, one a population."""

    def __init__(self, folder):
        self.folder = Path(folder)

    @contextmanager
    def opened(self, population):
        """The population's book, checked, with every other process kept waiting until the block ends."""
        _check_name(population)
        self.key()
        with locks.held(self._lock(population)):
            yield Book(self.folder, population)

    def key(self):
        """The secret key of the folder's digests; made, with the folder, by whoever comes first."""
        files.durable_folder(self.folder)
        path, ignore = self.folder / "key", self.folder / ".gitignore"
        with locks.held(self.folder / ".lock"):
            if not ignore.exists():
                linked_lines.write_whole(ignore, b"*\n")
            if not path.exists():
                self._refuse_lost_key(path)
                linked_lines.write_whole(path, secrets.token_bytes(fingerprints.SIZE))
            return path.read_bytes()

    def _refuse_lost_key(self, path):
        """A ledger whose lines carry secret bits was begun with a key."""
        for book in sorted(self.folder.glob("*.jsonl")):
            if any("random" in entry for entry in linked_lines.lines(book)[:1]):
                raise ArtifactError(f"{path}: missing beside {book.name}; {linked_lines.REMEDY}")

    def raise_cap(self, population, cap, reason):
        """Record a higher cap, for a reason that every later statement prints; the event."""
        given_words.check(reason, "--reason")
        with self.opened(population) as book:
            return book.raise_cap(cap, reason)

    def declare_different(self, population, other, reason):
        """Record that `population` holds other people than `other` although the records are the same; the event."""
        given_words.check(reason, "--reason")
        _check_name(other)
        with self.opened(population) as book:
            return book.append(event="different", other=other, reason=reason)

    def table(self, population):
        """One row a release, oldest first: what it was, what it cost, what became of it, and the totals after it."""
        charges, rows = [], []
        with self.reading(population) as book:
            for intent in book.intents():
                charges.append(charge(intent))
                rows.append(_row(intent, book.committed(intent), spending.total(charges)))
        return rows

    def spent(self, population):
        """The population's spending.Total."""
        with self.reading(population) as book:
            return spending.total(book.charges())

    def acts(self, population):
        """What the people in charge recorded: caps and populations declared different, oldest first, in words."""
        with self.reading(population) as book:
            return [_act(entry) for entry in book.entries if entry["event"] in ("cap", "different")]

    def populations(self):
        """Names of the populations that have a ledger here."""
        return sorted(path.stem for path in self.folder.glob("*.jsonl"))

    @contextmanager
    def reading(self, population):
        """The book, while nobody writes in it; empty, and nothing is made, where nobody ever did."""
        _check_name(population)
        if not self._lock(population).exists():
            yield Book(self.folder, population)
            return
        with locks.held(self._lock(population), shared=True):
            yield Book(self.folder, population)

    def _lock(self, population):
        return self.folder / f"{population}.lock"


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
        "reproduction": "yes" if intent.get("reproduction") else "",
        "time": intent["time"],
        "total_mu": total.mu,
        "total_rho": total.rho,
        "total_epsilon_pure": total.epsilon,
        "unprotected": total.unprotected,
    }


def _act(entry):
    given = f" Reason given: {entry['reason']}" if entry["reason"] else ""
    if entry["event"] == "cap":
        return f"{entry['time'][:10]} cap: {spending.Cap(**entry['cap']).words()}.{given}"
    return f"{entry['time'][:10]} declared different from {entry['other']}.{given}"


def _check_name(population):
    if not NAME.fullmatch(population):
        raise ConfigError(f"population '{population}': letters, digits, _ and -, at most 64, no first _ or -")
