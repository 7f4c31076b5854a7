"""The folder of ledgers: what has been spent on each population, kept where cleaning the results does not reach it.

    <folder>/key                   secret; digests of records are made with it, see releases.protocol
    <folder>/.lock                 held while the folder is set up
    <folder>/<population>.jsonl    one line an event, see population_ledger
    <folder>/<population>.people   marks of its people, see shared_people
    <folder>/<population>.lock     held by the one process that is making a release
    <folder>/<population>/<intent>-<request>/   a copy of the released files

Two events make a release: an `intent`, which spends, and a `commit`, which names the stored files and their digests. An
intent is never taken back: if the process is stopped before the commit, the budget stays spent. One more is an act of
the people in charge: `cap` records the most that may be spent, on first use and when it is raised, with the reason.
`different`, of an older version, declares that the same records under another population's name are other people.

Every published statement must stand in the ledger, with the very files that were published. A ledger that was wound
back, or begun anew, has lost the line whose digest a statement carries; a statement that was changed is not the one
that the ledger recorded. `check_published` tells; `restoring` enters what statements say of lines that were lost.
"""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.settings import checks
from shapedp.base.storage import files
from shapedp.ledger import population_ledger, restoring, spending
from shapedp.ledger.population_ledger import PopulationLedger, read_charge
from shapedp.ledger.spending import Cap, Total

KEY_BYTES = 32
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class Ledger:
    """A folder of ledgers, one a population."""

    def __init__(self, folder):
        self.folder = Path(folder)

    @contextmanager
    def open_book(self, population: str) -> Iterator[PopulationLedger]:
        """Yield a population's ledger, checked, to write in it; every other process waits until the block ends."""
        lock = self._lock(population)
        self.key()
        # Where a lock keeps nobody out, two releases at once could both spend what is left.
        files.refuse_broken_lock(self.folder / ".lock")
        with files.hold_lock(lock):
            yield PopulationLedger(self.folder, population)

    def key(self) -> bytes:
        """Return the secret key of the folder's digests, without which nobody can guess at a record behind one.

        Whoever comes first makes it, with the folder. It is never made anew beside a ledger whose lines carry secret
        bits, which was begun with a key.
        """
        files.make_durable_folder(self.folder)
        path, ignore = self.folder / "key", self.folder / ".gitignore"
        with files.hold_lock(self.folder / ".lock"):
            if not ignore.exists():
                population_ledger.write_whole(ignore, b"*\n")
            if not path.exists():
                for book in sorted(self.folder.glob("*.jsonl")):
                    if any("random" in entry for entry in population_ledger.read_unchecked(book)[:1]):
                        raise ArtifactError(f"{path}: missing beside {book.name}; {population_ledger.REMEDY}")
                population_ledger.write_whole(path, secrets.token_bytes(KEY_BYTES))
            return path.read_bytes()

    def raise_cap(self, population: str, cap: Cap, reason: str) -> dict[str, Any]:
        """Record a higher cap, for a reason that every later statement prints; return the event."""
        checks.check_words(reason, "--reason")
        with self.open_book(population) as book:
            recorded = book.find_cap()
            if recorded is None:
                raise ConfigError(
                    f"{book.path}: no cap is recorded yet; the first release records that of the settings"
                )
            # What `cap` does not limit stays as recorded.
            cap = spending.Cap(**{**recorded.list_limits(), **cap.list_limits()})
            if cap == recorded or spending.is_higher(recorded, cap):
                raise ConfigError(
                    f"population '{population}': {cap.words()} is not above the recorded cap, {recorded.words()}; a "
                    "cap is only ever raised (a lower one in the settings holds for the releases made with it)"
                )
            return book.append(event="cap", cap=cap.list_limits(), reason=reason)

    def list_releases(self, population: str) -> list[dict[str, Any]]:
        """Return one row a release, oldest first, as the operator is shown them: what it was, cost and became.

        The totals after it are in the row, too.
        """
        charges, rows = [], []
        with self.read_book(population) as book:
            for intent in book.list_intents():
                charges.append(read_charge(intent))
                total, cost = spending.sum_charges(charges), intent["cost"]
                rows.append(
                    {
                        "entry": intent["entry"],
                        "branch": intent["branch"],
                        "name": intent["name"],
                        "guarantee": cost["kind"],
                        "mu": cost.get("mu"),
                        "epsilon": cost.get("epsilon"),
                        "group": intent["group"]["name"] if intent["group"] else "",
                        "status": book.describe_status(intent),
                        "reproduction": "yes" if intent.get("reproduction") else "",
                        "time": intent["time"],
                        "total_mu": total.mu,
                        "total_rho": total.rho,
                        "total_epsilon_pure": total.epsilon,
                        "unprotected": total.unprotected,
                    }
                )
        return rows

    def sum_spent(self, population: str) -> Total:
        """Return what all releases of a population cost together."""
        with self.read_book(population) as book:
            return spending.sum_charges(book.list_charges())

    def list_acts(self, population: str) -> list[str]:
        """Return what people in charge did, in words, oldest first: caps, and populations declared different."""
        act_lines = []
        with self.read_book(population) as book:
            for entry in book.entries:
                reason_words = f" Reason given: {entry['reason']}" if entry.get("reason") else ""
                if entry["event"] == "cap":
                    act_lines.append(f"{entry['time'][:10]} cap: {spending.Cap(**entry['cap']).words()}.{reason_words}")
                elif entry["event"] == "different":
                    act_lines.append(f"{entry['time'][:10]} declared different from {entry['other']}.{reason_words}")
        return act_lines

    def list_populations(self) -> list[str]:
        """Return names of the populations that have a ledger here."""
        return sorted(path.stem for path in self.folder.glob("*.jsonl"))

    @contextmanager
    def read_book(self, population: str) -> Iterator[PopulationLedger]:
        """Yield a population's ledger to read, while nobody writes in it; empty where nobody ever did.

        No file is made then.
        """
        lock = self._lock(population)
        with files.hold_lock(lock, shared=True) if lock.exists() else nullcontext():
            yield PopulationLedger(self.folder, population)

    def _lock(self, population):
        """Return the path of a population's lock, so that two processes never write at once; refuse odd names."""
        if not NAME.fullmatch(population):
            raise ConfigError(
                f"population '{population}': a name has letters, digits, _ and -, at most 64, no first _ or -"
            )
        return self.folder / f"{population}.lock"


def check_published(ledger: Ledger, population: str, stated: dict[Path, dict[str, Any]]) -> list[tuple[Path, str]]:
    """Return [(path, fault)] of published statements: whether the ledger holds each release; "" where it does.

    Parameters
    ----------
    ledger : Ledger
        The folder of ledgers.
    population : str
        Whose statements are checked.
    stated : dict
        {path of a statement.json: its content}.
    """
    with ledger.read_book(population) as book:
        return [
            (path, _describe_fault(book, head, path))
            for path, head in restoring.select_heads(stated, population).items()
        ]


def _describe_fault(book, head, path):
    """Return what is wrong between a statement and the ledger's line of it, in words; "" where nothing is."""
    if head not in book.list_heads():
        return "not in the ledger: it was wound back, begun anew, or is not the one this release was made with"
    files = book.released_files(head)
    if files is None:
        return "begun in the ledger and never finished there"
    changed = [name for name, digest in files.items() if book.digest_file(path.parent / name) != digest]
    return f"not as recorded: {', '.join(changed)}" if changed else ""
