"""The experiments on curves: seeds by cell, Table 1 by hand, known limits; and their figures."""

import numpy as np
import pytest
from matplotlib import image
from threadpoolctl import threadpool_limits

import tolerances
from draw_curve_simulations import FIGURES
from library.simulation import curve_cells
from shapedp.figures import simulated_faces, style
from shapedp.simulation import curve_chain, curve_experiments, curve_plan, curve_table
from shapedp.simulation import curve_population as people
from shapedp.simulation import curve_releases as releases
from simulate_curve_releases import simulate_curve_releases

COUNT = curve_cells.PEOPLE


def one_cell(experiment, **setting):
    return next(
        curve_cells.small(cell)
        for cell in curve_plan.cells("quick")
        if cell.experiment == experiment and setting.items() <= dict(cell.setting).items()
    )


@pytest.mark.parametrize("scale", ["quick", "paper"])
def test_every_cell_is_in_one_job_under_a_name_of_its_own(scale):
    names = [cell.name for cell in curve_plan.cells(scale)]
    assert len(set(names)) == len(names)
    assert set(curve_plan.FIGURES) == set(FIGURES)
    assert set(curve_plan.figures(scale)) == {*FIGURES, *(simulated_faces.FIGURES if scale == "paper" else ())}


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
    cell = next(one for one in curve_plan.cells("quick") if dict(one.setting).get("mechanism") == "matched")
    monkeypatch.setattr(curve_plan, "jobs", lambda scale: {"one": [cell]})
    files = [tmp_path / f"{threads}.h5" for threads in (1, 2)]
    for threads, path in zip((1, 2), files, strict=True):
        for cached in (people.population, people.limits_of, releases.linear):
            cached.cache_clear()
        with threadpool_limits(threads):
            simulate_curve_releases(path, "one", "quick", 3)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_pointwise_errors_of_table_1_by_formula():
    """E = (1/N) sum_kl (Delta_kl/(n mu_p))^2, mu_p = mu/sqrt(3 N); without 1/n it is n^2 times as large."""
    found = curve_table.curve_table("published", 2.0, COUNT, 4, np.random.default_rng(3))
    whole = people.population(COUNT)
    delta = whole.upper - whole.lower
    wanted = np.mean(np.sum((delta / 1000) ** 2, axis=1)) * delta.size / 2.0**2
    assert found["pointwise a"].mean() == pytest.approx(
        wanted, rel=tolerances.SIMULATED_SE * np.sqrt(2 / (4 * delta.size)) * 2
    )
    assert found["pointwise_literal a"].mean() == pytest.approx(1e6 * wanted, rel=0.05)


@pytest.mark.slow
def test_curves_errors_of_table_1_are_the_noise_that_the_mechanism_states():
    found = curve_table.curve_table("published", 2.0, COUNT, 40, np.random.default_rng(3))
    made = curve_table.releases.mechanism("published", "rkhs_paper", 1000, 2.0, COUNT)
    wanted, drawn = made.variances().sum(axis=1).mean(), found["rkhs_paper c"]
    assert abs(drawn.mean() - wanted) < tolerances.SIMULATED_SE * drawn.std(ddof=1) / np.sqrt(len(drawn))
    assert np.all(found["mean b"] < found["smooth b"])  # the filter moves curves away from the vertices


@pytest.mark.slow
def test_faces_come_nearer_to_their_curves_with_every_curve():
    distances = [
        curve_experiments.curve_count(curves, COUNT, 1, None)["distance"][0] for curves in (8, 23, people.RINGS)
    ]
    assert distances == sorted(distances, reverse=True) and distances[-1] < distances[0] / 50


def test_published_sensitivity_is_four_times_too_large():
    """max lambda/(lambda + phi)^2 <= 1/(4 phi), with equality where some lambda = phi."""
    found = curve_experiments.curve_sensitivity(COUNT, 1, None)
    assert min(found["x"][0], found["z"][0]) >= 4 and max(found["x"][0], found["z"][0]) < 4.1
    assert abs(found["least_eigenvalue"][0]) < tolerances.EIGENVALUES


@pytest.mark.slow
def test_a_registered_face_comes_nearer_to_true_correspondence():
    found = curve_chain.curve_chain(COUNT, 2, None)
    assert np.all(found["after"] < found["before"])
    assert all(np.all(found[name] > 0) for name in found if name.startswith("seconds"))


@pytest.mark.slow
def test_figures_are_drawn_with_their_axes_named(tmp_path):
    pictures = [tmp_path / f"{name}.png" for name in FIGURES]
    for picture, draw in zip(pictures, FIGURES.values(), strict=True):
        style.save(draw(curve_cells.results()), picture)
    words = dict(zip(FIGURES, ("people n", "total budget mu", "mean squared error", "factor on phi"), strict=True))
    for picture in pictures:
        assert image.imread(picture)[..., :3].std() > 0.05
        assert words[picture.stem] in picture.with_suffix(".svg").read_text(encoding="utf-8")
