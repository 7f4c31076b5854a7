"""Draws by ball arithmetic have the laws they should, however few bits they start from, and no output is impossible."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from library.privacy import laws
from shapedp.privacy import noise
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.projective import ComplexProjective, Kendall
from shapedp.privacy.samplers import exact

LEVEL = 1e-3


def words(seed, below=1 << 64):
    rng = np.random.default_rng(seed)
    return lambda count: [int(word) for word in rng.integers(0, below, count, dtype=np.uint64)]


def k_norms(q, scale, draws, bits):
    return np.array([exact.k_norm([0] * q, Fraction(scale), bits) for _ in range(draws)])


def test_k_norm_draws_have_gamma_radii_and_even_directions():
    q, scale = 5, 1 << 20
    drawn = k_norms(q, scale, 4000, words(1))
    radius = np.linalg.norm(drawn, axis=1)
    assert stats.kstest(radius / scale, stats.gamma(q).cdf).pvalue > LEVEL
    for along in drawn.T / radius:  # of a uniform direction: (x + 1)/2 is Beta((q - 1)/2, (q - 1)/2)
        assert stats.kstest((along + 1) / 2, stats.beta((q - 1) / 2, (q - 1) / 2).cdf).pvalue > LEVEL
    assert abs(stats.spearmanr(drawn[:, 0], drawn[:, 1]).statistic) < 0.06


@pytest.mark.parametrize("word", [64, 3])
def test_one_coordinate_is_a_rounded_laplace_number(monkeypatch, word):
    """Of three bits at a time hardly a draw is certain at first: the law must be the same."""
    monkeypatch.setattr(exact, "WORD", word)
    scale, draws = 2.5, 4000
    drawn = k_norms(1, scale, draws, words(2, 1 << word))[:, 0]
    edges = np.arange(-7, 9) - 0.5
    share = np.diff(stats.laplace(scale=scale).cdf(np.concatenate([[-np.inf], edges, [np.inf]])))
    counts = np.histogram(drawn, np.concatenate([[-1e9], edges, [1e9]]))[0]
    assert stats.chisquare(counts, share * draws).pvalue > LEVEL


def test_more_bits_never_change_what_was_certain(monkeypatch):
    """The same bits, sixteen at a time: the draw that is certain from a few of them is that of all."""
    long = [[int(word) for word in np.random.default_rng(seed).integers(0, 1 << 63, 4)] for seed in range(200)]
    whole = [exact.k_norm([0, 0], Fraction(1000), lambda count, one=one: one) for one in long]
    monkeypatch.setattr(exact, "WORD", 16)

    def pieces(one):
        shifts = iter((48, 32, 16, 0))

        def given(count):
            shift = next(shifts)
            return [(word >> shift) & 0xFFFF for word in one]

        return given

    assert whole == [exact.k_norm([0, 0], Fraction(1000), pieces(one)) for one in long]


def bits_of(step, scale):
    """Words whose draw for one coordinate is this whole number: the radius' uniform, and the sign's two."""
    with mpmath.workdps(40):
        uniform = int(mpmath.floor(mpmath.mpf(2) ** 64 * mpmath.exp(-abs(step) / mpmath.mpf(scale))))
    return [uniform, 1 << 63, (1 << 62) if step > 0 else 3 << 62]


def comes_to(step, scale):
    """Whether some bits make one coordinate's noise this whole number."""
    return exact.k_norm([0], Fraction(scale), lambda count: bits_of(step, scale)) == [step]


def test_every_output_is_possible_under_the_neighbour_however_far_out():
    """n = 8, epsilon = 2, q = 1: at depth d of the tail, the neighbour's draw comes to the very same number."""
    sensitivity_of_sum, scale = 1 << 25, (1 << 25) / 2.0
    for depth in (1e5, 1e6, 1e7, 1e8):
        for share in np.linspace(0.2, 1.0, 5):
            wanted = round(-scale * np.log(share / depth)) - sensitivity_of_sum
            assert comes_to(wanted, scale)


@pytest.mark.parametrize(
    ("manifold", "sigma", "centered"),
    [(Kendall(5), 0.2, True), (Kendall(12), 0.02, True), (ComplexProjective(2), 1.0, False)],
)
def test_laplace_points_have_the_law_of_their_distances(manifold, sigma, centered):
    """exp(-t/sigma) sin(t)^(2m-1) cos(t) about the mean; about another point as the sampler in doubles has it."""
    rng = np.random.default_rng(3)
    mean = manifold.random_point(rng)
    p0 = manifold.exp(mean, 0.3 * manifold.random_tangent(mean, rng))
    bits, m = words(4), manifold.dim // 2
    drawn = np.array([exact.projective_laplace(1j * mean, p0, sigma, centered, bits) for _ in range(1500)])
    t = np.linspace(0, np.pi / 2, 4001)
    assert laws.fits(manifold.dist(mean, drawn), t, np.exp(-t / sigma) * np.sin(t) ** (2 * m - 1) * np.cos(t))
    assert np.abs(np.linalg.norm(drawn, axis=1) - 1).max() < 1e-10
    inner = drawn @ p0.conj()
    assert np.abs(inner.imag).max() < 1e-10 and (inner.real > 0).all()
    steps = drawn * 2.0**exact.FINE
    assert (steps.real == np.rint(steps.real)).all() and (steps.imag == np.rint(steps.imag)).all()
    directions = manifold.log(mean, manifold.align(mean, drawn))
    first, second = directions @ manifold.tangent_basis(mean)[0].conj(), np.linalg.norm(directions, axis=1)
    assert stats.kstest((first.real / second + 1) / 2, stats.beta(m - 0.5, m - 0.5).cdf).pvalue > LEVEL


def test_the_phase_of_the_mean_shows_nowhere():
    manifold = Kendall(6)
    mean, p0 = (manifold.random_point(np.random.default_rng(seed)) for seed in (5, 6))
    drawn = []
    for turn in (1, np.exp(0.7j)):
        bits = words(7)
        drawn.append([exact.projective_laplace(turn * mean, p0, 0.1, True, bits) for _ in range(800)])
    one, other = np.array(drawn)
    for place in range(6):
        assert stats.ks_2samp(one[:, place].imag, other[:, place].imag).pvalue > LEVEL


@pytest.mark.parametrize("k", [8, 50])
def test_a_computed_mean_lies_as_near_its_unit_vector_as_is_counted(k):
    """Oracle: extended precision. `point_rounding` covers centering and normalising what `certified` returns."""
    manifold, rng = Kendall(k), np.random.default_rng(8)
    p0 = manifold.random_point(rng)
    points = manifold.exp(p0, 0.1 * manifold.random_tangent(p0, rng, 40))
    for count in (2, 5, 40):
        found = frechet.find_certified_mean(manifold, points[:count], p0, 0.1).point.astype(np.clongdouble)
        exactly = found - found.mean()
        exactly /= np.sqrt((np.abs(exactly) ** 2).sum())
        assert np.sqrt((np.abs(found - exactly) ** 2).sum()) < sensitivity.point_rounding(k)


def test_secure_and_seeded_noise_draw_alike():
    values = np.array([5, -7, 1 << 40])
    for source in (noise.SecureNoise(), noise.SeededNoise(1)):
        drawn = np.array([source.k_norm_integers(values, 1000, 1.0) for _ in range(400)]) - values
        assert stats.kstest(np.linalg.norm(drawn, axis=1) / 1000, stats.gamma(3).cdf).pvalue > LEVEL
