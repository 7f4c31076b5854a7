"""Rows that occur more than once are found, whatever numbers they hold, and the first of each is kept in its place."""

import numpy as np
import pytest

from shapedp.surfaces.scans.scan import merge

CLOUDS = {
    "random": np.random.default_rng(1).standard_normal((3000, 3)),
    "whole numbers": np.unique(np.random.default_rng(2).integers(-9, 9, (3000, 3)), axis=0).astype(float),
    "one column": np.column_stack([np.arange(3000.0), np.zeros(3000), np.zeros(3000)]),
    "powers of two": 2.0 ** np.unique(np.random.default_rng(3).integers(-60, 60, (3000, 3)), axis=0),
}


@pytest.mark.parametrize("points", CLOUDS.values(), ids=CLOUDS)
def test_rows_that_all_differ_are_the_same_array(points):
    kept, index = merge(points)
    assert kept is points, "no sort of rows, no copy"
    assert np.array_equal(index, np.arange(len(points)))


@pytest.mark.parametrize("points", CLOUDS.values(), ids=CLOUDS)
def test_repeated_rows_are_merged_with_the_first_of_them(points):
    again = np.random.default_rng(4).integers(0, len(points), 200)
    kept, index = merge(np.concatenate([points, points[again]]))
    assert np.array_equal(kept, points)
    assert np.array_equal(index, np.concatenate([np.arange(len(points)), again]))


def test_0_and_minus_0_are_one_number():
    kept, index = merge(np.array([[0.0, 1, 2], [-0.0, 1, 2], [3, 1, -0.0], [3, 1, 0.0]]))
    assert np.array_equal(kept, [[0, 1, 2], [3, 1, 0]])
    assert list(index) == [0, 0, 1, 1]
