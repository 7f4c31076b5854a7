"""Drawn releases have the expected error in closed form; noise, bias and sampling each by another road."""

import numpy as np
import pytest

import tolerances
from shapedp.accuracy import comparison
from shapedp.simulation import curve_population as people
from shapedp.simulation import curve_releases as releases

COUNT, N, REPLICATES = 20, 100, 300
CASES = [
    (version, name) for version in ("published", "corrected") for name in ("rkhs_paper", "matched_joint", "pointwise")
]


@pytest.mark.parametrize(("version", "name"), CASES)
def test_drawn_errors_have_the_expected_mean(version, name):
    made, found = releases.mechanism(version, name, N, 2.0, COUNT), releases.linear(version, name, COUNT)
    drawn = releases.errors(made, found, N, REPLICATES, np.random.default_rng(5))
    wanted = sum(releases.expected(made, found, N).values())
    assert abs(drawn.mean() - wanted) < tolerances.SIMULATED_SE * drawn.std(ddof=1) / np.sqrt(REPLICATES)


@pytest.mark.parametrize(("version", "name"), CASES)
def test_bias_is_the_distance_of_a_release_without_noise_from_the_mean(version, name):
    made = releases.mechanism(version, name, N, 2.0, COUNT)
    taken = people.population(COUNT).curves
    still = made.decode(made.encode(taken).mean(axis=0))
    bias = releases.expected(made, releases.linear(version, name, COUNT), N)["bias"]
    assert bias == pytest.approx(comparison.mean_square(still, taken.mean(axis=0)), rel=tolerances.PARSEVAL)


def test_sampling_error_is_the_variance_of_people_over_n():
    """Point-wise and bounded by the data nobody is clamped, so D is the people themselves."""
    taken = people.population(COUNT).curves
    variance = np.mean(np.sum(np.var(taken, axis=0), axis=1))
    made, found = (
        releases.mechanism("published", "pointwise", N, 2.0, COUNT),
        releases.linear("published", "pointwise", COUNT),
    )
    assert releases.expected(made, found, N)["sampling"] == pytest.approx(variance / N)


def test_noise_of_the_published_mechanism_by_its_formula():
    """sum_j lambda_j (2 tau/(n sqrt(phi) mu))^2 over x, y, z, averaged over curves."""
    made = releases.mechanism("published", "rkhs_paper", N, releases.PAPER_MU, COUNT)
    tau = people.limits_of("published", COUNT)[0].tau
    trace = 1.0  # the kernel's trace over m, k(t, t) = 1
    by_hand = trace * (2 * tau / (N * np.sqrt(releases.KERNEL["phi"]) * releases.PAPER_SPLIT)) ** 2
    noise = releases.expected(made, releases.linear("published", "rkhs_paper", COUNT), N)["noise"]
    assert noise == pytest.approx(by_hand.sum(axis=1).mean(), rel=tolerances.PARSEVAL)


@pytest.mark.parametrize("version", ["published", "corrected"])
def test_noise_falls_with_the_square_of_mu(version):
    noise = [releases.mechanism(version, "matched", N, mu, COUNT).variances().sum() for mu in (1.0, 2.0)]
    assert noise[0] == pytest.approx(4 * noise[1])


def test_deviations_do_not_depend_on_the_budget_they_were_computed_at():
    made = releases.mechanism("corrected", "matched_joint", N, 0.7, COUNT)
    other = made.back * made.encode(people.population(COUNT).curves)
    np.testing.assert_allclose(releases.linear("corrected", "matched_joint", COUNT).deviations, other, atol=1e-15)


def test_published_split_is_that_of_the_paper():
    made = releases.mechanism("published", "matched", N, releases.PAPER_MU, COUNT)
    assert made.claimed == pytest.approx(np.sqrt(23 * (0.2**2 + 0.2**2 + 0.55**2)))
