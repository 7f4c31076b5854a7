"""The page of a release in a real browser: it draws, answers, stays offline, and can be used by anyone."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from browser import chrome
from shapedp.releases.kinds.mean.shown import view_face
from shapedp.releases.viewer import release_page

pytestmark = pytest.mark.skipif(bool(chrome.missing()), reason=chrome.missing())

RADII = np.linspace(0.05, 1, 23)
PATIENCE = 10  # seconds until a page that answers at once must have answered


STATEMENT = {
    "release": {"statistic": "mean face", "n": 60, "group": None},
    "noise": {"rms_mm": 0.4},
    "mechanism": {"name": "shaped"},
    "formally_private": True,
    "summary": "Nobody stands out.",
    "guarantee": {"right_guesses": 0.69},
    "settings": {"n": 60, "kernel": {"rho": 1}},
}
WORDS = """# Privacy statement

## What the verdict rests on

| condition | holds | known how | evidence | where |
| --- | --- | --- | --- | --- |
| Every record is clipped. | yes | by construction | clipped | tests/library/releases/test_curve_mechanisms.py |
"""
LINKS = '<p><a href="mean_face.ply">mean_face.ply</a></p>'


@pytest.fixture(scope="module")
def release():
    """A made-up surface with a nose."""
    theta = 2 * np.pi * np.arange(80) / 80
    x, y = RADII[:, None] * np.cos(theta), RADII[:, None] * np.sin(theta)
    square = x**2 + y**2
    curves = np.stack([0.5 * x, 0.6 * y, 0.3 - 0.3 * square + 0.15 * np.exp(-30 * square)], axis=1)
    noise = np.linspace(0.1, 1.0, 23 * 80).reshape(23, 80)
    draws = curves + 0.02 * np.array([-1.0, 1.0, 2.0])[:, None, None, None] * np.sin(3 * x)[:, None]
    return {"curves": curves, "radii": RADII, "noise_mm": noise, "noise_draws": draws, "scale": 200.0}


@pytest.fixture(scope="module")
def page(release, tmp_path_factory):
    """Its page."""
    picture = io.BytesIO()
    Image.new("RGB", (40, 50), "gray").save(picture, "png")
    svgs = [(release_page.draw_trade_off(mu=1.0), "Trade-off"), (release_page.draw_epsilon_delta(1.0), "delta")]
    path = tmp_path_factory.mktemp("page") / "index.html"
    view = view_face(release, picture.getvalue())
    path.write_text(
        release_page.fill_page("mean_face", view, STATEMENT, WORDS, svgs, LINKS, "mean_face.h5"), encoding="utf-8"
    )
    return path


@pytest.fixture(scope="module", params=[1280, 390], ids=["desk", "phone"])
def driver(request, page, tmp_path_factory):
    with chrome.browser(tmp_path_factory.mktemp("profile"), width=request.param) as driver:
        driver.get(page.as_uri())
        chrome.unfold(driver)
        yield driver


def canvas(driver):
    """The pixels of the viewer's canvas, once nothing moves."""
    WebDriverWait(driver, PATIENCE).until(lambda _: driver.execute_script("return viewers.every((one) => !one.moving)"))
    png = driver.find_element(By.CSS_SELECTOR, '[data-viewer="own"] canvas').screenshot_as_png
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def changed(before, after):
    """Share of pixels that differ visibly."""
    return np.mean(np.abs(before - after).max(axis=-1) > 8)


def test_it_loads_without_complaint_and_asks_for_nothing(driver):
    canvas(driver)
    assert chrome.complaints(driver) == []
    assert chrome.requests(driver) == []


def test_the_surface_is_drawn(driver):
    pixels = canvas(driver)
    assert changed(pixels, np.broadcast_to(pixels[2, 2], pixels.shape)) > 0.1


@pytest.mark.parametrize("switch", ["wireframe", "curves", "noise"])
def test_each_switch_changes_the_picture_and_back(driver, switch):
    before = canvas(driver)
    box = driver.find_element(By.ID, switch)
    box.click()
    after = canvas(driver)
    box.click()
    assert changed(before, after) > 0.01
    assert changed(before, canvas(driver)) == 0


@pytest.mark.parametrize("noise", [False, True])
def test_while_it_moves_it_looks_nearly_the_same(driver, noise):
    """Fewer triangles and light at the vertices alone: not the same pixels, but the same face."""
    if noise:
        driver.find_element(By.ID, "noise").click()
    careful = canvas(driver)
    driver.execute_script("moveAll(); viewers.forEach((one) => { clearTimeout(one.rest); one.moving = false; })")
    quick = canvas(driver)
    driver.execute_script("drawAll()")
    if noise:
        driver.find_element(By.ID, "noise").click()
    differ = np.abs(careful - quick).max(axis=-1)
    shown = np.abs(careful - careful[2, 2]).max(axis=-1) > 8
    assert 0 < differ[shown].mean() < 5
    assert changed(careful, quick) < 0.05


def test_three_draws_show_what_else_it_could_have_been(driver):
    choice, words = Select(driver.find_element(By.ID, "draw")), driver.find_element(By.ID, "draw-words")
    pictures = [canvas(driver)]
    for number in range(3):
        choice.select_by_visible_text(f"draw {number + 1}")
        assert words.is_displayed()
        pictures.append(canvas(driver))
    choice.select_by_visible_text("the release")
    assert not words.is_displayed()
    assert changed(pictures[0], canvas(driver)) == 0
    assert min(changed(one, other) for i, one in enumerate(pictures) for other in pictures[:i]) > 0.01


def test_the_noise_map_shows_where_the_noise_is(driver):
    """Pale at the nose, dark at the rim, where the made-up noise grows; the legend says how large."""
    box = driver.find_element(By.ID, "noise")
    box.click()
    pixels = canvas(driver)
    ends = [driver.find_element(By.ID, f"noise-{end}").text for end in ("least", "most")]
    assert ends == ["0.10 mm", "1.0 mm"]
    box.click()
    red, green, blue = np.moveaxis(pixels, -1, 0)
    dark = (green < 110) & (red > green + 30) & (blue > green)
    height, width = dark.shape
    middle = dark[int(0.4 * height) : int(0.6 * height), int(0.4 * width) : int(0.6 * width)]
    assert dark.mean() > 0.01
    assert middle.mean() < 0.1 * dark.mean()


def test_colours_of_the_noise_map_stand_on_its_legend_wherever_the_light_is(driver):
    """No light shades a value: each pixel of the surface is a colour of the ramp, and light changes none."""
    driver.find_element(By.ID, "noise").click()
    pixels = canvas(driver)
    stops = np.array(driver.execute_script("return STOPS.map((one) => new THREE.Color(one).toArray())")) * 255
    places = np.linspace(0, len(stops) - 1, 2001)
    ramp = np.stack([np.interp(places, np.arange(len(stops)), column) for column in stops.T], axis=1)
    height, width = pixels.shape[:2]
    middle = pixels[int(0.35 * height) : int(0.65 * height) : 5, int(0.4 * width) : int(0.6 * width) : 5].reshape(-1, 3)
    far = np.abs(middle[:, None] - ramp).max(axis=-1).min(axis=1)
    driver.execute_script("const l = byId('light'); l.value = 80; l.dispatchEvent(new Event('input'))")
    unmoved = changed(pixels, canvas(driver))
    driver.execute_script("const l = byId('light'); l.value = -35; l.dispatchEvent(new Event('input'))")
    driver.find_element(By.ID, "noise").click()
    assert np.quantile(far, 0.95) <= 3 and unmoved == 0


def test_the_value_under_the_pointer_is_told_and_the_map_is_saved_with_its_legend(driver):
    driver.find_element(By.ID, "noise").click()
    value = """const box = viewers[0].box.getBoundingClientRect(), [x, y] = arguments;
      return viewers[0].noiseAt(box.left + x * box.width, box.top + y * box.height)"""
    assert driver.execute_script(value, 0.02, 0.02) is None, "beside the surface"
    middle, outer = driver.execute_script(value, 0.5, 0.5), driver.execute_script(value, 0.5, 0.38)
    assert 0.1 <= middle < outer <= 1.0
    ActionChains(driver).move_to_element(driver.find_element(By.CSS_SELECTOR, '[data-viewer="own"]')).perform()
    assert re.fullmatch(r"Under the pointer: 0\.\d+ mm\.", driver.find_element(By.ID, "noise-here").text)
    saved = driver.execute_script("return mapPicture(viewers[0], ['0.10 mm', '1.0 mm'])")
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(saved.split(",")[1]))).convert("RGB")).astype(int)
    ramp = picture[-int(0.08 * len(picture)), picture.shape[1] // 4 + 2 : 3 * picture.shape[1] // 4 - 2]
    assert np.abs(ramp[0] - [0xFD, 0xF6, 0xD8]).max() <= 4 and np.abs(ramp[-1] - [0x7A, 0x1F, 0x5C]).max() <= 4
    driver.find_element(By.ID, "noise").click()


def test_the_first_screen_has_picture_figures_and_two_buttons_and_the_rest_is_folded(page, tmp_path):
    with chrome.showing(page, tmp_path / "profile", width=1440, height=900) as fresh:
        whole = """return [...document.querySelectorAll(".three dd, a.button, [data-viewer]")]
          .map((one) => one.getBoundingClientRect()).filter((box) => box.width).map((box) => box.bottom)"""
        assert max(fresh.execute_script(whole)) <= 900
        assert len(fresh.find_elements(By.CSS_SELECTOR, ".three dd")) == 3
        buttons = fresh.find_elements(By.CSS_SELECTOR, "a.button")
        assert [one.get_attribute("href").split("/")[-1] for one in buttons] == [
            "mean_face.h5",
            "index.html#statement-heading",
        ]
        assert fresh.execute_script("return document.documentElement.scrollHeight") < 1800
        assert not fresh.find_element(By.CSS_SELECTOR, ".statement").is_displayed()
        buttons[1].click()
        assert fresh.find_element(By.CSS_SELECTOR, ".statement").is_displayed()


def test_the_light_can_be_moved(driver):
    before = canvas(driver)
    driver.execute_script(
        "const l = document.getElementById('light'); l.value = 80; l.dispatchEvent(new Event('input'))"
    )
    assert changed(before, canvas(driver)) > 0.05


@pytest.mark.parametrize("key", [Keys.ARROW_LEFT, Keys.ARROW_UP, "+", "-"])
def test_the_keyboard_turns_and_zooms(driver, key):
    box = driver.find_element(By.CSS_SELECTOR, '[data-viewer="own"]')
    box.send_keys(Keys.HOME)
    before = canvas(driver)
    box.send_keys(key)
    assert changed(before, canvas(driver)) > 0.01
    box.send_keys(Keys.HOME)


def test_another_release_can_be_put_beside(driver, page):
    driver.find_element(By.ID, "other").send_keys(str(page))
    driver.implicitly_wait(5)
    assert driver.find_element(By.CSS_SELECTOR, '[data-viewer="other"] canvas').is_displayed()
    assert "Formally private" in driver.find_element(By.ID, "other-caption").text


def test_nothing_is_wider_than_the_screen(driver):
    assert driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_no_accessibility_fault(driver, mode):
    assert chrome.axe_findings(driver, mode) == []


def test_dark_mode_is_dark(driver):
    chrome.prefer(driver, "dark")
    paper = driver.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")
    chrome.prefer(driver, "light")
    assert max(int(part) for part in paper[paper.index("(") + 1 : -1].split(",")[:3]) < 64


def test_one_heading_is_the_first(driver):
    assert [one.text for one in driver.find_elements(By.TAG_NAME, "h1")] == ["Mean face of 60 people"]


def test_words_of_a_table_break_between_letters_nowhere(driver):
    """A cell is as wide as its longest word: letters of a word stand on one line."""
    lines = driver.execute_script("""
        return [...document.querySelectorAll("th, td")].filter((cell) => !cell.querySelector("wbr")).map((cell) => {
          const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode(), tops = [];
          for (const word of (text ? text.data : "").matchAll(/\\S+/g)) {
            const range = document.createRange();
            range.setStart(text, word.index); range.setEnd(text, word.index + word[0].length);
            tops.push(range.getClientRects().length);
          }
          return Math.max(0, ...tops);
        })""")
    assert set(lines) == {1}


def test_the_bar_is_as_long_as_it_says(driver):
    """The face is 200 wide in y's own units: the bar, in pixels, against the surface's width on the screen."""
    driver.find_element(By.ID, "front").click()
    pixels, bar = canvas(driver), driver.find_element(By.CLASS_NAME, "scale")
    drawn = np.abs(pixels - pixels[2, 2]).max(axis=-1) > 30
    drawn[int(bar.location["y"] - driver.find_element(By.CLASS_NAME, "canvas").location["y"]) - 40 :] = False
    across = np.ptp(np.flatnonzero(drawn.any(axis=0)))
    assert bar.size["width"] / float(bar.text.split()[0]) == pytest.approx(across / 200, rel=0.1)


def test_what_is_no_page_of_a_face_is_told(driver, tmp_path):
    wrong = tmp_path / "other.html"
    wrong.write_text("<p>no release</p>", encoding="utf-8")
    driver.find_element(By.ID, "other").send_keys(str(wrong))
    words = driver.find_element(By.ID, "other-words")
    WebDriverWait(driver, PATIENCE).until(lambda _: "other.html is not the page of a mean face" in words.text)
    assert not driver.find_element(By.ID, "view-other").is_displayed()


def test_a_release_whose_noise_is_withheld_is_shown_too(release, tmp_path):
    unsaid = {name: np.full_like(release[name], np.nan) for name in ("noise_mm", "noise_draws")}
    view = view_face(release | unsaid, b"")
    path = tmp_path / "index.html"
    path.write_text(
        release_page.fill_page("mean_face", view, STATEMENT | {"formally_private": False}, "", [], "", "mean_face.h5"),
        encoding="utf-8",
    )
    with chrome.browser(tmp_path / "profile") as driver:
        driver.get(path.as_uri())
        assert not driver.find_element(By.ID, "noise").is_enabled()
        assert not driver.find_element(By.ID, "draw").is_enabled()
        assert driver.find_element(By.CSS_SELECTOR, '[data-viewer="own"] canvas').is_displayed()
        assert "NOT formally private" in driver.find_element(By.CLASS_NAME, "verdict").text


def test_without_webgl_the_picture_stands_in(page, tmp_path):
    with chrome.browser(tmp_path, webgl=False) as driver:
        driver.get(page.as_uri())
        assert driver.find_element(By.CLASS_NAME, "fallback").is_displayed()
        assert "no WebGL" in driver.find_element(By.CLASS_NAME, "hint").text


HOSTILE = (
    "<script>document.title='ran'</script>",
    "<img src='data:image/gif,' onerror=\"document.title='ran'\">",
    "<style>body{display:none}</style><p style='position:fixed' onclick='1'>words</p>",
    "<img src='https://example.org/seen.png'><link rel='stylesheet' href='https://example.org/seen.css'>",
    "<iframe src='https://example.org'></iframe><object data='https://example.org'></object>",
)


def test_what_a_stranger_s_words_would_bring_in_is_neither_run_nor_asked_for(page, tmp_path):
    """Words are escaped; should that fail anywhere, the page's policy lets nothing but its own parts act."""
    spoiled = tmp_path / "index.html"
    spoiled.write_text(page.read_text(encoding="utf-8").replace("<main>", "<main>" + "".join(HOSTILE)))
    with chrome.showing(spoiled, tmp_path / "profile", webgl=False) as driver:
        assert driver.title != "ran" and chrome.requests(driver) == []
        assert driver.find_element(By.TAG_NAME, "body").is_displayed()
        assert len([one for one in chrome.complaints(driver) if "Content Security Policy" in one]) >= len(HOSTILE)


def test_the_page_is_small(page):
    assert page.stat().st_size < 5_000_000
