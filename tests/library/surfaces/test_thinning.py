"""Dense clouds thinned to means: how many, how near the surface, whatever the pose."""

import numpy as np
from scipy.spatial.transform import Rotation

from shapedp.surfaces import meshing, thinning, topology


def dense(count, noise, seed=0):
    """A noisy cloud of a dome of radius 100."""
    rng = np.random.default_rng(seed)
    r, turn = 100 * np.sqrt(rng.random(count)), 2 * np.pi * rng.random(count)
    x, y = r * np.cos(turn), 0.9 * r * np.sin(turn)
    return np.column_stack([x, y, height(x, y)]) + noise * rng.normal(size=(count, 3))


def height(x, y):
    return 50 - 0.004 * x**2 - 0.006 * y**2


def test_few_points_are_taken_as_they_are():
    points = dense(thinning.MOST, 0.3)
    kept, notices = thinning.thinned(points)
    assert kept is points
    assert notices == []


def test_many_points_become_about_eight_thousand_and_say_so():
    for count, noise in ((30_000, 0.8), (100_000, 0.3)):
        means, (notice,) = thinning.thinned(dense(count, noise))
        assert thinning.AIM / 1.2 < len(means) < 1.2 * thinning.AIM
        assert notice == f"{count} points thinned to {len(means)} means"


def test_means_lie_nearer_the_surface_than_the_points():
    """16 points a cube would leave a quarter of the noise, if cubes did not cut through its depth."""
    rough = dense(130_000, 0.4)
    means, _ = thinning.thinned(rough)
    inner = means[np.hypot(means[:, 0], means[:, 1]) < 80]
    off = [np.std(one[:, 2] - height(one[:, 0], one[:, 1])) for one in (rough, inner)]
    assert off[1] < 0.7 * off[0]


def test_pose_and_scale_change_nothing_but_the_place():
    points = dense(40_000, 0.2)
    turn = Rotation.from_rotvec([0.4, -1.0, 2.0])
    means, _ = thinning.thinned(points)
    moved, _ = thinning.thinned(1e-3 * turn.apply(points) + [4, 5, 6])
    order, other = (np.lexsort(np.round(one, 6).T) for one in (1e-3 * turn.apply(means) + [4, 5, 6], moved))
    assert np.abs((1e-3 * turn.apply(means) + [4, 5, 6])[order] - moved[other]).max() < 1e-9


def test_a_far_outlier_costs_no_memory():
    points = np.concatenate([dense(20_000, 0.1), [[1e9, 1e9, 1e9]]])
    assert len(thinning.thinned(points)[0]) > 1


def test_a_noisy_cloud_that_once_folded_becomes_a_disk():
    mesh = meshing.mesh_scan(dense(30_000, 0.6))
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    assert mesh.quality["points_read"] == 30_000
