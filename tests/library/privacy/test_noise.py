"""The secure generator has the laws it should, and OpenDP's noise is what it certifies."""

import numpy as np
import pytest
from scipy import stats

from shapedp.base.errors import RefusedRelease
from shapedp.privacy import noise

FAILURE = 1e-6
COUNT = 20_000


@pytest.mark.parametrize(
    ("draw", "law"),
    [
        (lambda rng: rng.random(COUNT), stats.uniform()),
        (lambda rng: rng.standard_normal(COUNT), stats.norm()),
        (lambda rng: rng.standard_exponential(COUNT), stats.expon()),
        (lambda rng: rng.standard_gamma(3.5, COUNT), stats.gamma(3.5)),
    ],
)
def test_the_secure_generator_follows_its_laws(draw, law):
    assert stats.kstest(draw(noise.SecureGenerator()), law.cdf).pvalue > FAILURE


def test_shapes_are_those_of_numpys_generator():
    rng = noise.SecureGenerator()
    assert isinstance(rng.random(), float)
    assert rng.standard_normal((2, 3)).shape == (2, 3)
    assert rng.standard_gamma(np.array([1.0, 2.0])).shape == (2,)


@pytest.mark.parametrize("byte", [b"\x00", b"\xff"])
def test_uniform_numbers_reach_neither_0_nor_1(monkeypatch, byte):
    """With 53 bits the last value would round to 1 and become an infinite normal number."""
    monkeypatch.setattr(noise.os, "urandom", lambda count: byte * count)
    rng = noise.SecureGenerator()
    assert 0 < rng.random() < 1
    assert np.isfinite(rng.standard_normal(3)).all()
    assert np.isfinite(rng.standard_gamma(2.5, 3)).all()


def test_integers_get_the_stated_noise_and_rho():
    values = np.arange(4000, dtype=np.int64) * 1_000_003
    noised, rho = noise.SecureNoise().gaussian_integers(values, 500.0, 1000.0)
    assert rho == pytest.approx(2.0)
    square = np.sum(((noised - values) / 500.0) ** 2)
    assert stats.chi2.ppf(FAILURE / 2, 4000) < square < stats.chi2.ppf(1 - FAILURE / 2, 4000)


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_nothing_is_drawn_where_opendp_certifies_another_rho(monkeypatch, factor):
    """The measurement's own map disagrees with the claim: with too little noise, and with too much."""
    right = noise._measurement
    monkeypatch.setattr(noise, "_measurement", lambda kind, scale: right(kind, factor * scale))
    with pytest.raises(RefusedRelease, match="nothing drawn"):
        noise.SecureNoise().gaussian_integers(np.zeros(3, dtype=np.int64), 500.0, 1000.0)


def test_sums_beyond_32_bits_survive():
    values = np.array([1 << 50, -(1 << 50)], dtype=np.int64)
    noised, _ = noise.SecureNoise().gaussian_integers(values, 10.0, 1.0)
    assert np.all(np.abs(noised - values) < 200)


@pytest.mark.parametrize("scale", [0.7, 2.0])
def test_small_noise_is_the_discrete_gaussian(scale):
    """OpenDP before 0.14.2 divided wrongly, which showed at small scales."""
    drawn, _ = noise.SecureNoise().gaussian_integers(np.zeros(20_000, dtype=np.int64), scale, 1.0)
    places = np.arange(-4, 5)
    law = np.exp(-(np.arange(-60, 61) ** 2) / (2 * scale**2))
    law /= law.sum()
    share = np.append(law[60 + places], 1 - law[60 + places].sum())
    counts = np.append([(drawn == place).sum() for place in places], (np.abs(drawn) > 4).sum())
    kept = share * len(drawn) > 5
    expected = np.append(share[kept], share[~kept].sum()) * len(drawn)
    seen = np.append(counts[kept], counts[~kept].sum())
    assert stats.chi2.sf(np.sum((seen - expected) ** 2 / np.maximum(expected, 1.0)), kept.sum()) > FAILURE
