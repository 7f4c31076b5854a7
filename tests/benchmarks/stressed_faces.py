"""Scans that a registration finds hard: ICT people with expressions, beards, caps, glasses, cuts, noise and poses."""

from dataclasses import dataclass, replace

import numpy as np

from benchmarks import expressive_faces, scan_clouds
from shapedp.surfaces.human_face.demo import faces

NOISE_MM = 0.5, 1.5
TURNED_DEGREES = 40
CUTS = {
    "no_chin": lambda d, mm: d[:, 1] > -mm,
    "no_forehead": lambda d, mm: d[:, 1] < mm,
    "one_side": lambda d, mm: d[:, 0] > -mm,
}


@dataclass(frozen=True)
class Case:
    """sort, view : words of expressive_faces; stress : what was done to the scan; scan : expressive_faces.Scanned"""

    sort: str
    view: str
    stress: str
    scan: expressive_faces.Scanned


def case(model, number, seed):
    """A Case of a person of their own, by its number and the seed; every third is not stressed but for its expression.

    Parameters
    ----------
    model : expressive_faces.Model
    number, seed : int

    Returns
    -------
    Case
    """
    rng = np.random.default_rng([seed, number])
    sort = ("neutral", "open_mouth", "smile", "grimace")[number % 4]
    view = ("three_view", "front", "mesh")[int(rng.integers(3))]
    weights = expressive_faces.SORTS[sort](rng)
    face = model.faces.face(rng) + (model.moved(weights) if weights else 0)
    scan = model.scanned(face, view, rng)
    stress = ("none", "beard", "cap", "glasses", "noise", "cut")[int(rng.integers(6))] if number % 3 else "none"
    points, triangles = _stressed(stress, scan, face[model.faces.nose_tip], rng)
    turn, shift = scan_clouds.pose(rng, TURNED_DEGREES)
    moved = replace(scan, points=turn.apply(points) + shift, triangles=triangles, truth=turn.apply(scan.truth) + shift)
    return Case(sort, view, stress, moved)


def _stressed(stress, scan, tip, rng):
    """(points, triangles) of a scan of a face that looks along z, its nose at `tip`, made hard in a way."""
    points, triangles = scan.points.copy(), scan.triangles
    d = points - tip
    if stress == "beard":
        chin = faces.rise(-d[:, 1] - rng.uniform(25, 40), 6) * (np.abs(d[:, 0]) < 60)
        points += np.outer(chin, [0, -0.5, 1]) * rng.uniform(0, rng.uniform(3, 12), len(points))[:, None]
    if stress == "cap":
        points += np.outer(faces.rise(d[:, 1] - rng.uniform(45, 65), 3), [0, 4, rng.uniform(5, 14)])
    if stress == "noise":
        points += rng.uniform(*NOISE_MM) * rng.standard_normal(points.shape)
    if stress == "glasses" and triangles is None:
        turn, far = 2 * np.pi * rng.random(800), rng.uniform(20, 26, 800)
        rim = np.column_stack([32 + far * np.cos(turn), 34 + 0.8 * far * np.sin(turn), np.full(800, -12.0)])
        points = np.concatenate([points, tip + rim, tip + rim * [-1, 1, 1]])
    if stress == "cut":
        name = tuple(CUTS)[int(rng.integers(len(CUTS)))]
        points, triangles = points[CUTS[name](d, rng.uniform(40, 65))], None
    return points, triangles
