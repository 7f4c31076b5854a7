"""Hand cases on the sphere, and its isometries."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ortho_group

import tolerances
from shapedp.base.errors import Rejected
from shapedp.privacy.manifolds.sphere import Sphere

EAST, NORTH = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def test_a_quarter_turn_north():
    v = np.array([0.0, 0.0, np.pi / 2])
    assert_allclose(Sphere(2).exp(EAST, v), NORTH, rtol=0, atol=tolerances.DISTANCE)
    assert_allclose(Sphere(2).log(EAST, NORTH), v, rtol=0, atol=tolerances.DISTANCE)


def test_transport_along_the_equator_keeps_north_and_turns_east():
    """From longitude 0 to 90°: north stays north, the vector pointing east turns to point west of x, -x."""
    y = np.array([0.0, 1.0, 0.0])
    assert_allclose(Sphere(2).transport(EAST, y, NORTH), NORTH, rtol=0, atol=tolerances.DISTANCE)
    assert_allclose(Sphere(2).transport(EAST, y, y), -EAST, rtol=0, atol=tolerances.DISTANCE)


def test_the_antipode_has_no_log():
    assert np.isnan(Sphere(2).log(EAST, -EAST)).all()
    assert Sphere(2).dist(EAST, -EAST) == np.pi


def test_rotations_are_isometries():
    rng = np.random.default_rng(3)
    x, y = Sphere(5).random_point(rng, (2, 40))
    q = ortho_group.rvs(6, random_state=3)
    assert_allclose(Sphere(5).dist(x @ q.T, y @ q.T), Sphere(5).dist(x, y), rtol=0, atol=tolerances.ROUND_TRIP)


def test_the_circle_is_flat():
    assert Sphere(1).curvature_bounds() == (0.0, 0.0)


def test_no_dimension_is_refused():
    with pytest.raises(Rejected, match="d >= 1"):
        Sphere(0)
