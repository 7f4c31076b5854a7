"""What is set beside each other: two or more released means, models or changes, made at the same points.

Of a mean face the release gives how far noise moves each point, and not in which direction: only the variance T of the
length of a difference is known. Whatever the directions, a Gaussian vector with E|d|^2 = T is longer than |d| with no
more than the chance that chi-square with one degree of freedom exceeds |d|^2/T, wherever that chance is below .215
(Székely and Bakirov 2003, Extremal probabilities for Gaussian quadratic forms, Probab. Theory Relat. Fields 126). So
that is the p-value of a point.

Chance in who took part is not in the release of a mean. Beside it `drawn.h5` has the variances of public people along
the directions that were released, from which, with the public n, it follows: of shapes at each landmark; of a face, the
directions of which are not in the file, in the mean over the points, and it is laid over the face as the noise is.

Several models are first tested with the known noise: do their means differ at all? That is T of docs/mathematics.md,
(14.3), along the leading public axes, over the shifted chi-square that has its first three cumulants (Hall, Buckley and
Eagleson). Then come every two of them, at one false discovery rate.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError
from shapedp.privacy.manifolds import marks
from shapedp.releases.kinds.change import released as released_change
from shapedp.releases.kinds.change.released import AVERAGE, ReleasedChange
from shapedp.releases.model import released_model
from shapedp.releases.model.effects import quadratic
from shapedp.releases.model.released_model import RATE, Comparison, Released, compare_means, discoveries
from shapedp.releases.model.shapes import as_curve, as_landmarks

# Of the largest coordinate, up to which two machines agree about a public reference.
SAME_PLACE = 1e-6
# At which the p-value of several groups is averaged over what its scale errs by.
NODES = 9


@dataclass(frozen=True)
class ReleasedMean(released_model.Lengths):
    """mean (J, 3, m) in mm, noise and sampling (J, m, 1, 1) variances of the length in mm^2; or of a shape (1, d, k),
    in radian, noise and sampling (1, k, d, d) covariances; sampling : None where it is not known; reference : the
    public center of a shape, else None; people : n; radii : None for landmarks; size : of the template, mm; drawn :
    fields of `drawn.h5`, None without it
    """

    mean: NDArray[np.float64]
    noise: NDArray[np.float64]
    sampling: NDArray[np.float64] | None
    people: float
    radii: NDArray[np.float64] | None
    settings: Mapping[str, Any]
    reference: NDArray[np.float64] | None = None
    size: float = 1.0
    drawn: Mapping[str, Any] | None = None

    average = AVERAGE

    def covariances(self, contrast: NDArray[np.float64] = AVERAGE) -> tuple[NDArray, NDArray]:
        """Return (noise, sampling), the latter 0 where it is not known."""
        return self.noise, np.zeros_like(self.noise) if self.sampling is None else self.sampling

    def covariance(self, contrast: NDArray[np.float64] = AVERAGE) -> NDArray[np.float64]:
        """Return the covariance of noise and sampling together."""
        return sum(self.covariances())

    def along(self, count: int) -> "ReleasedMean":
        """Return the mean shape as drawn along its first axes alone, to be compared with one of fewer axes."""
        center, (values, noise, spread, axes) = as_landmarks(self.reference), self.drawn.values()
        axes = axes[:count].astype(float).reshape(-1, *center.shape)
        known = self.people and is_told_of_people(spread[:count])
        return replace(
            self,
            mean=as_curve(center + np.tensordot(values[:count], axes, axes=1)),
            noise=_along(noise[:count] ** 2, axes)[None],
            sampling=_along(spread[:count], axes)[None] / self.people if known else None,
        )

    @property
    def cautions(self) -> list[str]:
        """Return what a reader must know of a comparison with this mean, in words, such as chance that is not
        counted.
        """
        chance = "chance in who took part is not counted, since the release says nothing about it"
        if self.sampling is not None:
            laid = ", laid over the face as the noise is" * (self.radii is not None)
            chance = f"chance in who took part is counted as public people differ along the released directions{laid}"
        drawn = "the mean is drawn towards public people's, so that groups may differ by more than is shown"
        pure = "the noise is not normal, but counted as if it were: p-values are rough"
        return [
            chance,
            *[drawn] * (self.drawn is not None and self.radii is not None),
            *[pure] * ("epsilon" in self.settings["budget"]),
        ]


Comparable = Released | ReleasedChange | ReleasedMean


def read(release: Path | str) -> Comparable:
    """Return the released mean, model or change of a folder or file, to be compared with others."""
    path = Path(release)
    if not path.exists():
        raise ArtifactError(f"{path}: no such file or folder; give the folder of a release")
    if path.is_dir():
        path = next((path / name for name, _, _ in READ if (path / name).is_file()), path)
        if path.is_dir():
            raise ArtifactError(f"{path}: holds no release that can be compared; {WANTED}")
    kind_name = artifacts.header(path)[0]
    readers = [reader for _, kind, reader in READ if kind.name == kind_name]
    if not readers:
        raise ArtifactError(f"{path}: holds '{kind_name}', which cannot be compared; {WANTED}")
    return readers[0](path)


def match_releases(models: Sequence[Comparable], names: Sequence[Any]) -> list[Comparable]:
    """Return releases that may be compared, means of shapes along the axes that all of them have.

    What cannot be set beside the first of them is refused: of another kind, or at other points.

    Parameters
    ----------
    models : sequence of Released, ReleasedChange or ReleasedMean
        What was read.
    names : sequence
        What each is called in an error.
    """
    first, start = models[0], names[0]
    for other, name in zip(models[1:], names[1:], strict=True):
        if type(first) is not type(other) or (first.radii is None) != (other.radii is None):
            raise ArtifactError(
                f"{name}: is not a release of the same kind as {start}; compare means, models, or changes, of "
                "faces or of landmarks"
            )
        if not _are_of_same_points(first, other):
            has = "landmarks or another public center" if first.radii is None else "curves or another template"
            raise ArtifactError(f"{name}: has other {has} than {start}; compare releases made with the same settings")
        if isinstance(first, ReleasedChange) and isinstance(other, ReleasedChange):
            mine, others = _describe_change(first.settings), _describe_change(other.settings)
            if mine != others:
                raise ArtifactError(f"{start} is {mine}, {name} is {others}; compare changes of one kind and unit")
    return _along_the_same_axes(models)


def _along_the_same_axes(models):
    """Return releases to compare, means of shapes cut to the axes that all have, since another n releases others."""
    drawn_fields = [getattr(release, "drawn", None) for release in models]
    if models[0].radii is not None or None in drawn_fields:
        return list(models)
    axes = [release["axes"][: min(len(fields["axes"]) for fields in drawn_fields)] for release in drawn_fields]
    # Releases of other n release other numbers of axes; along the first of them all can be compared.
    are_same = all(np.allclose(release, axes[0], rtol=0, atol=SAME_PLACE) for release in axes)
    return [release.along(len(axes[0])) for release in models] if are_same else list(models)


def _describe_change(settings):
    """Return what a change is of, in words."""
    per = "".join(f" per unit of {covariate['name']}" for covariate in settings.get("per", ()))
    return f"`kind: {settings['kind']}`{per}"


def _are_of_same_points(first, other):
    """Return whether two releases are of the same points about the same public reference, so that they compare."""
    if first.mean.shape != other.mean.shape:
        return False
    for first_value, other_value in (
        (getattr(release, name, None) for release in (first, other)) for name in ("reference", "radii", "size")
    ):
        if first_value is not None and not np.allclose(
            first_value, other_value, rtol=0, atol=SAME_PLACE * np.max(np.abs(first_value))
        ):
            return False
    return True


def _model(path):
    """Return a released model of faces or of shapes."""
    return released_model.read(path)[0]


def mean_face(path: Path) -> ReleasedMean:
    """Return a released mean face, with what is known of its error, to be compared or tabulated."""
    with artifacts.reader(path, artifacts.MEAN_FACE) as source:
        curves, noise, radii, scale, settings = (
            source[name] for name in ("curves", "noise_mm", "radii", "scale", "settings")
        )
    noise, people, drawn = _require_noise(path, noise**2), _people(path), _read_drawn(path)
    sampling = None
    if people and drawn and is_told_of_people(drawn["spread"]):
        # The directions of a face are not in the file, so chance is known in the mean over the points alone.
        sampling = noise / np.mean(noise) * np.sum(drawn["spread"]) * scale**2 / people
        sampling = sampling[..., None, None]
    return ReleasedMean(
        mean=curves * scale,
        noise=noise[..., None, None],
        sampling=sampling,
        people=people,
        radii=radii,
        settings=json.loads(settings),
        size=float(scale),
        drawn=drawn,
    )


def mean_shape(path: Path) -> ReleasedMean:
    """Return a released mean shape, with what is known of its error, to be compared or tabulated.

    Where `drawn.h5` has it, it is as it was drawn: before anything was shrunk.
    """
    with artifacts.reader(path, artifacts.RELEASED_SHAPE) as source:
        landmarks, center, noise, settings = (
            source[name] for name in ("landmarks", "center", "noise_covariance", "settings")
        )
    if not np.isfinite(center).all():
        raise ArtifactError(
            f"{path}: has no public center, and means of landmarks can only be compared about one; compare releases "
            "that have one"
        )
    mean = ReleasedMean(
        mean=as_curve(landmarks),
        noise=_require_noise(path, noise)[None],
        sampling=None,
        people=_people(path),
        radii=None,
        settings=json.loads(settings),
        reference=as_curve(center),
        drawn=_read_drawn(path),
    )
    # What was shrunk towards the center would differ by less than people do.
    return mean if mean.drawn is None else mean.along(len(mean.drawn["values"]))


def _along(variances, axes):
    """Return (k, d, d) the covariance at each landmark of independent variances (q,) along axes (q, k, d)."""
    return np.einsum("q,qkd,qke->kde", variances, axes, axes)


def _require_noise(path, noise):
    """Return the size of a release's noise; refuse one that withholds it, since no difference from it is sure."""
    if np.isnan(noise).any():
        raise ArtifactError(
            f"{path}: withholds the size of its noise, so nothing can be concluded from it; compare other releases"
        )
    return noise


def is_told_of_people(spread: NDArray[np.float64]) -> bool:
    """Return whether public people tell how far persons lie: without any, the variances are NaN or 0."""
    return bool(np.isfinite(spread).all() and np.any(spread))


def _people(path):
    """Return n, which the statement beside a release says; 0 without it."""
    stated = path.with_name("statement.json")
    return json.loads(stated.read_text(encoding="utf-8"))["release"]["n"] if stated.is_file() else 0


def _read_drawn(path):
    """Return what `drawn.h5` beside a mean tells a comparison: chance by public people's spread; None without it.

    Shapes are also compared by its noised values, which nothing has shrunk; faces are compared as published.
    """
    drawn_path = path.with_name("drawn.h5")
    if not drawn_path.is_file():
        return None
    with artifacts.reader(drawn_path, artifacts.DRAWN) as source:
        return {name: source[name] for name in ("values", "noise", "spread", "axes")}


READ = (
    (released_model.FACE_FILE, artifacts.FACE_MODEL, _model),
    (released_model.SHAPE_FILE, artifacts.SHAPE_MODEL, _model),
    (released_change.FILE, artifacts.FACE_CHANGE, released_change.read),
    (released_change.SHAPE_FILE, artifacts.SHAPE_CHANGE, released_change.read),
    ("mean_face.h5", artifacts.MEAN_FACE, mean_face),
    ("mean_shape.h5", artifacts.RELEASED_SHAPE, mean_shape),
)
WANTED = f"name releases with {', '.join(name for name, _, _ in READ)}"


@dataclass(frozen=True)
class Group:
    """What the test takes of a group. mean (l,) along the axes; noise, residual (l, l) covariances of its noise, and of
    people; people : n; moment_noise (l, l) : standard deviations of the noise on entries of the residual
    """

    mean: NDArray[np.float64]
    noise: NDArray[np.float64]
    residual: NDArray[np.float64]
    people: float
    moment_noise: NDArray[np.float64]

    @classmethod
    def from_model(cls, model: Released, count: int) -> "Group":
        """Return a released model's people as a group of the test of equal means, along `count` leading axes."""
        g = model.inverse @ model.average
        s1, s2, s3 = np.where(np.isfinite(model.moment_noise), model.moment_noise, 0)
        length, effects = model.coordinate_noise[:count], model.coordinates[:, :count]
        noise = s1**2 * (g @ g) * np.diag(length**2) + effects.T @ quadratic(g, s2) @ effects
        # The mean's lengths hold what a clip leaves unsure of the mean, which the noise on the third sum has not.
        off = s3 / model.people * np.outer(model.coordinate_unit[:count], model.coordinate_unit[:count])
        off = np.where(np.eye(count), off, off / np.sqrt(2))
        return cls(model.average @ effects, noise, model.coordinate_residual[:count, :count], model.people, off)


@dataclass(frozen=True)
class Tested:
    """T over its mean, which is 1 if all means are equal; the degrees of freedom of a chi-square as wide; p-value."""

    statistic: float
    degrees: float
    p_value: float


def test(groups: Sequence[Group]) -> Tested:
    """Return the test of whether groups' means are equal: T over its mean, and its law if they are, noise counted."""
    n, means, noise, raw, moment_noise = (
        np.array([getattr(group, name) for group in groups], dtype=float)
        for name in ("people", "mean", "noise", "residual", "moment_noise")
    )
    covariances = noise + raw / n[:, None, None]
    traces = np.trace(covariances, axis1=1, axis2=2)
    if not np.all(traces > 0):
        raise ArtifactError(
            "compare: in one of the models noise hides how far people differ from each other; leave that model out"
        )
    w = 1 / traces
    deviations = means - w @ means / w.sum()
    a = np.diag(w) - np.outer(w, w) / w.sum()
    expected = float(np.diag(a) @ traces)
    # tr R^2 without what noise on M3 adds to it, and then without what chance adds; so tr S^2
    with_chance = np.sum(raw**2, axis=(1, 2)) - np.sum(moment_noise**2, axis=(1, 2))
    residual_squares = np.maximum((with_chance - np.trace(raw, axis1=1, axis2=2) ** 2 / n) / (1 + 1 / n), 0.0)
    squares = np.einsum("gij,hji->gh", covariances, covariances)
    of_noise = np.sum(noise**2, axis=(1, 2)) + 2 * np.sum(noise * raw, axis=(1, 2)) / n
    np.fill_diagonal(squares, of_noise + residual_squares / n**2)
    cubes = np.einsum("gh,hk,kg,gij,hjl,kli->", a, a, a, covariances, covariances, covariances, optimize=True)
    variance, third = 2 * float(np.sum(a**2 * squares)), 8 * float(cubes)
    of_traces = (2 * np.maximum(with_chance, 0.0) / n + np.einsum("gii->g", moment_noise**2)) / n**2  # their variances
    unsure = np.sqrt(np.diag(a) ** 2 @ of_traces) / expected
    statistic = float(w @ np.sum(deviations**2, axis=1)) / expected
    nodes, weight = scipy.special.roots_hermitenorm(NODES)
    values = statistic * np.maximum(1 + unsure * nodes, 0.0) * expected
    # Of the shifted chi-square with this mean, variance and third cumulant.
    degrees = 8 * variance**3 / third**2
    shifted = degrees + (values - expected) * np.sqrt(2 * degrees / variance)
    tails = scipy.special.chdtrc(degrees, np.maximum(shifted, 0.0))
    return Tested(statistic, 2 * expected**2 / variance, float(weight @ tails / weight.sum()))


def compare_models(models: Sequence[Released]) -> Tested:
    """Return the test of whether the means of released models are equal, along the axes that all of them have."""
    if not all(marks.are_alike_in_hex(models[0].axes, model.axes) for model in models[1:]):
        raise ArtifactError(
            "compare: these models were not made with the same public set, so that their axes differ, or one is "
            "older and names its axes in another way; make them in one run, with the same faces.bounds and "
            "faces.variation"
        )
    count = min(len(model.coordinate_noise) for model in models)
    return test([Group.from_model(model, count) for model in models])


def compare_pairs(models: Sequence[Released], rate: float = RATE) -> list[tuple[int, int, Comparison]]:
    """Return (first, second, Comparison) of every two models, with false discoveries bounded over all pairs together.

    Parameters
    ----------
    models : sequence of Released
        Of one template.
    rate : float
        One false discovery rate for all points of all pairs.
    """
    index_pairs = list(combinations(range(len(models)), 2))
    comparisons = [compare_means(models[first], models[second]) for first, second in index_pairs]
    exceeding = np.split(
        discoveries(np.concatenate([comparison.p_values for comparison in comparisons]), rate), len(comparisons)
    )
    return [
        (*pair, replace(comparison, exceeds=exceeds))
        for pair, comparison, exceeds in zip(index_pairs, comparisons, exceeding, strict=True)
    ]
