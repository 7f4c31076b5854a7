"""Rendered surfaces: the camera, what hides what, light, lines and colours; rings, spokes and scales by hand."""

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose, assert_array_equal

from shapedp.releases.figures import render, shading
from shapedp.surfaces import curve_mesh, polar
from tolerances import IMAGE_LEVELS, UNIT_FACE

SIZE = (60, 80)  # width, height
RED, BLUE = (0.9, 0.1, 0.1), (0.1, 0.1, 0.9)
LEFT = shading.make_lights(directions=((-1.0, 0.0, 0.6),), colours=((0.9, 0.9, 0.9),), sky=(0.1, 0.1, 0.1))
RIGHT = shading.make_lights(directions=((1.0, 0.0, 0.6),), colours=((0.9, 0.9, 0.9),), sky=(0.1, 0.1, 0.1))


def square(half, z=0.0):
    corners = np.array([[-half, -half, z], [half, -half, z], [half, half, z], [-half, half, z]])
    return corners, np.array([[0, 1, 2], [0, 2, 3]])


def camera(mm_per_pixel=1.0, view="front"):
    return render.Camera(render.make_rotation(*render.VIEWS[view]), np.zeros(2), mm_per_pixel, *SIZE)


def ball(subdivisions=3, radius=20.0):
    mesh = trimesh.creation.icosphere(subdivisions, radius)
    return np.array(mesh.vertices), np.array(mesh.faces)


def test_camera_by_hand():
    column, row, depth = camera(0.5).project(np.array([[10.0, 5.0, 3.0]]))
    assert_allclose([column[0], row[0], depth[0]], [30 + 20, 40 - 10, 3.0])


@pytest.mark.parametrize(("yaw", "pitch", "x", "y"), [(90, 0, 1, 0), (0, 90, 0, -1), (0, 0, 0, 0)])
def test_yaw_turns_to_the_pictures_right_and_pitch_lowers_the_nose(yaw, pitch, x, y):
    rotation = render.make_rotation(yaw, pitch)
    assert_allclose((rotation @ [0, 0, 1])[:2], [x, y], atol=1e-12)
    assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(rotation) > 0


@pytest.mark.parametrize("order", [0, 1])
def test_the_nearer_surface_hides_the_farther_in_any_order(order):
    near, far = square(10, 5.0), square(20, -5.0)
    first, second = (near, far) if order == 0 else (far, near)
    vertices = np.concatenate([first[0], second[0]])
    triangles = np.concatenate([first[1], second[1] + 4])
    red_first = np.repeat([RED, BLUE] if order == 0 else [BLUE, RED], 4, axis=0)
    picture = render.render(vertices, triangles, camera(), colours=red_first).astype(int)
    middle, beside = picture[40, 30], picture[40, 30 + 15]
    assert middle[0] > middle[2] + 50  # the red one is in front
    assert beside[2] > beside[0] + 50
    assert picture[40, 30 - 11].argmax() == 2
    assert picture[40, 30 - 9].argmax() == 0  # its edge lies at 10 mm = 10 pixels, no farther


def test_outside_the_mesh_there_is_background_alone():
    vertices, triangles = square(10)
    picture = render.render(vertices, triangles, camera())
    empty = render.render(vertices + np.array([500.0, 0, 0]), triangles, camera())
    differs = np.any(picture != empty, axis=2)
    assert_array_equal(np.flatnonzero(differs.any(axis=0)), np.arange(20, 40))
    assert_array_equal(np.flatnonzero(differs.any(axis=1)), np.arange(30, 50))


def test_light_from_the_left_brightens_the_left():
    picture = render.render(*ball(), camera(), lights=LEFT).astype(int)
    assert picture[40, 30 - 12].sum() > picture[40, 30 + 12].sum() + 100


def test_a_surface_square_to_the_light_sends_back_its_colour():
    ahead = shading.make_lights(directions=((0, 0, 1.0),), colours=((1.0, 1.0, 1.0),), sky=(0.0, 0.0, 0.0))
    vertices, triangles = square(10)
    picture = render.render(vertices, triangles, camera(), colours=np.full((4, 3), 0.5), lights=ahead)
    expected = 255 * render.to_srgb(render.to_linear(np.array(0.5)) + shading.SHEEN)
    assert abs(int(picture[40, 30, 0]) - expected) <= 0.51


def test_a_mirrored_scene_gives_the_mirrored_picture():
    vertices, triangles = ball()
    vertices = vertices * [1.0, 1.3, 0.8] + 0.15 * vertices[:, [1, 2, 0]]
    picture = render.render(vertices, triangles, camera(), lights=LEFT).astype(int)
    mirrored = render.render(vertices * [-1, 1, 1], triangles[:, ::-1], camera(), lights=RIGHT).astype(int)
    assert np.abs(picture - mirrored[:, ::-1]).max() <= IMAGE_LEVELS
    assert np.abs(picture - mirrored).max() > 50


def test_lines_show_on_the_surface_and_not_behind_it():
    vertices, triangles = square(20)
    for z, shown in [(0.0, True), (5.0, True), (-5.0, False)]:
        lines = [np.array([[-15.0, 0, z], [15.0, 0, z]])]
        picture = render.render(vertices, triangles, camera(), lines=lines, width=3.0, ink=RED).astype(int)
        assert (picture[40, 30, 0] > picture[40, 30, 2] + 50) is np.bool_(shown)
        assert picture[50, 30, 0] < picture[50, 30, 2] + 50


def test_every_mesh_fits_the_shared_camera():
    small, large = ball(2, 10.0)[0], ball(2, 30.0)[0] + [5.0, -8.0, 0.0]
    shared = render.fit_camera([small, large], "three-quarter", SIZE)
    for vertices in (small, large):
        column, row, _ = shared.project(vertices)
        assert column.min() >= 0
        assert row.min() >= 0
        assert column.max() <= SIZE[0]
        assert row.max() <= SIZE[1]


def test_the_same_arguments_give_the_same_picture():
    scene = (*ball(), camera(view="three-quarter"))
    assert_array_equal(render.render(*scene), render.render(*scene))


def test_srgb_by_hand():
    assert_allclose(render.to_srgb(np.array([0.0, 0.5, 1.0, 2.0])), [0, 0.735357, 1, 1], atol=1e-6)
    colours = np.linspace(0, 1, 50)
    assert_allclose(
        render.to_srgb(render.to_linear(colours)), colours, atol=1e-7
    )  # the standard's own rounding at the joint


def test_meshes_that_cannot_be_drawn_are_refused():
    vertices, triangles = square(10)
    with pytest.raises(ValueError, match="1 vertices not finite"):
        render.render(np.where(np.arange(12).reshape(4, 3) == 4, np.nan, vertices), triangles, camera())
    with pytest.raises(ValueError, match=r"0\.\.4; there are 4"):
        render.render(vertices, triangles + np.array([[0], [1]]), camera())
    with pytest.raises(ValueError, match="without extent"):
        render.fit_camera([np.zeros((3, 3))])


RINGS, ANGLES = 24, 64
THETA = 2 * np.pi * np.arange(ANGLES) / ANGLES
R = polar.radii(RINGS)[:, None]
FLAT = np.stack([R * np.cos(THETA), R * np.sin(THETA), np.zeros((RINGS, ANGLES))], axis=-1)  # the disk itself


def test_rings_are_closed_circles_of_their_radius():
    for ring, radius in zip(render.trace_rings(FLAT, np.array([0.3, 1.0])), (0.3, 1.0), strict=True):
        assert_allclose(ring[0], ring[-1], atol=0)
        assert_allclose(np.linalg.norm(ring, axis=1), radius, rtol=UNIT_FACE)


def test_spokes_go_outwards_at_equal_angles():
    found = render.trace_spokes(FLAT, 4)
    assert_allclose([np.arctan2(*one[-1, 1::-1]) for one in found], [0, np.pi / 2, np.pi, -np.pi / 2], atol=UNIT_FACE)
    assert np.all(np.diff(np.linalg.norm(found[1], axis=1)) > 0)


def test_the_whole_surface_reaches_the_rim_and_faces_the_viewer():
    vertices, triangles = render.mesh_surface(FLAT)
    assert len(vertices) == 1 + sum(curve_mesh.rings(RINGS, ANGLES))
    assert_allclose(np.linalg.norm(vertices[-ANGLES:], axis=1), 1, rtol=UNIT_FACE)
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    assert np.all(np.cross(b - a, c - a)[:, 2] > 0)


def test_more_is_darker_and_what_is_beyond_the_scale_has_its_last_colour():
    colours = render.colour_heat(np.array([0.0, 1.0, 2.0, 4.0, 9.0]), most=4.0)
    assert np.all(np.diff(colours[:4].mean(axis=1)) < 0)
    assert_allclose(colours[4], colours[3])


@pytest.mark.parametrize("count", [1, 16])
def test_as_many_spokes_as_asked_for(count):
    assert len(render.trace_spokes(FLAT, count)) == count


@pytest.mark.parametrize(("width", "length"), [(300.0, 20), (60.0, 20), (12.0, 2), (3400.0, 1000), (0.05, 0.01)])
def test_a_bar_of_scale_is_a_round_length_that_fits(width, length):
    camera = render.Camera(np.eye(3), np.zeros(2), width / 800, 800, 600)
    assert render.choose_bar_length(camera) == pytest.approx(length)
