"""The faces paper's pictures: whose faces they are, and how much noise lies on them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from draw_simulations import FACES
from shapedp.reproduction import curve_faces, curve_population


@pytest.fixture(scope="module")
def faces():
    """Of 40 demo people in place of 1,000."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(curve_faces, "PEOPLE", 40)
        return curve_faces.make_faces(np.random.default_rng(1))


def test_noise_on_points_is_range_over_n_and_mu(faces):
    """sd = (range/n) sqrt(3 v)/mu, with the population's own ranges."""
    found = curve_population.population(40)
    size = np.linalg.norm(faces.mean[0] - faces.mean[1]) / np.linalg.norm(found.mean[0] - found.mean[1])
    sd = size * (found.upper - found.lower) / 40 * np.sqrt(faces.mean.size)
    for mu, vertices in faces.pointwise.items():
        z = (vertices - faces.mean) / sd * mu
        assert_allclose([z.mean(), z.std()], [0, 1], atol=5 / np.sqrt(z.size))


def test_faces_have_the_size_of_a_head_and_smoothing_moves_them_by_millimetres(faces):
    assert 150 < np.ptp(faces.mean[:, 1]) < 220
    apart = np.linalg.norm(faces.smooth - faces.curves, axis=1)
    assert 0.5 < apart.mean() < 10
    assert np.linalg.norm(faces.private - faces.smooth, axis=1).mean() > 5, "noise for 40 people"


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.usefixtures("coarse_pictures")
def test_every_picture_is_drawn(faces):
    steps = curve_faces.make_steps()
    assert np.abs(steps.z).min() < 1e-9, "the nose tip is at 0"
    for draw in FACES.values():
        assert draw(faces, steps).axes
