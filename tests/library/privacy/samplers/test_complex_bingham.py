"""The complex Bingham law against quadrature on CP^1 and CP^2, and its privacy loss on a worst pair."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import dblquad, quad

from shapedp.privacy.samplers import complex_bingham


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


class Counted:
    """A generator that counts its uniform numbers: one a proposal."""

    def __init__(self, seed):
        self.rng, self.proposals = np.random.default_rng(seed), 0
        self.standard_normal = self.rng.standard_normal

    def random(self):
        self.proposals += 1
        return self.rng.random()


@pytest.mark.parametrize("p", [2, 14, 100])
@pytest.mark.parametrize("kind", ["nothing known", "weak", "one direction", "two clusters", "spread", "far"])
def test_proposals_are_kept_whatever_the_records(p, kind):
    """For H = 0 and p = 14, cut-off exponentials would keep one in 13! = 6e9."""
    spectra = {
        "nothing known": np.zeros(p),
        "weak": np.linspace(0, 1, p),
        "one direction": np.append(np.zeros(p - 1), 1e6),
        "two clusters": np.repeat([0.0, 50.0], [p // 2, p - p // 2]),
        "spread": np.geomspace(1, 1e4, p),
        "far": np.linspace(0, 1e9, p),
    }
    rng = Counted(1)
    for _ in range(100):
        z = complex_bingham.sample(np.diag(spectra[kind]), 1.0, rng)
        assert np.linalg.norm(z) == pytest.approx(1)
    assert rng.proposals < 100 * (1 + 1.5 * np.sqrt(p))
