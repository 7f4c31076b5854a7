"""Shrinking towards the center: the same draw taken by public factors, and an error that falls as foretold."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from library.privacy import laws
from shapedp.base.errors import RefusedRelease
from shapedp.landmarks import outlines
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.learned import shape_variation
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.shapes.base import Ball, as_complex, as_real
from shapedp.privacy.shapes.learned import Coordinates
from shapedp.privacy.statistic import Rows, ask
from shapedp.releases import shape_mechanisms

PUBLIC = outlines.population(40, 11)[0]
SHAPES = LandmarkShapes(landmark_shapes.find_frechet_mean(PUBLIC))
BUDGETS = {"shaped": {"mu_total": 1.0}, "knorm": {"epsilon": 1.0}}
FEW, TRIALS = 60, 150


def made(name, shrinks, n=FEW):
    ball = Ball(n, as_complex(SHAPES.p0), 0.2, 16, as_complex(PUBLIC))
    return shape_mechanisms.make(name, ball, BUDGETS[name], shrinks)


@pytest.mark.parametrize("name", BUDGETS)
def test_the_same_draw_is_multiplied_by_public_factors_and_nothing_else(name):
    z = as_complex(outlines.population(FEW, 12)[0])
    plain, shrunk = made(name, False), made(name, True)
    drawn = as_real(np.array([one.draw(z, noise.SeededNoise(5)) for one in (plain, shrunk)]))
    u = plain.coordinates.shapes.deviations(drawn)
    axes, factors = shrunk.coordinates.axes, shrunk.coordinates.choice.factors
    assert (factors > 0).all() and (factors < 1).all() and factors.min() < 0.9
    assert_allclose(axes @ u[1], factors * (axes @ u[0]), atol=1e-12)
    assert np.linalg.norm(u[1]) < np.linalg.norm(u[0])
    assert (plain.cost(), plain.sensitivity()) == (shrunk.cost(), shrunk.sensitivity())
    assert plain.shrunk is None and shrunk.shrunk == (factors.min(), factors.max())


@pytest.mark.parametrize("name", BUDGETS)
def test_the_noise_of_a_shrunk_release_is_what_it_says(name):
    one = made(name, True)
    at_center = np.tile(one.ball.p0, (FEW, 1))
    source = noise.SeededNoise(3)
    drawn = [ask(one, Rows.of(as_real(at_center)), source) for _ in range(TRIALS)]
    ends = [(one.shape(answers), one.decoding(answers).noise_size()) for answers in drawn]
    moved = SHAPES.deviations(as_real(np.array([shape for shape, _ in ends])))
    stated = np.mean([size for _, size in ends])  # as it follows from a first stage
    assert np.sqrt(np.mean((moved**2).sum(axis=1))) == pytest.approx(stated, rel=0.1)
    assert np.trace(one.noise_covariance(), axis1=1, axis2=2).sum() == pytest.approx(one.noise_size() ** 2)


def test_what_is_kept_of_one_release_is_not_another_one_s():
    """Of answers that differ in the first stage or the last alone, one mechanism makes what a fresh one makes."""
    one, rows = made("shaped", False, 360), Rows.of(outlines.population(360, 12)[0])
    first, other = (ask(one, rows, noise.SeededNoise(seed)) for seed in (1, 2))
    assert len(first) == 2
    for answers in (first, other, (first[0], other[1]), first):
        fresh = replace(one)
        assert np.array_equal(one.published(answers), fresh.published(answers))
        assert one.decoding(answers).noise_size() == fresh.decoding(answers).noise_size()
    assert one.decoding(first).noise_size() != one.decoding(other).noise_size()


def squared_errors(known, law, away, factors):
    """(2,) of each of TRIALS cohorts: its mean lies off p0 by `away` (q,), root mean square, beside its own chance."""
    rng = np.random.default_rng(4)
    found = Coordinates(SHAPES, known, shape_variation.choose(known, FEW, law, 1.0))
    scale, q = 2 * found.bound / FEW, found.count
    for _ in range(TRIALS):
        means = away * rng.standard_normal(len(away))
        x = means + np.sqrt(known.held_out) * rng.standard_normal((FEW, len(away)))
        cut = found.integers(SHAPES.shape(x @ known.axes)).mean(axis=0) * (found.bound / integer_sums.GRID)
        noised = cut + (
            scale * rng.standard_normal(q) if law is shape_variation.gaussian else laws.k_norm(q, scale, rng)
        )
        released = np.zeros((len(factors), len(away)))
        released[:, :q] = noised * found.roots * factors
        yield ((released - x.mean(axis=0)) ** 2).sum(axis=1)


@pytest.mark.parametrize("law", [shape_variation.gaussian, shape_variation.pure])
def test_the_error_falls_as_foretold_for_people_like_the_public_set_and_unlike_it(law):
    known = shape_variation.learn(SHAPES, PUBLIC, outline=True)
    plain, shrunk = (shape_variation.choose(known, FEW, law, 1.0, shrinks) for shrinks in (False, True))
    assert shrunk.axes == plain.axes and shrunk.clip == plain.clip
    factors = np.array([np.ones(plain.axes), shrunk.factors])
    own = np.sqrt(known.held_out / known.people)  # how far p0, the public set's mean, lies from its population's
    apart = np.hypot(own, shape_variation.SHIFT * np.sqrt(known.held_out))
    for away, unlike in ((own, 0), (apart, 1)):
        found = np.sqrt(np.mean(list(squared_errors(known, law, away, factors)), axis=0))
        foretold = np.sqrt([one.noise + one.bias + unlike * one.unlike for one in (plain, shrunk)])
        assert_allclose(found, foretold, rtol=0.1)
        gained, expected = 1 - found[1] / found[0], 1 - foretold[1] / foretold[0]
        assert gained > 0.01 and gained == pytest.approx(expected, abs=0.02)


def test_a_shrunk_release_is_worth_making_for_fewer_people():
    known = shape_variation.learn(SHAPES, PUBLIC, outline=True)
    assert shape_variation.find_least_records(
        known, shape_variation.pure, 1.0, shrinks=True
    ) < shape_variation.find_least_records(known, shape_variation.pure, 1.0)


def test_what_knows_no_directions_is_not_shrunk():
    with pytest.raises(RefusedRelease, match="mechanism `gaussian` cannot be shrunk: take `shaped` or `knorm`"):
        shape_mechanisms.make("gaussian", Ball(60, as_complex(SHAPES.p0), 0.2, 16), {"mu_total": 1.0}, True)
