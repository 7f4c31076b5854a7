"""The disk map against surfaces whose map is known, under refinement, and on faces."""

import numpy as np
import pytest
import trimesh
from threadpoolctl import threadpool_limits

import tolerances
from library.surfaces import analytic
from shapedp.demo import faces, scans
from shapedp.errors import Rejected
from shapedp.surfaces import conformal, distortion, meshing, mobius, topology


def aligned(z, exact):
    """z turned so that it fits the exact map best: the map is unique up to a rotation once its center is fixed."""
    turn = np.vdot(z, exact)
    return z * turn / abs(turn)


def position_error(rings, squeeze=1.0):
    """Root mean square; the triangles are Delaunay after squeezing the disk, hence poor ones on the surface."""
    exact = analytic.disk_points(rings)
    triangles = analytic.triangulated(exact.real + squeeze * 1j * exact.imag)
    z = mobius.centered(conformal.disk_map(analytic.lift(exact), triangles), triangles, 0)
    return np.sqrt(np.mean(np.abs(aligned(z, exact) - exact) ** 2))


@pytest.mark.parametrize("squeeze", [1.0, 0.2])
def test_positions_converge_at_second_order_on_good_and_on_poor_triangles(squeeze):
    assert position_error(24, squeeze) < position_error(12, squeeze) / 3.2


def test_positions_at_24_rings():
    assert position_error(24) < tolerances.MAP_POSITION_24_RINGS


@pytest.fixture(scope="module")
def face():
    vertices, triangles = faces.face(0.8 * faces.random_weights(np.random.default_rng(4))), faces.triangles()
    return vertices, triangles, conformal.disk_map(vertices, triangles)


def test_a_face_maps_without_flips_its_boundary_on_the_circle_its_area_balanced(face):
    vertices, triangles, z = face
    assert not distortion.flipped(z, triangles).any()
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    assert abs((areas[:, None] * z[triangles]).sum()) < 1e-12 * areas.sum()
    rim = np.abs(z) > 0.9999
    assert np.max(np.abs(np.abs(z[rim]) - 1)) < 1e-12


def test_angles_of_a_face_change_by_less_than_a_degree_in_the_mean_its_nose_at_0_or_not(face):
    vertices, triangles, z = face
    for one in (z, mobius.centered(z, triangles, faces.NOSE_TIP)):
        assert np.abs(distortion.angle_changes(vertices, triangles, one)).mean() < 1.0


def test_rotation_and_scale_change_nothing_but_rounding(face):
    vertices, triangles, z = face
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    rotation *= np.sign(np.linalg.det(rotation))
    moved = conformal.disk_map(1e-3 * vertices @ rotation.T + 7, triangles)
    assert np.max(np.abs(aligned(moved, z) - z)) < tolerances.RIGID_MOTION


@pytest.mark.slow
def test_a_mirrored_face_has_the_mirrored_map(face):
    vertices, triangles, z = face
    mirrored = conformal.disk_map(vertices * [-1, 1, 1], triangles[:, ::-1])
    assert np.max(np.abs(aligned(mirrored, -z.conj()) + z.conj())) < tolerances.RIGID_MOTION


def test_orientation_is_kept():
    exact, triangles = analytic.disk_mesh(8)
    z = conformal.disk_map(analytic.lift(exact), triangles)
    assert np.all(distortion.signed_areas(z, triangles) > 0)


def test_what_is_no_disk_is_refused(face):
    vertices, triangles, _ = face
    with pytest.raises(Rejected, match="2 boundary loops"):
        conformal.disk_map(vertices, np.delete(triangles, 100, axis=0))
    with pytest.raises(Rejected, match="not finite"):
        conformal.disk_map(np.where(np.arange(len(vertices))[:, None] == 5, np.nan, vertices), triangles)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_of_threads_changes_no_bit(face, threads):
    vertices, triangles, z = face
    with threadpool_limits(threads):
        assert np.array_equal(conformal.disk_map(vertices, triangles), z)


def test_turned_triangles_are_unfolded():
    """Some triangles of a rough surface turn over at first, none when the weights around them are raised."""
    exact = analytic.disk_points(12)
    triangles = analytic.triangulated(exact.real + 0.1j * exact.imag)
    rough = 0.02 * np.random.default_rng(0).normal(size=(len(exact), 3))
    vertices = analytic.bump(exact.real, exact.imag) + rough
    assert distortion.flipped(conformal.disk_map(vertices, triangles, unfold=False), triangles).any()
    assert not distortion.flipped(conformal.disk_map(vertices, triangles), triangles).any()


def test_a_few_turned_triangles_are_unfolded_where_they_are():
    """All but the vertices near them keep their places to the last bit, and these move little."""
    exact = analytic.disk_points(24)
    triangles = analytic.triangulated(exact.real + 0.3j * exact.imag)
    vertices = analytic.bump(exact.real, exact.imag) + 0.006 * np.random.default_rng(0).normal(size=(len(exact), 3))
    plain = conformal.disk_map(vertices, triangles, unfold=False)
    z = conformal.disk_map(vertices, triangles)
    assert distortion.flipped(plain, triangles).any()
    assert not distortion.flipped(z, triangles).any()
    assert 0 < np.sum(z != plain) < len(z) / 10
    assert np.abs(z - plain).max() < 0.01
    change, before = (np.abs(distortion.angle_changes(vertices, triangles, one)).mean() for one in (z, plain))
    assert change < 1.01 * before


@pytest.mark.slow
def test_a_dense_mesh_with_slivers_keeps_the_angles_of_its_plain_map(shared_data):
    """97,189 vertices, holes closed by fans: Choi's method reaches .369 degree without a turned triangle."""
    with np.load(shared_data / "faces" / "ict_faces.npz") as model:
        vertices, triangles = model["mean"], model["triangles_disk"]
    for _ in range(2):
        vertices, triangles = trimesh.remesh.subdivide(vertices, triangles)
    triangles = triangles.astype(np.int64)
    z = conformal.disk_map(vertices, triangles)
    assert not distortion.flipped(z, triangles).any()
    assert np.abs(distortion.angle_changes(vertices, triangles, z)).mean() < 0.365


def test_what_cannot_be_unfolded_is_refused():
    exact = analytic.disk_points(12)
    triangles = analytic.triangulated(exact.real + 0.01j * exact.imag)
    with pytest.raises(Rejected, match=r"triangle\(s\) over"):
        conformal.disk_map(analytic.bump(exact.real, exact.imag), triangles)


@pytest.mark.slow
def test_a_boundary_that_would_turn_back_is_kept_in_order():
    """A scan with a flat obtuse triangle on its rim, whose weight is negative: the map once ran backwards there."""
    mesh = meshing.mesh_scan(scans.scan(2024, 52))
    z = conformal.disk_map(mesh.vertices, mesh.triangles)
    rim = z[topology.boundary_loops(mesh.triangles)[0]]
    assert (np.angle(np.roll(rim, -1) / rim) > 0).all()
    assert not distortion.flipped(z, mesh.triangles).any()
