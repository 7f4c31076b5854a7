"""Statements of generated histories promise no more than was drawn from anybody, and all who compose agree."""

import pytest

from library.ledger import histories
from library.ledger.histories import Draw
from shapedp.ledger import restoring, spending

HISTORIES = 12
FEW = 6  # enough to notice what is broken: the fourth does, and the second


def test_no_statement_promises_more_than_was_drawn(tmp_path):
    found = histories.explore(tmp_path, HISTORIES)
    assert found.statements > 5 * HISTORIES
    assert found.understated == []
    assert found.worst <= 1.001
    assert found.disagreements == []


@pytest.mark.slow
def test_the_count_notices_a_ledger_that_goes_on_without_what_it_lacks(tmp_path, monkeypatch):
    monkeypatch.setattr(restoring, "refuse_if_behind", lambda book, root: None)
    assert histories.explore(tmp_path, FEW).understated


@pytest.mark.slow
def test_the_count_notices_a_total_that_leaves_groups_out(tmp_path, monkeypatch):
    whole = spending.sum_charges
    monkeypatch.setattr(
        spending, "sum_charges", lambda charges: whole([(cost, group) for cost, group in charges if group is None])
    )
    assert histories.explore(tmp_path, FEW).understated


def test_the_count_by_hand():
    """Somebody who moves between two private groups tells (1 + 1)/4 at most, and who stays 1."""
    draws = [Draw(1.0, moved=("clinic", "a")), Draw(1.0, moved=("clinic", "b")), Draw(2.0, times=2)]
    assert histories.drawn_from_worst(draws[:2]) == pytest.approx(1.0)
    assert histories.drawn_from_worst(draws) == pytest.approx(17**0.5)
    assert histories.drawn_from_worst([Draw(1.0, moved=("sheet", "a")), Draw(1.0, moved=("clinic", "a"))]) == (
        pytest.approx(2**0.5)
    )
