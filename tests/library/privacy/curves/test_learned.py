"""The shaped mechanism: a clip in coordinates, noise of the stated law, and a public map back."""

import numpy as np
import pytest
from scipy.stats import chi2

from library.privacy.learned import people
from shapedp.base.errors import RefusedRelease
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.curves import learned
from shapedp.releases import curve_mechanisms

VARIATION = people.variation(count=120)
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
N, MU = 300, 1.5


def make(n=N, budget=None, variation=VARIATION, reference=None, shape=people.SHAPE):
    reference = people.center() if reference is None else reference
    return curve_mechanisms.make("shaped", shape, n, variation, reference, budget or {"mu_total": MU}, KERNEL)


def total(made, crowd):
    return integer_sums.sum_people(made, people.reading(crowd), len(crowd))


def test_nobody_is_longer_than_the_bound():
    made = make()
    crowd = np.concatenate([people.draw(50, 5), people.center() + 1e3 * (people.draw(50, 6) - people.center())])
    lengths = np.linalg.norm(made.encode(crowd), axis=1)
    assert lengths.max() <= made.bound * (1 + 1e-12)
    assert np.sum(lengths > made.bound * (1 - 1e-9)) >= 50


@pytest.mark.parametrize("value", [np.nan, np.inf, -1e308, 1e308])
def test_whatever_a_record_holds_counts_no_more_than_the_bound(value):
    made = make()
    wild = np.full((1, *people.SHAPE), value)
    whole = made.integers(wild).astype(object)  # Python's whole numbers do not overflow
    assert (whole**2).sum() <= integer_sums.GRID**2


def test_without_noise_the_mean_comes_back_along_the_axes():
    """People within the bound, coordinates by hand: the release is the center and their mean along each axis."""
    made = make(n=40)
    crowd = people.center() + 0.2 * (people.draw(40, 7) - people.center())
    points = people.SHAPE[0] * people.SHAPE[2]
    along = np.einsum("jcm,kjcm->k", crowd.mean(axis=0) - people.center(), made.axes) / points
    expected = people.center() + np.einsum("k,kjcm->jcm", made.plan.filters * along, made.axes)
    assert np.allclose(made.decode(made.exact_mean(total(made, crowd))), expected, rtol=0, atol=1e-7)


def test_a_cohort_like_the_public_one_keeps_its_mean():
    made = make(n=2000)
    crowd = people.draw(2000, 8, shift=0.005)
    away = crowd.mean(axis=0) - people.center()
    left = made.decode(made.exact_mean(total(made, crowd))) - crowd.mean(axis=0)
    assert np.mean(left**2) < 0.02 * np.mean(away**2)


def test_the_coordinates_of_a_release_are_those_it_was_made_from():
    made = make()
    u = np.random.default_rng(0).standard_normal((4, *made.coordinates))
    assert np.allclose(made.recover_coordinates(made.decode(u)), u, rtol=0.02, atol=0.02)


def test_released_noise_has_the_stated_covariance():
    """Chi-square of q coordinates over 200 releases, each with the variance that the mechanism states."""
    made, source = make(), noise.SeededNoise(3)
    sums = np.zeros(made.coordinates, dtype=np.int64)
    drawn = np.array([made.noised_mean(sums, source)[0] for _ in range(200)])
    squares = np.sum((drawn / (made.noise / N)) ** 2, axis=0)
    assert np.all((squares > chi2.ppf(1e-6, 200)) & (squares < chi2.ppf(1 - 1e-6, 200)))
    corners = np.corrcoef(drawn.T)[np.triu_indices(len(made.gain), 1)]
    assert np.abs(corners).max() < 0.35


def test_released_curves_have_the_stated_variance_at_every_point():
    made, source = make(), noise.SeededNoise(4)
    sums = np.zeros(made.coordinates, dtype=np.int64)
    drawn = np.array([made.draw(sums, source) for _ in range(400)])
    assert drawn.var(axis=0).sum() == pytest.approx(made.point_variances().sum(), rel=0.1)
    assert np.corrcoef(drawn.var(axis=0).ravel(), made.point_variances().ravel())[0, 1] > 0.9
    assert made.variances() == pytest.approx(made.point_variances().mean(axis=-1))


def test_the_planner_s_noise_is_the_mechanism_s():
    made = make()
    assert np.sqrt(made.plan.noise) == pytest.approx(made.noise_size(), rel=0.03)


def test_the_certified_rho_of_both_stages_is_that_of_mu():
    made, source = make(), noise.SecureNoise()
    _, first = learned.noised_spread_answer(np.zeros(1, dtype=np.int64), N, made.first, source)
    _, rho = made.noised_mean(np.zeros(made.coordinates, dtype=np.int64), source)
    assert first > 0
    assert first + rho == pytest.approx(MU**2 / 2, rel=1e-9)
    assert made.mu == made.cost().mu == pytest.approx(MU, rel=1e-12)


def test_the_worst_pair_is_as_far_apart_as_the_claim_says():
    """The exact d' of the pair, in whole numbers: within 1 % of the second stage's mu and never above it."""
    made = make()
    first, other = made.integers(made.worst_pair())
    apart = np.linalg.norm(first - other) * made.bound / integer_sums.GRID / made.noise
    assert made.bound * 0.99 <= apart <= made.bound
    assert made.bound == pytest.approx(np.sqrt(MU**2 - made.first**2))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"budget": {"mu": [0.1, 0.1, 0.1]}}, "as mu_total"),
        ({"reference": np.zeros(people.SHAPE)}, "deviations from the template"),
        ({"shape": (4, 3, 16)}, "cannot be released"),
        ({"n": 1}, "at least 2"),
    ],
)
def test_what_cannot_be_released_is_refused(changed, words):
    with pytest.raises(RefusedRelease, match=words):
        make(**changed)


def test_other_bounds_are_refused():
    with pytest.raises(RefusedRelease, match="cannot use these bounds: it is made from"):
        make(variation=None)
    with pytest.raises(RefusedRelease, match="cannot use these bounds: it is not made from"):
        curve_mechanisms.make("matched_joint", people.SHAPE, N, VARIATION, people.center(), {"mu_total": MU}, KERNEL)
