"""Face models: modes, effects, groups and the audit's worst pair, at the level of curves (no registration).

Held-out faces are of the same population; the public set is of it too and disjoint. `captured_share` is the variance
of held-out faces in the five released modes over that in the best five; `reconstruction_ratio` the error with all
modes that were released over that with as many non-private ones. Effects are from one end of a covariate to the other;
`curved_age_ratio` is of the mean face over age, which age and its square make, the errors of both weighed by how far
people spread in each.
"""

from dataclasses import dataclass

import numpy as np

from benchmarks import (
    corresponding_faces,
    model_downstream,
    model_effects,
    model_groups,
    model_page,
    model_people,
    populations,
)
from shapedp.audit import cases
from shapedp.privacy import noise
from shapedp.privacy.statistic import Rows
from shapedp.releases.model.model_mechanism import FaceModel

POPULATIONS = ("ict", "demo")
SEEDS = "0 up of noise"
MU, FIVE = 1.0, 5


@dataclass(frozen=True)
class Size:
    """public, held, pool : people; pairs : of people, for the true effects; people : cohorts of the modes; modes : of
    the reconstruction; runs : of each measure; frames : of the page, 0 for none; mus : of the downstream uses
    """

    public: int
    held: int
    pool: int
    pairs: int
    people: tuple
    effects: int
    modes: int
    axes: int
    harmonics: int
    runs: int
    frames: int
    mus: tuple


FULL = Size(400, 400, 16000, 400, (300, 1000), 1000, 20, 100, 120, 500, 60, (0.5, 1.0, 3.0))
TINY = Size(12, 6, 40, 3, (30,), 30, 3, 6, 3, 1, 0, (1.0,))


def run(population, size):
    """Rows (case, measure, value, unit)."""
    faces = corresponding_faces.of(populations.FACES[population]())
    plan, template = model_people.plan(faces), faces.template()
    variation = model_people.learned(plan.draw(size.public, 1)[0], template, size.axes, size.harmonics)
    unseen = plan.draw(size.held, 3)
    held = unseen[0]
    for n in size.people:
        curves = plan.draw(n, 2)[0]
        for asked in (FIVE, size.modes):
            yield from modes(f"modes_n{n}", variation, curves, held, asked, size.runs)
    drawn = model_effects.pool(plan, size.pool, size.pairs)
    yield from effects(f"effects_n{size.effects}", variation, drawn, size, faces.scale())
    bent = model_effects.pool(plan, size.pool // 2, size.pairs, curved=True)
    yield from curved(f"effects_n{size.effects}", variation, bent, size, faces.scale())
    yield from nobody_varies(variation, (template, held[0]), size.people, size.runs)
    yield from model_groups.rows(variation, drawn, size.effects // 2, MU, size.runs, faces.scale(), template)
    yield from model_downstream.rows(
        variation, drawn, unseen, size.people, size.mus, size.modes, min(size.runs, 5), faces.scale()
    )
    if size.frames:
        yield from page(variation, drawn, size, faces.scale())
    claim, found = cases.measure_model()
    yield "audit", "found_to_claimed", found / claim, "x"


def page(variation, drawn, size, scale):
    """Frames a second of the page of a model with two covariates."""
    made = FaceModel.from_variation(variation, size.effects, 3 * MU, model_people.COVARIATES[:2])
    sums = made.sums(
        Rows(size.effects, lambda start, stop: drawn.curves[start:stop].astype(float), drawn.coded[:, :2])
    ).values
    yield from model_page.rows(model_effects.released(made, sums, 1, scale), size.frames)


def _rows(people):
    return people.reshape(len(people), -1)


def modes(case, variation, curves, held, asked, runs):
    """Captured share with five modes asked for, reconstruction with more, means over the runs."""
    made = FaceModel.from_variation(variation, len(curves), MU, (), asked)
    sums = made.sums(Rows(len(curves), lambda start, stop: curves[start:stop], np.zeros((len(curves), 0)))).values
    best = _directions(held, FIVE)
    own = _directions(curves, made.modes)
    captured, ratios, shown = [], [], []
    for seed in range(min(runs, 10)):
        fields = made.fields(*made.draw(sums, noise.SeededNoise(seed)))
        found = np.linalg.qr(_rows(fields["modes"].astype(float)).T)[0].T
        if asked == FIVE:
            captured.append(_held(held, held.mean(axis=0), found[:FIVE]) / _held(held, held.mean(axis=0), best))
        ratios.append(_left(held, fields["curves"], found) / _left(held, curves.mean(axis=0), own))
        shown.append(fields["shown"])
    if asked == FIVE:
        yield case, "captured_share", np.mean(captured), "share"
        yield case, "shown", np.mean(shown), "modes"
    else:
        yield case, "reconstruction_ratio", np.mean(ratios), "x"


def nobody_varies(variation, alike, people, runs):
    """Share of releases that show a mode where all people have one face, the largest over faces and sizes of cohort."""
    found = []
    for n in people:
        made = FaceModel.from_variation(variation, n, MU, (), FIVE)
        for face in alike:
            sums = [
                n * one
                for one in made.sums(Rows(1, lambda start, stop, face=face: face[None], np.zeros((1, 0)))).values
            ]
            drawn = (made.draw(sums, noise.SeededNoise(seed))[1] for seed in range(runs))
            found.append(np.mean([one.shown > 0 for one in drawn]))
    yield "nobody_varies", "mode_shown_share", max(found), "share"


def _directions(people, count):
    return np.linalg.svd(_rows(people - people.mean(axis=0)), full_matrices=False)[2][:count]


def _held(people, mean, directions):
    return float(np.sum((_rows(people - mean) @ directions.T) ** 2))


def _left(people, mean, directions):
    deviations = _rows(people - mean)
    return float(np.sqrt(np.sum(deviations**2) - np.sum((deviations @ directions.T) ** 2)))


def effects(case, variation, drawn, size, scale):
    """Errors of effects over new cohorts and noise, coverage, and the n where noise meets chance."""
    asked = model_people.COVARIATES
    found = model_effects.measured(variation, drawn, size.effects, asked, MU, size.runs, scale)
    yield case, "error_ratio_to_sampling", np.sqrt(found.error[0] / found.sampling[0]), "x"
    for one, share in zip(model_people.COVARIATES, found.inside, strict=True):
        yield case, f"coverage_{one.name}", share, "share"
    yield case, "coverage", found.inside.mean(), "share"
    yield case, "seconds_for_a_model", found.seconds, "s"
    for count in (1, 3):
        n = min(model_effects.crossing(variation, size.effects, count, MU), len(drawn.curves))
        met = model_effects.measured(variation, drawn, n, asked[:count], MU, size.runs, scale)
        yield case, f"crossing_{count}_foretold", n, "people"
        yield case, f"crossing_{count}_measured", n * met.noise[0] / met.sampling[0], "people"
        yield case, f"noise_{count}_foretold_ratio", met.foretold_noise[0] / met.noise[0], "x"
        yield case, f"crossing_{count}_predicted_ratio", met.sampling[0] / met.noise[0], "x"
    yield case, "crossing_shaped_to_plain_range", model_effects.shaped_to_plain(variation, drawn, n, MU, scale), "x"


def curved(case, variation, drawn, size, scale):
    """Error of the mean face over age, which age and its square make, over its sampling error."""
    found = model_effects.measured(variation, drawn, size.effects, model_people.CURVED, MU, size.runs, scale)
    of_age = drawn.coded[:, 1:].var(axis=0)
    ratio = np.sqrt(of_age @ found.error[1:] / (of_age @ found.sampling[1:]))
    yield case, "curved_age_ratio", ratio, "x"
    yield case, "curved_age_coverage", found.inside[1:].mean(), "share"
