"""Effects of covariates over many cohorts and releases, through the whole mechanism: errors, coverage, crossings; and
allometry of landmark shapes in small cohorts.

Cohorts are drawn anew from a pool of people. What an effect truly is follows from pairs of people who differ in its
covariate alone: a * (face(a) - face(-a)) / 2 over a^2 is the coefficient of least squares in the population.
"""

import time
from dataclasses import dataclass

import numpy as np

from benchmarks import model_people, no_public_set
from library.releases.model.test_model_mechanism import errors
from shapedp.privacy import noise
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.shapes.base import Ball, as_complex
from shapedp.privacy.statistic import Rows
from shapedp.releases.model import released_model
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.releases.model.shapes import ShapeModel, as_landmarks

AT_ONCE = 500
STEPS, CLOSE = 8, 0.01  # of the search for a crossing
FEW, FEW_SEEDS, REACH = 60, 3, 3.0  # of small cohorts; public standard deviations that log size may lie off
SHAPES = ("demo", "shells", "cactophilic")
PLAIN = Covariate(
    "age", -1.0, 2.2
)  # a range that reaches farther up than people do, such as 10 to 90 years for students


@dataclass(frozen=True)
class Pool:
    """curves (P, J, 3, m), coded (P, 3), truth (3, J, 3, m) : what one unit of each covariate adds."""

    curves: np.ndarray
    coded: np.ndarray
    truth: np.ndarray

    def sampling(self, n, count):
        """(count,) variance a coordinate of least squares' coefficients from n people, by the people about them."""
        z = np.column_stack([np.ones(len(self.coded)), self.coded[:, :count]])
        x = self.curves.reshape(len(z), -1)
        fitted = np.linalg.solve(z.T @ z, np.stack([one @ x for one in z.T.astype(np.float32)]))
        left = np.mean([np.mean((x[i] - z[i] @ fitted) ** 2) for i in range(len(z))])
        return np.diag(np.linalg.inv(z.T @ z))[1:] * len(z) * left / n


def pool(plan, people, pairs, curved=False):
    """A Pool of a model_people.Plan."""
    drawn = [plan.draw(min(AT_ONCE, people - at), [5, at], curved) for at in range(0, people, AT_ONCE)]
    truth = np.array([_truth(plan, pairs, k, curved) for k in range(len(model_people.COVARIATES))])
    return Pool(
        np.concatenate([curves.astype(np.float32) for curves, _ in drawn]), np.concatenate([a for _, a in drawn]), truth
    )


def _truth(plan, pairs, k, curved):
    rng = np.random.default_rng([6, k])
    a = model_people.covariates(rng, pairs, curved)
    other = a * np.where(np.arange(a.shape[1]) == k, -1, 1)
    own = rng.standard_normal((pairs, plan.directions.shape[1]))
    differ = plan.faces(own, a) - plan.faces(own, other)
    return np.tensordot(a[:, k], differ, axes=1) / 2 / np.sum(a[:, k] ** 2)


@dataclass(frozen=True)
class Found:
    """Mean squares a coordinate, in mm^2, of the effect of each covariate from end to end: error of the release, noise
    of what was drawn, sampling error without noise, the last two as foretold; share of intervals that hold the truth.
    """

    error: np.ndarray
    noise: np.ndarray
    sampling: np.ndarray
    foretold_noise: np.ndarray
    foretold_sampling: np.ndarray
    inside: np.ndarray
    seconds: float


def measured(variation, drawn, n, asked, mu, runs, scale):
    """Found for n people of a Pool with the first covariates, those `asked` for, over `runs` cohorts and releases."""
    made, count = FaceModel.from_variation(variation, n, mu, asked), len(asked)
    rng = np.random.default_rng(0)
    rows = [_run(made, drawn, rng.permutation(len(drawn.curves))[:n], run, scale) for run in range(runs)]
    error, noises, inside, seconds = (np.mean(part, axis=0) for part in zip(*rows, strict=True))
    foretold = errors(variation, made)
    foretold = [4 * scale**2 / 3 * part[1:] for part in foretold]
    return Found(error, noises, 4 * scale**2 * drawn.sampling(n, count), *foretold, inside, float(seconds))


def _run(made, drawn, rows, seed, scale):
    """One cohort and one release of it: the parts of Found, one entry a covariate."""
    curves, a = drawn.curves[rows], drawn.coded[rows, : made.moments.p]
    start = time.perf_counter()
    sums = made.sums(Rows(len(rows), lambda begin, end: curves[begin:end].astype(float), a)).values
    model = released(made, sums, seed, scale)
    seconds = time.perf_counter() - start
    noised, silent = (made.draw(sums, one)[0].drawn[1:] for one in (noise.SeededNoise(seed), Silent()))
    by_noise = 4 * scale**2 / 3 * ((noised - silent) ** 2 @ made.shaped.back**2)
    parts = [_of_effect(model, k, drawn.truth[k], scale) for k in range(a.shape[1])]
    error, inside = np.transpose(parts)
    return error, by_noise, inside, seconds


def _of_effect(model, k, truth, scale):
    """(error, share inside) of effect k from end to end."""
    contrast = np.zeros(len(model.average))
    contrast[k + 1] = 2.0
    away = model.at(contrast) - 2 * scale * truth
    variance = np.moveaxis(np.diagonal(model.covariance(contrast), axis1=-2, axis2=-1), -1, 1)
    return np.mean(away**2), np.mean(np.abs(away) <= 1.96 * np.sqrt(variance))


class Silent:
    """The sums as they are."""

    def gaussian_integers(self, values, scale, sensitivity):
        """No noise."""
        return np.asarray(values, dtype=np.int64), 0.0


def released(made, sums, seed, scale, radii=None):
    """The released_model.Released in mm of one draw; seed None : of none."""
    source = Silent() if seed is None else noise.SeededNoise(seed)
    fields = made.fields(*made.draw(sums, source))
    return released_model.Released.from_fields({**fields, "radii": radii, "scale": scale}, made.covariates)


def crossing(variation, start, count, mu):
    """The n at which the planner foretells that noise meets chance in the first covariate's effect."""
    n = start
    for _ in range(STEPS):
        before = n
        made = FaceModel.from_variation(variation, n, mu, model_people.COVARIATES[:count])
        noises, chances = errors(variation, made)
        n = max(2, round(n * noises[1] / chances[1]))
        if abs(n - before) <= CLOSE * n:
            return n
    return n


def shaped_to_plain(variation, drawn, n, mu, scale):
    """Squared noise on the effect of one year of age, age coded by a public mean and sd, over that with a range alone:
    the same ratio as of the crossings, for chance is the same.
    """
    shaped = model_people.COVARIATES[1]
    noises = []
    for one in (shaped, PLAIN):
        made = FaceModel.from_variation(variation, n, mu, (one,))
        a = np.clip((drawn.coded[:n, 1:2] * shaped.reach - one.middle) / one.reach, -1, 1)
        sums = made.sums(Rows(n, lambda begin, end: drawn.curves[begin:end].astype(float), a)).values
        model = released(made, sums, 0, scale)
        noises.append(np.mean(np.trace(model.noise_covariance(np.array([0, 1.0])), axis1=-2, axis2=-1)) / one.reach**2)
    return noises[0] / noises[1]


def of_few_shapes(draws):
    """Allometry of FEW people at mu = 1, a tenth of each set public: share of the coordinates of landmarks whose
    interval holds the regression of the set, the length of the released effect along it, and the length foretold.

    draws : cohorts and releases of each of FEW_SEEDS choices of the public ones
    """
    sets, least = [(name, records) for name, records, _ in no_public_set.sets() if name in SHAPES], []
    for name, records in sets:
        held, shown, foretold = zip(*(_allometry(records, seed, draws) for seed in range(FEW_SEEDS)), strict=True)
        least.append(min(held))
        yield "model_n60", f"coverage_{name}", min(held), "1"
        yield "model_n60", f"shown_{name}", float(np.mean(shown)), "1"
        yield "model_n60", f"shown_foretold_{name}", float(np.mean(foretold)), "1"
    yield "model_n60", "coverage", min(least), "1"


def _allometry(records, seed, draws):
    """(coverage, mean length of the released effect along the true one over its length, the share foretold)."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(records))
    public, people = np.split(records[order], [max(20, len(records) // 10)])
    sizes, known = landmark_shapes.log_sizes(people), landmark_shapes.log_sizes(public)
    mean, sd = float(known.mean()), float(known.std())
    one = Covariate("log_size", mean - REACH * sd, mean + REACH * sd, mean=mean, sd=sd)
    coded = np.clip((sizes - one.middle) / one.reach, -1, 1)[:, None]
    ball = Ball(FEW, as_complex(landmark_shapes.find_frechet_mean(public)), 0.5, 0, public)
    made, contrast, held, shown = ShapeModel.from_ball(ball, 1.0, (one,)), np.array([0.0, 1.0]), [], []
    z = np.column_stack([np.ones(len(coded)), coded])
    truth = np.linalg.lstsq(z, made.shaped.coordinates.shapes.deviations(people), rcond=None)[0][1]
    for draw in range(draws):
        rows = rng.choice(len(people), FEW, replace=False)
        sums = made.sums(Rows(FEW, lambda start, stop, rows=rows: people[rows[start:stop]], coded[rows])).values
        model = released(made, sums, draw, 1.0)
        effect = as_landmarks(model.at(contrast)).ravel()
        sd = np.sqrt(np.einsum("kdd->kd", model.covariance(contrast)[0])).ravel()
        held.append(np.mean(np.abs(effect - truth) <= released_model.NORMAL_95 * sd))
        shown.append(effect @ truth / (truth @ truth))
    return float(np.mean(held)), float(np.mean(shown)), model.shown_share(one)
