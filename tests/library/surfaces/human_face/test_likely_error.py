"""The error of a scan follows from what is known of it, grows with each cause, and says where it is largest."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from shapedp.base.errors import Rejected
from shapedp.surfaces.human_face import likely_error, real_faces, relief

GOOD = likely_error.ErrorInputs(np.tile([0.9, 0.8, 0.0], (len(likely_error.REGIONS) + 1, 1)), 0.0, 0.5, 0.05, 0.15)
FACE = {"error_mm": 0.9} | {f"error_{name}_mm": 1.0 for name in likely_error.MOVED_BY}


def test_a_plain_face_is_not_doubtful():
    errors = likely_error.state_errors(GOOD)
    assert tuple(errors) == likely_error.FIELDS
    assert 0.5 < errors["error_mm"] < 1.25
    assert likely_error.measure_doubt(errors) < 1


def test_a_face_that_lies_beside_public_people_at_its_chin_is_doubtful_there():
    """Each region's error follows from its own signals."""
    signals = GOOD.signals.copy()
    signals[likely_error.REGIONS.index("chin")] = 6.0, 8.0, 0.0
    errors = likely_error.state_errors(replace(GOOD, signals=signals))
    assert likely_error.find_worst(errors)[0] == "chin"
    assert likely_error.measure_doubt(errors) >= 1
    assert "most at the chin" in likely_error.write_words(errors)
    assert errors["error_brow_mm"] == likely_error.state_errors(GOOD)["error_brow_mm"]


def test_what_is_usual_at_the_chin_is_doubtful_at_the_brow():
    """Every region has its own limit, since plain faces err more at some of them."""
    limits = dict(zip(likely_error.FIELDS, likely_error.DOUBTFUL_MM, strict=True))
    good = likely_error.state_errors(GOOD)
    for name, mm in limits.items():
        doubt = likely_error.measure_doubt(good | {name: 1.01 * mm})
        assert doubt == pytest.approx(1.01)
        assert likely_error.measure_doubt(good | {name: 0.99 * mm}) < 1
    chin, brow = limits["error_chin_mm"], limits["error_brow_mm"]
    assert likely_error.measure_doubt(good | {"error_chin_mm": (chin + brow) / 2}) < 1
    assert likely_error.measure_doubt(good | {"error_brow_mm": (chin + brow) / 2}) > 1


def test_a_search_that_is_not_sure_of_its_place_doubles_the_error_at_most():
    sure, unsure, lost = (
        likely_error.state_errors(replace(GOOD, confidence=one))["error_mm"] for one in (0.15, 0.05, 0.0)
    )
    assert sure == likely_error.state_errors(GOOD)["error_mm"]
    assert unsure == pytest.approx(sure * (1 + 2 / 3))
    assert lost == pytest.approx(2 * sure)


def test_what_is_likely_to_be_far_off_is_refused_with_the_place():
    gates = relief.Gates(energy=0.17, jacobian=0.2, unseen=3.0, unlike=1.6)
    relief.refuse_likely_wrong(FACE | {"error_mm": 5.9}, gates)
    with pytest.raises(Rejected, match=r"6\.20 mm off \(at most 6\.00\), most at the mouth \(9\.0 mm\)") as refusal:
        relief.refuse_likely_wrong(FACE | {"error_mm": 6.2, "error_mouth_mm": 9.0}, gates)
    assert refusal.value.code == "likely_wrong"


def test_without_public_people_nothing_is_stated():
    aligned = SimpleNamespace(signals=None)
    assert set(likely_error.estimate_errors(aligned, 0.0, None, None).values()) == {0.0}


def test_the_noise_of_a_scan_is_counted_in_mm_whatever_its_unit():
    registered = SimpleNamespace(energy_after=0.05)
    found = []
    for unit in (1.0, 0.1):
        place = SimpleNamespace(size=150.0 * unit)
        aligned = SimpleNamespace(signals=GOOD.signals, place=place, unlike=0.5, registered=registered)
        face = SimpleNamespace(noise=1.2 * unit, search_confidence=1.0)
        found.append(likely_error.estimate_errors(aligned, 0.0, face, SimpleNamespace(size=150.0))["error_mm"])
    assert found[0] == pytest.approx(found[1], rel=1e-12)
    assert found[0] == pytest.approx(likely_error.state_errors(replace(GOOD, noise_mm=1.2))["error_mm"], rel=1e-12)


def test_signals_are_root_mean_squares_by_region():
    chosen, areas = np.array([0, 0, 1, 6]), np.array([0.25, 0.25, 0.4, 0.1])
    beside, apart = np.array([3.0, 4.0, 1.0, 0.0]), np.array([0.0, 2.0, 5.0, 1.0])
    found = likely_error.measure_signals(beside, apart, np.array([True, False, True, True]), chosen, areas)
    assert found[0] == pytest.approx([np.sqrt(12.5), np.sqrt(2), 0.5])
    assert found[1] == pytest.approx([1, 5, 0])
    assert found[-1, 0] == pytest.approx(np.sqrt(0.25 * 25 + 0.4))


def test_regions_lie_where_a_face_has_them():
    """Left and right alike, the chin lowest, the brow highest, the nose in the middle."""
    about = real_faces.template() - real_faces.template()[real_faces.nose_tip()]
    regions = likely_error.label_vertices()
    middle = {name: about[regions == k].mean(axis=0) for k, name in enumerate(likely_error.MOVED_BY)}
    heights = [middle[name][1] for name in ("brow", "eyes", "nose", "mouth", "chin")]
    assert heights == sorted(heights, reverse=True)
    assert max(abs(at[0]) for at in middle.values()) < 2
