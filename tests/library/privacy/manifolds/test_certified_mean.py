"""The mean that cannot be missed: within its tolerance on any data, after a public number of steps."""

import numpy as np
import pytest

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.frechet import h_max
from shapedp.privacy.manifolds.projective import ComplexProjective, Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere

SPACES = [(Sphere(2), 0.7), (ComplexProjective(3), 0.35), (Kendall(20), 0.2), (Kendall(6), 0.38)]


def worst(manifold, r):
    """Data sets at the edge: all at one end, at both, all but one, in a corner, around the rim."""
    rng = np.random.default_rng(0)
    p0 = manifold.project(rng.standard_normal(manifold.point_shape).astype(manifold.dtype))
    basis = manifold.tangent_basis(p0)
    ends = np.concatenate([basis, -basis])[rng.permutation(2 * len(basis))] * r * (1 - 1e-9)
    points = manifold.exp(p0, ends)
    one, other = points[0], manifold.exp(p0, -manifold.log(p0, points[0]))
    rows = [[one] * 9, [one] * 5 + [other] * 4, [one] * 8 + [other], [one] * 5 + [points[1]] * 4, [*points[:9]]]
    return p0, [np.array(row) for row in rows]


@pytest.mark.parametrize(("manifold", "r"), SPACES)
def test_it_is_the_mean(manifold, r):
    p0, sets = worst(manifold, r)
    for points in sets:
        found, other = frechet.find_certified_mean(manifold, points, p0, r), frechet.mean(manifold, points)
        h = float(h_max(2 * r, manifold.curvature_bounds()[1]))
        assert manifold.dist(found.point, other.point) <= 4 * frechet.TOLERANCE / h + 1e-14


@pytest.mark.parametrize(("manifold", "r"), SPACES)
def test_steps_fall_as_proved(manifold, r):
    """|g| <= tol where it stopped early, else all of its steps were taken; F falls by 1 - h a step or more."""
    p0, sets = worst(manifold, r)
    h = float(h_max(2 * r, manifold.curvature_bounds()[1]))

    def height(x, points):
        return np.mean(manifold.dist(x, points) ** 2) / 2

    for points in sets:
        least, x = height(frechet.mean(manifold, points).point, points), p0
        for _ in range(5):
            step = -manifold.gradient(x[None], points)[0]
            moved, _ = manifold.to_ball(manifold.exp(x, step), p0, r)
            assert height(moved, points) - least <= (1 - h) * (height(x, points) - least) + 1e-14
            x = moved
        assert frechet.find_certified_mean(manifold, points, p0, r).steps <= frechet.certified_steps(manifold, r)


def test_the_count_of_steps_by_hand():
    """h = .5 on S^2 where 2r cot 2r = .5: sqrt(.5) r (.5)^(K/2) <= 1e-12."""
    r = 1.1655611852072114 / 2
    assert float(h_max(2 * r, 1.0)) == pytest.approx(0.5, abs=1e-9)
    assert frechet.certified_steps(Sphere(2), r) == int(np.ceil(2 * np.log2(np.sqrt(0.5) * r / 1e-12)))


@pytest.mark.parametrize(("manifold", "r"), [(SPD(2), 0.5), (Kendall(5), np.pi / 8 * 0.999)])
def test_where_nothing_is_proved_it_is_refused_before_data(manifold, r):
    with pytest.raises(RefusedRelease, match="cannot be certified"):
        frechet.certified_steps(manifold, r)


def test_what_may_not_stop_a_run_does_not():
    """Two points with no unique mean, and one with no phase."""
    z = np.array([[1, 0], [0, 1]], dtype=complex)
    assert np.isfinite(frechet.best(ComplexProjective(1), z, z[0]).point).all()
