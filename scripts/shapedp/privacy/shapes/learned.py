"""The mean shape as its deviation from the public p0, with noise shaped by public people; Gaussian, or pure epsilon-DP.

Each record has x = log_p0(record), u = its public linear image, clipped to ||u|| <= tau (`Coordinates`).
Replacing one of n records moves the mean of u by at most 2 tau/n, whatever the curvature and for any p0: noise on u
of that scale, then public maps back to a shape. Which axes and which tau is chosen from public numbers alone
(`variation.shape_variation`), and only how good the release is depends on it.

A cohort that lies away from p0 is clipped on one side, and its mean with it. Where a public set says how people differ,
what the clip took is put back, as of faces, as far as it follows from the noised mean and public people. `shaped` asks
first, too, with a small share of mu^2, how many times as far as public people these lie, and tau follows.

Proofs: docs/mathematics.md, (7.7), (11.4), (11.5), (11.7), (11.11).
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy import integer_sums, worth
from shapedp.privacy.accounting.cost import PURE, Cost
from shapedp.privacy.curves.learned import SpreadQuestion, split_mu_by_stage
from shapedp.privacy.learned import clips, face_variation, likely_shares, noised_means, shape_variation
from shapedp.privacy.learned.shape_variation import ShapePlan, Variation
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.proofs import Proofs
from shapedp.privacy.shapes.base import OUTPUT_GRID, ShapeMechanism, as_complex, as_real
from shapedp.privacy.statistic import BoundedSum, FollowsFromAnswers, Rows, Sums, ask

# Bound on the size's coordinate over that on the shape's.
SIZE = 0.5
# Turns in which what the clip took is found.
TURNS = 40


@dataclass(frozen=True)
class Coordinates:
    """The public linear map of records to the coordinates u that are released.

    u_i = l_i^(-1/4) <v_i, log_p0(record)> on the chosen axes, ||u|| at most the choice's clip; where size, public
    bounds of log centroid size, is given, one more: from -SIZE to SIZE times the clip as the size goes from one to the
    other.
    """

    shapes: LandmarkShapes
    variation: Variation
    choice: ShapePlan
    size: tuple | None = None

    @property
    def bound(self) -> float:
        """Return the bound on a person's coordinates together."""
        return self.choice.clip * size_factor(self.size)

    @property
    def count(self) -> int:
        return self.choice.axes + (self.size is not None)

    @cached_property
    def roots(self) -> NDArray[np.float64]:
        """Return the fourth roots of the moments on the axes."""
        return self.variation.moments[: self.choice.axes] ** 0.25

    @property
    def axes(self) -> NDArray[np.float64]:
        return self.variation.axes[: self.choice.axes]

    def integers(self, records: NDArray[np.float64], log_sizes: NDArray[np.float64] | None = None) -> NDArray[np.int64]:
        """Return bounded whole numbers (n, count) of any records (n, k, d) at all, so that sums of them are exact.

        No row is longer than the grid's bound.
        """
        u = self.clipped(records)
        if self.size is not None:
            low, high = self.size
            # A record without size counts as 0, the middle of the bounds.
            place = np.nan_to_num((2 * log_sizes - low - high) / (high - low), nan=0.0)
            u = np.column_stack([u, SIZE * self.choice.clip * np.clip(place, -1, 1)])
        return integer_sums.to_grid(u, self.bound)

    def clipped(self, records: NDArray) -> NDArray[np.float64]:
        """Return coordinates (n, axes) of any records (n, k, d), without size."""
        return clips.clip_by_length(self._project(records), self.choice.clip)

    def lengths(self, records: NDArray) -> NDArray[np.float64]:
        """Return ||u|| (n,) before the clip."""
        return np.linalg.norm(self._project(records), axis=1)

    @property
    def public_lengths(self) -> NDArray[np.float64]:
        """Return ||u|| (m,) of public people who had no part in the axes, in units of the clip."""
        return self.variation.lengths[:, self.choice.axes - 1] / self.choice.clip

    @property
    def released(self) -> face_variation.ReleasePlan:
        """Return the axes and the clip in the form of faces' plans, as models and `noised_means` take them."""
        q, choice = self.choice.axes, self.choice
        return face_variation.ReleasePlan(
            np.arange(q), self.variation.moments[:q], np.ones(q), 0.0, choice.clip, choice.noise
        )

    def _project(self, records):
        return self.shapes.deviations(records) @ self.axes.T / self.roots

    @property
    def shrinking(self) -> NDArray[np.float64]:
        """Return factors (axes,) towards p0 on what is released; 1 where nothing is shrunk."""
        return np.ones(self.choice.axes) if self.choice.factors is None else self.choice.factors

    def shape(self, u: NDArray[np.float64]) -> NDArray:
        """Return the shape (k, d) of coordinates (count,), shrunk."""
        return self.shapes.shape((u[..., : self.choice.axes] * self.roots * self.shrinking) @ self.axes)

    def log_size(self, u: NDArray[np.float64]) -> float:
        """Return the log centroid size of coordinates (count,), kept between its bounds."""
        low, high = self.size
        return float(np.clip((low + high) / 2 + u[-1] * self.log_size_step, low, high))

    @property
    def log_size_step(self) -> float:
        """Return by how much log centroid size grows with its coordinate."""
        low, high = self.size
        return (high - low) / (2 * SIZE * self.choice.clip)


def size_factor(size: Any) -> float:
    """Return by which factor a size beside the shape makes the bound larger."""
    return 1.0 if size is None else float(np.hypot(1.0, SIZE))


@dataclass(frozen=True)
class DeviationMechanism(BoundedSum, ShapeMechanism):
    """A mechanism on deviations from the center: the ball's `public` shapes say how shapes vary.

    Without them its r does, and its modes whether there is a contour.

    spread_answer : what a first stage told of how far people lie; bound_scale : how many times as far as public people
    clip_undone : what the noised mean becomes; None before it, or where nothing is put back
    excess : how many times chance a typical part of the noised mean is seen to lie off beyond it
    """

    spread_answer: clips.SpreadAnswer | None = None
    bound_scale: float | None = None
    clip_undone: noised_means.RestoredMean | None = None
    excess: float = 0.0

    learns = True
    in_basis = False
    in_space = True
    # Times as far as people lie is the bound of those who lie far.
    far = 1.05
    along_contour = True
    clipping = "joint_norm"
    formula = "2 tau/n in the norm of the coordinates about the center, records clipped to tau"

    @property
    def budget_number(self) -> float:
        """Return the budget's number: mu or epsilon."""
        return self.budget[self.budgets[0]]

    def split_budget(self, n: int, budget: float) -> tuple[float, float]:
        """Return what n people's budget leaves for (the first stage, 0 where nothing is asked first; the mean)."""
        del n
        return 0.0, budget

    @property
    def first(self) -> float:
        return self.split_budget(self.n, self.budget_number)[0]

    @property
    def mean_budget(self) -> float:
        return self.split_budget(self.n, self.budget_number)[1]

    @staticmethod
    @abstractmethod
    def law(variation: Any, n: int, amount: float, extra_numbers: int) -> NDArray[np.float64]:
        """Return the expected squared noise by number of axes: `shape_variation.gaussian` or `shape_variation.pure`."""

    def noise_law(self, variation: Any, n: int, budget: float) -> NDArray[np.float64]:
        """Return the expected squared noise by number of axes of a whole budget, beside a size where there is one."""
        extra_numbers = int(self.ball.size is not None)
        return self.law(variation, n, self.split_budget(n, budget)[1], extra_numbers) * size_factor(self.ball.size) ** 2

    @cached_property
    def coordinates(self) -> Coordinates:
        """Return the public map of records to what is released: planned axes and clip, as a first stage leaves it."""
        ball, variation = self.ball, self.ball.variation
        choice = shape_variation.choose(
            variation, self.planned_for or self.n, self.noise_law, self.budget_number, self.shrinks
        )
        if self.planned_for:
            choice = replace(
                choice, noise=float(self.noise_law(variation, self.n, self.budget_number)[choice.axes - 1])
            )
        times = clips.find_bound_factor(self.bound_scale or 1.0, far=self.far)
        choice = replace(choice, clip=times * choice.clip, noise=times**2 * choice.noise)
        return Coordinates(ball.about, variation, choice, ball.size)

    def worth(self, n: int | None = None) -> Any:
        """Return the Worth of this release, or of one of n records: is it expected nearer to the mean than p0?"""
        variation, choice = self.coordinates.variation, self.coordinates.choice
        if n is not None:
            choice = shape_variation.choose(variation, n, self.noise_law, self.budget_number, self.shrinks)
        return worth.judge_mean_shape(variation, choice, n or self.n, pure="epsilon" in self.budget)

    def check_worth(self) -> None:
        """Refuse a release that is expected to be farther from the mean than p0, which tells nobody anything."""
        variation, choice = self.coordinates.variation, self.coordinates.choice
        if not choice.worth_it:
            needed_count = shape_variation.find_least_records(
                variation, self.noise_law, self.budget_number, self.shrinks
            )
            raise RefusedRelease(
                f"mechanism `{self.name}` with n = {self.n}: the released shape is expected {choice.error:.3g} "
                f"rad from the mean, the public center alone {choice.center_error:.3g}; it would be nearer from "
                f"n = {needed_count} on: take more records or a larger budget, publish the center, or say "
                "`worth_it_anyway: true`"
            )

    @property
    def basis_words(self) -> str:
        return f"{self.coordinates.choice.axes} directions of deviations"

    @property
    def learned(self) -> Any:
        """Return (quantile, margin, people) of the public set behind the bound, or None where settings give it."""
        return None if self.ball.public is None else (shape_variation.QUANTILE, 1.0, len(self.ball.public))

    @property
    def shrunk(self) -> tuple[float, float] | None:
        """Return (least, largest) factor on a coordinate, or None."""
        factors = self.coordinates.choice.factors
        return None if factors is None else (float(factors.min()), float(factors.max()))

    def sensitivity(self) -> float:
        return 2 * self.coordinates.bound / self.n

    def grid(self) -> float:
        return self.coordinates.bound / integer_sums.GRID / self.n

    def inputs(self) -> dict[str, Any]:
        """Return the numbers, by symbol, from which a statement's reader can compute the sensitivity.

        w : shares of mu^2 of the stages, where there are two
        """
        shares = [(share / self.budget_number) ** 2 for share in (self.first, self.mean_budget)]
        return super().inputs() | ({"w": shares} if self.first else {})

    def stated_bounds(self) -> tuple:
        return (("tau", self.coordinates.bound, "1"),)

    def noise_size(self) -> float:
        return float(np.linalg.norm(self.errors_along))

    @property
    def errors_along(self) -> NDArray[np.float64]:
        """Return the standard deviations (axes,) by which the released mean errs along its axes, for stated errors.

        They are the noise's own until what the clip took is put back, which is in doubt.
        """
        errors = (
            self._noise_of_coordinate
            if self.clip_undone is None
            else noised_means.find_doubted_errors(self.clip_undone)
        )
        return self._lengths * errors

    def mean_along(self, mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the released lengths (axes,) along the axes of a noised mean (count,)."""
        return self._lengths * self._undo_clip(mean)

    @property
    def noise_of_mean(self) -> float:
        """Return the noise alone of the mean as it is drawn, in radian, for tests to compare what is stated with."""
        return float(np.sqrt(self.coordinates.choice.noise))

    def noise_covariance(self) -> NDArray[np.float64]:
        along = self.coordinates.axes.reshape(-1, *as_real(self.ball.p0).shape) * self.errors_along[:, None, None]
        return np.einsum("qkd,qke->kde", along, along)

    @property
    def missing_along(self) -> NDArray[np.float64]:
        """Return squares (dim,) expected along every axis beside the noise: what is not released, shrunk or clipped."""
        return shape_variation.forecast_missing_squares(
            self.coordinates.variation, self.coordinates.choice, self.n, self.excess
        )

    def error_size(self) -> float:
        """Return the error to state: the expected distance to the cohort's own mean, noise included, in radian.

        It is of people like the public ones, or who lie off along unreleased axes as they are seen to along others.
        """
        return float(np.sqrt(np.sum(self.errors_along**2) + self.missing_along.sum()))

    def error_covariance(self) -> NDArray[np.float64]:
        """Return covariances (k, d, d) of the whole error at each landmark, what `error_size` counts, for ellipses."""
        axes = self.coordinates.variation.axes.reshape(-1, *as_real(self.ball.p0).shape)
        missing = np.einsum("q,qkd,qke->kde", self.missing_along, axes, axes, optimize=True)
        return self.noise_covariance() + missing

    @property
    def _lengths(self):
        """Return how far one of each coordinate leads (axes,), shrunk."""
        return self.coordinates.roots * self.coordinates.shrinking

    @property
    def _noise_of_coordinate(self):
        """Return the standard deviation of the noise on one of the mean's coordinates, which all bear the same."""
        return np.sqrt(self.coordinates.choice.noise) / np.linalg.norm(self._lengths)

    adds_up = True

    @property
    def width(self) -> int:
        return self.coordinates.count

    def integers(self, rows: NDArray[np.float64], log_sizes: NDArray | None = None) -> NDArray[np.int64]:
        """Return whole numbers (b, width) of people's rows (b, k, d) and the logarithms of their sizes."""
        return self.coordinates.integers(rows, log_sizes)

    def stage(self, answers: tuple) -> Any:
        """Return what to ask of people next: how far they lie, if that is asked first; their mean; None at the end."""
        if self.first and not answers:
            return SpreadQuestion(self)
        return self.with_bound_from(answers) if len(answers) == bool(self.first) else None

    def lengths(self, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ||u||/tau of people's rows, before the clip."""
        return self.coordinates.lengths(records) / self.coordinates.choice.clip

    def with_bound_from(self, answers: tuple) -> Any:
        """Return the mechanism with the bound that suits this cohort, by its noised first answer, if one was asked."""
        if not self.first:
            return self
        spread_answer = clips.SpreadAnswer(float(answers[0][0]), 1 / (self.n * self.first), self.coordinates.released)
        return replace(
            self,
            spread_answer=spread_answer,
            bound_scale=spread_answer.scale_from_lengths(self.coordinates.public_lengths),
        )

    @property
    def settled_sd(self) -> float | None:
        """Return the noise's standard deviation on each u under the bound that a first stage led to, for the statement.

        It is None without a first stage.
        """
        return None if self.bound_scale is None else self.sensitivity() / self.mean_budget

    def decoding(self, answers: tuple) -> Any:
        """Return the mechanism that turns the answers into the released shape, what the clip took put back."""
        # A release asks for it several times: for the shape, what it states, what it tells and what is drawn.
        return self._decoders.find(answers, self._derive_decoder)

    @cached_property
    def _decoders(self):
        """Return what keeps the mechanism that decodes the last release."""
        return FollowsFromAnswers(most=1)

    def _derive_decoder(self, answers):
        """Return the mechanism that `decoding` returns, made anew."""
        mechanism = self.with_bound_from(answers[:-1])
        if self.ball.public is None:
            return mechanism
        coordinates = mechanism.coordinates
        u, sd = answers[-1][: coordinates.choice.axes], mechanism._noise_of_coordinate
        correction = noised_means.restore_mean(
            coordinates.variation,
            coordinates.released,
            self.n,
            u,
            np.full(len(u), sd),
            shrinks=False,
            reach_answer=mechanism.spread_answer,
            clip=clips.clip_by_length,
            turns=TURNS,
        )
        decoder = replace(mechanism, clip_undone=correction)
        return replace(decoder, excess=decoder._find_excess(answers[-1]))

    def _find_excess(self, mean):
        """Return how many times chance a typical part of a noised mean (count,) lies off the public one beyond chance.

        Who lies off along the released axes likely does so along others, too, by what nothing shows.
        """
        variation, plan = self.coordinates.variation, self.coordinates.released
        chance = (1 / self.n + 1 / variation.people) * face_variation.public_spread(variation, plan)
        parts = likely_shares.group_axes(variation, plan)
        # as they are before anything is shrunk towards the center
        away = plan.scales * self._undo_clip(mean) - noised_means.find_public_mean(variation, plan)
        noise = np.square(plan.scales * self.clip_undone.errors)
        sure_shares = likely_shares.find_shares_beyond_chance(away, chance, noise, parts)
        return likely_shares.find_typical_excess(sure_shares * away, chance, parts[0])

    def tells(self, answers: tuple) -> dict[str, Any]:
        """Return what the statement says of this cohort from its noised answers: spread, error, whether it is unlike.

        They are fields of `statement.conditions.Facts`: how the bound followed, how far the mean errs, and with a
        public set what the clip took and whether people are unlike it.
        """
        mechanism = self.decoding(answers)
        facts = {
            "widened": mechanism.bound_scale,
            "settled_sd": mechanism.settled_sd,
            "error_radian": mechanism.error_size(),
        }
        if mechanism.clip_undone is None:
            return facts
        coordinates = mechanism.coordinates
        shift = float(np.linalg.norm(mechanism._lengths * mechanism.clip_undone.moved))
        is_unlike = noised_means.differs_from_public_mean(
            coordinates.variation,
            coordinates.released,
            self.n,
            restored_mean=mechanism.clip_undone,
            u=answers[-1][: len(mechanism._lengths)],
        )
        return facts | {"undone": mechanism.clip_undone.undone, "unlike": is_unlike, "clip_moved": shift}

    def shape(self, answers: tuple) -> NDArray:
        mechanism = self.decoding(answers)
        return as_complex(mechanism.coordinates.shape(mechanism._undo_clip(answers[-1])))

    def _undo_clip(self, mean):
        """Return u (axes,) of a noised mean, with what the clip took put back."""
        u, correction = mean[: self.coordinates.choice.axes], self.clip_undone
        return u if correction is None else correction.factors * u + correction.moved

    def size(self, answers: tuple) -> tuple[float, float]:
        """Return the released centroid size and its noise, from the noised mean of u; NaN where none is released.

        Both are on the output grid.
        """
        if not self.ball.size:
            return super().size(answers)
        mechanism = self.with_bound_from(answers[:-1])
        size = np.round(np.exp(mechanism.coordinates.log_size(answers[-1])) / OUTPUT_GRID) * OUTPUT_GRID
        return float(size), float(size * mechanism._noise_of_coordinate * mechanism.coordinates.log_size_step)

    def draw(self, z: NDArray, source: Any) -> NDArray:
        return self.shape(ask(self, Rows.of(as_real(z)), source))


class Shaped(DeviationMechanism):
    """The mechanism with Gaussian noise on u, after a first stage where there is a public set and n and mu allow it.

    What the two spend and what they find is that of faces, `curves.learned`.
    """

    proofs = Proofs(("7", "test_learned_shapes"), machine_checked=("2.5", "2.7", "3.3", "4.1", "4.3", "7.7"))
    name = "shaped"
    label = "shaped Gaussian"
    words = (
        "Gaussian noise on the mean of the shapes' deviations from the center, shaped as public shapes vary; with "
        "enough people and a public set, first and with noise of its own, how far they lie beside public people, which "
        "the bound follows"
    )
    formula = (
        "2 tau/n in the norm of the coordinates about the center, records clipped to tau; before it, where there is a "
        "first stage, 1/n for the mean of log(2|u|/tau)/(3 log 2) + 2 log(|u|/tau)/(3 log 16), each logarithm kept "
        "from 0 to where |u| is tau and 16 tau, from which the tau of the mean follows"
    )
    sampler = "discrete_gaussian"
    law = staticmethod(shape_variation.gaussian)

    def split_budget(self, n: int, budget: float) -> tuple[float, float]:
        return (0.0, budget) if self.ball.public is None else split_mu_by_stage(n, budget)

    def cost(self) -> Cost:
        """Return what the first stage, where there is one, and the mean spend together, for the ledger to charge."""
        stages = (1, self.first), (self.width, self.mean_budget)
        return integer_sums.gaussian_cost(
            self.budget_number, *((c, integer_sums.SENSITIVITY, mu) for c, mu in stages if mu)
        )

    def noised(self, sums: Sums, source: Any) -> NDArray:
        return integer_sums.noised_mean(sums.values[0], self.coordinates.bound, self.n, self.mean_budget, source)[0]


class KNorm(DeviationMechanism):
    """The epsilon-DP mechanism with noise of density exp(-||u|| n eps/(2 tau)) on u.

    Its normaliser is the same everywhere, so there is no factor 2. It is drawn on the integer sums without rounding:
    what is released has the very law that the proof is of.
    """

    proofs = Proofs(("7", "test_learned_shapes"), drawn=("4", "test_exact"), machine_checked=("4.1", "7.7"))
    name = "knorm"
    label = "K-norm"
    words = "K-norm noise on the mean of the shapes' deviations from the center, in few directions, drawn exactly"
    budgets = ("epsilon",)
    sampler = "exact"
    law = staticmethod(shape_variation.pure)

    def cost(self) -> Cost:
        return Cost(PURE, epsilon=self.mean_budget)

    def noised(self, sums: Sums, source: Any) -> NDArray:
        return source.k_norm_integers(sums.values[0], integer_sums.SENSITIVITY, self.mean_budget) * self.grid()
