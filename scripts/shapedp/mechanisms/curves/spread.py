"""The shaped mean with one more number: how far people lie about it, in the metric of the face.

    w = sum_i r_i u_i^2/tau^2, r_i = sqrt(l_i)/max sqrt(l), u clipped to tau: between 0 and 1 whatever a record holds

Its mean over people, released with a share of mu^2 of its own, gives E|x|^2 along the released axes, tau^2 max sqrt(l)
times the mean of w; less the released mean's own square, from which the noise's is taken off, that is the variance of
people about their mean. Of asymmetries it is what biologists call fluctuating asymmetry; of any difference it says how
large chance in who takes part is. It is asked after the first stage and before the mean, all three with noise of their
own: one person moves the sum of 2w - 1 by at most 2, so it is mu-GDP with its share, and the stages compose.

Proof: docs/mathematics.md, (14.2).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.mechanisms import integer_sums
from shapedp.mechanisms.accounting.cost import GAUSSIAN, Cost
from shapedp.mechanisms.curves.learned import Shaped
from shapedp.mechanisms.integer_sums import GRID
from shapedp.mechanisms.statistic import Statistic, Sums

SHARE = 0.04  # of mu^2: the noise of the mean grows by 2 %


@dataclass(frozen=True)
class ShapedWithSpread(Shaped):
    """squares : mu of the stage that asks for w."""

    squares: float = 0.0

    name = "shaped_with_spread"
    label = "shaped, with people's spread"
    words = (
        "Gaussian noise on the whole mean difference at once, shaped as public people differ, after two numbers with "
        "noise of their own: how far people lie beyond the public bound, where there are enough of them, and how far "
        "they lie about their mean"
    )
    formula = (
        "2 tau/n for the whole face in the norm sqrt(sum over axes of u^2), records clipped to tau; before it 1/n for "
        "the mean of log(|u|/tau)/log 16, kept between 0 and 1, where that is asked, and 1/n for the mean of "
        "|x|^2/(tau^2 max sqrt(l)), which lies between 0 and 1"
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
        """Of all stages together."""
        return math.hypot(super().mu, self.squares)

    def draws(self) -> list[tuple]:
        """Of the squares, too."""
        return [(1, integer_sums.SENSITIVITY, self.squares), *super().draws()]

    def inputs(self, kernel_settings: Mapping[str, Any]) -> dict[str, Any]:
        """w : shares of mu^2 of the first stage, of the squares and of the mean."""
        shares = [(one / self.mu) ** 2 for one in (self.first, self.squares, self.bound)]
        return super().inputs(kernel_settings) | {"w": shares}

    def stage(self, answers: tuple) -> Any:
        """How far people lie where that is asked, the squares, the mean."""
        before = int(bool(self.first))
        if len(answers) < before:
            return self.first_stage()
        if len(answers) > before + 1:
            return None
        settled = self.settled(answers)
        return Squares(settled) if len(answers) == before else settled

    def spread(self, answers: tuple) -> tuple[float, float]:
        """(variance of people about their mean, standard deviation of the noise on it), both at a point in squared
        lengths of a unit-area face, along the released axes, from all noised answers.
        """
        settled = self.settled(answers[:-1])
        about = settled.corrected(answers[-1]).square_of_mean(answers[-1])
        return max(settled.mean_square(float(answers[-2][0])) - about, 0.0), settled.noise_of_squares

    def mean_square(self, w: float) -> float:
        """E|x|^2 about the center, at a point along the released axes, that a mean of w stands for; once settled."""
        return Squares(self).whole.largest * w

    def square_of_mean(self, mean_coordinates: NDArray[np.float64]) -> float:
        """The released mean's own square at a point, without its noise's; once corrected."""
        noise = float(np.mean(self.point_variances().sum(axis=1)))
        away = float(np.mean(np.sum((self.decode(mean_coordinates) - self.center) ** 2, axis=1)))
        return max(away - noise, 0.0)

    @property
    def noise_of_squares(self) -> float:
        """Standard deviation of the noise on `mean_square`; once settled."""
        return Squares(self).whole.spread_noise()

    @property
    def largest(self) -> float:
        """The mean square that w = 1 stands for, in squared lengths of a unit-area face."""
        return self.chosen.tau**2 * float(np.sqrt(self.chosen.moments).max())

    def spread_noise(self) -> float:
        """Standard deviation of the noise on the variance of people, in squared lengths of a unit-area face."""
        return self.largest / (self.n * self.squares)


@dataclass(frozen=True)
class Squares(Statistic):
    """The mean of w; see the module. settled : the mechanism that the first stage left."""

    settled: ShapedWithSpread

    @property
    def whole(self) -> Any:
        """The mechanism with its bound as it was before it was lowered: a lower clip would hide some of the spread."""
        return self.settled.widened_by(1 / self.settled.lowered)

    def sums(self, people: Any) -> Sums:
        """The sum of GRID (2w - 1), cut towards zero to whole numbers."""
        whole = self.whole
        weights = np.sqrt(whole.chosen.moments)
        weights = weights / weights.max()

        def integers(curves):
            w = np.minimum((whole.integers(curves) / GRID) ** 2 @ weights, 1.0)
            return np.trunc(GRID * (2 * w - 1)).astype(np.int64)[:, None]

        return Sums((integer_sums.summed(integers, 1, whole.at_once, people.read, people.count),))

    def noised(self, sums: Sums, source: Any) -> NDArray[np.float64]:
        """(1,) the mean of w with noise."""
        mu = self.settled.squares
        mean, _ = integer_sums.noised_mean(sums.values[0], mu, self.settled.n, mu, source)
        return (mean / mu + 1) / 2

    def cost(self) -> Cost:
        """mu of the squares."""
        return Cost(GAUSSIAN, mu=self.settled.squares)
