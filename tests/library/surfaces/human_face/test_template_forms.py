"""Each scan meets the form of the template that is like it, and all end on one grid."""

import numpy as np
import pytest

from shapedp.surfaces.human_face import likeness, nose, placement, template_forms
from shapedp.surfaces.human_face.demo import faces, scans
from shapedp.surfaces.meshing import scan_mesh
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import alignment, disk_transfer, extent
from shapedp.surfaces.registration.template import Options

SHAPE = (48, 128, 3)
OPTIONS = Options(levels=2, basis=60)


@pytest.fixture(scope="module")
def mesh():
    return alignment.map_face(faces.template(), faces.triangles(), faces.NOSE_TIP, SHAPE, True)


@pytest.fixture(scope="module")
def cloud(mesh):
    return template_forms.mesh_as_cloud(mesh)


@pytest.fixture(scope="module")
def places(mesh, cloud):
    return disk_transfer.find_places(mesh, cloud)


@pytest.fixture(scope="module")
def template(mesh, cloud, places):
    people = placement.find_people(mesh)
    return template_forms.TemplateForms(
        mesh.f, cloud.f, places, people, placement.move_people(people, mesh, cloud), OPTIONS
    )


def in_mm(face, f):
    return f * face.scale + face.centroid


def test_the_cloud_is_the_same_face_meshed_anew_about_the_same_center(mesh, cloud):
    assert not cloud.own_triangles
    assert len(cloud.vertices) != len(mesh.vertices)
    assert np.linalg.norm(in_mm(cloud, cloud.f)[0].mean(axis=0) - in_mm(mesh, mesh.f)[0].mean(axis=0)) < 2


def test_a_place_in_the_other_disk_shows_the_same_point(mesh, cloud, places):
    """In the clouds' disk the place of a grid point holds, within the steps of the grid, what the grid point shows."""
    apart = np.linalg.norm(in_mm(cloud, disk_transfer.read_at(cloud.f, places)) - in_mm(mesh, mesh.f), axis=-1)
    assert np.median(apart) < 0.1
    assert np.quantile(apart, 0.99) < 1
    assert np.hypot(*np.moveaxis(places, -1, 0)).max() <= 1 + 1e-12


def test_a_disk_has_its_own_places_at_its_grid(mesh):
    assert np.allclose(disk_transfer.find_places(mesh, mesh), polar_grid(*SHAPE[:2]).points, atol=0.002)


@pytest.mark.slow
def test_a_cloud_is_registered_to_the_cloud_and_ends_on_the_grid_of_the_mesh(template):
    """On that grid it is what it is on its own, at the places of the points; what is said of the fit stays. What the
    scan does not show is foretold there anew.
    """
    disk = scan_mesh.mesh_scan(scans.scan(2024, 3))
    tip = nose.find_center(disk.vertices, disk.triangles).vertex
    face = alignment.map_face(disk.vertices, disk.triangles, tip, SHAPE, bool(disk.quality["own_triangles"]))
    alone, found = likeness.align_likeliest(face, template.cloud_template, template.clouds_people), template.align(face)
    assert found.registered.energy_after == alone.registered.energy_after
    off = np.linalg.norm(disk_transfer.read_at(alone.points, template.places) - found.points, axis=-1).ravel()
    beyond = extent.measure_beyond(template._mesh_grid_for_clouds.along.reshape(-1, 3), alone.reach)
    assert np.quantile(off[beyond < 0], 0.99) < 0.1, "mm"  # .067: two grids of one surface
    assert alone.missing > 0
    assert off[beyond > 0].mean() < alone.expected_mm


@pytest.mark.slow
def test_a_mesh_is_registered_to_the_mesh(template):
    vertices = faces.face(faces.random_weights(np.random.default_rng(4)))
    face = alignment.map_face(vertices, faces.triangles(), faces.NOSE_TIP, SHAPE, True)
    alone, found = likeness.align_likeliest(face, template.mesh_template, template.people), template.align(face)
    assert np.array_equal(found.registered.surface, alone.registered.surface)


def test_one_form_is_prepared_once(mesh):
    only = template_forms.TemplateForms(mesh.f, mesh.f, polar_grid(*SHAPE[:2]).points, None, None, OPTIONS)
    assert only.mesh_template is only.cloud_template


@pytest.mark.parametrize(("triangles", "own"), [(faces.triangles(), 1), (None, 0)])
def test_a_mesh_says_whether_its_triangles_are_the_scans_own(triangles, own):
    assert scan_mesh.mesh_scan(faces.template(), triangles).quality["own_triangles"] == own
