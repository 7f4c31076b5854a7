"""The complex Bingham law against quadrature on CP^1 and CP^2, and its privacy loss on a worst pair."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import dblquad, quad

from shapedp.mechanisms import complex_bingham


def drawn(h, epsilon, count, seed=1):
    rng = np.random.default_rng(seed)
    return np.array([complex_bingham.sample(h, epsilon, rng) for _ in range(count)])


def test_the_law_on_cp1_is_that_of_quadrature():
    """s = |z_1|² is uniform on [0, 1] for the uniform law."""
    squares = np.abs(drawn(np.diag([1.0, 4.0]), 2.0, 4000)[:, 0]) ** 2
    whole = quad(lambda s: np.exp(s + 4 * (1 - s)), 0, 1)[0]
    law = np.vectorize(lambda t: quad(lambda s: np.exp(s + 4 * (1 - s)), 0, t)[0] / whole)
    assert stats.kstest(squares, law).pvalue > 1e-3


def test_the_law_on_cp2_is_that_of_quadrature():
    """(|z_1|², |z_2|²) is uniform on the triangle for the uniform law; in a frame that is turned."""
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 6)).view(complex))[0]
    h = turn @ np.diag([0.0, 1.5, 3.0]) @ turn.conj().T
    squares = np.abs(drawn(h, 2.0, 4000) @ turn.conj()) ** 2

    def density(t, s):
        return np.exp(1.5 * t + 3.0 * (1 - s - t))

    whole = dblquad(density, 0, 1, 0, lambda s: 1 - s)[0]
    for power in ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2)):
        weighed = dblquad(lambda t, s, p=power: s ** p[0] * t ** p[1] * density(t, s), 0, 1, 0, lambda s: 1 - s)[0]
        values = squares[:, 0] ** power[0] * squares[:, 1] ** power[1]
        assert np.mean(values) == pytest.approx(weighed / whole, abs=4 * values.std() / np.sqrt(len(values)))


def test_phases_are_uniform_and_equal_eigenvalues_give_the_uniform_law():
    z = drawn(np.eye(3), 1.0, 3000)
    assert np.linalg.norm(z, axis=1) == pytest.approx(1)
    assert stats.kstest(np.abs(z[:, 0]) ** 2, stats.beta(1, 2).cdf).pvalue > 1e-3
    assert stats.kstest(np.angle(z[:, 1]) / (2 * np.pi) % 1, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_the_loss_of_neighbours_is_below_epsilon_by_quadrature(epsilon):
    """On CP^1, one of three records goes from e_1 to e_2."""
    ones = np.array([[2.0, 1.0], [1.0, 2.0]])
    s = np.linspace(0, 1, 201)
    logs = [epsilon / 2 * (h[0] * s + h[1] * (1 - s)) for h in ones]
    logs = [log - np.log(np.trapezoid(np.exp(log), s)) for log in logs]
    worst = np.abs(logs[0] - logs[1]).max()
    assert 0.45 * epsilon < worst <= epsilon


def test_a_cut_exponential_is_one():
    uniform = (np.arange(2000) + 0.5) / 2000
    for rate in (0.0, 1e-13, 0.3, 40.0):
        values = complex_bingham.cut_exponential(np.array([rate]), uniform)
        expected = 0.5 if rate < 1e-9 else 1 / rate - 1 / np.expm1(rate)
        assert values.mean() == pytest.approx(expected, rel=1e-3) and values.max() <= 1
