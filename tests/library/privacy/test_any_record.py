"""Whatever one person's record holds, the release takes place, says the same, and its statistic moves within bounds.

200 generated pairs of neighbouring cohorts a mechanism here, 10,000 in the long lane. A pair differs in one record; the
adversary chooses both versions of it, and the others' seed.
"""

from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from library.privacy import chosen_records as chosen
from shapedp.privacy import integer_sums
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.shapes import private_center, pure
from shapedp.privacy.shapes.base import as_real
from shapedp.privacy.shapes.learned import DeviationMechanism
from shapedp.privacy.statistic import Rows
from shapedp.releases import curve_mechanisms, shape_mechanisms

pytestmark = pytest.mark.thorough

FEW, MANY = 200, 10_000
SHAPES = [(name, modes) for name, one in shape_mechanisms.MECHANISMS.items() if not one.from_data for modes in (0, 4)]
SHAPES = [(name, modes) for name, modes in SHAPES if modes == 0 or chosen.has_modes(name)]
PEOPLE = st.integers(0, 5)
PLANAR, CURVES = chosen.near(chosen.PLANAR), chosen.near(chosen.TEMPLATE)


def cohorts(count):
    return settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@cache
def verdict(name, modes):
    """What is to be seen of a cohort of p0 alone: of every cohort."""
    made = chosen.made_shape(name, modes)
    return made, chosen.shape_verdict(made, np.tile(chosen.P0, (chosen.OTHERS + 1, 1)))


def check_shapes(name, modes, count):
    made, expected = verdict(name, modes)

    @cohorts(count)
    @given(PEOPLE, PLANAR, PLANAR)
    def holds(seed, one, other):
        pair = [chosen.shape_people(seed, record) for record in (one, other)]
        assert all(chosen.shape_verdict(made, z) == expected for z in pair)
        assert moved(made, *pair) <= made.sensitivity() * (1 + 1e-9)

    holds()


def moved(made, first, second):
    """How far the statistic moves, in the norm that the noise is scaled to."""
    ball = made.ball
    if made.name == "private_center":
        sums = [private_center.hermitian_rows(as_real(z), made.basis).sum(axis=0) for z in (first, second)]
        return np.linalg.norm(sums[0] - sums[1]) / integer_sums.GRID / made.n
    points = [ball.space.to_ball(ball.points(z), ball.center, ball.r)[0] for z in (first, second)]
    if isinstance(made, DeviationMechanism):
        sums = [made.coordinates.integers(as_real(z)).sum(axis=0) for z in (first, second)]
        return np.linalg.norm(sums[0] - sums[1]) * made.coordinates.bound / integer_sums.GRID / made.n
    if made.name == "gaussian":
        sums = [made.integers(as_real(z)).sum(axis=0) for z in (first, second)]
        return np.linalg.norm(sums[0] - sums[1]) * ball.r / integer_sums.GRID / made.n
    if made.name == "laplace":
        means = [frechet.find_certified_mean(ball.space, one, ball.center, ball.r).point for one in points]
        return ball.space.dist(*means)
    if made.name == "kng":
        x = np.stack([ball.center, *points[0]])
        one, other = (ball.space.gradient(x, part) for part in points)
        return ball.space.norm(x, one - other).max()
    offsets = [np.nan_to_num(ball.kendall.align(ball.p0, ball.whole(z)) - ball.p0) for z in (first, second)]
    ranges = np.full(len(ball.p0), ball.r)
    one, other = (pure.clamped_sums(np.hstack([x.real, x.imag]), np.tile(ranges, 2)) for x in offsets)
    return np.abs(one - other).max() * ball.r / integer_sums.GRID / made.n


def check_curves(name, count):
    made = chosen.made_curves(name)
    nobody = np.zeros((chosen.OTHERS + 1, *chosen.FACE))
    expected = chosen.curve_verdict(made, chosen.curve_sums(made, nobody))

    @cohorts(count)
    @given(PEOPLE, CURVES, CURVES)
    def holds(seed, one, other):
        sums = [chosen.curve_sums(made, chosen.curve_people(seed, record)) for record in (one, other)]
        assert all(chosen.curve_verdict(made, one) == expected for one in sums)
        assert sum(int(step) ** 2 for step in sums[0] - sums[1]) <= integer_sums.SENSITIVITY**2

    holds()


def check_stages(count):
    """`shaped` with budget enough for a first stage: each stage within its sensitivity, whatever the first answered."""
    made = chosen.made_curves("shaped", 8.0)
    assert made.first > 0
    nobody = np.zeros((chosen.OTHERS + 1, *chosen.FACE))
    expected = chosen.stages_verdict(made, nobody)

    @cohorts(count)
    @given(PEOPLE, CURVES, CURVES, st.sampled_from([0.5, 1.0, 1.3, 16.0]))
    def holds(seed, one, other, widened):
        pair = [chosen.curve_people(seed, record) for record in (one, other)]
        assert all(chosen.stages_verdict(made, people) == expected for people in pair)
        first = [made.first_stage().sums(Rows.of(people)).values[0] for people in pair]
        assert abs(int(first[0][0]) - int(first[1][0])) <= integer_sums.SENSITIVITY
        sums = [chosen.curve_sums(made.clipped_to(made.plan.widened(widened)), people) for people in pair]
        assert sum(int(step) ** 2 for step in sums[0] - sums[1]) <= integer_sums.SENSITIVITY**2

    holds()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "modes"), SHAPES)
def test_no_record_moves_what_is_seen_of_a_mean_shape(name, modes):
    check_shapes(name, modes, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("name", curve_mechanisms.MECHANISMS)
def test_no_record_moves_what_is_seen_of_a_mean_face(name):
    check_curves(name, FEW)


@pytest.mark.slow
def test_no_record_moves_what_is_seen_of_two_stages():
    check_stages(FEW)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_no_record_of_ten_thousand_moves_what_is_seen_of_two_stages():
    check_stages(MANY)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("name", "modes"), SHAPES)
def test_no_record_of_ten_thousand_moves_what_is_seen_of_a_mean_shape(name, modes):
    check_shapes(name, modes, MANY)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", curve_mechanisms.MECHANISMS)
def test_no_record_of_ten_thousand_moves_what_is_seen_of_a_mean_face(name):
    check_curves(name, MANY)
