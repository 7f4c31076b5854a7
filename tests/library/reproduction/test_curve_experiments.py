"""Drawn releases have the expected error in closed form; noise, bias and sampling each by another road."""

import numpy as np
import pytest
from matplotlib import image
from threadpoolctl import threadpool_limits

import tolerances
from draw_simulations import FACES, FIGURES
from library.reproduction import curve_cells
from shapedp.app.forecast import comparison
from shapedp.releases.figures import style
from shapedp.reproduction import curve_experiments, curve_faces, curve_population, experiments
from simulate_cells import simulate_cells

PEOPLE, N, REPLICATES = 20, 100, 300
CASES = [
    (version, name) for version in ("published", "corrected") for name in ("rkhs_paper", "matched_joint", "pointwise")
]


@pytest.mark.parametrize(("version", "name"), CASES)
def test_drawn_errors_have_the_expected_mean(version, name):
    made, found = (
        curve_experiments.make_mechanism(version, name, N, 2.0, PEOPLE),
        curve_experiments.compute_linear(version, name, PEOPLE),
    )
    drawn = curve_experiments.draw_errors(made, found, N, REPLICATES, np.random.default_rng(5))
    wanted = sum(curve_experiments.predict_errors(made, found, N).values())
    assert abs(drawn.mean() - wanted) < tolerances.SIMULATED_SE * drawn.std(ddof=1) / np.sqrt(REPLICATES)


@pytest.mark.parametrize(("version", "name"), CASES)
def test_bias_is_the_distance_of_a_release_without_noise_from_the_mean(version, name):
    made = curve_experiments.make_mechanism(version, name, N, 2.0, PEOPLE)
    taken = curve_population.population(PEOPLE).curves
    still = made.decode(made.encode(taken).mean(axis=0))
    bias = curve_experiments.predict_errors(made, curve_experiments.compute_linear(version, name, PEOPLE), N)["bias"]
    assert bias == pytest.approx(comparison.mean_squared_distance(still, taken.mean(axis=0)), rel=tolerances.PARSEVAL)


def test_sampling_error_is_the_variance_of_people_over_n():
    """Point-wise and bounded by the data nobody is clamped, so D is the people themselves."""
    taken = curve_population.population(PEOPLE).curves
    variance = np.mean(np.sum(np.var(taken, axis=0), axis=1))
    made, found = (
        curve_experiments.make_mechanism("published", "pointwise", N, 2.0, PEOPLE),
        curve_experiments.compute_linear("published", "pointwise", PEOPLE),
    )
    assert curve_experiments.predict_errors(made, found, N)["sampling"] == pytest.approx(variance / N)


def test_noise_of_the_published_mechanism_by_its_formula():
    """sum_j lambda_j (2 tau/(n sqrt(phi) mu))^2 over x, y, z, averaged over curves."""
    made = curve_experiments.make_mechanism("published", "rkhs_paper", N, curve_experiments.PAPER_MU, PEOPLE)
    tau = curve_population.learn_bounds("published", PEOPLE)[0].tau
    trace = 1.0  # the kernel's trace over m, k(t, t) = 1
    by_hand = trace * (2 * tau / (N * np.sqrt(curve_experiments.KERNEL["phi"]) * curve_experiments.PAPER_SPLIT)) ** 2
    noise = curve_experiments.predict_errors(
        made, curve_experiments.compute_linear("published", "rkhs_paper", PEOPLE), N
    )["noise"]
    assert noise == pytest.approx(by_hand.sum(axis=1).mean(), rel=tolerances.PARSEVAL)


@pytest.mark.parametrize("version", ["published", "corrected"])
def test_noise_falls_with_the_square_of_mu(version):
    noise = [curve_experiments.make_mechanism(version, "matched", N, mu, PEOPLE).variances().sum() for mu in (1.0, 2.0)]
    assert noise[0] == pytest.approx(4 * noise[1])


def test_deviations_do_not_depend_on_the_budget_they_were_computed_at():
    made = curve_experiments.make_mechanism("corrected", "matched_joint", N, 0.7, PEOPLE)
    other = made.back * made.encode(curve_population.population(PEOPLE).curves)
    np.testing.assert_allclose(
        curve_experiments.compute_linear("corrected", "matched_joint", PEOPLE).deviations, other, atol=1e-15
    )


def test_published_split_is_that_of_the_paper():
    made = curve_experiments.make_mechanism("published", "matched", N, curve_experiments.PAPER_MU, PEOPLE)
    assert made.claimed == pytest.approx(np.sqrt(23 * (0.2**2 + 0.2**2 + 0.55**2)))


COUNT = curve_cells.PEOPLE


def one_cell(experiment, **setting):
    return next(
        curve_cells.small(cell)
        for cell in experiments.cells("curve_releases", "quick")
        if cell.experiment == experiment and setting.items() <= dict(cell.setting).items()
    )


@pytest.mark.parametrize("scale", ["quick", "paper"])
def test_every_cell_is_in_one_job_under_a_name_of_its_own(scale):
    names = [cell.name for cell in experiments.cells("curve_releases", scale)]
    assert len(set(names)) == len(names)
    drawn = {*experiments.FIGURES, *experiments.figures(scale)}
    assert drawn == {*FIGURES, *(FACES if scale == "paper" else ())}


def test_numbers_depend_on_the_cell_and_not_on_what_was_computed_before(tmp_path):
    first = one_cell("curve_size", version="corrected", mechanism="matched", n=100)
    other = one_cell("curve_size", version="corrected", mechanism="matched", n=10_000)
    alone = curve_cells.write(tmp_path / "alone.h5", [first])
    after = curve_cells.write(tmp_path / "after.h5", [other, first])
    reseeded = curve_cells.write(tmp_path / "seed.h5", [first], seed=8)
    found = [one.values("curve_size", "error", **dict(first.setting)) for one in (alone, after, reseeded)]
    np.testing.assert_array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


@pytest.mark.slow
def test_numbers_do_not_depend_on_the_number_of_threads(tmp_path, monkeypatch):
    cell = next(
        one for one in experiments.cells("curve_releases", "quick") if dict(one.setting).get("mechanism") == "matched"
    )
    monkeypatch.setattr(experiments, "jobs", lambda branch, scale, residual: {"one": [cell]})
    files = [tmp_path / f"{threads}.h5" for threads in (1, 2)]
    for threads, path in zip((1, 2), files, strict=True):
        for cached in (curve_population.population, curve_population.learn_bounds, curve_experiments.compute_linear):
            cached.cache_clear()
        with threadpool_limits(threads):
            simulate_cells(path, "curve_releases", "one", "quick", 3)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_pointwise_errors_of_table_1_by_formula():
    """E = (1/N) sum_kl (Delta_kl/(n mu_p))^2, mu_p = mu/sqrt(3 N); without 1/n it is n^2 times as large."""
    found = curve_experiments.curve_table("published", 2.0, COUNT, 4, np.random.default_rng(3))
    whole = curve_population.population(COUNT)
    delta = whole.upper - whole.lower
    wanted = np.mean(np.sum((delta / 1000) ** 2, axis=1)) * delta.size / 2.0**2
    assert found["pointwise a"].mean() == pytest.approx(
        wanted, rel=tolerances.SIMULATED_SE * np.sqrt(2 / (4 * delta.size)) * 2
    )
    assert found["pointwise_literal a"].mean() == pytest.approx(1e6 * wanted, rel=0.05)


@pytest.mark.slow
def test_curves_errors_of_table_1_are_the_noise_that_the_mechanism_states():
    found = curve_experiments.curve_table("published", 2.0, COUNT, 40, np.random.default_rng(3))
    made = curve_experiments.make_mechanism("published", "rkhs_paper", 1000, 2.0, COUNT)
    wanted, drawn = made.variances().sum(axis=1).mean(), found["rkhs_paper c"]
    assert abs(drawn.mean() - wanted) < tolerances.SIMULATED_SE * drawn.std(ddof=1) / np.sqrt(len(drawn))
    assert np.all(found["mean b"] < found["smooth b"])  # the filter moves curves away from the vertices


@pytest.mark.slow
def test_faces_come_nearer_to_their_curves_with_every_curve():
    distances = [
        curve_experiments.curve_count(curves, COUNT, 1, None)["distance"][0]
        for curves in (8, 23, curve_population.RINGS)
    ]
    assert distances == sorted(distances, reverse=True) and distances[-1] < distances[0] / 50


def test_published_sensitivity_is_four_times_too_large():
    """max lambda/(lambda + phi)^2 <= 1/(4 phi), with equality where some lambda = phi."""
    found = curve_experiments.curve_sensitivity(COUNT, 1, None)
    assert min(found["x"][0], found["z"][0]) >= 4 and max(found["x"][0], found["z"][0]) < 4.1
    assert abs(found["least_eigenvalue"][0]) < tolerances.EIGENVALUES


@pytest.mark.slow
def test_a_registered_face_comes_nearer_to_true_correspondence():
    found = curve_faces.curve_chain(COUNT, 2, None)
    assert np.all(found["after"] < found["before"])
    assert all(np.all(found[name] > 0) for name in found if name.startswith("seconds"))


@pytest.mark.slow
@pytest.mark.thorough
def test_figures_are_drawn_with_their_axes_named(tmp_path):
    pictures = [tmp_path / f"{name}.png" for name in experiments.CURVE_FIGURES]
    for picture, name in zip(pictures, experiments.CURVE_FIGURES, strict=True):
        style.save(FIGURES[name](curve_cells.results()), picture)
    axes = ("people n", "total budget mu", "mean squared error", "factor on phi")
    words = dict(zip(experiments.CURVE_FIGURES, axes, strict=True))
    for picture in pictures:
        assert image.imread(picture)[..., :3].std() > 0.05
        assert words[picture.stem] in picture.with_suffix(".svg").read_text(encoding="utf-8")
