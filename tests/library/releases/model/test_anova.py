"""R², p and Z of covariates from noised moments: they agree with least squares where nothing is noised, and hold their
level where it is.
"""

import csv
from types import SimpleNamespace

import numpy as np
import pytest

from shapedp.base.errors import ConfigError
from shapedp.releases.model import anova
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.effects import fit_effects

AXES, SEX = 8, Covariate("sex", -1.0, 1.0, ("f", "m"))
SPREAD = 1.0 / np.arange(1, AXES + 1)  # standard deviations of people


def released(u, z, noise, rng):
    """What a model holds of people's coordinates u (n, q) and rows z (n, 1 + p), by the noise on three moments."""
    n, p = len(u), z.shape[1]
    m1 = z.T @ u + noise[0] * rng.standard_normal((p, AXES))
    drawn = rng.standard_normal((p, p))
    moved = np.triu(drawn) + np.triu(drawn, 1).T
    moved[0, 0] = 0.0  # n is public
    m2 = z.T @ z + noise[1] * moved / np.sqrt(2) * (1 + (np.sqrt(2) - 1) * np.eye(p))
    drawn = np.triu(rng.standard_normal((AXES, AXES)))
    m3 = u.T @ u + noise[2] * (drawn + np.triu(drawn, 1).T)
    fitted = fit_effects(m1, m2, m3, np.array(noise), n, SPREAD**2)
    return SimpleNamespace(
        covariates=(SEX,) if p == 2 else (),
        people=float(n),
        unit="radian",
        length=lambda squares: float(np.sqrt(np.sum(squares))),
        inverse=fitted.inverse,
        moment_noise=np.array(noise),
        coordinates=fitted.drawn,
        coordinate_unit=np.ones(AXES),
        coordinate_residual=fitted.raw,
        residual=np.diag(np.linalg.eigvalsh(fitted.residual))[None, None],
        outside=None,
        beyond=np.zeros((1, AXES, AXES)),
    )


def people(rng, n, effect=0.0):
    """(u, z): an effect along the first axis, in its standard deviations."""
    z = np.column_stack([np.ones(n), np.where(np.arange(n) % 2, 1.0, -1.0)])
    u = SPREAD * rng.standard_normal((n, AXES)) + 0.1
    u[:, 0] += effect * z[:, 1]
    return u, z


def test_without_noise_it_is_what_least_squares_gives():
    rng = np.random.default_rng(0)
    u, z = people(rng, 300, 0.3)
    (sex,) = (found := anova.analyse(released(u, z, (1e-9, 0.0, 1e-9), rng))).effects
    b = np.linalg.lstsq(z, u, rcond=None)[0]
    total = np.sum((u - u.mean(axis=0)) ** 2)
    explained = np.sum((z @ b - u.mean(axis=0)) ** 2)
    assert sex.ss == pytest.approx(explained, rel=1e-6) and sex.share == pytest.approx(explained / total, rel=1e-6)
    assert found.total == pytest.approx(total, rel=1e-6) and found.residual == pytest.approx(
        total - explained, rel=1e-6
    )
    assert sex.f == pytest.approx(explained / ((total - explained) / 298), rel=1e-6) and found.degrees == 298
    assert sex.p < 0.001 and sex.z > 3


def test_the_test_holds_its_level_and_finds_what_is_there():
    """With as much noise as chance, of 600 releases without an effect about 5 % have p up to .05."""
    rng, noise = np.random.default_rng(1), (10.0, 4.0, 10.0)
    p_values = [anova.analyse(released(*people(rng, 300), noise, rng)).effects[0].p for _ in range(600)]
    assert 0.03 <= np.mean(np.array(p_values) <= 0.05) <= 0.075
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.06)
    found = [anova.analyse(released(*people(rng, 300, 0.35), noise, rng)).effects[0] for _ in range(60)]
    assert np.mean([one.p <= 0.05 for one in found]) > 0.8


@pytest.mark.thorough
def test_what_noise_made_of_an_effect_does_not_count_as_noise_on_it():
    """People lie near each other along a covariate whose moment is noised: p up to .05, and up to .1, is as frequent
    as it says. Were the noised effect itself counted, it were half as frequent.
    """
    rng, noise = np.random.default_rng(6), (4.0, 10.0, 3.0)
    p_values = []
    for _ in range(800):
        u, z = people(rng, 300)
        z[:, 1] = 0.4 * rng.standard_normal(300)
        p_values.append(anova.analyse(released(0.1 * u, z, noise, rng)).effects[0].p)
    assert 0.032 <= np.mean(np.array(p_values) <= 0.05) <= 0.072
    assert 0.075 <= np.mean(np.array(p_values) <= 0.1) <= 0.13


@pytest.mark.thorough
def test_an_effect_that_chance_drew_long_does_not_make_people_seem_alike():
    """Of 16 people, who lie near an effect that is theirs by chance: were that taken off, p up to .05 were .10."""
    rng, noise = np.random.default_rng(7), (1.0, 0.0, 1.0)
    p_values = [anova.analyse(released(*people(rng, 16), noise, rng)).effects[0].p for _ in range(800)]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.075


@pytest.mark.thorough
def test_how_far_people_differ_is_not_taken_as_known():
    """Noise leaves a quarter of people's spread unsure: were that not counted, p up to .05 were .08."""
    rng, noise = np.random.default_rng(7), (1.0, 0.0, 10.0)
    p_values = [anova.analyse(released(*people(rng, 60), noise, rng)).effects[0].p for _ in range(800)]
    assert 0.02 <= np.mean(np.array(p_values) <= 0.05) <= 0.06


def test_r2_is_right_on_average_and_its_error_is_told():
    rng, noise = np.random.default_rng(2), (10.0, 4.0, 10.0)
    shares, open_shares, errors = [], [], []
    for _ in range(200):
        u, z = people(rng, 300, 0.4)
        one = anova.analyse(released(u, z, noise, rng)).effects[0]
        plain = anova.analyse(released(u, z, (1e-9, 0.0, 1e-9), rng)).effects[0]
        shares.append(one.share)
        open_shares.append(plain.share)
        errors.append(one.error)
    assert np.mean(shares) == pytest.approx(np.mean(open_shares), rel=0.08)
    assert np.mean(errors) == pytest.approx(np.std(shares), rel=0.25)


def test_the_variance_beside_the_released_axes_counts():
    rng = np.random.default_rng(3)
    one = released(*people(rng, 300, 0.4), (1e-9, 0.0, 1e-9), rng)
    whole = anova.analyse(one)
    one.outside, one.length = np.full((1, 1, 1, 1), np.sum(SPREAD**2)), lambda squares: float(np.sqrt(squares.sum()))
    wider = anova.analyse(one)
    assert wider.effects[0].share < 0.6 * whole.effects[0].share
    assert wider.effects[0].p == whole.effects[0].p


def test_the_table_is_as_geomorph_prints_it():
    rng = np.random.default_rng(4)
    found = anova.analyse(released(*people(rng, 100, 0.5), (5.0, 2.0, 5.0), rng))
    rows = list(csv.DictReader(anova.table(found)))
    assert [row["effect"] for row in rows] == ["sex", "residuals", "total"]
    assert [row["df"] for row in rows] == ["1", "98", "99"]
    parts = [float(row["ss_radian2"]) for row in rows]
    assert parts[2] == pytest.approx(parts[0] + parts[1], rel=0.05)
    assert "sex explains" in next(anova.sentences(found, "shape"))


def test_without_covariates_there_is_nothing_to_analyse():
    rng = np.random.default_rng(5)
    u, z = people(rng, 50)
    with pytest.raises(ConfigError, match="no covariates"):
        anova.analyse(released(u, z[:, :1], (1.0, 0.0, 1.0), rng))
