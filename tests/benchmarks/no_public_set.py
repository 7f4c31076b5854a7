"""Mean shapes about a center of which nothing is known but that it is one public person: `shaped` beside the others.

The radius is 1.5 times as far as the farthest of ten other people from the center. What is foretold not to be nearer
than the center is not released: there the center counts. Errors are root mean squares over releases at mu = 1.
"""

from collections import Counter
from dataclasses import replace

import numpy as np

from benchmarks.mean_shapes import SHARED, _array, faces
from shapedp.landmarks import outlines
from shapedp.privacy import integer_sums, worth
from shapedp.privacy.learned import shape_variation
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.shapes.base import Ball, as_real, polygon
from shapedp.privacy.shapes.learned import Coordinates
from shapedp.privacy.shapes.private_center import PrivateCenter

CENTERS = 3  # people who are the center in turn
ASKED, MARGIN = 10, 1.5  # others from whom the radius is guessed
SPLITS = 40  # of each set into few people and fewer public ones
FEW, FEW_PUBLIC, BUDGETS = (20, 60), 6, (0.5, 1.0, 2.0, 3.0)


def run(releases):
    """The largest ratio to the best way, and of the error foretold to the error; a private center without modes; few
    people.
    """
    to_best, foretold = [], []
    for name, records, outline in sets():
        ratios, off = zip(*(compared(records, outline, seed, releases) for seed in range(CENTERS)), strict=True)
        to_best.append(max(ratios))
        foretold.append(max(off))
        yield "no_public_set", f"to_best_{name}", to_best[-1], "1"
    yield "no_public_set", "sets", len(to_best), "count"
    yield "no_public_set", "worst_to_best", max(to_best), "1"
    yield "no_public_set", "forecast_ratio_worst", max(foretold), "1"
    records = outlines.population(409, 2022)[0]
    ball = Ball(len(records), polygon(records.shape[1]), 1.0, 0, nothing_public=True)
    made, source = PrivateCenter(ball, {"mu_total": 1.0}), SeededNoise(1)
    mean = landmark_shapes.find_frechet_mean(records)
    far = [landmark_shapes.dist(mean, as_real(made.draw(records, source))) for _ in range(releases)]
    yield "private_center_no_modes", "distance", float(np.mean(far)), "rad"
    yield from few_people(min(releases, SPLITS))


def sets():
    """(name, records (n, k, d), whether they follow a contour); the measured ones lie beside the checkout."""
    demo = outlines.population(409, 2022)[0]
    yield "demo", demo, True
    yield "demo_as_landmarks", demo, False
    if not (SHARED / "shapes").exists():
        return
    shells = _array("shapes/ptychomya_shells", "X")
    yield "shells", shells, True
    yield "shells_as_landmarks", shells, False
    wings = _array("shapes/drosophila_wings", "X")[_array("shapes/drosophila_wings", "one_per_fly").astype(bool)]
    yield "wings", wings, False
    yield "wings_150", wings[:150], False
    cactophilic = np.load(SHARED / "shapes/cactophilic_wings.npz", allow_pickle=False)
    yield "cactophilic", cactophilic["X"].astype(float), False
    for species in ("Db", "Dk"):
        yield f"cactophilic_{species}", cactophilic["X"][cactophilic["species"] == species].astype(float), False
    yield "faces68_3d", faces()[:600], False


def compared(records, outline, seed, releases):
    """(error of what is released over the best of the ways, error foretold over error or its inverse)."""
    order = np.random.default_rng(seed).permutation(len(records))
    p0, people = landmark_shapes.unit(records[order[:1]])[0][0], records[order[1:]]
    shapes, n, mean = LandmarkShapes(p0), len(people), landmark_shapes.find_frechet_mean(people)
    r = MARGIN * float(np.linalg.norm(shapes.deviations(people[:ASKED]), axis=1).max())
    known = shape_variation.assume_prior(shapes, r, outline)
    chosen = shape_variation.choose(known, n, shape_variation.gaussian, 1.0)
    alone = float(landmark_shapes.dist(p0, mean))
    error = _error(Coordinates(shapes, known, chosen), people, mean, releases)
    flat = replace(known, moments=np.full(len(known.moments), known.moments.mean()))
    white = Coordinates(shapes, flat, _all(flat, n, r))
    ways = [alone, _error(Coordinates(shapes, known, _all(known, n)), people, mean, releases)]
    ways.append(_error(white, people, mean, releases))
    released = error if chosen.worth_it else alone
    return released / min(ways), max(chosen.error / error, error / chosen.error) if chosen.worth_it else 1.0


def few_people(splits):
    """Few people and six public ones: of the releases called worth it, how many are farther from the mean than p0.

    splits : of each set into public and private people, with n and mu by turns
    """
    verdicts, farther = Counter(), Counter()
    for _, records, outline in sets():
        for seed in range(splits):
            rng = np.random.default_rng([seed, len(records)])
            n, mu = int(rng.integers(*FEW)), float(rng.choice(BUDGETS))
            chosen = records[rng.permutation(len(records))[: FEW_PUBLIC + n]]
            public, people = chosen[:FEW_PUBLIC], chosen[FEW_PUBLIC:]
            p0 = landmark_shapes.find_frechet_mean(public)
            shapes = LandmarkShapes(p0)
            known = shape_variation.learn(shapes, landmark_shapes.align(p0, public), outline)
            choice = shape_variation.choose(known, n, shape_variation.gaussian, mu)
            verdict = worth.judge_mean_shape(known, choice, n, pure=False).verdict
            mean = landmark_shapes.find_frechet_mean(people)
            found = Coordinates(shapes, known, choice)
            drawn = found.integers(people).sum(axis=0) * found.bound / integer_sums.GRID / n
            drawn = found.shape(drawn + 2 * found.bound / (n * mu) * rng.standard_normal(found.count))
            verdicts[verdict] += 1
            farther[verdict] += landmark_shapes.dist(mean, drawn) > landmark_shapes.dist(mean, p0)
    yield "few_people", "splits", verdicts.total(), "count"
    for verdict, words in ((worth.WORTH, "worth_it"), (worth.OPEN, "open"), (worth.NO_BETTER, "no_better")):
        yield "few_people", f"called_{words}", verdicts[verdict], "count"
        yield "few_people", f"farther_of_{words}", farther[verdict] / max(verdicts[verdict], 1), "1"
    yield "few_people", "worse_than_center_share", farther[worth.WORTH] / max(verdicts[worth.WORTH], 1), "1"


def _all(known, n, r=None):
    """The choice of all axes; r : clipped to that length, as `gaussian` is."""
    clip = float(known.clips[-1]) if r is None else r / known.moments[-1] ** 0.25
    noise = float((2 * clip / n) ** 2 * np.sum(np.sqrt(known.moments)))
    return shape_variation.ShapePlan(len(known.moments), clip, noise, 0.0, 0.0, 0.0, 0.0)


def _error(found, people, mean, releases):
    step = found.bound / integer_sums.GRID / len(people)
    center, rng = found.integers(people).sum(axis=0) * step, np.random.default_rng(1)
    noise = 2 * found.bound / len(people) * rng.standard_normal((releases, found.count))
    return float(np.sqrt(np.mean([landmark_shapes.dist(mean, found.shape(center + one)) ** 2 for one in noise])))
