"""How often equal populations are said to differ, at the level of statistics, at each level of a test.

What a release states is that of some releases of the library's own, each of other people of one population, and every
study draws some of them: so a level of .001 takes tens of thousands of studies and some hundred releases. Of means that
are asked several times a release is taken whole, since a clip takes of chance, too: what it errs by in people who lie
far is no more independent of who took part than of the noise. Elsewhere chance in who took part is drawn anew, beside
what a release errs by.
"""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import scipy

from shapedp.laboratories.pools import heterogeneity
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
    (r, k), what each states of that
    """

    errors: np.ndarray
    noise: np.ndarray


@dataclass(frozen=True)
class Released:
    """What releases of one population told, each of other people, along k axes: values and noise (r, k) as they are
    pooled, spread (r,) people's variance about their mean and spread_noise (r,) the sd of its noise where pooling asks
    for it, far (r,) whether some are told to lie far, unlike (r,) whether they are said to differ from public people
    """

    axes: np.ndarray
    values: np.ndarray
    noise: np.ndarray
    spread: np.ndarray
    spread_noise: np.ndarray
    far: np.ndarray
    unlike: np.ndarray


def rows(case, found):
    """Yield rows of a test's p-values (s,): how often it says that equal populations differ, beside each level."""
    yield case, "studies", len(found), "count"
    for level in LEVELS:
        share = float(np.mean(found <= level))
        yield case, f"said_to_differ_at_{level:g}", share, ""
        yield case, f"over_level_at_{level:g}", share / level, "x"


def pool_released(told_by, known, studies, rng):
    """Return (s, levels) whether laboratories of one population are said to differ, at each level, by what Released
    means that are asked several times told; known : the Variation of public people.
    """
    told = np.zeros((studies, len(LEVELS)), dtype=bool)
    for study in range(studies):
        chosen = rng.choice(len(told_by.values), LABORATORIES, replace=False)
        sources = [
            SimpleNamespace(drawn={"values": told_by.values[place], "noise": told_by.noise[place]}, n=PEOPLE)
            for place in chosen
        ]
        decoders = [
            SimpleNamespace(plan=SimpleNamespace(axes=told_by.axes), tells_far_people=told_by.far[place])
            for place in chosen
        ]
        asked = {
            "sources": sources,
            "limits": known,
            "decoders": decoders,
            "spread": float(told_by.spread[chosen].mean()),
            "spread_error": float(np.linalg.norm(told_by.spread_noise[chosen])) / LABORATORIES,
            # of all together it is said where it is said of most
            "is_unlike": told_by.unlike[chosen].mean() > 0.5,
        }
        for place, level in enumerate(LEVELS):
            # coordinates that are not released have no ratio of their own
            with np.errstate(divide="ignore", invalid="ignore"):
                told[study, place] = heterogeneity.compare_asked_again(**asked, level=level)[0]
            # what a level does not say no smaller one does
            if not told[study, place]:
                break
    return told


def release_whole(made, world, cohort, seeds, released):
    """Return the Released of a release of each cohort, cohort(rng) -> (n, K) coordinates."""
    found = []
    for seed in seeds:
        decoder, answers, *_ = released(made, world.known, cohort(np.random.default_rng(seed)), seed)
        values, noise = decoder.mean_along
        # a change is no less sure for being one
        is_unlike = decoder.is_drawn_to_public and bool(decoder.differs_from_public_set(answers[-1]))
        spread, spread_noise = made.spread(answers)
        # of a mean face no more is stated where noise hides how far people lie
        spread_noise *= not decoder.is_drawn_to_public
        found.append((values, noise, spread, spread_noise, decoder.tells_far_people, is_unlike))
    return Released(made.plan.axes, *(np.array(told) for told in zip(*found, strict=True)))


def pool(drawn, draw_chance, spread, axes, public, studies, rng):
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
        asked = {"sources": sources, "spread": spread, "axes": axes, "public": public}
        for place, level in enumerate(LEVELS):
            # coordinates that are not released have no ratio of their own
            with np.errstate(divide="ignore", invalid="ignore"):
                told[study, place] = heterogeneity.measure_heterogeneity(**asked, level=level)[0]
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


def pool_shapes(values, noise, widened, spread, studies, rng):
    """Return (s, levels) whether laboratories of one population are said to differ, at each level, by whole releases of
    mean shapes, each of other people: values and noise (r, k) as they are pooled.

    widened : (r,) how many times as far as public people these lie, as is stated, at mu = 1; spread : (k,) public
    people's variances
    """
    told = np.zeros((studies, len(LEVELS)), dtype=bool)
    for study in range(studies):
        chosen = rng.choice(len(values), LABORATORIES, replace=False)
        sources = [
            SimpleNamespace(drawn={"values": values[place], "noise": noise[place]}, n=PEOPLE) for place in chosen
        ]
        own_spread = heterogeneity.widen_spread(spread, widened[chosen], [PEOPLE] * len(chosen))
        for place, level in enumerate(LEVELS):
            told[study, place] = heterogeneity.measure_heterogeneity(sources, own_spread, level=level)[0]
            # what a level does not say no smaller one does
            if not told[study, place]:
                break
    return told


def draw_means(slopes):
    """Return a `draw_chance` of people whose coordinates are normal weights of slopes (w, k)."""

    def draw(count, rng):
        return rng.standard_normal((count, len(slopes))) @ slopes / np.sqrt(PEOPLE)

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
    errors, noise, published, stated = [], [], [], []
    for seed in seeds:
        people = cohort(np.random.default_rng(seed))
        decoder, _, mean, mean_errors = released(made, world.known, people, seed)
        exact, chosen = people.mean(axis=0), decoder.plan.axes
        values, its_noise = decoder.mean_along
        errors.append(values - exact[chosen])
        noise.append(its_noise)
        published.append(mean - exact)
        stated.append(mean_errors)
    return Drawn(np.array(errors), np.array(noise)), decoder, np.array(published), np.array(stated)


def people_with_tails(world, rng, freedom):
    """Return (n, K) coordinates of people about none by a t law: some lie much farther than others, on any side."""
    weights = rng.standard_normal((PEOPLE, len(world.axes)))
    return weights * np.sqrt(freedom / rng.chisquare(freedom, (PEOPLE, 1))) @ world.axes
