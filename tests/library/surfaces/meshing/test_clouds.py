"""Dense clouds thinned to means: how many, how near the surface, whatever the pose."""

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from shapedp.base.errors import Rejected
from shapedp.surfaces import frame, topology
from shapedp.surfaces.human_face.demo import scans as demo
from shapedp.surfaces.meshing import clouds, scan_mesh


def dense(count, noise, seed=0):
    """A noisy cloud of a dome of radius 100."""
    rng = np.random.default_rng(seed)
    r, turn = 100 * np.sqrt(rng.random(count)), 2 * np.pi * rng.random(count)
    x, y = r * np.cos(turn), 0.9 * r * np.sin(turn)
    return np.column_stack([x, y, height(x, y)]) + noise * rng.normal(size=(count, 3))


def height(x, y):
    return 50 - 0.004 * x**2 - 0.006 * y**2


def test_few_points_are_taken_as_they_are():
    points = dense(clouds.MOST_POINTS, 0.3)
    kept, notices = clouds.thin_points(points)
    assert kept is points
    assert notices == []


def test_many_points_become_about_eight_thousand_and_say_so():
    for count, noise in ((30_000, 0.8), (100_000, 0.3)):
        means, (notice,) = clouds.thin_points(dense(count, noise))
        assert clouds.AIM / 1.2 < len(means) < 1.2 * clouds.AIM
        assert notice == f"{count} points thinned to {len(means)} means"


def test_points_crowded_at_many_scales_at_once_are_refused_and_not_all_kept():
    far = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, -1.0]])
    points = np.concatenate([far, 1e-9 * np.random.default_rng(0).random((30_000, 3))])
    with pytest.raises(Rejected, match="crop it to the face") as caught:
        clouds.thin_points(points)
    assert caught.value.code == "uneven"


def test_smoothing_takes_some_points_at_a_time_and_gives_the_same_bits(monkeypatch):
    points = dense(2000, 0.8)
    whole = clouds._smooth_points(points, 12.0)
    assert not np.array_equal(whole, points)
    for at_once in (1, 700, 40_000):
        monkeypatch.setattr(clouds, "PAIRS_AT_ONCE", at_once)
        assert np.array_equal(clouds._smooth_points(points, 12.0), whole)


def test_with_more_neighbours_than_are_worth_while_some_points_are_fitted_to_and_the_surface_is_the_same(monkeypatch):
    points = dense(2000, 0.8)
    whole, used = clouds._smooth_points(points, 12.0), []
    monkeypatch.setattr(clouds, "MOST_PAIRS", 50_000)
    moved = clouds._move_points
    monkeypatch.setattr(clouds, "_move_points", lambda *given: used.append(len(given[2])) or moved(*given))
    fewer = clouds._smooth_points(points, 12.0)
    assert sum(used) < 1.2 * clouds.MOST_PAIRS
    before, best, after = (np.std(z - height(x, y)) for x, y, z in (one.T for one in (points, whole, fewer)))
    assert best < after < 0.6 * before


def test_cells_that_are_bounded_hide_the_same_points():
    """A flattening a million times as wide as what it is made of, for one point far out."""
    points = dense(3000, 0.8)
    seen = frame.fit(points)
    directions, distance = frame.directions(points, frame.eye(seen))
    flat, spacing = frame.stereographic(directions, seen.axes), np.full(len(points), 3.0)
    alone = clouds.find_hidden(directions, distance, flat, spacing)
    assert alone.any()
    aside = np.append(flat, [[1e6, 1e6]], axis=0)
    with_one = clouds.find_hidden(
        np.append(directions, -seen.axes[2:], axis=0), np.append(distance, 1e12), aside, np.append(spacing, 3.0)
    )
    assert np.array_equal(with_one[:-1], alone)


def test_means_lie_nearer_the_surface_than_the_points():
    """16 points a cube would leave a quarter of the noise, if cubes did not cut through its depth."""
    rough = dense(130_000, 0.4)
    means, _ = clouds.thin_points(rough)
    inner = means[np.hypot(means[:, 0], means[:, 1]) < 80]
    off = [np.std(one[:, 2] - height(one[:, 0], one[:, 1])) for one in (rough, inner)]
    assert off[1] < 0.7 * off[0]


def test_pose_and_scale_change_nothing_but_the_place():
    points = dense(40_000, 0.2)
    turn = Rotation.from_rotvec([0.4, -1.0, 2.0])
    means, _ = clouds.thin_points(points)
    moved, _ = clouds.thin_points(1e-3 * turn.apply(points) + [4, 5, 6])
    order, other = (np.lexsort(np.round(one, 6).T) for one in (1e-3 * turn.apply(means) + [4, 5, 6], moved))
    assert np.abs((1e-3 * turn.apply(means) + [4, 5, 6])[order] - moved[other]).max() < 1e-9


def test_a_far_outlier_costs_no_memory():
    points = np.concatenate([dense(20_000, 0.1), [[1e9, 1e9, 1e9]]])
    assert len(clouds.thin_points(points)[0]) > 1


def test_a_noisy_cloud_that_once_folded_becomes_a_disk():
    mesh = scan_mesh.mesh_scan(dense(30_000, 0.6))
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    assert mesh.quality["points_read"] == 30_000


SPACING = 0.03


def sheet():
    """A dome over the unit disk whose middle is a steep bump: a grid with a little unrest, (n, 3)."""
    rng = np.random.default_rng(0)
    axis = np.arange(-1, 1, SPACING)
    xy = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    xy = xy[np.linalg.norm(xy, axis=1) < 1] + 0.2 * SPACING * rng.uniform(-1, 1, (np.sum(np.hypot(*xy.T) < 1), 2))
    square = (xy**2).sum(axis=1)
    return np.column_stack([xy, 0.5 - 0.5 * square + 0.25 * np.exp(-square / 0.02)])


def hidden(points):
    seen = frame.fit(points)
    directions, distances = frame.directions(points, frame.eye(seen))
    spacing = cKDTree(points).query(points, 5)[0][:, 4]
    return clouds.find_hidden(directions, distances, frame.stereographic(directions, seen.axes), spacing)


def test_nothing_of_one_layer_is_hidden():
    assert not hidden(sheet()).any()


def test_a_pocket_behind_the_surface_is_hidden_and_the_surface_is_not():
    points = sheet()
    cheek = np.hypot(points[:, 0] - 0.4, points[:, 1]) < 0.12
    pocket = points[cheek] - [0, 0, 4 * SPACING]
    found = hidden(np.concatenate([points, pocket]))
    assert not found[: len(points)].any()
    assert found[len(points) :].mean() > 0.8  # all but the pocket's edge, which is not covered from all round


def test_the_layer_outside_is_kept_whichever_way_the_scan_faces():
    points = sheet()
    cheek = np.hypot(points[:, 0] - 0.4, points[:, 1]) < 0.12
    both = np.concatenate([points, points[cheek] - [0, 0, 4 * SPACING]])
    turned = both * [1, -1, -1] + [3, 4, 5]
    assert np.array_equal(hidden(turned), hidden(both))


@pytest.mark.parametrize("kind", ["face", "ball", "plane", "far"])
def test_nearest_neighbours_are_those_of_a_tree(kind):
    rng = np.random.default_rng(4)
    points = {
        "face": demo.scan(5, 0)[::5],
        "ball": rng.normal(size=(500, 3)),
        "plane": np.column_stack([rng.random((500, 2)), np.zeros(500)]),
        "far": np.vstack([rng.normal(size=(400, 3)), [[1e6, 0, 0], [1e6, 1, 0]]]),
    }[kind]
    distance, index = clouds.find_nearest(np.ascontiguousarray(points), 8)
    known, others = cKDTree(points).query(points, 9)
    np.testing.assert_allclose(distance, known[:, 1:], rtol=1e-12)
    assert (index == others[:, 1:]).all()
