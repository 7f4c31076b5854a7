"""A ledger that was lost or wound back: nothing is drawn beside what it lacks; statements give back what they say."""

import json
import os
import shutil
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from library.releases import examples
from shapedp.app.cli.commands import app
from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease
from shapedp.ledger import ledger_folder, restoring, spending
from shapedp.ledger.spending import Cap, Group
from shapedp.privacy.accounting.cost import Cost


class House:
    """A folder with a ledger and what it released."""

    def __init__(self, folder):
        self.folder, self.ledger = folder, ledger_folder.Ledger(folder / "ledger")
        self.released = folder / "results" / "release"
        self.draw = examples.Draw()

    def publish(self, name, cost=1.0, cap=None, **changes):
        cost = Cost("gdp", mu=cost) if isinstance(cost, float) else cost
        asked = examples.request(name=name, inputs_digest=name, cost=cost, cap=Cap(mu_total=cap), **changes)
        asked = replace(asked, cap=Cap(mu_total=cap) if cap else spending.UNCAPPED)
        examples.publish(self.ledger, asked, examples.stated(), self.draw, examples.output(self.folder, name))
        return self.stated(name)

    def stated(self, name):
        return json.loads((examples.output(self.folder, name) / "statement.json").read_text())

    def backup(self):
        shutil.copytree(self.ledger.folder, self.folder / "backup")

    def wind_back(self):
        shutil.rmtree(self.ledger.folder)
        shutil.copytree(self.folder / "backup", self.ledger.folder)

    def restore(self):
        told = CliRunner().invoke(
            app, ["ledger", "restore", "people", "--from", str(self.released), "--folder", str(self.ledger.folder)]
        )
        if told.exception is not None and not isinstance(told.exception, SystemExit):
            raise told.exception
        return told.output

    @property
    def mu(self):
        return self.ledger.sum_spent("people").mu


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def test_an_older_backup_draws_nothing_until_what_it_lacks_is_entered(house):
    """A cap of 1.2 was passed like this, and the statement of what passed it said that it held."""
    house.publish("first", 0.3, cap=1.2)
    house.backup()
    house.publish("second", 1.0, cap=1.2)
    house.wind_back()
    drawn = house.draw.calls
    with pytest.raises(RefusedRelease, match=r"second: stands in no line .*shapedp ledger restore people --from"):
        house.publish("third", 0.65, cap=1.2)
    assert house.draw.calls == drawn and house.mu == pytest.approx(0.3)
    house.restore()
    assert house.mu == pytest.approx((0.3**2 + 1.0) ** 0.5, rel=1e-12)
    with pytest.raises(RefusedRelease, match="budget exceeded"):
        house.publish("third", 0.65, cap=1.2)
    assert house.publish("third", 0.5, cap=1.2)["budget"]["before"]["mu"] == pytest.approx(1.09**0.5, rel=1e-12)


def test_a_lost_ledger_is_entered_from_its_statements_with_its_cap(house):
    house.publish("first", 1.0, cap=2.0)
    house.ledger.raise_cap("people", Cap(mu_total=3.0), "the people were asked again")
    before = house.publish("second", 0.5, cap=3.0)["budget"]
    shutil.rmtree(house.ledger.folder)
    with pytest.raises(RefusedRelease, match=r"first: stands in no line"):
        house.publish("third", 0.5, cap=3.0)
    assert "2 line(s) entered" in house.restore()
    after = house.publish("third", 0.5, cap=3.0)["budget"]
    assert after["before"]["mu"] == pytest.approx(before["after"]["mu"], rel=1e-12)
    assert after["cap"] == {"mu_total": 3.0}
    assert [act["reason"] for act in after["raised"]] == ["the people were asked again"]


def test_pure_releases_that_were_entered_with_gaussian_ones_do_not_pass_for_pure(house):
    """The last statement alone is left: its totals hide how much of them was Gaussian."""
    house.publish("first", 1.0)
    for name in ("second", "another"):
        house.publish(name, Cost("pure", epsilon=1.0))
    known = house.publish("third", Cost("pure", epsilon=1.0))["budget"]["after"]["at_delta"]
    assert known["by"] == "mixed" and known["epsilon"] > 6
    for name in ("first", "second", "another"):
        shutil.rmtree(examples.output(house.folder, name))
    shutil.rmtree(house.ledger.folder)
    house.restore()
    told = house.publish("fourth", Cost("pure", epsilon=0.01))["budget"]["after"]["at_delta"]
    assert told["by"] in ("gdp", "zcdp") and told["epsilon"] >= known["epsilon"]


def test_the_same_command_again_enters_nothing(house):
    house.publish("first")
    shutil.rmtree(house.ledger.folder)
    house.restore()
    table = house.ledger.list_releases("people")
    assert [(row["name"], row["mu"], row["status"]) for row in table] == [
        ("first", 1.0, "released, entered from its statement")
    ]
    assert "0 line(s) entered" in house.restore()
    assert house.ledger.list_releases("people") == table
    stated = restoring.read_published(house.released)
    assert [fault for _, fault in ledger_folder.check_published(house.ledger, "people", stated)] == [""]


def test_the_name_of_an_entered_release_stays_its_own(house):
    house.publish("first")
    shutil.rmtree(house.ledger.folder)
    house.restore()
    shutil.rmtree(examples.output(house.folder, "first"))
    with pytest.raises(RefusedRelease, match="the name of another release"):
        house.publish("first")


def test_what_no_statement_shows_is_counted_by_the_totals_of_those_after_it(house):
    """A release whose folder is gone, pure ones among them, with every currency at least what it was."""
    house.publish("first", 0.7)
    house.publish("pure", Cost("pure", epsilon=0.4))
    house.publish("more", Cost("gdp", mu=0.2, rho=0.015))
    house.publish("last", 0.5)
    before = house.ledger.sum_spent("people")
    for name in ("pure", "more"):
        shutil.rmtree(examples.output(house.folder, name))
    shutil.rmtree(house.ledger.folder)
    house.restore()
    after = house.ledger.sum_spent("people")
    assert after.mu == pytest.approx(before.mu, rel=1e-9)
    assert after.epsilon == pytest.approx(before.epsilon, rel=1e-9) and after.rho == pytest.approx(before.rho, rel=1e-9)
    assert [row["status"] for row in house.ledger.list_releases("people")].count(
        "spent before it, entered from its statement"
    )


def test_groups_are_entered_as_what_they_came_to_and_add_up_with_everything_after(house):
    """Who is in which group is lost with the ledger: two groups cost the larger, and a third adds to that."""
    group = {name: Group(name, "public", "sheet") for name in "abc"}
    house.publish("a", 1.0, group=group["a"])
    house.publish("b", 0.8, group=group["b"])
    shutil.rmtree(house.ledger.folder)
    house.restore()
    assert house.mu == pytest.approx(1.0, rel=1e-9)
    house.publish("c", 0.6, group=group["c"])
    assert house.mu == pytest.approx(1.36**0.5, rel=1e-9)


def test_beside_groups_that_the_ledger_still_has_lost_ones_cost_in_full(house):
    group = {name: Group(name, "public", "sheet") for name in "ab"}
    house.publish("a", 1.0, group=group["a"])
    house.backup()
    house.publish("b", 0.8, group=group["b"])
    house.wind_back()
    house.restore()
    house.publish("again", 0.8, group=group["b"])
    assert house.mu >= (2 * 0.8**2) ** 0.5  # those of b paid twice; a total of 1 would hide it


def test_a_release_without_guarantee_is_remembered(house):
    facts = examples.stated(noise_secure=False)
    asked = examples.request(name="open", reproduction=True)
    examples.publish(house.ledger, asked, facts, house.draw, examples.output(house.folder, "open"))
    shutil.rmtree(house.ledger.folder)
    house.restore()
    assert house.ledger.sum_spent("people").unprotected == 1
    assert house.publish("second")["budget"]["holds"] is False


def test_statements_of_others_and_files_of_other_software_stop_nobody(house, tmp_path):
    house.publish("first")
    house.publish("theirs", population="others")
    other = house.released / "faces" / "notes"
    other.mkdir()
    (other / "statement.json").write_text('{"of": "a bank"}')
    house.publish("second")
    assert house.mu == pytest.approx(2**0.5)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[" * 100_000, b'{"schema": "shapedp statement 3"}', b'{"budget": {"population": 7}}', b"\xff\xfe"],
    ids=["empty", "cut", "deep", "no_budget", "no_name", "bytes"],
)
def test_a_statement_that_cannot_be_read_stops_what_would_be_drawn(house, content):
    house.publish("first")
    (examples.output(house.folder, "first") / "statement.json").write_bytes(content)
    drawn = house.draw.calls
    with pytest.raises(ArtifactError, match=r"statement\.json: cannot be read as a statement"):
        house.publish("second")
    assert house.draw.calls == drawn and len(house.ledger.list_releases("people")) == 1


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_statement_that_is_no_plain_file_stops_what_would_be_drawn(house, make):
    path = house.folder / "results/release/faces/strange/statement.json"
    path.parent.mkdir(parents=True)
    make(path)
    with pytest.raises(ArtifactError, match=r"statement\.json: cannot be read as a statement"):
        house.publish("first")
    assert house.draw.calls == 0 and len(house.ledger.list_releases("people")) == 0


def edited(house, name, change):
    path = examples.output(house.folder, name) / "statement.json"
    stated = json.loads(path.read_text())
    change(stated)
    path.write_text(json.dumps(stated))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda stated: stated["guarantee"].update(mu=-1.0), "may not be published"),
        (lambda stated: stated["budget"]["after"].update(mu=10**400), "cannot be read as a statement"),
        (lambda stated: stated["budget"]["after"].update(mu=0.5), "differs from statement.json"),
        (lambda stated: stated["budget"].update(ledger_head="x"), "may not be published"),
        (lambda stated: stated["budget"].pop("after"), "may not be published"),
        (lambda stated: stated.update(more="words"), "may not be published"),
    ],
)
def test_a_statement_that_was_edited_enters_nothing(house, change, words):
    house.publish("first")
    shutil.rmtree(house.ledger.folder)
    edited(house, "first", change)
    with pytest.raises((ArtifactError, RefusedRelease), match=words):
        house.restore()
    assert house.ledger.list_releases("people") == []


def test_two_statements_of_one_line_enter_nothing(house):
    house.publish("first")
    shutil.copytree(examples.output(house.folder, "first"), house.released / "faces" / "copy")
    shutil.rmtree(house.ledger.folder)
    stated = restoring.read_published(house.released)
    (path,) = (path for path in stated if path.parent.name == "copy")
    stated[path]["budget"]["after"]["mu"] = 0.5
    with house.ledger.open_book("people") as book, pytest.raises(RefusedRelease, match="about a line of the ledger"):
        restoring.restore(book, stated)
    house.restore()
    assert house.mu == 1.0  # two folders of one line cost once


def test_figures_that_no_release_has_enter_nothing(house):
    house.publish("first")
    shutil.rmtree(house.ledger.folder)
    stated = restoring.read_published(house.released)
    next(iter(stated.values()))["budget"]["after"]["mu"] = 1e300
    with house.ledger.open_book("people") as book, pytest.raises(RefusedRelease, match="which no release does"):
        restoring.restore(book, stated)


def test_a_folder_that_names_the_population_nowhere_enters_nothing(house):
    house.publish("theirs", population="others")
    with pytest.raises(ConfigError, match="no statement names it"):
        house.restore()


@pytest.fixture
def run(house):
    """A folder of a run, with a private part."""
    (house.folder / "results" / "private").mkdir(parents=True)
    return house


def test_what_has_no_statement_is_noted_beside_the_releases_before_it_is_drawn(run):
    """A part of a study, or a release whose folder is gone: the last thing that the lost ledger held."""
    run.publish("first", 0.5)
    run.publish("gone", 1.0)
    shutil.rmtree(examples.output(run.folder, "gone"))
    shutil.rmtree(run.ledger.folder)
    shutil.rmtree(examples.output(run.folder, "first"))
    drawn = run.draw.calls
    with pytest.raises(RefusedRelease, match=r"people\.json: stands in no line .* shapedp ledger restore people"):
        run.publish("third", 0.5)
    assert run.draw.calls == drawn
    assert "1 line(s) entered" in run.restore()
    assert run.mu == pytest.approx(1.25**0.5, rel=1e-12)
    assert "0 line(s) entered" in run.restore()
    run.publish("third", 0.5)
    assert run.mu == pytest.approx(1.5**0.5, rel=1e-12)


def test_a_note_and_statements_of_one_history_are_entered_once(run):
    run.publish("first", 0.5)
    run.publish("second", 1.0)
    shutil.rmtree(run.ledger.folder)
    run.restore()
    assert run.mu == pytest.approx(1.25**0.5, rel=1e-12)
    assert len(run.ledger.list_releases("people")) == 2


@pytest.mark.parametrize("content", [b"", b"{}", b'{"head": 7, "after": {}}', b"[" * 10_000], ids=range(4))
def test_a_damaged_note_stops_what_would_be_drawn(run, content):
    run.publish("first")
    restoring.locate_receipt(run.released, "people").write_bytes(content)
    with pytest.raises(ArtifactError, match="is damaged, so nobody can tell"):
        run.publish("second")
    assert len(run.ledger.list_releases("people")) == 1


def test_a_note_is_made_before_anything_is_drawn(run, monkeypatch):
    """A run that is killed while it draws has left it."""

    def killed():
        raise KeyboardInterrupt

    run.draw = killed
    with pytest.raises(KeyboardInterrupt):
        run.publish("first")
    head, after = restoring.read_receipt(run.released, "people")
    assert after.mu == 1.0
    with run.ledger.read_book("people") as book:
        assert head == book.list_intents()[-1]["digest"]


CASES = (  # for a count of statements that promise too much
    test_an_older_backup_draws_nothing_until_what_it_lacks_is_entered,
    test_a_lost_ledger_is_entered_from_its_statements_with_its_cap,
    test_what_no_statement_shows_is_counted_by_the_totals_of_those_after_it,
    test_beside_groups_that_the_ledger_still_has_lost_ones_cost_in_full,
)
