"""Norm tables of a released face model or mean: distances and angles by name, at levels of the covariates.

Of a mean nothing is told of people's spread. What lies beside it (`mean_at_landmarks`) has how its error and public
people go together at the landmarks, so that the mean of people's distances follows, with its error.

`at_landmarks` has how a measure's gradient moves along the released axes, so that people's variance of it follows from
the released covariance. That is noised; so it is combined with public people's variance of the measure, as large as
these people's spread is beside public people's, by precision: v = w v_released + (1 - w) v_public, w = t^2/(t^2 + s^2),
s the standard deviation of noise and chance in v_released, t = PRIOR v_public what the two may differ by.

A model of shapes releases means as they were drawn. In its norms they are drawn to what public people tell of them
(`table_means`), where its file has that.

Releases without `at_landmarks` tell how landmarks move together along the modes that are shown alone. How two points go
together in the rest is then taken from the packed model of real people, which is public. With m_k the mode k times its
standard deviation, L_a the covariance that is left at landmark a, and P that of public people's landmarks less what
lies along the modes,

    var f = sum_k (sum_a g_a' m_ka)^2 + sum_a g_a' L_a g_a  x  g' P g / sum_a g_a' P_aa g_a:

the last is what it would be were landmarks independent, times what that is wrong by among public people. For noise, P
is that of noise which has along each public mode people's standard deviation for its variance, as `shaped` has it.

The distance of two landmarks of the mean face is not the mean of people's distances: a person's |d| exceeds it by
about tr(Q S) / 2|d|, with S the covariance of d among people and Q = I - dd'/|d|^2 across d. That is added, and its
error counted; what noise and chance add to the released |d| in the same way is taken off. Angles are left as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base.errors import ArtifactError
from shapedp.base.settings.subjects import FACE
from shapedp.releases.model import covariates
from shapedp.releases.model.at_landmarks import FEWEST, AtLandmarks
from shapedp.releases.model.compared import ReleasedMean
from shapedp.releases.model.effects import weigh_mean_and_effects
from shapedp.releases.model.mean_at_landmarks import MeanAtLandmarks
from shapedp.releases.model.released_model import Released
from shapedp.surfaces.measures import Measures
from shapedp.surfaces.subjects.catalogues import CATALOGUES

Floats = NDArray[np.float64]
NAMED = CATALOGUES[FACE]
CENTILES = (3, 10, 25, 50, 75, 90, 97)
# The column of what registration adds to people's standard deviation.
BETWEEN_SCANS = "between_scans_sd"
# Share by which the variance of a measure may differ from public people's, as wide as these people lie.
PRIOR = 0.25
# The same of how wide people lie beside public ones.
PRIOR_WIDTH = 0.5
# Over the number of public people: the square of the share that a variance of so few errs by, were they normal.
OF_FEW = 2.0
# Share of the public variance that a measure has at least.
LEAST = 0.05


@dataclass(frozen=True)
class Norm:
    """Of each measure (q,): mean of people, how much that errs by noise and chance, people's standard deviation, how
    much that errs; the last two None of a mean face, whose release tells nothing of people's spread. value : in the
    mean face, without what people's distances exceed it by
    """

    mean: Floats
    mean_error: Floats
    sd: Floats | None
    sd_error: Floats | None
    value: Floats


class Known(Protocol):
    """What a release tells of measures with gradients (r, l, 3) in their landmarks."""

    def people(self, gradients: Floats) -> tuple[Floats, Floats]:
        """Return ((r,) variances of people, (r,) their errors)."""

    def unsure(self, gradients: Floats) -> Floats:
        """Return (r,) variances of what the mean errs by: noise, chance in who took part, what is not released."""


def from_model(
    model: Released,
    measures: Measures,
    contrast: Floats,
    known: AtLandmarks | None = None,
    of_everybody: bool = False,
) -> Norm:
    """Return the norm of distances and angles by a released model, for people with covariates z = contrast.

    Parameters
    ----------
    model : Released
        A model of faces, mm.
    measures : Measures
        What is measured, on the template of the model.
    contrast : (1 + p,) array
        1 and the coded covariates.
    known : AtLandmarks, optional
        What lies beside the model, of the landmarks of `measures`, in mm.
    of_everybody : bool
        Whether people differ by their covariates as well, as everybody does about the average.
    """
    if known is None:
        _check(measures)
        return _norm(ByPublicFaces(model, measures, contrast), model.at(contrast), measures)
    estimator = AlongAxes(model, known, contrast, of_everybody)
    face = estimator.model.at(contrast)
    norm = _norm(estimator, face, measures)
    return replace(norm, sd=norm.sd * estimator.find_lift(measures.in_landmarks(face)))


def from_mean(released: ReleasedMean, measures: Measures) -> Norm:
    """Return the mean of people's distances, and its error, by a released mean face with only its noise at each point.

    At each point noise and chance count alike in all directions.

    Parameters
    ----------
    released : ReleasedMean
        A mean face, mm.
    measures : Measures
        What is measured, on the template of the release.
    """
    _check(measures)
    landmarks = _Landmarks(released.mean, measures)
    identity, gradients, across = np.eye(3) / 3, measures.in_landmarks(released.mean), measures.across(released.mean)
    noise, chance = released.noise * identity, np.zeros_like(released.noise) * identity
    if released.sampling is not None:
        chance = released.sampling * identity
    values = measures.values(released.mean)
    by_noise, by_chance = (
        [_beyond(landmarks.variances(rows, at_points, of_noise=of_noise), values) for rows in np.moveaxis(across, 1, 0)]
        for at_points, of_noise in ((noise, True), (chance, False))
    )
    mean_variances = landmarks.variances(gradients, noise, of_noise=True) + landmarks.variances(gradients, chance)
    mean = values + (released.people - 1.0) * sum(by_chance) - sum(by_noise)
    return Norm(mean, np.sqrt(mean_variances), None, None, values)


def from_mean_at_landmarks(released: ReleasedMean, known: MeanAtLandmarks) -> Norm:
    """Return the norm of distances in a released mean, by what lies beside it on how errors go together.

    Parameters
    ----------
    released : ReleasedMean
        A mean of faces, mm, or of landmarks, of size 1.
    known : MeanAtLandmarks
        What is known of it at the landmarks, in the same unit.
    """
    return replace(_norm(OfMean(known), released.mean, known.measures), sd=None, sd_error=None)


def _check(measures):
    """Refuse a norm table between too few landmarks, which a template shows of part of a face."""
    if len(measures.landmarks) < FEWEST:
        raise ArtifactError(
            f"the template carries {len(measures.landmarks)} of {len(NAMED.vertices)} landmarks of public faces, so "
            "that nothing is measured between them; a template that shows a whole face carries more"
        )


def _beyond(variances, values):
    """Return (q,) what variances across a distance make people's mean distance exceed it by."""
    return np.divide(variances, 2 * values, out=np.zeros_like(values), where=variances > 0)


def _norm(estimator, face, measures):
    """Return the Norm of measures on a mean face (J, 3, m), by an estimator of people's spread and the mean's error."""
    values, gradients, across = measures.values(face), measures.in_landmarks(face), measures.across(face)
    spread, spread_errors = estimator.people(gradients)
    mean_variances, exceeds = estimator.unsure(gradients), np.zeros_like(values)
    for rows in np.moveaxis(across, 1, 0):
        across_spread, across_errors = estimator.people(rows)
        exceeds += _beyond(across_spread, values) - _beyond(estimator.unsure(rows), values)
        mean_variances = mean_variances + _beyond(across_errors, values) ** 2
    sd = np.sqrt(spread)
    sd_error = np.divide(spread_errors, 2 * sd, out=np.sqrt(spread_errors), where=sd > 0)
    return Norm(values + exceeds, np.sqrt(mean_variances), sd, sd_error, values)


class OfMean:
    """By covariances at the landmarks of a mean: people lie as public ones do, give or take PRIOR_WIDTH."""

    def __init__(self, known: MeanAtLandmarks):
        self.known = known

    def people(self, gradients: Floats) -> tuple[Floats, Floats]:
        """Return public people's variances (r,) in each measure, in place of the unreleased ones, and their errors."""
        spread = _products(gradients, self.known.public)
        return spread, PRIOR_WIDTH * spread

    def unsure(self, gradients: Floats) -> Floats:
        """Return variances (r,) of the released mean's error, by noise and chance, in each measure."""
        return _products(gradients, self.known.noise + self.known.chance)


class AlongAxes:
    """By the loadings of each measure on the released axes, as `at_landmarks` has them.

    model, known : the release, mm, of shapes with the means that tables have; contrast : z of the level; of_everybody :
    whether people differ by their covariates
    """

    def __init__(self, model: Released, known: AtLandmarks, contrast: Floats, of_everybody: bool = False):
        if known.effects is not None:
            model = replace(model, effects=known.effects)
        self.model, self.known, self.contrast, self.of_everybody = model, known, contrast, of_everybody
        self.leading = len(model.coordinate_noise)
        self.second = np.linalg.inv(model.inverse)
        moved = model.effects.copy()
        moved[0] -= model.reference
        self.effects = np.einsum("ljm,zjcm->zlc", known.weights, moved)
        # covariance of the noise on the third sum is s3^2 for squares of u along an axis
        self.s3 = model.moment_noise[2] / model.people
        # Effects of shapes are released as they were drawn, and where public people tell nothing of them, their squares
        # hold noise; those of faces are shrunk.
        self.is_as_drawn = model.radii is None and known.effects is None
        self.of_size = self._find_size()
        if self.of_size is not None:
            axes = known.axes[: self.leading].reshape(self.leading, -1)
            at_size = known.public_at_size.reshape(axes.shape[1], -1)
            self.leading_at_size = axes @ at_size @ axes.T
        # By what share, squared, a variance may differ from public people's: these are others, and few.
        self.differ = PRIOR**2 + (OF_FEW / known.public_people if known.public_people else 0.0)
        self.width, self.width_error = self._measure_width()

    def people(self, gradients: Floats) -> tuple[Floats, Floats]:
        """Return people's variances (r,) in each measure, from which a norm's centiles follow, and their errors (r,).

        Errors are by noise and chance, as far as public people do not tell better.
        """
        spread, doubt, _ = self._tell(gradients)
        return spread, np.sqrt(doubt)

    def find_lift(self, gradients: Floats) -> Floats:
        """Return (r,) how many times as large as the root of a variance a standard deviation is, for norms to state it.

        A variance that errs by the square c, by noise and chance, has on average a root that is short by c/8 of it.
        """
        if not self.known.public_people:
            return np.ones(len(gradients))
        spread, _, by_chance = self._tell(gradients)
        return 1 + np.minimum(by_chance / spread**2, 1.0) / 8

    def _tell(self, gradients):
        """Return (r,) people's variance in each measure, the square of what that errs by, and of that by chance alone,
        if people do not differ from public ones.
        """
        loadings, known = self._loadings(gradients), self.known
        leading, n = loadings[:, : self.leading], self.model.people
        slopes = np.einsum("rlc,zlc->rz", gradients, self.effects)
        public, whole = _spread_along(leading, known.public_leading), _products(gradients, known.public)
        outside = np.maximum(whole - public, LEAST * whole)
        squares = leading**2 @ known.unit[: self.leading] ** 2  # of noise of standard deviation 1 on coordinates
        s1, s2, _ = self.model.moment_noise / n
        errors, explained, explained_error = (self.s3 * squares) ** 2, 0.0, 0.0
        if self.of_everybody and known.everybody is not None:
            released, prior, least = known.everybody, self.width * public, public
            errors = errors + 4 * (s1 * slopes @ self.model.average) ** 2 * squares
        else:
            released = self.model.coordinate_residual * (n / (n - len(self.model.average)))
            explained, explained_error = self._explained(loadings, slopes)
            # What covariates explain is part of how wide people lie, and is no part of their spread about a level.
            prior, least = self.width * public - explained, public
            if self.of_size is not None:
                least = _spread_along(leading, self.leading_at_size)
                prior = self.width * least - self._explained(loadings, slopes, self.of_size)[0]
                # People of one size differ less beside the leading axes, too, and no longer apart from these.
                whole = _products(gradients, known.public_at_size)
                outside = whole - least
            means = np.abs(slopes) @ np.abs(self.second[0] / n)
            errors = errors + 4 * (s1 * means) ** 2 * squares + s2**2 * _square_but_first(slopes)
            if not self.of_everybody:
                explained, explained_error = 0.0, 0.0
        prior = np.maximum(prior, LEAST * least)
        errors = errors / known.kept_by_clip**2 + 2 / n * prior**2
        differ = self.differ * prior**2
        weight = np.divide(differ, differ + errors, out=np.zeros_like(differ), where=differ > 0)
        inside = weight * _spread_along(leading, released) / known.kept_by_clip + (1 - weight) * prior
        spread_of = np.maximum(np.maximum(inside, LEAST * least) + self.width * outside, LEAST * whole) + explained
        # What public people tell errs alike along the leading axes and beside them.
        told = (1 - weight) * prior + self.width * outside
        doubt = weight**2 * errors + (self.differ + (self.width_error / self.width) ** 2) * told**2 + explained_error
        return spread_of, doubt, doubt - PRIOR**2 * told**2

    def unsure(self, gradients: Floats) -> Floats:
        """Return (r,) how far each measure of the released mean errs, as variances, for tables to state its error by.

        Along the axes that is as the release expects it; beside these as public people's mean, with as large a share of
        the effects there as of people's differences.
        """
        away = weigh_mean_and_effects(self.contrast, self.model.average)
        along = self._loadings(gradients) ** 2 @ np.einsum("a,b,abq->q", away, away, self.known.errors)
        moved = np.tensordot(self.contrast - self.model.average, self.model.effects, axes=1)
        share = self.model.length(np.sum(moved**2, axis=1)) ** 2 / float(np.sum(self.known.spread))
        # What lies beside a model of faces has this in its errors.
        by_covariates = 0.0
        if self.known.effects is not None:
            # The effects' errors count it; the mean at a level errs besides, for it lies from a noised average.
            slopes, noise = np.einsum("rlc,zlc->rz", gradients, self.effects), self.model.moment_noise[1]
            by_average = 0.0 if self.of_everybody else noise**2 / 2 / self.model.people**2
            by_covariates = by_average * np.sum(slopes[:, 1:] ** 2, axis=1)
        elif self.model.beyond is not None:
            slopes = np.einsum("rlc,zlc->rz", gradients, self.effects)
            by_covariates = self.model.find_variance_by_covariates(self.contrast, slopes)
        return along + by_covariates + _products(gradients, self.known.missing + share * self.known.outside)

    def _loadings(self, gradients):
        """Return (r, q) how much each measure moves along each released axis."""
        return np.einsum("rlc,qlc->rq", gradients, self.known.axes)

    def _explained(self, loadings, slopes, without=None):
        """Return what covariates add to everybody's spread in each measure: ((r,) variance, (r,) its error squared).

        People at one level do not have it; `people` adds it where the norm is everybody's. without : the index of a
        covariate that is left out
        """
        if not self.model.covariates:
            return np.zeros(len(slopes)), np.zeros(len(slopes))
        spread = self._spread_of_covariates()
        if without is not None:
            spread[without] = spread[:, without] = 0.0
        left = loadings**2 @ np.moveaxis(self.known.left[1:, 1:], -1, 0).reshape(len(self.known.unit), -1)
        noise = np.einsum("rab,ab->r", left.reshape(len(slopes), *spread.shape), spread)
        whole = np.einsum("ra,ab,rb->r", slopes[:, 1:], spread, slopes[:, 1:])
        if self.is_as_drawn:
            whole = whole - noise
        return np.maximum(whole, 0.0), 4 * np.maximum(whole, 0.0) * noise + 2 * noise**2

    def _find_size(self):
        """Return the index of log size among the covariates, by which public people's spread at a size is of use."""
        if self.known.public_at_size is None:
            return None
        return next((k for k, one in enumerate(self.model.covariates) if one.name == covariates.SIZE), None)

    def _spread_of_covariates(self):
        """Return (p, p) the covariance of the coded covariates, by which their effects spread everybody.

        What noise made negative counts as 0.
        """
        average = self.model.average[1:]
        spread = self.second[1:, 1:] / self.model.people - np.outer(average, average)
        values, vectors = np.linalg.eigh(spread)
        return (vectors * np.maximum(values, 0.0)) @ vectors.T

    def _measure_width(self):
        """Return how much wider these people vary than public ones, to scale public variances, and its error.

        It is the ratio of variances along the leading axes, as far as noise lets one tell.
        """
        units, public = self.known.unit[: self.leading], float(self.known.spread[: self.leading].sum())
        error = self.s3**2 * np.sum(units**4)
        if self.known.everybody is not None:
            total = np.trace(self.known.everybody) / self.known.kept_by_clip
            mean = self.model.average @ self.model.coordinates
            error += 4 * np.sum((self.model.moment_noise[0] / self.model.people * mean * units) ** 2)
        else:
            total = np.trace(self.model.coordinate_residual) / self.known.kept_by_clip
            # less noise than `coordinates` have, whose squares would count it
            moved = self.model.effects[1:]
            if len(moved):
                products = np.einsum("ajcm,bjcm->ab", moved, moved)
                if self.model.radii is not None:  # axes of faces have length 1 in the mean over the points
                    products = products / (moved.shape[1] * moved.shape[3])
                total += float(np.sum(self._spread_of_covariates() * products))
        error = float(np.sqrt(error)) / public
        if self.known.everybody is not None:
            # Chance in who takes part counts, too, and both more, since a clip hides a part of how wide people lie.
            along = self.known.public_leading
            by_chance = np.sqrt(2 * np.sum(along**2) / self.model.people) / np.trace(along)
            error = float(np.hypot(error, by_chance)) / max(self.known.unclipped_share, LEAST)
        weight = PRIOR_WIDTH**2 / (PRIOR_WIDTH**2 + error**2)
        return max(weight * total / public + 1 - weight, LEAST), float(np.sqrt(weight)) * error


def _spread_along(loadings, covariance):
    """Return (r,) variances of measures that move along axes by loadings (r, q), by a covariance (q, q) along these."""
    return np.einsum("ri,ij,rj->r", loadings, covariance, loadings)


def _square_but_first(slopes):
    """Return (r,) what noise on the covariates' moment does to the variance that slopes (r, 1 + p) explain.

    It is a variance, for noise of standard deviation 1; the first entry of that moment counts people and has no noise.
    """
    squares = slopes**2
    return np.sum(squares, axis=1) ** 2 - squares[:, 0] ** 2


def _products(gradients, covariance):
    """Return (r,) variances of gradients (r, l, 3), by covariances (l, 3, l, 3) of the landmarks."""
    return np.einsum("rac,acbd,rbd->r", gradients, covariance, gradients, optimize=True)


class ByPublicFaces:
    """By what a model says at each point, and how landmarks of public people go together: see the module."""

    def __init__(self, model: Released, measures: Measures, contrast: Floats):
        self.model, self.landmarks = model, _Landmarks(model.at(contrast), measures)
        self.along = model.sd[: model.shown, None, None, None] * model.modes[: model.shown]
        self.at_points = model.residual + model.outside - np.einsum("kjcm,kjdm->jmcd", self.along, self.along)
        self.by_noise, self.share = model.noise_covariance(contrast), float(contrast @ model.inverse @ contrast)

    def people(self, gradients: Floats) -> tuple[Floats, Floats]:
        """Return people's variances (r,) in each measure, from which a norm's centiles follow, and their errors (r,).

        Noise on an entry of the third moment moves a variance by s3/n times the squared length of the gradient along
        the coordinates, which follows from what noise on the first moment does to everybody's mean.
        """
        spread = self.landmarks.variances(gradients, self.at_points, self.along)
        s1, _, s3 = self.model.moment_noise
        by_first = self.landmarks.variances(gradients, self.model.noise_parts[0, 0], of_noise=True)
        return spread, np.hypot(by_first * self.model.people * s3 / s1**2, spread * np.sqrt(2 / self.model.people))

    def unsure(self, gradients: Floats) -> Floats:
        """Return (r,) how far each measure of the mean errs, as variances.

        What lies outside the released axes such a release does not tell.
        """
        noise = self.landmarks.variances(gradients, self.by_noise, of_noise=True)
        return noise + self.share * self.landmarks.variances(gradients, self.at_points, self.along)


class _Landmarks:
    """The landmarks of one face (J, 3, m), and what covariances at points say of measures between them."""

    def __init__(self, face, measures):
        self.measures = measures
        self.points = measures.points(face)
        self.turn = self._turn()

    def variances(self, gradients, at_points, along=None, of_noise=False):
        """Return (r,) variances of measures with gradients (r, l, 3), where only single points' variances are known.

        They follow from fields (k, J, 3, m) along which all moves together, and covariances (J, m, 3, 3) at the points
        beside these, which count as 0 where noise made them less.
        """
        moved = np.zeros((0, *self.points.shape)) if along is None else self.measures.points(along)
        blocks = np.einsum("ljm,jmcd->lcd", self.measures.weights, at_points)
        # Landmarks that lie near each other move together; how much, the packed model of real people tells.
        public_blocks, public = self._public(moved, of_noise)
        released_spread, independent_spread = (
            np.einsum("qlc,lcd,qld->q", gradients, blocks_at, gradients) for blocks_at in (blocks, public_blocks)
        )
        together = np.einsum("qac,abcd,qbd->q", gradients, public, gradients)
        inside = np.sum(np.einsum("qac,kac->qk", gradients, moved) ** 2, axis=1)
        return inside + np.divide(
            np.maximum(released_spread, 0.0) * together,
            independent_spread,
            out=np.zeros_like(released_spread),
            where=independent_spread > 0,
        )

    def _public(self, moved, of_noise):
        """Return how public people's landmarks vary together: how distances and angles vary and err follows from it.

        A release has each landmark's own covariance alone. Returned are covariances (l, 3, 3) of each landmark and
        (l, l, 3, 3) of all, in this face's frame, less what lies along `moved` (k, l, 3).
        """
        public = (_move_landmarks_by_modes(self.measures.landmarks, of_noise) @ self.turn.T).reshape(
            -1, self.points.size
        )
        along = np.linalg.qr(moved.reshape(len(moved), self.points.size).T)[0]
        left = (public - (public @ along) @ along.T).reshape(-1, *self.points.shape)
        together = np.einsum("kac,kbd->abcd", left, left)
        return np.einsum("aacd->acd", together), together

    def _turn(self):
        """Return (3, 3) the turn from the public people's frame to this face's, in which their covariances are used."""
        public = NAMED.public_mean()[[NAMED.vertices[name] for name in self.measures.landmarks]]
        ours, theirs = self.points - self.points.mean(axis=0), public - public.mean(axis=0)
        return scipy.spatial.transform.Rotation.align_vectors(ours, theirs)[0].as_matrix()


@cache
def _move_landmarks_by_modes(landmarks, of_noise):
    """Return (k, l, 3) how public modes move the landmarks together, for variances of distances and angles of them.

    A release knows single points' covariances alone. With `of_noise` it is how noise that is shaped as these modes are
    moves them.
    """
    fields = _shapes()
    if of_noise:
        lengths = np.sqrt(np.mean(np.sum(fields**2, axis=2), axis=1))
        fields = fields / np.sqrt(lengths)[:, None, None]
    return fields[:, [NAMED.vertices[name] for name in landmarks]]


@cache
def _shapes():
    """Return (k, n, 3) public modes as registered faces show them, from which `_move_landmarks_by_modes` takes them.

    They are less what moves, turns or sizes a face.
    """
    modes, mean = NAMED.public_modes(), NAMED.public_mean()
    about = mean - mean.mean(axis=0)
    moves = [np.tile(axis, (len(about), 1)) for axis in np.eye(3)]
    turns = [np.cross(axis, about) for axis in np.eye(3)]
    common = np.linalg.qr(np.array([*moves, *turns, about]).reshape(7, -1).T)[0]
    flat = modes.reshape(len(modes), -1)
    return (flat - (flat @ common) @ common.T).reshape(modes.shape)


def levels(model: Released) -> Iterator[tuple[dict[str, str], Floats]]:
    """Yield ({covariate: word}, z) of everybody and of each combination of levels, the rows of a norm table.

    Levels are both of a covariate that has two, and both ends and the middle of a range.
    """
    yield dict.fromkeys((covariate.name for covariate in model.covariates), ""), model.average
    if not model.covariates:
        return
    ends = [
        [
            (covariate.ends[0], -1.0),
            *([] if covariate.levels else [(f"{covariate.middle:g}", 0.0)]),
            (covariate.ends[1], 1.0),
        ]
        for covariate in model.covariates
    ]
    for chosen in product(*ends):
        words = {covariate.name: word for covariate, (word, _) in zip(model.covariates, chosen, strict=True)}
        yield words, np.array([1.0, *(number for _, number in chosen)])


def single_levels(model: Released) -> Iterator[tuple[str, Floats]]:
    """Yield (words, z) of each level of each covariate, the others on average, for a table of means by level."""
    for k, covariate in enumerate(model.covariates, start=1):
        middle = [] if covariate.levels else [(f"{covariate.middle:g}", 0.0)]
        for word, number in [(covariate.ends[0], -1.0), *middle, (covariate.ends[1], 1.0)]:
            z = model.average.copy()
            z[k] = number
            yield f"{covariate.name} {word}", z


@dataclass(frozen=True)
class Asymmetry:
    """Right less left of a measure that a face has twice, among everybody: mean and standard deviation of people, each
    with its error, in `unit`; size : of the measure itself
    """

    name: str
    mean: float
    mean_error: float
    sd: float
    sd_error: float
    size: float
    unit: str


def asymmetries(model: Released, measures: Measures, known: AtLandmarks) -> list[Asymmetry]:
    """Return the norm of how right and left sides differ: its mean is directional, its spread fluctuates in people.

    Parameters
    ----------
    model : Released
        A model of faces, mm.
    measures : Measures
        What is measured, on the template of the model.
    known : AtLandmarks
        What lies beside the model, of the landmarks of `measures`, in mm.
    """
    names, estimator = measures.names, AlongAxes(model, known, model.average, of_everybody=True)
    values, gradients = measures.values(model.mean), measures.in_landmarks(model.mean)
    norm = _norm(estimator, model.mean, measures)
    pairs = [(name, f"left {name.removeprefix('right ')}") for name in names if name.startswith("right ")]
    sides = []
    for right, left in (pair for pair in pairs if pair[1] in names):
        a, b = names.index(right), names.index(left)
        difference = (gradients[a] - gradients[b])[None]
        (spread,), (spread_error,) = estimator.people(difference)
        sd = float(np.sqrt(spread))
        sides.append(
            Asymmetry(
                name=right.removeprefix("right "),
                mean=float(norm.mean[a] - norm.mean[b]),
                mean_error=float(np.sqrt(estimator.unsure(difference)[0])),
                sd=sd,
                sd_error=float(spread_error / (2 * max(sd, np.finfo(float).tiny))),
                size=float(values[a] + values[b]) / 2,
                unit=measures.units[a],
            )
        )
    return sides


def quantile(centile: float) -> float:
    """Return how many standard deviations a centile lies from the mean of a normal distribution."""
    return float(scipy.special.ndtri(centile / 100))


def find_spread_between_scans(measures: Measures) -> dict[str, float]:
    """Return {measure: standard deviation of one person's scans} of those measures for which a public figure is known.

    Tables state it beside people's standard deviation, of which it is a part.
    """
    return {
        name: spread
        for name, spread in NAMED.between_scans.items()
        if name in measures.names and measures.ends_of[name] == NAMED.ends_of[name]
    }


def table(rows: list[tuple[dict[str, str], Norm]], measures: Measures) -> Iterator[str]:
    """Yield the lines of measures.csv, a norm table: measure by measure, at each level in turn.

    Parameters
    ----------
    rows : list of (dict, Norm)
        {covariate: word} of a level, "" for everybody, and its norm.
    measures : Measures
        What was measured.
    """
    known, spread = list(rows[0][0]), rows[0][1].sd is not None
    between_scans = find_spread_between_scans(measures) if spread else {}
    header = ["measure", "unit", *known, "mean", "mean_error"]
    header += ["people_sd", "people_sd_error"] * spread
    header += [f"centile_{centile}{error}" for centile in CENTILES for error in ("", "_error")] * spread
    header += [BETWEEN_SCANS] * bool(between_scans)
    yield ",".join(header)
    for at, (name, unit) in enumerate(zip(measures.names, measures.units, strict=True)):
        last = [f"{between_scans[name]:.3g}" if name in between_scans else ""] * bool(between_scans)
        for words, norm in rows:
            numbers = [norm.mean[at], norm.mean_error[at]]
            if norm.sd is not None and norm.sd_error is not None:
                numbers += [norm.sd[at], norm.sd_error[at]]
                for centile in CENTILES:
                    z = quantile(centile)
                    numbers += [norm.mean[at] + z * norm.sd[at], np.hypot(norm.mean_error[at], z * norm.sd_error[at])]
            levels_of = [words[covariate] or "everybody" for covariate in known]
            yield ",".join([name.replace(" ", "_"), unit, *levels_of, *(f"{number:.5g}" for number in numbers), *last])
