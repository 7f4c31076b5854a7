"""Sensitivities by hand, the factor-2 rule with its reason, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.accounting.sensitivity import KNG, LAPLACE, PAPERS
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere


def test_the_sphere_by_hand():
    """2r = π/4: 2r / sin 2r · 2r = (π/4)² √2; papers (π/4)(2 - π/4); h_max = π/4."""
    r = np.pi / 8
    proved = (np.pi / 4) ** 2 * np.sqrt(2)
    printed = np.pi / 4 * (2 - np.pi / 4)
    assert_allclose(4 * sensitivity.gradient_sensitivity(Sphere(2), r, 4), proved)
    assert_allclose(4 * sensitivity.gradient_sensitivity(Sphere(2), r, 4, PAPERS), printed)
    assert_allclose(4 * sensitivity.mean_sensitivity(Sphere(2), r, 4), proved / (np.pi / 4))
    assert_allclose(sensitivity.mean_sensitivity(Sphere(2), r, 4, tolerance=0.01) * np.pi / 4, proved / 4 + 0.02)


def test_shapes_are_spheres_of_twice_the_curvature_radius():
    """Kendall at r is the sphere at 2r, lengths halved."""
    assert_allclose(
        sensitivity.gradient_sensitivity(Kendall(9), 0.15, 10),
        sensitivity.gradient_sensitivity(Sphere(2), 0.3, 10) / 2,
    )


@pytest.mark.parametrize("bound", [sensitivity.RAUCH, PAPERS])
def test_matrices_have_no_curvature_factor(bound):
    assert_allclose(sensitivity.gradient_sensitivity(SPD(4), 1.5, 10, bound), 0.3)
    assert_allclose(sensitivity.mean_sensitivity(SPD(4), 1.5, 10, bound), 0.3)


@pytest.mark.parametrize("manifold", [Sphere(2), Kendall(7)], ids=str)
def test_the_proved_bound_is_always_below_the_papers(manifold):
    for r in np.linspace(0.01, 0.38, 20):
        proved, printed = (sensitivity.expansion(manifold, r, b) for b in (sensitivity.RAUCH, PAPERS))
        assert 1 < proved < printed


@pytest.mark.parametrize(
    ("mechanism", "restricted", "times"), [(KNG, True, 2), (KNG, False, 2), (LAPLACE, True, 2), (LAPLACE, False, 1)]
)
def test_the_factor_is_2_where_the_normaliser_depends_on_the_data(mechanism, restricted, times):
    assert sensitivity.find_noise_factor(mechanism, restricted) == times


def test_scales():
    noise = sensitivity.scale(Sphere(2), KNG, 0.3, 10, 0.5, restricted=True)
    assert_allclose(noise.sigma, 4 * sensitivity.gradient_sensitivity(Sphere(2), 0.3, 10))
    assert noise.private


def test_published_scales_are_as_printed_and_as_proved():
    """2022, supplement 2.4.2: 2r (2 - r cot r)/(n epsilon) on S²; Theorems 1 and 2: twice that, with 2r cot 2r."""
    r, n, epsilon = 0.3, 10, 0.5
    printed = sensitivity.published_scale(Sphere(2), KNG, r, n, epsilon)
    assert_allclose(printed.sigma, 2 * r * (2 - r / np.tan(r)) / n / epsilon)
    theorems = sensitivity.published_scale(Sphere(2), KNG, r, n, epsilon, times=2, reach=2)
    assert_allclose(theorems.sigma, 2 * sensitivity.gradient_sensitivity(Sphere(2), r, n, PAPERS) / epsilon)
    assert theorems.private and not printed.private
    assert not sensitivity.published_scale(Sphere(2), KNG, r, n, epsilon, times=2, reach=1).private
    flat = sensitivity.published_scale(SPD(2), KNG, r, n, epsilon)
    assert flat.factor == 2 and flat.private
    assert not sensitivity.published_scale(SPD(2), KNG, r, n, epsilon, times=1).private
    laplace = [sensitivity.published_scale(Sphere(2), LAPLACE, r, n, epsilon, times).sigma for times in (1, 2)]
    assert_allclose(laplace, np.array([1, 2]) * sensitivity.mean_sensitivity(Sphere(2), r, n, PAPERS) / epsilon)


def test_the_normaliser_on_matrices_decides():
    """k = 2 needs sigma < √2: KNG with r = 1.5, epsilon = 1 has sigma = 6/n, n > 4.24; docs/mathematics.md, (7.2)."""
    assert sensitivity.scale(SPD(2), KNG, 1.5, 5, 1.0).sigma < np.sqrt(2)
    with pytest.raises(RefusedRelease, match=r"1\.414"):
        sensitivity.scale(SPD(2), KNG, 1.5, 4, 1.0)
    assert sensitivity.scale(SPD(2), KNG, 1.5, 4, 1.0, restricted=True).sigma == 1.5


@pytest.mark.parametrize("epsilon", [0.0, -1.0, np.nan, np.inf])
def test_epsilon_must_be_positive(epsilon):
    with pytest.raises(RefusedRelease, match="epsilon"):
        sensitivity.scale(Sphere(2), LAPLACE, 0.3, 10, epsilon)


@pytest.mark.parametrize("n", [0, 1])
def test_one_record_is_not_enough(n):
    with pytest.raises(RefusedRelease, match="at least 2"):
        sensitivity.scale(Sphere(2), LAPLACE, 0.3, n, 1.0)


def test_unknown_names_are_refused():
    with pytest.raises(RefusedRelease, match="unknown"):
        sensitivity.find_noise_factor("gauss", False)
    with pytest.raises(RefusedRelease, match="unknown"):
        sensitivity.expansion(Sphere(2), 0.3, "guess")
