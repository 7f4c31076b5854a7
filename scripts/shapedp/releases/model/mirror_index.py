"""How far a face is from its mirror image, as one number with its norm: the asymmetry index of its landmarks.

The mirror image of landmarks x (l, 3) has left and right exchanged and is laid on them, by the public reference's own
landmarks. With M that map, and what moves or turns a face taken off, the asymmetry of a face is linear in it,

    a = (x - M x)/2,        index = the root of the mean over the landmarks of |a|^2, mm

(Klingenberg, Barluenga and Meyer 2002). Among people a is normal about that of the mean face, directional asymmetry,
with the covariance that the norm table has, here along the directions in which public people differ most. So the index
is the root of a weighted sum of squares, which is drawn with a fixed seed. Nothing is read but the release.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.releases.model import norms
from shapedp.releases.model.at_landmarks import AtLandmarks
from shapedp.releases.model.released_model import Released

Floats = NDArray[np.float64]
NAME = "asymmetry index"
DRAWS, SEED = 20_000, 0
# Pairs of landmarks below which left and right say little of a whole face.
FEWEST_PAIRS = 3
# Share of the widest direction's variance below which one counts as none.
LEAST = 1e-9


@dataclass(frozen=True)
class AsymmetryNorm:
    """Of everybody's index, mm: mean and standard deviation of people with their errors, and draws of it.

    relative_error : of all that grows with the index; draws : (DRAWS,) sorted
    """

    mean: float
    mean_error: float
    sd: float
    sd_error: float
    relative_error: float
    draws: Floats

    def centile(self, value: float) -> float:
        """Return the share of people, in percent, whose index is below a value."""
        return 100.0 * float(np.searchsorted(self.draws, value)) / len(self.draws)

    def row(self, columns: int, blanks: int = 0) -> str:
        """Return the asymmetry index's line of measures.csv, below those of the distances.

        columns, blanks : how many covariates, and last columns that it has no number for
        """
        numbers = [self.mean, self.mean_error, self.sd, self.sd_error]
        for centile in norms.CENTILES:
            value = float(np.quantile(self.draws, centile / 100))
            numbers += [value, value * self.relative_error]
        cells = [NAME.replace(" ", "_"), "mm", *["everybody"] * columns, *(f"{number:.5g}" for number in numbers)]
        return ",".join([*cells, *[""] * blanks])


def find_pairs(names: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the places of landmarks that lie right and left of each other, by their names."""
    pairs = ((name, f"left {name.removeprefix('right ')}") for name in names if name.startswith("right "))
    return [(names.index(right), names.index(left)) for right, left in pairs if left in names]


def make_operator(names: tuple[str, ...], reference: Floats) -> Floats | None:
    """Return A (3 l, 3 l), by which a face's asymmetry is A x of its landmarks x; None where too few lie in pairs.

    Parameters
    ----------
    names : tuple of str
        Of the landmarks.
    reference : (l, 3) array
        Where they lie on the public reference.
    """
    if len(pairs := find_pairs(names)) < FEWEST_PAIRS:
        return None
    exchanged = np.arange(len(names))
    for right, left in pairs:
        exchanged[right], exchanged[left] = left, right
    about = reference - reference.mean(axis=0)
    flipped = about[exchanged] * [-1.0, 1.0, 1.0]
    turn = scipy.spatial.transform.Rotation.align_vectors(about, flipped)[0].as_matrix()
    mirror = np.kron(np.eye(len(names))[exchanged], turn * [-1.0, 1.0, 1.0])
    moves = [np.tile(axis, (len(names), 1)) for axis in np.eye(3)]
    turns = [np.cross(axis, about) for axis in np.eye(3)]
    rigid = np.linalg.qr(np.array([*moves, *turns]).reshape(6, -1).T)[0]
    identity = np.eye(len(mirror))
    return (identity - rigid @ rigid.T) @ (identity - mirror) / 2


def measure_index(operator: Floats, points: Floats) -> float:
    """Return one face's asymmetry index, how far it is from its mirror image, to set it beside the norm of `find_norm`.

    Parameters
    ----------
    operator : (3 l, 3 l) array
        As of `make_operator`.
    points : (l, 3) array
        Its landmarks, mm.
    """
    return float(np.linalg.norm(operator @ points.ravel()) / np.sqrt(len(points)))


def find_norm(model: Released, known: AtLandmarks) -> AsymmetryNorm | None:
    """Return the norm of everybody's asymmetry index, to judge one face's by; None of too few paired landmarks.

    Parameters
    ----------
    model : Released
        A model of faces, mm.
    known : AtLandmarks
        What lies beside it.
    """
    measures, count = known.measures, len(known.names)
    operator = make_operator(known.names, measures.points(model.reference))
    if operator is None:
        return None
    covariance = known.public.reshape(3 * count, 3 * count)
    values, directions = np.linalg.eigh(operator @ covariance @ operator.T)
    directions = directions[:, values > LEAST * values[-1]]
    rows = (directions.T @ operator).reshape(-1, count, 3)
    estimator = norms.AlongAxes(model, known, model.average, of_everybody=True)
    spread, spread_errors = estimator.people(rows)
    unsure = estimator.unsure(rows)
    directional = directions.T @ (operator @ measures.points(model.mean).ravel())
    squares = float(directional @ directional)
    # Noise and chance lengthen the asymmetry of the mean.
    shortened = directional * np.sqrt(max(squares - float(unsure.sum()), 0.0) / max(squares, np.finfo(float).tiny))
    normals = np.random.default_rng(SEED).standard_normal((DRAWS, len(rows)))
    draws = np.sort(np.linalg.norm(shortened + normals * np.sqrt(spread), axis=1) / np.sqrt(count))
    whole = float(spread.sum() + shortened @ shortened)
    # Errors of the variances count as if all went the same way: public people are too wide or too narrow as a whole.
    of_spread = float(spread_errors.sum())
    of_mean = float(np.sqrt(np.sum(4 * shortened**2 * unsure + 2 * unsure**2)))
    relative = float(np.hypot(of_spread, of_mean)) / (2 * whole)
    mean, sd = float(draws.mean()), float(draws.std())
    return AsymmetryNorm(mean, mean * relative, sd, sd * of_spread / (2 * float(spread.sum())), relative, draws)
