"""The public surface on demo faces: what the workflow does, without its files."""

import numpy as np
import pytest
from sklearn.base import clone

import shapedp
from shapedp.app.api import estimators
from shapedp.base.errors import ProgramError, Rejected
from shapedp.surfaces.human_face import likely_error, real_faces, relief
from shapedp.surfaces.human_face.demo import heads
from shapedp.surfaces.human_face.demo import scans as demo_scans
from shapedp.surfaces.scans import Scan

SMALL = {"count": 7, "samples": 20, "rings": 48, "angles": 96}


@pytest.fixture(scope="module")
def template():
    return shapedp.Template.built_in(**SMALL)


@pytest.fixture(scope="module")
def scans():
    rng = np.random.default_rng(5)
    faces = [Scan(real_faces.face(rng.standard_normal(20)), real_faces.triangles()) for _ in range(2)]
    return [*faces, Scan(np.zeros((5, 3)) + np.arange(5)[:, None])]


@pytest.fixture(scope="module")
def made(template, scans):
    transformer = shapedp.FaceCurves(template)
    return transformer, transformer.fit(scans).transform(scans)


def test_the_surface_and_its_scale_give_the_scan_back(scans):
    surface = shapedp.map_scan(scans[0], rings=48, angles=96)
    back = surface.scale * surface.f + surface.centroid
    tip = scans[0].points[real_faces.nose_tip()]
    assert np.linalg.norm(back[0].mean(axis=0) - tip) < 3  # mm, the first ring lies round the tip


@pytest.mark.slow
def test_curves_of_each_scan_come_in_correspondence(made, template):
    curves = made[1]
    assert curves.shape == (3, 7, 3, 20)
    apart = np.linalg.norm(curves[:2] - template.curves, axis=2)
    assert 0 < apart.mean() < 0.05  # of the square root of the area


def test_a_scan_that_cannot_be_used_becomes_the_template_and_says_why(made, template):
    transformer, curves = made
    assert list(transformer.rejected_) == [2]
    assert transformer.rejected_[2]
    assert np.array_equal(curves[2], template.curves)


@pytest.mark.slow
def test_a_face_is_looked_for_in_a_whole_head_and_what_is_no_face_is_refused_as_in_the_workflow(scans, monkeypatch):
    rng = np.random.default_rng(1)
    whole = heads.bust(scans[0].points, scans[0].triangles, real_faces.nose_tip(), rng)
    all_round = demo_scans.evenly(*whole, 20_000, rng)
    template = shapedp.Template.built_in(count=7, samples=20, rings=96, angles=256)
    transformer = shapedp.FaceCurves(template).fit()
    curves = transformer.transform([Scan(all_round), scans[0]])
    assert transformer.rejected_ == {}
    apart = np.linalg.norm(curves[0] - curves[1], axis=1)
    assert np.median(apart) * template.surface.scale < 2, "mm"
    words = "is no face: no nose"

    def none(surface, form):
        raise Rejected("no_face", words)

    monkeypatch.setattr(relief, "refuse_without_relief", none)
    transformer.transform(scans[:1])
    assert transformer.rejected_ == {0: words}


@pytest.mark.slow
def test_a_registration_that_is_likely_far_off_is_refused_as_in_the_workflow(made, scans, monkeypatch):
    transformer = made[0]
    stated = likely_error.state_errors
    monkeypatch.setattr(likely_error, "state_errors", lambda known: stated(known) | {"error_mm": 9.0})
    transformer.transform(scans[:1])
    assert "9.00 mm off" in transformer.rejected_[0]


def test_each_scan_is_taken_by_itself(made, template, scans):
    alone = shapedp.FaceCurves(template).fit().transform(scans[1:2])
    assert np.array_equal(alone[0], made[1][1])


def test_a_scan_that_breaks_the_chain_stops_nobody_else(made, template, scans, monkeypatch):
    """As in the workflow: it is rejected with the reason."""
    inner = estimators.map_scan

    def breaks(scan, *more):
        if scan is scans[0]:
            raise FloatingPointError("in the middle of the chain")
        return inner(scan, *more)

    monkeypatch.setattr(estimators, "map_scan", breaks)
    transformer = shapedp.FaceCurves(template).fit()
    curves = transformer.transform(scans[:2])
    assert "in the middle of the chain" in transformer.rejected_[0]
    assert np.array_equal(curves, [template.curves, made[1][1]])


def test_a_program_that_fails_on_the_template_stops_before_any_scan(template, scans, monkeypatch):
    def broken(*_):
        raise AttributeError("a fault of the program")

    monkeypatch.setattr(estimators, "map_scan", broken)
    with pytest.raises(
        ProgramError, match=r"public template: AttributeError: a fault.*no scan is to blame.*Nothing was"
    ):
        shapedp.FaceCurves(template).fit().transform(scans)


def test_it_is_cloned_with_its_settings(template):
    copy = clone(shapedp.FaceCurves(template, center="highest"))
    assert copy.center == "highest"
    assert not hasattr(copy, "template_")
