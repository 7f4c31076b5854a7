"""The experiments, against closed forms, proved bounds and numbers measured by other programs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.privacy.accounting import sensitivity
from shapedp.reproduction import markov, space_experiments, spaces
from shapedp.reproduction.spaces import Case

SURE = 5  # standard errors


@pytest.fixture
def rng():
    return np.random.default_rng(20261121)


def near(values, expected):
    """Whether the mean is the expected one, beyond chance."""
    return abs(values.mean() - expected) < SURE * values.std() / np.sqrt(len(values))


@pytest.mark.parametrize("space", ["S2", "P2"])
def test_neighbours_stay_within_the_bound_and_move_with_it(space, rng):
    where = spaces.published_space(space)
    for n in (10, 40):
        found = space_experiments.neighbours(space, n, 200, rng)["distance"]
        bound = sensitivity.mean_sensitivity(where.manifold, where.r, n)
        assert 0.3 * bound < found.max() <= bound


def test_the_worst_pair_breaks_the_flat_scale_and_not_the_proved_one(rng):
    """docs/mathematics.md, (7.5): n |mean - mean'| exceeds 2 r_E, .780 on S²."""
    where = spaces.published_space("S2")
    found = space_experiments.worst_pair("S2", 10, 1, rng)
    assert found["flat"][0] > 4 * np.sin(where.r / 2)
    assert found["geodesic"][0] <= 10 * sensitivity.mean_sensitivity(where.manifold, where.r, 10)


def test_the_grid_of_the_boundary_gives_the_published_figure():
    """.8062 at r = π/8; between 2r and the bounds, and 2r in a small ball."""
    assert_allclose(space_experiments.search_boundary(np.pi / 8), 0.8062, atol=5e-5)
    assert_allclose(space_experiments.search_boundary(1e-3), 2e-3, rtol=1e-6)
    for r in (0.2, 0.5, 0.7):
        bound = 2 * r * sensitivity.expansion(spaces.published_space("S2").manifold, r)
        assert 2 * r < space_experiments.search_boundary(r) < bound


def test_a_finer_grid_converges_from_below():
    """The optimum is smooth: a grid four times as fine moves it by the square of the spacing."""
    coarse, fine = (space_experiments.search_boundary(0.5, grid) for grid in (120, 480))
    assert 0 <= fine - coarse < (2 * np.pi / 120) ** 2


@pytest.mark.slow
def test_privacy_loss_of_the_printed_scale(rng):
    found = space_experiments.privacy(1, rng)
    losses = {"kng_published": 1.45, "kng_published_2r": 1.28, "kng_published_twice": 0.77}
    for name, loss in losses.items():
        assert_allclose(found[name], loss, atol=0.01)
    assert max(found["proved"][0], found["kng_published_twice_2r"][0]) <= 1


@pytest.mark.slow
def test_the_laplace_pays_for_its_normaliser_in_a_ball_only(rng):
    """2021, Theorem 1; over the whole sphere the loss is the distance of the footpoints over sigma, exactly epsilon."""
    found = space_experiments.laplace_privacy(1, rng)
    assert_allclose(found["whole"], 1, rtol=1e-4)
    assert found["ball_twice"][0] <= 1 < found["ball"][0] <= 2


@pytest.mark.parametrize("n", [10, 100])
def test_means_on_the_circle_jump_to_the_other_side(n, rng):
    """2021, Example 1: one of n records moved by a hundredth of their spacing."""
    assert_allclose(space_experiments.circle(n, 1, rng)["apart"], np.pi, atol=2 * np.pi / n**2)


def test_the_mean_of_an_angle_is_found_by_hand():
    """Of 350, 10 and 30 degrees: 10, across the cut."""
    found = space_experiments._average_angles(np.deg2rad([350.0, 10.0, 30.0]))
    assert_allclose(np.cos(found - np.deg2rad(10)), 1, atol=1e-12)


def test_the_gradient_changes_by_what_theorem_2_allows(rng):
    """.8062 on S² at r = π/8, as the supplement's grid finds; 2r where curvature is not positive."""
    assert_allclose(space_experiments.gradient_change("S2", 1, rng)["largest"], 0.8062, atol=5e-4)
    assert_allclose(space_experiments.gradient_change("P2", 1, rng)["largest"], 3, atol=1e-3)


@pytest.mark.slow
def test_a_search_goes_farther_than_random_points_within_lemma_1(rng):
    found = space_experiments.gradient_extremes("S2", 3, 1, rng)
    random = space_experiments.gradient_ratio("S2", 3, 200, rng)["ratio"]
    assert np.pi / 4 <= found["least"][0] < random.min()
    assert random.max() <= found["largest"][0] <= 1 + 1e-6


def test_gradient_lies_between_the_bounds_of_lemma_1(rng):
    assert (space_experiments.gradient_ratio("P2", 10, 200, rng)["ratio"] >= 1).all(), "log contracts on P(k)"
    ratio = space_experiments.gradient_ratio("S2", 10, 200, rng)["ratio"]
    assert ((ratio > np.pi / 4) & (ratio <= 1)).all()


def test_the_descent_halves_the_way_in_flat_surroundings(rng):
    """Step 1/2 in a nearly flat ball: log2(start / tolerance) steps, start at most 2r."""
    steps = space_experiments.descent("S2", 30, 50, rng)["steps"]
    assert (steps <= np.log2(np.pi / 4 / 1e-5) + 2).all()
    assert (steps >= 5).all()


def test_the_flat_ball_around_a_ball_of_matrices(rng):
    assert_allclose(space_experiments.flat_radius(1.5, 1, rng)["largest"], np.expm1(1.5), rtol=1e-9)


@pytest.mark.slow
def test_errors_on_the_sphere_are_those_of_their_laws(rng):
    """n = 300, where S² is flat to 1e-4: 2 sigma for the manifold, 3 sigma in R³, 3 π/4 sigma of it tangential."""
    found = space_experiments.accuracy("S2", 300, 4000, rng)
    r, curved = np.pi / 8, np.pi / 4  # h_max(2r) = 2r cot 2r = π/4
    scales = {
        "laplace": 2 * (2 * r / np.sin(2 * r)) * 2 * r / curved,
        "laplace_published": 2 * (2 - curved) * 2 * r / curved,
        "laplace_empirical": 2 * 0.8062 / curved,
        "euclidean_published": 3 * 4 * np.sin(r / 2),
        "projected_published": 3 * np.pi / 4 * 4 * np.sin(r / 2),
        "euclidean": 3 * (2 * r / np.sin(2 * r)) * 2 * r / curved,
    }
    for method, scale in scales.items():
        assert near(found[method], scale / 300), method
    assert found["kng"].mean() > 1.4 * found["laplace"].mean(), "the factor 2 of the gradient mechanism"


def test_tangent_gaussian_has_a_rayleigh_error_about_its_own_center(rng):
    where = spaces.published_space("S2")
    data = np.broadcast_to(where.p0, (500, 1000, 3))
    case = Case(where, data, data[:, 0], 1.0, rng, 4)
    found = space_experiments.measure_distances(case)["gaussian"]
    assert found.shape == (500, 4)
    sd = 2 * where.r / (1000 * 0.2297)  # mu of (1, 1e-6)-DP, from delta(1) = 1e-6
    assert_allclose(found.mean(), sd * np.sqrt(np.pi / 2), rtol=SURE * 0.523 / np.sqrt(2000))


@pytest.mark.slow
def test_few_matrices_leave_the_cone_where_there_are_many_people(rng):
    share = [space_experiments.accuracy("P2", n, 400, rng)["outside_published"].mean() for n in (20, 200)]
    assert share[0] > 0.2 > 0.05 > share[1]


def test_draws_of_each_data_set_fill_the_replicates(rng):
    found = space_experiments.dimension("CP", 2, 30, rng)
    assert {name: values.shape for name, values in found.items()} == dict.fromkeys(space_experiments.MECHANISMS, (30,))


@pytest.mark.slow
def test_a_chain_that_repeats_has_the_exact_law_and_a_short_one_has_not(rng):
    found = markov.chain_length("repeat", 500, 1000, rng)
    error = np.hypot(found["chain"].std(), found["exact"].std()) / np.sqrt(1000)
    assert abs(found["chain"].mean() - found["exact"].mean()) < SURE * error
    start = markov.chain_length("repeat", 10, 1000, rng)
    assert start["chain"].mean() < 0.9 * start["exact"].mean(), "it starts at the mean"


@pytest.mark.slow
def test_outlines_are_turned_to_the_mean_and_all_there(rng):
    found = space_experiments.outlines(2, rng)
    kinds = {name.rstrip("0123456789") for name in found}
    assert kinds == {
        "sample_",
        "mean",
        *(f"{one}{end}" for one in space_experiments.OUTLINES_DRAWN for end in ("_", "_smoothed_")),
    }
    mean = found["mean"][:50] + 1j * found["mean"][50:]
    released = found["kng_once_0"][:50] + 1j * found["kng_once_0"][50:]
    overlap = np.vdot(mean, released)
    assert overlap.real > 0.9
    assert abs(overlap.imag) < 1e-12


@pytest.mark.slow
def test_alignment_and_the_contour_basis_help(rng):
    found = {name: values.mean() for name, values in space_experiments.shape_accuracy(20, rng).items()}
    assert found["unaligned"] > 1.5 * found["pointwise"]
    assert found["kng_proved"] < found["kng_once"] < found["kng_twice"]
    assert found["kng_once_r"] < found["kng_once"], "h(r) is larger than h(2r)"
    assert found["kng_twice_smoothed_crossings"] < found["kng_twice_crossings"]
