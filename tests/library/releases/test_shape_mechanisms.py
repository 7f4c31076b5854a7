"""No record decides whether there is a release, or weighs more than its bound; rounding is paid for."""

import math

import numpy as np
import pytest
from scipy import stats

from library.privacy import laws
from shapedp.base.errors import RefusedRelease
from shapedp.landmarks import outlines
from shapedp.privacy import noise
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds.projective import Kendall, shape_of
from shapedp.privacy.samplers import exact, kng
from shapedp.privacy.shapes import base, contour
from shapedp.privacy.shapes.base import Ball, as_real
from shapedp.privacy.statistic import Rows, ask
from shapedp.releases import shape_mechanisms

BUDGETS = {
    "gaussian": {"mu_total": 1.0},
    "laplace": {"epsilon": 1.0},
    "kng": {"epsilon": 1.0},
    "pointwise_laplace": {"epsilon": 1.0},
}
P0 = shape_of(outlines.template())


def make(name, n, modes=10, budget=None):
    return shape_mechanisms.make(name, Ball(n, P0, 0.2, modes), budget or BUDGETS[name])


def demo(count):
    return np.array([shape_of(one) for one in outlines.population(count, 3)[0]])


def released(made, z, source):
    """The shape that is released of records (n, k)."""
    return made.published(ask(made, Rows.of(as_real(z)), source))


def without_energy():
    """A unit shape in frequency 20 alone, which a basis of 10 modes does not see."""
    return np.exp(2j * np.pi * 20 * np.arange(len(P0)) / len(P0)) / np.sqrt(len(P0))


CLAMPING = "pointwise_laplace"  # takes every finite outline, in any frequency
ODD = [(name, np.full(len(P0), np.nan + 0j)) for name in BUDGETS]
ODD += [(name, without_energy()) for name in BUDGETS if name != CLAMPING]


@pytest.mark.parametrize(("name", "odd"), ODD)
def test_a_record_without_a_point_in_the_space_counts_as_the_center(name, odd):
    """The same noise with that record and with p0 in its place: the same release, bit for bit."""
    with_odd, with_center = demo(6), demo(6)
    with_odd[2], with_center[2] = odd, P0
    found = [released(make(name, 6), z, noise.SeededNoise(4)) for z in (with_odd, with_center)]
    assert np.array_equal(*found)


def test_the_gradient_mechanism_draws_for_a_little_less_than_is_recorded(monkeypatch):
    drawn, real = [], kng.draw
    monkeypatch.setattr(kng, "draw", lambda *given, **named: drawn.append(given[-2]) or real(*given, **named))
    made = make("kng", 6, budget={"epsilon": 2.0})
    released(made, demo(6), noise.SeededNoise(1))
    assert drawn == [sensitivity.epsilon_for_noise(2.0)]
    assert made.cost().epsilon == 2.0


def test_laplace_draws_exactly_for_the_whole_of_epsilon(monkeypatch):
    drawn, real = [], exact.projective_laplace
    monkeypatch.setattr(exact, "projective_laplace", lambda *given: drawn.append(given) or real(*given))
    made = make("laplace", 6, budget={"epsilon": 2.0})
    released(made, demo(6), noise.SeededNoise(1))
    assert made.sensitivity() / 2.0 < drawn[0][2] < made.sensitivity() / 2.0 * (1 + 1e-11)


@pytest.mark.parametrize("modes", [10, 0])
def test_laplace_draws_as_the_sampler_in_doubles_does(modes):
    made, source = make("laplace", 40, modes, {"epsilon": 30.0}), noise.SeededNoise(2)
    records = demo(40)
    space, points, center, r = made.placed(records)
    drawn = [made.draw(records, source) for _ in range(300)]
    rng = np.random.default_rng(3)
    other = laws.laplace_release(space, points, center, r, 30.0, rng, 1500, certified=made.solver).points
    other = np.array([made.ball.from_points(one) for one in other])
    one, two = (made.ball.kendall.dist(P0, x) for x in (np.array(drawn), other))
    assert stats.ks_2samp(one, two).pvalue > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize(("n", "r"), [(400, 0.2), (20_000, 0.2), (200_000, 0.02)])
def test_the_rounding_of_a_gradient_is_below_its_bound(n, r):
    """Oracle: exactly rounded sums of logarithms in extended precision, everybody towards one end of the ball."""
    manifold, rng = Kendall(8), np.random.default_rng(5)
    p0 = manifold.random_point(rng)
    length = np.where(np.arange(n) < n // 2, r, r / 2)[:, None]
    points = manifold.exp(p0, length * manifold.random_tangent(p0, rng, n))
    x, y = p0.astype(np.clongdouble), points.astype(np.clongdouble)
    c = (np.conj(x) * y).sum(axis=1)
    size = np.abs(c)
    across = y * (np.conj(c) / size)[:, None] - size[:, None] * x
    sine = np.sqrt((np.abs(across) ** 2).sum(axis=1))
    logs = (np.arctan2(sine, size) / sine)[:, None] * across
    exact = np.array([math.fsum(part) / n for part in (*logs.real.T, *logs.imag.T)])
    found = -manifold.gradient(p0[None], points)[0]
    error = np.linalg.norm(np.concatenate([found.real, found.imag]) - exact)
    assert error < sensitivity.gradient_rounding(n, 8)


@pytest.mark.parametrize("name", ["laplace", "kng"])
def test_rounding_is_part_of_the_sensitivity(name):
    """With 10 million records a good part of it, with few none to speak of."""
    few, some, many = (make(name, n, budget={"epsilon": 100.0}).sensitivity() * n for n in (40, 400, base.MOST))
    assert some == pytest.approx(few, rel=1e-4)
    assert many > 1.05 * some


def test_more_records_than_rounding_is_accounted_for_are_refused():
    with pytest.raises(RefusedRelease, match="accounted for up to"):
        make("laplace", base.MOST + 1)


@pytest.mark.parametrize("name", ["gaussian", "laplace", "kng"])
def test_a_basis_that_misrepresents_the_center_is_refused_before_a_record_is_read(name):
    make(name, 6, modes=10)
    with pytest.raises(RefusedRelease, match=r"moves the public center by 0\.215 rad.*`shaped` or `knorm`"):
        make(name, 6, modes=4)


def test_energy_in_the_basis_by_hand():
    u = contour.basis(50, 10)
    inside = np.exp(2j * np.pi * 3 * np.arange(50) / 50) / np.sqrt(50)
    found = contour.has_energy(u, np.array([inside, without_energy(), np.full(50, np.nan)]))
    assert found.tolist() == [True, False, False]
