"""Point-wise Laplace noise on landmarks: private form and published forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from library.privacy import laws
from shapedp.base.errors import RefusedRelease
from shapedp.privacy.integer_sums import GRID
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.noise import SecureNoise, SeededNoise
from shapedp.privacy.shapes import pure as pointwise

SPACE = Kendall(6)
HUGE = 1e12  # an epsilon that leaves no noise
SOURCE = SeededNoise(3)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def p0():
    return SPACE.random_point(np.random.default_rng(5))


@pytest.fixture
def shapes(p0):
    rng = np.random.default_rng(6)
    turned = np.exp(1j * rng.uniform(0, 6, (8, 1)))
    return turned * SPACE.exp(p0, 0.1 * SPACE.random_tangent(p0, rng, 8))


def test_the_noise_is_laplace_with_the_split_budget(rng):
    """Scale 4 r_j k / (n epsilon): r = 0.1 and 0.3, k = 2, n = 10, epsilon = 1 give 0.08 and 0.24."""
    draws = pointwise.sample_pointwise(np.zeros(2), np.array([0.1 + 0.3j, 0.2 + 0.2j]), 10, 1.0, rng, 50_000)
    assert stats.kstest(draws[:, 0].real / 0.08, "laplace").pvalue > laws.ALPHA
    assert stats.kstest(draws[:, 0].imag / 0.24, "laplace").pvalue > laws.ALPHA


@pytest.mark.parametrize("source", [SecureNoise(), SOURCE])
def test_the_private_form_draws_the_same_law_on_whole_steps(shapes, p0, source):
    """Scale 4 r_j k / (n epsilon) with k = 6, n = 8, epsilon = 2: 1.5 r_j; every coordinate in steps of r_j/GRID/n."""
    ranges = np.full(6, 0.1 + 0.3j)
    middle = pointwise.draw_pointwise(shapes, p0, ranges, HUGE, SOURCE)
    drawn = np.array([pointwise.draw_pointwise(shapes, p0, ranges, 2.0, source) for _ in range(500)]) - middle
    assert stats.kstest(drawn.real.ravel() / 0.15, "laplace").pvalue > laws.ALPHA
    assert stats.kstest(drawn.imag.ravel() / 0.45, "laplace").pvalue > laws.ALPHA
    steps = (drawn.real + (middle - p0).real) / (0.1 / GRID / 8)
    assert_allclose(steps, np.rint(steps), atol=1e-2)


def test_wide_ranges_give_the_mean_of_the_aligned_shapes(shapes, p0, rng):
    released = pointwise.draw_pointwise(shapes, p0, np.full(6, 1 + 1j), HUGE, SOURCE)
    assert_allclose(released, SPACE.align(p0, shapes).mean(axis=0), atol=1e-9)


def test_no_record_moves_a_coordinate_beyond_its_range(shapes, p0, rng):
    ranges = np.full(6, 0.01 + 0.02j)
    wild = np.concatenate([shapes[:-1], SPACE.random_point(rng, 1)])
    first, second = (pointwise.draw_pointwise(s, p0, ranges, HUGE, SOURCE) for s in (shapes, wild))
    assert (np.abs((first - second).real) <= 2 * 0.01 / 8 + 1e-9).all()
    assert (np.abs((first - second).imag) <= 2 * 0.02 / 8 + 1e-9).all()


def test_the_rotation_a_record_came_in_does_not_matter(shapes, p0, rng):
    ranges = np.full(6, 0.05 + 0.05j)
    turned = shapes * np.exp(1j * np.arange(8))[:, None]
    first, second = (pointwise.draw_pointwise(s, p0, ranges, HUGE, SOURCE) for s in (shapes, turned))
    assert_allclose(first, second, atol=1e-9)


def test_published_ranges_grow_without_alignment(shapes, p0):
    """The same uniforms, wider noise: rotation left in is taken for shape."""
    aligned, loose = (
        pointwise.published_pointwise(shapes, p0, 1.0, np.random.default_rng(1), 50, aligned) - p0
        for aligned in (True, False)
    )
    assert np.abs(loose).mean() > 3 * np.abs(aligned).mean()


def test_refusals(shapes, p0, rng):
    with pytest.raises(RefusedRelease, match="ranges"):
        pointwise.draw_pointwise(shapes, p0, np.full(6, 0.1 + 0j), 1.0, SOURCE)
    with pytest.raises(RefusedRelease, match="epsilon"):
        pointwise.draw_pointwise(shapes, p0, np.full(6, 0.1 + 0.1j), -1.0, SOURCE)
    with pytest.raises(RefusedRelease, match="at least 2"):
        pointwise.draw_pointwise(shapes[:1], p0, np.full(6, 0.1 + 0.1j), 1.0, SOURCE)
