"""A scan that reaches as far as the whole template takes half from the registration to the whole; others less."""

import numpy as np
import pytest

from shapedp.demo import faces
from shapedp.surfaces import alignment, blending, carrying, extent
from shapedp.surfaces.registration.options import Options

SHAPE = (48, 128, 3)
OPTIONS = Options(levels=2, basis=60)
TURN = 2 * np.pi * np.arange(extent.DIRECTIONS) / extent.DIRECTIONS


@pytest.fixture(scope="module")
def whole():
    return alignment.mapped(faces.template(), faces.triangles(), faces.NOSE_TIP, SHAPE)


@pytest.fixture(scope="module")
def common(whole):
    return alignment.common_of(whole, 80 / whole.scale)


@pytest.fixture(scope="module")
def template(whole, common):
    return alignment.prepared(whole.f, common.f, carrying.places(common, whole), 80 / whole.scale, OPTIONS)


def rim(around, share):
    """A rim at this share of the whole template's reach in every direction."""
    distance = share * around.extent.reach
    return np.stack([distance * np.cos(TURN), distance * np.sin(TURN), 0 * TURN], axis=1)


@pytest.mark.parametrize(("reach", "expected"), [(0.9, 0.0), (0.95, 0.0), (1.0, 0.25), (1.05, 0.5), (1.3, 0.5)])
def test_the_share_rises_with_the_scans_reach_to_a_half(template, reach, expected):
    shares = blending.shares(rim(template.surroundings, reach), template.surroundings)
    assert shares.shape == (*SHAPE[:2], 1)
    assert np.allclose(shares, expected, atol=1e-9)


def test_a_scan_that_ends_early_on_one_side_has_no_share_there(template):
    around = template.surroundings
    shares = blending.shares(rim(around, np.where(np.cos(TURN) > 0, 1.1, 0.8)), around)[..., 0]
    toward = np.cos(2 * np.pi * around.directions / extent.DIRECTIONS)
    assert np.allclose(shares[toward > 0.5], 0.5)
    assert np.allclose(shares[toward < -0.5], 0)


@pytest.fixture(scope="module")
def apart(template, whole):
    """(within the extent, to the whole) of a face of the model, as `align` has them."""
    vertices = faces.face(faces.random_weights(np.random.default_rng(4)))
    face = alignment.mapped(vertices, faces.triangles(), faces.NOSE_TIP, SHAPE)
    outer = alignment.prepared(template.whole, template.whole, None, np.inf, OPTIONS)
    inner = alignment.prepared(template.whole, template.common, None, 80 / whole.scale, OPTIONS)
    return alignment.align(face, inner), alignment.align(face, outer), face


@pytest.mark.slow
def test_no_share_and_all_of_it_are_the_two_registrations(template, apart):
    within, outer, _ = apart
    given = within, outer
    for share, one in ((0.0, within), (1.0, carrying.moved(outer, template.surroundings.places))):
        found = blending.blended(*given, share, template.surroundings, template.common)
        assert np.linalg.norm(found.points - one.points, axis=-1).max() < 1e-6 * within.scale
        assert found.registered.energy_after == within.registered.energy_after


@pytest.mark.slow
def test_a_whole_face_ends_between_the_two(template, apart):
    """In alignment itself: each point lies between where the two registrations have it, most of them in the middle."""
    within, outer, face = apart
    moved = carrying.moved(outer, template.surroundings.places)
    found = alignment.align(face, template)
    one, other = (np.linalg.norm(found.points - each.points, axis=-1) for each in (within, moved))
    between = np.linalg.norm(within.points - moved.points, axis=-1)
    assert np.allclose(one + other, between, atol=1e-6 * face.scale)
    assert np.median(one / between) > 0.2
    assert (one <= 0.5 * between + 1e-6 * face.scale).all()


@pytest.mark.slow
def test_the_template_keeps_its_own_surface(template, whole, common):
    found = alignment.align(whole, template)
    assert np.linalg.norm(found.points - (common.f * common.scale + common.centroid), axis=-1).mean() < 0.3, "mm"
