"""The page of a face model in a real browser: sliders move the face, say what they do, and how sure it is."""

import io

import numpy as np
import pytest
from axe_core_python.selenium import Axe
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from trimesh import Trimesh

from browser import chrome
from scripts.test_release_face_model import Workspace
from shapedp.releases.figures import release_files
from shapedp.releases.model import released_model
from shapedp.releases.model.released_model import band
from shapedp.releases.viewer import release_page
from shapedp.surfaces import curve_mesh

pytestmark = pytest.mark.skipif(bool(chrome.missing()), reason=chrome.missing())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp("model"))
    workspace.stack()
    made, _ = workspace.release(mu=20.0, cap=30.0)
    release_files.draw(made, "faces", made)
    (made / "index.html").write_text(release_page.render_page(made), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def driver(folder, tmp_path_factory):
    with chrome.showing(folder / "index.html", tmp_path_factory.mktemp("profile")) as driver:
        yield driver


PUT = (
    "const one = document.getElementById(arguments[0]); one.value = arguments[1];"
    "one.dispatchEvent(new Event('input', {bubbles: true}));"
)


def put(driver, name, value, then=""):
    """Move a slider; what the script `then` returns before anything else happens."""
    return driver.execute_script(PUT + then, name, value)


def vertices(driver):
    found = driver.execute_script("return [...viewers[0].mesh.geometry.getAttribute('position').array]")
    return np.array(found).reshape(-1, 3)


def pixels(driver):
    png = driver.find_element(By.CSS_SELECTOR, '[data-viewer="own"] canvas').screenshot_as_png
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def test_it_opens_with_the_mean_offline_and_without_complaint(driver, folder):
    model, _ = released_model.read(folder / "face_model.h5")
    np.testing.assert_allclose(vertices(driver), curve_mesh.mesh(model.mean, model.radii)[0], atol=1e-3)
    assert chrome.complaints(driver) == [] and chrome.requests(driver) == []


def test_sliders_put_the_face_where_the_model_has_it_and_reset_puts_it_back(driver, folder):
    model, _ = released_model.read(folder / "face_model.h5")
    before, mean = pixels(driver), vertices(driver)
    put(driver, "mode-1", 3)
    assert np.mean(np.abs(before - pixels(driver)).max(axis=-1) > 8) > 0.01
    put(driver, "covariate-1", 60)
    put(driver, "covariate-2", -1)
    wanted = model.face([3.0], model.z({"age": "60", "sex": "f"}))
    np.testing.assert_allclose(vertices(driver), curve_mesh.mesh(wanted, model.radii)[0], atol=2e-3)
    driver.find_element(By.ID, "to-mean").click()
    np.testing.assert_allclose(vertices(driver), mean, atol=1e-4)


DETAIL = (
    "const {geometry, material} = viewers[0].mesh, {coarse, fine} = viewers[0];"
    "return [geometry.index === coarse.corners, geometry.index === fine.corners, material.type, "
    "[...geometry.index.array], [...geometry.getAttribute('normal').array]]"
)


def test_fewer_triangles_are_drawn_while_a_slider_moves_and_all_at_rest(driver, folder):
    model, _ = released_model.read(folder / "face_model.h5")
    wanted = curve_mesh.mesh(model.face([2.0], model.average), model.radii)
    coarse = curve_mesh.coarser(*model.mean.shape[::2], curve_mesh.middle(model.mean))
    moving = put(driver, "mode-1", 2, DETAIL)
    np.testing.assert_allclose(vertices(driver), wanted[0], atol=2e-3)
    WebDriverWait(driver, 10).until(lambda _: not driver.execute_script("return viewers[0].moving"))
    resting = driver.execute_script(DETAIL)
    np.testing.assert_allclose(vertices(driver), wanted[0], atol=2e-3)
    assert moving[:3] == [True, False, "ShaderMaterial"] and resting[:3] == [False, True, "MeshLambertMaterial"]
    for (*_, drawn, normals), triangles in ((moving, coarse), (resting, wanted[1])):
        np.testing.assert_array_equal(np.reshape(drawn, (-1, 3)), triangles)
        used = np.unique(triangles)
        normal = Trimesh(wanted[0][used], np.searchsorted(used, triangles), process=False)
        cosine = np.sum(np.reshape(normals, (-1, 3))[used] * area_normals(normal), axis=1)
        assert cosine.min() > 0.999


def area_normals(mesh):
    """Normals at vertices: of the triangles about each, by their areas."""
    found = np.zeros_like(mesh.vertices)
    np.add.at(found, mesh.faces, (mesh.face_normals * mesh.area_faces[:, None])[:, None])
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_the_band_is_that_of_the_model(driver, folder):
    model, _ = released_model.read(folder / "face_model.h5")
    put(driver, "covariate-1", 20)
    put(driver, "covariate-2", 1)
    z = model.z({"age": "20", "sex": "m"})
    noise, sampling = (
        np.sqrt(np.mean(band(one(z)) ** 2)) for one in (model.noise_covariance, model.sampling_covariance)
    )
    words = driver.find_element(By.ID, "band").text
    told = [float(one.split()[-1]) for one in words.replace("(", "").replace(")", "").split(" mm")[:3]]
    np.testing.assert_allclose(told, [np.hypot(noise, sampling), noise, sampling], rtol=0.06)
    outputs = [one.text for one in driver.find_elements(By.CSS_SELECTOR, "#sliders output")]
    assert outputs[:2] == ["20.0", "m"]


def test_no_serious_accessibility_fault(driver):
    faults = [one for one in Axe().run(driver)["violations"] if one["impact"] in ("serious", "critical")]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in faults] == []


def test_the_page_is_small(folder):
    assert (folder / "index.html").stat().st_size < 5_000_000
