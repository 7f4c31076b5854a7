"""The ledger of one population: what was spent, by which releases, and what the people in charge declared of it.

A statement prints the cap and how it came about, what was declared, and the ledger's head as `Recorded` has them. The
head is the digest of the line that recorded the release: whoever keeps the statement can show later that the ledger has
lost that line or was wound back.

Lines cannot be changed or cut off unnoticed: each carries the digest of the line before it. A line is canonical JSON
with `entry` (0, 1, ...), `previous`, `random` (128 secret bits) and `digest` (BLAKE2b-256 of the line without it).
Because of the random bits a published digest tells nothing of its line: nobody can test a guess. A second file, the
head, holds the number of lines and the last digest, so that a shortened file is noticed too. A line that lacks its line
feed was never completed, so nothing was done on the strength of it: it is dropped before the next is written. Order is
the chain's; no clock is consulted. This guards against accidents and careless editing; whoever may write the folder and
wants to can compute a new history.
"""

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease
from shapedp.base.storage import files
from shapedp.ledger import spending
from shapedp.ledger.spending import Cap, Charges, Group
from shapedp.privacy.accounting.cost import NONE, Cost

START = "0" * 64
SECRET_BYTES = 16  # random ones in each line
RESTORED = {"release": "released, entered from its statement", "before": "spent before it, entered from its statement"}
REMEDY = "restore the ledger and its folder from a backup; never delete it, the budget it records is spent"


def to_canonical(value: Any) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, ASCII; refuses NaN and infinities."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest_value(value: Any) -> str:
    """Return BLAKE2b-256 of the canonical JSON text."""
    return hashlib.blake2b(to_canonical(value).encode("ascii"), digest_size=32).hexdigest()


def read_chain(path: Path | str) -> list[dict[str, Any]]:
    """Return the lines of a ledger, checked from the first to the last for changes and cuts; empty without a file."""
    path = Path(path)
    lines = _read_whole_lines(path).decode("utf-8", "replace").splitlines()
    entries, previous = [], START
    for number, line in enumerate(lines):
        try:
            entry = json.loads(line)
            stated = entry.pop("digest")
            is_sound = entry["entry"] == number and entry["previous"] == previous and digest_value(entry) == stated
        except (ValueError, KeyError, TypeError, AttributeError):
            is_sound = False
        if not is_sound:
            raise ArtifactError(f"{path} line {number + 1}: changed, moved or damaged since it was written; {REMEDY}")
        entries.append({**entry, "digest": stated})
        previous = stated
    # the head stands at the last line, or before it if the process was stopped between writing the two
    head = path.with_suffix(".head")
    if not head.exists():
        if len(entries) > 1:
            raise ArtifactError(f"{head}: missing beside {len(entries)} lines of {path.name}; {REMEDY}")
        return entries
    words = head.read_text(encoding="ascii", errors="replace").split()
    count, last = (int(words[0]), words[1]) if len(words) == 2 and words[0].isdigit() else (0, "")
    if not 0 < count <= len(entries):
        raise ArtifactError(f"{path}: holds {len(entries)} lines, {head.name} says {count}: cut off; {REMEDY}")
    if entries[count - 1]["digest"] != last:
        raise ArtifactError(f"{path}: is not the file that {head.name} belongs to; {REMEDY}")
    return entries


def read_unchecked(path: Path | str) -> list[dict[str, Any]]:
    """Return a ledger's lines without checks, oldest first, for a quick look while another process may be writing it.

    It serves to see whether a ledger was begun with a key; what is spent is counted from checked lines alone.
    """
    try:
        return [json.loads(line) for line in _read_whole_lines(Path(path)).decode("utf-8", "replace").splitlines()]
    except ValueError as error:
        raise ArtifactError(f"{path}: damaged since it was written; {REMEDY}") from error


def append_entry(path: Path | str, entries: list[dict[str, Any]], body: dict[str, Any]) -> dict[str, Any]:
    """Write one more line of a ledger, chained to `entries`, and return it once it is surely on the disk."""
    path = Path(path)
    entry = {**body, "entry": len(entries), "previous": entries[-1]["digest"] if entries else START}
    # Because of these bits a published digest tells nothing of its line: nobody can test a guess.
    entry["random"] = secrets.token_hex(SECRET_BYTES)
    entry["digest"] = digest_value(entry)
    whole_size = len(_read_whole_lines(path))
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        # A line without its line feed was never completed, so nothing was done on the strength of it.
        os.ftruncate(handle, whole_size)
        write_all(handle, to_canonical(entry).encode("ascii") + b"\n")
        os.fsync(handle)
    finally:
        os.close(handle)
    write_whole(path.with_suffix(".head"), f"{entry['entry'] + 1} {entry['digest']}\n".encode("ascii"))
    return entry


def write_whole(path: Path, content: bytes) -> None:
    """Write bytes so that the file is there whole or not at all, whatever stops the process; mode 0600."""
    partial = path.with_name(f".{path.name}.partial")
    write_synced(partial, content)
    partial.replace(path)
    files.sync_folder(path.parent)


def write_synced(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write bytes and wait until they are on the disk, so that no crash loses what the ledger holds already.

    Parameters
    ----------
    path : Path
        The file.
    content : bytes
        All that it will hold.
    mode : int
        Permissions of a new file.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        write_all(handle, content)
        os.fsync(handle)
    finally:
        os.close(handle)


def write_all(handle: int, content: bytes) -> None:
    """Write all bytes to an open file, in as many calls as the system needs."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _read_whole_lines(path):
    """Return the bytes up to the last line feed."""
    content = path.read_bytes() if path.exists() else b""
    return content[: content.rfind(b"\n") + 1]


SHORT = 32  # hexadecimal digits of the request's digest in a folder's name


class PopulationLedger:
    """The ledger of one population, as read under the lock."""

    def __init__(self, folder, population):
        self.population, self.folder = population, folder
        self.path, self.store = folder / f"{population}.jsonl", folder / population
        self.entries = read_chain(self.path)
        _refuse_unknown(self.entries, self.path)
        known_names = {self.locate_folder(intent).name for intent in self.list_intents()}
        stored_names = (
            {path.name for path in self.store.iterdir() if path.name[0] != "."} if self.store.is_dir() else set()
        )
        if lost_names := sorted(
            stored_names - known_names
        ):  # the store knows of more releases than the ledger: lines were lost
            raise ArtifactError(f"{self.path}: has no line for the release stored as {lost_names[0]}; {REMEDY}")

    def select_events(self, kind: str) -> list[dict[str, Any]]:
        """Return the entries of one kind, oldest first."""
        return [entry for entry in self.entries if entry["event"] == kind]

    def list_intents(self) -> list[dict[str, Any]]:
        """Return the entries that spent something, oldest first."""
        return self.select_events("intent")

    def find_commit(self, intent: dict[str, Any]) -> dict[str, Any] | None:
        """Return the commit of an intent, or None."""
        return next((entry for entry in self.entries if entry.get("intent") == intent["entry"]), None)

    def describe_status(self, intent: dict[str, Any]) -> str:
        """Return what became of a charge, in words for the operator: released, never released, or restored."""
        if "restored" in intent:
            return RESTORED[intent["restored"]]
        return "released" if self.find_commit(intent) else "spent, never released"

    def list_heads(self) -> set[str]:
        """Return the digests of lines that published statements may name, to see whether the ledger lost any.

        They are those of intents here, and of intents that were lost and then entered from their statements.
        """
        return {intent["digest"] for intent in self.list_intents()} | {
            entry["head"] for entry in self.select_events("restored")
        }

    def released_files(self, head: str) -> dict[str, str] | None:
        """Return {name: digest} of what was released with the line of this digest, to tell changed files.

        None where it was never finished.
        """
        for entry in self.select_events("restored"):
            if entry["head"] == head:
                return entry["files"]
        intent = next(intent for intent in self.list_intents() if intent["digest"] == head)
        commit = self.find_commit(intent)
        return None if commit is None else commit["files"]

    def list_charges(self) -> Charges:
        """Return (Cost, Group or None) of every intent, whether or not its release was completed."""
        return [read_charge(intent) for intent in self.list_intents()]

    def find_plan(self, offered: Sequence[Cost] = ()) -> tuple[Cost, ...]:
        """Return the planned costs that the first spending line carries, which count by the sharper total.

        They are all that was fixed before any noise was drawn. Empty where it carries none, and where charges were
        entered from statements, which do not tell all costs.

        Parameters
        ----------
        offered : sequence of Cost
            What the first line will carry where none is written yet.
        """
        intents = self.list_intents()
        if self.select_events("restored") or any("restored" in intent for intent in intents):
            return ()
        return read_plan(intents[0]) if intents else tuple(offered)

    def find_cap(self) -> Cap | None:
        """Return the recorded spending.Cap; None before the first use."""
        recorded = self.select_events("cap")
        return spending.Cap(**recorded[-1]["cap"]) if recorded else None

    def refuse_overspending(self, cap: Cap, cost: Cost, group: Group | None) -> None:
        """Refuse a release that the cap does not allow, the recorded one or the settings', and an edited cap."""
        cap_recorded, caps = self.find_cap() or cap, self.select_events("cap")
        if spending.is_higher(cap, cap_recorded):
            raise RefusedRelease(
                f"population '{self.population}': privacy.cap says {cap.words()}, the ledger {cap_recorded.words()} "
                "since "
                f"{caps[-1]['time'][:10]}; an edited number does not raise a cap. Set privacy.cap back to "
                f"{cap_recorded.words()}, or, if the people concerned agree: shapedp ledger raise {self.population} "
                '--mu-total ... --reason "..." (every later statement shows both). No noise was drawn'
            )
        for valid_cap in (cap_recorded, cap):
            spending.refuse_overspending(self.population, valid_cap, self.list_charges(), cost, group)

    def reserve(
        self, request: str, cost: Cost, cap: Cap, group: Group | None, plan: Sequence[Cost] = (), **details: Any
    ) -> dict[str, Any]:
        """Write the line that charges a release before its noise is drawn: from here on the budget is spent.

        Before the first one the cap is written. Refuses to go on unless the ledger, read again from its file, ends with
        this intent.

        Parameters
        ----------
        request : str
            Its digest.
        cost, cap, group : Cost, Cap, Group or None
            What is charged, under which cap, and to which group.
        plan : sequence of Cost
            What all releases cost that are planned; only the first spending line of a population carries it.
        details : dict
            What else the line holds.
        """
        cost_fields = write_cost(cost)
        if plan and not self.list_intents():
            details["plan"] = [write_cost(planned_cost) for planned_cost in plan]
        if self.find_cap() is None:
            self.append(event="cap", cap=cap.list_limits(), reason=None)
        group_fields = asdict(group) if group else None
        intent = self.append(event="intent", request=request, cost=cost_fields, group=group_fields, **details)
        # Read again from its file: noise may only be drawn once the charge surely stands on the disk.
        if [entry["digest"] for entry in read_chain(self.path)[-1:]] != [intent["digest"]]:
            raise ArtifactError(f"{self.path}: lost what was just written to it; nothing was drawn. Check the disk")
        return intent

    def find_finished(self, request: str) -> dict[str, Any] | None:
        """Return the charge of an earlier same request whose files are stored, to give these again for nothing.

        None if there is none. It is committed now if a crash prevented that.
        """
        request_intents = [intent for intent in self.list_intents() if intent["request"] == request]
        intent_stored = next(filter(self.find_commit, request_intents), None)
        if intent_stored is None and (intent_stored := next(filter(self.has_copy, request_intents), None)):
            self.commit(intent_stored)
        return intent_stored

    def store_files(self, intent: dict[str, Any], contents: dict[str, bytes], check: Callable[[Path], None]) -> None:
        """Store the released files, {name: bytes}, in one step, so that a crash never leaves some of them.

        Nothing is stored where `check(folder)` raises.
        """
        files.make_durable_folder(self.store)
        final = self.locate_folder(intent)
        partial = final.with_name(f".{final.name}.partial")
        # It was left by a process that was stopped before the renaming below.
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o700)
        for name, content in contents.items():
            write_synced(partial / name, content)
        # What cannot be released must not count as stored: a crash after this returns the same files.
        check(partial)
        files.sync_folder(partial)
        # One step: a crash leaves all released files stored, or none.
        partial.rename(final)
        files.sync_folder(self.store)

    def commit(self, intent: dict[str, Any]) -> dict[str, Any]:
        """Write the commit: names and digests of the files stored for an intent."""
        stored = {path.name: self.digest_file(path) for path in sorted(self.locate_folder(intent).iterdir())}
        return self.append(event="commit", intent=intent["entry"], files=stored)

    def read_stored(self, intent: dict[str, Any]) -> dict[str, bytes]:
        """Return {name: bytes} of a committed release, exactly as released, to give again without new noise."""
        contents, folder = {}, self.locate_folder(intent)
        for name, digest in self.find_commit(intent)["files"].items():
            try:
                contents[name] = (folder / name).read_bytes()
            except OSError as error:
                raise ArtifactError(f"{folder / name}: {error.strerror}; {REMEDY}") from error
            if hashlib.blake2b(contents[name], digest_size=32).hexdigest() != digest:
                raise ArtifactError(f"{folder / name}: changed since its release; {REMEDY}")
        return contents

    @staticmethod
    def digest_file(path: Path) -> str:
        """Return digest of a file's bytes, as commits hold it; of nothing, where there is no file."""
        return files.digest_file(path) if path.is_file() else ""

    def has_copy(self, intent: dict[str, Any]) -> bool:
        """Return whether the files of an intent were stored before its process ended."""
        return self.locate_folder(intent).is_dir()

    def locate_folder(self, intent: dict[str, Any]) -> Path:
        """Return where the released files of an intent are kept."""
        return self.store / f"{intent['entry']:06d}-{intent['request'][:SHORT]}"

    def append(self, **body: dict[str, Any]) -> dict[str, Any]:
        """Write an event as a line of the ledger, with the time, which is for people alone; return it."""
        # For people who read it; nothing is decided by it, since a clock may be wrong.
        body["time"] = datetime.now(UTC).isoformat(timespec="seconds")
        entry = append_entry(self.path, self.entries, body)
        self.entries.append(entry)
        return entry


EVENTS = {"intent", "commit", "cap", "different", "restored"}  # that any version wrote


def _refuse_unknown(entries, path):
    """Refuse lines whose meaning this version does not know: what they spent could not be counted."""
    for number, entry in enumerate(entries, start=1):
        try:
            known = entry["event"] in EVENTS
            if entry["event"] == "intent":
                read_charge(entry)
                read_plan(entry)
            elif entry["event"] == "cap":
                Cap(**entry["cap"])
        except (KeyError, TypeError, ConfigError):
            known = False
        if not known:
            raise ArtifactError(
                f"{path} line {number}: is of another version of shapedp, which this one cannot count; go on with the "
                "version that wrote it, or a newer one. Nothing was spent"
            )


def read_charge(intent: dict[str, Any]) -> tuple[Cost, Group | None]:
    """Return (Cost, Group or None) of an intent."""
    return Cost(**intent["cost"]), spending.Group(**intent["group"]) if intent["group"] else None


def read_plan(intent: dict[str, Any]) -> tuple[Cost, ...]:
    """Return the planned costs that a ledger's line of a charge carries; empty where it carries none."""
    plan = tuple(Cost(**cost) for cost in intent.get("plan", ()))
    if any(cost.kind == NONE for cost in plan):
        raise ConfigError("plan: a release without guarantee costs nothing that could be planned")
    return plan


def write_cost(cost: Cost) -> dict[str, Any]:
    """Return the fields of a cost as a line holds them."""
    return {key: value for key, value in asdict(cost).items() if value is not None}


@dataclass(frozen=True)
class Recorded:
    """What a statement tells of a ledger.

    cap : the most that may be spent; raised : how it was raised, and why; date, head : day and digest of the last line
    different : what older versions declared different (as JSON)
    is_merged : whether some of its charges were entered from a statement's totals of Gaussian and pure releases, which
        do not say how much was spent on which
    plan : the costs that were planned before any noise was drawn; empty where none were, or where they say nothing
    """

    cap: spending.Cap = spending.UNCAPPED
    raised: tuple = ()
    different: tuple = ()
    date: str = "2000-01-01"
    head: str = START
    is_merged: bool = False
    plan: tuple[Cost, ...] = ()


def summarise_ledger(
    book: PopulationLedger, cap: Cap, intent: dict[str, Any] | None = None, plan: Sequence[Cost] = ()
) -> Recorded:
    """Return what the statement says of the ledger: as it would be now, or as it stands once the intent is written.

    Parameters
    ----------
    book : PopulationLedger
        The ledger.
    cap : Cap
        What the first release records.
    intent : dict
        The line of the release; None before it is written.
    plan : sequence of Cost
        What the first line will carry, where none is written yet.
    """
    caps = book.select_events("cap")
    cap_changes = tuple(
        {"from": old["cap"], "to": new["cap"], "date": new["time"][:10], "reason": new["reason"]}
        for old, new in pairwise(caps)
    )
    # What an older version was told; now `privacy.disjoint_from` says it.
    different = tuple(
        {"population": event["other"], "date": event["time"][:10], "reason": event["reason"]}
        for event in book.select_events("different")
    )
    restored_totals = [event["after"] for event in book.select_events("restored")]
    # A statement's totals do not say how much was spent on which of the two kinds.
    is_merged = any(total["gaussian"] and total["pure"] for total in restored_totals)
    is_written = intent is not None
    return Recorded(
        cap=book.find_cap() if is_written else book.find_cap() or cap,
        raised=cap_changes,
        different=different,
        date=intent["time"][:10] if is_written else datetime.now(UTC).date().isoformat(),
        head=intent["digest"] if is_written else START,
        is_merged=is_merged,
        plan=book.find_plan() if is_written else book.find_plan(plan),
    )


UNRECORDED = Recorded()
