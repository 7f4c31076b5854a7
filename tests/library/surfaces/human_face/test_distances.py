"""Named distances and angles: where the template carries their landmarks, their values and gradients."""

import numpy as np
import pytest

from shapedp.base import artifacts
from shapedp.base.errors import ConfigError
from shapedp.base.settings import pages
from shapedp.surfaces.chain import cohort, to_template
from shapedp.surfaces.human_face import distances, real_faces
from shapedp.surfaces.human_face.distances import MEASURES, FaceMeasures
from shapedp.surfaces.subjects import catalogues

pytestmark = pytest.mark.slow


def find_vertex(*names):
    """Return the public mean's vertex next to the middle of some landmarks."""
    public = real_faces.template()
    middle = public[[distances.VERTICES[name] for name in names]].mean(axis=0)
    return int(np.linalg.norm(public - middle, axis=1).argmin())


# Vertices of the public mean without a name, and one with the name of another landmark.
PLACES = {
    "brow": find_vertex("glabella", "left exocanthion"),
    "left cheek": find_vertex("left exocanthion", "left cheilion", "left alare"),
    "stomion": distances.VERTICES["labiale superius"],
}
OWN = pages.make_demo()["faces"] | {
    "landmarks": {name: real_faces.template()[vertex].tolist() for name, vertex in PLACES.items()}
}


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """The fields of the built-in template, with landmarks of its own."""
    path = tmp_path_factory.mktemp("template") / "template.h5"
    kind, faces = cohort.find_template_kind(OWN), {key: OWN[key] for key in to_template.list_settings(OWN)}
    cohort.prepare_template(None, path, faces, False)
    with artifacts.reader(path, kind) as source:
        return {name: source[name] for name in kind.fields}


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


def test_own_landmarks_of_a_face_are_measured_beside_those_with_names(template):
    measures = catalogues.make_table_measures(template, OWN)
    assert set(measures.landmarks) == {*distances.VERTICES, "brow", "left cheek"}
    assert measures.names[len(MEASURES) :] == ["brow to left cheek"]
    # The template is the public mean, up to its place and its grid.
    vertices = [PLACES.get(name, distances.VERTICES.get(name)) for name in measures.landmarks]
    ours, theirs = measures.points(template["curves"] * template["scale"]), real_faces.template()[vertices]
    apart = [np.linalg.norm(points[:, None] - points[None], axis=-1) for points in (ours, theirs)]
    assert np.abs(apart[0] - apart[1]).max() < 1.0


def test_distances_that_have_names_are_measured_instead_of_each_two(template):
    named = {"brow to chin": ["brow", "gnathion"], "cheek angle": ["brow", "left cheek", "pronasale"]}
    measures = catalogues.make_table_measures(template, OWN | {"distances": named})
    assert measures.names[len(MEASURES) :] == list(named)
    assert measures.units[-2:] == ["mm", "degrees"]


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({"new": ["brow", "ear"]}, "'ear' is no landmark of the template"),
        ({"nose width": ["brow", "nasion"]}, "measured under this name already"),
        ({"asymmetry index": ["brow", "nasion"]}, "measured under this name already"),
    ],
)
def test_a_distance_that_the_template_cannot_have_is_refused(template, named, words):
    with pytest.raises(ConfigError, match=words):
        catalogues.make_table_measures(template, OWN | {"distances": named})
