"""The bounds hold against a search for the worst case, and are near it."""

import numpy as np
import pytest

from library.privacy.manifolds import spaces
from shapedp.audit import attack
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere


@pytest.mark.parametrize(
    ("manifold", "r", "true"),
    [(Sphere(2), np.pi / 8, 0.8062), (Sphere(2), np.pi / 16, 0.3952), (Sphere(4), np.pi / 8, 0.8062)],
    ids=str,
)
def test_the_worst_gradient_on_spheres(manifold, r, true):
    """.8062 and .3952 on spheres, r = π/8 and π/16, below docs/mathematics.md, (6.1), in any dimension."""
    found = attack.climb_gradient_expansion(manifold, spaces.center(manifold), r, np.random.default_rng(0), 100, 400)
    assert abs(found - true) < 1e-4
    assert found <= 2 * r * sensitivity.expansion(manifold, r)


@pytest.mark.slow
@pytest.mark.parametrize(("manifold", "r"), [(Kendall(5), 0.15), (Kendall(3), 0.2), (SPD(2), 1.0)], ids=str)
def test_no_gradient_exceeds_the_bound(manifold, r):
    """And the bound is within a tenth; nearer the limit on r it is looser."""
    found = attack.climb_gradient_expansion(manifold, spaces.center(manifold), r, np.random.default_rng(0), 100, 300)
    bound = 2 * r * sensitivity.expansion(manifold, r)
    assert 0.9 * bound < found <= bound


@pytest.mark.parametrize(("manifold", "r"), [(Sphere(2), np.pi / 8), (Kendall(5), 0.15), (SPD(2), 1.0)], ids=str)
def test_no_mean_exceeds_the_bound(manifold, r):
    found = mean_shift(manifold, spaces.center(manifold), r, 5, np.random.default_rng(0), 20, 60)
    assert 0.6 * 2 * r < found <= 5 * sensitivity.mean_sensitivity(manifold, r, 5)


def mean_shift(manifold, p0, r, n, rng, climbers=100, steps=300):
    """Largest n · dist of the Fréchet means of (w, .., w, y) and (w, .., w, z): compare with n · `mean_sensitivity`."""

    def shift(points):
        rest = np.repeat(points[:, :1], n - 1, axis=1)
        first, second = (
            frechet.mean(manifold, np.concatenate([rest, points[:, i : i + 1]], axis=1), tol=1e-10).point
            for i in (1, 2)
        )
        return n * manifold.dist(first, second)

    return attack.climb(manifold, p0, r, shift, 3, rng, climbers, steps)
