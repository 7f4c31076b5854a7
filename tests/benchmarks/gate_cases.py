"""Good scans of several kinds, cut ones, and what is no face: what the public gates let through."""

import numpy as np

from benchmarks import mixed_scans, scan_clouds
from shapedp.base.errors import Rejected
from shapedp.surfaces.human_face import likeness, placement, relief, template_forms
from shapedp.surfaces.human_face.demo import scans as demo_scans
from shapedp.surfaces.registration import alignment

NOISE_MM = 0.4  # beyond the scanner's .1
ROOM, LACKING = 1.5, 0.5  # beyond the worst good scan that limits are chosen on: factor; mm expected
CUTS = {
    "cut_25mm_beside": lambda d: d[:, 0] > -25,
    "cut_40mm_beside": lambda d: d[:, 0] > -40,
    "no_chin": lambda d: d[:, 1] > -40,
    "no_forehead": lambda d: d[:, 1] < 25,
}


def limits(faces):
    """The gates of the settings."""
    return relief.Gates(**faces["gates"])


def good(model, number):
    """(name, points) of scans that should pass."""
    rng = np.random.default_rng([29, number])
    face = model.face(rng)
    full = scan_clouds.cloud(face, model.triangles, "three_view", rng)
    yield "full", full
    yield "front", scan_clouds.cloud(face, model.triangles, "front", rng)
    yield "noisy", full + NOISE_MM * rng.standard_normal(full.shape)
    yield "demo", demo_scans.scan(29, number, "demo")


def cut(model, number):
    """(name, points) of one face, cut in several ways: each may pass if what is filled in lies near enough."""
    face = cut_face(model, number)
    full = scan_clouds.cloud(face, model.triangles, "three_view", np.random.default_rng([37, number, 1]))
    for name, stays in CUTS.items():
        yield name, full[stays(full - face[model.nose_tip])]


def cut_face(model, number):
    """The vertices of the face that `cut` cuts."""
    return model.face(np.random.default_rng([37, number]))


def bad(model, number):
    """(name, points) of scans that should not pass."""
    rng = np.random.default_rng([31, number])
    face = model.face(rng)
    full = scan_clouds.cloud(face, model.triangles, "three_view", rng)
    other = model.face(rng) + np.array([150.0, 0, 0])
    yield "two_faces", np.concatenate([full, scan_clouds.cloud(other, model.triangles, "three_view", rng)])
    yield "patch_of_86", full[np.argsort(np.linalg.norm(full - full[number], axis=1))[:86]]
    yield "head", _head(rng)
    yield "terrain", terrain(rng)


def _head(rng):
    """A closed head: an ellipsoid with a nose."""
    d = rng.standard_normal((8000, 3))
    d /= np.linalg.norm(d, axis=1)[:, None]
    bump = 22 * np.exp(-60 * (d[:, 0] ** 2 + (d[:, 1] - 0.05) ** 2)) * (d[:, 2] > 0)
    return d * [75, 105, 90] + bump[:, None] * [0, 0, 1]


def terrain(rng):
    """Hills over a disk as wide as a face."""
    r, turn = 90 * np.sqrt(rng.random(7000)), 2 * np.pi * rng.random(7000)
    x, y = r * np.cos(turn), r * np.sin(turn)
    hills = [(rng.uniform(-70, 70, 2), rng.uniform(8, 30), rng.uniform(-12, 12)) for _ in range(15)]
    return np.column_stack(
        [x, y, sum(h * np.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * s**2)) for (a, b), s, h in hills)]
    )


def templates(reference):
    """The template made like the scans, and the one that ships, each with its public people."""
    whole = shipped()
    there = alignment.Template(whole.f, reference.template.options)
    return {"like": (reference.template, reference.public), "shipped": (there, placement.find_people(whole))}


def shipped():
    """The built-in template in the form that clouds meet."""
    whole = alignment.map_face(*template_forms.built_in_template("built_in"), mixed_scans.SHAPE, True)
    return template_forms.mesh_as_cloud(whole)


def measured(points, template):
    """The Aligned of a scan, or the code of its rejection before the gates; template : with its public people"""
    try:
        return likeness.align_likeliest(mixed_scans.face_of(points), *template)
    except Rejected as error:
        return error.code


def numbers(found):
    """(energy, least Jacobian, mm expected off where parts are filled in, unlikeness) of what `measured` found."""
    return found.registered.energy_after, found.registered.min_jacobian, found.expected_mm, found.unlike


def passes(found, allowed):
    """Whether what was measured of a scan comes through the gates."""
    if isinstance(found, str):
        return False
    try:
        relief.judge(found, allowed)
    except Rejected:
        return False
    return True


def chosen(found):
    """Gates that let all of these good scans through, with room for some that are a little worse."""
    energy, jacobian, unseen, unlike = np.array([numbers(one) for one in found if not isinstance(one, str)]).T
    return relief.Gates(
        float(energy.max() * ROOM),
        float(jacobian.min() / ROOM),
        float(unseen.max() + LACKING),
        float(unlike.max() * ROOM),
    )
