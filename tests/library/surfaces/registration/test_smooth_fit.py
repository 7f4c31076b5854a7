"""What public specimens teach of a template's displacements."""

import numpy as np
import pytest

from shapedp.surfaces import polar
from shapedp.surfaces.registration import smooth_fit
from shapedp.surfaces.registration.smooth_fit import Learned

POINTS = smooth_fit.GRID[0] * smooth_fit.GRID[1]


def flat():
    """(R, T, 3) a flat disk of unit area."""
    grid = polar.polar_grid(48, 128).points / np.sqrt(np.pi)
    return np.concatenate([grid, np.zeros((*grid.shape[:2], 1))], axis=-1)


def taught(heights, misfit):
    """The Learned of flat disks lifted in the middle by so much each, whose displacements leave a misfit."""
    bump = np.exp(-8 * (flat()[..., :2] ** 2).sum(axis=-1))
    surfaces = np.array([flat() + height * bump[..., None] * [0, 0, 1] for height in heights])
    displacements = np.zeros((len(heights), POINTS, 3))
    displacements[:, :, 2] = np.array(heights)[:, None]
    return Learned.from_specimens(surfaces, displacements, np.full(len(heights), misfit)), bump


def test_modes_have_the_standard_deviation_of_the_specimens_displacements():
    learned, _ = taught((-0.1, 0.0, 0.1), 0.001)
    assert learned.modes.shape == (POINTS, 3, 2)
    np.testing.assert_allclose((learned.modes**2).sum(axis=-1), np.tile([0, 0, 0.02 / 3], (POINTS, 1)), atol=1e-12)


def test_off_is_the_share_of_the_size_that_misfits_are_of_the_specimens_differences():
    learned, bump = taught((-0.1, 0.0, 0.1), 0.005)
    areas = polar.plain_areas(flat())
    apart = np.sqrt(0.02 / 3 * (areas * bump**2).sum() / areas.sum())
    assert learned.off == pytest.approx(smooth_fit.SIZE * 0.005 / apart, rel=1e-2)
    assert taught((-0.1, 0.0, 0.1), 1.0)[0].off == smooth_fit.LEARNED_OFF[1]
    assert taught((-0.1, 0.0, 0.1), 0.0)[0].off == smooth_fit.LEARNED_OFF[0]


def test_a_prior_with_modes_leaves_less_to_the_eigenfunctions_and_one_without_is_as_it_was():
    learned, _ = taught((-0.1, 0.0, 0.1), 0.001)
    plain, with_modes = smooth_fit.Prior(flat(), {}), smooth_fit.Prior(flat(), {}, learned)
    np.testing.assert_allclose(with_modes.basis[..., :2], learned.modes)
    functions = slice(0, -smooth_fit.MOTIONS)
    np.testing.assert_allclose(
        with_modes.basis[..., 2:][..., functions], smooth_fit.SHARE * plain.basis[..., functions], atol=1e-12
    )
    assert plain.learned.off == smooth_fit.OFF
