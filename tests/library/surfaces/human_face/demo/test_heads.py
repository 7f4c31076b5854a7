"""Heads are drawn round faces: closed or open surfaces whose first points are the face's."""

import numpy as np
import pytest

from benchmarks import whole_heads
from shapedp.surfaces import topology
from shapedp.surfaces.human_face.demo import heads, people


@pytest.fixture(scope="module", params=["built_in", "formula"])
def drawn(request):
    public = people.named(request.param)
    face = public.vertices(public.person(np.random.default_rng(1)))
    return public, face


@pytest.mark.parametrize("closed", [True, False])
def test_a_bust_is_one_surface_round_the_face(drawn, closed):
    public, face = drawn
    points, triangles = heads.bust(face, public.triangles, public.nose_tip, np.random.default_rng(2))
    if closed:
        points, triangles = whole_heads.with_floor(points, triangles, len(face))
    assert np.array_equal(points[: len(face)], face)
    assert topology.fault(triangles, len(points)) == ("it is closed: it has no boundary" if closed else "")
    assert np.ptp(points[:, 0]) > 300  # shoulders
    assert np.ptp(points[:, 2]) > 180


@pytest.mark.parametrize("kind", whole_heads.KINDS)
def test_a_scanned_head_has_its_nose_where_it_says(drawn, kind):
    public, face = drawn
    scan = whole_heads.scanned(face, public.triangles, public.nose_tip, kind, np.random.default_rng(3))
    unit = whole_heads.UNITS[scan.unit]
    nearest = np.linalg.norm(scan.points - scan.nose_tip, axis=1).min() / unit
    assert nearest < 6
    assert (scan.triangles is None) == (kind == "cloud")
    assert np.allclose(scan.placed(face)[public.nose_tip], scan.nose_tip)
    assert np.allclose(scan.rotation @ scan.rotation.T, np.eye(3))
