"""Change within people, asymmetry, several groups, and a face beside its norm: how near releases come to the truth.

Faces are in correspondence (23 x 80 curves), so that only the release is measured; lengths are root mean square over
the points. change : everybody changes by CHANGE_MM in one direction, more or less by SPREAD of it, and by OWN of a
person's variation besides; the public people were scanned twice without any common change. error_to_sampling : distance
of the release from these people's own mean change, over chance in who takes part; error_to_two_means : over the error
of two released means, subtracted, which spend the same mu. asymmetry : a bulge of BULGE_MM over one cheek of everybody,
among people who are asymmetric by OWN; found_share : releases in which half of the cheek or more exceeds noise and
chance, with as many people as the planner names for a shift of that size. groups : three groups of GROUP people each,
a face model of each at GROUP_MU, where noise is below chance; level : share of NULLS in which the one test of all means
rejects at .05 although nothing differs; power_ratio : how often it finds means that lie GAP of people's standard
deviations apart, over how often the same test without any noise does. Its noise is drawn by an ordinary generator.
assess : HELD_OUT further people beside face models with three covariates at MU; beyond_2 : share of points whose |z|
exceeds 2, the share farthest from .0455 of all n; correlation : of z with that by the same people's means and spread
without privacy; auc_gap : how much less often a bulge of PLANTED_MM over PLANTED_SHARE of the face is told from none by
the mean |z| there (area under the curve), the largest of all n. growth : see `growth_curves`.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from benchmarks import corresponding_faces, growth_curves, model_effects, populations
from shapedp.base.settings import read_default
from shapedp.people.samples import ASYMMETRY, CHANGE
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.differences import ShapedWithSpread
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.statistic import Rows, ask
from shapedp.releases import curve_mechanisms
from shapedp.releases.kinds.change import forecast as changes
from shapedp.releases.kinds.change.release import chance, noise_at_points
from shapedp.releases.model import assessment, compared, covariates, released_model
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.surfaces.chain import differences
from shapedp.surfaces.curve_mesh import Mirror, normals

POPULATIONS = ("ict", "demo")
SEEDS = "1000 times the cohort up of noise, 3 and 5 of directions"
ASKED = {"age": {"range": [20, 80]}, "bmi": {"range": [18, 35]}, "sex": {"levels": ["f", "m"]}}
COVARIATES = covariates.from_settings(ASKED)
SETTINGS = read_default("faces.variation")
CHANGE_MM, SPREAD, OWN = 0.6, 0.3, 0.2
BULGE_MM, CHEEK = 1.0, 0  # of the bulge: its height; at which of the forecast's places
PAIRS, N, MU = 60, 60, 1.0
GROUP, GROUP_MU, GAP, POOL = 200, 2.0, 0.42, 4000
NORMS, HELD_OUT, EFFECT = (300, 1000), 1000, 0.12  # people behind a norm; people assessed; of a covariate, a weight
PLANTED_MM, PLANTED_SHARE, PLACE = 4.0, 0.02, 2


@dataclass(frozen=True)
class Size:
    """releases, cohorts : that errors are averaged over; public : people whose faces are known; most : people whom a
    bulge is looked for in; nulls : tests of groups; assessed : people beside a norm; grown : people of a growth, of so
    many seeds
    """

    releases: int
    cohorts: int
    public: int
    most: int
    nulls: int
    assessed: int
    grown: tuple
    seeds: int


FULL = Size(8, 8, 160, 3000, 10_000, HELD_OUT, (2000, 5000), 12)
TINY = Size(1, 1, 20, 40, 20, 3, (40,), 1)


def run(population, size):
    """Rows (case, measure, value, unit)."""
    model = corresponding_faces.of(populations.FACES[population]())
    yield from change_rows(model, size)
    yield from asymmetry_rows(model, size)
    yield from group_rows(model, size)
    yield from assess_rows(model, size)
    yield from growth_curves.rows(model, learned, size)


def learned(rows, faces, template):
    """As the workflow learns of public differences, on top of the template."""
    found = differences.learn_variation(rows, faces, template, SETTINGS)
    guesses = {key: SETTINGS[key] for key in ("quantile", "assumed_mean_shift", "assumed_shift_outside_modes")}
    return Variation(center=template, **vars(found), **guesses, source="bench", public=True)


def change_rows(model, size):
    """Of a mean change beside chance, and beside two means."""
    template, rng = model.template(), np.random.default_rng(5)
    weights = rng.standard_normal(len(model.modes))
    moved = (model.curves(0.05 * weights[None]) - model.curves(-0.05 * weights[None]))[0] / 0.1 * model.scale()
    weights *= CHANGE_MM / np.sqrt(np.mean(np.sum(moved**2, axis=1)))

    def twice(count, seed, common):
        draw = np.random.default_rng(seed)
        first, own = (draw.standard_normal((count, len(weights))) for _ in range(2))
        amount = 1 + SPREAD * draw.standard_normal((count, 1)) if common else 0.0
        return model.curves(first), model.curves(first + OWN * own + amount * weights)

    first, second = twice(PAIRS, 1, common=False)
    faces = np.concatenate([model.draw(size.public, 7), first, second])
    of_changes = learned(template + second - first, faces - template, template)
    of_faces = learned(faces, None, template)
    made = ShapedWithSpread.from_settings(CurveSettings(template.shape, N, of_changes, template, {"mu_total": MU}, {}))
    mean = curve_mechanisms.make("shaped", template.shape, N, of_faces, template, {"mu_total": MU / math.sqrt(2)}, {})
    off, by_chance, by_means = [], [], []
    for cohort in range(size.cohorts):
        before, after = twice(N, 100 + cohort, common=True)
        change = after - before
        by_chance.append(np.mean(np.sum((change - change.mean(axis=0)) ** 2, axis=2)) / N)
        for seed in range(size.releases):
            source = SeededNoise(1000 * cohort + seed)
            off.append(square(released(made, template + change, source) - template - change.mean(axis=0)))
            two = released(mean, after, source) - released(mean, before, source)
            by_means.append(square(two - change.mean(axis=0)))
    error = math.sqrt(np.mean(off))
    yield "change", "error_mm", model.scale() * error, "mm"
    yield "change", "error_to_sampling", error / math.sqrt(np.mean(by_chance)), "1"
    yield "change", "error_to_two_means", error / math.sqrt(np.mean(by_means)), "1"


def released(made, people, source):
    """(J, 3, m) a release of people's curves."""
    answers = ask(made, Rows.of(people), source)
    return made.with_bound_from(answers[:-1]).decoder_for(answers[-1]).decode(answers[-1])


def square(curves):
    """Mean squared length over the points."""
    return float(np.mean(np.sum(curves**2, axis=1)))


def asymmetry_rows(model, size):
    """Of a bulge over one cheek."""
    template = model.template()
    # Half of the face less its mirror image.
    mirror, height = Mirror.from_template(template), BULGE_MM / 2 / model.scale()
    reference = (template + mirror(template)) / 2
    bulge = height * changes.make_bulges(reference, ASYMMETRY)[CHEEK]
    where = np.linalg.norm(bulge, axis=1) > height / 2

    odd = np.tanh(3 * np.einsum("jcm,c->jm", reference, mirror.normal) / np.abs(reference).max())

    def asymmetries(count, seed):  # people of the model are symmetric: so a deviation is turned round on one side
        people = OWN * odd[:, None, :] * (model.draw(count, seed) - template)
        return (people - mirror(people)) / 2

    public = model.draw(size.public, 7)
    known = learned(reference + asymmetries(size.public, 8), public - template, reference)
    n = min(size.most, changes.people_needed(known, ASYMMETRY, MU, height))
    made = ShapedWithSpread.from_settings(CurveSettings(template.shape, n, known, reference, {"mu_total": MU}, {}))
    found = []
    for cohort in range(size.cohorts):
        people = reference + asymmetries(n, 200 + cohort) + bulge
        for seed in range(size.releases):
            answers = ask(made, Rows.of(people), SeededNoise(1000 * cohort + seed))
            settled = made.with_bound_from(answers[:-1]).decoder_for(answers[-1])
            difference = settled.decode(answers[-1]) - reference
            covariance = noise_at_points(settled) + chance(known, settled.plan, sum(made.spread(answers)), n)
            beyond = released_model.compare(
                np.moveaxis(difference, 1, 2).reshape(-1, 3), covariance.reshape(-1, 3, 3)
            ).exceeds
            found.append(beyond.reshape(where.shape)[where].mean() >= 0.5)
    yield "asymmetry", "people_named", n, "people"
    yield "asymmetry", "found_share", float(np.mean(found)), "1"


def group_rows(model, size):
    """Of the test whether three groups' means differ."""
    template = model.template()
    public = model.draw(size.public, 7)
    made = FaceModel.from_variation(learned(public, None, template), GROUP, GROUP_MU)
    pool = model.draw(max(POOL * size.nulls // FULL.nulls, 3 * GROUP), 400)
    u = np.concatenate([made.shaped.encode(part) for part in np.array_split(pool, max(1, len(pool) // 200))])
    u = u[:, : made.moments.leading]
    gap = GAP * np.std(u[:, 0]) * np.eye(u.shape[1])[0]
    rng, s = np.random.default_rng(3), np.where(np.isfinite(made.moments.noise), made.moments.noise, 0.0)
    alarms, found, plain = [], [], []
    for null in range(size.nulls):
        groups = u[rng.permutation(len(u))[: 3 * GROUP]].reshape(3, GROUP, -1)
        alarms.append(compared.test([group(made, one, s, rng) for one in groups]).p_value < 0.05)
        if null % 10 == 0:
            apart = groups + np.arange(-1, 2)[:, None, None] * gap / 2
            found.append(compared.test([group(made, one, s, rng) for one in apart]).p_value < 0.05)
            plain.append(compared.test([group(made, one, 0 * s, rng) for one in apart]).p_value < 0.05)
    yield "groups", "level", float(np.mean(alarms)), "1"
    yield "groups", "power", float(np.mean(found)), "1"
    yield "groups", "power_without_noise", float(np.mean(plain)), "1"
    yield "groups", "power_ratio", float(np.mean(found) / max(np.mean(plain), 1e-9)), "1"


def group(made, u, s, rng):
    """The compared.Group of people's leading coordinates u (n, l), with noise s on entries of the moments."""
    n, count = u.shape
    length = made.shaped.back[:count]
    upper = np.triu(rng.normal(0.0, s[2] / np.sqrt(2), (count, count)), 1)
    m1 = u.sum(axis=0) + rng.normal(0.0, s[0], count)
    m3 = u.T @ u + upper + upper.T + np.diag(rng.normal(0.0, s[2], count))
    raw = m3 / n - np.outer(m1, m1) / n**2 + (s[0] / n) ** 2 * np.eye(count)
    off = s[2] / n * np.outer(length, length) * np.where(np.eye(count), 1, np.sqrt(0.5))
    noise = np.diag((s[0] / n * length) ** 2)
    return compared.Group(m1 / n * length, noise, length[:, None] * raw * length, n, off)


def assess_rows(model, size):
    """Of z maps of held-out people."""
    template, scale = model.template(), model.scale()
    known = learned(model.draw(size.public, 7), None, template)
    effects = EFFECT * np.random.default_rng(3).standard_normal((3, len(model.modes)))
    bulge = PLANTED_MM * changes.make_bulges(template, CHANGE, share=PLANTED_SHARE)[PLACE]
    where = np.linalg.norm(bulge, axis=1) > PLANTED_MM / 2

    def people(count, seed):
        rng = np.random.default_rng(seed)
        a = np.column_stack([rng.uniform(-1, 1, (count, 2)), rng.choice([-1.0, 1.0], count)])
        return scale * model.curves(rng.standard_normal((count, len(model.modes))) + a @ effects), a

    held, told = people(size.assessed, 999)
    shares, gaps = [], []
    for n in NORMS:
        cohort, a = people(n, 50 + n)
        made = FaceModel.from_variation(known, n, MU, COVARIATES)
        radii = np.arange(1, len(template) + 1) / len(template)
        norm = model_effects.released(made, made.sums(Rows.of(cohort / scale, a)).values, n, scale, radii)
        plain = without_privacy(cohort, a)
        z, bent, own, own_bent = [], [], [], []
        for face, one in zip(held, told, strict=True):
            given = {each.name: _word(each, value) for each, value in zip(COVARIATES, one, strict=True)}
            z.append(assessment.assess(face, norm, given).z)
            bent.append(assessment.assess(face + bulge, norm, given).z[where])
            contrast = norm.z(given)
            along = normals(norm.at(contrast), radii)
            own.append(plain(face, contrast, along))
            own_bent.append(plain(face + bulge, contrast, along)[where])
        z, own = np.array(z), np.array(own)
        shares.append(float(np.mean(np.abs(z) > assessment.FAR)))
        yield "assess", f"correlation_n{n}", float(np.corrcoef(z.ravel(), own.ravel())[0, 1]), "1"
        gaps.append(_area(own_bent, own[:, where]) - _area(bent, z[:, where]))
    yield "assess", "beyond_2", max(shares, key=lambda share: abs(share - 0.0455)), "1"
    yield "assess", "auc_gap", max(gaps), "1"


def without_privacy(people, a):
    """z(face, contrast, normals) by these people's own effects and spread."""
    z = np.column_stack([np.ones(len(a)), a])
    flat = people.reshape(len(people), -1)
    effects = np.linalg.lstsq(z, flat, rcond=None)[0]
    away = (flat - z @ effects).reshape(people.shape)
    inverse, effects = np.linalg.inv(z.T @ z), effects.reshape(-1, *people.shape[1:])
    covariance = np.stack([np.einsum("ijm,ijcm->jmc", away[:, :, d], away) for d in range(3)], axis=-1)
    covariance /= len(people) - z.shape[1]

    def of(face, contrast, along):
        variance = np.einsum("jmc,jmcd,jmd->jm", along, covariance, along) * (1 + contrast @ inverse @ contrast)
        return np.einsum("jcm,jmc->jm", face - np.tensordot(contrast, effects, axes=1), along) / np.sqrt(variance)

    return of


def _word(covariate, value):
    """The value that is coded so."""
    return covariate.levels[int(value > 0)] if covariate.levels else str(covariate.middle + covariate.reach * value)


def _area(planted, none):
    """Area under the curve of the mean |z|."""
    planted, none = (np.abs(np.asarray(one)).mean(axis=1) for one in (planted, none))
    ranks = rankdata(np.concatenate([planted, none]))[: len(planted)]
    return float((ranks.sum() - len(ranks) * (len(ranks) + 1) / 2) / len(planted) / len(none))
