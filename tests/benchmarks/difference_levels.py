"""How often equal populations are said to differ, at the level of statistics, at each level of a test.

What a release errs by, and what it states, is that of some releases of the library's own, each of other people. Every
study draws some of them, and for each the chance in who took part anew, as people of one population have it. So a level
of .001 takes tens of thousands of studies and some dozens of releases. Errors of a release and who took part in it are
thus independent, as noise is of them.
"""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import scipy

from shapedp.laboratories import pooling
from shapedp.privacy import recentred
from shapedp.privacy.curves import learned
from shapedp.privacy.learned import noised_means
from shapedp.releases.model import compared, released_model

LEVELS = 0.05, 0.01, 0.001
LABORATORIES, PEOPLE = 4, 60
PUBLIC_SETS = 200  # redrawn, of tests beside the public set
FREEDOM = 5.0  # degrees of the t law of people's asymmetries
# Of models that are compared: variances of people along eight axes, falling, and the noise's beside chance.
SPECTRUM, NOISE_SHARES = np.geomspace(1.0, 0.1, 8), (0.3, 3.0)


@dataclass(frozen=True)
class Drawn:
    """What some releases told of a mean along k axes: errors (r, k) by which each errs from its own people's, and noise
    (r, k), what each states of that; spread : people's variance about their mean in all axes, as each found it, or None
    """

    errors: np.ndarray
    noise: np.ndarray
    spread: np.ndarray | None = None


def rows(case, found):
    """Yield rows of a test's p-values (s,): how often it says that equal populations differ, beside each level."""
    yield case, "studies", len(found), "count"
    for level in LEVELS:
        share = float(np.mean(found <= level))
        yield case, f"said_to_differ_at_{level:g}", share, ""
        yield case, f"over_level_at_{level:g}", share / level, "x"


def pool(drawn, draw_chance, spread, axes, public, studies, rng, known=pooling.KNOWN_DEGREES):
    """Return (s, levels) whether laboratories of one population are said to differ, at each level.

    draw_chance : (laboratories, rng) to their people's means (laboratories, k) about the population's
    """
    told = np.zeros((studies, len(LEVELS)), dtype=bool)
    for study in range(studies):
        chosen = rng.choice(len(drawn.errors), LABORATORIES, replace=False)
        values = draw_chance(LABORATORIES, rng) + drawn.errors[chosen]
        sources = [
            SimpleNamespace(drawn={"values": value, "noise": noise}, n=PEOPLE)
            for value, noise in zip(values, drawn.noise[chosen], strict=True)
        ]
        # people who differ more than public ones vary more by chance, too
        wide = 1.0 if drawn.spread is None else max(1.0, float(np.mean(drawn.spread[chosen])) / float(spread.sum()))
        asked = {"sources": sources, "spread": wide * spread, "axes": axes, "public": public, "known": known}
        for place, level in enumerate(LEVELS):
            # coordinates that are not released have no ratio of their own
            with np.errstate(divide="ignore", invalid="ignore"):
                told[study, place] = pooling._measure_heterogeneity(**asked, level=level)[0]
            # what a level does not say no smaller one does
            if not told[study, place]:
                break
    return told


def told_rows(case, told):
    """Yield rows of whether (s, levels) something is said to differ."""
    yield case, "studies", len(told), "count"
    for level, said in zip(LEVELS, told.mean(axis=0), strict=True):
        yield case, f"said_to_differ_at_{level:g}", float(said), ""
        yield case, f"over_level_at_{level:g}", float(said) / level, "x"


def draw_means(slopes, freedom=None):
    """Return a `draw_chance` of people whose coordinates are weights of slopes (w, k), by a t law where it has degrees
    of freedom.
    """

    def draw(count, rng):
        sizes = np.ones(count)
        if freedom is not None:
            sizes = np.sqrt(np.mean(freedom / rng.chisquare(freedom, (count, PEOPLE)), axis=1))
        return (sizes[:, None] * rng.standard_normal((count, len(slopes)))) @ slopes / np.sqrt(PEOPLE)

    return draw


def beside_public_set(world, decoder, drawn, studies, rng):
    """Return (s, levels) whether people like the public ones are said to differ from these; a public set is drawn anew
    for every so many studies.
    """
    known, plan, n = world.known, decoder.plan, decoder.n
    is_mode, slopes = plan.axes < len(known.modes), world.axes[:, plan.axes]
    told = np.zeros((studies, len(LEVELS)), dtype=bool)
    public, draw = None, draw_means(slopes)
    for study in range(studies):
        if study % max(studies // PUBLIC_SETS, 1) == 0:
            people = rng.standard_normal((len(known.held_out), len(world.axes))) @ world.axes
            public = replace(known, held_out=people, mean=people.mean(axis=0))
        chosen = rng.integers(len(drawn.errors))
        mean, errors = draw(1, rng)[0] + drawn.errors[chosen], drawn.noise[chosen]
        plain = noised_means.RestoredMean(0.0, mean / plan.scales, errors / plan.scales, np.ones(1), 1.0)
        for place, level in enumerate(LEVELS):
            told[study, place] = noised_means.differs_from_public_mean(
                public, plan, n, plain, 0.0, is_mode, level, recentred.KNOWN_DEGREES
            ) or bool(learned.differs_from_public(public, plan, n, mean, errors, level, recentred.KNOWN_DEGREES))
            if not told[study, place]:
                break
    return told


def compare_means(points, published, errors, outside, chance, spread, studies, rng):
    """Return (s,) of two means of one population the least p-value of a point, as false discoveries are counted.

    points (K, 3 p) : what one of each coordinate moves points by; published (r, K) and errors (r, K) : what releases
    err by and state; outside : what is stated at every point beside the axes; chance : of people along all axes
    """
    # one variance a point, as a release of a mean has it: of the length, and people's laid over it
    squares = (np.square(errors) @ np.square(points)).reshape(len(errors), -1, 3).sum(axis=2) + outside
    found = np.zeros(studies)
    for study in range(studies):
        first, second = rng.choice(len(published), 2, replace=False)
        apart = np.diff(chance(2, rng) + published[[first, second]], axis=0)[0]
        noise = squares[[first, second]]
        sampling = noise / noise.mean(axis=1, keepdims=True) * spread / PEOPLE
        covariance = (noise + sampling).sum(axis=0)[None, :, None, None]
        moved = (apart @ points).reshape(1, -1, 3).transpose(0, 2, 1)
        p_values = released_model.over_points(moved, covariance).p_values
        found[study] = scipy.stats.false_discovery_control(p_values).min()
    return found


def compare_models(groups, n, studies, rng):
    """Return (s,) p-values of the test of released models' means, of groups of one population."""
    count, found = len(SPECTRUM), np.zeros(studies)
    for study in range(studies):
        made = []
        for _ in range(groups):
            noise = rng.choice(NOISE_SHARES) * SPECTRUM / n
            people = rng.standard_normal((n, count)) * np.sqrt(SPECTRUM)
            of_moments = np.sqrt(np.outer(SPECTRUM, SPECTRUM) * rng.choice(NOISE_SHARES) / n)
            wrong = np.triu(of_moments * rng.standard_normal((count, count)))
            # a symmetric matrix, as released moments are: half of the variance on either side of the diagonal
            wrong = (wrong + wrong.T) / np.where(np.eye(count), 2.0, 1.0)
            residual = np.cov(people.T, bias=True) + wrong
            mean = people.mean(axis=0) + np.sqrt(noise) * rng.standard_normal(count)
            made.append(compared.Group(mean, np.diag(noise), residual, n, of_moments))
        found[study] = compared.test(made).p_value
    return found


def release_many(made, world, cohort, seeds, released):
    """Return (Drawn along the released axes, its last decoder, (r, K) what each publishes errs by, (r, K) what that
    states) of a release of each cohort.
    """
    errors, noise, spread, published, stated = [], [], [], [], []
    for seed in seeds:
        people = cohort(np.random.default_rng(seed))
        decoder, answers, mean, mean_errors = released(made, world.known, people, seed)
        exact, chosen = people.mean(axis=0), decoder.plan.axes
        values, its_noise = decoder.mean_along
        errors.append(values - exact[chosen])
        noise.append(its_noise)
        spread.append(made.spread(answers)[0])
        published.append(mean - exact)
        stated.append(mean_errors)
    return Drawn(np.array(errors), np.array(noise), np.array(spread)), decoder, np.array(published), np.array(stated)


def asymmetric_people(world, rng):
    """Return (n, K) coordinates of people of whom some are much more asymmetric than others, none on one side."""
    weights = rng.standard_normal((PEOPLE, len(world.axes)))
    return weights * np.sqrt(FREEDOM / rng.chisquare(FREEDOM, (PEOPLE, 1))) @ world.axes
