"""Learn from a public population how faces vary: modes, harmonics, and held-out coordinates of its people.

Vectors are whole faces (J, 3, m) about a public reference, with ||x||^2 = mean over the points of the squared length.
Modes are the principal directions of their second moment; harmonics fill what the modes leave open. Second moments
come from people whom the modes were not fitted on (folds): fitted ones are too large for the first modes and too small
for the last.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.decomposition import TruncatedSVD

from shapedp.errors import RefusedRelease
from shapedp.mechanisms.shaped import harmonics

FOLDS = 5
LEAST = 10  # people
FITTED = 800  # people whom modes are fitted on, at most: memory; further ones still say how far people lie
POWER_ITERATIONS = 3
RIDGE = 1e-3  # of a harmonic's squared length, in single precision
COARSE = 10  # points for each harmonic, at least: faster ones are not told apart on the points of few curves
OWN = 0.02  # of its squared length must lie outside the modes and slower harmonics, or a harmonic is left out
SEED = 1  # of the randomised decomposition: the same public people give the same modes


@dataclass(frozen=True)
class Learned:
    """modes (q, J, 3, m), orthonormal; harmonics (h, J, 3, m), orthonormal to these and each other; frequencies (h,) of
    these; mean (q + h,) the public mean's coordinates; held_out (p, q + h) coordinates of public people on modes and
    harmonics that they had no part in; outside (p,) squared length of what is left of them.
    """

    modes: np.ndarray
    harmonics: np.ndarray
    frequencies: np.ndarray
    mean: np.ndarray
    held_out: np.ndarray
    outside: np.ndarray


class Axes:
    """Modes (q, N) and harmonics (h, N), taken orthogonal to the modes by Cholesky's factor of what they leave.

    functions : (h, N) orthonormal; ridge : with one, a function that the modes contain gives a short coordinate
    """

    def __init__(self, modes, functions, ridge=0.0):
        self.modes, self.functions = modes, functions
        self.overlap = functions @ modes.T
        self.left = np.eye(len(functions)) - self.overlap @ self.overlap.T
        self.factor = np.linalg.cholesky(self.left + ridge * np.eye(len(functions)))

    def coordinates(self, deviations):
        """(p, q + h) coordinates of deviations (p, N)."""
        a = deviations @ self.modes.T
        left = deviations @ self.functions.T - a @ self.overlap.T
        return np.concatenate([a, solve_triangular(self.factor, left.T, lower=True).T], axis=1)

    def independent(self):
        """Which harmonics the modes, and the harmonics before them, do not all but contain."""
        kept, left = [], self.left.copy()
        for index in range(len(left)):
            if left[index, index] > OWN:
                kept.append(index)
                left -= np.outer(left[index], left[index] / left[index, index])
        return kept

    def orthonormal(self):
        """(h, N) the harmonics, orthonormal and orthogonal to the modes."""
        left = self.functions - self.overlap @ self.modes
        return solve_triangular(self.factor.astype(left.dtype), left, lower=True)


def learn(read_rows, n, reference, modes, count):
    """Learned from n public people; read_rows(start, stop) gives their curves.

    reference : (J, 3, m), public; modes : at most so many; count : of harmonics, each for x, y and z
    """
    if n < LEAST:
        raise RefusedRelease(f"how faces vary is learned from at least {LEAST} public faces, got {n}")
    fitted = min(n, FITTED)
    people = _rows(read_rows, 0, fitted, reference)
    count = min(count, reference.shape[0] * reference.shape[2] // COARSE)
    modes = min(modes, fitted - -(-fitted // FOLDS))
    axes, frequencies = _axes(people, modes, reference.shape, count)
    held = [_held_out(people, part, modes, axes.functions) for part in np.array_split(np.arange(fitted), FOLDS)]
    total = people.sum(axis=0, dtype=float)
    for start in range(fitted, n, FITTED):
        more = _rows(read_rows, start, min(start + FITTED, n), reference)
        held.append(_measured(more, axes))
        total += more.sum(axis=0)
    coordinates, outside = (np.concatenate(parts) for parts in zip(*held, strict=True))
    mean = axes.coordinates((total / n)[None])[0]
    size = math.sqrt(reference.shape[0] * reference.shape[2])  # no numpy scalar: it would double the precision
    whole = [size * part.reshape(-1, *reference.shape) for part in (axes.modes, axes.orthonormal())]
    return Learned(*whole, frequencies, mean, coordinates, outside)


def _rows(read_rows, start, stop, reference):
    """(stop - start, N) deviations, scaled so that the length of a vector is the norm of the face."""
    points = reference.shape[0] * reference.shape[2]
    return ((read_rows(start, stop) - reference) / np.sqrt(points)).astype(np.float32).reshape(stop - start, -1)


def _axes(people, modes, shape, count):
    """(Axes fitted on people, frequencies of their harmonics)."""
    found = _fit(people, modes)
    functions = _orthonormal(harmonics.functions(shape, count).reshape(3 * count, shape[0] * 3 * shape[2]))
    kept = Axes(found, functions, RIDGE).independent()
    return Axes(found, functions[kept]), harmonics.frequencies(count)[kept]


def _orthonormal(rows):
    """Rows (h, N) made orthonormal, each by those before it."""
    factor = np.linalg.cholesky((rows @ rows.T).astype(float))
    return solve_triangular(factor.astype(rows.dtype), rows, lower=True)


def _fit(people, modes):
    """(modes, N) principal directions of the second moment, not of the variance: where the mean lies belongs to it."""
    return TruncatedSVD(modes, n_iter=POWER_ITERATIONS, random_state=SEED).fit(people).components_


def _held_out(people, part, modes, functions):
    """Coordinates of the people in `part`, on axes fitted on all others."""
    others = np.ones(len(people), dtype=bool)
    others[part] = False
    return _measured(people[part], Axes(_fit(people[others], modes), functions, RIDGE))


def _measured(deviations, axes):
    found = axes.coordinates(deviations)
    left = np.einsum("pn,pn->p", deviations, deviations) - np.sum(found**2, axis=1)
    return found, np.maximum(left, 0.0)
