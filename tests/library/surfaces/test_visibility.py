"""Points under a layer are hidden; those of a single layer are not, however steep."""

import numpy as np
from scipy.spatial import cKDTree

from shapedp.surfaces import frame, projection, visibility

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
    directions, distances = projection.directions(points, projection.eye(seen))
    spacing = cKDTree(points).query(points, 5)[0][:, 4]
    return visibility.hidden(directions, distances, projection.stereographic(directions, seen), spacing)


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
