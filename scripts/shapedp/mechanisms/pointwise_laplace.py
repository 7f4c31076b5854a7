"""Laplace noise on each coordinate of each landmark, the budget split over the 2k coordinates.

Shapes are centered unit z in C^k (`manifolds.kendall.shape_of`); ranges are complex, r_jx + i r_jy. One person moves
the mean of a coordinate by at most 2 r_j / n, so that the scale of each is (2 r_j / n) (2k / epsilon).

Proof: docs/mathematics.md, (7.6).
"""

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.manifolds.kendall import Kendall
from shapedp.mechanisms.integer_sums import GRID
from shapedp.mechanisms.sensitivity import check_count, check_epsilon


def sample(center, ranges, n, epsilon, rng, size=1):
    """center + Laplace(4 r_j k / (n epsilon)) on each coordinate: (k,) -> (size, k)."""
    check_epsilon(epsilon)
    check_count(n)
    k = len(center)
    scale = 4 * k / (n * epsilon)
    noise = scale * (ranges.real * _laplace(rng, (size, k)) + 1j * ranges.imag * _laplace(rng, (size, k)))
    return center + noise


def draw(shapes, p0, ranges, epsilon, rng, size=1):
    """The private form: turn each shape to the public p0, clamp to p0_j ± r_j, average, add noise.

    shapes : (n, k); p0 : (k,) a public shape; ranges : (k,) public, positive in both parts; result (size, k)
    """
    if not ((ranges.real > 0) & (ranges.imag > 0) & np.isfinite(ranges)).all():
        raise RefusedRelease("the ranges must be positive in x and y for every landmark")
    offset = Kendall(len(p0)).align(p0, shapes) - p0
    # a shape with no best rotation counts as p0
    offset = np.where(np.isfinite(offset), offset, 0.0)
    x, y = (clamped_mean(*parts) for parts in ((offset.real, ranges.real), (offset.imag, ranges.imag)))
    return sample(p0 + (x + 1j * y), ranges, len(shapes), epsilon, rng, size)


def clamped_mean(offset, ranges):
    """Mean of the offsets clamped to ± ranges, in whole steps of ranges/GRID: exact, so that rounding moves nothing."""
    steps = np.clip(np.trunc(offset * (GRID / ranges)), -GRID, GRID).astype(np.int64)
    return steps.sum(axis=0) * (ranges / GRID / len(offset))


def published(shapes, mean, epsilon, rng, size=1, aligned=True):
    """The 2022 supplement's form (2.5.2): noise on the Fréchet mean, ranges max_i |x_ij - mean_j| from the data.

    aligned=False leaves the rotation of each shape as it came. Neither is private: reproduction only.
    """
    turned = Kendall(len(mean)).align(mean, shapes) if aligned else shapes
    offset = turned - mean
    ranges = np.abs(offset.real).max(axis=0) + 1j * np.abs(offset.imag).max(axis=0)
    return sample(mean, ranges, len(shapes), epsilon, rng, size)


def _laplace(rng, shape):
    """Standard Laplace: an exponential with a random sign."""
    return rng.standard_exponential(shape) * np.where(rng.random(shape) < 0.5, -1.0, 1.0)
