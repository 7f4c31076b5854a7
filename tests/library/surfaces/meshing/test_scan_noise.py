"""Noise is read off a scan within some tenths, and smoothed only where there is enough of it."""

import numpy as np
import pytest

from shapedp.base.errors import Rejected
from shapedp.surfaces.human_face import real_faces
from shapedp.surfaces.human_face.demo import people, scans
from shapedp.surfaces.meshing import clouds, scan_mesh


def surface(rng, count=8000):
    """Points of a face-sized, bent sheet, and their heights without noise."""
    x, y = rng.uniform(-80, 80, (2, count))
    return np.column_stack([x, y, height(x, y)])


def height(x, y):
    return 40 * np.exp(-(x**2 + y**2) / 70**2)


@pytest.mark.parametrize("true", [0.5, 1.0, 2.0, 3.0])
def test_white_noise_is_read_within_a_tenth(true):
    rng = np.random.default_rng(2)
    points = surface(rng)
    points += true * rng.standard_normal(points.shape)
    assert clouds.estimate_noise(points)[0] == pytest.approx(true, rel=0.1)


@pytest.mark.parametrize("true", [1.0, 2.0])
def test_smoothing_brings_noisy_points_nearer_to_their_surface(true):
    rng = np.random.default_rng(3)
    points = surface(rng)
    points[:, 2] += true * rng.standard_normal(len(points))
    calm, _, width, notices = clouds.smooth_scan(points)
    middle = np.abs(points[:, :2]).max(axis=1) < 65
    left = (calm[:, 2] - height(*calm[:, :2].T))[middle]
    assert np.sqrt(np.mean(left**2)) < 0.4 * true
    assert width > 0
    assert "smoothed" in notices[0]


def test_a_clean_scan_is_meshed_to_the_same_bytes_with_the_estimate_on_or_off():
    face = real_faces.template() + 0.1 * np.random.default_rng(0).standard_normal(real_faces.template().shape)
    on, off = (scan_mesh.mesh_scan(face, None, scan_mesh.Options(smooth_noise=smooth)) for smooth in (True, False))
    assert on.vertices.tobytes() == off.vertices.tobytes()
    assert on.triangles.tobytes() == off.triangles.tobytes()
    assert 0 < on.quality["noise"] < 0.3
    assert on.quality["smoothing"] == 0


def test_lids_and_folds_are_no_noise():
    """Ridges some 30 mm apart, which many neighbours see as noise of .7 mm, and few as hardly any."""
    points = surface(np.random.default_rng(3), 2500)
    points[:, 2] += 3.0 * np.sin(points[:, 0] / 5) * np.sin(points[:, 1] / 5)
    noise, _ = clouds.estimate_noise(points)
    assert noise < 0.4
    assert clouds.smooth_scan(points)[2] == 0


def test_noise_that_hides_the_face_is_refused_with_both_figures():
    rng = np.random.default_rng(4)
    points = surface(rng) + 8 * rng.standard_normal((8000, 3))
    with pytest.raises(
        Rejected, match=r"noise is [\d.]+ of its units, which is [\d.]+ mm on a face, where at most 4.4 mm are accepted"
    ) as no:
        clouds.smooth_scan(points)
    assert no.value.code == "too_noisy"


def test_few_points_tell_no_noise():
    assert np.isnan(clouds.smooth_scan(surface(np.random.default_rng(0), 90))[1])


def test_a_depth_camera_s_noise_grows_with_the_square_of_the_distance(monkeypatch):
    public, read = people.named("built_in"), []
    face = public.vertices(public.person(np.random.default_rng(1)))
    for distance in (450.0, 800.0):
        monkeypatch.setattr(scans, "DISTANCE_MM", (distance, distance))
        points = scans.depth_image(face, public.triangles, face[public.nose_tip], np.random.default_rng(5))
        read.append(clouds.estimate_noise(points)[0])
    assert 0.6 < read[0] < 1.5
    assert 1.9 < read[1] < 3.5
