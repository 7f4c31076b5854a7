"""Deviations from p0 in the plane and in space: Kendall's logarithm in the plane, laws of both, and odd records."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import RBFInterpolator
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform
from scipy.spatial.transform import Rotation

from shapedp.base.errors import ConfigError
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.manifolds.projective import Kendall


def cohort(d, n=6, k=9, spread=0.2):
    """(p0, n records about it, moved, turned and scaled)."""
    rng = np.random.default_rng(d)
    p0 = landmark_shapes.unit(rng.normal(size=(1, k, d)))[0][0]
    turns = Rotation.random(n, rng).as_matrix() if d == 3 else _turns(rng.uniform(0, 2 * np.pi, n))
    records = (p0 + spread / np.sqrt(k) * rng.normal(size=(n, k, d))) @ turns
    return p0, records * rng.uniform(0.1, 50, (n, 1, 1)) + rng.normal(size=(n, 1, d))


def _turns(angle):
    return np.stack([np.stack([np.cos(angle), np.sin(angle)], -1), np.stack([-np.sin(angle), np.cos(angle)], -1)], 1)


def test_in_the_plane_it_is_kendalls_logarithm():
    p0, records = cohort(2)
    space, z = Kendall(len(p0)), lambda x: x[..., 0] + 1j * x[..., 1]
    expected = space.log(z(p0), space.project(z(records)))
    assert_allclose(z(LandmarkShapes(p0).deviations(records).reshape(records.shape)), expected, atol=1e-13)


@pytest.mark.parametrize("d", [2, 3])
def test_deviations_are_tangent_as_long_as_the_distance_and_lead_back(d):
    p0, records = cohort(d)
    shapes = LandmarkShapes(p0)
    found = shapes.deviations(records)
    assert_allclose(found @ shapes.fixed().T, 0, atol=1e-14)
    back = shapes.shape(found)
    assert_allclose(landmark_shapes.dist(p0, back), np.linalg.norm(found, axis=1), atol=1e-13)
    assert_allclose(landmark_shapes.dist(landmark_shapes.unit(records)[0], back), 0, atol=1e-7)
    assert shapes.dim == p0.size - (4 if d == 2 else 7)


@pytest.mark.parametrize("d", [2, 3])
def test_a_mirror_image_is_another_shape(d):
    p0, _ = cohort(d)
    mirrored = p0 * ([-1] + [1] * (d - 1))
    assert landmark_shapes.dist(p0, mirrored) > 0.1


@pytest.mark.parametrize("d", [2, 3])
def test_an_exchange_and_a_mirror_image_are_told_apart_and_from_what_people_differ_by(d):
    p0, records = cohort(d)
    i, j = sorted(map(int, np.unravel_index(squareform(pdist(p0)).argmax(), (9, 9))))
    exchanged = records.copy()
    exchanged[:, [i, j]] = records[:, [j, i]]
    mirrored = records * [-1, *[1] * (d - 1)]
    for wrong, expected in ((records, None), (exchanged, (i, j)), (mirrored, ())):
        assert [landmark_shapes.slip(p0, shape) for shape in landmark_shapes.unit(wrong)[0]] == [expected] * 6


@pytest.mark.parametrize("d", [2, 3])
def test_records_without_a_shape_deviate_by_nothing(d):
    p0, records = cohort(d)
    shapes = LandmarkShapes(p0)
    for odd in (np.full_like(p0, np.nan), np.ones_like(p0), np.zeros_like(p0), np.full_like(p0, np.inf)):
        assert not shapes.deviations(odd[None]).any()
    for scale in (1e200, 1e-200):
        assert_allclose(shapes.deviations(records * scale), shapes.deviations(records), atol=1e-12)


@pytest.mark.parametrize("d", [2, 3])
def test_a_missing_landmark_is_put_where_p0_has_it(d):
    p0, records = cohort(d, spread=0.0)
    holed = records.copy()
    holed[:, 4] = np.nan
    assert_allclose(landmark_shapes.fill_missing(holed, p0), records, atol=1e-9 * np.abs(records).max())
    alone = landmark_shapes.fill_missing(holed[2:3], p0)
    assert np.array_equal(alone, landmark_shapes.fill_missing(holed, p0)[2:3]), "each record by itself"
    holed[0, d:] = np.nan
    assert np.isnan(landmark_shapes.fill_missing(holed, p0)[0]).any(), "too few landmarks say not where p0 lies"


def test_the_center_of_public_records_is_kendalls_mean():
    from shapedp.privacy.manifolds import frechet

    p0, records = cohort(2, n=12)
    z = landmark_shapes.unit(records)[0] @ [1, 1j]
    expected = frechet.mean(Kendall(len(p0)), z).point
    found = landmark_shapes.find_frechet_mean(records)
    assert landmark_shapes.dist(found, np.stack([expected.real, expected.imag], -1)) < 1e-7


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
    p0, ignored, _ = landmark_shapes.with_ignored_directions(half(d), PAIRS)
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
    p0, ignored, _ = landmark_shapes.with_ignored_directions(half(3), PAIRS)
    assert LandmarkShapes(p0, ignored).dim == 2 * 3 + 2 * 2 - 2 - 1 - 1


def test_semilandmarks_slide_along_the_centers_curve_and_nothing_else_moves():
    turn = np.linspace(0, np.pi, 9)
    p0 = landmark_shapes.unit(np.stack([np.cos(turn), np.sin(turn)], axis=-1)[None])[0][0]
    p0, ignored, _ = landmark_shapes.with_ignored_directions(p0, semilandmarks=[(3, 4, 5)])
    about = LandmarkShapes(p0, ignored)
    along = ignored[0, 3] / np.linalg.norm(ignored[0, 3])
    assert_allclose(along, (p0[4] - p0[2]) / np.linalg.norm(p0[4] - p0[2]))
    slid, kept = p0[None].copy(), p0[None].copy()
    slid[0, 3] += 0.02 * along
    kept[0, 3] += 0.02 * np.array([-along[1], along[0]])
    slid, kept = (landmark_shapes.unit(one)[0] for one in (slid, kept))
    far = [landmark_shapes.dist(p0, about.kept(one)[0]) / landmark_shapes.dist(p0, one[0]) for one in (slid, kept)]
    assert far[0] < 0.05 and far[1] > 0.95


def curve(d):
    """p0 of landmarks 1 and 9 at the ends of an arch, seven between them that slide; its rows of the setting."""
    turn = np.linspace(0, np.pi, 9)
    points = np.stack([np.cos(turn), 1.5 * np.sin(turn), 0.3 * np.sin(2 * turn)], axis=-1)[:, :d]
    others = np.random.default_rng(2).normal(size=(4, d))
    p0 = landmark_shapes.unit(np.concatenate([points, others])[None])[0][0]
    return p0, [(one, one + 1, one + 2) for one in range(1, 8)]


def spline_energy(p0, x):
    """Of scipy's thin-plate spline that carries p0 to p0 + x: trace(w' K w) of its kernel weights w."""
    k, d = p0.shape
    kernel = "thin_plate_spline" if d == 2 else "linear"
    spline = RBFInterpolator(p0, x, kernel=kernel, degree=1)
    weights = spline._coeffs[:k]
    r = np.linalg.norm(p0[:, None] - p0, axis=-1)
    return np.trace(weights.T @ (r**2 * np.log(r + (r == 0)) if d == 2 else -r) @ weights)


@pytest.mark.parametrize("d", [2, 3])
def test_bending_energy_is_that_of_a_thin_plate_spline_and_none_of_an_affine_map(d):
    p0, _ = curve(d)
    b, rng = landmark_shapes.bending_matrix(p0), np.random.default_rng(5)
    x = rng.normal(size=p0.shape)
    assert np.trace(x.T @ b @ x) == pytest.approx(spline_energy(p0, x), rel=1e-9)
    affine = p0 @ rng.normal(size=(d, d)) + rng.normal(size=d)
    assert_allclose(b @ affine, 0, atol=1e-11 * np.abs(b).max())
    assert np.linalg.eigvalsh(b).min() > -1e-11 * np.abs(b).max()


@pytest.mark.parametrize("d", [2, 3])
def test_a_record_slides_along_the_tangents_to_the_least_bending_energy(d):
    """Oracle: a minimiser over the positions along the tangents that knows scipy's spline alone."""
    p0, rows = curve(d)
    p0, ignored, slid = landmark_shapes.with_ignored_directions(p0, semilandmarks=rows, sliding="bending_energy")
    assert len(ignored) == 0 and slid.shape == (7, *p0.shape)
    free, about = LandmarkShapes(p0), LandmarkShapes(p0, slid=slid)
    record = landmark_shapes.unit((p0 + 0.05 * np.random.default_rng(3).normal(size=p0.shape))[None])[0]
    x, found = (one.deviations(record)[0] for one in (free, about))
    moved = (found - x).reshape(p0.shape)
    tangents = slid[np.arange(7), np.arange(1, 8)]
    assert_allclose(moved[[0, *range(8, len(p0))]], 0, atol=1e-14)  # landmarks that do not slide
    assert_allclose(moved[1:8], np.sum(moved[1:8] * tangents, axis=1, keepdims=True) * tangents, atol=1e-14)

    def energy(t):
        return spline_energy(p0, (x + t @ slid.reshape(7, -1)).reshape(p0.shape))

    least = minimize(energy, np.zeros(7), method="BFGS", options={"gtol": 1e-9})
    reached = spline_energy(p0, found.reshape(p0.shape))
    assert reached == pytest.approx(least.fun, rel=1e-6) and reached < 0.9 * energy(np.zeros(7))
    assert_allclose(np.sum(moved[1:8] * tangents, axis=1), least.x, atol=1e-5)


@pytest.mark.parametrize("d", [2, 3])
def test_what_has_slid_does_not_slide_again_and_no_pose_matters(d):
    p0, rows = curve(d)
    p0, _, slid = landmark_shapes.with_ignored_directions(p0, semilandmarks=rows, sliding="bending_energy")
    about, rng = LandmarkShapes(p0, slid=slid), np.random.default_rng(4)
    records = landmark_shapes.unit(p0 + 0.03 * rng.normal(size=(5, *p0.shape)))[0]
    x = about.deviations(records)
    assert_allclose(
        x @ about.fixed().T @ about.fixed(), (x @ LandmarkShapes(p0).fixed().T) @ LandmarkShapes(p0).fixed()
    )
    assert_allclose(about.deviations(about.kept(records)), x - (x @ about.fixed().T) @ about.fixed(), atol=1e-9)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    turn[:, 0] *= np.linalg.det(turn)
    assert_allclose(about.deviations(3 * records @ turn + 2), x, atol=1e-12)
    assert about.dim == LandmarkShapes(p0).dim - 7


def test_a_circle_that_slides_all_round_keeps_its_other_directions():
    """Sliding everywhere at once is a turn, which does not bend: it is no direction to take out twice."""
    turn = 2 * np.pi * np.arange(12) / 12
    p0 = landmark_shapes.unit(np.stack([np.cos(turn), np.sin(turn)], axis=-1)[None])[0][0]
    rows = [(one or 12, one + 1, (one + 1) % 12 + 1) for one in range(12)]
    p0, _, slid = landmark_shapes.with_ignored_directions(p0, semilandmarks=rows, sliding="bending_energy")
    assert LandmarkShapes(p0, slid=slid).dim == LandmarkShapes(p0).dim - 11


def test_a_center_whose_landmarks_coincide_is_refused():
    p0, rows = curve(2)
    p0[11] = p0[12]
    with pytest.raises(ConfigError, match=r"shapes\.sliding: two landmarks of the center coincide"):
        LandmarkShapes(p0, slid=landmark_shapes.with_ignored_directions(p0, (), rows, "bending_energy")[2]).fixed()


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
        landmark_shapes.with_ignored_directions(half(2), **given)


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
    near = landmark_shapes.fill_missing(lacking, p0, public.T @ public / 200)
    plain = landmark_shapes.fill_missing(lacking, p0)
    assert np.array_equal(near[0, 1:], whole[0, 1:])
    off = [np.linalg.norm(one[0, 0] - whole[0, 0]) / 7.0 for one in (near, plain)]
    assert off[0] < 0.3 * off[1] and off[1] > 0.02
    few = np.full_like(lacking, np.nan)
    few[0, :d] = 1.0
    assert np.isnan(landmark_shapes.fill_missing(few, p0)[0, d:]).all()


def test_landmarks_are_joined_by_links_and_curves_or_else_by_the_shortest_tree():
    """By hand: on a line at 0, 1, 3, 7 the tree joins neighbours."""
    line = np.array([[0.0, 0], [1, 0], [7, 0], [3, 0]])
    alone = landmark_shapes.join_landmarks({"modes": 0}, line)
    elsewhere = line[::-1] * [[1.0, 7.0]] + np.arange(len(line))[:, None] ** 2
    assert landmark_shapes.join_landmarks({"modes": 0}, elsewhere, line) == alone, (
        "the public center's, in all pictures"
    )
    assert landmark_shapes.join_landmarks({"modes": 0}, line, np.full_like(line, np.nan)) == alone
    assert sorted(map(sorted, alone.pop("near"))) == [[1, 2], [2, 4], [3, 4]]
    assert alone == {"closed": False, "links": [], "sliding": []}
    curves = {"modes": 0, "links": [[1, 2]], "semilandmarks": [[1, 3, 4], [3, 4, 2]]}
    found = landmark_shapes.join_landmarks(curves, line)
    assert found == {"closed": False, "links": [[1, 2], [1, 3], [2, 4], [3, 4]], "sliding": [3, 4], "near": []}
    contour = landmark_shapes.join_landmarks({"basis": 16}, line)
    assert contour["closed"] and contour["near"] == []
