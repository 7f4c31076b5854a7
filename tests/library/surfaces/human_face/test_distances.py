"""Named distances and angles: where the template carries their landmarks, their values and gradients."""

import numpy as np
import pytest

from shapedp.base import artifacts
from shapedp.base.settings import pages
from shapedp.surfaces.chain import cohort, to_template
from shapedp.surfaces.human_face import distances, real_faces
from shapedp.surfaces.human_face.distances import MEASURES, FaceMeasures

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """The fields of the built-in template, and its lengths in mm."""
    path = tmp_path_factory.mktemp("template") / "template.h5"
    faces = pages.make_demo()["faces"]
    cohort.prepare_template(None, path, {key: faces[key] for key in to_template.SETTINGS}, False)
    with artifacts.reader(path, artifacts.TEMPLATE) as source:
        return {name: source[name] for name in artifacts.TEMPLATE.fields}


@pytest.fixture(scope="module")
def measures(template):
    return FaceMeasures.from_template(template)


def test_the_built_in_template_carries_all(measures):
    assert len(measures.names) == len(set(measures.names)) == len(MEASURES) == 33
    assert measures.units.count("degrees") == 7


def test_landmarks_lie_where_the_public_mean_has_them(template, measures):
    """The template is that mean, up to its place: distances between landmarks are those of the mean's vertices."""
    ours = measures.points(template["curves"] * template["scale"])
    theirs = real_faces.template()[[distances.VERTICES[name] for name in measures.landmarks]]
    apart = [np.linalg.norm(one[:, None] - one[None], axis=-1) for one in (ours, theirs)]
    assert np.abs(apart[0] - apart[1]).max() < 1.0
    assert np.sqrt(np.mean((apart[0] - apart[1]) ** 2)) < 0.3


def test_names_of_both_sides_are_mirror_images(measures):
    for name, vertex in distances.VERTICES.items():
        if name.startswith("right "):
            other = real_faces.template()[distances.VERTICES[name.replace("right", "left")]]
            assert real_faces.template()[vertex] == pytest.approx(other * [-1, 1, 1], abs=0.02)
            assert other[0] > 0


def test_known_distances_and_angles():
    """Of a face of two curves whose landmarks are four samples: a 3-4-5 triangle and a right angle."""
    corners = np.array([[0.0, 0, 0], [3, 0, 0], [0, 4, 0], [0, 4, 2]])
    curves = np.stack([corners.T, corners.T + 7])
    weights = np.zeros((4, 2, 4))
    weights[np.arange(4), 0, np.arange(4)] = 1
    one = FaceMeasures(("pronasale", "nasion", "subnasale", "labiale superius"), weights)
    found = dict(zip(one.names, one.values(curves), strict=True))
    assert found == pytest.approx(
        {
            "nose height": 5,
            "nose bridge length": 3,
            "nose tip protrusion": 4,
            "philtrum length": 2,
            "nose tip angle": 90,
            "nasolabial angle": 90,
        }
    )
    assert one.values(np.stack([curves, 2 * curves]))[1, 0] == pytest.approx(10)


def test_gradients_are_those_of_the_values(template, measures):
    curves = template["curves"] * template["scale"]
    along = np.random.default_rng(1).normal(size=curves.shape)
    step = 1e-4
    expected = (measures.values(curves + step * along) - measures.values(curves - step * along)) / (2 * step)
    found = np.einsum("qjcm,jcm->q", measures.gradients(curves), along)
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-7)


def test_a_template_that_is_no_face_has_none(template):
    unlike = template | {"people_size": np.float64(0.0)}
    one = FaceMeasures.from_template(unlike)
    assert one.names == [] and one.values(template["curves"]).shape == (0,)


def test_a_cropped_template_leaves_out_what_it_does_not_carry(template):
    """Its grid ends beside the nose: the measures of the eyes go, those of the nose stay."""
    inner = len(template["people_triangles"]) // 2
    cut = {name: template[name][: inner + 1] for name in ("people_triangles", "people_weights")}
    names = FaceMeasures.from_template(template | cut).names
    assert "biocular width" not in names and "nose width" in names
