"""The comparison function and the limit on r."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.errors import RefusedRelease
from shapedp.manifolds.curvature import check_radius, h_max, radius_limit
from shapedp.manifolds.kendall import Kendall
from shapedp.manifolds.spd import SPD
from shapedp.manifolds.sphere import Sphere


def test_the_comparison_function_by_hand():
    assert_allclose(h_max(np.pi / 4, 1.0), np.pi / 4)  # cot 45° = 1
    assert_allclose(h_max(np.pi / 8, 4.0), np.pi / 4)
    assert_allclose(h_max([0.0, 5.0], -1.0), 1.0)
    assert h_max(0.0, 1.0) == 1.0


def test_limits_of_the_radius():
    limits = [radius_limit(m) for m in (Sphere(2), Kendall(50), Kendall(3), SPD(3))]
    assert_allclose(limits, [np.pi / 4, np.pi / 8, np.pi / 8, np.inf])


@pytest.mark.parametrize("r", [0.0, -1.0, np.nan, np.inf, np.pi / 8])
def test_radii_off_limits_are_refused(r):
    with pytest.raises(RefusedRelease, match="radius r"):
        check_radius(Kendall(10), r)


def test_the_refusal_names_the_limit():
    with pytest.raises(RefusedRelease, match=r"below the limit 0\.785398"):
        check_radius(Sphere(2), 0.8)


def test_matrices_take_any_finite_radius():
    check_radius(SPD(3), 40.0)
