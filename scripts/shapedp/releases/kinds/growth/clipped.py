"""What a clip leaves of people whose mean lies anywhere, from public people: a growth puts back by it what was taken.

Public people about their mean stand for those of a cohort, so many times as far, about each of several means. All are
shortened to the bound, as those are whose sums get noise. docs/mathematics.md, (15.6).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Of a mean, at least, that is taken to be left: noise on it grows fourfold at most when it is put back.
LEAST_LEFT = 0.25
# Of people's variance that is taken to be left, at least.
LEAST_VARIANCE = 0.05


@dataclass(frozen=True)
class Clipped:
    """People about several means, shortened to a bound.

    means (g, q) : where people's mean may lie, and no farther than the bound over LEAST_LEFT; people (p, q) : about
    their mean; bound : of their lengths; leading : of the coordinates, those whose products are released
    """

    means: Floats
    people: Floats
    bound: float
    leading: int

    @classmethod
    def about(cls, means: Floats, people: Floats, bound: float, leading: int) -> "Clipped":
        """Return the people about these means, of which any that lies too far is drawn in first."""
        lengths = np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-300)
        return cls(means * np.minimum(1.0, bound / LEAST_LEFT / lengths), people, bound, leading)

    @cached_property
    def _factors(self):
        """Return the factors (g, p) by which each person is shortened about each mean."""
        own, across = np.sum(self.people**2, axis=1), 2 * self.means @ self.people.T
        squares = np.sum(self.means**2, axis=1)[:, None] + across + own
        return np.minimum(1.0, self.bound / np.sqrt(np.maximum(squares, 1e-300)))

    @cached_property
    def shares(self) -> Floats:
        """Return the share (g,) of their coordinates that people keep on average, LEAST_LEFT at least."""
        return np.maximum(self._factors.mean(axis=1), LEAST_LEFT)

    @cached_property
    def means_left(self) -> Floats:
        """Return the means (g, q) of shortened people."""
        return self._factors.mean(axis=1)[:, None] * self.means + self._factors @ self.people / len(self.people)

    @property
    def squares(self) -> Floats:
        """Return the mean (g,) of the squared length of shortened people along the leading coordinates."""
        return np.sum(self._second_moments, axis=1)

    @property
    def variances_left(self) -> Floats:
        """Return the share (g, leading) of people's variance along each leading coordinate that shortened ones have."""
        own = np.mean(self.people[:, : self.leading] ** 2, axis=0)
        shortened = self._second_moments - self.means_left[:, : self.leading] ** 2
        return np.clip(shortened / np.maximum(own, 1e-300), LEAST_VARIANCE, 1.0)

    @cached_property
    def _second_moments(self):
        """Return the mean squares (g, leading) of shortened people's leading coordinates."""
        factors, means, people = self._factors**2, self.means[:, : self.leading], self.people[:, : self.leading]
        across = 2 * means * (factors @ people) + factors @ people**2
        return factors.mean(axis=1)[:, None] * means**2 + across / len(people)
