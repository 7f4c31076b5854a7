"""The chain notices what was changed, moved, cut off or lost; entries never depend on the clock."""

import datetime
import json
import os
import stat
import subprocess
import sys

import pytest

from library.releases import examples
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.ledger import ledger_folder, population_ledger
from shapedp.ledger import population_ledger as books
from shapedp.ledger.spending import UNCAPPED
from shapedp.privacy.accounting.cost import Cost


@pytest.fixture
def book(tmp_path):
    """Three releases of one population."""
    for index in range(3):
        settings = {**examples.SETTINGS, "budget": {"mu_total": 1.0 + index}}
        asked = examples.request(name=f"face{index}", settings=settings, cost=Cost("gdp", mu=1.0 + index))
        shown = examples.output(tmp_path, asked.name)
        examples.publish(
            ledger_folder.Ledger(tmp_path / "ledger"), asked, examples.stated(), examples.Draw(settings), shown
        )
    return ledger_folder.Ledger(tmp_path / "ledger")


def lines(book):
    return (book.folder / "people.jsonl").read_bytes().splitlines(keepends=True)


def rewrite(book, changed):
    (book.folder / "people.jsonl").write_bytes(b"".join(changed))


def refused(book, words):
    with pytest.raises(ArtifactError, match=words), book.open_book("people"):
        pass


def test_the_table_lists_what_was_spent(book):
    rows = book.list_releases("people")
    assert [row["mu"] for row in rows] == [1.0, 2.0, 3.0]
    assert rows[-1]["total_mu"] == pytest.approx(14**0.5, rel=1e-15)
    assert {row["status"] for row in rows} == {"released"}
    assert book.list_populations() == ["people"]


def test_what_was_spent_is_the_total_of_the_table(book):
    assert book.sum_spent("people").mu == book.list_releases("people")[-1]["total_mu"]


def test_asking_for_an_unknown_population_makes_nothing(tmp_path):
    book = ledger_folder.Ledger(tmp_path / "ledger")
    assert book.list_releases("people") == [] and book.sum_spent("people").mu == 0.0
    assert not book.folder.exists()


READ = "import sys; from shapedp.ledger.ledger_folder import Ledger; Ledger(sys.argv[1]).list_releases('people')"


@pytest.mark.slow
def test_reading_waits_for_a_release_that_is_being_made(book):
    """A reader between an intent and its copy would take the ledger for damaged. Not forked: forks share the lock."""
    with book.open_book("people"):
        path = {"PYTHONPATH": os.pathsep.join(sys.path)}
        reader = subprocess.Popen([sys.executable, "-c", READ, book.folder], env=path)
        with pytest.raises(subprocess.TimeoutExpired):
            reader.wait(timeout=2)
    assert reader.wait(timeout=60) == 0


def test_a_changed_amount_is_noticed(book):
    found = lines(book)
    rewrite(book, [found[0], found[1].replace(b'"mu":1.0', b'"mu":0.1'), *found[2:]])
    refused(book, "line 2: changed")


def test_a_changed_amount_with_its_own_digest_is_noticed_by_the_next_line(book):
    found = lines(book)
    entry = json.loads(found[1])
    entry["cost"]["mu"] = 0.1
    del entry["digest"]
    entry["digest"] = population_ledger.digest_value(entry)
    rewrite(book, [found[0], population_ledger.to_canonical(entry).encode() + b"\n", *found[2:]])
    refused(book, "line 3: changed")


def test_a_lost_line_is_noticed(book):
    found = lines(book)
    rewrite(book, found[:2] + found[3:])
    refused(book, "line 3: changed, moved")


def test_a_shortened_ledger_is_noticed_by_its_head(book):
    rewrite(book, lines(book)[:-2])
    refused(book, "cut off")


def test_a_shortened_ledger_without_its_head_is_noticed(book):
    rewrite(book, lines(book)[:-2])
    (book.folder / "people.head").unlink()
    refused(book, "head: missing")


def test_a_deleted_ledger_is_noticed_by_the_stored_copies(book):
    (book.folder / "people.jsonl").unlink()
    (book.folder / "people.head").unlink()
    refused(book, "no line for the release")


def test_the_head_may_be_one_line_behind(book):
    """The process was stopped between the line and the head."""
    found = lines(book)
    entry = json.loads(found[-2])
    (book.folder / "people.head").write_text(f"{entry['entry'] + 1} {entry['digest']}\n")
    with book.open_book("people") as opened:
        assert len(opened.list_intents()) == 3


def test_an_unfinished_line_is_dropped(book):
    with (book.folder / "people.jsonl").open("ab") as stream:
        stream.write(b'{"event":"intent","cost":{"kind"')
    with book.open_book("people") as opened:
        opened.reserve("cd" * 32, Cost("gdp", mu=1.0), UNCAPPED, None, branch="faces", name="again", records="ef" * 32)
    assert [row["status"] for row in book.list_releases("people")] == ["released"] * 3 + ["spent, never released"]


def test_a_changed_copy_is_never_shown(book, tmp_path):
    copy = next((book.folder / "people").glob("*/mean_face.h5"))
    copy.write_bytes(copy.read_bytes()[:-1] + b"x")
    with pytest.raises(ArtifactError, match="changed since its release"), book.open_book("people") as opened:
        opened.read_stored(next(one for one in opened.list_intents() if opened.locate_folder(one) == copy.parent))


def test_the_clock_decides_nothing(tmp_path, monkeypatch):
    class Backwards(datetime.datetime):
        year_now = 2030

        @classmethod
        def now(cls, zone=None):
            cls.year_now -= 10
            return cls(cls.year_now, 1, 1, tzinfo=zone)

    monkeypatch.setattr(books, "datetime", Backwards)
    opening = ledger_folder.Ledger(tmp_path)
    for mu in (1.0, 2.0):
        with opening.open_book("people") as opened:
            opened.reserve(str(mu), Cost("gdp", mu=mu), UNCAPPED, None, branch="faces", name="a", records="ef" * 32)
    rows = opening.list_releases("people")
    assert [row["mu"] for row in rows] == [1.0, 2.0]
    assert rows[0]["time"] > rows[1]["time"]


def test_git_never_tracks_a_ledger_and_nobody_else_reads_it(book):
    assert (book.folder / ".gitignore").read_text() == "*\n"
    for path in [book.folder / name for name in ("people.jsonl", "people.lock", "key", ".lock")]:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["../people", "a/b", "", ".hidden", "a" * 65, "a\nb"])
def test_a_population_cannot_name_a_path(tmp_path, name):
    with pytest.raises(ConfigError, match="population"), ledger_folder.Ledger(tmp_path).open_book(name):
        pass
