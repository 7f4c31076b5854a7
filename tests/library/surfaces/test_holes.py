"""A hole inside is refused at half the share of a shadow that reaches the rim."""

import numpy as np
import pytest

from library.surfaces import analytic
from shapedp.errors import Rejected
from shapedp.surfaces import holes, meshing

RINGS = 24


def gapped(middle, radius):
    """A flat disk whose triangulation spans a gap round `middle`."""
    z = analytic.disk_points(RINGS)
    z = z[np.abs(z - middle) > radius]
    return np.column_stack([z.real, z.imag, np.zeros(len(z))]), analytic.triangulated(z)


def test_area_share_and_place_are_measured():
    inside, shadow = holes.measure(*gapped(0.2, 0.3)), holes.measure(*gapped(1.0, 0.35))
    assert inside.count == shadow.count == 1
    assert inside.largest == pytest.approx(0.3**2, rel=0.2)
    assert (inside.shadow, shadow.shadow) == (False, True)


def limit(mesh, share):
    """Options whose limit is so many times the mesh's largest hole."""
    return meshing.Options(refused_hole=share * holes.measure(*mesh).largest, largest_hole=0.0)


def test_a_shadow_may_be_twice_as_large_as_a_hole():
    hole, shadow = gapped(0.2, 0.3), gapped(1.0, 0.35)
    notices = []
    holes.judge(*hole, limit(hole, 1.1), notices)
    holes.judge(*shadow, limit(shadow, 0.6), notices)
    assert [notice[: notice.index(" of ")] for notice in notices] == ["a hole", "a shadow at the rim"]
    with pytest.raises(Rejected, match="a hole covers") as caught:
        holes.judge(*hole, limit(hole, 0.9), [])
    assert caught.value.code == "large_hole"
    with pytest.raises(Rejected, match="a shadow at the rim covers"):
        holes.judge(*shadow, limit(shadow, 0.4), [])
