"""The audit of the release command: a chosen record moves nothing, and what would move is seen."""

import json

import pytest

from shapedp.audit import outside_view
from shapedp.audit import records as audited_records

pytestmark = pytest.mark.thorough


@pytest.mark.slow
def test_no_chosen_record_moves_what_is_seen():
    rows = list(audited_records.compare_records(1))
    assert [row[0] for row in rows] == ["shapes", "space", "faces", "space_twice", "faces_twice"]
    assert [row[2:] for row in rows] == [(0, "")] * 5


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_none_of_all_chosen_records_moves_what_is_seen():
    rows = list(audited_records.compare_records())
    space = outside_view.landmark_records("space")
    chosen = (outside_view.landmark_records("shapes"), space, outside_view.curve_records())
    again = len(space) + len(outside_view.CELLS) - 1, len(outside_view.curve_records()) - 1
    assert len(rows) == sum(len(one) - 1 for one in chosen) + sum(again)
    assert not [row for row in rows if row[2:] != (0, "")]


def stated(head, n=5, rms_mm=1.0, widened=None, differs=None):
    """A statement, as far as it is compared."""
    noise = {"rms_mm": rms_mm, "widened": widened}
    return {"n": n, "budget": {"ledger_head": head * 64}, "noise": noise, "differs_from_public_set": differs}


def workspace(folder, **changes):
    """What a run leaves behind, with one thing changed."""
    given = {"statement": stated("a"), "words": "n = 5", "cost": 1.0, "size": 9}
    given |= changes
    release, ledger = folder / "release" / "shapes" / "one", folder / "ledger"
    release.mkdir(parents=True)
    ledger.mkdir()
    (release / "statement.json").write_text(json.dumps(given["statement"]))
    (release / "statement.md").write_text(given["words"])
    (release / "mean_shape.h5").write_bytes(bytes(given["size"]))
    (ledger / "people.jsonl").write_text(json.dumps({"cost": given["cost"], "random": str(folder)}) + "\n")
    return outside_view.view_run(given.get("status", 0), folder / "release", ledger)


@pytest.mark.parametrize(
    ("changes", "seen"),
    [
        ({}, set()),
        ({"status": 1}, {"exit status"}),
        ({"size": 10}, {"files"}),
        ({"cost": 2.0}, {"ledger"}),
        ({"words": "n = 6"}, {"words"}),
        ({"statement": stated("b", n=6)}, {"statements"}),
        ({"statement": stated("b", rms_mm=2.0)}, {"statements"}),
        ({"statement": stated("b", differs=True)}, {"statements"}),
        ({"statement": stated("b")}, set()),
    ],
)
def test_each_thing_that_moves_is_seen_and_random_bits_are_not(tmp_path, changes, seen):
    one, other = workspace(tmp_path / "one"), workspace(tmp_path / "other", **changes)
    assert set(outside_view.find_differences(one, other)) == seen


def test_what_follows_from_a_noised_first_stage_may_move_and_nothing_else(tmp_path):
    words = "- Bound: 0.4{}. Its standard deviation is {}.\n- First stage: it was widened {} times\n- {}\n".format
    first = {"statement": stated("a", 5, 1.0, 1.0), "words": words("", 0.1, 1.0, "Nothing differs from the public set")}
    other = {
        "statement": stated("b", 5, 3.0, 3.0, True),
        "words": words("", 0.3, 3.0, "It differs from the public set"),
    }
    third = {**other, "words": words("1", 0.3, 3.0, "It differs from the public set")}
    views = [workspace(tmp_path / str(k), **one) for k, one in enumerate((first, other, third))]
    assert outside_view.find_differences(*views[:2]) == []
    assert outside_view.find_differences(views[0], views[2]) == ["words"]


def test_the_job_fails_where_a_record_moves_something(tmp_path, monkeypatch):
    rows = [("shapes", "far", 0, ""), ("faces", "tiny", 1, "exit status")]
    monkeypatch.setattr(audited_records, "compare_records", lambda: rows)
    with pytest.raises(SystemExit, match=r"faces: tiny \(exit status\)"):
        audited_records.audit_release_command(tmp_path / "table.tsv")
    assert (tmp_path / "table.tsv").read_text().splitlines()[2] == "faces\ttiny\t1\texit status"
