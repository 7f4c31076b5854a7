"""Measure how far all stages of a release, together, tell neighbours apart when an adversary chose the early answers.

A mechanism that asks one statistic after the other plans each from the noised answers before it. Here its stages are
run on a data set, with answers at the extremes of what noise can say in the place of drawn ones, and replayed on every
neighbour with the same answers. Each stage then adds noise of a scale that is known to sums that are known: two
neighbours lie as many standard deviations apart as the root of the sum of their squares over all stages, and no more
than mu if the claim holds. Records are a hostile palette: near the center, at the bound, as far out as a first stage
tells, far beyond it on either side, and what is no number. All other people enter both sums alike, so they are left
out. Of a stage that draws one of several answers by their scores the whole law is computed: two neighbours are told
apart by the largest ratio of one answer's probabilities, in the mu that such an epsilon implies, and all other people
lie where this ratio is largest. An answer that differs between neighbours though its noised sums are the same is a leak
beside the noise, and counts as infinitely far.

See docs/mathematics.md, (2.5), (4.3) and (9.2).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.audit import curve_attacks
from shapedp.landmarks import outlines
from shapedp.privacy import integer_sums
from shapedp.privacy.accounting.cost import gaussian_of_pure
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.differences import ShapedWithSpread, ShapesWithSpread
from shapedp.privacy.learned.clips import SHORTEST, WIDEST
from shapedp.privacy.manifolds.projective import shape_of
from shapedp.privacy.recentred import RecentredMean
from shapedp.privacy.shapes import private_center
from shapedp.privacy.shapes.base import Ball, as_real, polygon
from shapedp.privacy.shapes.private_center import PrivateCenter
from shapedp.privacy.statistic import BoundedSum, Rows, Sums
from shapedp.releases import shape_mechanisms
from shapedp.releases.kinds.growth.moments import Growth
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.releases.model.shapes import ShapeModel

MU = curve_attacks.MU
# People, enough that a first stage is asked and a model is made.
ENOUGH = 400
# Of the bound, along an axis, either way: just inside where `score_lengths` begins to count, at the bound, and just
# beyond where it ends.
FACTORS = (0.999 * SHORTEST, 1.0, 1.001 * WIDEST)
# Times the bound.
FAR = 1e6
# Of a noised sum, in units of n times the bound of a row: what a sum can be, and far beyond, where noise leads hardly
# ever.
LEVELS = (-1, 0, 1, -50, 50)
# Further scripts, of levels at random.
SCRIPTS = 12
# Between the coordinates of two people of a model, whose sums of products move by their angle.
ANGLES = np.linspace(0, np.pi, 25)
AGES = np.linspace(-1, 1, 5)
AGE, SEX = Covariate("age", 20.0, 60.0), Covariate("sex", -1.0, 1.0, ("f", "m"))
NO_NUMBERS = (np.nan, np.inf, -np.inf, 1.7e308, 5e-324)
# Of public outlines, so that 16 times the bound is still a shape.
SPREAD = 0.002
# Landmarks of those who have nothing public.
CORNERS = 12
# Radian: a right angle apart, and at distances between which radii of the grid lie.
OPPOSITE = np.pi / 4 + np.array([-0.1, 0.1])


@dataclass
class ChosenAnswers:
    """A source whose noised sums are the adversary's, and which keeps the sums and the scale that it was asked with.

    level : of each sum, in units of n times a row's bound, and of the answer that is drawn, the first one below 0 and
        the last one above; is_first_alone : whether only the first sum is at it
    calls : (sums, scale) of each Gaussian draw; laws : log-probabilities of each answer that may be drawn by its score
    """

    n: int
    level: float
    is_first_alone: bool
    calls: list
    laws: list = field(default_factory=list)

    secure = False
    words = "answers that an adversary chose"

    def gaussian_integers(
        self, values: NDArray[np.int64], scale: float, sensitivity: float
    ) -> tuple[NDArray[np.int64], float]:
        """Return the sums that the adversary chose, whatever the values are, and note those for the audit.

        Returned, too, is rho as the noise of this scale would have it.
        """
        self.calls.append((np.array(values), scale))
        sums = np.zeros(np.shape(values), dtype=np.int64)
        sums[: 1 if self.is_first_alone else None] = int(self.level * self.n * (int(sensitivity) // 2))
        return sums, integer_sums.rho(sensitivity, scale)

    def noisy_max(self, scores: NDArray[np.int64], sensitivity: int, epsilon: float) -> int:
        """Return the answer that the adversary chose, whatever the scores are, and note its law for the audit."""
        self.laws.append(log_law(np.asarray(scores) * epsilon / (2 * sensitivity)))
        last = len(scores) - 1
        return 0 if self.level < 0 else last if self.level > 0 else last // 2

    def in_standard_deviations(self) -> NDArray[np.float64]:
        """Return all sums that noise was asked for, in standard deviations of it: neighbours' distance follows."""
        # The scale holds the rounding at random of the proof besides, which is not counted as noise here.
        parts = [np.ravel(values) / math.sqrt(scale**2 - integer_sums.ROUNDED**2) for values, scale in self.calls]
        return np.concatenate([np.zeros(0), *parts])

    def as_logarithms(self) -> NDArray[np.float64]:
        """Return the log-probabilities of all answers that were drawn by scores, one after the other."""
        return np.concatenate([np.zeros(0), *self.laws])


quadrature = cache(np.polynomial.legendre.leggauss)


def log_law(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each score's log-probability to be chosen by a noisy maximum, as radii are: audits measure leaks by it.

    Exponential noise of mean 1 is added to the scores. With h_i = e^(q_i - max q) it is h_j ∫ Π (1 - u h_i) du over u
    in [0, 1] and i other than j, a polynomial that the quadrature has exactly.
    """
    heights = scores - np.max(scores)
    nodes, weights = quadrature(len(scores) // 2 + 1)
    factors = 1 - (1 + nodes[:, None]) / 2 * np.exp(heights)
    others = np.exp(np.sum(np.log(factors), axis=1, keepdims=True)) / factors
    return heights + np.log(weights @ others / 2)


def find_largest_distance(
    mechanism: Any, records: Sequence[NDArray], covariates: NDArray | None = None, is_entering: bool = False
) -> float:
    """Return how far apart a release leaves neighbours at worst, whatever it answered early: beside the claimed mu.

    It is in standard deviations of the noise of all stages together.

    Parameters
    ----------
    mechanism : Mechanism
        Whose stages are replayed.
    records : (P, ...) rows
        Of the person in whom neighbours differ: any two of these.
    covariates : (P, p) numbers, or None
        Covariates of each record, where the mechanism takes any.
    is_entering : bool
        Whether the person enters a private group, in place of having another record in it.

    Returns
    -------
    float
        At most mu, or half of it where the person enters, if the mechanism is as private as it claims.
    """
    rng = np.random.default_rng(57)
    plain_scripts = [[(level, is_first_alone)] for level in LEVELS for is_first_alone in (False, True)]
    random_scripts = [list(zip(rng.choice(LEVELS, 8), rng.random(8) < 0.5, strict=True)) for _ in range(SCRIPTS)]
    # A mechanism that asks once plans nothing from an answer, so that no script of answers can matter.
    is_staged = mechanism.stage(()) is not mechanism
    scripts = plain_scripts + random_scripts if is_staged else [[(0, False)]]
    return max(replay_script(mechanism, records, covariates, is_entering, script) for script in scripts)


def replay_script(
    mechanism: Any, records: Sequence[NDArray], covariates: NDArray | None, is_entering: bool, script: Sequence[tuple]
) -> float:
    """Return how far apart a release leaves neighbours at worst when its stages gave these chosen answers.

    Parameters
    ----------
    mechanism, records, covariates, is_entering
        As of `find_largest_distance`.
    script : sequence of tuple
        (level, whether of the first sum alone) by stage, again from the start where there are more stages.
    """
    people = [
        Rows.of(record[None], None if covariates is None else covariates[place : place + 1])
        for place, record in enumerate(records)
    ]
    outside = replace(people[0], members=np.array([False]))
    answers, squares = (), 0.0
    while (stage := mechanism.stage(answers)) is not None:
        level, is_first_alone = script[len(answers) % len(script)]
        sources, answer = [], None
        for rows in [*people, outside] if is_entering else people:
            source = ChosenAnswers(mechanism.n, level, bool(is_first_alone), [])
            noised = stage.noised(add_others(stage, stage.sums_over(rows)), source)
            answer = noised if answer is None else answer
            # The noised sums are the same for both: what differs in the answer came past the noise.
            if not is_same(answer, noised):
                return math.inf
            sources.append(source)
        squares = squares + square_distances(sources, is_entering)
        answers = (*answers, answer)
    return math.sqrt(float(np.max(squares)))


def square_distances(sources: Sequence[ChosenAnswers], is_entering: bool) -> NDArray[np.float64]:
    """Return how far apart one stage leaves neighbours: squared distances, in standard deviations of its noise.

    There is one for every two sources; where somebody enters a private group, one for each source from the last.
    """
    sums = np.array([source.in_standard_deviations() for source in sources])
    laws = np.array([source.as_logarithms() for source in sources])
    if is_entering:
        return np.sum((sums[:-1] - sums[-1]) ** 2, axis=1)
    squares = scipy.spatial.distance.pdist(sums, "sqeuclidean")
    if laws.size:
        epsilons = scipy.spatial.distance.pdist(laws, "chebyshev")
        squares += np.array([gaussian_of_pure(epsilon) for epsilon in epsilons]) ** 2
    return squares


def add_others(stage: Any, sums: Sums) -> Sums:
    """Return the audit's exact sums, of the person who is replaced, with the other people added where they matter.

    They do in the scores of radii, which move most for all if all others lie at one distance, so that a score below it
    rises by what one above it falls by.
    """
    if not isinstance(stage, private_center.Radius):
        return sums
    return sums + Sums((np.where(np.mean(OPPOSITE) > private_center.RADII, 0, stage.n - 1),))


def can_take_private_groups(mechanism: Any) -> bool:
    """Tell whether it may be private who enters a release's sums: a mean's, never a model's."""
    return isinstance(mechanism, BoundedSum)


def is_same(answer: Any, other: Any) -> bool:
    """Tell whether two noised answers, arrays or lists of them, are the same to the last bit; if not, they leak.

    Their noised sums are the same, so that a difference came past the noise.
    """
    if isinstance(answer, list):
        return len(answer) == len(other) and all(map(is_same, answer, other))
    return np.array_equal(answer, other, equal_nan=True)


def list_kinds() -> Iterator[tuple[str, Any, Sequence[NDArray], NDArray | None]]:
    """Yield every kind of release that the audit replays: (kind and branch, mechanism, records, their covariates).

    They are all that ask by stages, and the models, which ask three sums at once.
    """
    staged = curve_attacks.make_two_stages()
    yield "mean of faces", staged, face_palette(staged), None
    variation = curve_attacks.learn_variation()
    settings = CurveSettings(variation.center.shape, ENOUGH, variation, variation.center, {"mu_total": MU}, {})
    again = RecentredMean.from_settings(settings)
    yield "mean of faces, asked again", again, face_palette(again), None
    differences = ShapedWithSpread.from_settings(settings)
    yield "change of faces", differences, face_palette(differences), None
    odd_variation = mirror_variation(variation)
    asymmetry = ShapedWithSpread.from_settings(replace(settings, bounds=odd_variation))
    yield "asymmetry of faces", asymmetry, face_palette(asymmetry), None
    model = FaceModel.from_variation(variation, ENOUGH, MU, (AGE,), 2)
    # at every angle, for its sums; near and far, for its question who lies far
    records = [*faces_at_angles(model.shaped), *face_palette(model.shaped)]
    yield "model of faces", model, *repeat_with_levels(records, [[-1.0], [1.0]])
    growth = Growth.from_variation(variation, ENOUGH, MU, (AGE, SEX), (20.0, 40.0, 60.0), None)
    ages = [[age, sex] for age in AGES for sex in (-1.0, 1.0)]
    yield "growth of faces", growth, *repeat_with_levels(faces_at_angles(growth.shaped), ages)
    ball = make_outlines_ball()
    mean = shape_mechanisms.make("shaped", ball, {"mu_total": MU}, worth_it_anyway=True)
    yield "mean of landmarks", mean, shape_palette(mean.coordinates), None
    change = ShapesWithSpread(ball, {"mu_total": MU})
    yield "change or asymmetry of landmarks", change, shape_palette(change.coordinates), None
    alone = PrivateCenter(Ball(ENOUGH, polygon(CORNERS), np.pi / 2, 0, nothing_public=True), {"mu_total": MU})
    yield "mean of landmarks, private center", alone, private_palette(alone), None
    shapes = ShapeModel.from_ball(ball, MU, (AGE,), 2)
    yield (
        "model of landmarks",
        shapes,
        *repeat_with_levels(shapes_at_angles(shapes.shaped.coordinates), [[-1.0], [1.0]]),
    )


def mirror_variation(variation: Any) -> Any:
    """Return the variation of people whose halves differ the other way round, to audit releases of asymmetries."""
    modes = variation.modes - variation.modes[..., ::-1]
    sizes = np.sqrt(np.mean(np.sum(modes**2, axis=2), axis=(1, 2)))[:, None, None, None]
    return replace(variation, modes=modes / sizes)


def face_palette(mechanism: Any) -> list[NDArray]:
    """Return curves (J, 3, m) of people who move a mean most, from whom the audit makes its neighbours.

    They lie along the first, second and last axis; what is no curve is among them.
    """
    lengths = (mechanism.bound / mechanism.gain)[:, None, None, None] * np.asarray(mechanism.axes, dtype=float)
    steps = [(axis, sign * factor) for axis in (0, 1, -1) for factor in (*FACTORS, FAR) for sign in (1, -1)]
    no_curves = [np.full(mechanism.center.shape, number) for number in NO_NUMBERS]
    return [mechanism.center, *(mechanism.center + factor * lengths[axis] for axis, factor in steps), *no_curves]


def faces_at_angles(shaped: Any) -> list[NDArray]:
    """Return curves (J, 3, m) of people beyond the bound, at every angle between the first two axes."""
    first, second = (shaped.bound / shaped.gain[:2])[:, None, None, None] * np.asarray(shaped.axes[:2], dtype=float)
    return [shaped.center + 10 * (np.cos(angle) * first + np.sin(angle) * second) for angle in ANGLES]


def make_outlines_ball() -> Ball:
    """Return the public ball and set of made-up outlines, about which the audit's mechanisms for shapes are made."""
    p0, rng = shape_of(outlines.template()), np.random.default_rng(8)
    noise = rng.standard_normal((40, 2, 6)) @ rng.standard_normal((6, len(p0)))
    return Ball(ENOUGH, p0, 0.2, 0, np.array([shape_of(p0 + SPREAD * (x + 1j * y)) for x, y in noise]))


def shape_palette(coordinates: Any) -> list[NDArray]:
    """Return shapes (k, d) of people who move a mean most, from whom the audit makes its neighbours.

    They lie along the first, second and last axis; what is no shape is among them.
    """
    lengths = (coordinates.choice.clip * coordinates.roots)[:, None] * coordinates.axes
    deviations = [sign * factor * lengths[axis] for axis in (0, 1, -1) for factor in FACTORS for sign in (1, -1)]
    p0 = as_real(coordinates.shapes.p0)
    return [p0, *coordinates.shapes.shape(np.array(deviations)), *(np.full(p0.shape, number) for number in NO_NUMBERS)]


def private_palette(mechanism: Any) -> list[NDArray]:
    """Return shapes (k, d) from which the audit makes neighbours for a mean with a private center.

    They lie on both sides of each center that the chosen answers give, a right angle apart along the first axis about
    it; what is no shape is among them.
    """
    # By their bytes, since several answers give one center.
    palette = {}
    for level in LEVELS:
        for is_first_alone in (False, True):
            source = ChosenAnswers(mechanism.n, level, is_first_alone, [])
            center = mechanism.stage(()).noised(
                Sums((np.zeros(mechanism.basis.shape[1] ** 2, dtype=np.int64),)), source
            )
            last = mechanism.mechanism_about((center, private_center.RADII[0])).coordinates
            first = last.axes[0].reshape(center.shape) / np.linalg.norm(last.axes[0])
            turns = [sign * angle for angle in OPPOSITE for sign in (1, -1)]
            shapes = [np.cos(turn) * center + np.sin(turn) * first for turn in turns]
            palette |= {shape.tobytes(): shape for shape in shapes}
    return [*palette.values(), *(np.full((CORNERS, 2), number) for number in NO_NUMBERS)]


def shapes_at_angles(coordinates: Any) -> list[NDArray]:
    """Return shapes (k, d) of people beyond the bound, at every angle between the first two axes."""
    first, second = (coordinates.choice.clip * coordinates.roots[:2])[:, None] * coordinates.axes[:2]
    return list(coordinates.shapes.shape(np.array([2 * (np.cos(t) * first + np.sin(t) * second) for t in ANGLES])))


def repeat_with_levels(records: Sequence[NDArray], levels: Sequence) -> tuple[list[NDArray], NDArray]:
    """Return (records, covariates) in which every record stands once with every row of covariates."""
    return [record for record in records for _ in levels], np.tile(np.array(levels), (len(records), 1))
