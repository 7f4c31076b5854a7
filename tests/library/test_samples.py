"""A cohort is what its folder, glob or sheet says, or a message that names the rows at fault."""

import pytest

from shapedp import samples
from shapedp.errors import ConfigError


@pytest.fixture
def folder(tmp_path):
    for name in ("a.ply", "b.xyz", "c.npy", "notes.md"):
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


def sheet(folder, *rows, header="id\tpath\tperson\tgroup\tnose_x\tnose_y\tnose_z"):
    path = folder / "sheet.tsv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return str(path)


def test_a_folder_and_a_glob_name_their_scans(folder):
    assert [sample.id for sample in samples.find(str(folder))] == ["a", "b", "c"]
    assert [sample.id for sample in samples.find(f"{folder}/[ab].*")] == ["a", "b"]


def test_a_sheet_is_read_relative_to_itself(folder):
    first, second = samples.find(sheet(folder, "p1\ta.ply\tann\twomen\t1\t2\t-3.5", "p2\tb.xyz\t\t\t\t\t"))
    assert first == samples.Sample("p1", str(folder / "a.ply"), "ann", "women", (1.0, 2.0, -3.5))
    assert second == samples.Sample("p2", str(folder / "b.xyz"), "p2", "", None)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["p\ta.ply", "p\tb.xyz"], "the id stands more than once: 'p' in rows 2, 3"),
        (["p\ta.ply", "q\tnone.ply"], "1 scan(s) not found beside the sheet: row 3"),
        (["p\ta.ply\tann", "q\tb.xyz\tann"], "the person stands more than once: 'ann' in rows 2, 3"),
        (["p\ta.ply", "../q\tb.xyz"], "row 3: the id '../q' is not allowed"),
        (["p\ta.ply", "/etc/q\tb.xyz"], "row 3: the id '/etc/q' is not allowed"),
        (["p\ta.ply", "q\u202e\tb.xyz"], "row 3: the id"),
        (["p\ta.ply", ".hidden\tb.xyz"], "row 3: the id '.hidden' is not allowed"),
        (["p\ta.ply", "q\tb.xyz\t\t\t1\t\t"], "row 3: nose_x, nose_y, nose_z"),
        (["p\ta.ply", "q\tb.xyz\t\t\t1\tnan\t2"], "row 3: nose_x, nose_y, nose_z"),
        (["p\ta.ply"], "holds 1 scan(s); a mean needs at least 2"),
    ],
)
def test_each_fault_names_its_row(folder, rows, words):
    padded = [row + "\t" * (6 - row.count("\t")) for row in rows]
    with pytest.raises(ConfigError) as caught:
        samples.find(sheet(folder, *padded))
    assert words in str(caught.value)


def test_two_scans_of_a_person_may_be_averaged(folder):
    path = sheet(folder, "p\ta.ply\tann\t\t\t\t", "q\tb.xyz\tann\t\t\t\t")
    assert [sample.person for sample in samples.find(path, persons="average")] == ["ann", "ann"]


def test_unknown_and_missing_columns_are_named(folder):
    with pytest.raises(ConfigError, match=r"unknown column\(s\) colour"):
        samples.find(sheet(folder, "p\ta.ply\tred", header="id\tpath\tcolour"))
    with pytest.raises(ConfigError, match=r"needs the column\(s\) path"):
        samples.find(sheet(folder, "p", header="id"))


def test_batches_hold_every_sample_once_in_order(folder):
    cohort = [samples.Sample(str(i), "", str(i)) for i in range(23)]
    split = samples.batches(cohort, 10)
    assert list(split) == ["1", "2", "3"]
    assert [sample for batch in split.values() for sample in batch] == cohort


@pytest.mark.parametrize(("count", "jobs"), [(20, 1), (64, 3), (1000, 8), (10_000, 40), (400_000, 1000)])
def test_automatic_batches_make_few_equal_jobs(count, jobs):
    sizes = [len(batch) for batch in samples.batches(range(count), "auto").values()]
    assert len(sizes) == jobs
    assert sum(sizes) == count
    assert max(sizes) - min(sizes) < jobs, "nobody waits for one long batch"
