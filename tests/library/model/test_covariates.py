"""Covariates as numbers: public settings alone say what a cell counts as, and whatever is odd is the middle."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.errors import ConfigError
from shapedp.model import covariates

AGE = covariates.Covariate("age", 20.0, 60.0)
GUESSED = covariates.Covariate("age", 18.0, 90.0, mean=30.0, sd=10.0)
SEX = covariates.Covariate("sex", -1.0, 1.0, ("f", "m"))


@pytest.mark.parametrize(
    ("one", "text", "coded"),
    [
        *((AGE, "20", -1.0), (AGE, " 50 ", 0.5), (AGE, "60.0", 1.0), (AGE, "1e9", 1.0), (AGE, "-4", -1.0)),
        *((GUESSED, "30", 0.0), (GUESSED, "55", 1.0), (GUESSED, "40", 0.4), (GUESSED, "90", 1.0)),
        *((SEX, "f", -1.0), (SEX, "m", 1.0), (SEX, " m", 1.0)),
    ],
)
def test_what_a_cell_counts_as(one, text, coded):
    assert one.coded(text) == pytest.approx(coded)
    assert one.value(text) == pytest.approx(coded)


@pytest.mark.parametrize("one", [AGE, GUESSED, SEX])
@pytest.mark.parametrize("text", ["", "unknown", "nan", "inf", "-1e999", "M", None])
def test_what_cannot_be_read_is_the_middle_and_is_refused_where_a_reader_asks_for_it(one, text):
    assert one.coded(text) == 0.0
    with pytest.raises(ConfigError, match=rf"{one.name}: found .*give"):
        one.value(text)


def test_the_spread_that_public_numbers_tell_is_that_of_such_people():
    rng = np.random.default_rng(1)
    told = {
        AGE: rng.uniform(20, 60, 8000),
        GUESSED: rng.normal(30, 10, 8000),
        SEX: rng.choice(["f", "m"], 8000),
    }
    for one, values in told.items():
        assert_allclose(np.var([one.coded(str(value)) for value in values]), one.variance, rtol=0.04)


def test_a_clamp_never_lies_beyond_the_range_on_its_farther_side():
    assert GUESSED.reach == 25.0
    assert covariates.Covariate("age", 18.0, 40.0, mean=30.0, sd=10.0).reach == 12.0


def test_covariates_are_in_the_order_of_their_names():
    found = covariates.of_settings({"sex": {"levels": ["f", "m"]}, "age": {"range": [18, 90], "mean": 30, "sd": 10}})
    assert found == (GUESSED, SEX)


def test_a_person_with_several_rows_has_their_mean_and_one_without_any_the_middle():
    cells = [
        ("ann", {"age": "20"}),
        ("bob", {"age": "50", "sex": "m"}),
        ("ann", {"age": "40", "sex": "f"}),
        ("eve", {}),
    ]
    found = covariates.table((AGE, SEX), cells, ["bob", "ann", "kim"])
    assert_allclose(found, [[0.5, 1.0], [-0.5, -0.5], [0.0, 0.0]])
