"""The page of released landmarks in space: two releases are turned onto each other and their distance is told."""

import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

import center_shapes
import read_shapes
import release_shapes
import shape_settings
import show_release
from browser import chrome
from shapedp.base import artifacts
from shapedp.privacy.manifolds import landmark_shapes

pytestmark = pytest.mark.skipif(bool(chrome.missing()), reason=chrome.missing())
PATIENCE = 10  # seconds
QUARTER = np.array([[0.0, -1.0, 0.0], [0.6, 0.0, -0.8], [0.8, 0.0, 0.6]])  # a rotation, det = 1


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    """Release folders of two means of one cohort, and a table of a turned and a mirrored copy of the first."""
    folder = tmp_path_factory.mktemp("space")
    rng = np.random.default_rng(3)
    center = rng.standard_normal((12, 3))
    np.savez(folder / "center.npz", X=center[None])
    np.savez(folder / "people.npz", X=center + 0.1 * rng.standard_normal((80, 12, 3)))
    paths = folder / "landmarks.h5", folder / "shapes.h5"
    named = str(folder / "center.npz")
    read_shapes.read_shapes(folder / "people.npz", paths[0], named)
    center_shapes.center_shapes(*paths, named)
    found = {}
    for name, mu in (("one", 4.0), ("two", 2.0)):
        output = folder / "results/release/shapes" / name
        entry = {"name": name, "mechanism": "shaped", "budget": {"mu_total": mu}}
        privacy = shape_settings.privacy(folder)
        settings = {"radius": 0.4, "contour_modes": 0, "center": named, "links": [[1, 2], [3, 4]]}
        release_shapes.release_shapes(*paths[::-1], output, entry, settings, privacy)
        show_release.show_release(output)
        found[name] = output
    return found


@pytest.fixture
def driver(bundles, tmp_path):
    with chrome.browser(tmp_path, width=1280) as opened:
        opened.get((bundles["one"] / "index.html").as_uri())
        yield opened


def landmarks(folder):
    with artifacts.reader(folder / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
        return source["landmarks"]


def put_beside(driver, path):
    before = driver.find_element(By.ID, "other-words").text
    driver.find_element(By.ID, "other").send_keys(str(path))
    WebDriverWait(driver, PATIENCE).until(lambda _: driver.find_element(By.ID, "other-words").text != before)
    return driver.find_element(By.ID, "other-words").text


def told(words):
    return float(words.split("onto this one: ")[1].split(" rad")[0])


def table(path, shape):
    rows = "".join(f"{j + 1},{x!r},{y!r},{z!r}\n" for j, (x, y, z) in enumerate(shape.tolist()))
    path.write_text("landmark,x,y,z\n" + rows)
    return path


def test_two_releases_are_turned_onto_each_other(driver, bundles):
    one, two = landmarks(bundles["one"]), landmarks(bundles["two"])
    expected = float(landmark_shapes.dist(one, two))
    assert expected > 1e-4
    assert told(put_beside(driver, bundles["two"] / "index.html")) == pytest.approx(expected, rel=0.01)
    assert len(driver.find_elements(By.CSS_SELECTOR, "g.other polyline")) == 2, "links of the other one, too"
    assert chrome.complaints(driver) == []


def test_a_turned_copy_is_the_same_shape_and_a_mirrored_one_is_not(driver, bundles, tmp_path):
    one = landmarks(bundles["one"])
    assert told(put_beside(driver, table(tmp_path / "turned.csv", 3 * one @ QUARTER.T + 1))) < 1e-6
    mirrored = one * [1, 1, -1]
    expected = float(landmark_shapes.dist(one, mirrored))
    assert told(put_beside(driver, table(tmp_path / "mirrored.csv", mirrored))) == pytest.approx(expected, rel=0.01)
    assert expected > 0.1


def test_a_planar_table_is_told_apart(driver, tmp_path):
    (tmp_path / "flat.csv").write_text("landmark,x,y\n" + "".join(f"{j},{j},{j * j}\n" for j in range(1, 13)))
    assert "is neither the page nor the table" in put_beside(driver, tmp_path / "flat.csv")
