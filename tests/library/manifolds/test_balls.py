"""Random points of a ball, against the laws that the papers' simulations use."""

import numpy as np
import pytest
from scipy import stats

from library.manifolds import spaces
from shapedp.errors import ShapedpError
from shapedp.manifolds import balls
from shapedp.manifolds.spd import SPD

ALPHA = 1e-6  # a right generator fails once in a million seeds


@pytest.mark.parametrize("manifold", spaces.ALL, ids=str)
def test_the_radius_is_uniform(manifold):
    p0 = spaces.center(manifold)
    x = balls.uniform_radius(manifold, p0, 0.4, np.random.default_rng(0), 2000)
    assert stats.kstest(manifold.dist(p0, x) / 0.4, "uniform").pvalue > ALPHA


def test_wishart_matrices_are_scipys_within_the_ball():
    manifold, r = SPD(2), 1.5
    ours = balls.wishart(manifold, r, np.random.default_rng(1), (50, 40))
    theirs = stats.wishart(2, np.eye(2) / 2).rvs(30_000, random_state=2)
    theirs = theirs[np.linalg.cond(theirs) < 1e9]
    theirs = theirs[manifold.dist(np.eye(2), theirs) <= r]
    assert ours.shape == (50, 40, 2, 2)
    for of in (lambda x: np.linalg.slogdet(x)[1], lambda x: x[..., 0, 1]):
        assert stats.ks_2samp(of(ours).ravel(), of(theirs)).pvalue > ALPHA


def test_a_ball_that_no_matrix_hits_is_an_error(monkeypatch):
    monkeypatch.setattr(balls, "_MOST_TRIES", 5)
    with pytest.raises(ShapedpError, match="larger r"):
        balls.wishart(SPD(3), 1e-6, np.random.default_rng(1), 4)
