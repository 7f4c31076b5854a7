"""The data of the experiments, against the laws that the supplements print. KS level: `laws.ALPHA`."""

import numpy as np
from scipy import stats

from library.privacy import laws
from shapedp.reproduction import spaces


def test_polar_sampling_of_the_sphere():
    """Distance from the north pole uniform on [0, π/8], angle about it uniform, independent (2021 A.3.1)."""
    where = spaces.published_space("S2")
    x = where.sample(np.random.default_rng(0), (100, 200)).reshape(-1, 3)
    t, angle = np.arccos(x[:, 2]), np.arctan2(x[:, 1], x[:, 0])
    assert stats.kstest(t / (np.pi / 8), "uniform").pvalue > laws.ALPHA
    assert stats.kstest(angle / (2 * np.pi) + 0.5, "uniform").pvalue > laws.ALPHA
    assert stats.ks_2samp(t[angle > 0], t[angle < 0]).pvalue > laws.ALPHA


def test_it_is_not_the_uniform_law_of_the_cap():
    x = spaces.published_space("S2").sample(np.random.default_rng(0), 2000)
    area = (1 - x[:, 2]) / (1 - np.cos(np.pi / 8))
    assert stats.kstest(area, "uniform").pvalue < laws.ALPHA


def test_wishart_rejection_in_the_ball():
    """Trace against the eigenvalues' density (l m)^(-1/2) e^-(l + m) (l - m), l > m, on log² l + log² m <= 1.5²."""
    x = spaces.published_space("P2").sample(np.random.default_rng(1), (100, 200)).reshape(-1, 2, 2)
    assert (spaces.published_space("P2").manifold.dist(np.eye(2), x) <= 1.5).all()
    radius, angle = np.meshgrid(
        (np.arange(600) + 0.5) * 1.5 / 600, (np.arange(600) + 0.5) * np.pi / 600 - 3 * np.pi / 4, indexing="ij"
    )
    first, second = np.exp(radius * np.cos(angle)), np.exp(radius * np.sin(angle))  # the half plane first > second
    weights = (first * second) ** 0.5 * np.exp(-first - second) * (first - second) * radius
    assert (weights > 0).all()
    assert laws.fits_weights(np.trace(x, axis1=1, axis2=2), (first + second).ravel(), weights.ravel())


def test_vech_and_back():
    x = np.array([[1.0, 2.0], [2.0, 5.0]])
    assert (spaces.to_vech(x) == [1, 2, 5]).all()
    assert (spaces.from_vech(spaces.to_vech(x), 2) == x).all()


def test_chunks_cover_the_replicates_within_the_room():
    where = spaces.published_space("S2")
    sizes = spaces.split_replicates(5000, 300, where)
    assert sum(sizes) == 5000
    assert max(sizes) * 300 * 3 <= spaces.ROOM
    assert spaces.split_replicates(2, 10 * spaces.ROOM, where) == [1, 1]


def test_families_are_of_uniform_radius():
    for name, order in (("S", 5), ("P", 3), ("CP", 4)):
        where = spaces.family_space(name, order)
        t = where.manifold.dist(where.p0, where.sample(np.random.default_rng(2), 2000))
        assert stats.kstest(t / where.r, "uniform").pvalue > laws.ALPHA
