"""Covariates as numbers: public settings alone say what a cell counts as, and whatever is odd is the middle."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from shapedp.base.errors import ConfigError
from shapedp.privacy import noise
from shapedp.privacy.integer_sums import Moments
from shapedp.releases.model import covariates, effects

AGE = covariates.Covariate("age", 20.0, 60.0)
GUESSED = covariates.Covariate("age", 18.0, 90.0, mean=30.0, sd=10.0)
SEX = covariates.Covariate("sex", -1.0, 1.0, ("f", "m"))


@pytest.mark.parametrize(
    ("one", "text", "coded"),
    [
        *((AGE, "20", -1.0), (AGE, " 50 ", 0.5), (AGE, "60.0", 1.0), (AGE, "1e9", 1.0), (AGE, "-4", -1.0)),
        *((GUESSED, "30", 0.0), (GUESSED, "55", 1.0), (GUESSED, "40", 0.4), (GUESSED, "90", 1.0)),
        *((SEX, "f", -1.0), (SEX, "m", 1.0), (SEX, " m", 1.0)),
    ],
)
def test_what_a_cell_counts_as(one, text, coded):
    assert one.coded(text) == pytest.approx(coded)
    assert one.value(text) == pytest.approx(coded)


@pytest.mark.parametrize("one", [AGE, GUESSED, SEX])
@pytest.mark.parametrize("text", ["", "unknown", "nan", "inf", "-1e999", "x", "1,2,3", "1.234,5", None])
def test_what_cannot_be_read_is_the_middle_and_is_refused_where_a_reader_asks_for_it(one, text):
    assert one.coded(text) == 0.0
    with pytest.raises(ConfigError, match=rf"{one.name}: found .*give"):
        one.value(text)


def test_a_codebooks_words_are_read_as_its_levels_before_what_words_mean():
    asked = {"levels": ["f", "m"], "aliases": {"1": "f", "2": "m", "Mann ": "f"}}
    (one,) = covariates.from_settings({"sex": asked})
    assert [one.coded(text) for text in ("1", " 2", "mann", "m", "3")] == [-1, 1, -1, 1, 0]
    assert covariates.list_unread({"sex": asked}, [("p", {"sex": "3"}), ("q", {"sex": "2"})]) == {"sex": ["p"]}


WORDS = covariates.Covariate("sex", -1.0, 1.0, ("female", "male"))
WAYS = {
    WORDS: (
        *(
            "female",
            "Female",
            "FEMALE ",
            " fe male",
            "F",
            "f",
            "w",
            "W",
            "Weiblich",
            "Frau",
            "woman",
            "féminin",
            "girl",
        ),
        *("male", "Male", "M", "m ", "Mann", "männlich", "MÄNNLICH", "man", "boy", "homme", "\u00a0male"),
    ),
    AGE: ("18.5", "18,5", " 18,5 ", "+18,5", "18", "18.", ",5", "1e1", "5e1", "\u00a042", "042", "59,999"),
}
UNREAD = {WORDS: ("", "n/a", "?", "divers", "fm"), AGE: ("", "n/a", "about 18", "18 y", "18,5,1")}


def test_cells_are_read_as_people_type_them():
    assert sum(map(len, (*WAYS.values(), *UNREAD.values()))) >= 40
    assert {WORDS.coded(word) for word in WAYS[WORDS][:13]} == {-1.0}
    assert {WORDS.coded(word) for word in WAYS[WORDS][13:]} == {1.0}
    assert AGE.coded("18,5") == AGE.coded("18.5") and AGE.coded("59,999") == AGE.coded("59.999")
    assert all(one.reads(word) for one, words in WAYS.items() for word in words)


def test_what_is_not_read_is_told_by_column_and_id():
    ways = [(f"r{at}", {"age": word, "sex": "f"}) for at, word in enumerate((*WAYS[AGE], *UNREAD[AGE]))]
    ways += [(f"w{at}", {"age": "30", "sex": word}) for at, word in enumerate((*WAYS[WORDS], *UNREAD[WORDS]))]
    asked = {"age": {"range": [20, 60]}, "sex": {"levels": ["female", "male"]}}
    told = covariates.list_unread(asked, ways)
    assert told == {"age": [f"r{at}" for at in range(12, 17)], "sex": [f"w{at}" for at in range(24, 29)]}
    assert covariates.list_unread(asked, [("a", {"age": "3", "sex": "m"})]) == {}


def test_a_word_that_could_mean_both_levels_or_none_is_not_read():
    hands = covariates.Covariate("hand", -1.0, 1.0, ("a", "b"))
    assert not hands.reads("f") and hands.reads("B")
    alike = covariates.Covariate("sex", -1.0, 1.0, ("f", "woman"))
    assert alike.reads("woman") and not alike.reads("female")


def test_the_spread_that_public_numbers_tell_is_that_of_such_people():
    rng = np.random.default_rng(1)
    told = {
        AGE: rng.uniform(20, 60, 8000),
        GUESSED: rng.normal(30, 10, 8000),
        SEX: rng.choice(["f", "m"], 8000),
    }
    for one, values in told.items():
        assert_allclose(np.var([one.coded(str(value)) for value in values]), one.variance, rtol=0.04)


def test_a_clamp_never_lies_beyond_the_range_on_its_farther_side():
    assert GUESSED.reach == 25.0
    assert covariates.Covariate("age", 18.0, 40.0, mean=30.0, sd=10.0).reach == 12.0


def test_covariates_are_in_the_order_of_their_names():
    found = covariates.from_settings({"sex": {"levels": ["f", "m"]}, "age": {"range": [18, 90], "mean": 30, "sd": 10}})
    assert found == (GUESSED, SEX)


def test_a_person_with_several_rows_has_their_mean_and_one_without_any_the_middle():
    cells = [
        ("ann", {"age": "20"}),
        ("bob", {"age": "50", "sex": "m"}),
        ("ann", {"age": "40", "sex": "f"}),
        ("eve", {}),
    ]
    found = covariates.code_all((AGE, SEX), cells, ["bob", "ann", "kim"])
    assert_allclose(found, [[0.5, 1.0], [-0.5, -1.0], [0.0, 0.0]])


@pytest.mark.parametrize("text", ["", "n/a", "nan"])
def test_a_cell_that_is_not_read_counts_for_nothing_where_the_person_has_another(text):
    cells = [("ann", {"Age": "20"}), ("ann", {"Age": text}), ("bob", {"Age": text})]
    assert covariates.code_all((AGE,), cells, ["ann", "bob"]).ravel().tolist() == [-1.0, 0.0]
    assert np.isnan(covariates.code_known((AGE,), cells, ["ann", "bob"])).ravel().tolist() == [False, True]


Q, LEADING, N = 12, 8, 1000
SD = 0.3 / np.sqrt(1.0 + np.arange(Q))
VARIANCES = SD**2


def people(rng, n, coefficients):
    """(u, a) of n people: a uniform on [-1, 1] and a level of two, u = B'z + noise."""
    a = np.column_stack([rng.uniform(-1, 1, n), np.where(rng.random(n) < 0.5, 1.0, -1.0)])
    z = np.column_stack([np.ones(n), a])
    return z @ coefficients + rng.normal(size=(n, Q)) * SD, a


@pytest.fixture
def truth():
    return np.random.default_rng(2).normal(size=(3, Q)) * np.array([[0.5], [0.4], [0.6]]) * SD


def moments(n=N, mu=1.0):
    return Moments(n, Q, LEADING, 1.5, np.ones(2), mu, np.array([0.5, 0.3, 0.2]))


def fitted(of, u, a, source):
    return effects.fit_effects(*of.draw(of.sums(u, a), source), of.noise, of.n, VARIANCES)


def noise_covariance(drawn, contrast):
    """(q, q) of the privacy noise on the coordinates at a contrast, to first order."""
    away = effects.weigh_mean_and_effects(contrast, drawn.average)
    by_first = np.diag(np.einsum("a,abq,b->q", away, drawn.left, away))
    if drawn.by_second is None:
        b = drawn.coefficients
        return by_first + b.T @ effects.quadratic(drawn.inverse @ contrast, drawn.s2) @ b
    return by_first + covariance_of_moves(drawn.by_second, away)


def covariance(drawn, contrast):
    """(q, q) of noise and of chance in who takes part together."""
    away = effects.weigh_mean_and_effects(contrast, drawn.average)
    chance = (contrast @ drawn.inverse @ contrast) * drawn.residual
    if drawn.kept is not None:
        chance = covariance_of_moves(effects.find_chance_kept(drawn), away)
    return noise_covariance(drawn, contrast) + chance


def covariance_of_moves(moves, away):
    """(q, q) of moves (r, 1 + p, q) of everybody's mean and of effects, by their weights."""
    rows = np.tensordot(away, moves, axes=(0, 1))
    return rows.T @ rows


def stated_of_effects(found, spread):
    """(q, p, p) covariances of shrunk effects, of people who differ by spread (q,) and have no noise on M2."""
    kept = np.moveaxis(found.kept, -1, 0)
    chance = spread[:, None, None] * (kept @ found.inverse[1:, 1:] @ kept.transpose(0, 2, 1))
    return chance + np.moveaxis(found.left[1:, 1:], -1, 0)


class NoNoise:
    """The sums as they are."""

    def gaussian_integers(self, values, scale, sensitivity):
        return np.asarray(values, dtype=np.int64), 0.0


def test_without_noise_it_is_least_squares(truth):
    u, a = people(np.random.default_rng(1), N, truth)
    z = np.column_stack([np.ones(N), a])
    found = fitted(moments(), u, a, NoNoise())
    assert_allclose(found.coefficients, np.linalg.lstsq(z, u, rcond=None)[0], atol=2e-3 * SD[0])


@pytest.mark.slow
def test_the_noise_covariance_is_that_of_many_releases(truth):
    of = moments()
    u, a = people(np.random.default_rng(1), N, truth)
    sums, source = of.sums(u, a), noise.SeededNoise(3)
    drawn = [effects.fit_effects(*of.draw(sums, source), of.noise, N, VARIANCES) for _ in range(3000)]
    still = fitted(of, u, a, NoNoise())
    for contrast in np.array([[1, 0, 0], [0, 1, 0], [0, 0, 2], [1, 0.5, -1]], dtype=float):
        found, stated = np.array([contrast @ one.coefficients for one in drawn]), noise_covariance(still, contrast)
        assert_allclose(np.var(found, axis=0), np.diag(stated), rtol=0.12)
        assert_allclose(np.cov(found.T), stated, atol=0.08 * stated.max())


@pytest.mark.slow
def test_intervals_cover_the_population_in_95_of_100_releases(truth):
    """Over new people and new noise each time: 93 to 98 %."""
    of, source, rng = moments(), noise.SeededNoise(5), np.random.default_rng(6)
    contrasts = np.array([[0, 1, 0], [0, 0, 2], [1, 0.5, 1]], dtype=float)
    inside = []
    for _ in range(500):
        found = fitted(of, *people(rng, N, truth), source)
        for contrast in contrasts:
            half = norm.ppf(0.975) * np.sqrt(np.diag(covariance(found, contrast)))
            inside.append(np.abs(contrast @ found.coefficients - contrast @ truth) <= half)
    share = np.mean(inside, axis=0)
    assert 0.93 <= share.mean() <= 0.98, f"coverage {share.mean():.3f}"


PARTS = [[2, 4, Q - 6]]


def test_an_effect_of_nothing_goes_and_a_large_one_stays():
    """In expectation over releases: the first covariate does nothing, the second moves axes 0 and 1 alone."""
    planted = np.zeros((3, Q))
    planted[2, :2] = 2 * SD[:2]
    of, source, rng = moments(), noise.SeededNoise(7), np.random.default_rng(8)
    errors = []
    for _ in range(60):
        drawn = fitted(of, *people(rng, N, planted), source)
        found = effects.take_off_noise(drawn, VARIANCES, PARTS)
        errors.append([np.sum((one - planted)[1:] ** 2, axis=1) for one in (drawn.drawn, found.coefficients)])
    before, after = np.mean(errors, axis=0)
    assert after[0] < 0.5 * before[0]
    assert after[1] < 0.95 * before[1]
    assert_allclose(found.coefficients[2, :2], planted[2, :2], rtol=0.3)


def test_the_mean_of_everybody_stays_as_it_was_drawn(truth):
    u, a = people(np.random.default_rng(1), N, truth)
    drawn = fitted(moments(), u, a + 0.5, noise.SeededNoise(2))
    found = effects.take_off_noise(drawn, VARIANCES, PARTS)
    assert_allclose(drawn.average @ found.coefficients, drawn.average @ drawn.coefficients, atol=1e-12)
    assert not np.allclose(found.coefficients, drawn.coefficients)
    of_mean = [noise_covariance(one, one.average) for one in (drawn, found)]
    assert_allclose(np.diag(of_mean[1]), np.diag(of_mean[0]), rtol=0.1)


def test_what_is_left_of_all_noise_is_all_of_it(truth):
    drawn = fitted(moments(), *people(np.random.default_rng(1), N, truth), noise.SeededNoise(2))
    for contrast in np.array([[1, 0, 0], [0, 1, 0], [1, 0.5, -1]], dtype=float):
        g = drawn.inverse @ contrast
        away = effects.weigh_mean_and_effects(contrast, drawn.average)
        assert_allclose(np.einsum("a,abq,b->q", away, drawn.left, away), drawn.s1**2 * g @ g)


def test_an_effect_errs_by_what_is_stated_where_it_is_drawn_from_the_law(monkeypatch):
    """One size of effects, five times chance, and even ones: then chance and what is left of noise are the error."""
    monkeypatch.setattr(effects, "LARGE", np.array([5.0]))
    monkeypatch.setattr(effects, "UNEVEN", np.ones(1))
    monkeypatch.setattr(effects, "UNEVENLY", np.ones(1))
    monkeypatch.setattr(effects, "CARE", 1.0)
    q, rng, inverse, s1 = 20_000, np.random.default_rng(3), np.diag([0.01, 0.02]), 120.0
    spread = rng.uniform(1, 2, q)
    chance, noise_sd = 0.02 * spread, s1 * 0.02
    monkeypatch.setattr(effects, "_list_likely_sizes", lambda *_: 5 * chance[None, :, None])
    true = np.sqrt(5 * chance) * rng.standard_normal(q)
    seen = true + np.sqrt(chance) * rng.standard_normal(q) + noise_sd * rng.standard_normal(q)
    b = np.stack([np.zeros(q), seen])
    nothing = np.eye(1)
    drawn = effects.Effects(b, np.array([1.0, 0.0]), inverse, s1, 0.0, nothing, nothing, b, np.empty(0))
    found = effects.take_off_noise(drawn, spread, [[q]])
    stated = stated_of_effects(found, spread)[:, 0, 0]
    assert found.left[1, 1].min() > 0.005 * noise_sd**2
    assert np.mean((found.coefficients[1] - true) ** 2) == pytest.approx(np.mean(stated), rel=0.03)


@pytest.mark.slow
def test_intervals_of_effects_with_less_noise_cover_the_population(truth):
    of, source, rng = moments(), noise.SeededNoise(5), np.random.default_rng(6)
    contrasts, inside = np.array([[0, 1, 0], [0, 0, 2], [1, 0.5, 1]], dtype=float), []
    for _ in range(300):
        found = effects.take_off_noise(fitted(of, *people(rng, N, truth), source), VARIANCES, PARTS)
        for contrast in contrasts:
            half = norm.ppf(0.975) * np.sqrt(np.diag(covariance(found, contrast)))
            inside.append(np.abs(contrast @ found.coefficients - contrast @ truth) <= half)
    assert 0.93 <= np.mean(inside) <= 0.98, f"coverage {np.mean(inside):.3f}"


def together(rng, n, coefficients):
    """(u, a) of n people whose two covariates have correlation .9."""
    first, second = rng.uniform(-1, 1, (2, n))
    a = np.column_stack([first, np.clip(0.9 * first + np.sqrt(1 - 0.9**2) * second, -1, 1)])
    return np.column_stack([np.ones(n), a]) @ coefficients + rng.normal(size=(n, Q)) * SD, a


def test_effects_of_covariates_that_go_together_keep_their_sum():
    """Each effect by itself is mostly noise, their sum is not; so the mean at both ends is well known, and stays so."""
    rng, of, source = np.random.default_rng(9), moments(), noise.SeededNoise(10)
    planted, ends, errors, inside = 0.4 * np.outer([0, 1, 1], SD), np.array([1.0, 1.0, 1.0]), [], []
    for _ in range(60):
        drawn = fitted(of, *together(rng, N, planted), source)
        found = effects.take_off_noise(drawn, VARIANCES, PARTS)
        parts = [[c @ (one - planted) for c in (ends, [0, 1, 0])] for one in (drawn.drawn, found.coefficients)]
        errors.append(np.sum(np.square(parts), axis=2))
        half = norm.ppf(0.975) * np.sqrt(np.diag(covariance(found, ends)))
        inside.append(np.abs(ends @ (found.coefficients - planted)) <= half)
    before, after = np.mean(errors, axis=0)
    assert after[0] < 1.1 * before[0]
    assert after[1] < 0.3 * before[1]
    assert 0.93 <= np.mean(inside) <= 0.98, f"coverage {np.mean(inside):.3f}"


def test_an_effect_errs_by_what_is_stated_where_covariates_go_together(monkeypatch):
    """The law of (12.5) where sizes of effects are known: a hundred times the chance that each would have by itself."""
    monkeypatch.setattr(effects, "LARGE", np.array([100.0]))
    monkeypatch.setattr(effects, "UNEVEN", np.ones(1))
    monkeypatch.setattr(effects, "UNEVENLY", np.ones(1))
    monkeypatch.setattr(effects, "CARE", 1.0)
    q, rng, s1 = 20_000, np.random.default_rng(3), 30.0
    moment = np.array([[100.0, 20.0, 10.0], [20.0, 40.0, 30.0], [10.0, 30.0, 30.0]])
    inverse, average, spread = np.linalg.inv(moment), moment[0] / 100, rng.uniform(1, 2, q)
    alone = 1 / np.diag(np.linalg.inv(inverse[1:, 1:]))
    true = np.stack([np.zeros(q), *(np.sqrt(100 * alone[:, None] * spread) * rng.standard_normal((2, q)))])
    by_chance = np.linalg.cholesky(inverse) @ rng.standard_normal((3, q)) * np.sqrt(spread)
    b, nothing = true + by_chance + s1 * inverse @ rng.standard_normal((3, q)), np.eye(1)
    drawn = effects.Effects(b, average, inverse, s1, 0.0, nothing, nothing, b, np.empty(0))
    found = effects.take_off_noise(drawn, spread, [[q]])
    of_effects = stated_of_effects(found, spread)
    for contrast in np.array([[0, 1, 0], [0, 0, 1], [0, 1, 1], [0, 1, -1], average, [1, 1, 1]], dtype=float):
        away = effects.weigh_mean_and_effects(contrast, average)
        stated = away[0] ** 2 * (found.left[0, 0] + spread / 100) + 2 * away[0] * away[1:] @ found.left[1:, 0]
        stated = stated + of_effects @ away[1:] @ away[1:]
        error = np.mean((contrast @ (found.coefficients - true)) ** 2)
        assert error == pytest.approx(np.mean(stated), rel=0.04)


def test_effects_that_were_seen_large_err_by_what_is_stated_of_these(monkeypatch):
    """How much is kept of an effect, and how far that errs, depends on how large it was seen; sizes are known."""
    q, rng, s1, size = 20_000, np.random.default_rng(7), 30.0, 0.3
    moment = np.array([[100.0, 20.0, 10.0], [20.0, 40.0, 15.0], [10.0, 15.0, 30.0]])
    inverse, spread = np.linalg.inv(moment), rng.uniform(1, 2, q)
    monkeypatch.setattr(effects, "_list_likely_sizes", lambda *_: size * np.column_stack([spread, spread])[None])
    true = np.stack([np.zeros(q), *(np.sqrt(size * spread) * rng.standard_normal((2, q)))])
    by_chance = np.linalg.cholesky(inverse) @ rng.standard_normal((3, q)) * np.sqrt(spread)
    b, nothing = true + by_chance + s1 * inverse @ rng.standard_normal((3, q)), np.eye(1)
    drawn = effects.Effects(b, moment[0] / 100, inverse, s1, 0.0, nothing, nothing, b, np.empty(0))
    shrunk = effects.take_off_noise(drawn, spread, [[q]])
    for k in (1, 2):
        squares, stated = (shrunk.coefficients[k] - true[k]) ** 2, shrunk.likely[k - 1, k - 1]
        for part in np.array_split(np.argsort(np.abs(b[k])), 4):
            assert np.mean(stated[part]) == pytest.approx(np.mean(squares[part]), rel=0.06)


def test_an_effect_that_noise_hides_is_not_stated_to_err_by_the_largest_that_it_could_hide():
    """An effect of a thousandth of people's variance, on which noise is many times as large: it is drawn to none."""
    rng, spread, s1 = np.random.default_rng(13), np.geomspace(10.0, 0.1, 60), 40.0
    inverse, average, nothing, squares = np.diag([1 / 200, 1 / 30]), np.array([1.0, 0.0]), np.eye(1), []
    for _ in range(100):
        true = np.stack([np.zeros(60), np.sqrt(0.001 * 200 / 30 * spread) * rng.standard_normal(60)])
        by_chance = np.sqrt(np.diag(inverse))[:, None] * rng.standard_normal((2, 60)) * np.sqrt(spread)
        b = true + by_chance + s1 * inverse @ rng.standard_normal((2, 60)) * np.sqrt(0.2)
        drawn = effects.Effects(b, average, inverse, s1 * np.sqrt(0.2), 0.0, nothing, nothing, b, np.empty(0))
        found = effects.take_off_noise(drawn, spread, [[20, 40]])
        stated = stated_of_effects(found, spread)[:, 0, 0]
        squares.append((np.sum((found.coefficients[1] - true[1]) ** 2), np.sum(stated)))
    error, stated = np.sqrt(np.mean(squares, axis=0))
    assert 0.9 < stated / error < 1.4


@pytest.mark.parametrize("size", [0.0, 0.005, 0.02])
def test_an_effect_of_any_size_is_stated_to_err_by_what_it_does_not_by_all_that_could_move_it(size):
    """Of few people who lie far off: what is taken off an effect by chance or by noise on M2 is no error of it."""
    n, of, source, rng, squares = 120, moments(120), noise.SeededNoise(5), np.random.default_rng(6), []
    sds = np.sqrt(size * np.array([3.0, 1.0]))  # of coded covariates with variances 1/3 and 1
    for _ in range(60):
        planted = np.vstack([3 * SD, sds[:, None] * SD * rng.standard_normal((2, Q))])
        found = effects.take_off_noise(fitted(of, *people(rng, n, planted), source), VARIANCES, PARTS)
        away = np.sum((found.coefficients - planted)[1:] ** 2, axis=1)
        squares.append([away, [np.trace(covariance(found, contrast)) for contrast in np.eye(3)[1:]]])
    error, stated = np.sqrt(np.mean(squares, axis=0))
    assert np.all(stated / error > 0.9) and np.all(stated / error < 1.2)


@pytest.mark.parametrize("width", [1.0, 2.0])
def test_chance_in_an_effect_is_that_of_people_as_wide_as_they_are_released_to_be(width):
    """Of effects that stand far above all noise."""
    rng, spread, squares = np.random.default_rng(17), np.geomspace(1.0, 0.1, 60), []
    inverse, wide = np.diag([0.01, 0.02]), width**2 * spread
    for _ in range(60):
        true = np.stack([np.zeros(60), np.sqrt(5 * 100 * 0.02 * spread) * rng.standard_normal(60)])
        b = true + np.sqrt(np.diag(inverse))[:, None] * rng.standard_normal((2, 60)) * np.sqrt(wide)
        about = np.diag(wide)
        drawn = effects.Effects(b, np.array([1.0, 0.0]), inverse, 0.1, 0.0, about, about, b, np.empty(0))
        found = effects.take_off_noise(drawn, spread, [[20, 40]])
        stated = np.trace(covariance(found, np.array([0.0, 1.0])))
        squares.append((np.sum((found.coefficients[1] - true[1]) ** 2), stated))
    error, stated = np.sqrt(np.mean(squares, axis=0))
    assert 0.9 < stated / error < 1.1


def test_what_noise_on_the_second_moment_does_is_quadratic_in_each_coordinate(truth):
    g = np.random.default_rng(4).normal(size=(2, 3))
    found = effects.by_second_moment(g, truth, 0.7)
    for k, one in enumerate(g):
        assert_allclose(found[:, k, k], np.diag(truth.T @ effects.quadratic(one, 0.7) @ truth))
    both = truth.T @ effects.quadratic(g[0] + g[1], 0.7) @ truth
    assert_allclose(found.sum(axis=(1, 2)), np.diag(both))


def test_noise_on_effects_does_not_count_as_their_size(truth):
    """Over draws of the noise on effects, what that on M2 does to the true ones is told, in the sum over the axes."""
    rng, g = np.random.default_rng(5), np.random.default_rng(4).normal(size=(2, 3))
    root, lengths = rng.normal(size=(3, 3)), rng.uniform(1, 2, truth.shape[1])
    true = 8 * truth / truth.std()
    told, as_drawn = [], []
    for _ in range(2000):
        drawn = true + root @ rng.standard_normal(true.shape) * lengths
        told.append(effects.by_noised_effects(g, drawn, 0.7, root, lengths).sum(axis=0))
        as_drawn.append(effects.by_second_moment(g, drawn, 0.7).sum(axis=0))
    wanted = np.trace(effects.by_second_moment(g, true, 0.7).sum(axis=0))
    assert np.trace(np.mean(told, axis=0)) == pytest.approx(wanted, rel=0.03)
    assert np.trace(np.mean(as_drawn, axis=0)) > 1.06 * wanted


def test_sums_stay_where_values_below_0_go():
    np.testing.assert_allclose(effects.keep_sum(np.array([3.0, -1.0, 1.0])), [2.25, 0.0, 0.75])
    np.testing.assert_array_equal(effects.keep_sum(np.array([-3.0, 1.0])), [0.0, 0.0])
    np.testing.assert_array_equal(effects.keep_sum(np.zeros(2)), [0.0, 0.0])


@pytest.mark.parametrize("turned", [(3, 1, 2), (2, 3, 1), (3, 2, 1)])
def test_the_order_of_covariates_does_not_matter(truth, turned):
    """Of three of which two go together and one never changes, so that M2 is made positive by its floor."""
    rng, of = np.random.default_rng(12), replace(moments(), kappa=np.ones(3), longest=np.sqrt(3))
    u, a = together(rng, N, truth)
    drawn = fitted(of, u, np.column_stack([a, np.full(N, 0.7)]), noise.SeededNoise(13))
    found = effects.take_off_noise(drawn, VARIANCES, PARTS)
    assert np.linalg.eigvalsh(np.moveaxis(found.left, -1, 0)).min() > -1e-9 * found.left.max()
    order = np.array([0, *turned])
    names = {"drawn": drawn.drawn[order], "average": drawn.average[order], "inverse": drawn.inverse[order][:, order]}
    other = effects.take_off_noise(replace(drawn, **names), VARIANCES, PARTS)
    away = np.abs(other.coefficients - found.coefficients[order])[1:]
    sd = np.array([np.sqrt(np.diag(covariance(found, contrast))) for contrast in np.eye(4)[order[1:]]])
    assert np.max(away / sd) < 0.1


def test_hardly_any_correlation_hardly_matters(truth):
    """Effects have no basis of their own, so that none can turn where a correlation is near 0."""
    drawn = fitted(moments(), *people(np.random.default_rng(1), N, truth), noise.SeededNoise(2))
    inverse, found = drawn.inverse.copy(), []
    for correlation in (-1e-3, 0, 1e-3):
        inverse[1, 2] = inverse[2, 1] = correlation * np.sqrt(inverse[1, 1] * inverse[2, 2])
        found.append(effects.take_off_noise(replace(drawn, inverse=inverse.copy()), VARIANCES, PARTS))
    for one in (found[0], found[2]):
        assert_allclose(one.coefficients, found[1].coefficients, atol=0.01 * SD.min())


def test_levels_and_a_covariate_alone_keep_their_whole_range_and_several_are_bounded_together():
    assert covariates.bound_length(()) == 0
    assert covariates.bound_length((SEX, AGE)) == pytest.approx(np.sqrt(2))
    assert covariates.bound_length((SEX, GUESSED, GUESSED)) == pytest.approx(np.sqrt(2))
    told = covariates.bound_length((AGE, AGE, AGE)) ** 2
    drawn = np.sum(np.random.default_rng(1).uniform(-1, 1, (10**5, 3)) ** 2, axis=1)
    assert np.mean(drawn <= told) == pytest.approx(covariates.JOINT, abs=0.005)


def test_an_effect_of_which_nothing_is_seen_is_expected_to_be_small_as_noise_falls():
    """Also beside hundreds of axes along which people hardly differ, and which tell nothing of it."""
    rng, spread = np.random.default_rng(11), np.r_[np.ones(100), np.full(500, 1e-4)]
    expected = []
    for noise_variance in (0.1, 0.001):
        seen = np.vstack([np.zeros(len(spread)), rng.normal(0.0, np.sqrt(noise_variance), len(spread))])
        errors = np.full((len(spread), 1, 1), noise_variance)
        fitted_effects = SimpleNamespace(drawn=seen, inverse=np.eye(2))
        expected.append(effects._list_likely_sizes(fitted_effects, errors, spread)[:, :100, 0].mean())
    assert expected[1] < 0.3 * expected[0]
