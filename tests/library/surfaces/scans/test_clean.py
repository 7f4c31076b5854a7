"""Rows dropped, repeats merged, triangles that follow; hand-computed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from shapedp.base.errors import Rejected
from shapedp.surfaces.scans.scan import clean, merge

CORNERS = np.array([[0.0, 0, 0], [100, 0, 0], [0, 100, 0], [0, 0, 100]])


def test_repeats_keep_the_first_and_their_order():
    points = CORNERS[[2, 0, 2, 3, 0, 1]]
    distinct, index = merge(points)
    assert_array_equal(distinct, CORNERS[[2, 0, 3, 1]])
    assert_array_equal(index, [0, 1, 0, 2, 1, 3])


def test_minus_zero_is_zero():
    assert len(merge(np.array([[0.0, 1, 2], [-0.0, 1, 2]]))[0]) == 1


@given(arrays(np.float64, st.tuples(st.integers(1, 30), st.just(3)), elements=st.integers(0, 2)))
def test_merging_agrees_with_numpy_unique(points):
    distinct, index = merge(points)
    assert_array_equal(distinct[index], points)
    assert_array_equal(np.unique(points, axis=0), distinct[np.lexsort(distinct.T[::-1])])


def test_triangles_follow_merged_points():
    triangles = np.array([[0, 1, 2], [4, 2, 3], [0, 4, 1]])
    scan = clean(np.vstack([CORNERS, CORNERS[:1]]), triangles, ())
    assert_array_equal(scan.triangles, [[0, 1, 2], [0, 2, 3]])
    assert scan.notices == ("1 repeated points merged", "1 triangles without three different corners dropped")


def test_triangles_follow_dropped_points():
    points = np.random.default_rng(1).random((100, 3)) * 100
    points[[3, 50]] = [np.nan, 1, 1], [1, -np.inf, 1]
    scan = clean(points, np.array([[0, 1, 2], [2, 3, 4], [4, 51, 99]]), ())
    assert_array_equal(scan.points, np.delete(points, [3, 50], axis=0))
    assert_array_equal(scan.triangles, [[0, 1, 2], [3, 49, 97]])
    assert scan.notices[0].startswith("2 of 100 rows dropped")
    assert scan.notices[1] == "1 triangles at dropped rows dropped"


@pytest.mark.parametrize("value", [np.nan, np.inf, -1e38])
def test_share_of_missing_rows_decides(value):
    points = np.random.default_rng(1).random((100, 3)) * 100
    points[:5, 1] = value
    assert len(clean(points, None, ()).points) == 95
    points[5, 2] = value
    with pytest.raises(Rejected, match="6 of 100 rows") as refusal:
        clean(points, None, ())
    assert refusal.value.code == "non_finite"


@pytest.mark.parametrize("unmeasured", [6, 60])
def test_a_pixel_without_a_measurement_is_no_damage(unmeasured):
    """Of an organized cloud whole rows are NaN; what else is missing counts against the rows that were measured."""
    points = np.random.default_rng(1).random((100, 3)) * 100
    points[:unmeasured] = np.nan
    scan = clean(points, None, ())
    assert_array_equal(scan.points, points[unmeasured:])
    assert scan.notices[0].startswith(f"{unmeasured} of 100 rows are pixels without a measurement")
    points[-5:, 0] = np.inf
    if unmeasured == 60:
        with pytest.raises(Rejected, match="5 of 40 rows are not finite"):
            clean(points, None, ())
    points[:97] = np.nan
    with pytest.raises(Rejected, match="97 of 100 rows are pixels") as refusal:
        clean(points, None, ())
    assert refusal.value.code == "too_few_points"


@pytest.mark.parametrize(("scale", "word"), [(0.002, "metres"), (0.2, "centimetres"), (2, None), (20, "no face")])
def test_units_are_guessed_in_words_only(scale, word):
    scan = clean(CORNERS * scale, None, ())
    assert [word in notice for notice in scan.notices if "units" in notice] == ([True] if word else [])
    assert_array_equal(scan.points, CORNERS * scale)


def test_a_scan_too_small_to_compute_with_is_refused():
    with pytest.raises(Rejected, match="too small to compute with"):
        clean(CORNERS * 1e-13, None, ())
