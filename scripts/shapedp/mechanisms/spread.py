"""The shaped mean with one more number: how far people lie about it, in the metric of the face or of the shape.

    w = sum_i r_i u_i^2/tau^2, r_i = sqrt(l_i)/max sqrt(l), u clipped to tau: between 0 and 1 whatever a record holds

Its mean over people, released with a share of mu^2 of its own, gives E|x|^2 along the released axes, tau^2 max sqrt(l)
times the mean of w; less the released mean's own square, from which the noise's is taken off, that is the variance of
people about their mean (`about_mean`). Of asymmetries it is what biologists call fluctuating asymmetry; of any
difference it says how large chance in who takes part is. It is asked after the first stage and before the mean, all
three with noise of their own: one person moves the sum of 2w - 1 by at most 2, so it is mu-GDP with its share, and the
stages compose.

Proof: docs/mathematics.md, (14.2).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.mechanisms import integer_sums
from shapedp.mechanisms.accounting.cost import GAUSSIAN, Cost
from shapedp.mechanisms.curves import learned
from shapedp.mechanisms.curves.learned import Shaped
from shapedp.mechanisms.integer_sums import GRID
from shapedp.mechanisms.shapes import learned as of_landmarks
from shapedp.mechanisms.statistic import BoundedSum, Sums
from shapedp.variation.face_variation import Told, following

SHARE = 0.04  # of mu^2: the noise of the mean grows by 2 %
WIDE_ENOUGH = 1.2  # times the bound of landmarks' people who lie far: what the clip takes of them is not put back


def about_mean(
    square: float, noise: float, mean: NDArray[np.float64], errors: NDArray[np.float64]
) -> tuple[float, float]:
    """(variance of people about their mean, standard deviation of the noise on it): square less |mean|^2, of which the
    noise's own is taken off. square : E|x|^2 and its noise; mean (k,) with noise errors (k,)

    With m what the mean stands for, E mean_i^2 = m_i^2 + e_i^2, and its variance is 4 m_i^2 e_i^2 + 2 e_i^4.
    """
    squares = mean**2 - errors**2
    of_mean = noise_of_square(squares, errors)
    return max(square - float(squares.sum()), 0.0), math.hypot(noise, of_mean)


def noise_of_square(squares: NDArray[np.float64], errors: NDArray[np.float64]) -> float:
    """Standard deviation of the noise on a mean's square, of its coordinates' squares without noise (k,), and errors
    (k,).
    """
    return math.sqrt(4 * max(float(squares @ errors**2), 0.0) + 2 * float(np.sum(errors**4)))


class WithSpread:
    """What both mechanisms share: the stages in turn, how far people lie where that is asked, the squares, the mean.

    first, squares : mu of the first two, 0 where the first is not asked; largest : E|x|^2 where w is 1
    """

    def stage(self, answers: tuple) -> Any:
        before = int(bool(self.first))
        if len(answers) < before:
            return learned.Reach(self)
        if len(answers) > before + 1:
            return None
        settled = self.settled(answers)
        return settled.of_squares() if len(answers) == before else settled

    @property
    def noise_of_squares(self) -> float:
        """Standard deviation of the noise on E|x|^2."""
        return self.largest / (self.n * self.squares)

    def shares_of(self, mu: float, of_mean: float) -> list[float]:
        """Shares of mu^2 of the first stage, of the squares and of the mean."""
        return [(one / mu) ** 2 for one in (self.first, self.squares, of_mean)]


@dataclass(frozen=True)
class ShapedWithSpread(WithSpread, Shaped):
    """squares : mu of the stage that asks for w."""

    squares: float = 0.0

    towards_public = False  # a difference that is found is these people's, not the public ones'
    name = "shaped_with_spread"
    label = "shaped, with people's spread"
    words = (
        "Gaussian noise on the whole mean difference at once, shaped as public people differ, after two numbers with "
        "noise of their own: how far people lie beside public ones, where there are enough of them, and how far they "
        "lie about their mean"
    )
    formula = (
        "2 tau/n for the whole face in the norm sqrt(sum over axes of u^2), records clipped to tau; before it 1/n for "
        "the mean of log(2|u|/tau)/(3 log 2) + 2 log(|u|/tau)/(3 log 16), each logarithm kept from 0 to where |u| is "
        "tau and 16 tau, where that is asked, from which the norm and the tau of the mean follow, and 1/n for the mean "
        "of |x|^2/(tau^2 max sqrt(l)), which lies between 0 and 1"
    )

    @classmethod
    def of(cls, asked: Any) -> Any:
        """As of Shaped, with what the squares leave of mu."""
        mu = float(asked.budget["mu_total"])
        squares = math.sqrt(SHARE) * mu
        rest = math.sqrt(mu**2 - squares**2) * (1 - integer_sums.DIGITS)
        made = super().of(replace(asked, budget={"mu_total": rest}))
        return replace(made, claimed=mu, squares=squares)

    @property
    def mu(self) -> float:
        return math.hypot(super().mu, self.squares)

    def draws(self) -> list[tuple]:
        return [(1, integer_sums.SENSITIVITY, self.squares), *super().draws()]

    def inputs(self, kernel_settings: Mapping[str, Any]) -> dict[str, Any]:
        return super().inputs(kernel_settings) | {"w": self.shares_of(self.mu, self.bound)}

    def of_squares(self) -> "Squares":
        """The stage that asks for w, at the bound that is not lowered: a lower clip would hide some of the spread."""
        whole = self.whole or self
        return Squares(whole.integers, whole.chosen.weights, self.n, self.squares, whole.at_once)

    def spread(self, answers: tuple) -> tuple[float, float]:
        """(variance of people about their mean, standard deviation of the noise on it), both at a point in squared
        lengths of a unit-area face, along the released axes, from all noised answers.
        """
        settled = self.settled(answers[:-1])
        mean = settled.corrected(answers[-1]).mean_along(answers[-1])
        return about_mean(settled.largest * float(answers[-2][0]), settled.noise_of_squares, *mean)

    def mean_along(self, mean_coordinates: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(k,) lengths of the released mean along the axes, and the standard deviations by which they err; once
        corrected.
        """
        return self.along(self.decode(mean_coordinates) - self.center), self.errors_along

    @property
    def largest(self) -> float:
        """E|x|^2 at a point where w is 1, in squared lengths of a unit-area face."""
        chosen = (self.whole or self).chosen
        return chosen.tau**2 * float(chosen.weights.max())


@dataclass(frozen=True)
class ShapesWithSpread(WithSpread, of_landmarks.Shaped):
    """The same of landmark shapes, whose mean and spread are in radian and of the whole shape. widened : how many times
    as far as public people these lie, by the first stage, which is that of faces; None before it
    """

    widened: float | None = None

    name = ShapedWithSpread.name
    label = ShapedWithSpread.label
    words = (
        "Gaussian noise on the mean of the shapes' differences, shaped as public shapes vary, after two numbers with "
        "noise of their own: how far people lie beside public ones, where there are enough of them, and how far they "
        "lie about their mean"
    )
    formula = (
        "2 tau/n in the norm of the coordinates of a difference, records clipped to tau; before it 1/n for the mean of "
        "log(2|u|/tau)/(3 log 2) + 2 log(|u|/tau)/(3 log 16), each logarithm kept from 0 to where |u| is tau and "
        "16 tau, where that is asked, and 1/n for the mean of |x|^2/(tau^2 max sqrt(l)), which lies between 0 and 1"
    )

    @property
    def squares(self) -> float:
        """mu of the stage that asks for w."""
        return math.sqrt(SHARE) * self.budget["mu_total"]

    @property
    def first(self) -> float:
        """mu of the first stage, 0 where there is none."""
        return self._shares[0]

    @property
    def amount(self) -> float:
        return self._shares[1]

    @property
    def _shares(self):
        rest = math.sqrt(1 - SHARE) * self.budget["mu_total"] * (1 - integer_sums.DIGITS)
        return learned.spent_by_stages(self.n, rest)

    @cached_property
    def coordinates(self) -> of_landmarks.Coordinates:
        """The chosen public maps, with the clip that follows from the first stage."""
        found, times = super().coordinates, following(self.widened or 1.0, far=WIDE_ENOUGH)
        followed = replace(found.choice, clip=times * found.choice.clip, noise=times**2 * found.choice.noise)
        return replace(found, choice=followed)

    def cost(self) -> Cost:
        stages = (1, self.first), (1, self.squares), (self.coordinates.count, self.amount)
        asked = ((count, integer_sums.SENSITIVITY, mu) for count, mu in stages if mu)
        return integer_sums.gaussian_cost(self.budget["mu_total"], *asked)

    def inputs(self) -> dict[str, Any]:
        shares = self.shares_of(self.budget["mu_total"], self.amount)
        return {"n": self.n, "r": self.ball.r, "p": self.ball.modes, "w": shares}

    def settled(self, answers: tuple) -> "ShapesWithSpread":
        if not self.first:
            return self
        told = Told(float(answers[0][0]), 1 / (self.n * self.first))
        return replace(self, widened=told.beside(self.coordinates.public_lengths))

    def of_squares(self) -> "Squares":
        found = self.coordinates
        return Squares(found.integers, found.roots**2, self.n, self.squares)

    def lengths(self, records: NDArray[np.float64]) -> NDArray[np.float64]:
        """||u||/tau of people's rows, before the clip."""
        return self.coordinates.lengths(records) / self.coordinates.choice.clip

    def spread(self, answers: tuple) -> tuple[float, float]:
        """(variance of people about their mean, standard deviation of the noise on it), radian^2, along the released
        axes, from all noised answers.
        """
        settled = self.settled(answers)
        mean = settled.coordinates.roots * answers[-1]
        square = settled.largest * float(answers[-2][0])
        return about_mean(square, settled.noise_of_squares, mean, settled.errors_along)

    @property
    def errors_along(self) -> NDArray[np.float64]:
        """(axes,) standard deviations of the noise on the mean along the axes."""
        return self.coordinates.roots * self.sensitivity() / self.amount

    @property
    def largest(self) -> float:
        found = self.coordinates
        return float((found.choice.clip * found.roots.max()) ** 2)


@dataclass(frozen=True)
class Squares(BoundedSum):
    """The mean of w; see the module.

    coordinates : people's rows as whole numbers, none longer than GRID; roots : square roots of the moments along
    them; mu : of this stage; at_once : people whose coordinates are taken at a time
    """

    coordinates: Callable[[NDArray], NDArray[np.int64]]
    roots: NDArray[np.float64]
    n: int
    mu: float
    at_once: int = BoundedSum.at_once

    width = 1

    def integers(self, rows: NDArray[np.float64], beside: None = None) -> NDArray[np.int64]:
        """(b, 1) GRID (2w - 1) of people's rows, cut towards zero to whole numbers."""
        w = np.minimum((self.coordinates(rows) / GRID) ** 2 @ (self.roots / self.roots.max()), 1.0)
        return np.trunc(GRID * (2 * w - 1)).astype(np.int64)[:, None]

    def noised(self, sums: Sums, source: Any) -> NDArray[np.float64]:
        """(1,) the mean of w with noise."""
        mean, _ = integer_sums.noised_mean(sums.values[0], self.mu, self.n, self.mu, source)
        return (mean / self.mu + 1) / 2

    def cost(self) -> Cost:
        return Cost(GAUSSIAN, mu=self.mu)
