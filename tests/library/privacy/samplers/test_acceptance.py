"""The share of proposals accepted on the worst data is bounded before any are read."""

import numpy as np
import pytest

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds.frechet import h_max
from shapedp.privacy.manifolds.projective import ComplexProjective
from shapedp.privacy.samplers import kng, rejection

R = 0.2


def setting(m, n, r=R):
    manifold = ComplexProjective(m)
    sigma = sensitivity.scale(manifold, sensitivity.KNG, r, n, 1.0, restricted=True).sigma
    return manifold, sigma, float(h_max(2 * r, 4.0))


def cohorts(manifold, p0, n, r=R):
    """Everybody at one end, at both, at p0, all but one at an end, around the rim."""
    basis = manifold.tangent_basis(p0)
    edge = manifold.exp(p0, r * (1 - 1e-9) * np.concatenate([basis, -basis]))
    one, other = edge[0], edge[len(basis)]
    yield np.array([one] * n)
    yield np.array([one] * (n // 2) + [other] * (n - n // 2))
    yield np.array([p0] * n)
    yield np.array([one] * (n - 1) + [other])
    yield edge[np.arange(n) % len(edge)]


@pytest.mark.parametrize(("m", "n"), [(1, 5), (2, 20), (3, 50), (5, 10), (5, 200)])
def test_no_data_set_is_accepted_less_often_than_the_bound(m, n):
    manifold, sigma, h = setting(m, n)
    which, share = kng.worst_case(manifold, R, sigma, h)
    p0, rng = np.eye(m + 1, dtype=complex)[0], np.random.default_rng(1)
    for data in cohorts(manifold, p0, n):
        mean = kng.frechet.find_certified_mean(manifold, data, p0, R).point
        target = list(kng._targets(manifold, data[None], mean[None], (p0, R), sigma))[which]
        _, found = rejection.Target.collect(target, rng, 200, n * (m + 1))
        assert found.accepted / found.proposed > share


def test_the_case_of_the_attack_is_refused():
    """D = 92, r = .3: accepted 1.3e-3 on some data and 1.6e-10 on others."""
    manifold, sigma, h = setting(46, 400, 0.3)
    with pytest.raises(RefusedRelease, match=r"on some data as few as .* use a smaller r"):
        kng.check_acceptance(manifold, 0.3, sigma, h)


def test_few_people_are_drawn_about_the_center_and_many_about_the_mean():
    assert kng.worst_case(*setting(15, 5)[:1], R, *setting(15, 5)[1:])[0] == kng.CENTER
    assert kng.worst_case(*setting(15, 5000)[:1], R, *setting(15, 5000)[1:])[0] == kng.MEAN


def test_a_sure_proposal_is_never_given_up(monkeypatch):
    """What any data could meet is no reason to stop: with a limit of one proposal the draw still comes."""
    monkeypatch.setattr(rejection, "MOST_PROPOSALS", 0)
    manifold, sigma, _ = setting(2, 20)
    p0 = np.eye(3, dtype=complex)[0]
    data = np.array([p0] * 20)
    rng = np.random.default_rng(0)
    drawn, _ = kng.sample(manifold, data, p0, R, sigma, rng, 3, p0, fallback=kng.CENTER)
    assert drawn.shape == (3, 3)
    with pytest.raises(rejection.Exhausted):
        kng.sample(manifold, data, p0, R, sigma, rng, 3, p0)
