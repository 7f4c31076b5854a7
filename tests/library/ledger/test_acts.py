"""What people do on purpose: raise a cap. What they do by accident is refused, and who is in two populations told."""

import json
import logging
import os
import subprocess
import sys

import pytest

from library.releases import examples
from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease, StorageError
from shapedp.base.storage import files
from shapedp.ledger import ledger_folder
from shapedp.ledger.ledger_folder import check_published
from shapedp.ledger.restoring import read_published
from shapedp.ledger.spending import Cap
from shapedp.releases.statement import statement_text

WHY = "the people were asked again"


@pytest.fixture
def publish(tmp_path):
    """Make a release in one ledger; its statement."""

    def make(name="mean_face", **changes):
        shown = examples.output(tmp_path, name)
        asked = examples.request(name=name, **{"inputs_digest": name, "cap": Cap(mu_total=2.0), **changes})
        examples.publish(ledger_folder.Ledger(tmp_path / "ledger"), asked, examples.stated(), examples.Draw(), shown)
        return json.loads((shown / "statement.json").read_text())

    return make


@pytest.fixture
def book(tmp_path):
    return ledger_folder.Ledger(tmp_path / "ledger")


def test_an_edited_number_raises_no_cap(publish, book):
    publish()
    for cap in (Cap(mu_total=20.0), Cap(epsilon=5.0), Cap()):
        with pytest.raises(RefusedRelease, match=r"ledger mu_total = 2 since .*shapedp ledger raise people"):
            publish("more", cap=cap)
    assert len(book.list_releases("people")) == 1


def test_a_lower_number_binds_its_release_alone(publish):
    publish(cap=Cap(mu_total=2.0))
    with pytest.raises(RefusedRelease, match=r"of mu_total = 1\.2"):
        publish("more", cap=Cap(mu_total=1.2))
    assert publish("more")["budget"]["cap"] == {"mu_total": 2.0}


def test_a_raised_cap_holds_and_every_later_statement_shows_it(publish, book):
    publish()
    book.raise_cap("people", Cap(mu_total=3.0), WHY)
    for name in ("second", "third"):
        stated = publish(name, cap=Cap(mu_total=3.0))
        assert stated["budget"]["cap"] == {"mu_total": 3.0}
        (act,) = stated["budget"]["raised"]
        assert (act["from"], act["to"], act["reason"]) == ({"mu_total": 2.0}, {"mu_total": 3.0}, WHY)
        words = statement_text.render(stated)
        assert f"the cap was raised from mu = 2 to mu = 3. Reason given: {WHY}" in words


@pytest.mark.parametrize("cap", [Cap(mu_total=2.0), Cap(mu_total=1.0), Cap(mu_total=3.0, epsilon=1.0)])
def test_a_cap_is_never_lowered(publish, book, cap):
    """A limit on epsilon where there was none is lower, too."""
    publish()
    with pytest.raises(ConfigError, match="is not above the recorded cap"):
        book.raise_cap("people", cap, WHY)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, 0.0])
def test_a_cap_is_a_positive_number(publish, book, value):
    publish()
    with pytest.raises(ConfigError, match="positive"):
        book.raise_cap("people", Cap(mu_total=value), WHY)


def test_there_is_no_cap_to_raise_before_the_first_release(book):
    with pytest.raises(ConfigError, match="no cap is recorded yet"):
        book.raise_cap("people", Cap(mu_total=1.0), WHY)


@pytest.mark.parametrize("reason", ["", "  ", "a\nb", "see <b>", "x" * 401, "[a](b)", "\u202eabc"])
def test_a_reason_is_one_line_that_can_be_printed(publish, book, reason):
    publish()
    with pytest.raises(ConfigError, match="--reason"):
        book.raise_cap("people", Cap(mu_total=3.0), reason)


def test_the_same_records_under_another_name_are_released_and_told(publish, book, caplog):
    marks = [frozenset([f"{person}", f"file{person}"]) for person in range(3)]
    publish(marks=marks)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    publish("again", population="others", marks=[*marks[1:], frozenset(["x"])])
    assert [row["status"] for row in book.list_releases("others")] == ["released"]
    assert "population 'others': 2 of its 3 people stand in population 'people', too" in caplog.text
    assert "privacy.disjoint_from: [people]" in caplog.text


def test_what_an_older_version_was_told_of_other_people_stands_in_statements(publish, book):
    publish()
    with book.open_book("others") as opened:
        opened.append(event="different", other="people", reason="both are drawn from the model")
    stated = publish("again", population="others")
    (act,) = stated["budget"]["different"]
    assert (act["population"], act["reason"]) == ("people", "both are drawn from the model")
    assert "others than population `people`" in statement_text.render(stated)


def test_statements_stand_in_the_ledger_until_it_is_wound_back(publish, book, tmp_path):
    publish()
    kept = {path.name: path.read_bytes() for path in book.folder.iterdir() if path.is_file()}
    publish("second")
    release = tmp_path / "results" / "release"
    assert [fault for _, fault in check_published(book, "people", read_published(release))] == ["", ""]
    for name, content in kept.items():
        (book.folder / name).write_bytes(content)
    (lost,) = (book.folder / "people").glob("000003-*")
    for path in lost.iterdir():
        path.unlink()
    lost.rmdir()
    found = {path.parent.name: fault for path, fault in check_published(book, "people", read_published(release))}
    assert found["mean_face"] == "" and "wound back" in found["second"]


def test_a_changed_statement_is_not_as_recorded(publish, book, tmp_path):
    publish()
    path = examples.output(tmp_path) / "statement.md"
    path.write_text(path.read_text() + "more\n")
    ((_, fault),) = check_published(book, "people", read_published(tmp_path / "results" / "release"))
    assert fault == "not as recorded: statement.md"


def test_a_lost_key_is_noticed(publish, book):
    publish()
    (book.folder / "key").unlink()
    with pytest.raises(ArtifactError, match=r"key: missing beside people\.jsonl"):
        publish("second")


def test_a_published_head_tells_nothing_of_its_line(publish, book, tmp_path):
    """Two ledgers of the same releases at the same time have different heads: each line has 128 secret bits."""
    heads = set()
    for name in "ab":
        shown, at = examples.output(tmp_path / name), ledger_folder.Ledger(tmp_path / name / "ledger")
        examples.publish(at, examples.request(), examples.stated(), examples.Draw(), shown)
        heads.add(json.loads((shown / "statement.json").read_text())["budget"]["ledger_head"])
        with at.open_book("people") as opened:
            assert all(len(bytes.fromhex(entry["random"])) == 16 for entry in opened.entries)
    assert len(heads) == 2


def test_a_lock_that_keeps_nobody_out_lets_nothing_be_drawn(publish, book, monkeypatch):
    """As on a disk of the network that is mounted without locks."""
    monkeypatch.setattr(files, "TESTED_DISKS", set())
    with monkeypatch.context() as broken:
        broken.setattr(files.fcntl, "flock", lambda handle, how: None)
        with pytest.raises(StorageError, match=r"another process was not kept out .*privacy\.ledger"):
            publish()
    assert book.list_releases("people") == []
    publish()
    assert len(book.list_releases("people")) == 1 and files.TESTED_DISKS


@pytest.mark.parametrize("option", ["nolock", "local_lock=all", "localflock"])
def test_a_disk_whose_locks_hold_on_one_machine_lets_nothing_be_drawn(publish, book, monkeypatch, tmp_path, option):
    device = tmp_path.stat().st_dev
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "22 1 0:1 / /proc rw - proc proc rw\n"
        f"36 35 {os.major(device)}:{os.minor(device)} / /home rw,noatime shared:1 - nfs server:/home rw,{option}\n"
    )
    monkeypatch.setattr(files, "TESTED_DISKS", set())
    with monkeypatch.context() as shared:
        shared.setattr(files, "MOUNTS", mounts)
        with pytest.raises(StorageError, match=f"mounted with `{option}`"):
            publish()
    assert book.list_releases("people") == []


def test_a_disk_is_tried_once(publish, monkeypatch):
    publish()
    monkeypatch.setattr(files.subprocess, "run", lambda *given, **settings: pytest.fail("tried again"))
    publish("second")


FIRST = """
import sys
from pathlib import Path
from library.releases import examples
from shapedp.ledger import ledger_folder
folder, name = Path(sys.argv[1]), sys.argv[2]
asked = examples.request(population=name, name=name, records=name)
while not (folder / "go").exists():
    pass
examples.publish(
    ledger_folder.Ledger(folder / "ledger"), asked, examples.stated(), examples.Draw(), examples.output(folder, name)
)
"""


@pytest.mark.slow
def test_four_first_releases_at_once_all_live(tmp_path, root):
    """The folder, its .gitignore and its key are made by one of them while the others wait."""
    path = {"PYTHONPATH": os.pathsep.join([str(root / "scripts"), str(root / "tests")])}
    names = [f"people{index}" for index in range(4)]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", FIRST, str(tmp_path), name], env={**os.environ, **path}, stderr=subprocess.PIPE
        )
        for name in names
    ]
    (tmp_path / "go").touch()
    errors = [one.communicate(timeout=120)[1].decode() for one in running]
    assert [one.returncode for one in running] == [0] * 4, errors
    assert ledger_folder.Ledger(tmp_path / "ledger").list_populations() == names
    assert len((tmp_path / "ledger" / "key").read_bytes()) == 32
