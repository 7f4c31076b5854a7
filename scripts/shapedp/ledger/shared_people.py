"""People who stand in the ledgers of two populations: told to the operator alone, and never a reason to refuse.

Beside the ledger of a population lie keyed marks of its people, one line a person: of the bytes of each of their scan
files, and of what was made of their records. Two entries are taken for one person where any mark agrees. A record is
marked by some of its numbers, in a unit of its own size and rounded, so that the same person is known again after a
change of unit, of the file's format or of last digits. What was spent on one name is not counted under the other, but
no count of people may decide whether a release exists: then one record would decide.

    <folder>/<population>.people   marks of 32 hexadecimal digits, mode 0600; what falls out of a cohort stays listed
    <folder>/<population>.rosters  by the digest of a release's line in the ledger, its people as numbers of those lines
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shapedp.base.runs.logs import log
from shapedp.ledger import population_ledger
from shapedp.ledger.population_ledger import PopulationLedger

Marks = frozenset[str]  # of one person

SIZE = 16  # bytes of a mark
NUMBERS = 60  # of a record, taken evenly, that a mark is made of
STEP = 1e-5  # in units of the record's own size
PHASES = (0.0, 0.5)  # of two roundings, since a number may lie where one of them turns
BLOCK = 4096  # bytes at the beginning, in the middle and at the end of a file
MISSING = np.iinfo(np.int64).min


def mark_file(key: bytes, path: Path | str) -> Marks:
    """Return the keyed mark by which a scan's file is known again: of its size and three blocks of its bytes.

    None of a file that is empty or not there.
    """
    try:
        with Path(path).open("rb") as stream:
            size = stream.seek(0, 2)
            blocks = []
            for start in (0, size // 2, max(0, size - BLOCK)):
                stream.seek(start)
                blocks.append(stream.read(BLOCK))
    except OSError:
        return frozenset()
    return frozenset([_hash_mark(key, b"file", str(size).encode(), *blocks)]) if size else frozenset()


def mark_files(key: bytes, scans: Iterable[tuple[str, str]]) -> dict[str, Marks]:
    """Return {person: marks of their files}, by which people are known again in another population.

    Parameters
    ----------
    key : bytes
        The secret key of the ledgers' folder.
    scans : iterable of tuple
        (person, path) of each.
    """
    marks: dict[str, Marks] = {}
    for person, path in scans:
        marks[person] = marks.get(person, frozenset()) | mark_file(key, path)
    return marks


def mark_records(key: bytes, records: NDArray) -> list[Marks]:
    """Return the marks of each record, by which its person is known again in other units or file formats.

    There are none where all its numbers are missing or the same, as of who was rejected.

    Parameters
    ----------
    key : bytes
        The secret key of the ledgers' folder.
    records : (n, ...) array
        Numbers of each record, in any unit.
    """
    marks = []
    for record in np.asarray(records, dtype=float):
        is_known, shape, record_marks = np.isfinite(record), str(record.shape).encode(), []
        with np.errstate(all="ignore"):
            middle = np.sum(record, axis=0, where=is_known) / is_known.sum(axis=0)
            deviations = np.ravel(record - middle)
            size = np.sqrt(np.sum(deviations**2, where=is_known.ravel()) / is_known.sum())
            # Evenly over the record, in units of its own size: another unit or file format leaves these numbers as they
            # are.
            numbers = deviations[np.linspace(0, deviations.size - 1, min(NUMBERS, deviations.size)).astype(int)] / size
            for phase_number, phase in enumerate(PHASES if np.isfinite(size) and size > 0 else ()):
                steps = np.floor(numbers / STEP + phase)
                # Rounded, so that the same person is known again after a change of last digits.
                whole_steps = np.where(np.isfinite(steps), steps, MISSING).astype(np.int64)
                record_marks.append(_hash_mark(key, b"%d" % phase_number, shape, whole_steps.tobytes()))
        marks.append(frozenset(record_marks))
    return marks


def enter(book: PopulationLedger, head: str, people: Sequence[Marks], disjoint_from: Sequence[str]) -> None:
    """Enter the people of a release into its population, and tell the operator who stands in others, too.

    Parameters
    ----------
    book : PopulationLedger
        The population's ledger.
    head : str
        Digest of the release's line in the ledger.
    people : sequence of Marks
        Of each person.
    disjoint_from : sequence of str
        The populations that the settings declare to be of other people.
    """
    for line in describe_shared(book.folder, book.population, people, disjoint_from):
        log.warning("%s", line)
    remember(book.folder, book.population, people)
    # After `remember`, since a roster names lines of the file of marks.
    _keep_roster(book.folder, book.population, head, people)


def _keep_roster(folder, population, head, people):
    """Note who a release is of, by their numbers among the population's marks, to tell later who is in several.

    None stands for a person without a mark.
    """
    people_known = read_known(folder, population)
    numbers_by_mark = {mark: number for number, marks in enumerate(people_known) for mark in marks}
    numbers = [next((numbers_by_mark[mark] for mark in sorted(marks)), None) for marks in people]
    path, rosters = _read_rosters(folder, population)
    if rosters.get(head) != numbers:
        text = json.dumps({**rosters, head: numbers}, separators=(",", ":"))
        population_ledger.write_whole(path, f"{text}\n".encode("ascii"))


def _read_rosters(folder, population):
    path = Path(folder) / f"{population}.rosters"
    return path, json.loads(path.read_text(encoding="ascii")) if path.exists() else {}


def read_roster(folder: Path, population: str, head: str) -> list[Marks] | None:
    """Return the marks of each person of a release, to tell an operator who pools how many are in others, too.

    None without a roster of it. A person of whom nothing is known has no marks.

    Parameters
    ----------
    folder : path
        Of the ledgers.
    population : str
        Whose ledger.
    head : str
        Digest of the release's line in the ledger.
    """
    numbers, people_known = _read_rosters(folder, population)[1].get(head), read_known(folder, population)
    if numbers is None or any(number is not None and number >= len(people_known) for number in numbers):
        return None
    return [frozenset() if number is None else people_known[number] for number in numbers]


def count_in_both(people: Iterable[Marks], others: Iterable[Marks]) -> int:
    """Return how many of the people are among the others, by their marks: who pays twice.

    Parameters
    ----------
    people, others : iterable of Marks
        Of each person.
    """
    other_marks = frozenset().union(*others)
    return sum(not other_marks.isdisjoint(marks) for marks in people)


def count_people(rosters: Iterable[Sequence[Marks]]) -> int:
    """Return how many people several releases have together; one of whom no mark is known counts each time."""
    marks_seen: set[str] = set()
    count = 0
    for people in rosters:
        count += sum(marks_seen.isdisjoint(marks) for marks in people)
        marks_seen = marks_seen.union(*people)
    return count


def remember(folder: Path, population: str, people: Iterable[Marks]) -> None:
    """Add people, by their marks, to those that a population's ledger knows, to know them again in another release.

    One of whom a mark is known gets the others. Call it under a lock.
    """
    people_known = [set(person_marks) for person_marks in read_known(folder, population)]
    people_before = [set(person_marks) for person_marks in people_known]
    people_by_mark = {mark: person_marks for person_marks in people_known for mark in person_marks}
    for marks in filter(None, people):
        person = next((people_by_mark[mark] for mark in sorted(marks) if mark in people_by_mark), None)
        if person is None:
            people_known.append(person := set())
        person |= marks
        people_by_mark |= dict.fromkeys(marks, person)
    if people_known != people_before:
        text = "".join(" ".join(sorted(person_marks)) + "\n" for person_marks in people_known)
        population_ledger.write_whole(folder / f"{population}.people", text.encode("ascii"))


def read_known(folder: Path, population: str) -> list[Marks]:
    """Return the marks of each person of a population that a release was made of."""
    path = Path(folder) / f"{population}.people"
    return [frozenset(line.split()) for line in path.read_text(encoding="ascii").splitlines()] if path.exists() else []


def complete_marks(folder: Path, population: str, people: Iterable[Marks]) -> list[Marks]:
    """Return the people, each with all marks that their own population's ledger has, to seek them in others' by any.

    A forecast warns by it before records are read, when only files have marks; nothing is charged by it.

    Parameters
    ----------
    folder : path
        Of the ledgers.
    population : str
        Whose ledger.
    people : iterable of Marks
        Of each person.
    """
    people_known = read_known(folder, population)
    people_by_mark = {mark: person_marks for person_marks in people_known for mark in person_marks}
    return [marks.union(*(people_by_mark[mark] for mark in marks if mark in people_by_mark)) for marks in people]


def count_shared(folder: Path, population: str, people: Sequence[Marks]) -> dict[str, int]:
    """Return {other population: how many of these people stand in its ledger, too}, where there are any."""
    counts = {}
    for path in sorted(Path(folder).glob("*.people")):
        if path.stem != population:
            counts[path.stem] = count_in_both(people, read_known(folder, path.stem))
    return {other: count for other, count in counts.items() if count}


def describe_shared(
    folder: Path, population: str, people: Sequence[Marks], disjoint_from: Sequence[str]
) -> Iterator[str]:
    """Yield what to tell the operator of people who stand in other populations, too.

    Parameters
    ----------
    folder : path
        Of the ledgers.
    population : str
        Whose people they are.
    people : sequence of Marks
        Of each person.
    disjoint_from : sequence of str
        The populations that the settings declare to be of other people.
    """
    for other, count in count_shared(folder, population, people).items():
        sentence = f"population '{population}': {count} of its {len(people)} people stand in population '{other}', too"
        if other in disjoint_from:
            remedy = (
                f"and privacy.disjoint_from declares that nobody does: every statement prints that. Take '{other}' out "
                "of it unless you know better"
            )
        else:
            remedy = (
                "and a release here does not count against the budget there: give both one name in "
                "privacy.population, or, if these are different people all the same, declare it: "
                f"privacy.disjoint_from: [{other}]"
            )
        yield f"{sentence}, {remedy}"


def _hash_mark(key, *parts):
    """Return one mark, in hexadecimal digits: the keyed hash of bytes of a scan file, or of a record's rounded numbers.

    Without the ledger folder's key nobody can try whose file or record it is of.

    Parameters
    ----------
    key : bytes
        The secret key of the ledgers' folder.
    *parts : bytes
        Hashed each with its length, so that no two lists of parts run into the same bytes.
    """
    state = hashlib.blake2b(key=key, digest_size=SIZE)
    for part in parts:
        state.update(len(part).to_bytes(8, "big") + part)
    return state.hexdigest()
