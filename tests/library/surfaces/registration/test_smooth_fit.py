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


def bowl():
    """(R, T, 3) a disk that bends everywhere."""
    return flat() + (flat()[..., :2] ** 2).sum(axis=-1)[..., None] * [0, 0, 1]


def taught(heights, misfit):
    """The Learned of flat disks that are lifted by so much each, of which displacements leave a misfit."""
    displacements = np.zeros((len(heights), POINTS, 3))
    displacements[:, :, 2] = np.array(heights)[:, None]
    return Learned.from_specimens(displacements, np.full(len(heights), misfit))


def test_modes_have_the_standard_deviation_of_the_specimens_displacements():
    learned = taught((-0.1, 0.0, 0.1), 0.001)
    assert learned.modes.shape == (POINTS, 3, 2)
    np.testing.assert_allclose((learned.modes**2).sum(axis=-1), np.tile([0, 0, 0.02 / 3], (POINTS, 1)), atol=1e-12)


def test_off_follows_the_detail_of_specimens_and_the_diffeomorphism_is_believed_by_it():
    smooth, rough = taught((-0.1, 0.0, 0.1), 0.0005), taught((-0.1, 0.0, 0.1), 0.002)
    assert rough.off == pytest.approx(4 * smooth.off) == pytest.approx(smooth_fit.DETAIL * 0.002)
    assert rough.turned == pytest.approx(smooth.turned / 4)
    held = [smooth_fit.Prior(bowl(), {}, learned).held for learned in (smooth, rough)]
    np.testing.assert_allclose(held[1], 16 * held[0])
    assert taught((-0.1, 0.0, 0.1), 1.0).off == smooth_fit.LEARNED_OFF[1]
    assert taught((-0.1, 0.0, 0.1), 0.0).off == smooth_fit.LEARNED_OFF[0]


def test_a_prior_with_modes_leaves_less_to_the_eigenfunctions_and_one_without_is_as_it_was():
    learned = taught((-0.1, 0.0, 0.1), 0.001)
    plain, with_modes = smooth_fit.Prior(flat(), {}), smooth_fit.Prior(flat(), {}, learned)
    np.testing.assert_allclose(with_modes.basis[..., :2], learned.modes)
    functions = slice(0, -smooth_fit.MOTIONS)
    np.testing.assert_allclose(
        with_modes.basis[..., 2:][..., functions], smooth_fit.SHARE * plain.basis[..., functions], atol=1e-12
    )
    assert plain.learned.off == smooth_fit.OFF
