"""Norm tables of a released face model or mean: distances and angles by name, at levels of the covariates.

Along the modes that are shown, a release tells how landmarks move together. Of what these leave it tells how far people
lie at each point, and of noise how far that moves the mean there: how two points go together in these is taken from the
packed model of real people, which is public. With g_a the gradient of a measure f in landmark a, m_k the mode k times
its standard deviation, L_a the covariance that is left at landmark a, and P that of public people's landmarks less what
lies along the modes,

    var f = sum_k (sum_a g_a' m_ka)^2 + sum_a g_a' L_a g_a  x  g' P g / sum_a g_a' P_aa g_a:

the last is what it would be were landmarks independent, times what that is wrong by among public people. For noise, P
is that of noise which has along each public mode people's standard deviation for its variance, as `shaped` has it.

The distance of two landmarks of the mean face is not the mean of people's distances: a person's |d| exceeds it by
about tr(Q S) / 2|d|, with S the covariance of d among people and Q = I - dd'/|d|^2 across d. That is added; what noise
and chance add to the released |d| in the same way is taken off. Angles are left as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base.errors import ArtifactError
from shapedp.releases.model.compared import ReleasedMean
from shapedp.releases.model.released_model import Released
from shapedp.surfaces.human_face import real_faces
from shapedp.surfaces.human_face.distances import MEASURES, VERTICES, Measures

Floats = NDArray[np.float64]
CENTILES = (3, 10, 25, 50, 75, 90, 97)
FEWEST = 3  # landmarks that a frame takes


@dataclass(frozen=True)
class Norm:
    """Of each measure (q,): mean of people, how much that errs by noise and chance, people's standard deviation, how
    much that errs; the last two None of a mean face, whose release tells nothing of people's spread.
    """

    mean: Floats
    mean_error: Floats
    sd: Floats | None
    sd_error: Floats | None


def of_model(model: Released, measures: Measures, contrast: Floats) -> Norm:
    """Return the norm at z = contrast.

    Parameters
    ----------
    model : Released
        A model of faces, mm.
    measures : Measures
        What is measured, on the template of the model.
    contrast : (1 + p,) array
        1 and the coded covariates.
    """
    parts = _Landmarks(model.at(contrast), measures)
    along = model.sd[: model.shown, None, None, None] * model.modes[: model.shown]
    people = model.residual + model.outside - np.einsum("kjcm,kjdm->jmcd", along, along)
    noise, share = model.noise_covariance(contrast), float(contrast @ model.inverse @ contrast)
    spread = parts.variances(people, along)
    sd = np.sqrt(spread)
    # noise on an entry of the third moment moves a variance by s3/n times the squared length of the measure's gradient
    # along the coordinates, and that follows from what the noise on the first moment does to the mean of everybody
    s1, _, s3 = model.moment_noise
    moved = parts.variances(model.noise_parts[0, 0], of_noise=True) * model.people * s3 / s1**2
    return Norm(
        mean=parts.values + (1 - share) * parts.beyond(people, along) - parts.beyond(noise, of_noise=True),
        mean_error=np.sqrt(parts.variances(noise, of_noise=True) + share * spread),
        sd=sd,
        sd_error=np.hypot(np.sqrt(spread + moved) - sd, sd / np.sqrt(2 * model.people)),
    )


def of_mean(released: ReleasedMean, measures: Measures) -> Norm:
    """Return the norm of a released mean face: at each point noise and chance count alike in all directions.

    Parameters
    ----------
    released : ReleasedMean
        A mean face, mm.
    measures : Measures
        What is measured, on the template of the release.
    """
    parts, each = _Landmarks(released.mean, measures), np.eye(3) / 3
    noise, chance = released.noise * each, np.zeros_like(released.noise) * each
    if released.sampling is not None:
        chance = released.sampling * each
    mean = parts.values + (released.people - 1.0) * parts.beyond(chance)
    unsure = parts.variances(noise, of_noise=True) + parts.variances(chance)
    return Norm(mean - parts.beyond(noise, of_noise=True), np.sqrt(unsure), None, None)


class _Landmarks:
    """The landmarks of one face (J, 3, m), and what covariances at points say of its measures."""

    def __init__(self, face, measures):
        if len(measures.landmarks) < FEWEST:
            raise ArtifactError(
                f"the template carries {len(measures.landmarks)} of {len(VERTICES)} landmarks of public faces, so "
                "that nothing is measured between them; a template that shows a whole face carries more"
            )
        self.measures = measures
        self.values = measures.values(face)
        self.points = measures.points(face)
        self.gradients = measures.in_landmarks(face)
        self.turn = self._turn()

    def variances(self, at_points, along=None, of_noise=False):
        """(q,) of the measures, from fields (k, J, 3, m) along which all moves together, and covariances (J, m, 3, 3)
        at the points beside these, which count as 0 where noise made them less.
        """
        moved = self._moved(along)
        blocks, (alone, public) = self._at_landmarks(at_points), self._public(moved, of_noise)
        own, others = (np.einsum("qlc,lcd,qld->q", self.gradients, one, self.gradients) for one in (blocks, alone))
        together = np.einsum("qac,abcd,qbd->q", self.gradients, public, self.gradients)
        inside = np.sum(np.einsum("qac,kac->qk", self.gradients, moved) ** 2, axis=1)
        return inside + np.maximum(own, 0.0) * together / others

    def beyond(self, at_points, along=None, of_noise=False):
        """(q,) by how much people's mean distance exceeds that in the mean face, tr(Q S) / 2|d|; 0 of angles."""
        moved = self._moved(along)
        blocks, (alone, public) = self._at_landmarks(at_points), self._public(moved, of_noise)
        found = np.zeros(len(self.values))
        for row, name in enumerate(self.measures.names):
            if len(MEASURES[name]) == 2:
                a, b = (self.measures.landmarks.index(end) for end in MEASURES[name])
                towards = (self.points[a] - self.points[b]) / self.values[row]
                across = np.eye(3) - np.outer(towards, towards)
                own, others = (float(np.sum(across * (one[a] + one[b]))) for one in (blocks, alone))
                together = others - float(np.sum(across * (public[a, b] + public[b, a])))
                inside = float(np.sum(((moved[:, a] - moved[:, b]) @ across) ** 2))
                found[row] = (inside + max(own, 0.0) * together / others) / (2 * self.values[row])
        return found

    def _moved(self, along):
        """(k, l, 3) of the landmarks, by fields at the points."""
        return np.zeros((0, *self.points.shape)) if along is None else self.measures.points(along)

    def _at_landmarks(self, at_points):
        return np.einsum("ljm,jmcd->lcd", self.measures.weights, at_points)

    def _public(self, moved, of_noise):
        """((l, 3, 3), (l, l, 3, 3)) covariances of public landmarks less what lies along `moved` (k, l, 3), in this
        face's frame: of each landmark, and of all together.
        """
        public = (_landmarks(self.measures.landmarks, of_noise) @ self.turn.T).reshape(-1, self.points.size)
        along = np.linalg.qr(moved.reshape(len(moved), self.points.size).T)[0]
        left = (public - (public @ along) @ along.T).reshape(-1, *self.points.shape)
        together = np.einsum("kac,kbd->abcd", left, left)
        return np.einsum("aacd->acd", together), together

    def _turn(self):
        """(3, 3) from the public people's frame to this face's."""
        public = real_faces.template()[[VERTICES[name] for name in self.measures.landmarks]]
        ours, theirs = self.points - self.points.mean(axis=0), public - public.mean(axis=0)
        return scipy.spatial.transform.Rotation.align_vectors(ours, theirs)[0].as_matrix()


@cache
def _landmarks(landmarks, of_noise):
    """(k, l, 3) how each public mode moves the landmarks, or noise that is shaped as these modes are."""
    fields = _shapes()
    if of_noise:
        lengths = np.sqrt(np.mean(np.sum(fields**2, axis=2), axis=1))
        fields = fields / np.sqrt(lengths)[:, None, None]
    return fields[:, [VERTICES[name] for name in landmarks]]


@cache
def _shapes():
    """(k, n, 3) public modes less what moves, turns or sizes a face, which no registered face shows."""
    modes, mean = real_faces.modes(), real_faces.template()
    about = mean - mean.mean(axis=0)
    moves = [np.tile(axis, (len(about), 1)) for axis in np.eye(3)]
    turns = [np.cross(axis, about) for axis in np.eye(3)]
    common = np.linalg.qr(np.array([*moves, *turns, about]).reshape(7, -1).T)[0]
    flat = modes.reshape(len(modes), -1)
    return (flat - (flat @ common) @ common.T).reshape(modes.shape)


def levels(model: Released) -> Iterator[tuple[dict[str, str], Floats]]:
    """({covariate: word}, z) of everybody, and of each level of the covariates with each other: both levels of one that
    has two, and both ends and the middle of a range.
    """
    yield dict.fromkeys((one.name for one in model.covariates), ""), model.average
    if not model.covariates:
        return
    ends = [
        [(one.ends[0], -1.0), *([] if one.levels else [(f"{one.middle:g}", 0.0)]), (one.ends[1], 1.0)]
        for one in model.covariates
    ]
    for chosen in product(*ends):
        words = {one.name: word for one, (word, _) in zip(model.covariates, chosen, strict=True)}
        yield words, np.array([1.0, *(number for _, number in chosen)])


def table(rows: list[tuple[dict[str, str], Norm]], measures: Measures) -> Iterator[str]:
    """Yield lines of measures.csv: measure by measure, at each level in turn.

    Parameters
    ----------
    rows : list of (dict, Norm)
        {covariate: word} of a level, "" for everybody, and its norm.
    measures : Measures
        What was measured.
    """
    known, spread = list(rows[0][0]), rows[0][1].sd is not None
    header = ["measure", "unit", *known, "mean", "mean_error"]
    header += ["people_sd", "people_sd_error"] * spread
    header += [f"centile_{one}{error}" for one in CENTILES for error in ("", "_error")] * spread
    yield ",".join(header)
    for at, (name, unit) in enumerate(zip(measures.names, measures.units, strict=True)):
        for words, norm in rows:
            numbers = [norm.mean[at], norm.mean_error[at]]
            if norm.sd is not None and norm.sd_error is not None:
                numbers += [norm.sd[at], norm.sd_error[at]]
                for one in CENTILES:
                    z = scipy.special.ndtri(one / 100)
                    numbers += [norm.mean[at] + z * norm.sd[at], np.hypot(norm.mean_error[at], z * norm.sd_error[at])]
            levels_of = [words[one] or "everybody" for one in known]
            yield ",".join([name.replace(" ", "_"), unit, *levels_of, *(f"{one:.5g}" for one in numbers)])
