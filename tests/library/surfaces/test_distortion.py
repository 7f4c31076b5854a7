"""Angles and orientation of triangles in the disk, on triangles small enough to check by hand."""

import numpy as np

from shapedp.surfaces import distortion

RIGHT = np.array([[0.0, 0, 5], [1, 0, 5], [0, 1, 5]])
ONE = np.array([[0, 1, 2]])


def test_angles_of_a_right_triangle():
    assert np.allclose(distortion.angles(RIGHT, ONE), [[90, 45, 45]])


def test_the_change_is_the_disk_minus_the_mesh():
    equilateral = np.exp(2j * np.pi * np.arange(3) / 3)
    assert np.allclose(distortion.angle_changes(RIGHT, ONE, equilateral), [[-30, 15, 15]])


def test_clockwise_and_flat_triangles_count_as_flipped():
    z = np.array([0, 1, 1j, 2])
    assert distortion.flipped(z, np.array([[0, 1, 2], [0, 2, 1], [0, 1, 3]])).tolist() == [False, True, True]
    assert distortion.signed_areas(z, ONE).tolist() == [0.5]
