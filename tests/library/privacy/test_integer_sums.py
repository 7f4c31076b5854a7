"""One record weighs at most its bound, whatever its numbers are; the sum does not depend on the order."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.base.errors import RefusedRelease
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.curves.bounds import from_numbers
from shapedp.privacy.integer_sums import GRID, Moments, joint_sensitivity
from shapedp.releases import curve_mechanisms

SHAPE = (3, 3, 8)
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}


def weight(whole):
    """Length of integer rows in exact arithmetic, in grid steps squared."""
    return [sum(int(step) ** 2 for step in row) for row in whole]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_record_that_is_not_finite_counts_as_the_reference(value):
    rows = np.array([[0.3, 0.4], [0.1, value], [value, value]])
    found = integer_sums.to_grid(rows, 1.0)
    assert found[0].any() and not found[1:].any()


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e308, -1e200, 1e-320])
@pytest.mark.parametrize("name", ["matched_joint", "matched", "rkhs", "rkhs_paper"])
def test_no_numbers_weigh_more_than_the_bound(name, value):
    made = curve_mechanisms.make(
        name, SHAPE, 10, from_numbers([0.02] * 3, 3), np.zeros(SHAPE), {"mu_total": 1.0}, KERNEL
    )
    curves = np.zeros((2, *SHAPE))
    curves[0, 1, 2, 3] = value
    curves[1] = value
    with np.errstate(all="ignore"):  # what overflows on the way is the point of the test
        found = made.integers(curves)
    assert max(weight(found)) <= GRID**2


def test_rounding_never_lifts_a_record_above_its_bound():
    """Directions at the bound itself, a few units in the last place above it."""
    rng = np.random.default_rng(20)
    rows = rng.standard_normal((2000, 5))
    rows *= (1 + 4 * np.finfo(float).eps) / np.linalg.norm(rows, axis=1, keepdims=True)
    axis = np.eye(5) * (1 + 4 * np.finfo(float).eps)
    found = integer_sums.to_grid(np.concatenate([rows, axis]), 1.0)
    assert max(weight(found)) <= GRID**2
    assert min(weight(found)) >= (GRID - 3) ** 2


def test_the_order_of_people_does_not_matter():
    rows = np.random.default_rng(21).standard_normal((500, 4))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    forward = integer_sums.to_grid(rows, 1.0).sum(axis=0)
    one_by_one = sum(integer_sums.to_grid(row[None], 1.0)[0] for row in rows[::-1])
    assert np.array_equal(forward, one_by_one)


def test_one_replaced_person_changes_the_sum_by_at_most_the_sensitivity():
    """The worst pair: v and -v; reached up to the cut towards zero."""
    v = np.full((1, 3), 3**-0.5)
    change = integer_sums.to_grid(v, 1.0) - integer_sums.to_grid(-v, 1.0)
    assert (integer_sums.SENSITIVITY - 4) ** 2 <= weight(change)[0] <= integer_sums.SENSITIVITY**2


@pytest.mark.parametrize("length", [1.5, 40.0, 1e150, 1e300])
def test_a_row_that_nobody_clipped_is_cut_back_to_the_bound(length):
    """Far beyond the bound, where squares do not fit into 64 bits any more, and where they overflow a double."""
    row = np.full((1, 50_000), length / np.sqrt(50_000))
    found = integer_sums.to_grid(row, 1.0)
    assert weight(found)[0] <= GRID**2


NUMBERS = (0.0, -0.0, 5e-324, 1e-160, 1.0, -1.0, 1 + 2**-52, 1e9, 1e154, 1e200, -1.7976931348623157e308, np.inf, np.nan)


@pytest.mark.parametrize("length", [1e-5, 1.0, 1e5])
def test_every_row_keeps_to_the_bound_whatever_it_holds(length):
    """Exactly, in Python's integers; what is not finite counts as zero."""
    rows = np.array(list(itertools.product(NUMBERS, repeat=3)))
    found = integer_sums.to_grid(rows.copy(), length)
    assert max(weight(found)) <= GRID**2
    assert not found[~np.isfinite(rows).all(axis=1)].any()
    rows = length * np.random.default_rng(2).standard_normal((1000, 40))
    rows *= (length * (1 + 1e-15) / np.linalg.norm(rows, axis=1))[:, None]  # at the bound, up to rounding
    assert max(weight(integer_sums.to_grid(rows, length))) <= GRID**2


@pytest.mark.parametrize("mu", [0.1, 1.0, 2.9661, 1 / 3, 1e-3, 40.0])
@pytest.mark.parametrize("moved", [integer_sums.SENSITIVITY, 7])
def test_the_scale_is_the_least_that_the_proof_allows(mu, moved):
    scale = integer_sums.gaussian_scale(moved, mu)
    least = Fraction(moved) ** 2 / Fraction(mu) ** 2 + 4
    assert Fraction(scale) ** 2 >= least > Fraction(np.nextafter(scale, 0)) ** 2
    rho = integer_sums.rho(moved, scale)
    assert noise.certified_rho(scale, float(moved)) <= rho <= mu**2 / 2 * (1 + 1e-14)


@pytest.mark.parametrize("scale", [2.0, 2.5])
def test_the_drawn_law_is_as_near_to_the_rounded_one_as_is_stated(scale):
    """Both laws by sums and quadrature to 50 digits: their logarithms differ by eta at most."""
    with mpmath.workdps(50):
        r, wide, integers = mpmath.mpf(integer_sums.ROUNDED), mpmath.mpf(scale), range(-40, 41)
        whole = mpmath.fsum(mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * wide**2)) for k in integers)
        spread, step = mpmath.sqrt(wide**2 - r**2), mpmath.mpf(1) / 8

        def chance(k, y):
            total = mpmath.fsum(mpmath.exp(-((j - y) ** 2) / (2 * r**2)) for j in integers)
            return mpmath.exp(-((k - y) ** 2) / (2 * r**2)) / total

        def rounded(k):
            """The trapezium rule on an entire function: exact to e^(-2 (8 pi spread)^2)."""
            if not spread:
                return chance(k, mpmath.mpf(0))
            places = [step * i for i in range(-160, 161)]
            normal = [mpmath.exp(-(y**2) / (2 * spread**2)) * chance(k, y) for y in places]
            return step * mpmath.fsum(normal) / (spread * mpmath.sqrt(2 * mpmath.pi))

        off = max(abs(mpmath.log(rounded(k) * whole) + mpmath.mpf(k) ** 2 / (2 * wide**2)) for k in (0, 3))
        assert off <= integer_sums.eta(1, scale)


EVEN = np.ones(3) / 3


def made(n=20, q=6, leading=4, tau=1.5, kappa=(1.0, 0.5), mu=1.0, shares=EVEN, longest=np.inf):
    return Moments(n, q, leading, tau, np.array(kappa), mu, np.array(shares, dtype=float), longest)


def steps_over_noise(of):
    """What a unit of each of the three sums counts, over its noise."""
    step = (
        of.tau / integer_sums.U_GRID / integer_sums.Z_GRID,
        1 / integer_sums.Z_GRID**2,
        (of.tau / integer_sums.U_GRID) ** 2,
    )
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
        made(kappa=(1.0, 1.0, 1.0), longest=np.sqrt(1.3)),
    ],
    ids=["two covariates", "none", "one", "mean first", "modes first", "three, M2 first", "three, shortened"],
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
    assert (np.sum(u.astype(object) ** 2, axis=1) <= integer_sums.U_GRID**2).all()
    assert (np.abs(z) <= integer_sums.Z_GRID).all()
    assert (z[:, 0] == integer_sums.Z_GRID).all()


def test_covariates_that_are_jointly_long_are_shortened_and_no_others():
    of = made(kappa=(1.0, 1.0, 1.0), longest=np.sqrt(1.3))
    a = np.concatenate([np.random.default_rng(2).uniform(-1.5, 1.5, (500, 3)), np.eye(3)])
    _, z = of.integers(np.zeros((len(a), of.q)), a)
    assert max(weight(z)) <= of.zeta**2 * integer_sums.Z_GRID**2
    short = np.linalg.norm(np.clip(a, -1, 1), axis=1) <= of.longest
    assert short.any() and not short.all()
    assert np.array_equal(z[short, 1:], np.trunc(np.clip(a[short], -1, 1) * integer_sums.Z_GRID))


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
    drawn = [of.draw(sums, source) for _ in range(1500)]
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
        {"n": integer_sums.MOST_IN_MODEL + 1},
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


@pytest.mark.parametrize("factor", [0.999, 0.5])
def test_nothing_is_drawn_where_opendp_does_not_certify_mu(monkeypatch, factor):
    """OpenDP's maps are asked at sensitivity 1 and put together: with a little less noise they do not give mu."""
    of = made(n=50)
    sums = of.sums(np.zeros((50, of.q)), np.zeros((50, of.p)))
    of.draw(sums, noise.SeededNoise(1))
    right = noise._measurement
    monkeypatch.setattr(noise, "_measurement", lambda kind, scale: right(kind, factor * scale))
    with pytest.raises(RefusedRelease, match=r"OpenDP certifies mu = .* nothing drawn"):
        of.draw(sums, noise.SeededNoise(1))


def test_who_leaves_a_group_moves_a_model_by_more_than_half():
    """(2.7) is of one sum: a person more or less moves the three sums by .5 to .71 of mu, by how it is shared."""
    moved = {}
    for shares in ((0.98, 0.01, 0.01), (0.01, 0.01, 0.98), (0.4, 0.2, 0.4)):
        of = made(shares=shares)
        longest = np.ones((1, of.p)), of.tau * np.eye(of.q)[:1]
        sums = of.sums(longest[1], longest[0])
        sums[1][0, 0] = 0  # n is declared
        moved[shares] = np.linalg.norm(
            [
                np.linalg.norm(one.astype(float)) * step / sd
                for one, step, sd in zip(sums, of.steps, of.noise, strict=True)
            ]
        )
    assert all(0.5 * of.mu < one < 0.75 * of.mu for one in moved.values())
    assert max(moved.values()) > 0.65 * of.mu
