"""Chains: the corrected one keeps its target, the literal one does not; what the diagnostics say."""

import numpy as np
import pytest

from library.mechanisms import laws
from shapedp.manifolds.kendall import Kendall
from shapedp.manifolds.spd import SPD
from shapedp.manifolds.sphere import Sphere
from shapedp.simulation import metropolis, mixing

NORTH = np.array([0.0, 0.0, 1.0])
SIGMA = 0.3
CHAINS = 20_000
T = np.linspace(0, np.pi, 20_001)
LAW = np.exp(-T / SIGMA) * np.sin(T)


def distances(redraw):
    def target(x):
        return -Sphere(2).dist(NORTH, x) / SIGMA

    start = np.repeat(NORTH[None], CHAINS, axis=0)
    step = metropolis.gaussian_step(Sphere(2), 0.5)
    kept, rate = metropolis.run(target, step, start, 1, 60, 20, np.random.default_rng(0), redraw)
    assert 0.1 < rate < 0.9
    return Sphere(2).dist(NORTH, kept[0])


@pytest.mark.slow
def test_the_corrected_chain_reaches_its_target():
    assert laws.fits(distances(False), T, LAW)


@pytest.mark.slow
def test_redrawing_after_a_rejection_changes_the_law():
    """The supplements' version lingers too little where it rejects much: near the mode."""
    literal = distances(True)
    assert not laws.fits(literal, T, LAW)
    assert literal.mean() > distances(False).mean()


@pytest.mark.parametrize(
    ("manifold", "step"),
    [
        (Sphere(2), metropolis.sphere_step(Sphere(2), 0.1)),
        (SPD(2), metropolis.spd_step(SPD(2), 0.1, 1.0)),
        (Kendall(6), metropolis.kendall_step(Kendall(6), 0.1)),
    ],
    ids=["sphere", "spd", "kendall"],
)
def test_the_supplements_steps_stay_on_the_manifold_and_are_short(manifold, step):
    rng = np.random.default_rng(1)
    x = manifold.random_point(rng, (4, 5))
    y = step(x, rng)
    assert y.shape == x.shape
    assert np.abs(manifold.project(y) - y).max() < 1e-12
    assert (manifold.dist(x, y) > 0).all()


def test_thinning_keeps_states_that_far_apart():
    """A target without limits accepts all: step i of the walk is state i."""
    walk = iter(range(1, 100))
    rng, start = np.random.default_rng(0), np.zeros((2, 1))
    kept, rate = metropolis.run(lambda x: np.zeros(len(x)), lambda x, _: x * 0 + next(walk), start, 3, 4, 5, rng)
    assert kept[:, 0, 0].tolist() == [9, 14, 19]
    assert rate == 1


def test_diagnostics_of_independent_draws():
    x = np.random.default_rng(0).standard_normal((4, 2000))
    assert abs(mixing.split_rhat(x) - 1) < 0.01
    assert 0.8 < mixing.effective_size(x) / x.size < 1.2


def test_diagnostics_of_an_autoregression():
    """x' = a x + noise has effective share (1 - a) / (1 + a)."""
    rng, a = np.random.default_rng(1), 0.8
    x = np.zeros((4, 20_000))
    noise = rng.standard_normal(x.shape)
    for i in range(1, x.shape[1]):
        x[:, i] = a * x[:, i - 1] + noise[:, i]
    assert abs(mixing.effective_size(x) / x.size - 1 / 9) < 0.02


def test_diagnostics_see_chains_that_disagree():
    x = np.random.default_rng(2).standard_normal((4, 500)) + np.arange(4)[:, None]
    assert mixing.split_rhat(x) > 1.3
    assert mixing.effective_size(x) < 20
