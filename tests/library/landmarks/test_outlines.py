import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import pearsonr

from shapedp.landmarks import outlines


@pytest.fixture(scope="module")
def population():
    return outlines.population(409, 3)


def preshapes(X):
    z = X[..., 0] + 1j * X[..., 1]
    z = z - z.mean(axis=-1, keepdims=True)
    return z / np.linalg.norm(z, axis=-1, keepdims=True)


def distances(z, mean):
    return np.arccos(np.clip(np.abs(z @ mean.conj()), 0, 1))


def area(x):
    return 0.5 * np.sum(x[..., 0] * np.roll(x[..., 1], -1, -1) - np.roll(x[..., 0], -1, -1) * x[..., 1], axis=-1)


def crosses_itself(x):
    """Whether two sides of a closed polygon that share no corner meet."""
    p, q = x, np.roll(x, -1, axis=0)

    def side(a, b, c):
        return np.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    count = len(x)
    for i in range(count):
        for j in range(i + 2, count - (i == 0)):
            apart = side(p[i], q[i], p[j]) * side(p[i], q[i], q[j]) < 0
            if apart and side(p[j], q[j], p[i]) * side(p[j], q[j], q[i]) < 0:
                return True
    return False


def test_spread_is_that_of_the_papers_data(population):
    z = preshapes(population[0])
    mean = np.linalg.eigh(z.T @ z.conj())[1][:, -1]  # Kent's estimator: the full Procrustes mean
    d = distances(z, mean)
    assert 0.055 < d.mean() < 0.067
    assert 0.11 < d.max() < 0.18


@pytest.mark.parametrize("seed", range(4))
def test_every_outline_is_near_the_public_template(seed):
    z = preshapes(outlines.population(300, seed)[0])
    assert distances(z, preshapes(outlines.template())).max() < np.pi / 8


@pytest.mark.slow
def test_outlines_are_simple_counter_clockwise_curves(population):
    X, _ = population
    assert X.shape == (409, 50, 2)
    assert np.all(area(X) > 0)
    assert not any(crosses_itself(x) for x in X[::4])
    assert not crosses_itself(outlines.template())


def test_the_oracle_of_crossings_sees_one():
    assert crosses_itself(np.array([[0, 0], [1, 1], [1, 0], [0, 1]], dtype=float))


def test_bulb_and_hook_are_where_they_should_be():
    x = outlines.template()
    assert_array_equal(np.argmax(x[:, 0]) in range(20, 31), True)  # the bulb, landmark 25, is the right end
    hook = x[0]
    assert x[:, 0].min() < hook[0] - 5  # mm: the rostrum points back from the genu, the left end,
    assert hook[1] < np.median(x[:, 1])  # and lies low


def test_age_explains_part_of_the_variation(population):
    X, age = population
    assert age.min() >= 55
    assert age.max() <= 90
    perimeter = np.sum(np.linalg.norm(X - np.roll(X, -1, axis=1), axis=2), axis=1)
    plumpness = area(X) / perimeter**2
    assert -0.9 < pearsonr(age, plumpness).statistic < -0.3  # older, thinner; but not age alone


def test_a_longer_list_begins_with_the_shorter(population):
    X, age = outlines.population(5, 3)
    assert_array_equal(X, population[0][:5])
    assert_array_equal(age, population[1][:5])
