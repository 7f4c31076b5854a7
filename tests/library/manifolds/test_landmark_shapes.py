"""Deviations from p0 in the plane and in space: Kendall's logarithm in the plane, laws of both, and odd records."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from shapedp.manifolds import landmark_shapes
from shapedp.manifolds.kendall import Kendall
from shapedp.manifolds.landmark_shapes import LandmarkShapes


def cohort(d, n=6, k=9, spread=0.2):
    """(p0, n records about it, moved, turned and scaled)."""
    rng = np.random.default_rng(d)
    p0 = landmark_shapes.unit(rng.normal(size=(1, k, d)))[0][0]
    turns = Rotation.random(n, rng).as_matrix() if d == 3 else _turns(rng.uniform(0, 2 * np.pi, n))
    records = (p0 + spread / np.sqrt(k) * rng.normal(size=(n, k, d))) @ turns
    return p0, records * rng.uniform(0.1, 50, (n, 1, 1)) + rng.normal(size=(n, 1, d))


def _turns(angle):
    return np.stack([np.stack([np.cos(angle), np.sin(angle)], -1), np.stack([-np.sin(angle), np.cos(angle)], -1)], 1)


def test_in_the_plane_it_is_kendalls_logarithm():
    p0, records = cohort(2)
    space, z = Kendall(len(p0)), lambda x: x[..., 0] + 1j * x[..., 1]
    expected = space.log(z(p0), space.project(z(records)))
    assert_allclose(z(LandmarkShapes(p0).deviations(records).reshape(records.shape)), expected, atol=1e-13)


@pytest.mark.parametrize("d", [2, 3])
def test_deviations_are_tangent_as_long_as_the_distance_and_lead_back(d):
    p0, records = cohort(d)
    shapes = LandmarkShapes(p0)
    found = shapes.deviations(records)
    assert_allclose(found @ shapes.fixed().T, 0, atol=1e-14)
    back = shapes.shape(found)
    assert_allclose(landmark_shapes.dist(p0, back), np.linalg.norm(found, axis=1), atol=1e-13)
    assert_allclose(landmark_shapes.dist(landmark_shapes.unit(records)[0], back), 0, atol=1e-7)
    assert shapes.dim == p0.size - (4 if d == 2 else 7)


@pytest.mark.parametrize("d", [2, 3])
def test_a_mirror_image_is_another_shape(d):
    p0, _ = cohort(d)
    mirrored = p0 * ([-1] + [1] * (d - 1))
    assert landmark_shapes.dist(p0, mirrored) > 0.1


@pytest.mark.parametrize("d", [2, 3])
def test_records_without_a_shape_deviate_by_nothing(d):
    p0, records = cohort(d)
    shapes = LandmarkShapes(p0)
    for odd in (np.full_like(p0, np.nan), np.ones_like(p0), np.zeros_like(p0), np.full_like(p0, np.inf)):
        assert not shapes.deviations(odd[None]).any()
    for scale in (1e200, 1e-200):
        assert_allclose(shapes.deviations(records * scale), shapes.deviations(records), atol=1e-12)


@pytest.mark.parametrize("d", [2, 3])
def test_a_missing_landmark_is_put_where_p0_has_it(d):
    p0, records = cohort(d, spread=0.0)
    holed = records.copy()
    holed[:, 4] = np.nan
    assert_allclose(landmark_shapes.filled(holed, p0), records, atol=1e-9 * np.abs(records).max())
    alone = landmark_shapes.filled(holed[2:3], p0)
    assert np.array_equal(alone, landmark_shapes.filled(holed, p0)[2:3]), "each record by itself"
    holed[0, d:] = np.nan
    assert np.isnan(landmark_shapes.filled(holed, p0)[0]).any(), "too few landmarks say not where p0 lies"


def test_the_center_of_public_records_is_kendalls_mean():
    from shapedp.manifolds import frechet

    p0, records = cohort(2, n=12)
    z = landmark_shapes.unit(records)[0] @ [1, 1j]
    expected = frechet.mean(Kendall(len(p0)), z).point
    found = landmark_shapes.center_of(records)
    assert landmark_shapes.dist(found, np.stack([expected.real, expected.imag], -1)) < 1e-7
