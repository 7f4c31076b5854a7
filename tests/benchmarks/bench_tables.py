"""The tables that laboratories publish with a mean: norms, analysis of variance, morphospace, panels, beside the truth.

People are drawn with planted effects of sex, age and size, through the curves (no registration); public people are of
the same population and others. `coverage` is of 95 % intervals of the means of 20 distances of 3D Facial Norms (22
with both sides), of everybody (`everybody`) and at all levels of the covariates with each other (`levels`); what is
true is the mean of people drawn at that level. `sd_ratio_least` and `_most` are over the distances: the mean over
releases and levels of what is stated over people's standard deviation. `centile_ratio` is the root mean square, over
distances, levels and seven centiles, of the error in points (the share of people below a stated centile less that
centile) over the same of the table that least squares gives without privacy for the same people. `level` and `power`
are of the test at .05 of a covariate that explains nothing, or 1 % of the variance. `plane_share` is the variance of
people in the plane of the two released modes over that in the best plane, `disparity_error` relative to people's own,
and `distance_ratio` how far held-out people lie from the nearest of five forms, over that from five forms made without
privacy. `between_scans` is what a norm states of how far two scans of one face differ beside what others' do, and the
largest share of people's variance that this is. `landmarks_*` are the same of three sets of landmarks, each with a
covariate, whose cohorts are drawn from the set with replacement; who is public is drawn anew for each release: 40 of
them know a standard deviation to 11 %, and with one draw a mean over releases would be its luck. `coverage_sd` is of
95 % intervals of people's standard deviations.
"""

from dataclasses import dataclass
from functools import cache
from itertools import product
from types import SimpleNamespace

import numpy as np
import scipy

from benchmarks import model_people, norm_people, norm_specimens, scanned_twice
from library.releases import examples
from shapedp.privacy import noise
from shapedp.releases.model import anova, morphospace, norms, panel
from shapedp.releases.model.effects import fit_effects
from shapedp.releases.statement import statement
from shapedp.releases.viewer import board_page
from shapedp.surfaces.human_face.distances import BETWEEN_SCANS, FACIAL_NORMS, MEASURES, NOT_ON_A_CROP

POPULATIONS = ("ict", "demo")
MU, SHARE, LEVEL, FIVE = 1.0, 0.01, 0.05, 5
# Seeds: of the first draw of who is public, and how many of noise each draw has at most.
FIRST_PUBLIC, OF_ONE_DRAW = 201, 1000
SEEDS = "1 of public people, 5 up of the pool, 3 of people at levels, 0 up of cohorts and noise"
TARGETS = {
    **{f"norms_n{n} coverage_everybody": ">= 0.93" for n in (100, 300, 1000)},
    **{f"norms_n{n} coverage_levels": ">= 0.93" for n in (100, 300, 1000)},
    **{f"norms_n{n} sd_ratio_least": ">= 0.93" for n in (100, 300, 1000)},
    **{f"norms_n{n} sd_ratio_most": "<= 1.07" for n in (100, 300, 1000)},
    "norms_n300 centile_ratio": "<= 1.3",
    "anova_n300 level_least": ">= 0.04",
    "anova_n300 level_most": "<= 0.06",
    "anova_n300 power_ratio": ">= 0.6",
    "anova_n300 r2_error": "<= 0.01",
    **{
        f"landmarks_{case} {measure}": target
        for case in ("wings_n300", "cactophilic_n100", "shells_n60")
        for measure, target in (
            ("coverage_everybody", ">= 0.93"),
            ("coverage_levels", ">= 0.93"),
            ("sd_ratio_least", ">= 0.93"),
            ("sd_ratio_most", "<= 1.07"),
            ("anova_level", "<= 0.06"),
        )
    },
    "landmarks_wings_n300 centile_ratio": "<= 1.3",
    "morphospace_n300 plane_share": ">= 0.92",
    "morphospace_n300 disparity_error": "<= 0.08",
    "panel_n300 distance_ratio": "<= 1.1",
    "between_scans stated_least": ">= 0.75",
    "between_scans stated_most": "<= 1.33",
    "board answered": ">= 12",
    "names of_29": ">= 20",
}


@dataclass(frozen=True)
class Size:
    """public, pool, level : people; axes, harmonics : of the variation; cohorts : (n, releases) of the norms; planes,
    statistics : releases of the morphospace, and of the analysis of variance at the level of its statistics;
    landmarks : draws of who is public of each set of landmarks, and with each releases with its covariate, and with one
    that says nothing; twice : people who
    are scanned twice in each view
    """

    public: int
    pool: int
    level: int
    axes: int
    harmonics: int
    cohorts: tuple[tuple[int, int], ...]
    planes: int
    statistics: int
    landmarks: tuple[int, int, int]
    twice: int


FULL = Size(2000, 3000, 800, 100, 120, ((100, 60), (300, 60), (1000, 20)), 60, 2000, (200, 1, 10), 60)
TINY = Size(30, 120, 20, 6, 3, ((60, 2),), 2, 4, (1, 2, 2), 0)


def run(population, size):
    """Rows (case, measure, value, unit)."""
    for part in PARTS.values():
        yield from part(size, population)


@cache
def _world(population, size):
    return norm_people.world(population, size.public, size.pool, size.axes, size.harmonics)


def norm_rows(size, population=POPULATIONS[0]):
    """Means, standard deviations and centiles of distances."""
    world = _world(population, size)
    places = [np.array([1.0, *coded]) for coded in product((-1.0, 1.0), (-1.0, 0.0, 1.0), (-1.0, 0.0, 1.0))]
    people = [np.sort(world.measured(world.people_at(z[1:], size.level, 3)), axis=0) for z in places]
    means, spreads = (np.array([part(one, axis=0) for one in people]) for part in (np.mean, np.std))
    all_means, all_spreads = world.values.mean(axis=0), world.values.std(axis=0)
    for n, count in size.cohorts:
        releases = norm_people.Releases(world, n, MU)
        inside, inside_all, inside_sd, ratios, errors = [], [], [], [], []
        for seed in range(count):
            model, known, rows = releases.release(seed)
            found = [norms.from_model(model, world.measures, z, known) for z in places]
            everybody = norms.from_model(model, world.measures, model.average, known, of_everybody=True)
            inside.append([_holds(one, mean) for one, mean in zip(found, means, strict=True)])
            inside_all.append(_holds(everybody, all_means))
            true_sd = np.array([*spreads, all_spreads])
            ratios.append([one.sd for one in (*found, everybody)] / true_sd)
            inside_sd.append(_sd_holds([*found, everybody], true_sd))
            plain = _without_privacy(world, rows, places)
            for at, one in enumerate(found):
                errors.append((_points(people[at], one.mean, one.sd), _points(people[at], *plain[at])))
        of_measure = np.mean(ratios, axis=(0, 1))
        case, seeds = f"norms_n{n}", f"{SEEDS}; {count} releases, {size.public} public people"
        yield case, "coverage_everybody", np.mean(inside_all), "share", seeds
        yield case, "coverage_levels", np.mean(inside), "share", seeds
        yield case, "coverage_sd", np.mean(inside_sd), "share", seeds
        yield case, "sd_ratio_least", of_measure.min(), "x", seeds
        yield case, "sd_ratio_most", of_measure.max(), "x", seeds
        mine, theirs = np.mean(errors, axis=0)
        yield case, "centile_error", np.sqrt(mine), "points", seeds
        yield case, "centile_ratio", np.sqrt(mine / theirs), "x", seeds


def _holds(norm, truth):
    return np.abs(norm.mean - truth) <= 1.96 * norm.mean_error


def _sd_holds(found, truth):
    return [np.abs(one.sd - sd) <= 1.96 * one.sd_error for one, sd in zip(found, truth, strict=True)]


def _points(people, mean, sd):
    """Mean squared error in points of stated centiles, by people's sorted measures (p, q)."""
    found = []
    for centile in norms.CENTILES:
        below = np.mean(people <= mean + norms.quantile(centile) * sd, axis=0)
        found.append((100 * below - centile) ** 2)
    return float(np.mean(found))


def _without_privacy(world, rows, places):
    """[(mean (q,), sd (q,))] at each place, by least squares on the cohort's own measures."""
    z = np.column_stack([np.ones(len(rows)), world.coded[rows]])
    values = world.values[rows]
    fitted = np.linalg.lstsq(z, values, rcond=None)[0]
    sd = np.sqrt(np.sum((values - z @ fitted) ** 2, axis=0) / (len(rows) - z.shape[1]))
    return [(place @ fitted, sd) for place in places]


def anova_rows(size, population=POPULATIONS[0]):
    """R², level and power of the analysis of variance, from noised moments of coordinates of real cohorts."""
    world = _world(population, size)
    n = size.cohorts[min(1, len(size.cohorts) - 1)][0]
    releases = norm_people.Releases(world, n, MU)
    z = np.column_stack([np.ones(len(world.coded)), world.coded])
    fitted = np.linalg.lstsq(z, releases.u, rcond=None)[0]
    left, back = releases.u - z @ fitted, releases.made.shaped.back
    whole = float(np.mean(np.sum((world.curves - world.curves.mean(axis=0)) ** 2, axis=2)))
    effect = fitted[1] * np.sqrt(SHARE * whole / (1 - SHARE) / np.sum((back * fitted[1]) ** 2))
    beside = whole - float(np.sum(back**2 * releases.u.var(axis=0)))
    p_values, found, open_found = [], [], []
    for seed in range(size.statistics):
        rng = np.random.default_rng([11, seed])
        rows, coded = rng.permutation(len(left))[:n], model_people.covariates(rng, n)
        p_values.append([one.p for one in _analysed(releases, left[rows], coded, beside, seed).effects])
        if seed < max(size.statistics // 4, 2):
            moved = left[rows] + coded[:, :1] * effect
            found.append(_analysed(releases, moved, coded, beside, seed).effects[0])
            open_found.append(_analysed(releases, moved, coded, beside, None).effects[0])
    levels = np.mean(np.array(p_values) <= LEVEL, axis=0)
    case, seeds = f"anova_n{n}", f"11 and up of cohorts, 0 up of noise; {size.statistics} without an effect"
    yield case, "level_least", levels.min(), "share", seeds
    yield case, "level_most", levels.max(), "share", seeds
    power, power_open = (np.mean([one.p <= LEVEL for one in rows]) for rows in (found, open_found))
    seeds = f"11 and up of cohorts, 0 up of noise; {len(found)} with R² = {SHARE:g}"
    yield case, "power", power, "share", seeds
    yield case, "power_ratio", power / max(power_open, 1e-9), "x", seeds
    apart = [one.share - other.share for one, other in zip(found, open_found, strict=True)]
    yield case, "r2_error", float(np.sqrt(np.mean(np.square(apart)))), "share", seeds


def _analysed(releases, u, coded, beside, seed):
    """The analysis of noised moments; seed : of the noise, None for none."""
    made = releases.made
    sums = made.moments.sums(u, coded)
    size = made.moments.noise
    answer = made.moments.draw(sums, noise.SeededNoise(seed or 0))
    if seed is None:
        rows = np.column_stack([np.ones(len(u)), coded])
        leading = u[:, : made.moments.leading]
        answer, size = [rows.T @ u, rows.T @ rows, leading.T @ leading], np.full(3, 1e-9)
    fitted = fit_effects(*answer, size, len(u), made.variances)
    leading, back = made.moments.leading, made.shaped.back
    residual = back[:, None] * fitted.residual * back
    released = SimpleNamespace(
        covariates=made.covariates,
        people=float(len(u)),
        unit="mm",
        length=lambda squares: float(np.sqrt(np.sum(squares))),
        average=fitted.average,
        inverse=fitted.inverse,
        moment_noise=np.array([fitted.s1, fitted.s2, size[2]]),
        coordinates=fitted.drawn[:, :leading] * back[:leading],
        coordinate_unit=back[:leading],
        coordinate_residual=back[:leading, None] * fitted.raw * back[:leading],
        residual=np.diag(np.linalg.eigvalsh(residual))[None, None],
        outside=np.full((1, 1, 1, 1), max(beside, 0.0)),
    )
    return anova.analyse(released)


def space_rows(size, population=POPULATIONS[0]):
    """The plane of two modes, disparity, and size panels."""
    world = _world(population, size)
    n = size.cohorts[min(1, len(size.cohorts) - 1)][0]
    releases = norm_people.Releases(world, n, MU)
    flat = world.curves.reshape(len(world.curves), -1).astype(float)
    about, points = flat - flat.mean(axis=0), flat.shape[1] / 3
    held = about[-len(about) // 8 :]
    covariance = about @ about.T if len(about) < about.shape[1] else about.T @ about
    best = scipy.linalg.eigh(covariance, eigvals_only=True, subset_by_index=[len(covariance) - 2, len(covariance) - 1])
    truth = float(np.sum(about**2)) / len(about) / points * world.scale**2
    shares, errors, ratios, covered = [], [], [], []
    for seed in range(size.planes):
        model, _, rows = releases.release(seed)
        plane = np.linalg.qr(model.modes[:2].reshape(2, -1).T)[0]
        shares.append(np.sum((about @ plane) ** 2) / best.sum())
        disparity = morphospace.find_disparity(model)
        errors.append(disparity.variance / truth - 1)
        covered.append(abs(disparity.variance - truth) <= 1.96 * disparity.error)
        if seed < max(size.planes // 8, 1):
            forms = np.array([one.curves.ravel() for one in panel.make_panel(model, FIVE)]) / world.scale
            plain = _panel_without_privacy(flat[rows])
            near, near_plain = (_nearest(held + flat.mean(axis=0), one) for one in (forms, plain))
            ratios.append(near / near_plain)
    case, seeds = f"morphospace_n{n}", f"{SEEDS}; {size.planes} releases"
    yield case, "plane_share", np.mean(shares), "share", seeds
    yield case, "disparity_error", float(np.sqrt(np.mean(np.square(errors)))), "share", seeds
    yield case, "disparity_coverage", np.mean(covered), "share", seeds
    yield f"panel_n{n}", "distance_ratio", np.mean(ratios), "x", f"{SEEDS}; {len(ratios)} releases"


def _nearest(people, forms):
    """Mean distance of people to the nearest form."""
    away = [np.linalg.norm(people - one, axis=1) for one in forms]
    return float(np.mean(np.min(away, axis=0)))


def _panel_without_privacy(people):
    """(FIVE, N) forms in the plane of the cohort's own two widest directions."""
    mean = people.mean(axis=0)
    _, lengths, axes = scipy.sparse.linalg.svds(people - mean, k=2, random_state=0)
    places, _ = panel.place_sizes(FIVE, lengths[::-1] / np.sqrt(len(people) - 1))
    return mean + places @ axes[::-1]


def word_rows(size, population=POPULATIONS[0]):
    """What is there by name."""
    del size, population
    total = len(FACIAL_NORMS) + sum(map(len, NOT_ON_A_CROP.values()))
    here = [name for name, measures in FACIAL_NORMS.items() if set(measures) <= set(MEASURES)]
    yield "names", f"of_{total}", len(here), "distances", "none"
    stated = statement.build(examples.request(), examples.stated(), [])
    found = board_page.list_questions(stated)
    tied = [one for one in found if one.lines and all(board_page.quote_line(stated, line) for line in one.lines)]
    yield "board", "answered", len(tied), "questions", "none"


def scan_rows(size, population=POPULATIONS[0]):
    """How far scans of one person differ: as norms state it, beside other drawn people's, and people's own spread."""
    if not size.twice:
        return
    seen = scanned_twice.find_spread(size.twice, scanned_twice.JUDGED)
    ratios = [BETWEEN_SCANS[name] / spread for name, spread in seen.items()]
    world = _world(population, size)
    of_people = dict(zip(world.measures.names, world.values.std(axis=0), strict=True))
    shares = [(spread / of_people[name]) ** 2 for name, spread in seen.items() if name in of_people]
    seeds = f"{scanned_twice.JUDGED}: {size.twice} people in each of {len(scanned_twice.VIEWS)} views"
    yield "between_scans", "stated_least", min(ratios), "x", seeds
    yield "between_scans", "stated_most", max(ratios), "x", seeds
    yield "between_scans", "variance_share_most", max(shares), "share", seeds


def landmark_rows(size, population=POPULATIONS[0]):
    """Norms and the level of the analysis of variance of sets of landmarks with a covariate."""
    draws, count, null = size.landmarks
    drawn = [list(norm_specimens.sets(population, FIRST_PUBLIC + draw)) for draw in range(draws)]
    for of_one_set in zip(*drawn, strict=True):
        judged = [_judge_specimens(held, FIRST_PUBLIC + draw, count, null) for draw, held in enumerate(of_one_set)]
        inside, inside_all, inside_sd, ratios, errors, p_values = (
            np.concatenate(one) for one in zip(*judged, strict=True)
        )
        of_measure, case = np.mean(ratios, axis=(0, 1)), f"landmarks_{of_one_set[0].name}_n{of_one_set[0].n}"
        public = f"{FIRST_PUBLIC} to {FIRST_PUBLIC + draws - 1} of who is public"
        seeds = f"{public}, 19 of cohorts, {OF_ONE_DRAW} times the first and up of noise; {draws * count} releases"
        yield case, "coverage_everybody", np.mean(inside_all), "share", seeds
        yield case, "coverage_levels", np.mean(inside), "share", seeds
        yield case, "coverage_sd", np.mean(inside_sd), "share", seeds
        yield case, "sd_ratio_least", of_measure.min(), "x", seeds
        yield case, "sd_ratio_most", of_measure.max(), "x", seeds
        yield case, "centile_ratio", np.sqrt(np.divide(*np.mean(errors, axis=0))), "x", seeds
        seeds = seeds.replace(" 19 ", " 23 ").replace(f"{draws * count} releases", f"{draws * null} without an effect")
        yield case, "anova_level", np.mean(p_values <= LEVEL), "share", seeds


def _judge_specimens(held, public, count, null):
    """Of one draw of who is public: whether means at levels, of everybody and standard deviations lie inside, ratios of
    these, errors of centiles, and p of a covariate without an effect; public : the seed of that draw
    """
    made = held.made()
    z = np.column_stack([np.ones(len(held.coded)), held.coded])
    fitted = np.linalg.lstsq(z, held.values, rcond=None)[0]
    places = [np.array([1.0, place]) for place in ((-1.0, 1.0) if held.covariate.levels else (-0.5, 0.0, 0.5))]
    people = [np.sort(held.values - z @ fitted + place @ fitted, axis=0) for place in places]
    true_sd = np.array([*(at_level.std(axis=0) for at_level in people), held.values.std(axis=0)])
    inside, inside_all, inside_sd, ratios, errors, p_values = [], [], [], [], [], []
    for seed in range(count):
        rows = np.random.default_rng([19, public, seed]).integers(len(held.people), size=held.n)
        model, known = held.release(made, rows, held.coded[rows], OF_ONE_DRAW * public + seed)
        found = [norms.from_model(model, known.measures, place, known) for place in places]
        everybody = norms.from_model(model, known.measures, model.average, known, of_everybody=True)
        inside.append([_holds(one, at_level.mean(axis=0)) for one, at_level in zip(found, people, strict=True)])
        inside_all.append(_holds(everybody, held.values.mean(axis=0)))
        inside_sd.append(_sd_holds([*found, everybody], true_sd))
        ratios.append([one.sd for one in (*found, everybody)] / true_sd)
        plain = _without_privacy(held, rows, places)
        for one, other, at_level in zip(found, plain, people, strict=True):
            errors.append((_points(at_level, one.mean, one.sd), _points(at_level, *other)))
    for seed in range(null):
        rng = np.random.default_rng([23, public, seed])
        rows = rng.integers(len(held.people), size=held.n)
        # Another's covariate, which says nothing of the shape.
        coded = held.coded[rng.integers(len(held.people), size=held.n)]
        model, _ = held.release(made, rows, coded, OF_ONE_DRAW * public + seed)
        p_values.append(anova.analyse(model).effects[0].p)
    return inside, inside_all, inside_sd, ratios, errors, p_values


PARTS = {
    "landmarks": landmark_rows,
    "norms": norm_rows,
    "anova": anova_rows,
    "space": space_rows,
    "scans": scan_rows,
    "words": word_rows,
}
