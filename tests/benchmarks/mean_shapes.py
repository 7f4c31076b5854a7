"""Releases of a mean shape by their deviation from a public center: how far from the cohort's own mean they are.

A tenth of the records is public: its mean is p0, and it says how shapes vary. Beside each error stand that of p0 with
no data at all and the sampling error of the cohort's mean. Mean distance over seeded releases, in radian.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shapedp.landmarks import outlines
from shapedp.privacy import integer_sums
from shapedp.privacy.learned import shape_variation
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.shapes.base import Ball, as_real, polygon
from shapedp.privacy.shapes.learned import Coordinates
from shapedp.privacy.shapes.private_center import PrivateCenter

SPLITS = 10
LAWS = {"gauss_mu1": shape_variation.gaussian, "pure_eps1": shape_variation.pure}
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
FACES = 1111


@dataclass(frozen=True)
class Cohort:
    """public (m, k, d) or None; records (n, k, d); outline : whether landmarks follow a contour; center, r without
    a public set.
    """

    public: np.ndarray | None
    records: np.ndarray
    outline: bool
    center: np.ndarray | None = None
    r: float | None = None


def run(releases):
    """Rows of every cohort that is there; the measured ones lie beside the checkout."""
    yield from private_center(releases)
    for case, several in cohorts():
        yield from _averaged([list(measured(case, one, -(-releases // len(several)))) for one in several])


def _averaged(splits):
    for rows in zip(*splits, strict=True):
        case, name, _, unit = rows[0]
        yield case, name, float(np.mean([row[2] for row in rows])), unit


def private_center(releases):
    """The demo outlines with nothing public: private center, private radius and release, mu = 1 in all."""
    records = outlines.population(409, 2022)[0]
    ball = Ball(len(records), polygon(records.shape[1]), 1.0, 16, nothing_public=True)
    made, source = PrivateCenter(ball, {"mu_total": 1.0}), SeededNoise(1)
    mean = landmark_shapes.find_frechet_mean(records)
    far = [landmark_shapes.dist(mean, as_real(made.draw(records, source))) for _ in range(releases)]
    yield "demo_private_center", "error_gauss_mu1", float(np.mean(far)), "rad"


def cohorts():
    """(case, Cohorts): one, or SPLITS where so few are public that it matters who."""
    demo = outlines.population(409, 2022)[0]
    yield "demo", [split(demo, np.arange(len(demo)), outline=True)]
    template = landmark_shapes.unit(outlines.template()[None])[0][0]
    yield "demo_no_public_set", [Cohort(None, demo, True, template, 0.2)]
    if not (SHARED / "shapes").exists():
        return
    shells = _array("shapes/ptychomya_shells", "X")
    # the file does not say which outlines are of one individual; neighbours in it are half as far apart as others
    for case, persons in (("shells", np.arange(len(shells)) // 2), ("shells_records", np.arange(len(shells)))):
        yield case, [split(shells, persons, outline=True, seed=seed) for seed in range(SPLITS)]
    wings = _array("shapes/drosophila_wings", "X")[_array("shapes/drosophila_wings", "one_per_fly").astype(bool)]
    yield "wings", [split(wings, np.arange(len(wings)), outline=False)]
    yield "faces68_3d", [split(faces(), np.arange(FACES), outline=False)]


def _array(name, field):
    return np.load(SHARED / f"{name}.npz", allow_pickle=False)[field].astype(float)


def faces():
    """68 landmarks of random faces of the ICT model."""
    landmarks = _array("faces/ict_faces", "landmarks68").astype(int)
    mean, modes = (_array("faces/ict_faces", field) for field in ("mean", "modes"))
    weights = np.random.default_rng(68).standard_normal((FACES, len(modes)))
    return mean[landmarks] + np.einsum("nm,mkd->nkd", weights, modes[:, landmarks])


def split(records, persons, outline, seed=0):
    """A tenth of the persons public, each person's records averaged once turned to p0."""
    names = np.random.default_rng(seed).permutation(np.unique(persons))
    tenth = names[: len(names) // 10]
    public = records[np.isin(persons, tenth)]
    p0 = landmark_shapes.find_frechet_mean(public)
    shapes = landmark_shapes.align(p0, landmark_shapes.unit(records)[0])
    averaged = {who: shapes[persons == who].mean(axis=0) for who in names}
    public, private = (np.array([averaged[who] for who in some]) for some in (tenth, names[len(tenth) :]))
    return Cohort(public, private, outline)


def measured(case, cohort, releases):
    """Errors of both mechanisms at mu = 1 and epsilon = 1."""
    p0 = landmark_shapes.find_frechet_mean(cohort.public) if cohort.center is None else cohort.center
    shapes, n = LandmarkShapes(p0), len(cohort.records)
    known = (
        shape_variation.assume_prior(shapes, cohort.r, cohort.outline)
        if cohort.public is None
        else shape_variation.learn(shapes, cohort.public, cohort.outline)
    )
    mean = landmark_shapes.find_frechet_mean(cohort.records)
    spread = LandmarkShapes(mean).deviations(cohort.records)
    sampling = np.sqrt(np.mean((spread**2).sum(axis=1)) / n)
    for name, law in LAWS.items():
        found = Coordinates(shapes, known, shape_variation.choose(known, n, law, 1.0))
        yield case, f"error_{name}", _error(found, cohort.records, mean, law, releases), "rad"
        yield case, f"axes_{name}", found.choice.axes, "count"
        yield case, f"foretold_{name}", found.choice.error, "rad"
        yield case, f"turns_at_{name}", shape_variation.find_least_records(known, law, 1.0), "records"
    yield case, "error_center_only", float(landmark_shapes.dist(p0, mean)), "rad"
    yield case, "center_only_foretold", found.choice.center_error, "rad"
    yield case, "sampling", float(sampling), "rad"


def _error(found, records, mean, law, releases):
    n, tau, q = len(records), found.choice.clip, found.choice.axes
    center = found.integers(records).sum(axis=0) * (tau / integer_sums.GRID / n)
    rng, scale = np.random.default_rng(1), 2 * tau / n
    normal = law is shape_variation.gaussian
    noise = scale * rng.standard_normal((releases, q))
    if not normal:  # the K-norm's radius in place of the normal one
        noise *= (scale * rng.standard_gamma(q, releases) / np.linalg.norm(noise, axis=1))[:, None]
    return float(np.mean([landmark_shapes.dist(mean, found.shape(center + one)) for one in noise]))
