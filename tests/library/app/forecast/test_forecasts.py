"""The forecast follows the mechanisms: what it foretells of noise is what they draw."""

import numpy as np
import pytest

from shapedp.app.forecast import forecasts, predictions
from shapedp.privacy import worth
from shapedp.privacy.accounting.cost import GAUSSIAN
from shapedp.privacy.curves import bounds
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.shapes.base import Ball
from shapedp.privacy.shapes.learned import Shaped
from shapedp.releases import curve_mechanisms

SHAPE = (3, 3, 16)
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
SHAPED = {name + shrunk for name in ("shaped", "knorm") for shrunk in ("", forecasts.SHRUNK)}
LIMITS = bounds.from_numbers([0.02, 0.03, 0.04], 3)


def test_the_noise_of_a_face_is_that_of_its_mechanism():
    inputs = predictions.Inputs(SHAPE, 180.0, LIMITS, KERNEL)
    rows = [row for row in forecasts.list_face_rows(inputs, 50, 2.0) if row.mechanism == "matched"]
    for row in rows:
        budget = {"mu_total": row.cost.mu}
        made = curve_mechanisms.make("matched", SHAPE, 50, LIMITS, None, budget, KERNEL)
        assert row.noise == pytest.approx(180 * np.sqrt(np.mean(made.variances().sum(axis=1))), rel=1e-6)
    assert {row.cost.mu for row in rows} == {0.25, 0.5, 1.0, 2.0}


def test_the_noise_of_shapes_falls_with_the_budget_and_never_exceeds_their_space():
    p0 = Kendall(20).random_point(np.random.default_rng(1))
    rows = list(forecasts.list_shape_rows(Ball(400, p0, 0.2, 0), 5.0, np.inf))
    gaussian = {row.cost.mu: row.noise for row in rows if row.cost.kind == GAUSSIAN}
    assert gaussian[0.5] == pytest.approx(2 * gaussian[1.0])
    assert {row.mechanism for row in rows} == {*SHAPED, "gaussian", "laplace"}
    assert max(row.noise for row in forecasts.list_shape_rows(Ball(3, p0, 0.2, 0), 5.0, np.inf)) <= forecasts.FARTHEST
    for row in rows:
        if row.mechanism == "shaped":
            made = Shaped(Ball(400, p0, 0.2, 0), {"mu_total": row.cost.mu})
            assert row.noise == pytest.approx(made.noise_size()) and np.hypot(row.noise, row.bias) < row.reference


def test_noise_that_surely_exceeds_what_the_center_errs_by_is_no_better_without_a_public_set_too():
    p0 = Kendall(20).random_point(np.random.default_rng(1))
    rows = list(forecasts.list_shape_rows(Ball(40, p0, 0.2, 0), 5.0, np.inf))
    verdicts = {row.verdict for row in rows if row.mechanism in ("gaussian", "laplace") and row.noise > 0.3}
    assert verdicts == {worth.NO_BETTER} and not any(row.from_n for row in rows)


def test_landmarks_in_space_have_a_forecast_of_what_is_released_of_them():
    p0 = landmark_shapes.unit(np.random.default_rng(1).normal(size=(1, 20, 3)))[0][0]
    assert {row.mechanism for row in forecasts.list_shape_rows(Ball(400, p0, 0.2, 0), 5.0, np.inf)} == SHAPED


def test_a_shrunk_release_has_less_noise_and_errs_more_of_people_unlike_the_public_ones():
    p0 = Kendall(20).random_point(np.random.default_rng(1))
    rows = {(row.mechanism, row.cost.mu): row for row in forecasts.list_shape_rows(Ball(60, p0, 0.2, 8), 5.0, np.inf)}
    plain, shrunk = rows["shaped", 0.5], rows["shaped with shrink: true", 0.5]
    assert shrunk.noise < plain.noise and shrunk.bias > plain.bias and plain.reference == shrunk.reference
    assert np.hypot(shrunk.noise, shrunk.bias) < np.hypot(plain.noise, plain.bias)
    assert plain.unlike > plain.bias and shrunk.unlike > shrunk.bias


@pytest.mark.parametrize(("left", "last"), [(0.0, 2.0), (1.732, 2.0), (3.0, 3.0), (np.inf, 2.0)])
def test_budgets_looked_at_end_with_what_is_left(left, last):
    assert max(forecasts.choose_amounts(left)) == pytest.approx(last, rel=1e-3)


@pytest.mark.parametrize(("left", "most"), [(1.9365, 1.93), (2.0, 2.0), (0.012345, 0.0123)])
def test_all_that_is_left_is_asked_for_and_never_more(left, most):
    assert most in forecasts.choose_amounts(left) and all(
        one <= left for one in forecasts.choose_amounts(left) if one == most
    )
