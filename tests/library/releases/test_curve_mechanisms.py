"""The curve mechanisms: scales by hand, sensitivities by search, noise by chi-square, guarantees by OpenDP."""

import numpy as np
import pytest
from scipy.stats import chi2

from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.curves import bounds
from shapedp.privacy.integer_sums import GRID
from shapedp.releases import curve_mechanisms as mechanisms

SHAPE = (4, 3, 16)
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
PAPER = {"mu": [0.2, 0.2, 0.55]}
REFERENCE = np.random.default_rng(5).normal(size=SHAPE)
FAILURE = 1e-6  # probability with which a right mechanism fails a chi-square test here


def population(n=30, seed=0):
    return REFERENCE + 0.1 * np.random.default_rng(seed).normal(size=(n, *SHAPE))


def public_bounds(reference=REFERENCE, people=None):
    people = population(seed=9) if people is None else people
    return bounds.from_population(lambda a, b: people[a:b], len(people), reference, 0.9, 1.2, "a public set", True)


def make(name, n=30, reference=REFERENCE, budget=None, kernel_settings=KERNEL):
    budget = budget or ({"mu_total": 1.5} if name in mechanisms.POINTWISE else PAPER)
    around = np.zeros(SHAPE) if reference is None else reference
    return mechanisms.make(name, SHAPE, n, public_bounds(around), reference, budget, kernel_settings)


def test_scales_of_math_by_hand():
    """v_j of each mechanism written out for one block."""
    n, j, w = 30, 2, 2
    tau = public_bounds().tau[j, w]
    eigenvalues = bounds.spectrum(SHAPE[2], 1.0, 1.0)
    s = eigenvalues / (eigenvalues + 0.005)
    by_hand = {
        "matched": s * (2 * tau / n) / 0.55,
        "rkhs": np.sqrt(eigenvalues) * (2 * tau / n) * np.max(np.sqrt(eigenvalues) / (eigenvalues + 0.005)) / 0.55,
        "rkhs_paper": np.sqrt(eigenvalues) * (2 * tau / (n * np.sqrt(0.005))) / 0.55,
    }
    for name, v in by_hand.items():
        made = make(name, n)
        assert np.allclose(made.noise / n * made.back[j, w], v, rtol=1e-12)
        assert made.noise_sd()[j, w] == pytest.approx(np.sqrt(np.sum(v**2)), rel=1e-12)


def test_the_papers_budget_composes_to_2_9661():
    made = mechanisms.make(
        "matched",
        (23, 3, 80),
        1000,
        bounds.from_numbers([0.2, 0.2, 0.1], 23),
        None,
        PAPER,
        KERNEL,
    )
    assert made.mu == pytest.approx(2.9661, abs=5e-5)


def test_the_joint_release_with_block_bounds_is_the_release_by_blocks():
    numbers = bounds.from_numbers([0.2, 0.3, 0.1], SHAPE[0])
    by_block = mechanisms.make("matched", SHAPE, 30, numbers, None, PAPER, KERNEL)
    joint = mechanisms.make("matched_joint", SHAPE, 30, numbers, None, PAPER, KERNEL)
    assert np.allclose(joint.noise_sd(), by_block.noise_sd(), rtol=1e-12)
    assert joint.mu == pytest.approx(by_block.mu, rel=1e-12)


def test_the_joint_norm_by_hand():
    """One curve's wave of frequency 3 with amplitude a: power a^2/2, weighted by sqrt(10)."""
    made = make("matched_joint", reference=None)
    weights, tau = made.weights, made.tau
    amplitude = 1e6
    person = np.zeros(SHAPE)
    person[1, 2] = amplitude * np.sin(3 * 2 * np.pi * np.arange(SHAPE[2]) / SHAPE[2])
    kept = tau / (weights[1, 2] * np.sqrt(np.sqrt(10) * amplitude**2 / 2))
    assert np.allclose(made.clip(person), kept * person, rtol=1e-12)


def test_a_person_at_the_joint_bound_uses_all_of_it():
    made = make("matched_joint")
    u = made.encode(population(5) * 1e3)
    assert np.allclose(np.sqrt(np.sum(u**2, axis=(1, 2, 3))), made.bound, rtol=1e-12)


def test_weighing_rough_differences_more_pays_where_people_differ_smoothly():
    """People who differ by slow waves: the joint release has less noise than with plain norms."""
    rng = np.random.default_rng(4)
    slow = bounds.curves(rng.normal(size=(200, *SHAPE)) / (1 + bounds.frequencies(SHAPE[2]) ** 2))
    found = public_bounds(np.zeros(SHAPE), slow)
    rough = mechanisms.make("matched_joint", SHAPE, 30, found, None, {"mu_total": 1.0}, KERNEL)
    people = np.sqrt(np.sum((rough.weights * bounds.norm(slow)) ** 2, axis=(1, 2)))
    flat = found.margin * np.quantile(people, found.quantile, method="higher")
    plain = 2 * flat / 30 * np.sqrt(np.sum(bounds.filters(SHAPE[2], **KERNEL) ** 2, axis=1)) / rough.weights
    assert np.mean(rough.variances()) < 0.9 * np.mean(plain**2)


def test_the_papers_mechanism_is_at_least_twice_as_private_as_it_says():
    made = make("rkhs_paper")
    assert made.mu <= made.claimed / 2
    assert make("rkhs").mu == pytest.approx(make("rkhs").claimed)


def test_matched_has_the_least_noise():
    ratio = make("rkhs").variances() / make("matched").variances()
    assert np.all(ratio >= 1)


@pytest.mark.parametrize("name", mechanisms.NAMES)
@pytest.mark.parametrize("reference", [None, REFERENCE], ids=["none", "template"])
def test_no_person_moves_the_sum_by_more_than_the_sensitivity(name, reference):
    """Even absurd people: huge, tiny, and aimed at one coordinate."""
    made = make(name, reference=reference)
    rng = np.random.default_rng(3)
    people = np.concatenate([population(20), 1e6 * rng.normal(size=(20, *SHAPE)), 1e-9 * rng.normal(size=(5, *SHAPE))])
    aimed = np.zeros((SHAPE[2], *SHAPE))
    aimed[:, 1, 2] = 1e9 * bounds.curves(np.eye(SHAPE[2]))
    whole = made.integers(np.concatenate([people, aimed, -aimed]))
    longest = max(sum(int(step) ** 2 for step in row) for row in whole)
    assert longest <= GRID**2
    apart = max(sum(int(a - b) ** 2 for a, b in zip(row, whole[-1], strict=True)) for row in whole)
    assert apart <= (2 * GRID) ** 2


@pytest.mark.parametrize("name", ["matched", "rkhs", "pointwise"])
def test_the_bound_is_reached_so_the_guarantee_is_not_loose(name):
    """The worst pair of people uses the whole sensitivity, so mu cannot be made smaller."""
    made = make(name)
    if name == "pointwise":
        worst = made.limits[1]
    else:
        strongest = np.argmax(made.gain / made.gain.max(axis=-1, keepdims=True), axis=-1)
        worst = REFERENCE + 1e3 * bounds.curves(np.eye(SHAPE[2])[strongest])
    row = made.integers(worst[None])[0]
    assert np.sqrt(np.sum(row.astype(float) ** 2)) >= (1 - 1e-4) * GRID


@pytest.mark.parametrize("name", mechanisms.NAMES)
def test_the_noise_has_the_covariance_it_should(name):
    """Chi-square on all whitened coordinates of 40 draws, and on their sums over frequencies (correlations)."""
    n = 30
    made = make(name, n)
    people = population(n)
    sums = integer_sums.sum_people(made, lambda a, b: people[a:b], n)
    exact = made.decode(made.exact_mean(sums))
    source = noise.SecureNoise()
    draws = np.array([made.draw(sums, source) - exact for _ in range(40)])
    coordinates = (bounds.coefficients(draws) if made.gives_curves else draws) / (made.noise / n * made.back)
    assert_chi_square(coordinates)
    assert_chi_square(coordinates.sum(axis=-1) / np.sqrt(SHAPE[2]))


def assert_chi_square(standard):
    low, high = chi2.ppf([FAILURE / 2, 1 - FAILURE / 2], standard.size)
    assert low < np.sum(standard**2) < high


def test_a_wrong_scale_would_be_noticed():
    with pytest.raises(AssertionError):
        assert_chi_square(1.2 * np.random.default_rng(0).normal(size=(40, *SHAPE)))


@pytest.mark.parametrize("name", mechanisms.NAMES)
def test_opendp_certifies_the_rho_that_belongs_to_mu(name):
    made = make(name)
    _, rho = made.noised_mean(np.zeros(np.prod(SHAPE), dtype=np.int64), noise.SecureNoise())
    assert rho == pytest.approx(made.mu**2 / 2, rel=1e-9)


def test_without_noise_the_release_is_the_filtered_mean():
    made = make("matched_joint")
    people = population()
    sums = integer_sums.sum_people(made, lambda a, b: people[a:b], 30)
    filters = made.back * made.gain
    expected = REFERENCE + bounds.curves(filters * bounds.coefficients(made.clip(people).mean(axis=0)))
    assert np.allclose(made.decode(made.exact_mean(sums)), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", mechanisms.NAMES)
def test_the_sum_is_the_same_in_any_order_and_in_any_portions(monkeypatch, name):
    """So each person's integers are the same alone and within a batch."""
    made = make(name)
    people = population(700)
    one = integer_sums.sum_people(made, lambda a, b: people[a:b], 700)
    shuffled = people[np.random.default_rng(1).permutation(700)]
    monkeypatch.setattr(type(made), "at_once", 1)
    assert np.array_equal(one, integer_sums.sum_people(made, lambda a, b: shuffled[a:b], 700))


def test_seeded_noise_repeats_and_says_that_it_is_not_private():
    made = make("matched")
    sums = np.zeros(np.prod(SHAPE), dtype=np.int64)
    one, two = (made.draw(sums, noise.SeededNoise(3)) for _ in range(2))
    assert np.array_equal(one, two)
    assert not noise.make_source(3).secure
    assert "seed" in noise.make_source(3).words
    other = [made.draw(sums, noise.make_source(None)) for _ in range(2)]
    assert not np.array_equal(*other)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": 1}, "at least 2 faces"),
        ({"budget": {"mu": [0.2, 0, 0.5]}}, "three positive numbers"),
        ({"budget": {"mu_total": -1}}, "mu_total must be a positive number"),
        ({"kernel_settings": {**KERNEL, "phi": [0, 1, 1]}}, "phi must be positive"),
        ({"name": "magic"}, "unknown mechanism 'magic'"),
    ],
)
def test_refusals_come_before_any_noise(change, words):
    with pytest.raises((RefusedRelease, ConfigError), match=words):
        make(**{"name": "matched", **change})


def test_pointwise_needs_ranges_and_public_bounds_need_tau():
    numbers = bounds.from_numbers([1, 1, 1], SHAPE[0])
    with pytest.raises(RefusedRelease, match="needs ranges"):
        mechanisms.make("pointwise", SHAPE, 9, numbers, None, {"mu_total": 1}, KERNEL)
    with pytest.raises(RefusedRelease, match=r"faces\.bounds\.tau"):
        bounds.from_numbers(None, SHAPE[0])


def test_pointwise_takes_the_papers_budget_for_each_curve_too():
    assert make("pointwise", budget=PAPER).mu == pytest.approx(np.sqrt(SHAPE[0] * (0.2**2 + 0.2**2 + 0.55**2)))


def test_bounds_and_curves_of_different_templates_are_refused():
    numbers = bounds.from_numbers([1, 1, 1], SHAPE[0] + 1)
    with pytest.raises(RefusedRelease, match="same settings"):
        mechanisms.make("matched", SHAPE, 9, numbers, None, PAPER, KERNEL)
    with pytest.raises(RefusedRelease, match="same settings"):
        mechanisms.make("matched", SHAPE, 9, public_bounds(), REFERENCE[:, :, ::2], PAPER, KERNEL)


@pytest.mark.parametrize("name", mechanisms.NAMES)
def test_a_bound_of_zero_is_refused_because_its_noise_would_be_zero(name):
    same = public_bounds(people=np.repeat(REFERENCE[None], 4, axis=0))
    with pytest.raises(RefusedRelease, match="tau must be a positive number"):
        mechanisms.make(name, SHAPE, 9, same, REFERENCE, {"mu_total": 1.0}, KERNEL)


def test_bounds_of_a_public_set_do_not_move_with_the_private_data():
    """Contract 1: change the data; the noise scale must not move."""
    before = make("matched_joint").noise_sd()
    population(seed=77)
    assert np.array_equal(before, make("matched_joint").noise_sd())
