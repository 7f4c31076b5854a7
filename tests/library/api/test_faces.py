"""The public surface on demo faces: what the workflow does, without its files."""

import numpy as np
import pytest
from sklearn.base import clone

import shapedp
from shapedp.demo import real_faces
from shapedp.readers.scans import Scan

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


def test_each_scan_is_taken_by_itself(made, template, scans):
    alone = shapedp.FaceCurves(template).fit().transform(scans[1:2])
    assert np.array_equal(alone[0], made[1][1])


def test_it_is_cloned_with_its_settings(template):
    copy = clone(shapedp.FaceCurves(template, center="highest"))
    assert copy.center == "highest"
    assert not hasattr(copy, "template_")
