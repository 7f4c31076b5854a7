"""Exact draws of the gradient mechanism against quadrature and a long Markov chain. KS level: `laws.ALPHA`."""

import numpy as np
import pytest
from scipy import stats

from library.privacy import laws
from shapedp.base.errors import RefusedRelease, ShapedpError
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.noise import SecureGenerator
from shapedp.privacy.samplers import kng, rejection
from shapedp.reproduction import markov

DRAWS = 100_000
NORTH = np.array([0.0, 0.0, 1.0])
R, SIGMA = np.pi / 8, 0.15
# lopsided, so that the mean is not p0 and the law not symmetric
TILTS = np.array([[0.35, 0.0], [0.3, 0.1], [0.38, 0.05], [-0.2, 0.3], [0.0, 0.1]])


@pytest.fixture
def rng():
    return np.random.default_rng(20260707)


@pytest.fixture
def data():
    return Sphere(2).exp(NORTH, np.column_stack([TILTS, np.zeros(5)]))


def sphere_fits(draws, data):
    """Distance from p0 and angle about it, against quadrature over the ball."""
    points, t, angle, area = laws.ball_of_sphere(NORTH, R)
    weights = np.exp(-laws.sphere_gradient_norm(points, data) / SIGMA) * area
    return laws.fits_weights(Sphere(2).dist(NORTH, draws), t, weights) and laws.fits_weights(
        laws.polar_angle(NORTH, draws), angle, weights
    )


def test_sphere(data, rng):
    draws, acceptance = kng.sample(Sphere(2), data, NORTH, R, SIGMA, rng, DRAWS)
    assert sphere_fits(draws, data)
    assert (Sphere(2).dist(NORTH, draws) <= R).all()
    assert acceptance.accepted / acceptance.inside > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("center", [0, 1], ids=["about the mean", "about p0"])
def test_proposals_about_the_mean_and_about_p0_draw_one_law(center, data, rng):
    mean = frechet.mean(Sphere(2), data).point[None]
    target = list(kng._targets(Sphere(2), data[None], mean, (NORTH, R), SIGMA))[center]
    assert sphere_fits(target.collect(rng, DRAWS, 15)[0][0], data)


@pytest.mark.slow
def test_the_point_taken_for_the_mean_does_not_change_the_law(data, rng):
    anchor = Sphere(2).exp(NORTH, np.array([-0.1, -0.1, 0.0]))
    draws, _ = kng.sample(Sphere(2), data, NORTH, R, SIGMA, rng, DRAWS, means=anchor)
    assert sphere_fits(draws, data)


@pytest.mark.slow
def test_the_exact_law_is_that_of_a_long_chain(data, rng):
    exact, _ = kng.sample(Sphere(2), data, NORTH, R, SIGMA, rng, 20_000)
    step = markov.make_gaussian_step(Sphere(2), 0.2)
    start = np.repeat(NORTH[None], 10_000, axis=0)
    chains, _ = markov.run_chains(kng.log_density(Sphere(2), data, (NORTH, R), SIGMA), step, start, 1, 100, 50, rng)
    for of in (lambda x: Sphere(2).dist(NORTH, x), lambda x: laws.polar_angle(NORTH, x)):
        assert stats.ks_2samp(of(exact), of(chains[0])).pvalue > laws.ALPHA


def test_a_wrong_envelope_stops_the_sampler(data, rng, monkeypatch):
    true = rejection._mean_hessian
    monkeypatch.setattr(rejection, "_mean_hessian", lambda *args: 1.5 * true(*args))
    with pytest.raises(ShapedpError, match="exceeds its envelope"):
        kng.sample(Sphere(2), data, NORTH, R, SIGMA, rng, 1000)


@pytest.mark.slow
def test_a_wrong_envelope_would_be_seen_in_the_draws(data, rng, monkeypatch):
    true = rejection._mean_hessian
    monkeypatch.setattr(rejection, "_mean_hessian", lambda *args: 1.5 * true(*args))
    monkeypatch.setattr(rejection, "_BROKEN", np.inf)
    draws, _ = kng.sample(Sphere(2), data, NORTH, R, SIGMA, rng, DRAWS)
    assert not sphere_fits(draws, data)


@pytest.mark.slow
@pytest.mark.parametrize("restricted", [True, False])
def test_matrices(restricted, rng):
    """Data a diag(e^a, e^-a): length and trace of log x against quadrature in (l_1, l_2, turn of the eigenvectors)."""
    manifold, r, sigma = SPD(2), 1.2, 0.25
    logs = np.array([[0.5, -0.4], [0.7, 0.2], [-0.3, 0.1], [0.4, -0.8]])
    data = np.exp(logs)[..., None] * np.eye(2)
    draws, _ = kng.sample(manifold, data, np.eye(2), r, sigma, rng, DRAWS, restricted=restricted)
    values, eigen, weights = _matrix_law(data, r if restricted else 6.0, sigma)
    assert laws.fits_weights(manifold.dist(np.eye(2), draws), values, weights)
    assert laws.fits_weights(np.linalg.slogdet(draws)[1], eigen.sum(axis=1), weights)


def _matrix_law(data, reach, sigma):
    eigen, volume = laws.spd_eigenvalue_grid(2, reach, 90)
    turns = (np.arange(12) + 0.5) * np.pi / 12
    weights = np.zeros(len(eigen))
    for turn in turns:
        q = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        inverse_root = (q * np.exp(-eigen / 2)[:, None, :]) @ q.T
        total = np.zeros((len(eigen), 2, 2))
        for y in data:
            values, vectors = np.linalg.eigh(inverse_root @ y @ inverse_root)
            total += (vectors * np.log(values)[:, None, :]) @ vectors.swapaxes(1, 2)
        norm = np.linalg.norm(total, axis=(1, 2)) / len(data)
        weights += np.exp(-norm / sigma)
    return np.linalg.norm(eigen, axis=1), eigen, weights * laws.weyl(eigen) * volume


@pytest.mark.slow
def test_shapes(rng):
    """CP^3, data on a geodesic through p0: the density depends on a = |x_0|, b = |x_1| and their phase φ alone.

    A uniform point of S^7 has (x_0, x_1) with density 1 - a² - b² on the unit ball of C².
    """
    manifold, r, sigma, tilt = Kendall(5), 0.35, 0.05, 0.3
    p0 = manifold.random_point(rng)
    u = manifold.tangent_basis(p0)[0]
    data = np.stack([np.cos(s) * p0 + np.sin(s) * u for s in (tilt, tilt, tilt, -tilt)])
    draws, _ = kng.sample(manifold, data, p0, r, sigma, rng, DRAWS)
    a, b, phase, weights = _shape_law(r, sigma, tilt)
    first, second = draws @ p0.conj(), draws @ u.conj()
    assert laws.fits_weights(np.arccos(np.abs(first)), np.arccos(a), weights)
    assert laws.fits_weights(np.abs(second), b, weights)
    assert laws.fits_weights(np.angle(second * first.conj()), phase, weights)


def _shape_law(r, sigma, tilt):
    """Grid of (a, b, φ) with a = cos t, b = s sin t, t <= r, 0 <= s <= 1, and the weights of the law."""
    t = (np.arange(200) + 0.5) * r / 200
    s = (np.arange(120) + 0.5) / 120
    phase = (np.arange(96) + 0.5) * 2 * np.pi / 96 - np.pi
    t, s, phase = (x.ravel() for x in np.meshgrid(t, s, phase, indexing="ij"))
    a, b = np.cos(t), s * np.sin(t)
    area = a * b * (1 - a**2 - b**2) * np.sin(t) ** 2  # a b (1 - a² - b²) da db dφ
    total = np.zeros((3, len(t)), dtype=complex)  # along p0, u and the rest of x
    x = np.stack([a + 0j, b * np.exp(1j * phase), np.sqrt(1 - a**2 - b**2) + 0j])
    for angle, share in ((tilt, 0.75), (-tilt, 0.25)):
        y = np.array([np.cos(angle), np.sin(angle), 0.0])
        c = x[0].conj() * y[0] + x[1].conj() * y[1]
        far = np.arccos(np.minimum(np.abs(c), 1))
        total += share * far / np.sin(far) * (y[:, None] * c.conj() / np.abs(c) - x * np.abs(c))
    return a, b, phase, np.exp(-np.linalg.norm(total, axis=0) / sigma) * area


def test_many_data_sets_follow_their_own_laws(data, rng):
    """Two data sets, one the other's mirror image: angles of the second are minus those of the first."""
    mirrored = data * np.array([1, -1, 1])
    draws, _ = kng.sample(Sphere(2), np.stack([data, mirrored]), NORTH, R, SIGMA, rng, 20_000)
    assert draws.shape == (2, 20_000, 3)
    angles = [laws.polar_angle(NORTH, d) for d in draws]
    assert stats.ks_2samp(angles[0], -angles[1]).pvalue > laws.ALPHA
    assert stats.ks_2samp(angles[0], angles[1]).pvalue < laws.ALPHA


def test_one_release_of_fifty_landmarks_stays_in_the_ball(rng):
    manifold, r = Kendall(50), 0.15
    p0 = manifold.random_point(rng)
    points = manifold.exp(p0, rng.uniform(0, r, (409, 1)) * manifold.random_tangent(p0, rng, 409))
    released, acceptance = kng.draw(manifold, points, p0, r, 1.0, rng)
    assert manifold.dist(p0, released[0]) <= r
    assert acceptance.accepted >= 1


@pytest.mark.parametrize("mechanism", ["kng", "laplace"])
def test_a_release_comes_in_the_phase_of_p0_not_of_a_record(mechanism, rng):
    manifold = Kendall(6)
    p0 = manifold.random_point(rng)
    points = 1j * manifold.exp(p0, 0.1 * manifold.random_tangent(p0, rng, 30))
    released = {"kng": lambda *a: kng.draw(*a)[0], "laplace": lambda *a: laws.laplace_release(*a).points}[mechanism]
    inner = released(manifold, points, p0, 0.2, 1.0, rng, 8) @ p0.conj()
    np.testing.assert_allclose(inner.imag, 0, atol=1e-14)
    assert (inner.real > 0).all()


def test_noise_far_wider_than_the_ball_in_196_dimensions(rng):
    """About the mean one proposal in 2^196 or so would hit the ball; about p0 they all do."""
    manifold, r = Kendall(100), 0.15
    p0 = manifold.random_point(rng)
    points = manifold.exp(p0, 0.1 * manifold.random_tangent(p0, rng, 40))
    released, acceptance = kng.draw(manifold, points, p0, r, 1.0, rng, 20)
    assert acceptance.accepted / acceptance.proposed > 0.01
    assert (manifold.dist(p0, released) > 0.9 * r).all()


def test_the_generator_of_real_releases_draws_the_same_law(data):
    draws, _ = kng.sample(Sphere(2), data, NORTH, R, SIGMA, SecureGenerator(), 20_000)
    assert sphere_fits(draws, data)


def test_positive_curvature_needs_the_ball(data, rng):
    with pytest.raises(RefusedRelease, match="ball only"):
        kng.sample(Sphere(2), data, NORTH, R, SIGMA, rng, restricted=False)


def test_epsilon_zero_is_refused_before_any_noise(data):
    with pytest.raises(RefusedRelease, match="epsilon"):
        kng.draw(Sphere(2), data, NORTH, R, 0.0, None)
