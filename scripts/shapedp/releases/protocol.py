"""What a release is: an entry of `releases:`, planned from settings and public numbers, and what is asked of people.

A kind of release is one class and one kind of artifact. `publishing.publish` runs it: everything that happens between
the people's records and the released file is in that one function and in the methods named here.

A release is of everybody's records or of one group's, and the ledger knows them again by keyed digests. A digest
without a key would tell whoever reads the ledger whether a guessed record is among those behind it. The key lies beside
the ledger, 256 random bits, mode 0600. Digests are of the numbers themselves, not of the files they came in, so that
the same records cut into other batches or kept under other names are recognised.
"""

import hashlib
import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import checks, read_default
from shapedp.ledger import population_ledger, shared_people, spending
from shapedp.ledger.shared_people import Marks
from shapedp.privacy.accounting.cost import Cost
from shapedp.privacy.statistic import Mechanism, Rows, Source, Staged, Statistic
from shapedp.releases.allow_list import KINDS
from shapedp.releases.statement import conditions
from shapedp.releases.statement.conditions import Bound, Facts, Origin

DRAWN_FILE = "drawn.h5"
Settings = Mapping[str, Any]  # an entry or a section of them


@dataclass(frozen=True)
class Evidence:
    """What was seen when the records were read."""

    made_of: tuple[str, ...]  # kinds of the artifacts that the records' content can depend on
    listed: int  # people in the cohort's list
    used: int  # rows
    persons: int  # different names that the rows bear
    named: bool  # whether a sheet says whose each record is

    def facts(self, section: Settings, source: Source) -> dict[str, Any]:
        """Return what any release states of its people: who was used, and how records, persons and noise were treated.

        Parameters
        ----------
        section : mapping
            Settings of their branch.
        source : SecureNoise or SeededNoise
            The noise.
        """
        said = section["persons"] if self.named else "declared"
        return {
            "noise_secure": source.secure,
            "rounding_counted": True,
            "rejected_become": "reference" if self.used == self.listed else "dropped",
            "persons": said if self.persons == self.used else "repeated",
        }


@dataclass(frozen=True, kw_only=True)
class People(Rows):
    """Whose statistic is released: rows of a per-person array, with who was rejected as the reference."""

    n: int  # public
    records: str  # keyed digest of all records as they came
    marks: Sequence[Marks] = ()  # of everybody, by which the ledger's folder tells who stands in other populations, too
    # Arrays that decide the statistic, too: which records could be used, and covariates.
    other_inputs: tuple[Any, ...] = ()
    group: spending.Group | None = None
    evidence: Evidence


@dataclass(frozen=True)
class Request:
    """A release that is asked for, as the ledger knows it; both digests stay in the ledger."""

    population: str
    branch: str
    # Of the folder; the same statistic under another name is still the same release.
    name: str
    settings: dict  # public, without seed, paths or names
    # Keyed digest of the people's records, by `digest_records`.
    records: str
    inputs_digest: str  # of all else that decides the statistic
    # What the mechanism claims; it is recorded as `none` if a condition fails.
    cost: Cost
    cap: spending.Cap = spending.UNCAPPED
    group: spending.Group | None = None
    reproduction: bool = False  # whether a release without guarantee is asked for; otherwise such a one is refused
    # By settings.checks.collect_declared; printed in the statement, and no part of what makes requests the same.
    declared: dict = field(default_factory=dict)
    marks: Sequence[Marks] = ()  # who the people are, as the ledgers know them
    disjoint_from: Sequence[str] = ()  # the populations whose ledgers are declared to be of other people

    def digest(self) -> str:
        """Return what makes two requests the same release, which is then given back and not charged again.

        It is of statistic, settings, inputs and guarantee.
        """
        group = [self.group.name, self.group.membership, self.group.partition] if self.group else None
        cost = [self.cost.kind, self.cost.mu, self.cost.epsilon]
        return population_ledger.digest_value(
            [self.population, self.branch, group, cost, self.settings, self.records, self.inputs_digest],
        )

    def line(self) -> dict[str, Any]:
        """Return what the ledger's line says of the release besides its digest, cost and group."""
        names = "branch", "name", "records", "settings", "reproduction"
        return {**{name: getattr(self, name) for name in names}, "inputs": self.inputs_digest}


def inputs_digest(digests: list[str], seed: int | None = None) -> str:
    """Return one digest of the keyed digests of all inputs but the records, and of the seed where there is one."""
    # In order of the digests, so that it does not matter in which order inputs were named.
    return population_ledger.digest_value([sorted(digests), seed])


@dataclass(frozen=True)
class Release(Staged):
    """An entry of `releases:`. Its statistics follow from settings, n and earlier noised answers, never from people."""

    entry: Settings
    section: Settings  # settings of its branch
    privacy: Settings  # settings of that name
    mechanism: Mechanism

    branch: ClassVar[str]
    # What the released artifact is called, which says of which kind it is.
    file: ClassVar[str]

    @abstractmethod
    def settings(self) -> dict:
        """Return the public settings, without names and paths."""

    @abstractmethod
    def digests(self, key: bytes, people: People) -> list[str]:
        """Return keyed digests of all that decides the statistic but the records: public objects, `other_inputs`."""

    @abstractmethod
    def facts(self, people: People, source: Source) -> Facts:
        """Return what is known before anything is drawn; the conditions are checked on it."""

    @abstractmethod
    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Return what the artifact holds besides the settings: post-processing of the noised answers."""

    def drawn(self, answers: tuple[NDArray, ...]) -> dict[str, Any] | None:
        """Return what is kept of the answers to be pooled with other releases; None where such ones do not add up."""
        return None

    def complete_facts(self, facts: Facts, answers: tuple[NDArray, ...]) -> Facts:
        """Return the facts with what the answers themselves tell: post-processing, so it costs nothing."""
        return facts

    def stage(self, answers: tuple[NDArray, ...]) -> Statistic | None:
        """Return the statistic to ask after these answers; None where all are given."""
        return self.mechanism.stage(answers)

    def request(self, people: People, key: bytes) -> Request:
        """Return what the ledger is asked for: by it the ledger refuses, charges, or knows a release made before.

        Parameters
        ----------
        people : People
            Whose statistic it is.
        key : bytes
            Of the ledger's digests.
        """
        return Request(
            population=self.privacy["population"][self.branch],
            branch=self.branch,
            name=self.entry["name"],
            settings=self.settings(),
            records=people.records,
            inputs_digest=inputs_digest(self.digests(key, people), self.privacy["seed"]),
            cost=self.mechanism.cost(),
            cap=spending.Cap(**self.privacy["cap"][self.branch]),
            group=people.group,
            reproduction=self.entry["reproduction"]
            if "reproduction" in self.entry
            else read_default(f"{self.branch}.releases[].reproduction"),
            declared=checks.collect_declared(self.privacy, self.branch),
            marks=people.marks,
            disjoint_from=conditions.declared_facts(self.privacy)["disjoint_from"],
        )

    def files(self, answers: tuple[NDArray, ...]) -> dict[str, bytes]:
        """Return {name: bytes} of the released artifact to store and show; it holds the declared fields alone."""
        written = {self.file: artifact_bytes(self.file, self.fields(answers), self.settings())}
        if (drawn := self.drawn(answers)) is not None:
            written[DRAWN_FILE] = artifact_bytes(DRAWN_FILE, drawn, self.settings())
        return written


def make_bounds(stated: Sequence[tuple], by_settings: Sequence[str], origin: Origin) -> tuple[Bound, ...]:
    """Return the bounds that noise is scaled to, with where each comes from, for a statement to say.

    Parameters
    ----------
    stated : sequence of (str, value, str)
        Name, value and unit of each.
    by_settings : sequence of str
        Names of those that the settings give.
    origin : Origin
        Of the others.
    """
    settings = Origin("config")
    return tuple(Bound(name, value, unit, settings if name in by_settings else origin) for name, value, unit in stated)


def artifact_bytes(file: str, fields: dict[str, Any], settings: dict) -> bytes:
    """Return the bytes of a released artifact, which the ledger stores and the folder shows: the same for each making.

    Parameters
    ----------
    file : str
        Its name, which says of which kind it is.
    fields : dict
        What it holds besides the settings.
    settings : dict
        The public ones.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / file
        with artifacts.writer(path, KINDS[file]) as out:
            out.set(**fields, settings=json.dumps(settings, sort_keys=True))
        return path.read_bytes()


# Bytes of a digest.
SIZE = 32
# Records read at a time, so that a cohort need not fit into memory.
BLOCK = 256


def digest_arrays(key: bytes, *values: Any) -> str:
    """Return the keyed digest of arrays and texts in this order: dtype, shape and content of each."""
    return hashlib.blake2b(b"".join(_digest(key, value) for value in values), key=key, digest_size=SIZE).hexdigest()


def digest_records(
    key: bytes, read: Callable[[int, int], NDArray], count: int, side_values: Sequence[Any] | None = None
) -> tuple[str, list[Marks]]:
    """Return the digest by which the ledger knows these records again, in any order, and the marks of each person.

    The marks tell whether people stand in another population, too. The digest is keyed, so that it tells nobody of
    records.

    Parameters
    ----------
    key : bytes
        Of the ledger's digests.
    read : callable
        (start, stop) -> (stop - start, ...) array, one row a record.
    count : int
        How many records there are.
    side_values : sequence or None
        Of each record, numbers or words that decide the statistic with it, such as covariates.
    """
    rows, marks = [], []
    for start in range(0, count, BLOCK):
        block = np.asarray(read(start, min(start + BLOCK, count)))
        rows += [_digest(key, record) for record in block]
        marks += shared_people.mark_records(key, block)
    # The same face with another age is another record of a model.
    if side_values is not None:
        rows = [record + _digest(key, side_value) for record, side_value in zip(rows, side_values, strict=True)]
    # Sorted, so that the same people in another order are the same records.
    return hashlib.blake2b(b"".join(sorted(rows)), key=key, digest_size=SIZE).hexdigest(), marks


def _digest(key, value):
    """Return the keyed digest of one array, by which `digest_records` knows a record again."""
    array = np.ascontiguousarray(value)
    # Type and shape count: the same bytes as other numbers, or cut into other rows, are another record.
    state = hashlib.blake2b(f"{array.dtype.str} {array.shape} ".encode("ascii"), key=key, digest_size=SIZE)
    state.update(array.tobytes())
    return state.digest()


@dataclass(frozen=True)
class Part:
    """The part of a cohort that a release is of."""

    rows: np.ndarray  # that are read: those of its members, or everybody's where membership is private
    n: int  # public
    group: spending.Group | None  # how it is charged
    members: np.ndarray | None = None  # where membership is private, which of the rows enter the sums


def select_part(
    name: str | None, privacy: dict[str, Any], key: bytes, ids: Sequence[str], group_of: Sequence[str]
) -> Part:
    """Return the Part of a cohort that a release is of: whose rows are summed, how many, whom it is charged to.

    n is that of a group whose members are known, or the declared size of one whose members are not.

    Parameters
    ----------
    name : str or None
        Of a group; None for everybody.
    privacy : mapping
        The settings of that section.
    key : bytes
        Of the ledger's digests.
    ids, group_of : sequence of str
        The people and their groups, row by row.
    """
    if name is None:
        return Part(np.arange(len(ids)), len(ids), None)
    groups, members = privacy["groups"], np.array(group_of) == name
    # A digest of who is in which group: costs of two groups may be set against each other under one division alone.
    partition = digest_arrays(key, *sorted(f"{person}={group}" for person, group in zip(ids, group_of, strict=True)))
    charged_group = spending.Group(name, groups["membership"], partition)
    if charged_group.membership == spending.PUBLIC:
        return Part(np.flatnonzero(members), int(members.sum()), charged_group)
    if name not in groups["sizes"]:
        raise RefusedRelease(f"group '{name}' needs a public size in privacy.groups.sizes")
    # Everybody's row is read, since who belongs to the group is protected; n is the declared size.
    return Part(np.arange(len(ids)), groups["sizes"][name], charged_group, members)


def part_settings(name: str | None, privacy: dict[str, Any], n: int) -> dict[str, Any]:
    """Return what the public settings of a release say of its group; nothing where it is of everybody."""
    return {} if name is None else {"groups": {"membership": privacy["groups"]["membership"], "count": n}}
