"""What sliding and the mirror take out of deviations, against the same done to the shapes themselves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.errors import ConfigError
from shapedp.manifolds import ignored_directions, landmark_shapes, missing_landmarks
from shapedp.manifolds.landmark_shapes import LandmarkShapes

PAIRS = ((1, 2), (3, 4))  # 5 and 6 lie on the middle


def half(d, seed=0):
    """A nearly symmetric configuration of six landmarks."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(6, d))
    points[1], points[3] = points[0] * ([-1] + [1] * (d - 1)), points[2] * ([-1] + [1] * (d - 1))
    points[4:, 0] = 0
    return landmark_shapes.unit((points + 0.03 * rng.normal(size=points.shape))[None])[0][0]


@pytest.mark.parametrize("d", [2, 3])
def test_a_shape_and_its_mirror_image_become_the_same(d):
    p0, ignored = ignored_directions.of(half(d), PAIRS)
    about = LandmarkShapes(p0, ignored)
    image = p0[[1, 0, 3, 2, 4, 5]] * ([-1] + [1] * (d - 1))
    assert landmark_shapes.dist(p0, image) < 1e-7  # symmetric
    record = landmark_shapes.align(
        p0, landmark_shapes.unit((p0 + 0.02 * np.random.default_rng(3).normal(size=p0.shape))[None])[0]
    )
    mirrored = landmark_shapes.align(p0, record[:, [1, 0, 3, 2, 4, 5]] * ([-1] + [1] * (d - 1)))
    assert landmark_shapes.dist(record[0], mirrored[0]) > 0.01
    assert_allclose(about.kept(record), about.kept(mirrored), atol=1e-9)
    halfway = about.shape((about.deviations(record) + about.deviations(mirrored)) / 2)
    assert_allclose(about.kept(record), halfway, atol=1e-9)


def test_the_dimension_of_symmetric_shapes():
    """Two pairs of 3 coordinates each, two on the middle of 2: 10, less 2 shifts, 1 turn, 1 size, all symmetric."""
    p0, ignored = ignored_directions.of(half(3), PAIRS)
    assert LandmarkShapes(p0, ignored).dim == 2 * 3 + 2 * 2 - 2 - 1 - 1


def test_semilandmarks_slide_along_the_centers_curve_and_nothing_else_moves():
    turn = np.linspace(0, np.pi, 9)
    p0 = landmark_shapes.unit(np.stack([np.cos(turn), np.sin(turn)], axis=-1)[None])[0][0]
    p0, ignored = ignored_directions.of(p0, semilandmarks=[(3, 4, 5)])
    about = LandmarkShapes(p0, ignored)
    along = ignored[0, 3] / np.linalg.norm(ignored[0, 3])
    assert_allclose(along, (p0[4] - p0[2]) / np.linalg.norm(p0[4] - p0[2]))
    slid, kept = p0[None].copy(), p0[None].copy()
    slid[0, 3] += 0.02 * along
    kept[0, 3] += 0.02 * np.array([-along[1], along[0]])
    slid, kept = (landmark_shapes.unit(one)[0] for one in (slid, kept))
    far = [landmark_shapes.dist(p0, about.kept(one)[0]) / landmark_shapes.dist(p0, one[0]) for one in (slid, kept)]
    assert far[0] < 0.05 and far[1] > 0.95


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"pairs": [(1, 7)]}, r"shapes\.pairs: landmarks are numbered from 1 to 6"),
        ({"pairs": [(1, 2), (2, 3)]}, r"stands in two pairs"),
        ({"semilandmarks": [(0, 1, 2)]}, r"shapes\.semilandmarks: landmarks are numbered"),
        ({"semilandmarks": [(2, 2, 3)]}, r"each once in a row"),
    ],
)
def test_numbers_that_name_no_landmark_are_refused(given, words):
    with pytest.raises(ConfigError, match=words):
        ignored_directions.of(half(2), **given)


@pytest.mark.parametrize("d", [2, 3])
def test_a_missing_landmark_goes_where_the_covariance_sends_it(d):
    """Landmarks 1 and 2 always move together: the missing one is found from the other; without C it stays at p0."""
    rng = np.random.default_rng(8)
    p0 = landmark_shapes.unit(rng.normal(size=(1, 30, d)))[0][0]
    shift = np.zeros((30, d))
    shift[:2, -1] = 1.0
    about = LandmarkShapes(p0)
    public = about.deviations(p0 + rng.normal(0, 0.05, (200, 1, 1)) * shift)
    record = landmark_shapes.unit((p0 + 0.04 * shift)[None])[0]
    lacking = 7.0 * record @ np.linalg.qr(rng.normal(size=(d, d)))[0] + 3.0
    if np.linalg.det(lacking[0][:d] - 3.0) * np.linalg.det(record[0][:d]) < 0:
        lacking[..., 0] *= -1  # turned, not mirrored
    whole = lacking.copy()
    lacking[0, 0] = np.nan
    near = missing_landmarks.filled(lacking, p0, public.T @ public / 200)
    plain = missing_landmarks.filled(lacking, p0)
    assert np.array_equal(near[0, 1:], whole[0, 1:])
    off = [np.linalg.norm(one[0, 0] - whole[0, 0]) / 7.0 for one in (near, plain)]
    assert off[0] < 0.3 * off[1] and off[1] > 0.02
    few = np.full_like(lacking, np.nan)
    few[0, :d] = 1.0
    assert np.isnan(missing_landmarks.filled(few, p0)[0, d:]).all()
