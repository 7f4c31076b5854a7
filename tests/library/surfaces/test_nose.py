"""A nose is what stands out on every side: found beside a higher ridge, and the same from every pose."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from shapedp.surfaces import frame, nose

SIZE = 200.0  # mm, square root of the area
NOSE, CHIN = np.array([0.0, 10.0]), np.array([5.0, -55.0])


def face(ridge):
    """A bowl of 200 mm with a nose 20 mm high, and a chin: a ridge of that height which runs on upwards to a lip."""
    axis = np.arange(-100, 100, 3.0)
    xy = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    xy = xy[np.hypot(*xy.T) < 100]
    bowl = 40 - 40 * (xy**2).sum(axis=1) / 100**2
    bump = 20 * np.exp(-((xy - NOSE) ** 2).sum(axis=1) / 150)
    x, y = (xy - CHIN).T
    chin = ridge * np.exp(-(x**2) / 150) * np.where(y < 0, np.exp(-(y**2) / 150), np.exp(-(y**2) / 1500))
    points = np.column_stack([xy, bowl + np.maximum(bump, chin)])
    return points, np.flatnonzero(np.hypot(*xy.T) > 96)


def found(points, rim):
    tip, confidence = nose.find(points, frame.fit(points), SIZE, rim)
    return points[tip], confidence


@pytest.mark.parametrize("ridge", [0, 15, 24])
def test_a_nose_beats_a_ridge_that_is_as_high(ridge):
    points, rim = face(ridge)
    tip, confidence = found(points, rim)
    assert np.linalg.norm(tip[:2] - NOSE) < 6
    assert 0 < confidence <= 1


def test_a_rival_takes_confidence_away():
    assert found(*face(0))[1] > found(*face(24))[1] + 0.1


def test_the_tip_is_the_same_point_from_every_pose():
    points, rim = face(15)
    turned = Rotation.from_rotvec([0.4, 2.0, -1.1]).apply(points) + np.array([10, 20, 30])
    seen, moved = frame.fit(points), frame.fit(turned)
    assert nose.find(points, seen, SIZE, rim)[0] == nose.find(turned, moved, SIZE, rim)[0]
