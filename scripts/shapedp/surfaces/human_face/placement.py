"""Find where public people lie on a template: by registration, then by a fit of their model to it."""

import numpy as np

from shapedp.surfaces.human_face import public_fit, real_faces
from shapedp.surfaces.human_face.public_people import People
from shapedp.surfaces.registration import alignment, disk_transfer, extent
from shapedp.surfaces.registration.template import Options


def find_people(face, own=False):
    """Return the People of a template's Face: where public people's faces lie on its grid, by registration of their
    mean to it.

    own : whether the template is that mean itself, in its place
    """
    if own:
        return place_people(face.f * face.scale + face.centroid, face.f, np.eye(3), face.scale)
    mean = alignment.map_face(
        real_faces.template(), real_faces.triangles(), real_faces.nose_tip(), face.f.shape, own_triangles=True
    )
    template = alignment.Template(face.f, Options(basis=150))
    aligned = alignment.align(mean, template)
    place, (points, seen, _) = aligned.place, disk_transfer.read_on_grid(aligned, template.f, template.along)
    beyond = (face.f - template.extent.nose) @ place.rotation * place.size + place.nose
    people = place_people(np.where(seen[..., None], points, beyond), face.f, place.rotation, place.size)
    return _slide_people(people, face, template)


def _slide_people(people, face, template):
    """Return the People of a template's Face, slid along the public mean to where the public model fitted to it lies.

    A registration leaves them up to .6 mm aside where a face is pointed, as at the nose, and every scan that is drawn
    to them would take that over. They go the less of the way the more of the template the fit leaves unexplained.

    template : alignment.Template of the Face
    """
    place = alignment.Place(template.extent.nose * face.scale + face.centroid, face.scale, np.eye(3))
    fit = public_fit.fit(face, place, template, people)
    before = people.read_mean()
    vertices, triangles = extent.mesh_grid(fit.points, extent.center(fit.points))
    on_mean, _ = extent.mesh_grid(before, extent.center(before))
    nearest, weights = disk_transfer.find_closest(face.f.reshape(-1, 3), vertices, triangles)
    there = triangles[nearest]
    on_fit, after = (
        np.einsum("nk,nkc->nc", weights, field[there]).reshape(face.f.shape) for field in (vertices, on_mean)
    )
    share = public_fit.share_of_way(public_fit.measure_misfit(fit.points + face.f - on_fit, fit, people), 1.0)
    return place_people(before + share * (after - before), face.f, people.rotation, people.size)


def move_people(people, face, other):
    """Return the People of a template's other form, so that clouds and meshes are drawn to the same public people.

    other : the other form, a Face of the same surface
    """
    points = disk_transfer.read_at(people.read_mean(), disk_transfer.find_places(other, face))
    return place_people(points, other.f, people.rotation, people.size)


def make_no_people(face):
    """Return the People of a template that is no face: none, of size 0."""
    shape = face.f.shape[:2]
    return People(np.zeros(shape, dtype=int), np.zeros((*shape, 3)), face.f, np.eye(3), 0.0)


def place_people(points, f, rotation, size):
    """Return the People of a template, by which public faces fill in and draw scans, once it lies on the public model.

    points (R, T, 3) : where the template's grid lies on the model's mean, mm

    f, rotation, size : as of People
    """
    triangles, weights = disk_transfer.find_closest(
        points.reshape(-1, 3), real_faces.template(), real_faces.triangles()
    )
    shape = f.shape[:2]
    return People(triangles.reshape(shape), weights.reshape((*shape, 3)), f, rotation, float(size))
