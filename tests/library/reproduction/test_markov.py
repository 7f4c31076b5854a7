"""Chains: the corrected one keeps its target, the literal one does not."""

import numpy as np
import pytest

from library.privacy import laws
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.reproduction import markov

NORTH = np.array([0.0, 0.0, 1.0])
SIGMA = 0.3
CHAINS = 20_000
T = np.linspace(0, np.pi, 20_001)
LAW = np.exp(-T / SIGMA) * np.sin(T)


def distances(redraw):
    def target(x):
        return -Sphere(2).dist(NORTH, x) / SIGMA

    start = np.repeat(NORTH[None], CHAINS, axis=0)
    step = markov.make_gaussian_step(Sphere(2), 0.5)
    kept, rate = markov.run_chains(target, step, start, 1, 60, 20, np.random.default_rng(0), redraw)
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
        (Sphere(2), markov.make_sphere_step(Sphere(2), 0.1)),
        (SPD(2), markov.make_spd_step(SPD(2), 0.1, 1.0)),
        (Kendall(6), markov.make_kendall_step(Kendall(6), 0.1)),
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
    kept, rate = markov.run_chains(lambda x: np.zeros(len(x)), lambda x, _: x * 0 + next(walk), start, 3, 4, 5, rng)
    assert kept[:, 0, 0].tolist() == [9, 14, 19]
    assert rate == 1
