"""The release transaction: stored bytes are returned, nothing is drawn twice; what crashes leave is in test_death."""

import json
import os
import shutil
import time
from dataclasses import replace

import pytest

from library.releases import examples
from library.releases.crashes import (
    exit_code,
    in_child,
    publish,
    rows,
)
from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease
from shapedp.ledger import ledger_folder, population_ledger, spending
from shapedp.privacy.accounting.cost import Cost
from shapedp.releases import protocol

KILLS = 12
BOTH = ("mean_face", "second")


def test_the_same_release_again_returns_the_stored_bytes(tmp_path):
    publish(tmp_path)
    first = examples.shown(tmp_path)
    shutil.rmtree(tmp_path / "results")
    draw = publish(tmp_path)
    assert draw.calls == 0
    assert examples.shown(tmp_path) == first
    assert [row["mu"] for row in rows(tmp_path)] == [1.0]


def test_another_name_is_the_same_release(tmp_path):
    publish(tmp_path)
    draw = publish(tmp_path, examples.request(name="other"), name="other")
    assert draw.calls == 0


@pytest.mark.parametrize(
    "change",
    [
        {"inputs_digest": protocol.inputs_digest(["cd" * 32])},
        {"inputs_digest": protocol.inputs_digest(["ab" * 32], seed=1)},
        {"group": spending.Group("f", "public", "sheet")},
        {"cost": Cost("gdp", mu=1.5)},
    ],
)
def test_any_other_release_is_drawn_and_adds_up(tmp_path, change):
    publish(tmp_path)
    draw = publish(tmp_path, examples.request(name="second", **change), name="second")
    assert draw.calls == 1
    assert len(rows(tmp_path)) == 2


def test_another_release_of_the_same_name_is_refused_and_the_former_one_stays_whole(tmp_path):
    publish(tmp_path)
    (examples.output(tmp_path) / "mean_face.ply").write_bytes(b"drawn from it")
    before, draw = examples.shown(tmp_path), examples.Draw()
    with pytest.raises(RefusedRelease, match=r"give this one a new name in faces\.releases"):
        publish(tmp_path, examples.request(inputs_digest="cd" * 32), draw)
    assert draw.calls == 0 and len(rows(tmp_path)) == 1
    assert examples.shown(tmp_path) == before


def test_a_folder_that_another_ledger_filled_is_never_replaced(tmp_path):
    publish(tmp_path)
    before = examples.shown(tmp_path)
    shutil.rmtree(tmp_path / "ledger")
    for change in ({}, {"name": "other"}):
        with pytest.raises(RefusedRelease, match="the name of another release"):
            publish(tmp_path, examples.request(**change))
    assert examples.shown(tmp_path) == before and rows(tmp_path) == []


def test_stored_bytes_are_not_shown_over_another_release(tmp_path):
    publish(tmp_path)
    publish(tmp_path, examples.request(name="second", inputs_digest="cd" * 32), name="second")
    before = examples.shown(tmp_path, "second")
    with pytest.raises(RefusedRelease, match="never replaced"):
        publish(tmp_path, examples.request(name="second"), name="second")
    assert examples.shown(tmp_path, "second") == before


def test_what_is_drawn_from_a_release_stays_beside_it(tmp_path):
    publish(tmp_path)
    (examples.output(tmp_path) / "mean_face.ply").write_bytes(b"drawn from it")
    publish(tmp_path)
    assert "mean_face.ply" in examples.shown(tmp_path)


def test_what_a_shown_folder_lost_is_put_back_and_nothing_else_is_touched(tmp_path):
    publish(tmp_path)
    output = examples.output(tmp_path)
    (output / "notes.txt").write_text("somebody's")
    (output / "mean_face.h5").unlink()
    before = examples.shown(tmp_path)
    publish(tmp_path)
    assert "mean_face.h5" in examples.shown(tmp_path)
    assert {name: one for name, one in examples.shown(tmp_path).items() if name != "mean_face.h5"} == before


@pytest.mark.parametrize("held", ["folder", "link", "file", "part"])
def test_nothing_that_was_not_written_for_the_release_is_replaced(tmp_path, held):
    output = examples.output(tmp_path)
    output.parent.mkdir(parents=True)
    match held:
        case "folder":
            output.mkdir()
            (output / "thesis.txt").write_text("years of work")
        case "link":
            (tmp_path / "elsewhere").mkdir()
            output.symlink_to(tmp_path / "elsewhere")
        case "file":
            output.write_text("years of work")
        case "part":
            partial = output.with_name(f".{output.name}.partial")
            partial.mkdir()
            (partial / "thesis.txt").write_text("years of work")
    lies = {path: path.is_file() and path.read_bytes() for path in output.parent.rglob("*")}
    with pytest.raises(RefusedRelease, match="move"):
        publish(tmp_path)
    assert {path: path.is_file() and path.read_bytes() for path in output.parent.rglob("*")} == lies
    assert not list(tmp_path.glob("elsewhere/*"))
    assert len(rows(tmp_path)) == (held == "part")  # of which the ledger holds the release; the rest spent nothing


def test_nothing_is_shown_inside_a_ledger(tmp_path):
    with pytest.raises(ConfigError, match="lies inside the ledger"):
        examples.publish(
            ledger_folder.Ledger(tmp_path / "ledger"),
            examples.request(),
            examples.stated(),
            examples.Draw(),
            tmp_path / "ledger/release/faces/mean_face",
        )
    assert rows(tmp_path) == []


def test_a_release_without_guarantee_has_to_be_asked_for_as_one(tmp_path):
    draw = examples.Draw()
    with pytest.raises(RefusedRelease, match=r"gives no guarantee: the noise is seeded.*`reproduction: true`"):
        publish(tmp_path, draw=draw, facts=examples.stated(noise_secure=False))
    assert draw.calls == 0 and rows(tmp_path) == []


def test_overspending_is_refused_before_anything_is_drawn(tmp_path):
    asked = examples.request(cap=spending.Cap(mu_total=1.2))
    publish(tmp_path, asked)
    draw = examples.Draw()
    with pytest.raises(RefusedRelease, match=r"spent mu = 1, this release costs 1, left 0\.663"):
        publish(tmp_path, replace(asked, name="second", inputs_digest="cd" * 32), draw, name="second")
    assert draw.calls == 0 and len(rows(tmp_path)) == 1
    assert not examples.output(tmp_path, "second").exists()


def test_private_words_in_the_settings_are_refused_before_anything_is_drawn(tmp_path):
    draw = examples.Draw()
    for settings in ({"seed": 7}, {"template": "scans/somebody.ply"}, {"mechanism": "face_0017"}):
        with pytest.raises(RefusedRelease, match="may not be published"):
            publish(tmp_path, examples.request(settings=settings), draw)
    assert draw.calls == 0 and rows(tmp_path) == []


def test_a_release_that_fails_a_condition_is_recorded_without_guarantee(tmp_path):
    publish(tmp_path, examples.request(reproduction=True), facts=examples.stated(noise_secure=False))
    publish(tmp_path, examples.request(name="second", inputs_digest="cd" * 32), name="second")
    assert [row["guarantee"] for row in rows(tmp_path)] == ["none", "gdp"]
    assert [row["reproduction"] for row in rows(tmp_path)] == ["yes", ""]
    assert [json.loads(examples.shown(tmp_path, name)["statement.json"])["reproduction"] for name in BOTH] == [
        True,
        False,
    ]
    words = examples.shown(tmp_path, "second")["statement.md"].decode()
    assert "formally_private: true" in words
    assert "The totals do not bound what is known" in words


def test_nothing_is_drawn_where_the_ledger_did_not_keep_the_intent(tmp_path, monkeypatch):
    """A disk that takes a line and does not have it afterwards."""
    monkeypatch.setattr(
        population_ledger, "append_entry", lambda path, entries, body: {**body, "entry": 0, "digest": "0"}
    )
    draw = examples.Draw()
    with pytest.raises(ArtifactError, match="nothing was drawn"):
        publish(tmp_path, draw=draw)
    assert draw.calls == 0 and not examples.output(tmp_path).exists()


def test_the_intent_is_on_the_disk_and_within_the_cap_when_noise_is_drawn(tmp_path):
    seen = []

    class Looking(examples.Draw):
        def __call__(self):
            seen.extend(population_ledger.read_chain(tmp_path / "ledger" / "people.jsonl"))
            return super().__call__()

    publish(tmp_path, examples.request(cap=spending.Cap(mu_total=1.0)), Looking())
    assert [entry["event"] for entry in seen] == ["cap", "intent"]
    assert seen[0]["cap"] == {"mu_total": 1.0} and seen[1]["cost"] == {"kind": "gdp", "mu": 1.0}


def test_an_error_while_drawing_counts_as_spent(tmp_path):
    def fails():
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError):
        publish(tmp_path, draw=fails)
    assert publish(tmp_path).calls == 1
    assert [row["status"] for row in rows(tmp_path)] == ["spent, never released", "released"]
    assert "mu, all releases, pure ones converted | 1 | 1.414" in examples.shown(tmp_path)["statement.md"].decode()


def test_a_file_that_may_not_be_published_is_never_shown(tmp_path):
    with pytest.raises(RefusedRelease, match="not on the list of files"):
        publish(tmp_path, draw=lambda: {"mean_face.h5": examples.artifact(), "quality.tsv": b"face_0017\t0.3\n"})
    assert not examples.output(tmp_path).exists()


def test_a_ledger_inside_the_results_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"privacy\.ledger"):
        examples.publish(
            ledger_folder.Ledger(tmp_path / "results" / "ledger"),
            examples.request(),
            examples.stated(),
            examples.Draw(),
            examples.output(tmp_path),
        )


def test_two_releases_at_once_wait_for_each_other(tmp_path):
    begun, go_on = os.pipe(), os.pipe()

    def first():
        class Slow(examples.Draw):
            def __call__(self):
                os.write(begun[1], b"1")
                os.read(go_on[0], 1)
                return super().__call__()

        publish(tmp_path, draw=Slow())

    def second():
        publish(tmp_path, draw=examples.Draw(start=100))

    one = in_child(first)
    os.read(begun[0], 1)
    two = in_child(second)
    time.sleep(0.3)
    waits = os.waitpid(two, os.WNOHANG) == (0, 0)
    shown = examples.output(tmp_path).exists()
    os.write(go_on[1], b"1")
    assert waits and not shown
    assert exit_code(one) == exit_code(two) == 0
    assert [row["status"] for row in rows(tmp_path)] == ["released"]
