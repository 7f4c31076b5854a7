"""The public maps on both sides of the noise: records to clipped coordinates, a noised mean back to a shape."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shapedp.manifolds.landmark_shapes import LandmarkShapes
from shapedp.mechanisms import integer_sums
from shapedp.mechanisms.deviations.choice import Choice
from shapedp.mechanisms.deviations.variation import Variation

SIZE = 0.5  # bound on the size's coordinate over that on the shape's


@dataclass(frozen=True)
class Coordinates:
    """u_i = l_i^(-1/4) <v_i, log_p0(record)> on the chosen axes, ||u|| at most the choice's clip; where size, public
    bounds of log centroid size, is given, one more: from -SIZE to SIZE times the clip as the size goes from one to the
    other.
    """

    shapes: LandmarkShapes
    variation: Variation
    choice: Choice
    size: tuple | None = None

    @property
    def bound(self):
        """On a person's coordinates together."""
        return self.choice.clip * widened(self.size)

    @property
    def count(self):
        """Coordinates of a person."""
        return self.choice.axes + (self.size is not None)

    @cached_property
    def roots(self):
        """Fourth roots of the moments on the axes."""
        return self.variation.moments[: self.choice.axes] ** 0.25

    @property
    def axes(self):
        """The axes that are released."""
        return self.variation.axes[: self.choice.axes]

    def integers(self, records, log_sizes=None):
        """(n, count) whole numbers of any records (n, k, d) at all, no row longer than the grid's bound."""
        u = self.clipped(records)
        if self.size is not None:
            u = np.column_stack([u, self._of_size(log_sizes)])
        return integer_sums.integers(u, self.bound)

    def clipped(self, records):
        """(n, axes) coordinates of any records (n, k, d), without size."""
        u = self.shapes.deviations(records) @ self.axes.T / self.roots
        length = np.linalg.norm(u, axis=1, keepdims=True)
        return u * np.minimum(1.0, self.choice.clip / np.maximum(length, self.choice.clip))

    def _of_size(self, log_sizes):
        """Between the bounds; 0, their middle, for a record that has no size."""
        low, high = self.size
        place = np.nan_to_num((2 * log_sizes - low - high) / (high - low), nan=0.0)
        return SIZE * self.choice.clip * np.clip(place, -1, 1)

    @property
    def shrinking(self):
        """(axes,) factors towards p0 on what is released; 1 where nothing is shrunk."""
        return np.ones(self.choice.axes) if self.choice.factors is None else self.choice.factors

    def shape(self, u):
        """The shape (k, d) of coordinates (count,), shrunk."""
        return self.shapes.shape((u[..., : self.choice.axes] * self.roots * self.shrinking) @ self.axes)

    def log_size(self, u):
        """Log centroid size of coordinates (count,), kept between its bounds."""
        low, high = self.size
        return float(np.clip((low + high) / 2 + u[-1] * (high - low) / (2 * SIZE * self.choice.clip), low, high))


def widened(size):
    """By which factor a size beside the shape makes the bound larger."""
    return 1.0 if size is None else float(np.hypot(1.0, SIZE))
