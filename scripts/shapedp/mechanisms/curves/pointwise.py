"""Noise on every coordinate of every point, scaled to the point's public range.

    gain = 2 mu_p/range at each point    back = 1/gain    mu_p = mu_T/sqrt(3 J m)

One person moves a coordinate of the sum by at most its range; coordinates compose in quadrature.

Proof: docs/mathematics.md, (3.9).
"""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import budgets
from shapedp.mechanisms.curves.base import AREA_UNIT, NOISE, Diagonal


@dataclass(frozen=True)
class Pointwise(Diagonal):
    """limits : least and largest value of each coordinate of each point, two (J, 3, m)."""

    limits: tuple

    name = "pointwise"
    label = "point by point"
    words = "Gaussian noise on each coordinate of each point"
    formula = "range/n for each coordinate, records clamped to the range; coordinates compose in quadrature"
    clipping = "range"
    fourier = False

    @classmethod
    def of(cls, asked):
        """About the middle of the ranges, whatever the reference."""
        lower, upper = _ranges(asked.bounds)
        total = budgets.total(budgets.of_blocks(asked.budget, np.ones(asked.shape[:2])))
        gain = 2 * (total / np.sqrt(np.prod(asked.shape))) / (upper - lower)
        middle = (lower + upper) / 2
        return cls(
            n=asked.n,
            bound=total,
            noise=NOISE * cls._excess(asked.n),
            claimed=total,
            center=middle,
            added_back=middle,
            gain=gain,
            back=1 / gain,
            limits=(lower, upper),
        )

    @staticmethod
    def _excess(n):
        """How many times more noise than is needed."""
        return 1

    def clip(self, curves):
        """Coordinates clamped to their ranges."""
        return np.clip(curves, *self.limits) - self.center

    def stated_bounds(self):
        """The width of each range."""
        lower, upper = self.limits
        return (("range", (upper - lower).tolist(), AREA_UNIT),)


class PointwiseLiteral(Pointwise):
    """n times the noise, as printed in the paper."""

    name = "pointwise_literal"
    label = "point by point, as printed"
    words = "Gaussian noise on each coordinate of each point, n times as large as needed, as printed in the paper"
    formula = "range for each coordinate, n times the exact one; coordinates compose in quadrature"

    @staticmethod
    def _excess(n):
        return n


def _ranges(bounds):
    if bounds.lower is None:
        raise RefusedRelease(
            "a point-wise release needs ranges: set bounds to `reference_set` (or `data`, not private)"
        )
    if not np.all(bounds.upper > bounds.lower):
        raise RefusedRelease("every point-wise range must be wider than 0; does the reference set hold one face alone?")
    return bounds.lower, bounds.upper
