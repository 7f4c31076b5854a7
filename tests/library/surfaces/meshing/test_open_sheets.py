"""A mesh of any subject is one sheet with one edge: tubes and large holes are refused, uneven triangles are not."""

import numpy as np
import pytest

from library.domes import dome
from shapedp.base.errors import Rejected
from shapedp.surfaces.meshing import open_sheets, scan_mesh

OPTIONS = scan_mesh.Options()


def tube(count=40, rows=12):
    """(points, triangles) of a cylinder that is open at both ends."""
    angle = 2 * np.pi * np.arange(count) / count
    points = np.concatenate(
        [np.column_stack([np.cos(angle), np.sin(angle), np.full(count, z / 4)]) for z in range(rows)]
    )
    at = np.arange(count) + count * np.arange(rows - 1)[:, None]
    after = np.roll(np.arange(count), -1) + count * np.arange(rows - 1)[:, None]
    near = np.stack([at, after, after + count], axis=-1).reshape(-1, 3)
    return points, np.concatenate([near, np.stack([at, after + count, at + count], axis=-1).reshape(-1, 3)])


def with_hole(radius):
    points, triangles, _ = dome(3, posed=False)
    middle = points[triangles].mean(axis=1)[:, :2] / 20
    return points, triangles[np.hypot(*middle.T) > radius]


def test_a_sheet_keeps_its_triangles_however_long_some_are():
    points, triangles, _ = dome(3, posed=False)
    found = open_sheets.check_sheet(points, triangles, OPTIONS)
    assert (found.largest_hole, found.refused_hole) == (1.0, 1.0)
    assert open_sheets.check_sheet(points, None, OPTIONS) is OPTIONS


def test_a_tube_is_refused():
    with pytest.raises(Rejected, match=r"two long edges, of 6.28 and 6.28: a tube") as told:
        open_sheets.check_sheet(*tube(), OPTIONS)
    assert told.value.code == "two_edges"


def test_a_small_hole_is_closed_and_a_large_one_refused():
    assert open_sheets.check_sheet(*with_hole(0.15), OPTIONS).refused_hole == 1.0
    with pytest.raises(Rejected, match=r"holes cover .* of the surface, more than 8%"):
        open_sheets.check_sheet(*with_hole(0.38), OPTIONS)
