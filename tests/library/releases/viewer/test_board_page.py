"""The sheet for whoever must say yes: every answer rests on a line that the statement has, and says no more than it."""

import re

import pytest

from library.releases import examples
from shapedp.ledger import spending
from shapedp.privacy.accounting.cost import Cost
from shapedp.releases.statement import conditions, statement
from shapedp.releases.viewer import board_page

DATA = (conditions.Bound("tau", 0.05, "square root of the face's area", conditions.Origin("data")),)
CASES = {
    "a Gaussian mean": {},
    "a pure mean": {"cost": Cost("pure", epsilon=1.0)},
    "a mean of a group": {"group": spending.Group("f", "public", "ef" * 32)},
    "no guarantee": {"facts": examples.stated(bounds=DATA)},
}


def built(facts=None, **asked):
    return statement.build(examples.request(**asked), facts or examples.stated(), [])


@pytest.mark.parametrize("case", CASES)
def test_each_of_twelve_questions_or_more_rests_on_lines_that_are_there(case):
    stated = built(**CASES[case])
    answered = board_page.list_questions(stated)
    assert len(answered) >= 12 and len({one.asks for one in answered}) == len(answered)
    for one in answered:
        assert one.lines and all(board_page.quote_line(stated, line) for line in one.lines)
        assert one.answer.endswith((".", "?")) and "None" not in one.answer
    rules = " ".join(one.rule for one in answered)
    assert all(name in rules for name in ("GDPR", "HIPAA", "FaceBase", "NIH", "EHDS", "SACRO"))


def test_a_line_that_the_statement_lacks_is_no_line():
    with pytest.raises((KeyError, StopIteration)):
        board_page.quote_line(built(), "guarantee.right_answers")
    with pytest.raises(StopIteration):
        board_page.quote_line(built(), "conditions.everything_is_fine")


def test_the_numbers_are_those_of_the_statement():
    stated, strong = built(), built(cost=Cost("gdp", mu=0.1))
    for one in (stated, strong):
        page = board_page.render_page(one)
        assert f"at most {one['guarantee']['right_guesses']:.1%} of the time" in page
        assert f"at most {one['guarantee']['hits'] * 100:.1f} are recognised" in page
    assert "100 people" in board_page.render_page(stated)
    assert 'class="verdict strong"' in board_page.render_page(strong)


def test_without_a_guarantee_nothing_is_promised():
    page = board_page.render_page(built(**CASES["no guarantee"]))
    assert "NOT formally private" in page and "No limit is proved" in page
    assert "guesses right at most" not in page and "Bounds: NO" in page


def test_few_people_are_told_to_output_checkers():
    answers = {
        n: next(
            one.answer
            for one in board_page.list_questions(built(facts=examples.stated(n=n)))
            if "threshold" in one.rule
        )
        for n in (9, 10, 11)
    }
    assert "FEWER than 10" in answers[9]
    assert "as many or more than 10" in answers[10] and "11: more than 10" in answers[11]


def test_a_strangers_words_are_shown_and_mean_nothing_to_a_browser():
    stated = built()
    stated["declared"] |= {"by": "<script>alert(1)</script>", "consent": "yes & no"}  # which no statement passes with
    page = board_page.render_page(stated)
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "yes &amp; no" in page and "It is not declared" not in page


def test_the_sheet_says_that_it_is_not_legal_advice_and_needs_no_network():
    page = board_page.render_page(built())
    assert "not legal advice" in page
    assert not re.search(r"""(src|href)=["'](?!data:)""", page)


def test_the_same_statement_gives_the_same_sheet():
    assert board_page.render_page(built()) == board_page.render_page(built())
