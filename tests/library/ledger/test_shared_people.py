"""People who stand in two populations are known again, person by person; they are told, and nothing is refused."""

import numpy as np
import pytest

from shapedp.ledger import shared_people

KEY, COUNT = b"k" * 32, 20
RECORDS = np.random.default_rng(4).normal(size=(COUNT, 12, 2)) * 50


def entered(folder, population, records):
    people = shared_people.mark_records(KEY, records)
    shared_people.remember(folder, population, people)
    return people


def shared(folder, records):
    return shared_people.count_shared(folder, "second", shared_people.mark_records(KEY, records)).get("first", 0)


def with_one(change):
    records = RECORDS.copy()
    records[3] = change(records[3])
    return records


SAME = {  # how people come back, and how many of those listed then are known again
    "as they were": (RECORDS, COUNT),
    "in another order": (RECORDS[::-1], COUNT),
    "all doubled": (2 * RECORDS, COUNT),
    "in another unit": (RECORDS / 25.4, COUNT),
    "each twice": (np.concatenate([RECORDS, RECORDS]), 2 * COUNT),
    "one left out": (RECORDS[1:], COUNT - 1),
    "one changed by 1e-9": (with_one(lambda record: record + np.linspace(0, 1e-9, 24).reshape(12, 2)), COUNT),
    "all changed by 1e-9": (RECORDS + np.linspace(0, 1e-9, RECORDS.size).reshape(RECORDS.shape), COUNT),
    "one of another person": (with_one(lambda record: record[::-1]), COUNT - 1),
    "doubled, one left out, one changed by 1e-9": (
        2 * with_one(lambda record: record + 1e-9 * record**2)[1:],
        COUNT - 1,
    ),
    "other people": (np.random.default_rng(9).normal(size=RECORDS.shape) * 50, 0),
}


@pytest.mark.parametrize("how", SAME)
def test_the_same_people_are_known_again(tmp_path, how):
    entered(tmp_path, "first", RECORDS)
    records, count = SAME[how]
    assert shared(tmp_path, records) == count


def test_a_missing_landmark_is_part_of_a_record_and_an_empty_one_is_nobody(tmp_path):
    records = RECORDS.copy()
    records[0, 2] = np.nan
    records[1], records[2] = np.nan, 0.0
    entered(tmp_path, "first", records)
    assert shared(tmp_path, records) == COUNT - 2 and len(shared_people.read_known(tmp_path, "first")) == COUNT - 2


@pytest.mark.parametrize("value", [1.8e308, -1e308, 1e-320, np.inf])
def test_no_record_stops_it(tmp_path, value):
    records = RECORDS.copy()
    records[0, 0, 0], records[1] = value, value
    entered(tmp_path, "first", records)
    assert shared(tmp_path, records) >= COUNT - 2


def test_files_are_known_by_their_bytes_whatever_was_made_of_them(tmp_path):
    for name, size in (("a", 3), ("b", 100_000), ("copy", 100_000), ("empty", 0)):
        (tmp_path / name).write_bytes(np.random.default_rng(size).bytes(size))
    (tmp_path / "other").write_bytes(np.random.default_rng(7).bytes(100_000))
    paths = [(name, tmp_path / name) for name in ("a", "b", "copy", "other", "empty", "gone")]
    marks = shared_people.mark_files(KEY, paths)
    assert marks["b"] == marks["copy"] not in (marks["a"], marks["other"]) and not marks["empty"] and not marks["gone"]
    assert shared_people.mark_file(b"o" * 32, tmp_path / "a") != marks["a"]
    several = shared_people.mark_files(KEY, [("p", tmp_path / "a"), ("p", tmp_path / "b")])
    assert several == {"p": marks["a"] | marks["b"]}


def test_a_person_with_new_records_stays_one_person(tmp_path):
    file, old, new = frozenset(["f"]), frozenset(["old"]), frozenset(["new"])
    shared_people.remember(tmp_path, "first", [file | old, frozenset(["other"])])
    shared_people.remember(tmp_path, "first", [file | new])
    assert set(shared_people.read_known(tmp_path, "first")) == {file | old | new, frozenset(["other"])}
    assert shared_people.complete_marks(tmp_path, "first", [file, frozenset(["x"])]) == [
        file | old | new,
        frozenset(["x"]),
    ]
    assert shared_people.count_shared(tmp_path, "second", [new, old]) == {"first": 2}
    assert (tmp_path / "first.people").stat().st_mode & 0o777 == 0o600


def test_the_operator_is_told_what_to_do(tmp_path):
    people = entered(tmp_path, "first", RECORDS)
    (line,) = shared_people.describe_shared(tmp_path, "second", people[:7], [])
    assert "7 of its 7 people stand in population 'first', too" in line and "disjoint_from: [first]" in line
    (line,) = shared_people.describe_shared(tmp_path, "second", people[:7], ["first"])
    assert "declares that nobody does" in line
    assert list(shared_people.describe_shared(tmp_path, "first", people, [])) == []
