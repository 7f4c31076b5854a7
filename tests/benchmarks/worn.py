"""Faces that are not plain: expressions, beards, glasses, caps, put on scans of the demo's people."""

import numpy as np

from benchmarks import gate_cases, mixed_scans
from shapedp.base.errors import Rejected
from shapedp.base.settings import checks
from shapedp.surfaces.human_face import likeness, placement
from shapedp.surfaces.human_face.demo import faces, people
from shapedp.surfaces.human_face.demo import scans as demo_scans
from shapedp.surfaces.registration import alignment
from shapedp.surfaces.registration.template import Options

SEED = 43


def plain(number):
    """(points (n, 3) of a plain scan in mm, the same person's mesh (v, 3)), unposed, the nose tip at 0."""
    rng, population = np.random.default_rng([SEED, number]), people.named("demo")
    person = population.vertices(population.person(rng))
    person = person - person[population.nose_tip]
    return _scanned(person, rng), person


def _scanned(vertices, rng):
    """Points on the mesh with a scanner's noise."""
    points = demo_scans.evenly(vertices, people.named("demo").triangles, demo_scans.POINTS, rng)
    return points + demo_scans.NOISE_MM * rng.standard_normal(points.shape)


def kinds(number):
    """(name, points) of the same person otherwise."""
    points, person = plain(number)
    rng = np.random.default_rng([SEED, number, 1])
    x, y, _ = person.T
    side = np.tanh(x / 8)
    corners = faces.bump(np.abs(x), y, (24, -36), (14, 12))[:, None]
    yield "smile", _scanned(person + corners * np.column_stack([5 * side, 0 * x + 4, 0 * x - 2]), rng)
    jaw = faces.rise(-y - 34, 4)[:, None]
    yield "open_mouth", _scanned(person + jaw * [0, -9, -3], rng)
    x, y, _ = points.T
    chin = faces.rise(-y - 30, 6) * (np.abs(x) < 60)
    yield "stubble", points + np.outer(chin, [0, 0, 1]) * rng.uniform(0, 2, len(points))[:, None]
    yield "beard", points + np.outer(chin, [0, -0.5, 1]) * rng.uniform(4, 12, len(points))[:, None]
    yield "glasses", np.concatenate([points, _glasses(points, rng)])
    yield "cap", points + np.outer(faces.rise(y - 55, 3), [0, 4, 14])


def _glasses(points, rng):
    """Two rims of wire, 4 mm wide, in front of the eyes, and their bridge."""
    turn = 2 * np.pi * rng.random(900)
    left = np.column_stack([32 + rng.uniform(22, 26, 900) * np.cos(turn), 34 + rng.uniform(17, 21, 900) * np.sin(turn)])
    bridge = np.column_stack([rng.uniform(-10, 10, 120), rng.uniform(36, 40, 120)])
    flat = np.concatenate([left, left * [-1, 1], bridge])
    front = points[np.abs(points[:, 1] - 34) < 10, 2].max() + 3
    return np.column_stack([flat, np.full(len(flat), front) - 0.004 * flat[:, 0] ** 2])


def rows(count):
    """What an expression, a beard, glasses or a cap moves the registered face by, and how many are rejected."""
    if not count:
        return
    whole = gate_cases.shipped()
    template, public = alignment.Template(whole.f, Options(basis=mixed_scans.BASIS)), placement.find_people(whole)
    allowed, moved, refused = gate_cases.limits(checks.load()["faces"]), {}, {}
    for number in range(count):
        bare = likeness.align_likeliest(mixed_scans.face_of(plain(number)[0]), template, public)
        for name, points in kinds(number):
            try:
                aligned = likeness.align_likeliest(mixed_scans.face_of(points), template, public)
                gate_cases.relief.judge(aligned, allowed)
                moved.setdefault(name, []).append(mixed_scans.apart(bare, aligned, whole))
            except Rejected as error:
                refused.setdefault(name, []).append(error.code)
                print(f"    {name} of person {number}: {error.code}")
    for name in dict.fromkeys([*moved, *refused]):
        yield f"worn_{name}", "rejected", len(refused.get(name, ())), "count"
        if name in moved:
            yield f"worn_{name}", "moved_mm", np.mean(moved[name]), "mm"
