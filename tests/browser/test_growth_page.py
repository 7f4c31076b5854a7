"""The page of a growth in a real browser: the slider of age moves the face along the curve, and the chart's mark."""

import numpy as np
import pytest
from axe_core_python.selenium import Axe
from selenium.webdriver.common.by import By

from browser import chrome
from browser.test_model_page import put, vertices
from scripts.test_release_growth import Growth
from shapedp.releases.figures import release_files
from shapedp.releases.kinds.growth import released as released_growth
from shapedp.releases.kinds.growth.release import GrowthOfFaces
from shapedp.releases.viewer import release_page
from shapedp.surfaces import curve_mesh

pytestmark = pytest.mark.skipif(bool(chrome.missing()), reason=chrome.missing())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    workspace, patch = Growth(tmp_path_factory.mktemp("growth")), pytest.MonkeyPatch()
    workspace.stack()
    fields = GrowthOfFaces.fields

    def with_landmarks(self, answers):
        found = fields(self, answers)
        found["landmarks"] = np.zeros_like(found["landmarks"])
        for k, weights in enumerate(found["landmarks"]):
            weights[k % weights.shape[0], (3 * k) % weights.shape[1]] = 1
        return found

    patch.setattr(GrowthOfFaces, "fields", with_landmarks)
    made, _ = workspace.release(mu=20.0, cap=30.0)
    patch.undo()
    release_files.draw(made, "faces", made)
    (made / "index.html").write_text(release_page.render_page(made), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def driver(folder, tmp_path_factory):
    with chrome.showing(folder / "index.html", tmp_path_factory.mktemp("profile")) as driver:
        yield driver


def test_it_opens_at_the_middle_age_without_complaint(driver, folder):
    growth = released_growth.read(folder)
    wanted = curve_mesh.mesh(growth.at(40.0, -1.0), growth.radii)[0]
    np.testing.assert_allclose(vertices(driver), wanted, atol=0.02)
    assert chrome.complaints(driver) == [] and chrome.requests(driver) == []


@pytest.mark.parametrize(("age", "level"), [(20, 0), (31.5, 1), (60, 1)])
def test_the_slider_puts_the_face_where_the_curve_has_it(driver, folder, age, level):
    growth = released_growth.read(folder)
    put(driver, "level", level)
    put(driver, "age", age)
    wanted = curve_mesh.mesh(growth.at(float(age), (-1.0, 1.0)[level]), growth.radii)[0]
    np.testing.assert_allclose(vertices(driver), wanted, atol=0.02)
    assert driver.find_element(By.ID, "age-words").text == f"{age:.1f}"
    known = np.sqrt(np.mean(growth.band(float(age), (-1.0, 1.0)[level]) ** 2))
    told = driver.find_element(By.ID, "growth-words").text.split("known to ")[1].split(" mm")[0]
    assert float(told) == pytest.approx(known, rel=0.06)


def test_the_chart_tells_the_median_and_its_mark_moves(driver, folder):
    growth = released_growth.read(folder)
    put(driver, "level", 1)
    put(driver, "measure", 3)
    put(driver, "age", 20)
    mark = lambda: float(driver.find_element(By.CSS_SELECTOR, "#centiles .mark").get_attribute("x1"))  # noqa: E731
    before = mark()
    put(driver, "age", 60)
    assert mark() > before + 300
    value, _, _ = growth.measured(60.0, 1.0)
    words = driver.find_element(By.ID, "centiles-words").text
    assert growth.measures.names[3] in words and f"median {value[3]:.1f}" in words
    assert len(driver.find_elements(By.CSS_SELECTOR, "#centiles .centile")) == 7


def test_numbers_stand_on_the_axes_where_they_belong_and_words_say_which_age(driver):
    """Rounded numbers at even places would stand beside other values than they name."""
    put(driver, "age", 31.5)
    for anchor, place in (("end", "y"), ("middle", "x")):
        marks = driver.find_elements(By.CSS_SELECTOR, f"#centiles text[text-anchor={anchor}]:not([transform])")
        pairs = [(float(mark.get_attribute(place)), mark.text) for mark in marks if mark.text != "age"]
        places, values = np.array([(at, float(words)) for at, words in pairs]).T
        assert len(values) >= 3
        line = np.polyfit(places, values, 1)
        np.testing.assert_allclose(np.polyval(line, places), values, atol=1e-6 * np.ptp(values))
    for words in ("growth-words", "centiles-words"):
        assert "at age 31.5, m" in driver.find_element(By.ID, words).text


def test_no_serious_accessibility_fault(driver):
    faults = [one for one in Axe().run(driver)["violations"] if one["impact"] in ("serious", "critical")]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in faults] == []
