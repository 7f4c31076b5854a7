"""The harmonics of the disk: slow ones first, smooth at the nose, flat at the rim."""

import numpy as np
from scipy.special import jnp_zeros

from shapedp.privacy.learned import face_learning

SHAPE = (200, 3, 48)


def test_the_slowest_are_the_constant_and_the_two_tilts():
    first = face_learning.slowest_roots(3)
    assert first[0] == (0.0, 0, 0)
    assert [k for _, k, _ in first[1:]] == [1, 1]
    assert first[1][0] == jnp_zeros(1, 1)[0]


def test_frequencies_never_fall_and_stand_for_x_y_and_z():
    z = face_learning.harmonic_frequencies(50)
    assert len(z) == 150
    assert np.all(np.diff(z) >= 0)
    assert np.all(z[::3] == z[2::3])


def test_each_moves_one_coordinate():
    functions = face_learning.harmonic_functions(SHAPE, 4)
    for row, function in enumerate(functions):
        assert np.flatnonzero(np.abs(function).sum(axis=(0, 2))).tolist() == [row % 3]


def test_they_are_orthogonal_on_the_disk_and_flat_at_the_rim():
    functions = face_learning.harmonic_functions(SHAPE, 12)[::3, :, 0].astype(float)
    rho = np.arange(1, 201) / 200
    weight = rho * np.where(np.arange(200) == 199, 0.5, 1.0)  # the trapezium rule of rho d rho
    products = np.einsum("ajm,bjm,j->ab", functions, functions, weight)
    scale = np.sqrt(np.diag(products))
    assert np.abs(products / np.outer(scale, scale) - np.eye(12)).max() < 1e-3
    assert np.abs(functions[:, -1] - functions[:, -2]).max() < 1e-3 * np.abs(functions).max() + 2e-3


def test_at_the_nose_only_those_without_angle_move():
    """Otherwise the fan of the innermost curve would be torn into a star."""
    innermost = face_learning.harmonic_functions(SHAPE, 12)[::3, 0, 0]
    for (_, k, _), values in zip(face_learning.slowest_roots(12), innermost, strict=True):
        assert np.ptp(values) < (1e-6 if k == 0 else 0.05)
