"""Review pages of made-up cohorts, and what a person does on them: each action says whether it worked."""

import numpy as np
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from shapedp.releases.viewer import review
from shapedp.surfaces.chain import quality

MARKS = [
    {"name": name, "words": name, "columns": [f"mark_{name}_{axis}" for axis in "xyz"]} for name in ("chin", "ear")
]
PATIENCE = 60  # seconds until a page must have answered, on a busy machine
REASON = "register_surfaces (far): its energy is 0.31, more than 0.17"


def surface(wide):
    """(24, 32, 3) a made-up face of unit area with a nose."""
    radius, theta = np.linspace(0.03, 1, 24)[:, None], 2 * np.pi * np.arange(32) / 32
    x, y = wide * 0.45 * radius * np.cos(theta), 0.6 * radius * np.sin(theta)
    return np.stack([x, y, 0.3 - 0.3 * radius**2 + 0.15 * np.exp(-30 * radius**2) + 0 * x], axis=-1)


def faces(count):
    """Records: every fifth is rejected, two follow each other of one person, one in three has a notice."""
    rng, reference = np.random.default_rng(1), surface(1.0)
    for i in range(count):
        f, rejected = surface(1 + 0.1 * rng.standard_normal()), i % 5 == 4
        points = f.reshape(-1, 3) + 0.004 * rng.standard_normal((f[..., 0].size, 3))
        size = float(np.linalg.norm(points, axis=1).max())
        seen = {
            "points": np.rint(quality.choose_points(points) * (quality.GRID_STEPS / size)).astype(np.int16),
            "nose": np.rint(f[:1, 0] * (quality.GRID_STEPS / size)).astype(np.int16),
            "surface": np.empty((0, 0, 3), np.int16) if rejected else np.rint(f * quality.GRID_STEPS).astype(np.int16),
            "turned": int(not rejected),
            "unit": 185.0 * size / quality.GRID_STEPS,
            "middle": np.array([1000.0, 0.0, 0.0]),
            "axes": np.diag([-1.0, 1.0, 1.0]),
        }
        yield review.Record(
            name=f"person_{i:04d}",
            batch=str(i // 20),
            group="ab"[i % 2],
            rejected=rejected,
            doubt=float(rng.uniform(0, 0.9)),
            words=(REASON,) if rejected else ("the largest hole of the scan was closed",) if i % 3 == 0 else (),
            figures={"points in the file": "35,000", "energy after registration": "0.042"},
            drawn=review.pack_surface(seen, reference, 185.0),
            other=(f"person_{i ^ 1:04d}",) if i ^ 1 < count else (),
        )


def page(path, count):
    """The page of so many faces, at `path`."""
    return page_of(path, list(faces(count)))


def page_of(path, records):
    """The page of these records, at `path`."""
    title, lines = f"Faces to look through, {len(records)}", ["12 of 60 records were rejected"]
    path.write_text(review.render_page(title, records, lines, {"kind": "faces", "mm": 185.0, "marks": MARKS}), "utf-8")
    return path


def wait(driver, found):
    """Whether found(driver) comes true in time."""
    return bool(WebDriverWait(driver, PATIENCE).until(found))


def shown(driver):
    """Ids of the cards that are not hidden, in order."""
    script = "return [...document.querySelectorAll('#list li:not([hidden]) .card')].map((one) => one.dataset.id)"
    return driver.execute_script(script)


def key(driver, pressed):
    """Press a key where the focus is."""
    driver.switch_to.active_element.send_keys(pressed)


def opened(driver):
    """The id in the single view, or None."""
    single = driver.find_element(By.ID, "single")
    return driver.find_element(By.ID, "single-name").text if single.get_attribute("open") else None


def states(driver):
    """The states of the cards in order."""
    script = "return [...document.querySelectorAll('#list .state')].map((one) => one.textContent)"
    return driver.execute_script(script)


def in_order(driver):
    """Doubtful ones first, then rejected, then good."""
    found = states(driver)
    return found == sorted(found, key=review.ORDER.index) and set(found) == set(review.ORDER)


def draws_what_is_seen(driver):
    """A card on the screen is drawn, the last one is not."""
    drawn = "return document.querySelectorAll('canvas[data-drawn]').length"
    return wait(driver, lambda one: one.execute_script(drawn) > 0) and driver.execute_script(drawn) < len(shown(driver))


def scrolls(driver):
    """The last card is drawn when it is scrolled to, and the first let go."""
    driver.execute_script("document.querySelector('#list li:last-child').scrollIntoView()")
    last = "#list li:last-child canvas[data-drawn]"
    met = wait(driver, lambda one: one.find_elements(By.CSS_SELECTOR, last))
    driver.execute_script("window.scrollTo(0, 0)")
    return met


def searches(driver):
    """The slash goes to the search field, words of a reason find, and what does not match is hidden."""
    key(driver, "/")
    key(driver, "ENERGY is 0.31")
    rejected = states(driver).count("rejected")
    found = wait(driver, lambda one: len(shown(one)) == rejected) and rejected > 0
    driver.find_element(By.ID, "search").clear()
    driver.find_element(By.ID, "search").send_keys(" " + Keys.BACKSPACE)
    return found and wait(driver, lambda one: len(shown(one)) > rejected)


def _choose(driver, name, value):
    script = "const one = document.getElementById(arguments[0]); one.value = arguments[1]; "
    driver.execute_script(script + "one.dispatchEvent(new Event('input'))", name, value)


def filters(driver):
    """By state, batch and group, together."""
    everybody = len(shown(driver))
    _choose(driver, "state", "good")
    good = len(shown(driver))
    _choose(driver, "batch", "0")
    of_batch = len(shown(driver))
    _choose(driver, "group", "a")
    of_group = len(shown(driver))
    for name in ("state", "batch", "group"):
        _choose(driver, name, "")
    return everybody > good > of_batch > of_group > 0 and len(shown(driver)) == everybody


def goes_by_keys(driver):
    """Arrow keys go from card to card, Enter opens, right goes on, Escape closes and gives the focus back."""
    names = shown(driver)
    driver.execute_script("document.querySelector('.card').focus()")
    key(driver, Keys.ARROW_RIGHT)
    key(driver, Keys.ENTER)
    first = wait(driver, lambda one: opened(one) == names[1])
    key(driver, Keys.ARROW_RIGHT)
    second = wait(driver, lambda one: opened(one) == names[2])
    key(driver, Keys.ESCAPE)
    closed = wait(driver, lambda one: opened(one) is None)
    back = wait(driver, lambda one: one.switch_to.active_element.get_attribute("data-id") == names[2])
    return first and second and closed and back


def turns(driver):
    """Dragging turns the large face: other pixels."""
    driver.execute_script("document.querySelector('.card').click()")
    pixels = "return document.getElementById('large').toDataURL()"
    wait(driver, lambda one: one.execute_script("return document.getElementById('large').dataset.drawn"))
    before = driver.execute_script(pixels)
    drag = (
        "const c = document.getElementById('large'), e = (t, x) => new PointerEvent(t, {clientX: x, clientY: 300,"
        "bubbles: true}); c.dispatchEvent(e('pointerdown', 300)); window.dispatchEvent(e('pointermove', 360));"
        "window.dispatchEvent(e('pointerup', 360));"
    )
    driver.execute_script(drag)
    moved = wait(driver, lambda one: one.execute_script(pixels) != before)
    key(driver, Keys.ESCAPE)
    return moved


def shows_two_of_a_person(driver):
    """Another scan of the same person stands beside the first."""
    driver.execute_script("document.querySelector('.card').click()")
    driver.find_element(By.ID, "beside").click()
    first, other = (driver.find_element(By.ID, one).get_attribute("data-drawn") for one in ("large", "large-other"))
    key(driver, Keys.ESCAPE)
    return other is not None and int(first[-4:]) ^ 1 == int(other[-4:])


def cannot_tick_in_the_list(driver):
    """No box outside the single view; x there does nothing."""
    driver.execute_script("document.querySelector('.card').focus()")
    key(driver, "x")
    outside = (
        "return [...document.querySelectorAll('input[type=checkbox]')].filter((one) => !one.closest('dialog')).length"
    )
    return driver.execute_script(outside) == 0 and driver.find_element(By.ID, "lines").get_property("value") == ""


def ticks_in_the_single_view(driver):
    """A ticked record with its reason becomes a line for the sheet, stays ticked when the page is opened again, and
    can be taken back.
    """
    name = shown(driver)[0]
    driver.execute_script("document.querySelector('.card').click()")
    driver.find_element(By.ID, "reason").send_keys("eyes  closed ")
    driver.find_element(By.ID, "tick").click()
    lines = driver.find_element(By.ID, "lines")
    wanted = f"id\tuse\treason\n{name}\tno\teyes closed"
    said = wait(driver, lambda _: lines.get_property("value") == wanted)
    driver.refresh()
    again = wait(driver, lambda one: one.find_element(By.ID, "lines").get_property("value") == wanted)
    driver.execute_script("document.querySelector('.card').click()")
    key(driver, "x")
    return said and again and wait(driver, lambda one: one.find_element(By.ID, "lines").get_property("value") == "")


def marks_points(driver):
    """A click in the large view where a point is chosen becomes columns of the sheet, in the scan's own frame; the next
    point is chosen by itself; a drag marks nothing; marks are kept when the page is opened again, and taken back.
    """
    name = shown(driver)[0]
    driver.execute_script("document.querySelector('.card').click()")
    wait(driver, lambda one: one.execute_script("return document.getElementById('large').dataset.drawn"))
    click = (
        "const c = document.getElementById('large'), b = c.getBoundingClientRect(), [x, y] = arguments, "
        "e = (t, K) => new K(t, {clientX: b.left + x * b.width, clientY: b.top + y * b.height, bubbles: true});"
        "c.dispatchEvent(e('pointerdown', PointerEvent)); window.dispatchEvent(e('pointerup', PointerEvent));"
        "c.dispatchEvent(e('click', MouseEvent));"
    )
    lines = driver.find_element(By.ID, "lines")
    driver.execute_script(click, 0.25, 0.5)
    unasked = lines.get_property("value") == ""
    driver.execute_script("document.getElementById('mark').value = 'chin'")
    driver.execute_script(click, 0.25, 0.5)
    header, row = (line.split("\t") for line in lines.get_property("value").split("\n"))
    x, y, z = map(float, row[1:])
    near = abs(x - 1000) < 150 and abs(y) < 100 and 0 < z < 120 and row[0] == name  # of a face 185 mm in size
    following = driver.find_element(By.ID, "mark").get_property("value") == "ear"
    driver.refresh()
    again = wait(
        driver, lambda one: one.find_element(By.ID, "lines").get_property("value").startswith("id\tmark_chin_x")
    )
    driver.execute_script("document.querySelector('.card').click()")
    driver.find_element(By.ID, "unmark").click()
    gone = driver.find_element(By.ID, "lines").get_property("value") == ""
    key(driver, Keys.ESCAPE)
    return unasked and header[1:] == MARKS[0]["columns"] and near and following and again and gone


ACTIONS = (
    in_order,
    draws_what_is_seen,
    scrolls,
    searches,
    filters,
    goes_by_keys,
    turns,
    shows_two_of_a_person,
    cannot_tick_in_the_list,
    ticks_in_the_single_view,
    marks_points,
)
