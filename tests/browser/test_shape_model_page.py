"""The page of a shape model in a real browser: sliders move its landmarks, in the plane and in space."""

import io

import numpy as np
import pytest
from PIL import Image
from scipy.interpolate import RBFInterpolator
from selenium.webdriver.common.by import By

from browser import chrome
from browser.test_model_page import put
from scripts.test_release_shape_model import N, Workspace, bent
from shapedp.landmarks import outlines
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.releases.figures import release_files
from shapedp.releases.model import released_model
from shapedp.releases.model.released_model import band
from shapedp.releases.model.shapes import as_landmarks
from shapedp.releases.viewer import release_page

pytestmark = pytest.mark.skipif(bool(chrome.missing()), reason=chrome.missing())

BENT = {"plane": 0.01, "space": 0.1}


def in_the_plane(count, seed, amount):
    return bent(np.asarray(outlines.population(count, seed)[0]), BENT["plane"] * amount)


def in_space(count, seed, amount):
    base = np.random.default_rng(7).standard_normal((12, 3))
    return bent(base + 0.05 * np.random.default_rng(seed).standard_normal((count, 12, 3)), BENT["space"] * amount)


PEOPLE = {
    "plane": (in_the_plane, {}),
    "space": (in_space, {"contour_modes": 0, "radius": 0.6, "links": [[1, 2], [3, 4]]}),
    "unjoined": (in_space, {"contour_modes": 0, "radius": 0.6}),
}


@pytest.fixture(scope="module", params=list(PEOPLE))
def folder(request, tmp_path_factory):
    people, settings = PEOPLE[request.param]
    path, rng = tmp_path_factory.mktemp(request.param), np.random.default_rng(3)
    told = rng.uniform(-1, 1, N)
    np.savez(path / "private.npz", X=people(N, 1, told), ids=[f"p{row}" for row in range(N)])
    np.savez(path / "public.npz", X=people(80, 2, rng.uniform(-1, 1, 80)))
    workspace = Workspace(path, [f"{one:.4f}" for one in told], path)
    made, _ = workspace.release(settings=settings, budget={"mu_total": 3.0})
    release_files.draw(made, "shapes", made)
    (made / "index.html").write_text(release_page.render_page(made), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def driver(folder, tmp_path_factory):
    with chrome.showing(folder / "index.html", tmp_path_factory.mktemp("profile")) as driver:
        yield driver


def landmarks(driver):
    return np.array(driver.execute_script("return shown.own.landmarks"))


def standard(points):
    """Centered, of size 1."""
    centered = points - points.mean(axis=0)
    return centered / np.linalg.norm(centered)


def drawn(driver):
    """(k, 2) where landmarks stand in the drawing."""
    places = "c => [+c.getAttribute('cx'), +c.getAttribute('cy')]"
    return np.array(driver.execute_script(f"return [...document.querySelectorAll('.own .landmark')].map({places})"))


def pixels(driver):
    png = driver.find_element(By.CSS_SELECTOR, '[data-viewer="own"]').screenshot_as_png
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def test_it_opens_with_the_mean_offline_and_without_complaint(driver, folder):
    model, _ = released_model.read(folder / "shape_model.h5")
    assert model.shown >= 1
    np.testing.assert_allclose(landmarks(driver), as_landmarks(model.mean), atol=1e-6)
    np.testing.assert_allclose(drawn(driver), as_landmarks(model.mean)[:, :2] * [1, -1], atol=1e-6)
    assert chrome.complaints(driver) == [] and chrome.requests(driver) == []


def test_sliders_put_the_shape_where_the_model_has_it_and_reset_puts_it_back(driver, folder):
    model, _ = released_model.read(folder / "shape_model.h5")
    before, frame = pixels(driver), driver.execute_script("return boxes.own.firstChild.getAttribute('viewBox')")
    put(driver, "mode-1", -2)
    put(driver, "covariate-1", 0.8)
    wanted = as_landmarks(model.face([-2.0], model.z({"bent": "0.8"}) * [1, 1, 0]))
    middle = model.covariates[1].middle
    put(driver, "covariate-2", middle)
    np.testing.assert_allclose(landmarks(driver), wanted, atol=1e-6)
    np.testing.assert_allclose(drawn(driver), wanted[:, :2] * [1, -1], atol=1e-6)
    assert np.mean(np.abs(before - pixels(driver)).max(axis=-1) > 8) > 0.002
    assert driver.execute_script("return boxes.own.firstChild.getAttribute('viewBox')") == frame, "no other scale"
    driver.find_element(By.ID, "to-mean").click()
    np.testing.assert_allclose(landmarks(driver), as_landmarks(model.mean), atol=1e-6)
    np.testing.assert_allclose(drawn(driver), as_landmarks(model.mean)[:, :2] * [1, -1], atol=1e-6)


def test_the_band_is_that_of_the_model(driver, folder):
    model, _ = released_model.read(folder / "shape_model.h5")
    put(driver, "covariate-1", -1)
    put(driver, "covariate-2", model.covariates[1].middle)
    z = np.array([1.0, -1.0, 0.0])
    noise, sampling = (model.length(band(one) ** 2) for one in model.covariances(z))
    words = driver.find_element(By.ID, "band").text
    told = [float(one.split()[-1]) for one in words.replace("(", "").replace(")", "").split(" radian")[:3]]
    np.testing.assert_allclose(told, [np.hypot(noise, sampling), noise, sampling], rtol=0.06)
    driver.find_element(By.ID, "to-mean").click()


def test_the_distance_to_another_release_follows_the_sliders(driver, folder):
    driver.find_element(By.ID, "other").send_keys(str(folder / "index.html"))

    def apart():
        return float(driver.find_element(By.ID, "other-words").text.split("onto this one: ")[1].split(" rad")[0])

    assert driver.execute_async_script("setTimeout(arguments[0], 500)") is None and apart() < 1e-5
    model, _ = released_model.read(folder / "shape_model.h5")
    mean, moved = (standard(as_landmarks(one)) for one in (model.mean, model.face([3.0])))
    put(driver, "mode-1", 3)
    assert apart() == pytest.approx(float(landmark_shapes.dist(mean, moved)), rel=0.01)
    driver.find_element(By.ID, "to-mean").click()
    assert apart() < 1e-5


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_no_accessibility_fault(driver, mode):
    assert chrome.axe_findings(driver, mode) == []


def test_it_says_where_the_sliders_stand(driver):
    stands = driver.find_element(By.ID, "stands")
    assert stands.text == "Shown: everybody's mean."
    put(driver, "mode-1", 2)
    assert stands.text == "Shown: everybody's mean; mode 1 2.0 sd."
    put(driver, "covariate-1", 0.5)
    assert stands.text.startswith("Shown: the mean at bent 0.500, ") and stands.text.endswith("; mode 1 2.0 sd.")
    driver.find_element(By.ID, "to-mean").click()
    assert stands.text == "Shown: everybody's mean."


BENT_BY = "const f = thinPlate(shown.own.grid_from, shown.own.landmarks); return arguments[0].map(f)"


def test_a_grid_in_the_plane_is_bent_with_the_landmarks_as_a_thin_plate(driver, folder):
    """Against scipy's spline; at rest its lines are straight."""
    box = driver.find_element(By.ID, "grid")
    if "plane" not in str(folder):
        assert not box.is_enabled()
        return
    driver.execute_script("document.getElementById('grid').click()")
    lines = driver.find_elements(By.CSS_SELECTOR, ".own .grid")
    assert len(lines) == 34
    put(driver, "mode-1", 3)
    mean, moved = (
        np.array(driver.execute_script(f"return {one}")) for one in ("shown.own.grid_from", "shown.own.landmarks")
    )
    places = np.random.default_rng(2).uniform(-0.3, 0.3, (20, 2))
    wanted = RBFInterpolator(mean, moved, kernel="thin_plate_spline")(places)
    np.testing.assert_allclose(driver.execute_script(BENT_BY, places.tolist()), wanted, atol=1e-7)
    assert np.abs(wanted - places).max() > 1e-3
    driver.execute_script("document.getElementById('grid').click()")
    driver.find_element(By.ID, "to-mean").click()


def test_landmarks_that_nothing_joins_are_joined_by_the_shortest_tree(driver, folder):
    near = driver.find_elements(By.CSS_SELECTOR, ".own .near")
    assert len(near) == (11 if "unjoined" in str(folder) else 0)
    assert driver.find_element(By.ID, "joined-words").is_displayed() == bool(near)
