"""One prediction everywhere: the tables, the forecast, the picture and the command say the same of the same release."""

import csv
import io

import matplotlib.pyplot as plt
import numpy as np
import pytest

from library.privacy.learned import people
from shapedp.app.forecast import charts, forecasts, predictions
from shapedp.privacy import noise
from shapedp.privacy.curves import bounds
from shapedp.privacy.statistic import Rows
from shapedp.releases.model import released_model
from shapedp.releases.model.model_mechanism import FaceModel

KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
LIMITS = bounds.from_numbers([0.02, 0.03, 0.04], people.SHAPE[0])
INPUTS = predictions.Inputs(people.SHAPE, 200.0, LIMITS, KERNEL, people.variation(count=60))


def rows(lines):
    return list(csv.DictReader(io.StringIO("\n".join(lines)), delimiter="\t"))


@pytest.fixture(scope="module")
def table():
    return rows(predictions.format_table(INPUTS))


def test_the_table_has_a_line_for_each_mechanism_n_and_mu(table):
    found = [(row["mechanism"], int(row["n"]), float(row["mu"])) for row in table]
    assert found == [(name, n, mu) for name in INPUTS.names for mu in predictions.BUDGETS for n in predictions.PEOPLE]


@pytest.mark.parametrize("name", ["shaped", "matched_joint"])
def test_table_answers_forecast_and_command_agree(table, name):
    said = {float(row["mu"]): row for row in table if (row["mechanism"], row["n"]) == (name, "300")}
    answered = {float(row["mu"]): row for row in rows(predictions.format_answers(INPUTS)) if row["mechanism"] == name}
    foretold = {row.cost.mu: row for row in forecasts.list_face_rows(INPUTS, 300, 5.0) if row.mechanism == name}
    for mu in (0.25, 1.0):
        error = float(said[mu]["error_mm"])
        assert float(answered[mu][f"error_mm_with_{predictions.PLANNED_PEOPLE}_people"]) == error
        assert foretold[mu].noise == pytest.approx(float(said[mu]["noise_mm"]), rel=1e-3)
        first, *_, last, _ = predictions.describe_prediction(INPUTS, name, 300, mu, predictions.TARGET)
        assert float(first.split("error ")[1].split()[0]) == pytest.approx(error, rel=0.01)
        assert f": {answered[3.0]['people_for_0.5_mm']} people" in last


def test_half_a_millimetre_at_strong_privacy_is_answered():
    [line] = [line for line in predictions.describe_prediction(INPUTS, "shaped", 300, 1.0, 0.5) if "(strong)" in line]
    assert line == f"for 0.5 mm at mu = 0.25 (strong): {INPUTS.people_needed('shaped', 0.25, 0.5)} people"


def test_the_picture_draws_the_tables_numbers(table):
    made = charts.draw_plan(INPUTS, [("curves", "23", 1.0)])
    by_mechanism, by_budget, _ = made.axes
    lines = [line.get_ydata() for line in by_mechanism.lines if len(line.get_ydata()) > 2]
    drawn = dict(zip(INPUTS.names, lines, strict=True))
    last = {row["mechanism"]: row for row in table if (row["n"], row["mu"]) == ("10000", "1")}
    for name, values in drawn.items():
        assert values[-1] == pytest.approx(float(last[name]["error_mm"]), rel=1e-3)
    shaped = [line.get_ydata()[-1] for line in by_budget.lines]
    expected = [float(row["error_mm"]) for row in table if (row["mechanism"], row["n"]) == ("shaped", "10000")]
    chance = [float(last["shaped"][key]) for key in ("public_reference_mm", "sampling_error_mm")]
    assert shaped == pytest.approx([*expected, *chance], rel=1e-3)
    plt.close(made)


MU, SCALE = 3.0, 200.0
PUBLIC = people.variation(count=60)


def test_the_people_needed_are_those_that_compare_reckons_from_two_releases():
    n = predictions.count_people_for_groups(PUBLIC, MU, SCALE)
    made = FaceModel.from_variation(PUBLIC, n, MU)
    fields = []
    for seed in (5, 6):
        sums = made.sums(Rows(n, people.reading(people.draw(n, seed)), np.zeros((n, 0)))).values
        values = made.fields(*made.draw(sums, noise.SeededNoise(seed)))
        model = released_model.Released.from_fields({**values, "radii": np.ones(1), "scale": SCALE}, ())
        fields.append(model.covariances(model.average))
    found = released_model.people_needed(fields, [n, n], released_model.SHIFT, released_model.SHARE)
    assert found == pytest.approx(n, rel=0.2)


def test_its_noise_is_that_of_the_mechanism():
    made = FaceModel.from_variation(PUBLIC, 300, MU)
    foretold, _ = made.foretold()
    assert np.mean(released_model.band(foretold) ** 2) == pytest.approx(made.noise_size() ** 2, rel=1e-5)


def test_a_plan_says_it_or_why_there_is_no_model():
    limits = bounds.from_numbers([0.02, 0.03, 0.04], people.SHAPE[0])
    kernel = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
    inputs = predictions.Inputs(people.SHAPE, SCALE, limits, kernel, PUBLIC)
    *_, last = predictions.describe_prediction(inputs, "shaped", 300, MU)
    assert (
        last.endswith(released_model.words(predictions.count_people_for_groups(PUBLIC, MU, SCALE)))
        and "mu = 3:" in last
    )
    *_, last = predictions.describe_prediction(inputs, "shaped", 300, 1e-3)
    assert last.startswith("two groups: a model of 1000 people at mu = 0.001: noise would leave no mode")
