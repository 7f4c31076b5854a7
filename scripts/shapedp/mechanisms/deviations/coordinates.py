"""The public maps on both sides of the noise: records to clipped coordinates, a noised mean back to a shape."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shapedp.manifolds.landmark_shapes import LandmarkShapes
from shapedp.mechanisms import integer_sums
from shapedp.mechanisms.deviations.choice import Choice
from shapedp.mechanisms.deviations.variation import Variation


@dataclass(frozen=True)
class Coordinates:
    """u_i = l_i^(-1/4) <v_i, log_p0(record)> on the chosen axes, ||u|| at most the choice's clip."""

    shapes: LandmarkShapes
    variation: Variation
    choice: Choice

    @cached_property
    def _fourth_roots(self):
        return self.variation.moments[: self.choice.axes] ** 0.25

    @property
    def _axes(self):
        return self.variation.axes[: self.choice.axes]

    def integers(self, records):
        """(n, q) whole numbers of records (n, k, d), no row longer than the grid's bound, for any records at all."""
        u = self.shapes.deviations(records) @ self._axes.T / self._fourth_roots
        length = np.linalg.norm(u, axis=1, keepdims=True)
        return integer_sums.integers(
            u * np.minimum(1.0, self.choice.clip / np.maximum(length, self.choice.clip)), self.choice.clip
        )

    def shape(self, u):
        """The shape (k, d) of coordinates (q,)."""
        return self.shapes.shape((u * self._fourth_roots) @ self._axes)

    def noised(self, sums, n, noise, source):
        """The shape of exact sums with Gaussian noise of standard deviation noise on each coordinate of the sum."""
        mean, _ = integer_sums.noised_mean(sums, self.choice.clip, n, noise, source)
        return self.shape(mean)
