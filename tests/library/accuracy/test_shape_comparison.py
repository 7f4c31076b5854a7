"""The mechanisms on outlines: intrinsic noise keeps them whole, point-wise noise does not; the basis pays."""

from dataclasses import replace

import numpy as np
import pytest

from shapedp.accuracy import shape_comparison
from shapedp.demo import outlines
from shapedp.manifolds import frechet, kendall
from shapedp.manifolds.landmark_shapes import dist
from shapedp.mechanisms import conversions, shape_mechanisms
from shapedp.mechanisms.shapes.ball import Ball, as_real

ON_SHAPES = [name for name, one in shape_mechanisms.MECHANISMS.items() if one.in_basis]
DRAWS = 40
# With 40 draws a share of .9 lies above this but for 2 in 10,000 runs; draws are seeded, so the outcome is fixed.
MOST_ARE_WHOLE = 0.7


@pytest.fixture(scope="module")
def demo():
    """(409 demo outlines, the ball about the public template, their mean)."""
    z = kendall.shapes_of(outlines.population(409, 2022)[0])
    ball = Ball(len(z), kendall.shape_of(outlines.template()), 0.2, 16)
    return z, ball, frechet.mean(kendall.Kendall(50), z).point


def found(z, ball, mean, name, modes, bandwidth=None):
    made = shape_comparison.made(name, ball, modes)
    return shape_comparison.figures(mean, shape_comparison.draws(made, z, DRAWS, bandwidth))


@pytest.mark.slow
@pytest.mark.parametrize("name", ON_SHAPES)
def test_outlines_stay_whole_in_the_basis(demo, name):
    figures = found(*demo, name, 16)
    assert figures["share_without_crossings"] > MOST_ARE_WHOLE
    assert figures["distance"] < 0.08


@pytest.mark.parametrize("name", ["pointwise_laplace", "pointwise_laplace_unaligned"])
def test_pointwise_noise_tears_them(demo, name):
    figures = found(*demo, name, 0)
    assert figures["share_without_crossings"] < 0.1 and figures["crossings"] > 5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_the_basis_brings_a_release_nearer(demo, name):
    plain, based = (found(*demo, name, modes) for modes in (0, 16))
    error = np.hypot(plain["distance_se"], based["distance_se"])
    assert based["distance"] < plain["distance"] - 5 * error


@pytest.mark.slow
def test_smoothing_takes_crossings_away(demo):
    plain, smoothed = (found(*demo, "gaussian", 0, bandwidth) for bandwidth in (None, 0.015))
    raw, smooth = (found(*demo, "laplace", 0, bandwidth) for bandwidth in (None, 0.015))
    assert smoothed["crossings"] <= plain["crossings"]
    assert smooth["crossings"] < raw["crossings"] / 2


def test_only_what_is_legal_is_compared(demo):
    """From pi/8 on squared distances need not be convex: the Gaussian takes such a ball, the pure ones do not. In all
    96 dimensions KNG would accept next to no proposal on the worst data.
    """
    _, ball, _ = demo
    about = [("shaped", 16), ("knorm", 16)]
    small = [(one.name, one.ball.modes) for one in shape_comparison.compared(ball)]
    wide = [(one.name, one.ball.modes) for one in shape_comparison.compared(replace(ball, r=1.0))]
    published = [("pointwise_laplace_aligned", 0), ("pointwise_laplace_unaligned", 0)]
    on_shapes = [("kng", 16), *((name, modes) for name in ("laplace", "gaussian") for modes in (0, 16))]
    assert small == [*about, *on_shapes, ("pointwise_laplace", 0), *published]
    assert wide == [*about, ("gaussian", 0), ("gaussian", 16), *published]


@pytest.mark.parametrize(("name", "reach"), [("shaped", 0.8), ("knorm", 0.3)])
def test_deviations_come_nearer_than_outlines_in_the_basis(demo, name, reach):
    """Their budgets are those of the Gaussian and of the Laplace mechanism in 16 modes, which they leave behind."""
    z, ball, mean = demo
    other = {"shaped": "gaussian", "knorm": "laplace"}[name]
    assert found(z, ball, mean, name, 16)["distance"] < reach * found(z, ball, mean, other, 16)["distance"]


def test_the_rows_without_noise_by_hand(demo):
    z, ball, mean = demo
    center, sampling = shape_comparison.without_noise(z, ball.p0, mean)
    assert center["mechanism"] == "public center, no data" and sampling["mechanism"] == "sampling error"
    assert center["distance"] == pytest.approx(kendall.Kendall(50).dist(ball.p0, mean))
    around = kendall.Kendall(50).dist(mean, z)
    assert sampling["distance"] == pytest.approx(np.linalg.norm(around) / len(z))


def test_the_gaussian_is_compared_at_the_delta_that_is_said():
    mu = shape_comparison.BUDGET["mu_total"]
    assert conversions.gdp_delta(mu, shape_comparison.EPSILON) == pytest.approx(shape_comparison.DELTA, rel=1e-6)


@pytest.mark.slow
def test_real_shells_stay_whole_but_for_pointwise_noise(shared_data):
    """Every tenth shell counts as public: their mean is the center, 1.5 times their largest distance the radius."""
    x = np.load(shared_data / "shapes" / "ptychomya_shells.npz", allow_pickle=False)["X"]
    z, space = kendall.shapes_of(x), kendall.Kendall(x.shape[1])
    public = np.arange(len(z)) % 10 == 0
    center = frechet.mean(space, z[public]).point
    r = round(1.5 * space.dist(center, z[public]).max(), 2)
    kept, mean = z[~public], frechet.mean(space, z[~public]).point
    ball = Ball(len(kept), center, r, 16)
    assert r == 0.18 and (space.dist(center, z) < r).all()
    whole = {name: found(kept, ball, mean, name, 16)["share_without_crossings"] for name in ("laplace", "gaussian")}
    assert min(whole.values()) > MOST_ARE_WHOLE
    assert found(kept, ball, mean, "pointwise_laplace", 0)["share_without_crossings"] == 0


def test_what_is_drawn_without_noise_is_the_center_and_means_that_err_by_the_sampling_error(demo):
    z, ball, mean = demo
    told = {row["mechanism"]: row["distance"] for row in shape_comparison.without_noise(z, ball.p0, mean)}
    drawn = shape_comparison.drawn_without_noise(z, ball.p0, mean, 200)
    assert list(drawn) == [("public", shape_comparison.CENTER), ("records drawn again", shape_comparison.SAMPLING)]
    center, means = drawn.values()
    np.testing.assert_array_equal(center, as_real(ball.p0)[None])
    far = dist(as_real(mean), means)
    assert np.sqrt(np.mean(far**2)) == pytest.approx(told[shape_comparison.SAMPLING], rel=0.1)
    nothing_public = shape_comparison.drawn_without_noise(z, None, mean, 3)
    assert [name for _, name in nothing_public] == [shape_comparison.SAMPLING]
