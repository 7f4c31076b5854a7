"""A face has relief; a ball, an egg with a nose and a face without one lack some of it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from shapedp.base.errors import Rejected
from shapedp.surfaces.human_face import relief
from shapedp.surfaces.human_face.demo import people
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import alignment

SHAPE = 64, 192, 3


@pytest.fixture(scope="module")
def template():
    public = people.named("built_in")
    mean = public.vertices(people.Person(np.zeros(1), "f", 49.0))
    return alignment.map_face(mean, public.triangles.astype(np.int64), public.nose_tip, SHAPE, True).f


def test_a_template_is_as_deep_as_itself(template):
    same = relief.measure_relief(template, template)
    assert (same.correlation, same.amplitude, same.nose, same.detail) == pytest.approx((1, 1, 1, 1))
    assert same.is_of_a_face


def test_a_cap_of_a_ball_has_none(template):
    grid = polar_grid(*SHAPE[:2])
    x, y = 0.5 * np.moveaxis(grid.points, -1, 0)
    cap = np.stack([x, y, np.sqrt(1 - x**2 - y**2)], axis=-1)
    seen = relief.measure_relief(cap, template)
    assert not seen.is_of_a_face
    assert seen.amplitude < 0.1
    assert "at least" in str(seen)


def test_relief_that_is_turned_inwards_is_not_like_the_template(template):
    axes = relief.extent.find_extent(template, np.inf).axes
    mirrored = (template @ axes.T * [1, 1, -1]) @ axes
    assert relief.measure_relief(mirrored, template).correlation == pytest.approx(-1, abs=0.05)


@pytest.mark.parametrize(
    ("missing", "code", "words"), [(0.002, "unlike_people", "41.7"), (0.1, "partial_extent", "10%")]
)
def test_what_public_people_do_not_tell_is_cut_off_or_is_no_face(missing, code, words):
    left = SimpleNamespace(energy_after=0.1, min_jacobian=0.5)
    aligned = SimpleNamespace(registered=left, expected_mm=41.7, missing=missing, unlike=1.0, expression=None)
    with pytest.raises(Rejected, match=words) as refused:
        relief.judge(aligned, relief.Gates(0.17, 0.2, 3.0, 1.6))
    assert refused.value.code == code


def test_what_a_scan_shows_is_told_well_or_it_lies_in_a_wrong_place():
    """Half a face that was laid 54 mm off lacked 3 %, and was expected to err by 1.6 mm; faces by 1.15 at most."""
    left, gates = SimpleNamespace(energy_after=0.166, min_jacobian=0.33), relief.Gates(0.17, 0.2, 3.0, 1.6)
    wrong = SimpleNamespace(registered=left, expected_mm=1.577, missing=0.029, unlike=0.94, expression=None)
    with pytest.raises(Rejected, match=r"lacks 3%.* only to 1\.58 mm \(at most 1\.35\)"):
        relief.judge(wrong, gates)
    relief.judge(SimpleNamespace(**{**vars(wrong), "expected_mm": 1.153}), gates)
    relief.judge(SimpleNamespace(**{**vars(wrong), "missing": 0.2}), gates)
    assert [replace(gates, unseen=one).limit_unseen(0.029) for one in (100.0, 3.0, 2.0, 1.2)] == [45.0, 1.35, 1.35, 1.2]
