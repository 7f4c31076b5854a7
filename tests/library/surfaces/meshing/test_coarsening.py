"""A dense mesh made coarse by cubes: the same surface, wherever it lies, and two sheets that come near stay two."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from shapedp.base.errors import Rejected
from shapedp.surfaces import topology
from shapedp.surfaces.meshing import coarsening, scan_mesh

SIDE, AIM = 120, 3000


def sheet(side=SIDE, width=1.0, height=1.0):
    """(points (n, 2), triangles) of a rectangle cut into triangles."""
    x, y = (one.ravel() for one in np.meshgrid(np.linspace(0, width, side), np.linspace(0, height, side)))
    at = np.arange(side * side).reshape(side, side)
    a, b, c, d = (one.ravel() for one in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    return np.column_stack([x, y]), np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


@pytest.fixture(scope="module")
def dome():
    """A cap of a sphere of radius 1, of many more triangles than are aimed at."""
    flat, triangles = sheet()
    flat = flat * [1.1, 0.8] - [0.55, 0.4]  # longer than wide: its axes are its own
    return np.column_stack([flat, np.sqrt(1 - np.square(flat).sum(axis=1))]), triangles


def test_a_dome_stays_a_disk_on_its_sphere(dome):
    points, triangles = coarsening.coarsen(*dome, AIM)
    assert coarsening.FEW * AIM <= len(triangles) <= coarsening.MANY * AIM
    assert topology.fault(triangles, len(points)) == ""
    cube = 1 / np.sqrt(AIM)
    assert np.abs(np.linalg.norm(points, axis=1) - 1).max() < cube**2, "a mean lies inside by its curvature alone"
    assert topology.areas(points, triangles).sum() == pytest.approx(topology.areas(*dome).sum(), rel=0.05)
    sides = points[triangles[:, 1:]] - points[triangles[:, :1]]
    assert (np.cross(sides[:, 0], sides[:, 1])[:, 2] > 0).all(), "all face outwards, as before"


def test_it_moves_with_the_scan(dome):
    points, triangles = dome
    turn = Rotation.from_rotvec([0.4, -0.9, 0.3]).as_matrix()
    plain, moved = (coarsening.coarsen(one, triangles, AIM) for one in (points, points @ turn.T + [3.0, -5.0, 2.0]))
    assert np.array_equal(plain[1], moved[1])
    assert_allclose(moved[0], plain[0] @ turn.T + [3.0, -5.0, 2.0], rtol=0, atol=1e-12)


def test_two_sheets_nearer_than_a_cube_stay_apart():
    """A sheet folded like a letter, its halves a tenth of a cube from each other."""
    flat, triangles = sheet(height=2.0)
    gap = 0.1 / np.sqrt(AIM)
    is_upper = flat[:, 1] > 1
    folded = np.column_stack([flat[:, 0], np.where(is_upper, 2 - flat[:, 1], flat[:, 1]), gap * is_upper])
    points, coarse = coarsening.coarsen(folded, triangles, AIM)
    assert topology.fault(coarse, len(points)) == ""
    assert topology.areas(points, coarse).sum() == pytest.approx(2, rel=0.05)


def test_triangles_back_to_back_are_left_out_and_others_stand_once():
    given = [[0, 1, 2], [2, 1, 0], [3, 4, 5], [4, 5, 3], [6, 7, 8], [7, 6, 8], [8, 6, 7], [1, 1, 9], [2, 3, 9]]
    assert coarsening._drop_folds(np.array(given)).tolist() == [[3, 4, 5], [6, 7, 8], [2, 3, 9]]


def test_points_of_no_triangle_move_nothing(dome):
    points, triangles = dome
    more = np.concatenate([[[50.0, 0, 0]], points])
    found = coarsening.coarsen(more, triangles + 1, AIM)
    assert np.array_equal(found[0], coarsening.coarsen(points, triangles, AIM)[0])


def test_triangles_without_an_area_and_slivers_as_long_as_the_scan_are_refused():
    points, triangles = sheet(60)
    flat = np.column_stack([points[:, 0], np.zeros((len(points), 2))])
    with pytest.raises(Rejected, match="no area"):
        coarsening.coarsen(flat, triangles, 300)
    count = 4000
    slivers = np.zeros((2 * count, 3))
    slivers[::2, 0], slivers[:, 1] = 1.0, 1e-12 * np.arange(2 * count)
    strip = np.arange(2 * count - 2)[:, None] + [0, 1, 2]
    with pytest.raises(Rejected, match="cannot be thinned evenly"):
        coarsening.coarsen(slivers, strip, 300)


@pytest.mark.slow
def test_a_mesh_of_very_many_triangles_is_coarse_before_its_edges_collapse(pymeshlab, dome, monkeypatch):
    monkeypatch.setattr(scan_mesh, "DENSE", 5000)
    monkeypatch.setattr(scan_mesh, "REDUCED", 4000)
    monkeypatch.setattr(scan_mesh, "VAST", 20_000)
    monkeypatch.setattr(scan_mesh, "COARSE", 8000)
    given = []
    reduced = scan_mesh.meshlab.reduce
    monkeypatch.setattr(scan_mesh.meshlab, "reduce", lambda p, t, n: given.append(len(t)) or reduced(p, t, n))
    mesh = scan_mesh.mesh_scan(*dome)
    assert given[0] <= coarsening.MANY * 8000 < len(dome[1])
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    assert mesh.quality["own_triangles"] == 1
    assert np.abs(np.linalg.norm(mesh.vertices, axis=1) - 1).max() < 1e-3
