"""How shapes deviate from p0: a second moment from public shapes, or a prior that falls with frequency.

C = (1 - ridge) S + ridge P: S the public shapes' second moment about p0, P of the same trace and diagonal in the axes,
falling as (1 + f)^-FALL along a contour. The ridge is the one with the least E||u||^2 sum sqrt(l_i) over people left
out, the factor by which clip and noise of `choice` grow.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms.deviations import axes as bases
from shapedp.mechanisms.deviations import clipping

FOLDS = 10
OWN = 1e-6  # of people's spread: p0 is the public set's own mean where that lies no farther from it
LEAST = 5  # public shapes; fewer say nothing of directions
RIDGES = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8)
FALL = 4.0
FLOOR = 1e-9  # of the largest moment: an axis in which nobody differs needs no infinite weight
QUANTILE = 0.9  # of people left out whose deviations are not clipped
MARGIN = 1.5  # the clip over the root mean square length, where only a prior is known
TYPICAL = 0.5  # of r: the root mean square deviation that a prior assumes


@dataclass(frozen=True)
class Variation:
    """axes (q, k d) orthonormal, moments (q,) of C along them, falling; held_out (q,) mean squared coordinate of people
    about their own mean, on axes they had no part in; means (q,) squared coordinate of their mean; clips (q,) bound on
    ||u|| for the first 1, 2, ... axes, which moves their mean by the square clipped (q,), one of them by lost (q,) on
    average, and a mean that lies elsewhere by the share pulled (q,); people : how many.
    """

    axes: np.ndarray
    moments: np.ndarray
    held_out: np.ndarray
    means: np.ndarray
    clips: np.ndarray
    clipped: np.ndarray
    lost: np.ndarray
    pulled: np.ndarray
    people: float


def learned(shapes, public, outline):
    """From public records (m, k, d); outline : whether the landmarks follow a closed contour."""
    if len(public) < LEAST:
        raise RefusedRelease(f"{len(public)} public shapes; to learn how shapes vary takes at least {LEAST}")
    basis, frequencies = (bases.along_contour if outline else bases.plain)(shapes)
    x = shapes.deviations(public) @ basis.T
    if not x.any():
        raise RefusedRelease("the public shapes are all the center itself: they do not say how shapes vary")
    ridge = min(RIDGES, key=lambda one: _cost(x, frequencies, one))
    moments, vectors = _moment(x, frequencies, ridge)
    folds = list(_folds(x, frequencies, ridge, _own_mean(x)))
    people = np.concatenate([fold.squares / fold.spread for fold in folds])
    clips = np.quantile(np.concatenate([fold.lengths for fold in folds]), QUANTILE, axis=0, method="higher")
    means = (x.mean(axis=0) @ vectors) ** 2
    cut = clipping.of(folds, clipping.bounds(folds, QUANTILE))
    return Variation(vectors.T @ basis, moments, people.mean(axis=0), means, clips, *cut, len(public))


def prior(shapes, r, outline):
    """Where nothing but p0 and r is public: deviations of root mean square length TYPICAL r."""
    basis, frequencies = (bases.along_contour if outline else bases.plain)(shapes)
    falling = _falling(frequencies)
    order = np.argsort(-falling, kind="stable")
    moments = falling[order] * (TYPICAL * r) ** 2
    clips, none = MARGIN * np.sqrt(np.cumsum(np.sqrt(moments))), np.zeros(len(moments))
    return Variation(basis[order], moments, moments, none, clips, none, none, none, np.inf)


def _falling(frequencies):
    weights = (1.0 + frequencies) ** -FALL
    return weights / weights.sum()


def _moment(x, frequencies, ridge):
    """(eigenvalues of C, falling and none below FLOOR; eigenvectors as columns)."""
    second = x.T @ x / len(x)
    c = (1 - ridge) * second + ridge * np.trace(second) * np.diag(_falling(frequencies))
    values, vectors = np.linalg.eigh(c)
    return np.maximum(values[::-1], FLOOR * values[-1]), vectors[:, ::-1]


def _folds(x, frequencies, ridge, own_mean):
    """The `clipping.Fold`s: people seen from axes that the others give, about p0.

    own_mean : p0 is the public set's own mean, near which its people lie nearer than others do, and within what the
    others span: each is seen from the mean of the others.
    """
    fold = np.arange(len(x)) % min(FOLDS, len(x))
    for number in np.unique(fold):
        others, own = x[fold != number], x[fold == number]
        center = others.mean(axis=0) if own_mean else np.zeros(x.shape[1])
        moments, axes = _moment(others - center, frequencies, ridge)
        yield clipping.Fold(own - center, moments, axes, 1 + own_mean / len(others))


def _own_mean(x):
    return np.linalg.norm(x.mean(axis=0)) < OWN * np.sqrt(np.mean(np.sum(x**2, axis=1)))


def _cost(x, frequencies, ridge):
    """About p0 itself: the mean of five others says less of how people vary."""
    folds = _folds(x, frequencies, ridge, own_mean=False)
    return float(np.mean(np.concatenate([(one.squares / one.roots).sum(axis=1) * one.roots.sum() for one in folds])))
