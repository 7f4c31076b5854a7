"""Own public faces say where points of others like them lie along a face, and the face stays where it was."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy

from shapedp.base import artifacts, writers
from shapedp.base.artifacts import kinds
from shapedp.base.settings import pages
from shapedp.surfaces import polar
from shapedp.surfaces.chain import cohort, to_template
from shapedp.surfaces.chain.step import ChainSettings, walk
from shapedp.surfaces.chain.step import Scan as Named
from shapedp.surfaces.chain.steps import STEPS
from shapedp.surfaces.human_face import likeness, own_faces, placement, public_fit, real_faces, template_forms
from shapedp.surfaces.registration import alignment
from shapedp.surfaces.scans.scan import Scan

SHAPE = (48, 128, 3)
PUBLIC, OTHERS = 16, 4
WAYS, WIDE_MM, APART_MM = 4, 15.0, 3.0  # how these people differ where the packed ones do not
SLID_MM = 1.5


@pytest.fixture(scope="module")
def people():
    face = alignment.map_face(*template_forms.built_in_template("built_in"), SHAPE, True)
    return placement.find_people(face, own=True)


def draw_field(points, reach, count, rng):
    """A smooth random field (p, 3) over points (p, 3), of root mean square 1."""
    centers = points[rng.choice(len(points), count)]
    near = np.exp(-(scipy.spatial.distance.cdist(points, centers) ** 2) / (2 * reach**2))
    field = near @ rng.standard_normal((count, 3))
    return field / np.sqrt((field**2).sum(axis=1).mean())


def slide(points, mm, rng):
    """Points moved along their face by a smooth random field."""
    step, normals = draw_field(points.reshape(-1, 3), 30 * mm, 40, rng), public_fit.grid_normals(points)
    step -= (step * normals).sum(axis=1, keepdims=True) * normals
    return points + SLID_MM * mm * step.reshape(points.shape)


@pytest.fixture(scope="module")
def faces(people):
    """(true, registered) faces of people who differ from the mean in a few ways; a registration slides along them."""
    rng, mm = np.random.default_rng(7), 1 / people.size
    ways = [APART_MM * mm * draw_field(people.f.reshape(-1, 3), WIDE_MM * mm, 300, rng) for _ in range(WAYS)]
    weights = rng.standard_normal((PUBLIC + OTHERS, WAYS)) / np.sqrt(WAYS)
    true = people.mean + np.tensordot(weights, ways, axes=1).reshape(-1, *SHAPE)
    return true, np.array([slide(one, mm, rng) for one in true])


@pytest.fixture(scope="module")
def own(people, faces):
    return own_faces.learn(people, faces[1][:PUBLIC])


def mean_mm(people, points, true):
    """How far points lie from the true ones, off the rim, in the mean."""
    return np.linalg.norm(points - true, axis=-1)[:, :-4].mean() * people.size


def test_points_slide_back_to_where_they_belong(people, own, faces):
    true, registered = faces[0][PUBLIC:], faces[1][PUBLIC:]
    before = mean_mm(people, registered, true)
    after = mean_mm(people, np.array([own.bend(one) for one in registered]), true)
    untaught = replace(own, modes=own.modes[..., :0])
    alone = mean_mm(people, np.array([untaught.bend(one) for one in registered]), true)
    assert after < 0.8 * before
    assert after < 0.9 * alone


def test_points_move_along_the_face_alone(people, own, faces):
    registered = faces[1][PUBLIC]
    moved = (own.bend(registered) - registered).reshape(-1, 3) * people.size
    assert np.linalg.norm(moved, axis=1).mean() > 0.5
    assert np.abs((moved * public_fit.grid_normals(registered)).sum(axis=1)).max() < 1e-9


def test_too_few_teach_nothing(people, faces):
    assert own_faces.learn(people, faces[1][: own_faces.FEWEST - 1]) is None
    assert own_faces.learn(people, faces[1][: own_faces.FEWEST]).modes.shape[-1] == own_faces.FEWEST - 1


def test_a_place_in_space_says_nothing_of_shape(own, people, faces):
    """Public faces each moved, turned and grown a little teach the same modes."""
    rng, moved = np.random.default_rng(5), []
    for one in faces[1][:PUBLIC]:
        turn = scipy.spatial.transform.Rotation.from_rotvec(0.01 * rng.standard_normal(3)).as_matrix()
        moved.append((1 + 0.01 * rng.standard_normal()) * one @ turn.T + 0.01 * rng.standard_normal(3))
    taught = own_faces.learn(people, moved)
    spreads = [np.sqrt((one.modes**2).sum(axis=(0, 1))) for one in (own, taught)]
    assert spreads[1][:WAYS] == pytest.approx(spreads[0][:WAYS], rel=0.03)


def test_an_expression_is_no_part_of_what_bends(people, own, faces):
    """With what it adds known, points move as those of the face at rest, along the face as it is."""
    rng, mm = np.random.default_rng(11), 1 / people.size
    added = 4 * mm * draw_field(people.f.reshape(-1, 3), 20 * mm, 60, rng).reshape(SHAPE)
    true, registered = faces[0][PUBLIC], faces[1][PUBLIC]
    before, known, unknown = (
        mean_mm(people, one, true + added)
        for one in (registered + added, own.bend(registered + added, added), own.bend(registered + added))
    )
    assert known < 0.9 * before
    assert known < 0.9 * unknown


@pytest.mark.parametrize(("weight", "shows"), [(None, False), (0.1, False), (1.0, True)])
def test_an_expression_that_moves_a_face_by_little_may_be_its_form(people, weight, shows):
    names = real_faces.expression_names()
    weights = None if weight is None else weight * (np.array(names) == "jawOpen")
    found = own_faces.find_expression(SimpleNamespace(expression=weights), people)
    assert (found is not None) is shows
    assert not shows or np.array_equal(found, people.expression(weights))


@pytest.mark.parametrize("marks", [None, "some"])
def test_marked_faces_are_not_bent(monkeypatch, people, marks):
    """Marks say more of where points belong."""
    added = np.full(3, 0.01)
    own = SimpleNamespace(bend=lambda points, expression: points + added)
    places = polar.polar_grid(*SHAPE[:2]).points
    forms = template_forms.TemplateForms(people.f, people.f, places, people, people, None, own)
    nose = forms.mesh_template.extent.nose
    found = SimpleNamespace(points=people.f, place=alignment.Place(nose, 1.0, np.eye(3)), expression=None)
    monkeypatch.setattr(likeness, "align_likeliest", lambda *args, **named: found)
    monkeypatch.setattr(likeness, "replace_points", lambda aligned, points, nose, q: points)
    result = forms.align(SimpleNamespace(own_triangles=True), marks)
    assert result is found if marks else np.abs(result - people.f - added).max() < 1e-12


@pytest.mark.slow
def test_a_template_of_a_laboratorys_own_is_taught_by_its_public_faces_and_bends_scans(tmp_path, monkeypatch):
    """From the settings to the registered surface; without own public faces the template holds nothing of them."""
    monkeypatch.setattr(own_faces, "FEWEST", 3)
    rng = np.random.default_rng(3)
    scans = [Scan(real_faces.face(rng.standard_normal(20)), real_faces.triangles(), ()) for _ in range(5)]
    path = tmp_path / "mine.ply"
    path.write_bytes(writers.encode_surface(real_faces.template(), real_faces.triangles(), ".ply"))
    demo = pages.make_demo()["faces"]
    faces = demo | {"template": str(path), "bounds": demo["bounds"] | {"reference_set": ["built_in", "mine"]}}
    assert set(to_template.list_settings(faces)) >= {"registration", "gates"}
    shaping = {key: faces[key] for key in to_template.list_settings(faces)}
    specimens = [(f"public_{at}", scan, None, (), False) for at, scan in enumerate(scans[:4])]
    surfaces = {}
    for name, given in (("taught", specimens), ("few", specimens[:2]), ("untaught", [])):
        template = tmp_path / f"{name}.h5"
        cohort.prepare_template(path, template, shaping, False, given)
        with artifacts.reader(template, kinds.with_own_faces(artifacts.TEMPLATE)) as source:
            assert ("own_modes" in source) == bool(given)
            assert not given or source["own_modes"].shape[-1] == (3 if name == "taught" else 0)
        (one,) = walk([Named("other", scans[4])], STEPS, ChainSettings(faces, template))
        surfaces[name] = one.records["registered"]["f"]
    assert np.array_equal(surfaces["few"], surfaces["untaught"])
    apart = np.linalg.norm(surfaces["taught"] - surfaces["untaught"], axis=-1).mean()
    assert 1e-4 < apart < 1e-2  # of the template's size: .01 to 1.5 mm
