"""What the face release finds out by itself, whatever it is told: each takes the verdict, and nothing else does."""

import pytest

from library.mechanisms.cohort import GROUPS, Workspace
from shapedp.mechanisms.ledger import Ledger


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path)


def failed(stated):
    return [one["name"] for one in stated["conditions"] if not one["holds"]]


def test_a_sound_release_fails_nothing(workspace):
    stated, _ = workspace.release(workspace.stack(), limits=workspace.bounds(workspace.stack(name="public.h5", seed=9)))
    assert stated["formally_private"] and failed(stated) == []


def test_bounds_of_the_released_people_are_not_public_whatever_they_say(workspace):
    stack = workspace.stack()
    stated, _ = workspace.release(stack, limits=workspace.bounds(stack))
    assert failed(stated) == ["public_bounds"]
    assert stated["mechanism"]["sensitivity"]["value"] is None and stated["bounds"][0]["value"] is None


def test_a_record_that_was_dropped_is_missed(workspace):
    stated, _ = workspace.release(workspace.stack(GROUPS[1:]))
    assert failed(stated) == ["fixed_count"]


def test_a_person_with_two_records_is_found(workspace):
    ids = [f"person{index // 2:02d}" for index in range(18)]
    stated, _ = workspace.release(workspace.stack(ids=ids))
    assert failed(stated) == ["one_record_a_person"]


def test_who_looked_has_to_say_so(workspace):
    """The same release otherwise; said afterwards, it is another one, and its statement says it."""
    stack = workspace.stack()
    workspace.release(stack)
    stated, _ = workspace.release(stack, tuned_on="data")
    assert failed(stated) == ["public_tuning"]
    assert [row["guarantee"] for row in Ledger(workspace.folder / "ledger").table("people")] == ["gdp", "none"]
