"""Each scan meets the form of the template that is like it, and all end on one grid."""

import numpy as np
import pytest

from shapedp.demo import faces, scans
from shapedp.surfaces import alignment, carrying, centers, meshing, normalise, twofold
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration.options import Options

SHAPE = (48, 128, 3)
OPTIONS = Options(levels=2, basis=60)


@pytest.fixture(scope="module")
def mesh():
    return alignment.mapped(faces.template(), faces.triangles(), faces.NOSE_TIP, SHAPE, True)


@pytest.fixture(scope="module")
def cloud(mesh):
    return twofold.cloud_of(mesh)


@pytest.fixture(scope="module")
def places(mesh, cloud):
    return carrying.places(cloud, mesh)


@pytest.fixture(scope="module")
def template(mesh, cloud, places):
    return twofold.Twofold((cloud.f, cloud.f, None), (mesh.f, mesh.f, None), places, np.inf, OPTIONS)


def in_mm(face, f):
    return f * face.scale + face.centroid


def test_the_cloud_is_the_same_face_meshed_anew_about_the_same_center(mesh, cloud):
    assert not cloud.own_triangles
    assert len(cloud.vertices) != len(mesh.vertices)
    assert np.linalg.norm(in_mm(cloud, cloud.f)[0].mean(axis=0) - in_mm(mesh, mesh.f)[0].mean(axis=0)) < 2


def test_a_place_in_the_other_disk_shows_the_same_point(mesh, cloud, places):
    """In the meshes' disk the place of a grid point holds, within the steps of the grid, what the grid point shows."""
    apart = np.linalg.norm(in_mm(mesh, carrying.read_at(mesh.f, places)) - in_mm(cloud, cloud.f), axis=-1)
    assert np.median(apart) < 0.1
    assert np.quantile(apart, 0.99) < 1
    assert np.hypot(*np.moveaxis(places, -1, 0)).max() <= 1


def test_a_disk_has_its_own_places_at_its_grid(mesh):
    assert np.allclose(carrying.places(mesh, mesh), polar_grid(*SHAPE[:2]).points, atol=0.002)


@pytest.mark.slow
def test_a_mesh_is_registered_to_the_mesh_and_ends_on_the_grid_of_the_cloud(mesh, template, places):
    """On that grid it is what it is on its own, at the places of the points; what is said of the fit stays."""
    vertices = faces.face(faces.random_weights(np.random.default_rng(4)))
    face = alignment.mapped(vertices, faces.triangles(), faces.NOSE_TIP, SHAPE, True)
    alone, found = alignment.align(face, template.of_meshes), template.align(face)
    assert found.registered.energy_after == alone.registered.energy_after
    looked_up = normalise.unit_surface(carrying.read_at(found.face.f, found.registered.gamma))[0]
    apart = np.linalg.norm(looked_up @ found.registered.rotation.T - found.registered.surface, axis=-1) * face.scale
    assert np.quantile(apart, 0.99) < 0.1, "mm"
    assert np.linalg.norm(found.registered.gamma[0] - alone.registered.gamma[0], axis=-1).max() < 0.05


@pytest.mark.slow
def test_a_cloud_is_registered_to_the_cloud(template):
    disk = meshing.mesh_scan(scans.scan(2024, 3))
    tip = centers.find(disk.vertices, disk.triangles, "nose").vertex
    face = alignment.mapped(disk.vertices, disk.triangles, tip, SHAPE, bool(disk.quality["own_triangles"]))
    alone, found = alignment.align(face, template.of_clouds), template.align(face)
    assert np.array_equal(found.registered.surface, alone.registered.surface)


def test_one_form_is_prepared_once(mesh):
    whole = mesh.f, mesh.f, None
    only = twofold.Twofold(whole, whole, polar_grid(*SHAPE[:2]).points, np.inf, OPTIONS)
    assert only.of_meshes is only.of_clouds


@pytest.mark.parametrize(("triangles", "own"), [(faces.triangles(), 1), (None, 0)])
def test_a_mesh_says_whether_its_triangles_are_the_scans_own(triangles, own):
    assert meshing.mesh_scan(faces.template(), triangles).quality["own_triangles"] == own
