"""Growth that is planted in faces in correspondence: the mean along age, its bands and centiles beside the truth.

Weights of a person of age a and sex s (-1 or 1): N(0, I) + GROWN (1 - exp(-(a - 3)/7)) d_1 + s PUBERTY h(a) d_2, h a
step at 12 years (f) or 14 (m), d two random directions among the first AMONG modes; ages fill 3 to 40 evenly. So the
mean face lies about 1 mm from its average over ages, and a straight line .45 mm from it.

ratio : error of the release over that of the same splines fitted to the same people's curves without privacy, root mean
squares over ages, sexes and points; coverage : share of the mean face's coordinates within 1.96 of their released
standard deviations; centile_points : how far the share of people below a released centile of a distance or an angle is
from what it says, the mean over ages, sexes, centiles and measures; gain : error without public people's ages over that
with; line_ratio : over that of the release that knows straight lines alone.
"""

import math
from dataclasses import dataclass, replace
from unittest import mock

import numpy as np
from scipy.special import ndtri

from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.statistic import Rows
from shapedp.releases.kinds.growth import moments as growth
from shapedp.releases.kinds.growth import public_growth
from shapedp.releases.kinds.growth import released as released_growth
from shapedp.releases.model.covariates import Covariate
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.human_face import real_faces
from shapedp.surfaces.human_face.distances import VERTICES, FaceMeasures

KNOTS = (3.0, 18.0, 40.0)
ASKED = (Covariate("age", KNOTS[0], KNOTS[-1]), Covariate("sex", -1.0, 1.0, ("f", "m")))
GROWN, PUBERTY, AMONG, MU, PUBLIC = 4.0, 1.3, 30, 1.0, 200
AGES, PAIRS = 13, 25  # that errors are taken at, and pairs of people w, -w for each cohort, whose mean is the truth


@dataclass(frozen=True)
class Population:
    """model : corresponding_faces.Model; directions (2, k)"""

    model: object
    directions: np.ndarray

    @classmethod
    def of(cls, model):
        """With directions that a fixed seed draws."""
        k = len(model.modes)
        found = np.random.default_rng(17).standard_normal((2, k)) * (np.arange(k) < AMONG)
        return cls(model, found / np.linalg.norm(found, axis=1)[:, None])

    def grown(self, age, sex):
        """(n, k) what age and sex add to weights."""
        h = 1 / (1 + np.exp(-(age - np.where(sex > 0, 14, 12)) / 1.2))
        line = GROWN * (1 - np.exp(-(age - KNOTS[0]) / 7))
        return line[:, None] * self.directions[0] + PUBERTY * (sex * h)[:, None] * self.directions[1]

    def draw(self, count, seed):
        """(curves (count, J, 3, m), coded (count, 2))."""
        rng = np.random.default_rng(seed)
        age, sex = rng.uniform(KNOTS[0], KNOTS[-1], count), rng.choice([-1.0, 1.0], count)
        weights = rng.standard_normal((count, len(self.model.modes))) + self.grown(age, sex)
        curves = [self.model.curves(part).astype(np.float32) for part in np.array_split(weights, -(-count // 250))]
        return np.concatenate(curves), np.column_stack([(age - ASKED[0].middle) / ASKED[0].reach, sex])

    def mean(self, age, sex, pairs):
        """(J, 3, m) of the population at an age."""
        own = np.random.default_rng(9).standard_normal((pairs, len(self.model.modes)))
        grown = self.grown(np.array([age]), np.array([sex]))
        return self.model.curves(np.concatenate([grown + own, grown - own])).mean(axis=0)


def measures(model, radii):
    """The FaceMeasures on the curves of a bench's faces: landmarks of the public mean, put on their mean face."""
    template = real_faces.template()
    template = template - template[real_faces.nose_tip()] + model.mean[_tip(model)]
    curves = model.template() * model.scale() + model.area_and_centroid(np.zeros((1, len(model.modes))))[1].T[None]
    vertices, triangles = curve_mesh.mesh(curves, radii)
    triangle, shares, _ = curve_mesh.nearest(template[list(VERTICES.values())], vertices, triangles)
    weights = curve_mesh.weights(triangle, shares, triangles, radii, curves.shape[2])
    return FaceMeasures(tuple(VERTICES), weights)


def _tip(model):
    """The number of the vertex that lies farthest out."""
    return int(model.mean[:, 2].argmax())


def rows(model, learned, size):
    """Rows (case, measure, value, unit); learned : (rows, faces, template) -> Variation; size : of the bench."""
    people, template, scale = Population.of(model), model.template(), model.scale()
    public, known_ages = people.draw(size.public, 7)
    variation = learned(public.astype(float), None, template)
    seen = public_growth.Seen(public - template.astype(np.float32), known_ages)
    radii = np.arange(1, len(template) + 1) / len(template)
    landmarks = released_growth.place_on_template(measures(model, radii), (len(radii), template.shape[2]))
    ages = KNOTS[0] + (KNOTS[-1] - KNOTS[0]) * (np.arange(AGES) + 0.5) / AGES
    places = [(age, sex) for sex in (-1.0, 1.0) for age in ages]
    truth = scale * np.array([people.mean(age, sex, PAIRS * size.cohorts) for age, sex in places])
    inside = []
    for n in size.grown:
        made = growth.Growth.from_variation(variation, n, MU, ASKED, KNOTS, seen)
        blind = growth.Growth.from_variation(variation, n, MU, ASKED, KNOTS, None)
        with mock.patch.object(growth, "choose_functions", lines):
            straight = growth.Growth.from_variation(variation, n, MU, ASKED, KNOTS, seen)
        off = {name: [] for name in ("own", "made", "blind", "straight", "points", "inside")}
        for seed in range(size.seeds):
            cohort, coded = people.draw(n, 100 + seed)
            off["own"].append(square(own_splines(made.public.functions, cohort, coded, places, scale) - truth))
            for name, one in (("made", made), ("blind", blind), ("straight", straight)):
                found = released(one, cohort, coded, seed, scale, radii, landmarks)
                mean = np.array([found.at(*place) for place in places])
                off[name].append(square(mean - truth))
                if name != "made":
                    continue
                sd = np.sqrt([found.squares(*place) for place in places])
                off["inside"].append(np.mean(np.abs(mean - truth) < 1.96 * sd))
                off["points"].append(points_off(found, places, truth, cohort, coded, scale))
        error = {name: math.sqrt(np.mean(off[name])) for name in ("own", "made", "blind", "straight")}
        inside.append(float(np.mean(off["inside"])))
        case = f"growth_n{n}"
        yield case, "degree", made.functions.degree, "1"
        yield case, "error_mm", error["made"], "mm"
        yield case, "own_error_mm", error["own"], "mm"
        yield case, "ratio", error["made"] / error["own"], "1"
        yield case, "coverage", inside[-1], "1"
        yield case, "public_ages_gain", error["blind"] / error["made"], "1"
        yield case, "line_ratio", error["made"] / error["straight"], "1"
        yield case, "centile_points", 100 * float(np.mean(off["points"])), "points"
    yield "growth", "coverage", max(inside, key=lambda share: abs(share - 0.95)), "1"
    yield "growth", "centile_points", 100 * float(np.mean(off["points"])), "points"


def lines(variation, n, mu, told):
    """In place of `growth.choose_functions`: straight lines, along the axes that are best for these."""
    functions = replace(told.functions, degree=1)
    return functions, int(growth.forecast_errors(variation, n, mu, functions, told).argmin())


def square(curves):
    """Mean squared length over the points of all faces."""
    return float(np.mean(np.sum(curves**2, axis=-2)))


def own_splines(functions, cohort, coded, places, scale):
    """(places, J, 3, m) mm by least squares on the people's own curves."""
    fitted = np.linalg.lstsq(functions.evaluate(coded), cohort.reshape(len(cohort), -1), rcond=None)[0]
    ages, sexes = np.array(places).T
    return scale * (functions.at(ages, sexes) @ fitted).reshape(-1, *cohort.shape[1:])


def released(made, cohort, coded, seed, scale, radii, landmarks):
    """The ReleasedGrowth of one draw."""
    answer = made.noised(made.sums(Rows.of(cohort, coded)), SeededNoise(seed))
    fields = made.fields(*made.estimated(answer)) | {"landmarks": landmarks, "radii": radii, "scale": scale}
    return released_growth.ReleasedGrowth.from_fields(fields, *ASKED)


def points_off(found, places, truth, cohort, coded, scale):
    """Mean absolute difference of the share of people below each released centile from what it says. People differ from
    the mean face of their age by their own deviation, whatever the age; so all of them tell of every age.
    """
    measured, z = found.measures, found.full.evaluate(coded)
    values = np.concatenate([measured.values(scale * part) for part in np.array_split(cohort, -(-len(cohort) // 250))])
    own = values - z @ np.linalg.lstsq(z, values, rcond=None)[0]
    quantiles = np.array(list(released_growth.CENTILES.values()))
    off = []
    for place, face in zip(places, truth, strict=True):
        value, _, sd = found.measured(*place)
        at = value + ndtri(quantiles)[:, None] * sd - measured.values(face)
        share = np.array([[np.mean(own[:, m] < one) for m, one in enumerate(row)] for row in at])
        off.append(np.mean(np.abs(share - quantiles[:, None])))
    return np.mean(off)
