"""The ledger of one population: what was spent, by which releases, and what the people in charge declared of it."""

import hashlib
import shutil
from dataclasses import asdict
from datetime import UTC, datetime

from shapedp.errors import ArtifactError, ConfigError, RefusedRelease
from shapedp.mechanisms.cost import Cost
from shapedp.releases import linked_lines, spending
from shapedp.storage import files, locks

SHORT = 32  # hexadecimal digits of the request's digest in a folder's name


class Book:
    """The ledger of one population, as read under the lock."""

    def __init__(self, folder, population):
        self.population, self.folder = population, folder
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
        return [charge(intent) for intent in self.intents()]

    def events(self, kind):
        """The entries of one kind, oldest first."""
        return [entry for entry in self.entries if entry["event"] == kind]

    def cap(self):
        """The recorded spending.Cap; None before the first use."""
        recorded = self.events("cap")
        return spending.Cap(**recorded[-1]["cap"]) if recorded else None

    def cap_since(self):
        """The day of the recorded cap, or None."""
        recorded = self.events("cap")
        return recorded[-1]["time"][:10] if recorded else None

    def raise_cap(self, cap, reason):
        """Write a higher cap; what `cap` does not limit stays as recorded."""
        recorded = self.cap()
        if recorded is None:
            raise ConfigError(f"{self.path}: no cap is recorded yet; the first release records that of the settings")
        cap = spending.Cap(**{**recorded.given(), **cap.given()})
        if cap == recorded or spending.exceeds(recorded, cap):
            raise ConfigError(
                f"population '{self.population}': {cap.words()} is not above the recorded cap, {recorded.words()}; a "
                "cap is only ever raised (a lower one in the settings holds for the releases made with it)"
            )
        return self._write_cap(cap, reason)

    def _write_cap(self, cap, reason):
        return self.append(event="cap", cap=cap.given(), reason=reason)

    def reserve(self, request, cost, cap, group, **details):
        """Write the intent: from here on the budget is spent; before the first one, the cap.

        The records are looked up in the other populations' ledgers while nobody else can enter them anywhere.
        """
        kept = {key: value for key, value in asdict(cost).items() if value is not None}
        with locks.held(self.folder / ".lock"):
            self._refuse_twin(details["records"])
            if self.cap() is None:
                self._write_cap(cap, None)
            return self.append(
                event="intent", request=request, cost=kept, group=asdict(group) if group else None, **details
            )

    def _refuse_twin(self, records):
        """Refuse records that another population's ledger knows, unless declared to be other people's."""
        declared = {event["other"] for event in self.events("different")}
        for path in sorted(self.folder.glob("*.jsonl")):
            if path != self.path and path.stem not in declared:
                found = [entry["entry"] for entry in linked_lines.lines(path) if entry.get("records") == records]
                if found:
                    raise RefusedRelease(
                        f"population '{self.population}': the same records were released as population '{path.stem}' "
                        f"({path}, line {found[0] + 1}), whose budget they spent; name that population in "
                        "privacy.population. If they are other people all the same, say why: shapedp ledger different "
                        f'{self.population} --from {path.stem} --reason "..." (every later statement shows it). '
                        "No noise was drawn"
                    )

    def check_recorded(self, intent):
        """Refuse to go on unless the ledger, read again from its file, ends with this intent."""
        if [entry["digest"] for entry in linked_lines.read(self.path)[-1:]] != [intent["digest"]]:
            raise ArtifactError(f"{self.path}: lost what was just written to it; nothing was drawn. Check the disk")

    def keep(self, intent, contents, check):
        """Store the released files, {name: bytes}, all of them in one step, unless `check(folder)` raises."""
        files.durable_folder(self.store)
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
        stored = {path.name: self.digest_of(path) for path in sorted(self.folder_of(intent).iterdir())}
        return self.append(event="commit", intent=intent["entry"], files=stored)

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

    @staticmethod
    def digest_of(path):
        """Digest of a file's bytes, as commits hold it; of nothing, where there is no file."""
        return _digest(path.read_bytes()) if path.is_file() else ""

    def has_copy(self, intent):
        """Whether the files of an intent were stored before its process ended."""
        return self.folder_of(intent).is_dir()

    def folder_of(self, intent):
        """Where the released files of an intent are kept."""
        return self.store / f"{intent['entry']:06d}-{intent['request'][:SHORT]}"

    def append(self, **body):
        """Write an event, with the time."""
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


def charge(intent):
    """(Cost, Group or None) of an intent."""
    return Cost(**intent["cost"]), spending.Group(**intent["group"]) if intent["group"] else None


def _digest(content):
    return hashlib.blake2b(content, digest_size=32).hexdigest()
