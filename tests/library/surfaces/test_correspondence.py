"""The error of a registration that follows from a face's shape is learned and taken back; a strange face stays."""

import numpy as np
import pytest

from shapedp.surfaces import correspondence
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import diffeo, table
from shapedp.surfaces.registration.basis import Basis, modes
from shapedp.surfaces.registration.register import Registered

GRID = polar_grid(32, 96)
X, Y = GRID.points[..., 0], GRID.points[..., 1]
MEAN = np.stack([X, Y, 0.5 * (1 - X**2 - Y**2)], axis=-1)
WIDER, LONGER, LUMP = (
    np.stack(parts, axis=-1) for parts in ((X, 0 * X, 0 * X), (0 * X, Y, 0 * X), (0 * X, 0 * X, np.cos(4 * X)))
)


def field(number):
    """A smooth tangent field of the disk, of length .05 or so."""
    basis = Basis(modes(40), GRID)
    c = np.zeros(basis.modes.real_size)
    c[number] = 0.04
    return basis.field(c)


def face(w, lump=0.0):
    """(Registered of weights w, its true gamma): wrong by a field for each weight."""
    surface = MEAN + 0.1 * w[0] * WIDER + 0.1 * w[1] * LONGER + lump * LUMP
    gamma = diffeo.step(0.5 * field(5), GRID)
    wrong = diffeo.step(w[0] * field(2) + w[1] * field(7), GRID)
    true = diffeo.positions(table.coefficients(gamma - GRID.points, GRID), wrong)
    found = Registered(surface, np.eye(3), gamma, 1.0, 1.0, 0.5, 0.8, (), 1, True, "")
    return found, true


@pytest.fixture(scope="module")
def learned():
    rng = np.random.default_rng(1)
    return correspondence.learn(*zip(*(face(rng.normal(size=2), 0.01 * rng.normal()) for _ in range(25)), strict=True))


def off(gamma, true):
    return np.abs(gamma - true).max()


@pytest.mark.slow
def test_the_error_of_a_new_face_is_taken_back(learned):
    found, true = face([0.8, -0.6])
    better = correspondence.corrected(found, learned)
    assert off(better.gamma, true) < 0.1 * off(found.gamma, true)
    table_of = table.coefficients(found.surface, GRID)
    step = diffeo.step(0.8 * field(2) - 0.6 * field(7), GRID)
    assert np.abs(better.surface - table.lookup(table_of, step)).max() < 0.003


def test_a_face_unlike_the_public_ones_stays_as_it_was_registered(learned):
    found, _ = face([0.1, 0.1])
    strange = MEAN + 0.2 * np.sin(9 * X)[..., None]
    found = Registered(strange, *(getattr(found, name) for name in list(vars(found))[1:]))
    assert correspondence.corrected(found, learned) is found


def test_the_reach_is_the_distance_from_the_span_of_the_other_folds():
    """Four of five folds lie in the plane z = 0, one point of the fifth at height 4."""
    points = np.column_stack([np.random.default_rng(2).normal(size=(15, 2)), np.zeros(15)])
    points[5, 2] = 4
    assert correspondence._farthest(points) == pytest.approx(4.0)
