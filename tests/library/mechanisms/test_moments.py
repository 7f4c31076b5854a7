"""Moments of coordinates and covariates: sensitivity found by search, exact integers, noise as stated."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import moments, noise
from shapedp.mechanisms.moments import Moments, joint_sensitivity

EVEN = np.ones(3) / 3


def made(n=20, q=6, leading=4, tau=1.5, kappa=(1.0, 0.5), mu=1.0, shares=EVEN):
    return Moments(n, q, leading, tau, np.array(kappa), mu, np.array(shares, dtype=float))


def steps_over_noise(of):
    """What a unit of each of the three sums counts, over its noise."""
    step = (of.tau / moments.U_GRID / moments.Z_GRID, 1 / moments.Z_GRID**2, (of.tau / moments.U_GRID) ** 2)
    return np.array(step) / of.noise


def weighted(of, u, a):
    """The vector whose length is bounded: all entries of the sums over their noise, in the Frobenius norm."""
    return np.concatenate([s * one.ravel() for one, s in zip(of.sums(u, a), steps_over_noise(of), strict=True)])


def moves(of, u, a):
    """Distance of the weighted contributions of two people, for many pairs at once: u (..., 2, q), a (..., 2, p)."""
    whole, z = of.integers(u.reshape(-1, of.q), a.reshape(2 * len(u), of.p))
    whole, z = whole.reshape(u.shape).astype(float), z.reshape(len(u), 2, -1).astype(float)
    v = whole[..., : of.leading]
    parts = [one[..., :, None] * other[..., None, :] for one, other in ((z, whole), (z, z), (v, v))]
    apart = [
        (s * (one[:, 0] - one[:, 1])).reshape(len(u), -1) for one, s in zip(parts, steps_over_noise(of), strict=True)
    ]
    return np.linalg.norm(np.concatenate(apart, axis=1), axis=1)


def largest_move(of, rng, starts=40, steps=400):
    """Hill climbing over pairs of people, from many starts at once: the largest move of the weighted sums."""
    u, a = rng.normal(size=(starts, 2, of.q)), rng.uniform(-1, 1, (starts, 2, of.p))
    u *= of.tau / np.linalg.norm(u, axis=-1, keepdims=True)
    a = np.where(rng.random(a.shape) < 0.7, np.sign(a), a)
    found, size = moves(of, u, a), np.full((starts, 1, 1), 0.5)
    for _ in range(steps):
        other_u, other_a = (one + size * rng.normal(size=one.shape) for one in (u, a))
        moved = moves(of, other_u, other_a)
        better = (moved > found)[:, None, None]
        u, a, found = np.where(better, other_u, u), np.where(better, other_a, a), np.maximum(moved, found)
        size = np.where(better, size, np.maximum(0.01, 0.99 * size))
    best = np.argmax(found)
    one, other = (weighted(of, u[best][k : k + 1], a[best][k : k + 1]) for k in (0, 1))
    assert_allclose(found[best], np.linalg.norm(one - other), rtol=1e-9)
    return found[best]


@pytest.mark.parametrize(
    "of",
    [
        made(),
        made(kappa=()),
        made(kappa=(1.0,)),
        made(shares=(0.8, 0.1, 0.1)),
        made(shares=(0.1, 0.1, 0.8), leading=6),
        made(kappa=(1.0, 1.0, 1.0), shares=(0.2, 0.6, 0.2)),
    ],
    ids=["two covariates", "none", "one", "mean first", "modes first", "three, M2 first"],
)
def test_no_pair_of_people_moves_the_weighted_sums_by_more_than_mu(of):
    found = largest_move(of, np.random.default_rng(3))
    assert found <= of.mu * (1 + 1e-12)
    assert found >= 0.99 * of.mu, "the bound is nearly reached"


def test_a_matrix_alone_moves_by_its_own_sensitivity():
    """A by hand: u -> -u moves u by 2 tau; two orthogonal ones move u u' by sqrt 2 tau^2."""
    zeta, tau = np.sqrt(2.0), 1.5
    for c, alone in enumerate(made(kappa=(1.0,)).alone):
        assert_allclose(joint_sensitivity(np.eye(3)[c], zeta, tau), alone, rtol=1e-12)


def test_the_joint_bound_is_the_maximum_over_a_fine_grid():
    rng = np.random.default_rng(5)
    for _ in range(50):
        w, zeta, tau = rng.exponential(size=3), np.sqrt(1 + rng.exponential()), rng.exponential() + 0.1
        rho, d = np.meshgrid(np.linspace(2 - zeta**2, zeta**2, 401), np.linspace(-1, 1, 401))
        grid = 2 * w[0] ** 2 * tau**2 * (zeta**2 - rho * d) + 2 * w[1] ** 2 * (zeta**4 - rho**2)
        grid += 2 * w[2] ** 2 * tau**4 * (1 - d**2)
        found = joint_sensitivity(w, zeta, tau)
        assert np.sqrt(grid.max()) <= found * (1 + 1e-12)
        assert_allclose(found, np.sqrt(grid.max()), rtol=1e-4)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200, -1.8e308, 1e-300])
def test_any_record_has_bounded_whole_numbers(value):
    of = made()
    u, z = of.integers(np.full((3, of.q), value), np.full((3, of.p), value))
    assert (np.sum(u.astype(object) ** 2, axis=1) <= moments.U_GRID**2).all()
    assert (np.abs(z) <= moments.Z_GRID).all()
    assert (z[:, 0] == moments.Z_GRID).all()


def test_sums_are_exact_and_add_up():
    of, rng = made(n=100), np.random.default_rng(1)
    u, a = rng.normal(size=(100, of.q)), rng.uniform(-1.2, 1.2, (100, of.p))
    whole = of.sums(u, a)
    parts = [sum(pair) for pair in zip(of.sums(u[:37], a[:37]), of.sums(u[37:], a[37:]), strict=True)]
    assert all(np.array_equal(one, other) for one, other in zip(whole, parts, strict=True))
    order = rng.permutation(100)
    assert all(np.array_equal(one, other) for one, other in zip(whole, of.sums(u[order], a[order]), strict=True))


def test_noise_has_the_stated_size_and_matrices_stay_symmetric():
    of, source = made(n=50), noise.SeededNoise(7)
    sums = of.sums(np.zeros((50, of.q)), np.zeros((50, of.p)))
    drawn = [of.draw(sums, source) for _ in range(3000)]
    for c in range(3):
        entries = np.array([one[c] for one in drawn])
        spread = entries.std(axis=0)
        wanted = np.full(spread.shape, of.noise[c])
        if c:
            assert np.array_equal(entries, np.swapaxes(entries, 1, 2))
            wanted = np.where(np.eye(len(spread)) > 0, wanted, wanted / np.sqrt(2))
        if c == 1:
            assert (entries[:, 0, 0] == of.n).all(), "n is public and carries no noise"
            wanted[0, 0] = 0.0
        assert_allclose(spread, wanted, rtol=0.07, atol=1e-12)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n": 1},
        {"n": moments.MOST + 1},
        {"leading": 0},
        {"leading": 7},
        {"mu": 0.0},
        {"tau": np.inf},
        {"shares": (0, 0, 0)},
    ],
)
def test_what_cannot_be_released_is_refused(wrong):
    with pytest.raises(RefusedRelease, match=r"got"):
        made(**wrong)
