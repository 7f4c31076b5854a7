"""Axes, clip and number of axes from public numbers; the error foretold is the error found; one record moves 2 tau."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from library.privacy import laws
from shapedp.base.errors import RefusedRelease
from shapedp.landmarks import outlines
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.learned import shape_variation
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.manifolds.projective import shape_of
from shapedp.privacy.shapes.base import OUTPUT_GRID, Ball, as_complex, as_real
from shapedp.privacy.shapes.learned import Coordinates
from shapedp.privacy.statistic import Rows, ask
from shapedp.releases import shape_mechanisms

PUBLIC, COHORT = (outlines.population(count, seed)[0] for count, seed in ((40, 11), (360, 12)))
P0 = landmark_shapes.find_frechet_mean(PUBLIC)
SHAPES = LandmarkShapes(P0)
LAWS = {"shaped": (shape_variation.gaussian, {"mu_total": 1.0}), "knorm": (shape_variation.pure, {"epsilon": 1.0})}


@pytest.fixture(scope="module")
def learned():
    return shape_variation.learn(SHAPES, PUBLIC, outline=True)


def coordinates(known, law):
    return Coordinates(SHAPES, known, shape_variation.choose(known, len(COHORT), law, 1.0))


@pytest.mark.parametrize("basis", [shape_variation.contour_axes, shape_variation.plain_axes])
@pytest.mark.parametrize("d", [2, 3])
def test_axes_are_orthonormal_and_span_the_tangent_space(basis, d):
    p0 = landmark_shapes.unit(np.random.default_rng(d).normal(size=(1, 11, d)))[0][0]
    shapes = LandmarkShapes(p0)
    found, frequencies = basis(shapes)
    assert found.shape == (shapes.dim, p0.size) and len(frequencies) == shapes.dim
    assert_allclose(found @ found.T, np.eye(shapes.dim), atol=1e-12)
    assert_allclose(found @ shapes.fixed().T, 0, atol=1e-12)
    assert (np.diff(frequencies) >= 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_the_error_foretold_is_the_error_of_releases(name):
    """Noise alone, about p0: what is foretold; and so is the whole error, bias and clipping included."""
    public = outlines.population(200, 13)[0]
    ball = Ball(len(COHORT), as_complex(landmark_shapes.find_frechet_mean(public)), 0.2, 16, as_complex(public))
    made = shape_mechanisms.make(name, ball, LAWS[name][1])
    source, z = noise.SeededNoise(3), np.array([shape_of(one) for one in COHORT])
    at_center = np.tile(ball.p0, (len(COHORT), 1))
    drawn = [ask(made, Rows.of(as_real(at_center)), source) for _ in range(100)]
    ends = [(ball.kendall.dist(ball.p0, made.published(one)), made.decoding(one).noise_size()) for one in drawn]
    moved, stated = np.array(ends)[:, 0], np.mean(ends, axis=0)[1]  # people at p0 are told to lie near it
    assert np.sqrt(np.mean(np.square(moved))) == pytest.approx(stated, rel=0.1)
    assert stated == pytest.approx((0.55 if made.first else 1.0) * made.noise_size(), rel=0.1)
    mean = as_complex(landmark_shapes.find_frechet_mean(COHORT))
    errors = [ball.kendall.dist(mean, made.published(ask(made, Rows.of(as_real(z)), source))) for _ in range(40)]
    assert np.mean(errors) == pytest.approx(made.coordinates.choice.error, rel=0.15)


@pytest.mark.parametrize("law", [shape_variation.gaussian, shape_variation.pure])
@pytest.mark.parametrize("public", [PUBLIC, None])
def test_one_record_moves_the_sum_by_twice_the_clip_at_most_and_by_nearly_that(law, public):
    known = (
        shape_variation.learn(SHAPES, public, True)
        if public is not None
        else shape_variation.assume_prior(SHAPES, 0.2, True)
    )
    found = coordinates(known, law)
    far = SHAPES.shape(np.concatenate([known.axes[:3], -known.axes[:3]]))  # a radian away, in opposite directions
    odd = [np.full_like(P0, np.nan), np.ones_like(P0), 1e300 * COHORT[0], 1e-300 * COHORT[1]]
    rows = found.integers(np.concatenate([far, odd, COHORT[:20]]))
    squares = (rows.astype(object) ** 2).sum(axis=1)
    assert max(squares) <= integer_sums.GRID**2
    apart = max(float(np.linalg.norm(a - b)) for a in rows for b in rows)
    assert 0.95 * 2 * integer_sums.GRID < apart <= 2 * integer_sums.GRID


def test_few_people_and_pure_noise_get_fewer_axes(learned):
    counts = [shape_variation.choose(learned, n, shape_variation.gaussian, 1.0).axes for n in (20, 200, 2000, 20_000)]
    assert counts == sorted(counts) and counts[0] < counts[-1]
    assert (
        shape_variation.choose(learned, 200, shape_variation.pure, 1.0).axes
        < shape_variation.choose(learned, 200, shape_variation.gaussian, 1.0).axes
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_what_would_be_no_nearer_than_the_center_is_refused_beforehand_with_the_n_at_which_it_turns(name):
    law, budget = LAWS[name]
    known = shape_variation.learn(SHAPES, PUBLIC, True)
    needed = shape_variation.find_least_records(known, law, 1.0)
    ball = Ball(needed, as_complex(P0), 0.2, 16, as_complex(PUBLIC))
    shape_mechanisms.make(name, ball, budget)
    with pytest.raises(RefusedRelease, match=rf"the public center alone .* from n = {needed} on"):
        shape_mechanisms.make(name, Ball(needed - 1, ball.p0, ball.r, ball.modes, ball.public), budget)


def test_too_few_or_equal_public_shapes_are_refused():
    with pytest.raises(RefusedRelease, match="at least 5 are needed"):
        shape_variation.learn(SHAPES, PUBLIC[:4], True)
    with pytest.raises(RefusedRelease, match="all equal the center"):
        shape_variation.learn(SHAPES, np.full((9, *P0.shape), np.nan), True)


def test_the_detail_of_the_center_stays_whatever_is_released(learned):
    found = coordinates(learned, shape_variation.pure)
    assert found.choice.axes < SHAPES.dim / 4
    assert_allclose(found.shape(np.zeros(found.choice.axes)), P0, atol=1e-15)


def test_the_knorm_loss_is_epsilon_and_reaches_it():
    """log density ratio of two means 2 tau/n apart: at most epsilon everywhere, epsilon on the line through them."""
    tau, n, epsilon, q = 0.7, 50, 1.3, 4
    sigma, shift = 2 * tau / (n * epsilon), np.eye(q)[0] * 2 * tau / n
    points = np.concatenate([laws.k_norm(q, sigma, np.random.default_rng(2), 5000), -3 * shift[None]])
    loss = (np.linalg.norm(points - shift, axis=1) - np.linalg.norm(points, axis=1)) / sigma
    assert np.abs(loss).max() <= epsilon * (1 + 1e-12)
    assert loss[-1] == pytest.approx(epsilon)


def test_the_knorm_release_is_the_integer_sums_with_noise_for_the_whole_of_epsilon(monkeypatch):
    """The noise is asked for with the sums' own sensitivity; a size beside the shape lies on the output grid."""
    asked = []

    def drawn(self, values, *amounts):
        asked.append(amounts)
        return np.asarray(values, dtype=float) + 12345.0

    monkeypatch.setattr(noise.SeededNoise, "k_norm_integers", drawn)
    ball = Ball(360, as_complex(P0), 0.2, 16, as_complex(PUBLIC), size=(1.0, 3.0))
    made = shape_mechanisms.make("knorm", ball, {"epsilon": 2.0})
    [u] = ask(made, Rows.of(COHORT, np.full(len(COHORT), 2.1)), noise.SeededNoise(0))
    assert asked == [(integer_sums.SENSITIVITY, 2.0)]
    steps = u / made.grid()
    assert_allclose(steps, np.rint(steps), atol=1e-6)
    size, _ = made.size((u,))
    assert size / OUTPUT_GRID == round(size / OUTPUT_GRID)


@pytest.mark.parametrize(("name", "n"), [*((name, len(COHORT)) for name in LAWS), ("knorm", 45)])
def test_the_noise_of_a_size_is_as_large_as_stated(name, n):
    """Of few people few axes are released, and the size beside them counts as one of them."""
    ball = Ball(n, as_complex(P0), 0.2, 16, as_complex(PUBLIC), size=(1.0, 3.0))
    made, source = shape_mechanisms.make(name, ball, LAWS[name][1], worth_it_anyway=True), noise.SeededNoise(4)
    rows = Rows.of(COHORT[:n], np.full(n, 2.1))
    sizes, stated = np.array([made.size(ask(made, rows, source)) for _ in range(400)]).T
    assert np.log(sizes).std() == pytest.approx(np.median(stated / sizes), rel=0.12)
    assert np.log(sizes).mean() == pytest.approx(2.1, abs=4 * np.log(sizes).std() / 20)


def test_what_clipping_does_to_a_lopsided_mean_is_foretold():
    """Half the people far out on one side: the mean that is clipped is off by what is foretold of it."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=(2000, 3)) * [1.0, 0.5, 0.25]
    x[:, 0] += 3 * rng.exponential(size=2000)
    clips = np.array([2.0, 2.2, 2.3])
    lengths = np.sqrt(np.cumsum(x**2, axis=1))

    def of(people):
        return shape_variation.measure_clipping(
            [shape_variation.Fold(people, np.ones(3), np.eye(3), 1.0, people)], [clips]
        )

    moved, lost, _ = of(x)
    for q in range(3):
        kept = x[:, : q + 1] * np.minimum(1, clips[q] / lengths[:, q])[:, None]
        off = x[:, : q + 1].mean(axis=0) - kept.mean(axis=0)
        assert moved[q] == pytest.approx(off @ off, rel=1e-2)
        assert lost[q] == pytest.approx(np.mean(((x[:, : q + 1] - kept) ** 2).sum(axis=1)))
    even = np.concatenate([x, -x])
    assert (of(even)[0] == 0).all()
    ball = rng.normal(size=(200_000, 3))
    pulled = of(ball)[2]
    ends = [ball + step for step in ([0.05, 0, 0], [-0.05, 0, 0])]
    kept = [(one * np.minimum(1, clips[2] / np.linalg.norm(one, axis=1))[:, None]).mean(axis=0) for one in ends]
    assert 1 - (kept[0] - kept[1])[0] / 0.1 == pytest.approx(pulled[2], abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 300])
def test_the_center_alone_is_foretold_where_it_is_the_public_mean_and_where_it_is_not(n):
    """Against cohorts drawn from the same population."""
    apart = LandmarkShapes(SHAPES.shape(0.03 * shape_variation.contour_axes(SHAPES)[0][0]))
    for shapes in (SHAPES, apart):
        told = shape_variation.choose(
            shape_variation.learn(shapes, PUBLIC, True), n, shape_variation.gaussian, 1.0
        ).center_error
        cohorts = (outlines.population(n, seed)[0] for seed in range(100, 108))
        far = [landmark_shapes.dist(shapes.p0, landmark_shapes.find_frechet_mean(one)) for one in cohorts]
        assert told == pytest.approx(np.sqrt(np.mean(np.square(far))), rel=0.4)


def test_complex_and_real_landmarks_are_the_same():
    z = np.array([1 + 2j, -3j])
    assert np.array_equal(as_complex(as_real(z)), z)


@pytest.mark.slow
def test_few_people_about_their_own_mean_foretell_what_others_do():
    """Six of a normal law in 40 dimensions: spread, clip and error are those of people who had no part in p0.

    About a mean that they have part in, each lies in the span of the others: lengths would come out tiny.
    """
    rng = np.random.default_rng(8)
    sd = 0.02 / np.sqrt(1 + np.arange(36))
    foretold, found = [], []
    for _ in range(12):
        axes = np.linalg.qr(rng.standard_normal((36, 36)))[0] * sd
        center = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] * 3, float) + rng.standard_normal((12, 3))
        center = landmark_shapes.unit(center[None])[0][0]
        people = center + (rng.standard_normal((66, 36)) @ axes).reshape(66, 12, 3)
        public, records = people[:6], people[6:]
        shapes = landmark_shapes.LandmarkShapes(landmark_shapes.find_frechet_mean(public))
        known = shape_variation.learn(shapes, landmark_shapes.align(shapes.p0, public), outline=False)
        made = Coordinates(shapes, known, shape_variation.choose(known, 60, shape_variation.gaussian, 20.0))
        mean = made.integers(records).mean(axis=0) * (made.bound / integer_sums.GRID)
        found.append(landmark_shapes.dist(landmark_shapes.find_frechet_mean(records), made.shape(mean)) ** 2)
        foretold.append(made.choice.bias)
    assert 0.5 < np.mean(found) / np.mean(foretold) < 2
