"""The page of a shape release in a real browser: made of a real bundle, driven as a reader would."""

import io

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

import center_shapes
import read_shapes
import release_shapes
import shape_settings
import show_release
from browser import chrome
from shapedp.base import artifacts
from shapedp.landmarks import outlines
from shapedp.privacy.manifolds.projective import Kendall

pytestmark = pytest.mark.skipif(bool(chrome.missing()), reason=chrome.missing())

ENTRIES = {
    "flat": {"name": "flat", "mechanism": "gaussian", "budget": {"mu_total": 1.0}},
    "pure": {"name": "pure", "mechanism": "laplace", "budget": {"epsilon": 1.0}},
    "published": {
        "name": "published",
        "mechanism": "pointwise_laplace_aligned",
        "budget": {"epsilon": 1.0},
        "reproduction": True,
    },
}
PATIENCE = 10  # seconds until a page that answers at once must have answered


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    """Release folders by name: Gaussian, pure, and one that is not private, of the same outlines."""
    folder = tmp_path_factory.mktemp("outlines")
    np.savez(folder / "outlines.npz", X=outlines.population(30, 1)[0])
    read_shapes.read_shapes(folder / "outlines.npz", folder / "landmarks.h5")
    center_shapes.center_shapes(folder / "landmarks.h5", folder / "shapes.h5", "demo")
    return {name: bundle(folder, entry) for name, entry in ENTRIES.items()}


def bundle(folder, entry):
    output = folder / "results" / "release" / "shapes" / entry["name"]
    privacy = shape_settings.privacy(folder)
    settings = {"radius": 0.2, "contour_modes": 16, "center": "demo"}
    release_shapes.release_shapes(folder / "shapes.h5", folder / "landmarks.h5", output, entry, settings, privacy)
    show_release.show_release(output)
    return output


@pytest.fixture(scope="module", params=[1280, 390], ids=["desk", "phone"])
def opened(request, tmp_path_factory):
    with chrome.browser(tmp_path_factory.mktemp("profile"), width=request.param) as driver:
        yield driver


@pytest.fixture
def driver(opened, bundles):
    """The page as it is when it has just been opened."""
    opened.get((bundles["flat"] / "index.html").as_uri())
    return opened


def pixels(driver, name="own"):
    """What a viewer shows."""
    png = driver.find_element(By.CSS_SELECTOR, f'[data-viewer="{name}"]').screenshot_as_png
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def drawing(driver):
    """The drawing itself: unlike pixels the same wherever on the screen it stands."""
    return driver.find_element(By.CSS_SELECTOR, '[data-viewer="own"]').get_attribute("innerHTML")


def changed(before, after):
    """Share of pixels that differ visibly."""
    return np.mean(np.abs(before - after).max(axis=-1) > 8)


def put_beside(driver, path):
    """Choose another release's file; the words that the page says about it."""
    driver.find_element(By.ID, "other").send_keys(str(path))
    words = driver.find_element(By.ID, "other-words")
    WebDriverWait(driver, PATIENCE).until(lambda _: words.text)
    return words.text


def test_it_loads_without_complaint_and_asks_for_nothing(driver):
    assert pixels(driver).size
    assert chrome.complaints(driver) == []
    assert chrome.requests(driver) == []


def test_the_outline_is_drawn_with_a_mark_at_each_landmark(driver):
    shown = pixels(driver)
    assert changed(shown, np.broadcast_to(shown[2, 2], shown.shape)) > 0.005
    assert len(driver.find_elements(By.CSS_SELECTOR, ".own .landmark")) == 50


def test_the_outline_stands_upright(driver, bundles):
    """The highest landmark of the file is the highest on the screen, the rightmost the rightmost."""
    with artifacts.reader(bundles["flat"] / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
        landmarks = source["landmarks"]
    place = "[...document.querySelectorAll('.own .landmark')].map((mark) => mark.getBoundingClientRect())"
    places = np.array(driver.execute_script(f"return {place}.map(({{x, y}}) => [x, y])"))
    assert np.argmin(places[:, 1]) == np.argmax(landmarks[:, 1])
    assert np.argmax(places[:, 0]) == np.argmax(landmarks[:, 0])


@pytest.mark.parametrize("switch", ["outline", "landmarks", "numbers", "noise"])
def test_each_switch_changes_the_picture_and_back(driver, switch):
    before, drawn = pixels(driver), drawing(driver)
    box = driver.find_element(By.ID, switch)
    box.click()
    assert changed(before, pixels(driver)) > 0.001
    box.click()
    assert drawing(driver) == drawn


def test_the_ellipses_are_as_wide_as_the_noise_moves_the_landmarks(driver, bundles):
    with artifacts.reader(bundles["flat"] / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
        reach = float(source["noise_radius"])
    driver.find_element(By.ID, "noise").click()
    half_axes = "one => [one.rx.baseVal.value, one.ry.baseVal.value]"  # in one go: a redraw makes them anew
    drawn = driver.execute_script(f"return [...document.querySelectorAll('.own ellipse.reach')].map({half_axes})")
    assert len(drawn) == 50 and np.linalg.norm(drawn) == pytest.approx(reach, rel=0.02)
    assert driver.find_element(By.ID, "legend").is_displayed()


@pytest.mark.parametrize("key", [Keys.ARROW_LEFT, Keys.ARROW_UP, "+", "-"])
def test_the_keyboard_moves_and_zooms_and_comes_back(driver, key):
    box = driver.find_element(By.CSS_SELECTOR, '[data-viewer="own"]')
    box.send_keys(Keys.HOME)
    before, drawn = pixels(driver), drawing(driver)
    box.send_keys(key)
    assert changed(before, pixels(driver)) > 0.001
    box.send_keys(Keys.HOME)
    assert drawing(driver) == drawn


def test_all_is_reached_by_the_tab_key(driver):
    reached = set()
    box = driver.find_element(By.CSS_SELECTOR, '[data-viewer="own"]')
    box.send_keys(Keys.HOME)
    for _ in range(8):
        ActionChains(driver).send_keys(Keys.TAB).perform()
        reached.add(driver.switch_to.active_element.get_attribute("id"))
    assert {"outline", "landmarks", "numbers", "noise", "all", "other"} <= reached


@pytest.mark.parametrize("file", ["index.html", "mean_shape.csv"])
def test_another_release_lies_over_this_one_with_their_distance(driver, bundles, file):
    words = put_beside(driver, bundles["pure"] / file)
    shapes = []
    for name in ("flat", "pure"):
        with artifacts.reader(bundles[name] / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
            shapes.append(source["landmarks"] @ [1, 1j])
    space = Kendall(50)
    distance = space.dist(*(space.project(shape) for shape in shapes))
    assert f"{distance:#.3g} rad apart" in words
    assert len(driver.find_elements(By.CSS_SELECTOR, '[data-viewer="own"] polygon')) == 2
    assert not driver.find_element(By.ID, "view-other").is_displayed()


def test_it_can_be_put_beside_it_too(driver, bundles):
    put_beside(driver, bundles["pure"] / "index.html")
    WebDriverWait(driver, PATIENCE).until(lambda _: driver.find_element(By.ID, "arrangement").is_enabled())
    Select(driver.find_element(By.ID, "arrangement")).select_by_value("beside")
    assert driver.find_element(By.ID, "view-other").is_displayed()
    for name in ("own", "other"):
        assert len(driver.find_elements(By.CSS_SELECTOR, f'[data-viewer="{name}"] polygon')) == 1
        shown = pixels(driver, name)
        assert changed(shown, np.broadcast_to(shown[2, 2], shown.shape)) > 0.003


def test_a_turned_copy_lies_where_this_one_does(driver, bundles, tmp_path):
    with artifacts.reader(bundles["flat"] / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
        turned = 7 * np.exp(2j) * (source["landmarks"] @ [1, 1j]) + 3 - 1j
    rows = [f"{j},{z.real:.12g},{z.imag:.12g}" for j, z in enumerate(turned)]
    path = tmp_path / "turned.csv"
    path.write_text("\n".join(["landmark,x,y", *rows]), encoding="utf-8")
    apart = float(put_beside(driver, path).split(": ")[1].split(" rad")[0])
    assert apart < 1e-8


@pytest.mark.parametrize("content", ["no,table\n1,2\n", "", "landmark,x,y\n1,0,0\n2,0,0\n3,0,0\n"])
def test_another_file_is_named_as_such(driver, tmp_path, content):
    path = tmp_path / "other.csv"
    path.write_text(content, encoding="utf-8")
    assert "neither the page nor the table" in put_beside(driver, path)
    assert chrome.complaints(driver) == []


def test_nothing_is_wider_than_the_screen(driver):
    assert driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_no_accessibility_fault(driver, bundles, mode):
    put_beside(driver, bundles["pure"] / "index.html")
    assert chrome.axe_findings(driver, mode) == []


def test_all_other_files_are_linked(driver, bundles):
    links = [one.get_attribute("href") for one in driver.find_elements(By.CSS_SELECTOR, "a[href]")]
    linked = {link.rsplit("/", 1)[1] for link in links if "#" not in link}
    assert linked == {path.name for path in bundles["flat"].iterdir()} - {"index.html"}


def test_verdict_charts_settings_and_citation_are_there(driver):
    assert "Formally private" in driver.find_element(By.CLASS_NAME, "verdict").text
    assert len(driver.find_elements(By.CSS_SELECTOR, ".charts svg")) == 2
    text = driver.find_element(By.TAG_NAME, "main").get_attribute("textContent")
    assert "Shape and structure preserving differential privacy" in text and "gaussian" in text


def test_a_release_without_guarantee_says_so_and_keeps_its_noise_to_itself(bundles, tmp_path):
    with chrome.browser(tmp_path) as driver:
        driver.get((bundles["published"] / "index.html").as_uri())
        assert "NOT formally private" in driver.find_element(By.CLASS_NAME, "verdict").text
        assert not driver.find_element(By.ID, "noise").is_enabled()
        assert driver.find_elements(By.CSS_SELECTOR, ".charts svg") == []


def test_without_scripts_the_picture_stands_in(bundles, tmp_path):
    with chrome.browser(tmp_path) as driver:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        driver.get((bundles["flat"] / "index.html").as_uri())
        assert driver.find_element(By.CLASS_NAME, "fallback").is_displayed()
        assert not driver.find_element(By.CLASS_NAME, "controls").is_displayed()


def test_the_page_is_small(bundles):
    assert (bundles["flat"] / "index.html").stat().st_size < 5_000_000
