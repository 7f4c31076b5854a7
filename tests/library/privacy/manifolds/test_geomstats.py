"""exp, log, distance, transport and means against geomstats, on the same points."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tolerances
from library.privacy.manifolds import spaces
from library.privacy.manifolds.geomstats_spaces import geomstats_space
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere


@pytest.mark.parametrize("manifold", [Sphere(3), SPD(3), Kendall(6)], ids=str)
def test_exp_log_and_distance(manifold):
    rng = np.random.default_rng(0)
    other, there, back = geomstats_space(manifold)
    x, u, t = spaces.pairs(manifold, rng, 20, 0.6)
    v = manifold.spread(t) * u
    y = manifold.exp(x, v)
    theirs = back(other.metric.exp(there(v), there(x)))
    assert manifold.dist(theirs, y).max() < tolerances.GEOMSTATS
    assert_allclose(other.metric.dist(there(x), there(y)), manifold.dist(x, y), rtol=0, atol=tolerances.GEOMSTATS)
    their_log = back(other.metric.log(there(y), there(x)))
    assert manifold.norm(x, their_log - manifold.log(x, y)).max() < tolerances.GEOMSTATS


@pytest.mark.parametrize("manifold", [Sphere(3), SPD(3)], ids=str)
def test_transport(manifold):
    rng = np.random.default_rng(1)
    other, _, _ = geomstats_space(manifold)
    x, u, t = spaces.pairs(manifold, rng, 20, 0.6)
    y = manifold.exp(x, manifold.spread(t) * u)
    a = manifold.random_tangent(x, rng)
    theirs = other.metric.parallel_transport(a, x, end_point=y)
    assert manifold.norm(y, manifold.transport(x, y, a) - theirs).max() < tolerances.GEOMSTATS


@pytest.mark.parametrize("manifold", [Sphere(3), SPD(3), Kendall(6)], ids=str)
def test_geomstats_gradient_vanishes_at_our_mean(manifold):
    data = spaces.cloud(manifold, np.random.default_rng(2), 25, 0.35)
    other, there, back = geomstats_space(manifold)
    mean = frechet.mean(manifold, data).point
    logs = back(other.metric.log(there(data), there(mean)))
    assert manifold.norm(mean, logs.mean(axis=0)) < tolerances.GEOMSTATS
