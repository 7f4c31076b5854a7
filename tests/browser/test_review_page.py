"""The page to look through a cohort, in a real browser: what a person does works, offline, and for anyone."""

import pytest

from browser import chrome, review_pages
from shapedp.releases.viewer import review

pytestmark = pytest.mark.skipif(bool(chrome.missing()), reason=chrome.missing())


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """A browser at the page of 60 faces."""
    folder = tmp_path_factory.mktemp("review")
    with chrome.showing(review_pages.page(folder / "review.html", 60), folder / "profile") as found:
        yield found


@pytest.mark.parametrize("action", review_pages.ACTIONS, ids=lambda one: one.__name__)
def test_what_a_person_does_works(driver, action):
    if action is not review_pages.ticks_in_the_single_view:
        driver.refresh()
    assert action(driver)


def test_it_asks_nobody_and_complains_of_nothing(driver):
    assert chrome.requests(driver) == [] and chrome.complaints(driver) == []


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_it_can_be_used_by_anyone(driver, mode):
    driver.refresh()
    assert chrome.axe_findings(driver, mode) == []
    driver.execute_script("document.querySelector('.card').click()")
    assert chrome.axe_findings(driver, mode) == []


def test_a_thousand_faces_fit_and_open(tmp_path):
    page = review_pages.page(tmp_path / "review.html", 1000)
    assert page.stat().st_size < 20e6
    with chrome.showing(page, tmp_path / "profile") as found:
        assert len(review_pages.shown(found)) == 1000 and review_pages.scrolls(found)
        assert review_pages.states(found)[0] == review.DOUBTFUL
