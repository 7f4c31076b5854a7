"""A center of which nothing is known: all axes, or smooth ones first; never a cut through equal moments."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.landmarks import outlines
from shapedp.privacy import integer_sums
from shapedp.privacy.learned import shape_variation
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes, bending_matrix
from shapedp.privacy.shapes.learned import Coordinates

PEOPLE = outlines.population(300, 31)[0]
SHAPES = LandmarkShapes(landmark_shapes.unit(PEOPLE[:1])[0][0])
R = 0.16


@pytest.mark.parametrize("d", [2, 3])
def test_bending_axes_go_from_least_bent_to_most(d):
    p0 = landmark_shapes.unit(np.random.default_rng(d).normal(size=(1, 12, d)))[0][0]
    shapes = LandmarkShapes(p0)
    axes, frequencies = shape_variation.bending_axes(shapes)
    assert_allclose(axes @ axes.T, np.eye(shapes.dim), atol=1e-10)
    assert_allclose(axes @ shapes.fixed().T, 0, atol=1e-10)
    assert (np.diff(frequencies) >= 0).all() and frequencies[0] == 1
    energies = np.einsum("akd,kl,ald->a", axes.reshape(-1, 12, d), bending_matrix(p0), axes.reshape(-1, 12, d))
    assert energies[-1] > 2 * energies[0]


def test_a_center_that_no_spline_bends_has_plain_axes():
    shapes = LandmarkShapes(landmark_shapes.unit(np.eye(9)[None, :, :2])[0][0])  # seven landmarks at one place
    axes, frequencies = shape_variation.bending_axes(shapes)
    assert len(axes) == shapes.dim and not frequencies.any()


@pytest.mark.parametrize("n", [10, 60, 100_000])
@pytest.mark.parametrize("law", [shape_variation.gaussian, shape_variation.pure])
@pytest.mark.parametrize("outline", [True, False])
def test_no_cut_parts_equal_moments(n, law, outline):
    known = shape_variation.assume_prior(SHAPES, R, outline)
    axes = shape_variation.choose(known, n, law, 1.0).axes
    assert axes == len(known.moments) or known.moments[axes] < 0.999 * known.moments[axes - 1]


@pytest.mark.parametrize("outline", [True, False])
def test_the_error_about_one_person_is_foretold_and_less_than_that_of_the_others(outline):
    """Root mean squares over draws; white noise in all directions and the center alone are the others."""
    known, mean, n = (
        shape_variation.assume_prior(SHAPES, R, outline),
        landmark_shapes.find_frechet_mean(PEOPLE),
        len(PEOPLE),
    )
    chosen = shape_variation.choose(known, n, shape_variation.gaussian, 1.0)
    found, rng = Coordinates(SHAPES, known, chosen), np.random.default_rng(1)
    middle = found.integers(PEOPLE).sum(axis=0) * (found.bound / integer_sums.GRID / n)
    noise = 2 * found.bound / n * rng.standard_normal((12, found.count))
    error = np.sqrt(np.mean([landmark_shapes.dist(mean, found.shape(middle + one)) ** 2 for one in noise]))
    assert chosen.error / 1.5 < error < 1.5 * chosen.error
    assert error < landmark_shapes.dist(SHAPES.p0, mean)
    assert error < 2 * R * np.sqrt(SHAPES.dim) / n
