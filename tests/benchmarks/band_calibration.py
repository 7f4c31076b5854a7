"""Whether bands of growth and of effects hold the truth, over the kinds of cohort that means are judged on.

Faces have 6 x 16 points, so that a thousand people take seconds; every stage is the library's own. Ages fill 3 to 40
evenly, growth is that of `growth_curves`, and effects are planted as in `model_people`. The truth is the mean face of
the population at an age, or what a covariate adds from end to end. `coverage` is the share of the coordinates of points
within 1.96 of their stated standard deviations of it, and `stated_over_actual` the ratio of both in the root mean
square, over draws, places and points. Ends are the first and the last age.
"""

from dataclasses import dataclass

import numpy as np

from benchmarks import coordinate_people, growth_curves, model_effects, model_people
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.statistic import Rows
from shapedp.releases.kinds.growth import moments as growth
from shapedp.releases.kinds.growth import public_growth
from shapedp.releases.kinds.growth import released as released_growth
from shapedp.releases.model.model_mechanism import FaceModel

EACH_CURVE, EACH_SAMPLE = slice(2, None, 4), slice(None, None, 5)
PUBLIC, MODES, HARMONICS, MU = 200, 60, 16, 1.0
AGES = np.linspace(growth_curves.KNOTS[0], growth_curves.KNOTS[-1], 9)
SEXES = -1.0, 1.0
LIKELY = 1.96
TIMES = 15  # as many draws of a model as of growth: its effects err by few axes, and a few modes are shown at n = 200
PUBLIC_SEEDS = 1, 2, 3  # of a model's public people, one draw each in turn: a set alone has its own luck
PEOPLE_KNOWN = 5_000  # that tell the covariance of a kind


@dataclass(frozen=True)
class Population:
    """template (J, 3, m); slopes (w, J, 3, m) of a model's directions; deformation (J, 3, m) of children; scale : mm of
    the unit
    """

    template: np.ndarray
    slopes: np.ndarray
    deformation: np.ndarray
    scale: float

    @classmethod
    def from_model(cls, model):
        """Of a `corresponding_faces.Model`, at a few of its points."""
        slopes = (model.mode_curves - model.mode_curves.mean(axis=(1, 3), keepdims=True)) / model.scale()
        template = model.template()
        deformation = coordinate_people.smooth_deformation(
            template.shape, coordinate_people.CHILDREN_MM / model.scale(), coordinate_people.DEFORMATION_SEED
        ).reshape(template.shape)
        few = (..., EACH_CURVE, slice(None), EACH_SAMPLE)
        return cls(template[few], slopes[few], deformation[few], model.scale())

    def faces(self, weights, away):
        """(n, J, 3, m) of weights (n, w) and deformations (n,)."""
        return self.template + np.tensordot(weights, self.slopes, axes=1) + away[:, None, None, None] * self.deformation

    def draw(self, kind, n, added, rng):
        """(n, J, 3, m) faces of a cohort, each with weights added (n, w)."""
        weights, away = coordinate_people.weights_of_kind(kind, n, len(self.slopes), rng)
        # who is deformed has no age or sex of their own
        order = rng.permutation(n)
        return self.faces(weights[order] + added, away[order])

    def mean(self, kind, added):
        """(p, J, 3, m) mean faces of a kind's population, with weights added (p, w)."""
        share = {"children": 1.0, "minority": 0.1}.get(kind, 0.0)
        shift = coordinate_people.shift_of_kind(kind, len(self.slopes))
        return self.faces(shift + added, np.full(len(added), share))

    def covariance(self, kind):
        """(N, N) of a kind's people of one age and sex, about their mean."""
        people = self.draw(kind, PEOPLE_KNOWN, 0.0, np.random.default_rng(3)).reshape(PEOPLE_KNOWN, -1)
        return np.cov(people.T)


def judged(off, squares):
    """(squared error, stated square, share within LIKELY) of errors off by coordinates, and squares of stated ones."""
    return np.mean(off**2), np.mean(squares), np.mean(np.abs(off) <= LIKELY * np.sqrt(squares))


def cell_rows(case, found):
    """Rows of a cell, from `judged` of its draws."""
    error, stated, inside = np.mean(found, axis=0)
    yield case, "stated_over_actual", float(np.sqrt(stated / error)), ""
    yield case, "coverage", float(inside), ""


def summary_rows(case, cells):
    """Rows over all cells, {case: found}."""
    means = np.array([np.mean(found, axis=0) for found in cells.values()])
    ratios = np.sqrt(means[:, 1] / means[:, 0])
    yield case, "coverage_worst", float(means[:, 2].min()), ""
    yield case, "coverage_pooled", float(means[:, 2].mean()), ""
    yield case, "stated_over_actual_least", float(ratios.min()), ""
    yield case, "stated_over_actual_most", float(ratios.max()), ""


def growth_rows(model, people, draws):
    """Rows of growth, of each kind and number of people, with and without `by`."""
    population, planted = Population.from_model(model), growth_curves.Population.of(model)
    public, coded = _draw_growing(population, planted, "like", PUBLIC, np.random.default_rng(7))
    known = model_people.learned(public, population.template, MODES, HARMONICS)
    seen = public_growth.Seen((public - population.template).astype(np.float32), coded)
    cells = {}
    for asked in (growth_curves.ASKED, growth_curves.ASKED[:1]):
        told = public_growth.Seen(seen.deviations, coded[:, : len(asked)])
        for n in people:
            made = growth.Growth.from_variation(known, n, MU, asked, growth_curves.KNOTS, told)
            for kind in coordinate_people.KINDS:
                case = f"growth_{kind}_n{n}" + "_by" * (len(asked) > 1)
                whole, ends = cells.setdefault(case, []), cells.setdefault(f"{case}_ends", [])
                for draw in range(draws):
                    cohort, own = _draw_growing(population, planted, kind, n, np.random.default_rng((907, n, draw)))
                    off, squares = _judge_growth(made, cohort, own[:, : len(asked)], draw, population, planted, kind)
                    whole.append(judged(off, squares))
                    at_ends = [0, len(AGES) - 1]
                    ends.append(judged(off[:, at_ends], squares[:, at_ends]))
                yield from cell_rows(case, whole)
                yield from cell_rows(f"{case}_ends", ends)
    yield "growth", "draws_a_cell", draws, "count"
    yield from summary_rows("growth", cells)


def _draw_growing(population, planted, kind, n, rng):
    """((n, J, 3, m) faces of people of every age, (n, 2) age and sex as coded)."""
    age, sex = rng.uniform(AGES[0], AGES[-1], n), rng.choice(SEXES, n)
    faces = population.draw(kind, n, planted.grown(age, sex), rng)
    asked = growth_curves.ASKED[0]
    return faces, np.column_stack([(age - asked.middle) / asked.reach, sex])


def _judge_growth(made, cohort, coded, seed, population, planted, kind):
    """(levels, AGES, J, 3, m) what a release's mean faces err by, and squares of what is stated, mm."""
    answer = made.noised(made.sums(Rows.of(cohort, coded)), SeededNoise(seed))
    curves, _, samples = population.template.shape
    beside = {
        "landmarks": np.zeros((0, curves, samples)),
        "radii": np.arange(1, curves + 1) / curves,
        "scale": population.scale,
    }
    fields = made.fields(*made.estimated(answer)) | beside
    other = growth_curves.ASKED[1] if made.functions.by else None
    found = released_growth.ReleasedGrowth.from_fields(fields, growth_curves.ASKED[0], other)
    by_sex = [population.mean(kind, planted.grown(AGES, np.full(len(AGES), sex))) for sex in SEXES]
    truths = by_sex if other else [np.mean(by_sex, axis=0)]
    levels = SEXES if other else (0.0,)
    off = [
        [found.at(age, level) - population.scale * face for age, face in zip(AGES, truth, strict=True)]
        for level, truth in zip(levels, truths, strict=True)
    ]
    squares = [[found.squares(age, level) for age in AGES] for level in levels]
    return np.array(off), np.array(squares)


def effect_rows(model, people, draws):
    """Rows of the effects of a model and of its mean of everybody, of each kind and number of people."""
    population, asked = Population.from_model(model), model_people.COVARIATES[:2]
    directions = model_people.plan(model).directions[: len(asked)]
    known = [_learn_public(population, directions, seed) for seed in PUBLIC_SEEDS]
    cells, modes = {}, {}
    # modes are of people of every age and sex, whose effects widen them
    apart = model_people.covariates(np.random.default_rng(4), PEOPLE_KNOWN)[:, : len(asked)] @ directions
    of_covariates = np.cov((apart @ population.slopes.reshape(len(population.slopes), -1)).T)
    covariances = {kind: population.covariance(kind) + of_covariates for kind in coordinate_people.KINDS}
    for n in people:
        of_sets = [FaceModel.from_variation(one, n, MU, asked) for one in known]
        for kind in coordinate_people.KINDS:
            found = {name: cells.setdefault(f"effects_{kind}_n{n}_{name}", []) for name in ("mean", "sex", "age")}
            for draw in range(TIMES * draws):
                made, rng = of_sets[draw % len(of_sets)], np.random.default_rng((908, n, draw))
                coded = model_people.covariates(rng, n)[:, : len(asked)]
                cohort = population.draw(kind, n, coded @ directions, rng)
                sums = made.sums(Rows.of(cohort, coded)).values
                modes.setdefault(f"modes_{kind}_n{n}", []).append(_judge_modes(made, sums, draw, covariances[kind]))
                model = model_effects.released(made, sums, draw, population.scale)
                truths = [population.mean(kind, np.zeros((1, len(directions.T))))[0]]
                truths += [2 * np.tensordot(direction, population.slopes, axes=1) for direction in directions]
                contrasts = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]])
                for name, contrast, truth in zip(found, contrasts, truths, strict=True):
                    variance = np.moveaxis(np.diagonal(model.covariance(contrast), axis1=-2, axis2=-1), -1, 1)
                    found[name].append(judged(model.at(contrast) - population.scale * truth, variance))
            for name, cell in found.items():
                yield from cell_rows(f"effects_{kind}_n{n}_{name}", cell)
            yield from cell_rows(f"modes_{kind}_n{n}", modes[f"modes_{kind}_n{n}"])
    yield "effects", "draws_a_cell", TIMES * draws, "count"
    for name in ("mean", "sex", "age"):
        yield from summary_rows(f"effects_{name}", {case: cell for case, cell in cells.items() if case.endswith(name)})
    yield from summary_rows("effects", {case: cell for case, cell in cells.items() if not case.endswith("mean")})
    yield from summary_rows("modes_sd", modes)


def _learn_public(population, directions, seed):
    """The Variation of public people of a seed, of both sexes and every age."""
    rng = np.random.default_rng(seed)
    coded = model_people.covariates(rng, PUBLIC)[:, : len(directions)]
    public = population.draw("like", PUBLIC, coded @ directions, rng)
    return model_people.learned(public, population.template, MODES, HARMONICS)


def _judge_modes(made, sums, seed, covariance):
    """`judged` of the standard deviations of the modes that a release shows, by the errors that it states."""
    fields = made.fields(*made.draw(sums, SeededNoise(seed)))
    shown = max(int(fields["shown"]), 1)
    directions = fields["modes"][:shown].reshape(shown, -1).astype(float)
    points = directions.shape[1] // 3
    # a mode is of length 1 in the mean over points
    true = np.sqrt(np.einsum("mi,ij,mj->m", directions, covariance, directions)) / points
    return judged(fields["sd"][:shown] - true, fields["sd_noise"][:shown] ** 2)
