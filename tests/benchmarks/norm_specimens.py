"""Specimens whose distances are known: sets of landmarks with a covariate, public ones and others to draw cohorts from.

Cohorts are drawn with replacement, so that the set is the population: what is true at a level is its line of least
squares there, and its people's deviations from that line.
"""

from dataclasses import dataclass, replace

import numpy as np

from benchmarks.no_public_set import SHARED
from shapedp.landmarks import outlines
from shapedp.privacy import noise
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.shapes.base import Ball, as_complex
from shapedp.privacy.statistic import Rows
from shapedp.releases.model import at_landmarks
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.released_model import Released
from shapedp.releases.model.shapes import ShapeModel

# Distances, radius of the ball, least public specimens, public standard deviations that log size may lie off.
MEASURED, RADIUS, FEWEST, REACH = 12, 0.3, 40, 3.0
# What has two sexes, by the file and the people of a cohort.
OF_TWO_SEXES = {"wings": ("drosophila_wings", 300), "cactophilic": ("cactophilic_wings", 100)}


@dataclass(frozen=True)
class Specimens:
    """name : of the set; n : of a cohort; public, people (P, k, d) : landmarks; covariate, coded (P, 1) : of people
    values (P, q) : people's distances, of the size; ends_of : {distance: numbers of landmarks in words}
    """

    name: str
    n: int
    public: np.ndarray
    people: np.ndarray
    covariate: Covariate
    coded: np.ndarray
    values: np.ndarray
    ends_of: dict

    def made(self):
        """The mechanism for a cohort."""
        ball = Ball(self.n, as_complex(landmark_shapes.find_frechet_mean(self.public)), RADIUS, 0, self.public)
        return ShapeModel.from_ball(ball, 1.0, (self.covariate,))

    def release(self, made, rows, coded, seed):
        """(Released, AtLandmarks) of people and their coded covariate (n, 1)."""
        sums = made.sums(Rows(len(rows), lambda start, stop: self.people[rows[start:stop]], coded)).values
        fields = made.fields(*made.draw(sums, noise.SeededNoise(seed)))
        model = Released.from_fields({**fields, "radii": None, "scale": 1.0}, made.covariates)
        ways = made.shaped.back[:, None] * made.shaped.coordinates.axes
        return model, at_landmarks.from_axes(model, self.ends_of, ways, made.variances, fields)


def sets(population, seed):
    """The sets, real ones or outlines that are drawn; seed : of who is public."""
    if population == "demo":
        shapes, ages = outlines.population(160, 5)
        yield _specimens("outlines", 60, np.asarray(shapes), ages, None, seed)
        return
    for name, (file, n) in OF_TWO_SEXES.items():
        with np.load(SHARED / f"shapes/{file}.npz", allow_pickle=False) as held:
            kept = held["one_per_fly"] if "one_per_fly" in held.files else np.full(len(held["X"]), True)
            yield _specimens(name, n, held["X"][kept].astype(float), held["sex"][kept], "sex", seed)
    with np.load(SHARED / "shapes/ptychomya_shells.npz", allow_pickle=False) as held:
        shells = held["X"].astype(float)
        yield _specimens("shells", 60, shells, landmark_shapes.log_sizes(shells), None, seed)


def _specimens(name, n, landmarks, cells, levels, seed):
    """A set, of which FEWEST or a fifth is public."""
    order = np.random.default_rng(seed).permutation(len(landmarks))
    public, rows = np.split(order, [max(FEWEST, len(order) // 5)])
    cells = np.asarray(cells)
    if levels:
        words = tuple(np.unique(cells).tolist())
        covariate, coded = Covariate(levels, -1.0, 1.0, words), np.where(cells == words[1], 1.0, -1.0)
    else:
        mean, sd = float(cells[public].mean()), float(cells[public].std())
        covariate = Covariate("log_size", mean - REACH * sd, mean + REACH * sd, mean=mean, sd=sd)
        coded = np.clip((cells - covariate.middle) / covariate.reach, -1, 1)
    k = landmarks.shape[1]
    starts = [at * k // MEASURED for at in range(MEASURED)]
    ends_of = {f"d{at}": (str(start + 1), str((start + k // 2) % k + 1)) for at, start in enumerate(starts)}
    made = Specimens(name, n, landmarks[public], landmarks[rows], covariate, coded[rows, None], np.zeros(0), ends_of)
    about = made.people - made.people.mean(axis=1, keepdims=True)
    about /= np.linalg.norm(about, axis=(1, 2), keepdims=True)
    ends = np.array([[int(end) - 1 for end in ends] for ends in ends_of.values()])
    return replace(made, values=np.linalg.norm(about[:, ends[:, 0]] - about[:, ends[:, 1]], axis=2))
