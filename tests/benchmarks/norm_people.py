"""People whose distances are known: planted effects of sex, age and size, through the curves, with landmarks on them.

A population's truth at a level of the covariates is that of people drawn at this level, as many as `LEVEL_PEOPLE` says.
"""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np

from benchmarks import corresponding_faces, model_people, populations
from shapedp.privacy import noise
from shapedp.releases.model import at_landmarks
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.releases.model.released_model import Released
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.human_face import real_faces
from shapedp.surfaces.human_face.distances import FACIAL_NORMS, MEASURES, VERTICES, FaceMeasures

AT_ONCE = 500


class Releases:
    """Models of cohorts of n people of a World: their mechanism, and people's coordinates once for all."""

    def __init__(self, world, n, mu, covariates=model_people.COVARIATES):
        self.world, self.n, self.count = world, n, len(covariates)
        self.made = FaceModel.from_variation(world.variation, n, mu, covariates)
        parts = [world.curves[at : at + AT_ONCE] for at in range(0, len(world.curves), AT_ONCE)]
        self.u = np.concatenate([self.made.coordinates(part.astype(float), None) for part in parts])
        question = self.made.far_question
        # what each adds to the sum of who lies far, where that is asked
        self.far = question and np.concatenate([question.integers(part.astype(float)) for part in parts])

    def rows(self, seed):
        """(n,) of the pool, without one twice."""
        return np.random.default_rng([7, seed]).permutation(len(self.u))[: self.n]

    def answer(self, seed):
        """(noised moments, rows of the cohort)."""
        rows = self.rows(seed)
        sums = self.made.moments.sums(self.u[rows], self.world.coded[rows, : self.count])
        if self.far is not None:
            sums = [*sums, self.far[rows].sum(axis=0)]
        return self.made.noised(SimpleNamespace(values=sums), noise.SeededNoise(seed)), rows

    def release(self, seed):
        """(Released in mm, AtLandmarks in mm, rows of the cohort)."""
        answer, rows = self.answer(seed)
        fitted, found = self.made.estimated(answer)
        # of the noise at points, which no table takes, the mean's alone: with hundreds of axes it takes seconds
        fields = self.made.fields(replace(fitted, left=fitted.left[:1, :1]), found)
        values = {**fields, "radii": self.world.radii, "scale": self.world.scale}
        model = Released.from_fields(values, self.made.covariates)
        return (
            model,
            at_landmarks.learn(self.made, fitted, self.world.measures, [self.world.public]).in_mm(self.world.scale),
            rows,
        )


@dataclass(frozen=True)
class World:
    """plan : whom people are drawn from; variation : of public ones; measures : on the curves; scale : mm of the unit;
    coded (P, 3) and curves (P, J, 3, m) : a pool of people to draw cohorts from; values (P, q) : their measures;
    public (p, J, 3, m) : public people
    """

    plan: model_people.Plan
    variation: object
    measures: FaceMeasures
    scale: float
    coded: np.ndarray
    curves: np.ndarray
    values: np.ndarray
    public: np.ndarray

    @property
    def radii(self):
        """(J,)."""
        return np.arange(1, self.curves.shape[1] + 1) / self.curves.shape[1]

    def people_at(self, a, count, seed):
        """(2 count, J, 3, m) curves of people with covariates a (3,), each with an opposite, so that chance in who is
        drawn hardly moves their mean.
        """
        own = np.random.default_rng(seed).standard_normal((count, self.plan.directions.shape[1]))
        return self.plan.faces(np.concatenate([own, -own]), np.tile(a, (2 * count, 1)))

    def measured(self, curves):
        """(n, q) measures of curves of unit area."""
        return self.measures.values(curves * self.scale)


def world(population, public, pool, axes, harmonics):
    """The World of a population of faces; a landmark is the nearest place of its mean to the packed one."""
    faces = corresponding_faces.of(populations.FACES[population]())
    plan, scale = model_people.plan(faces), faces.scale()
    template, radii = faces.mean_curves, np.arange(1, len(faces.mean_curves) + 1) / len(faces.mean_curves)
    vertices, triangles = curve_mesh.mesh(template, radii)
    marks = real_faces.template()[list(VERTICES.values())]
    if population != "ict":  # another model's frame
        marks = marks - marks.mean(axis=0) + vertices.mean(axis=0)
    triangle, shares, _ = curve_mesh.nearest(marks, vertices, triangles)
    weights = curve_mesh.weights(triangle, shares, triangles, radii, template.shape[2])
    asked = {name: MEASURES[name] for names in FACIAL_NORMS.values() for name in names}
    measures = FaceMeasures(tuple(VERTICES), weights, asked)
    others = plan.draw(public, 1)[0].astype(np.float32)
    variation = model_people.learned(others, faces.template(), axes, harmonics)
    drawn = [plan.draw(min(AT_ONCE, pool - at), [5, at]) for at in range(0, pool, AT_ONCE)]
    curves = np.concatenate([one.astype(np.float32) for one, _ in drawn])
    made = World(plan, variation, measures, scale, np.concatenate([a for _, a in drawn]), curves, np.zeros(0), others)
    values = np.concatenate([made.measured(curves[at : at + AT_ONCE]) for at in range(0, pool, AT_ONCE)])
    return replace(made, values=values)
