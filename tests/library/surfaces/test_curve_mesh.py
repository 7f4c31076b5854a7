"""The surface through radial curves: a disk, oriented outwards, with the right center and area."""

import numpy as np
import pytest
import trimesh

from library.surfaces import analytic
from shapedp.surfaces import curve_mesh, polar


def surface(rings=64, angles=128):
    theta = 2 * np.pi * np.arange(angles) / angles
    r = polar.radii(rings)[:, None]
    return analytic.bump(r * np.cos(theta), r * np.sin(theta))


def test_curves_lie_on_the_surface():
    radii = np.array([0.2, 0.51, 1.0])
    found = curve_mesh.extract(surface(), radii, 64)
    theta = 2 * np.pi * np.arange(64) / 64
    exact = analytic.bump(radii[:, None] * np.cos(theta), radii[:, None] * np.sin(theta))
    assert found.shape == (3, 3, 64)
    assert np.max(np.abs(np.moveaxis(found, 1, 2) - exact)) < 2e-4


def test_samples_on_the_grid_are_the_grid():
    f = surface()
    r = polar.radii(64)
    assert np.allclose(np.moveaxis(curve_mesh.extract(f, r[[5, 63]], 128), 1, 2), f[[5, 63]], rtol=0, atol=1e-12)


def test_fewer_samples_keep_the_nyquist_wave():
    theta = 2 * np.pi * np.arange(64) / 64
    wave = np.cos(4 * theta)[None]
    assert np.allclose(curve_mesh._resample(wave, 8), [[1, -1] * 4], atol=1e-14)


@pytest.mark.parametrize("spacing", ["radius", "arc", "area"])
def test_radii_rise_to_the_rim(spacing):
    radii = curve_mesh.spread(surface(), 23, spacing)
    assert radii[-1] == 1
    assert np.all(np.diff(radii) > 0)
    assert radii[0] > 0


def test_equal_radii_are_the_papers():
    assert np.allclose(curve_mesh.spread(surface(), 4, "radius"), [0.25, 0.5, 0.75, 1])


def test_equal_areas_are_equal():
    f = surface(96, 192)
    radii = curve_mesh.spread(f, 5, "area")
    cumulative = np.concatenate([[0], np.cumsum(polar.area_elements(f).sum(axis=1))])
    edges = np.append(np.arange(96) / 95.5, 1.0)
    shares = np.interp(radii, edges, cumulative / cumulative[-1])
    assert np.allclose(shares, np.arange(1, 6) / 5, atol=3e-3)


def test_equal_steps_of_arc_are_equal_on_a_cone():
    """A cone stretched towards its rim: length along a radius is proportional to r + r^2."""
    theta = 2 * np.pi * np.arange(64) / 64
    r = polar.radii(96)[:, None]
    length = r + r**2
    cone = np.stack([length * np.cos(theta), length * np.sin(theta), -length + 0 * theta], axis=-1)
    radii = curve_mesh.spread(cone, 8, "arc")
    assert np.allclose(radii + radii**2, 2 * np.arange(1, 9) / 8, atol=2e-3)


RADII = np.linspace(0.05, 1, 23)


def curves_of(f, samples=80):
    """Curves (J, 3, m) of a surface given as a function of x and y on the disk."""
    theta = 2 * np.pi * np.arange(samples) / samples
    x, y = RADII[:, None] * np.cos(theta), RADII[:, None] * np.sin(theta)
    return np.stack(np.broadcast_arrays(*f(x, y)), axis=1)


def test_the_surface_is_a_disk():
    surface = trimesh.Trimesh(*curve_mesh.mesh(curves_of(lambda x, y: (x, y, 0 * x)), RADII), process=False)
    assert surface.euler_number == 1
    assert surface.is_winding_consistent
    assert len(surface.vertices) == 1 + 10 + 2 * 20 + 3 * 40 + 17 * 80
    assert set(surface.faces.ravel()) == set(range(len(surface.vertices))), "no vertex is left over"


def test_a_circle_has_as_many_vertices_as_keep_neighbours_apart():
    assert curve_mesh.rings(23, 80)[:9] == [10, 20, 20, 40, 40, 40, 80, 80, 80]
    assert curve_mesh.rings(64, 240)[:5] == [15, 15, 30, 30, 30]
    assert curve_mesh.rings(3, 9) == [9, 9, 9], "an odd number cannot be halved"


def test_triangles_of_a_flat_disk_have_no_small_angles():
    """Fans of all samples have angles of 360/240 = 1.5 degrees at the nose."""
    radii = np.arange(1, 65) / 64
    theta = 2 * np.pi * np.arange(240) / 240
    circle = np.stack([np.cos(theta), np.sin(theta), 0 * theta])
    surface = trimesh.Trimesh(*curve_mesh.mesh(radii[:, None, None] * circle, radii), process=False)
    assert np.degrees(surface.face_angles.min()) > 18


@pytest.mark.parametrize(("count", "samples"), [(64, 240), (23, 80), (2, 6), (5, 9), (64, 256)])
def test_the_coarser_surface_is_a_disk_of_fewer_triangles_with_the_same_rim(count, samples):
    radii, theta = np.arange(1, count + 1) / count, 2 * np.pi * np.arange(samples) / samples
    circle = np.stack([np.cos(theta), np.sin(theta), 0 * theta])
    vertices, triangles = curve_mesh.mesh(radii[:, None, None] * circle, radii)
    coarse = trimesh.Trimesh(vertices, curve_mesh.coarser(count, samples))
    assert coarse.euler_number == 1 and coarse.is_winding_consistent
    assert np.all(coarse.face_normals[:, 2] > 0), "no triangle is turned over or folded"
    each = samples // 2 if samples % 2 == 0 else samples
    assert coarse.area == pytest.approx(each / 2 * np.sin(2 * np.pi / each), rel=1e-12)
    assert len(coarse.faces) <= 0.6 * len(triangles)


def test_values_at_the_vertices_are_those_of_the_curves():
    curves = curves_of(lambda x, y: (x, y, x**2 - 3 * y))
    vertices, _ = curve_mesh.mesh(curves, RADII)
    assert np.array_equal(curve_mesh.at_vertices(curves.transpose(0, 2, 1))[1:], vertices[1:])


def test_a_flat_disk_faces_up_and_has_the_area_of_the_polygon():
    surface = trimesh.Trimesh(*curve_mesh.mesh(curves_of(lambda x, y: (x, y, 0 * x)), RADII), process=False)
    assert np.all(surface.face_normals[:, 2] > 0), "counter-clockwise angles, seen from +z, are outside"
    assert surface.area == pytest.approx(40 * np.sin(2 * np.pi / 80), rel=1e-12)


def test_the_center_is_exact_for_surfaces_of_second_order():
    curves = curves_of(lambda x, y: (x + 1, y - 2, 3 - x**2 - 2 * y**2 + x * y))
    assert np.allclose(curve_mesh.center(curves, RADII), [1, -2, 3], rtol=0, atol=1e-13)


@pytest.mark.parametrize("turn", [0, 8, 24])
def test_both_halves_of_a_symmetric_face_are_cut_alike(turn):
    """Mirrored at the line that halves the face, wherever it runs, the triangles of one half are those of the other."""
    curves = np.roll(curves_of(lambda x, y: (x + 0.1 * x**2, y, np.cos(3 * y) * x)), turn, axis=2)
    assert curve_mesh.middle(curves) == pytest.approx(2 * np.pi * turn / 80)
    vertices, triangles = curve_mesh.mesh(curves, RADII)
    mirrored = np.round(vertices * [1, -1, 1], 9)
    names = {tuple(point): index for index, point in enumerate(np.round(vertices, 9) + 0.0)}
    image = np.array([names[tuple(point + 0.0)] for point in mirrored])
    outer = triangles[-2 * 80 :]
    assert {frozenset(row) for row in image[outer]} == {frozenset(row) for row in outer}


def test_sides_within_four_neighbours_run_across_the_face():
    """The line that halves it runs along x here, so more across than along: |dy| is the greater."""
    curves = curves_of(lambda x, y: (x + 0.1 * x**2, y, 0 * x))
    vertices, triangles = curve_mesh.mesh(curves, RADII)
    first = len(vertices) - 2 * 80
    outer = triangles[-2 * 80 :] - first
    pairs = {tuple(sorted(pair)) for row in outer for pair in zip(row, np.roll(row, 1), strict=True)}
    within = np.array([(a, b) for a, b in pairs if a < 80 <= b and b - a != 80])
    across = np.abs(np.subtract(*vertices[first + within].transpose(1, 0, 2)))
    other = np.column_stack([within[:, 1] - 80, within[:, 0] + 80])
    along = np.abs(np.subtract(*vertices[first + other].transpose(1, 0, 2)))
    assert len(within) == 80
    assert np.all(across[:, 1] + 1e-9 >= along[:, 1])


@pytest.mark.parametrize("of_vertices", [False, True])
def test_arrows_lie_evenly_over_a_disk(of_vertices):
    """Along rays alone they would be far apart at the rim, and near each other in the middle."""
    points = curve_mesh.rings(64, 240) if of_vertices else [240] * 64
    arrow_places = curve_mesh.choose_arrow_places(points)
    places = np.concatenate([(j + 1) * np.exp(2j * np.pi * np.array(taken) / points[j]) for j, taken in arrow_places])
    apart = np.abs(places[:, None] - places)
    np.fill_diagonal(apart, np.inf)
    nearest = apart.min(axis=1)
    assert nearest.min() > 0.3 * curve_mesh.APART and nearest.max() < 1.5 * curve_mesh.APART
