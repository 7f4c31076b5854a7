"""A model of faces or shapes as a release holds it, and what follows: faces, bands, samples, tables, differences.

At each point the noise and the sampling of a contrast c of effects (`Effects`) have the covariances (3, 3)

    noise     sum_ab a_a a_b P_ab + E' Q E,   P_ab = sum_i left_abi back_i^2 v_i v_i'
    sampling  c' M2^-1 c R,            R of people about the effects

v_i the public axes, a and Q as in docs/mathematics.md, (12.3) and (12.6), `left` what is left of H there, and
E (1 + p, 3) the effects at the point. So P, R, the effects and M2^-1 say it all. Of effects from which noise was taken
off, a release says instead of E' Q E and of the sampling what is left of them, sums over a like the first.

Two released surfaces are compared: where their difference exceeds noise and sampling, at a false discovery rate. At
each point the difference d with covariance C, in 3 (or 2) coordinates, gives d' C^-1 d, chi-square with as many degrees
of freedom if nothing differs there. Benjamini and Hochberg (1995) choose the points; neighbouring points share their
noise and are positively dependent, which their rule allows (Benjamini and Yekutieli 2001).
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import scipy

from shapedp.base import artifacts, writers
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.privacy.learned.shape_variation import find_least_count
from shapedp.releases.model import covariates
from shapedp.releases.model.effects import least_moment, quadratic, weigh_mean_and_effects
from shapedp.releases.model.shapes import as_curve, as_landmarks, share_within

FACE_FILE, SHAPE_FILE = "face_model.h5", "shape_model.h5"
AVERAGE = "everybody's average"
# Standard deviations within which 95 % of a normal variable lie.
NORMAL_95 = 1.96
# Chances; their quantiles stand for all of a normal variable.
EVENLY = (np.arange(200) + 0.5) / 200


def squares_at_points(rows, other):
    """Return (J, m, d, d), the sum of products of fields (q, J, d, m) at each point."""
    return np.einsum("qjcm,qjdm->jmcd", rows, other)


class Lengths:
    """How a release is measured: in mm of the template's size; of landmarks, without radii, in radian as a whole."""

    @property
    def unit(self) -> str:
        """The unit of lengths, in a word."""
        return "radian" if self.radii is None else "mm"

    def length(self, squares: np.ndarray) -> float:
        """Return the length that is stated for squared lengths (J, m) at points: a face's rms, a shape's whole."""
        return float(np.sqrt(np.mean(squares) if self.radii is not None else np.sum(squares)))


@dataclass(frozen=True)
class Released(Lengths):
    """A released model of faces, lengths in mm of the template's size, fields as `artifacts.FACE_MODEL` has them; or of
    shapes, lengths in radian, as `artifacts.SHAPE_MODEL` has them, a shape of k landmarks as one curve (1, d, k).

    covariates : covariates.Covariate each, in the order of the rows of `effects` after the first; scale : mm of the
    unit that fields of the release have, 1 of landmarks

    coordinate_unit : of an older file, which does not hold it, `coordinate_noise`
    """

    reference: np.ndarray
    effects: np.ndarray
    average: np.ndarray
    inverse: np.ndarray
    moment_noise: np.ndarray
    noise_parts: np.ndarray
    residual: np.ndarray
    modes: np.ndarray
    sd: np.ndarray
    shown: int
    radii: np.ndarray | None
    covariates: tuple
    coordinates: np.ndarray
    coordinate_unit: np.ndarray
    coordinate_noise: np.ndarray
    coordinate_residual: np.ndarray
    axes: str
    people: float
    outside: np.ndarray | None = None
    second_parts: np.ndarray | None = None
    chance_parts: np.ndarray | None = None
    beyond: np.ndarray | None = None
    scale: float = 1.0

    @classmethod
    def from_fields(cls, values, covariates):
        """Return the model that a release's fields hold, lengths in mm, from which faces, tables and tests follow."""
        # A file from before the length of a coordinate stood in it: then noise seems longer where the clip is unsure.
        values = {"coordinate_unit": values["coordinate_noise"], **values}
        scale, along_axes = float(values["scale"]), ("coordinates", "coordinate_unit", "coordinate_noise")
        lengths = ("reference", "effects", "sd", *along_axes)
        of_some = (name for name in ("outside", "second_parts", "chance_parts") if name in values)
        squares = ("noise_parts", "residual", "coordinate_residual", *of_some)
        return cls(
            **{name: values[name] * scale for name in lengths},
            **{name: values[name] * scale**2 for name in squares},
            **{name: values[name] for name in ("average", "inverse", "moment_noise", "radii", "axes")},
            modes=values["modes"].astype(float),
            shown=int(values["shown"]),
            covariates=tuple(covariates),
            people=float(values["people"]),
            beyond=values.get("beyond"),
            scale=scale,
        )

    @property
    def mean(self):
        """(J, 3, m) the mean of everybody."""
        return self.at(self.average)

    def z(self, covariate_values):
        """Return (1 + p,) the contrast by which the mean at {name: value} follows; what is not given is on average."""
        averages = zip(self.covariates, self.average[1:], strict=True)
        return np.array(
            [
                1.0,
                *(
                    covariate.value(covariate_values[covariate.name]) if covariate.name in covariate_values else mean
                    for covariate, mean in averages
                ),
            ]
        )

    def at(self, contrast):
        """Return (J, 3, m) the mean face at z = contrast, or a difference of two such."""
        return np.tensordot(contrast, self.effects, axes=1)

    def norm(self, covariate_values):
        """Return what one person is set beside to tell how unusual they are at these covariates.

        Parameters
        ----------
        covariate_values : mapping
            {covariate: value}; others as on average.

        Returns
        -------
        mean : (J, d, m) float
        people : (J, m, d, d) float
            Covariance at each point of people about the mean.
        unsure : list of (J, m, d, d) float
            Of what leaves the mean unsure: noise for privacy, chance in who took part.
        """
        contrast = self.z(covariate_values)
        people, (noise, chance) = self.residual, self.covariances(contrast)
        if self.radii is None:
            # Few people allow few axes of landmarks; outside these people lie as far as public ones.
            people = people + np.trace(people, axis1=-2, axis2=-1).sum() * self.beyond
            noise = noise + self.missed_covariance(contrast)
        elif self.outside is not None:
            people = people + self.outside
        return self.at(contrast), people, [noise, chance]

    def predict(self, covariate_values):
        """Return the mean that a user asks for at {covariate: value}: (curves, place in words, lines on error)."""
        z = self.z(covariate_values)
        noise, sampling = (
            self.length(band(covariance(z)) ** 2) for covariance in (self.noise_covariance, self.sampling_covariance)
        )
        both = np.hypot(noise, sampling)
        record, over = ("shape", "as a whole") if self.radii is None else ("face", "rms at a point")
        places = [
            covariate.describe(covariate_values[covariate.name])
            if covariate.name in covariate_values
            else f"{covariate.name} as on average"
            for covariate in self.covariates
        ]
        lines = [
            f"band, {over}: {both:.2g} {self.unit} (noise for privacy {noise:.2g} {self.unit}, chance in who took part "
            f"{sampling:.2g} {self.unit})"
        ]
        if self.radii is not None:
            lines.append(f"95% of points lie within about {1.96 * both / np.sqrt(3):.2g} mm along each axis")
        return self.at(z), f"the mean {record} at {', '.join(places) or AVERAGE}", lines

    def norm_of_measures(self, covariate_values, measures):
        """Return what one person's distances are set beside at {covariate: value}, where nothing is known at landmarks.

        That is (measures, their values in the mean face, their standard deviations).
        """
        mean, about, unsure = self.norm(covariate_values)
        norm, directions = measures.values(mean), measures.in_landmarks(mean)
        along = self.sd[: self.shown, None, None, None] * self.modes[: self.shown]
        inside = np.tensordot(measures.gradients(mean), along, axes=((1, 2, 3), (1, 2, 3)))
        # What goes along the modes is counted over the whole face, the rest at each landmark by itself.
        left = about + sum(unsure) - squares_at_points(along, along)
        values, vectors = np.linalg.eigh(np.einsum("ljm,jmcd->lcd", measures.weights, left))
        beyond = np.einsum("qlc,lcd->qld", directions, vectors) ** 2 * np.maximum(values, 0.0)
        return measures, norm, np.sqrt(np.sum(inside**2, axis=1) + beyond.sum(axis=(1, 2)))

    def noise_covariance(self, contrast):
        """Return (J, m, 3, 3) how far privacy noise moves each point of the mean at a contrast, for bands and tests."""
        if self.second_parts is None:
            return self._add_parts(contrast, self.noise_parts) + self._by_covariates(contrast)
        return self._add_parts(contrast, self.noise_parts + self.second_parts)

    def _add_parts(self, contrast, parts):
        """Return (J, m, 3, 3) the covariance of the mean at a contrast, from its `parts` of everybody and effects."""
        away = weigh_mean_and_effects(contrast, self.average)
        return np.tensordot(np.outer(away, away), parts, axes=2)

    def _by_covariates(self, contrast):
        """Return (J, m, 3, 3) the part of `noise_covariance` that noise on the covariates' own moment brings."""
        b = self.effects.copy()
        b[0] -= self.reference
        weighed = np.tensordot(quadratic(self.inverse @ contrast, self.moment_noise[1]), b, axes=1)
        return np.einsum("ajkm,ajlm->jmkl", b, weighed)

    def sampling_covariance(self, contrast):
        """Return (J, m, 3, 3) the covariance by chance in who takes part."""
        if self.chance_parts is not None:
            return self._add_parts(contrast, self.chance_parts)
        return float(contrast @ self.inverse @ contrast) * self.residual

    def covariances(self, contrast):
        """Return the covariances (noise, sampling) at a contrast."""
        return self.noise_covariance(contrast), self.sampling_covariance(contrast)

    def missed_covariance(self, contrast):
        """Return (J, m, 3, 3) what intervals of shapes must count beyond noise and chance: docs/mathematics.md, (12.8).

        That is what lies outside the released axes, for each unit of squared length along these as much as public
        people have; and what the noise on the covariates' moment does beyond first order: it moves an effect by a share
        of its true length, of which the released one may be short.
        """
        moved = self.at(contrast) - contrast[0] * self.reference
        outside = np.sum(moved**2) * self.beyond
        if not self.covariates:
            return outside
        return outside + (self._find_stretch() - 1) * self._by_covariates(contrast)

    def _find_stretch(self):
        """Return the factor by which intervals widen, since noise on the covariates' moment does more than first order.

        It is that of (12.8): how many times as much as to first order that noise may do.
        """
        inverse_norm = np.linalg.norm(self.inverse[1:, 1:], 2)
        largest = max(inverse_norm, 1 / (self.people * min(covariate.variance for covariate in self.covariates)))
        return (largest / inverse_norm * (1 + NORMAL_95 * self.moment_noise[1] * largest)) ** 2

    def find_variance_by_covariates(self, contrast, slopes):
        """Return (r,) what noise on the covariates' moment adds to the variance of measures, for tables of shapes.

        Parameters
        ----------
        contrast : (1 + p,) array
            z of the level.
        slopes : (r, 1 + p) array
            How much each measure moves with the mean's deviation (0) and with each effect.
        """
        if not self.covariates:
            return np.zeros(len(slopes))
        weighed = quadratic(self.inverse @ contrast, self.moment_noise[1])
        return self._find_stretch() * np.einsum("ra,ab,rb->r", slopes, weighed, slopes)

    def shown_share(self, covariate):
        """Return how much of a covariate's true effect on shapes is likely to be shown, to warn who reads it: (12.8).

        It is a share from public numbers: an effect is shown along the released axes alone, and divided by a noised
        moment of the covariate, which is taken to be no smaller than noise makes it.
        """
        moment, noise = self.people * covariate.variance, self.moment_noise[1] * scipy.special.ndtri(EVENLY)
        floor = least_moment(self.moment_noise[1], len(self.average), self.people)
        return share_within(self.beyond) * float(np.mean(moment / np.maximum(moment + noise, floor)))

    def covariance(self, contrast):
        """Return the covariance of noise and sampling together; of shapes with what is missed."""
        known = sum(self.covariances(contrast))
        return known if self.beyond is None else known + self.missed_covariance(contrast)

    def face(self, weights, contrast=None):
        """Return (J, 3, m) an invented face: so many standard deviations along the first modes from a mean face.

        Parameters
        ----------
        weights : (k,) float
            Along the first k modes.
        contrast : (1 + p,) float, optional
            z of the mean face; that of everybody without.
        """
        k = len(weights)
        moved = np.tensordot(np.asarray(weights) * self.sd[:k], self.modes[:k], axes=1)
        return self.at(self.average if contrast is None else contrast) + moved

    def weights(self, count, rng):
        """Return (count, shown) invented people's weights on the modes that stand above the noise, if any does.

        Parameters
        ----------
        count : int
            People.
        rng : numpy.random.Generator
        """
        if not self.shown:
            raise ConfigError(
                "no mode stands above the noise, so that each draw would be the mean itself: use the mean, or release "
                "a model of more people or a larger budget"
            )
        return rng.standard_normal((count, self.shown))

    def sample(self, count, rng):
        """Return (count, J, 3, m) faces of synthetic people, who show how people vary and are nobody.

        Parameters
        ----------
        count : int
            People.
        rng : numpy.random.Generator
        """
        return np.stack([self.face(weights) for weights in self.weights(count, rng)])


def read(path):
    """Return the model of a released file, of faces in mm or of shapes in radian, and its public settings.

    Pages, tables and commands take it.
    """
    values, covariates_read, settings = read_values(path)
    if Path(path).name != SHAPE_FILE:
        return Released.from_fields(values, covariates_read), settings
    curves = {name: as_curve(values[name]) for name in ("reference", "effects", "modes")}
    at_points = {name: np.expand_dims(values[name], -4) for name in ("noise_parts", "residual", "beyond")}
    return Released.from_fields(
        {**values, **curves, **at_points, "radii": None, "scale": 1.0}, covariates_read
    ), settings


def read_values(path):
    """Return (fields, covariates.Covariate each, public settings) of a released file, as they are stored.

    `read` makes the model of them.
    """
    kind = artifacts.SHAPE_MODEL if Path(path).name == SHAPE_FILE else artifacts.FACE_MODEL
    with artifacts.reader(path, kind) as source:
        values = {name: source[name] for name in source.kind.fields}
    if ("second_parts" in values) != ("chance_parts" in values):
        raise ArtifactError(
            f"{path}: holds one of second_parts and chance_parts alone; ask for the release's folder again"
        )
    settings = json.loads(values.pop("settings"))
    return values, covariates.from_settings(covariates.read_stated(settings)), settings


def band(covariance):
    """Return (J, m) the root mean square distance that covariances (J, m, 3, 3) at the points come to."""
    return np.sqrt(np.maximum(np.trace(covariance, axis1=-2, axis2=-1), 0))


# Standard deviations along a mode at which it is shown.
AWAY = 2.0
AWAY_WORDS = f"-{AWAY:g} SD", f"+{AWAY:g} SD"


def deviations(model):
    """Return {name: curves (J, 3, m)} that each shown mode and each covariate's unit adds to the mean, to draw it."""
    effects = zip(model.covariates, model.effects[1:], strict=True)
    modes = {f"mode_{k + 1}": AWAY * model.sd[k] * model.modes[k] for k in range(model.shown)}
    return modes | {f"effect_{covariate.name}": effect for covariate, effect in effects}


def surfaces(model):
    """Return {file stem: curves (J, 3, m)} of the shapes that show a model: both ends of each mode and effect.

    Ends are two standard deviations along each mode either way, and the mean at either end of each covariate, the
    others as they are on average.
    """
    mean, shapes = model.mean, {}
    for name, deviation in list(deviations(model).items())[: model.shown]:
        shapes |= {f"{name}_minus": mean - deviation, f"{name}_plus": mean + deviation}
    for index, covariate in enumerate(model.covariates, start=1):
        for end, word in ((-1.0, "low"), (1.0, "high")):
            z = model.average.copy()
            z[index] = end
            shapes[f"effect_{covariate.name}_{word}"] = model.at(z)
    return shapes


def tps(model):
    """Return the mean of a model of shapes, and what `surfaces` has, as .tps text, one shape after the other."""
    shapes = {"shape_model": model.mean, **surfaces(model)}
    return "".join(writers.format_tps(as_landmarks(curves), name) for name, curves in shapes.items())


def modes_table(model, values):
    """Yield lines of modes.csv: of every mode its size, stated error, and how much of its direction is kept.

    Parameters
    ----------
    model : Released
        The model.
    values : mapping
        The fields of the release, of a face of area 1.
    """
    scale, unit = float(values.get("scale", 1.0)), model.unit
    yield f"mode,sd_{unit},sd_noise_{unit},noise_alone_{unit},kept_direction,shown"
    for k, sd in enumerate(model.sd):
        numbers = (sd, values["sd_noise"][k] * scale, values["floor"] * scale, values["kept"][k])
        yield f"{k + 1},{','.join(f'{number:.5g}' for number in numbers)},{int(k < model.shown)}"


def effects_table(model):
    """Yield lines of effects.csv: how far each covariate moves the mean from end to end, beside noise and chance.

    Lengths are as `Released.length` has them. Of shapes also half of a 95 % interval, and the share of an effect's
    length that is expected to be shown.
    """
    parts, names = [model.noise_covariance, model.sampling_covariance], ["change", "noise", "sampling"]
    of_shapes = model.beyond is not None
    if of_shapes:
        parts, names = [*parts, model.missed_covariance, model.covariance], [*names, "missed", "half_interval"]
    yield ",".join(["covariate", *(f"{name}_{model.unit}" for name in names), *(["shown_share"] * of_shapes)])
    for index, covariate in enumerate(model.covariates, 1):
        contrast = np.zeros(len(model.average))
        contrast[index] = 2.0
        numbers = [model.length(np.sum(model.at(contrast) ** 2, axis=1))]
        numbers += [model.length(band(part(contrast)) ** 2) for part in parts]
        if of_shapes:
            numbers[-1] *= NORMAL_95
            numbers.append(model.shown_share(covariate))
        yield f"{covariate.name},{','.join(f'{part:.5g}' for part in numbers)}"


# Of false discoveries, over all points together.
RATE = 0.05
# Share of the largest variance at a point: a direction with less of it has none, such as across the middle of
# what is no more than the difference between left and right.
FLAT = 1e-9
# People that are looked through.
MOST = 1 << 24
# mm over a share of the face, such as a cheek: what forecasts and comparisons say the people for.
SHIFT, SHARE = 1.0, 0.1


@dataclass(frozen=True)
class Comparison:
    """distance (N,); p_values (N,); exceeds (N,) bool; detectable (N,) : shift found with power .8 if SHARE of the
    points are shifted as far.
    """

    distance: np.ndarray
    p_values: np.ndarray
    exceeds: np.ndarray
    detectable: np.ndarray


def compare(difference, covariance, rate=RATE):
    """Return at which points two means differ by more than noise and chance, with p-values and what was detectable.

    Where nothing can differ in a direction, as a difference from the mirror image cannot across the middle, that
    direction counts for none. What is detectable is tested at SHARE of the rate, as Benjamini and Hochberg test where
    that share of the points is found.

    Parameters
    ----------
    difference : (N, d) array
        At each point.
    covariance : (N, d, d) array
        Of noise and sampling of both.
    rate : float
        Of false discoveries.

    Returns
    -------
    Comparison
    """
    values, vectors = np.linalg.eigh(covariance)
    # Else rounding in a direction that cannot differ would be taken for a difference.
    free = values > FLAT * values[:, -1:]
    squares = np.einsum("nij,ni->nj", vectors, difference) ** 2 / np.where(free, values, np.inf)
    p_values, distance = scipy.stats.chi2.sf(squares.sum(axis=1), free.sum(axis=1)), np.linalg.norm(difference, axis=1)
    return Comparison(distance, p_values, discoveries(p_values, rate), detectable(covariance, rate * SHARE))


def compare_means(first, second):
    """Return where the means of two released models differ, as a Comparison over all points of the curves.

    Parameters
    ----------
    first, second : Released
        Of one template.
    """
    covariance = first.covariance(first.average) + second.covariance(second.average)
    return over_points(second.mean - first.mean, covariance)


def over_points(difference, covariance):
    """Return the Comparison that tests a difference of curves at each of their points, by its covariance.

    Parameters
    ----------
    difference : (J, d, m) array
        Of two releases.
    covariance : (J, m, d, d) or (J, m, 1, 1) array
        Of the difference; the second where only the variance of its length is known: `model.compared`.
    """
    d, moved = covariance.shape[-1], np.moveaxis(difference, 1, 2)
    if d < moved.shape[-1]:
        moved = np.linalg.norm(moved, axis=-1)
    return compare(moved.reshape(-1, d), covariance.reshape(-1, d, d))


def discoveries(p_values, rate):
    """Return (N,) at which points a difference may be claimed: what Benjamini and Hochberg reject at this rate.

    Where nothing can differ, the p-value is NaN, and none is claimed.

    Parameters
    ----------
    p_values : (N,) array
        Of the hypotheses.
    rate : float
        Of false discoveries.
    """
    # A point at which nothing can differ has no p-value; it is never found.
    return scipy.stats.false_discovery_control(np.nan_to_num(p_values, nan=1.0)) <= rate


def detectable(covariance, rate=RATE, power=0.8):
    """Return (N,) how large a difference at each point must be to be found: smaller ones a test may have missed.

    It is the shift along the point's worst direction.

    Parameters
    ----------
    covariance : (..., d, d) array
        At the points.
    rate : float
        Level of the test.
    power : float
        With which it finds the shift.
    """
    return np.sqrt(noncentrality(covariance.shape[-1], rate, power) * np.linalg.eigvalsh(covariance)[..., -1])


@cache
def noncentrality(d, rate, power):
    """Return how large a true difference must be for a test at `rate` to find it with this power.

    It is the noncentrality of a chi-square with d degrees of freedom.

    Parameters
    ----------
    d : int
        Degrees of freedom.
    rate, power : float
    """
    threshold = scipy.stats.chi2.isf(rate, d)
    return scipy.optimize.brentq(lambda c: scipy.stats.ncx2.sf(threshold, d, c) - power, 0.0, 1000.0, xtol=1e-13)


def people_needed(fields, people, shift, share):
    """Return how many people each of two groups takes for a comparison to find a shift over a share of the points.

    It is the least n, or MOST; the shift is found in the median point.

    Noise falls as 1/n^2, sampling as 1/n. Where a share is found, Benjamini and Hochberg test its points at that share
    of their rate.

    Parameters
    ----------
    fields : ((noise, sampling), ...)
        Covariances (..., d, d) of the groups' means with so many people.
    people : sequence of int
        Of each group.
    shift : float
        To be found, in the unit of lengths.
    share : float
        Of the points.
    """

    def is_enough(n):
        groups = zip(fields, people, strict=True)
        total = sum(noise * (had / n) ** 2 + sampling * (had / n) for (noise, sampling), had in groups)
        return np.median(detectable(total, RATE * share)) <= shift

    return find_least_count(is_enough, MOST) or MOST


def words(people):
    """Return a sentence on how many people a comparison takes to find SHIFT over SHARE of the face."""
    return (
        f"to find a shift of {SHIFT:g} mm over {SHARE:.0%} of the face 8 times in 10: about {people:,} people a group, "
        "for one that the released directions can show"
    )
