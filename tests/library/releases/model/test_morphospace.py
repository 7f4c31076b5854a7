"""Groups in the plane of two modes, disparity, dimorphism, allometry: right without noise, and told with it."""

import numpy as np
import pytest

from library.releases.model.test_anova import AXES, SPREAD
from shapedp.releases.model import morphospace
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.effects import fit_effects
from shapedp.releases.model.modes import find_modes
from shapedp.releases.model.released_model import Released

SEX, AGE = Covariate("sex", -1.0, 1.0, ("f", "m")), Covariate("age", 20.0, 60.0)


def release(rng, n=400, noise=(1e-9, 0.0, 1e-9), apart=0.5, slope=0.3, wider=1.0):
    """A Released of shapes of AXES coordinates, one curve of AXES points: sex moves the first, age the second."""
    z = np.column_stack([np.ones(n), rng.uniform(-1, 1, n), np.where(np.arange(n) % 2, 1.0, -1.0)])
    u = wider * SPREAD * rng.standard_normal((n, AXES))
    u[:, 0] += apart * z[:, 2]
    u[:, 1] += slope * z[:, 1]
    m1, m2, m3 = z.T @ u, z.T @ z, u.T @ u
    m1 = m1 + noise[0] * rng.standard_normal(m1.shape)
    drawn = rng.standard_normal(m3.shape)
    m3 = m3 + noise[2] * (drawn + drawn.T) / 2
    fitted = fit_effects(m1, m2, m3, np.array(noise), n, SPREAD**2)
    found = find_modes(m1, m3, noise, n, np.ones(AXES), SPREAD**2)
    as_points = lambda rows: rows.reshape(-1, 1, 1, AXES)  # noqa: E731
    residual = np.zeros((1, AXES, 1, 1))
    residual[0, :, 0, 0] = np.diag(fitted.residual)
    model = Released(
        reference=np.zeros((1, 1, AXES)),
        effects=as_points(fitted.coefficients),
        average=fitted.average,
        inverse=fitted.inverse,
        moment_noise=np.array(noise),
        noise_parts=np.zeros((3, 3, 1, AXES, 1, 1)),
        residual=residual,
        modes=as_points(found.axes[:3]),
        sd=found.sd[:3],
        shown=3,
        radii=None,
        covariates=(AGE, SEX),
        coordinates=fitted.drawn,
        coordinate_unit=np.ones(AXES),
        coordinate_noise=np.ones(AXES),
        coordinate_residual=fitted.raw,
        axes="",
        people=float(n),
        beyond=np.zeros((1, AXES, 1, 1)),
    )
    return model, u, z


def test_groups_lie_where_their_people_do():
    model, u, z = release(np.random.default_rng(0))
    found = morphospace.find_morphospace(model)
    plane = model.modes[:2].reshape(2, AXES)
    assert [one.words for one in found.groups] == [{"sex": "f"}, {"sex": "m"}]
    for group, rows in zip(found.groups, (u[::2], u[1::2]), strict=True):
        wanted = plane @ (rows.mean(axis=0) - u.mean(axis=0))
        np.testing.assert_allclose(group.place, wanted, atol=0.05)
        np.testing.assert_allclose(np.diag(group.error), np.diag(found.people) / 200, rtol=0.1)
    about = u - z @ np.linalg.lstsq(z, u, rcond=None)[0]
    np.testing.assert_allclose(np.diag(found.people), np.diag(plane @ np.cov(about.T) @ plane.T), rtol=0.1)


def test_an_ellipse_holds_the_share_that_it_is_drawn_for():
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    points = morphospace.draw_ellipse(np.array([1.0, -1.0]), covariance, morphospace.PEOPLE_95)
    away = points - [1.0, -1.0]
    squares = np.einsum("pi,ij,pj->p", away, np.linalg.inv(covariance), away)
    np.testing.assert_allclose(squares, 5.991, rtol=1e-3)


def test_disparity_is_the_variance_of_all_and_noise_is_taken_off():
    rng = np.random.default_rng(1)
    model, u, _ = release(rng)
    wanted = float(np.sum(u.var(axis=0)))
    assert morphospace.find_disparity(model).variance == pytest.approx(wanted, rel=0.01)
    noised = [morphospace.find_disparity(release(rng, noise=(60.0, 0.0, 30.0))[0]) for _ in range(200)]
    values = np.array([one.variance for one in noised])
    true = float(np.sum(SPREAD**2)) + 0.25 + 0.03
    assert values.mean() == pytest.approx(true, rel=0.03)
    assert np.mean([one.error for one in noised]) == pytest.approx(values.std(), rel=0.25)


@pytest.mark.thorough
def test_disparities_that_do_not_differ_are_told_apart_in_five_of_a_hundred():
    rng, p_values = np.random.default_rng(2), []
    for _ in range(300):
        first, second = (morphospace.find_disparity(release(rng, noise=(8.0, 0.0, 20.0))[0]) for _ in range(2))
        p_values.append(morphospace.compare_disparities(first, second)[1])
    assert 0.02 <= np.mean(np.array(p_values) <= 0.05) <= 0.09


def test_disparities_that_differ_are_told():
    rng = np.random.default_rng(2)
    near, far = (morphospace.find_disparity(release(rng, wider=width)[0]) for width in (1.0, 1.5))
    ratio, p = morphospace.compare_disparities(near, far)
    assert ratio > 1.5 and p < 0.01


def test_dimorphism_is_in_standard_deviations_of_people():
    rng = np.random.default_rng(3)
    found = [morphospace.find_dimorphisms(release(rng, noise=(8.0, 0.0, 20.0))[0])[0] for _ in range(200)]
    people = np.sqrt(np.sum(SPREAD**2))
    assert np.mean([one.index for one in found]) == pytest.approx(1.0 / people, rel=0.05)
    assert np.mean([one.distance for one in found]) == pytest.approx(1.0, rel=0.05)
    assert np.mean([one.error for one in found]) == pytest.approx(np.std([one.index for one in found]), rel=0.35)


def test_chance_alone_makes_hardly_any_dimorphism():
    rng = np.random.default_rng(5)
    found = [morphospace.find_dimorphisms(release(rng, apart=0.0)[0])[0].index for _ in range(200)]
    assert np.mean(found) < 0.07  # chance left in would make it .09


def test_the_course_over_age_lies_in_its_band():
    rng, inside = np.random.default_rng(4), []
    for _ in range(200):
        model, *_ = release(rng, noise=(8.0, 0.0, 20.0))
        (age,) = morphospace.find_allometries(model)
        true = 0.3 * (np.array([-1.0, 1.0]) - model.average[1])
        inside.append(np.abs(age.scores[[0, -1]] - true) <= age.half[[0, -1]])
    assert age.name == "age" and (age.values[0], age.values[-1]) == (20.0, 60.0)
    assert np.mean(inside) > 0.9
