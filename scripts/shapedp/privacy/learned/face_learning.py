"""Learn from a public population how faces vary: modes, harmonics, and held-out coordinates of its people.

Vectors are whole faces (J, 3, m) about a public reference, with ||x||^2 = mean over the points of the squared length.
Modes are the principal directions of their second moment; harmonics fill what the modes leave open. Second moments
come from people whom the modes were not fitted on (folds): fitted ones are too large for the first modes and too small
for the last. Faces are kept in single precision and multiplied in double, and modes are those of `manifolds.axes`, so
that the same faces teach the same on every processor.

Harmonics are smooth functions on the disk of curves, its Neumann eigenfunctions from slow to fast:
h(rho, theta) = J_k(z rho) cos(k theta) or sin(k theta), z a zero of J_k' : smooth at the nose, where rho = 0, and flat
at the rim. rho = j/J counts curves, so that with curves at equal steps of arc the functions are as smooth on the face
as on the disk. Each stands for x, y and z.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.manifolds import axes as canonical

FOLDS = 5
# Fewest people that anything is learned from.
LEAST = 10
# People whom modes are fitted on, at most, for want of memory; further ones still say how far people lie.
FITTED = 800
# Of the largest squared length along a mode: what is shorter is rounding.
SOUND = 1e-9
# Of a person's squared length: as little outside the axes is rounding of these, and counts as none.
NOTHING = 1e-6
# Numbers of a face whose products are summed at once, in double precision.
BLOCK = 4096
# Of a harmonic's squared length, in single precision.
RIDGE = 1e-3
# Points for each harmonic, at least: faster ones are not told apart on the points of few curves.
COARSE = 10
# Of a laboratory's own public people beside drawn ones, that are tried.
WEIGHTS = 1, 2, 4, 8, 16, 32, 64, 128
# Of its squared length must lie outside the modes and slower harmonics, or a harmonic is left out.
OWN = 0.02


@dataclass(frozen=True)
class Learned:
    """What public people teach of how faces vary.

    modes : (q, J, 3, m), orthonormal; harmonics : (h, J, 3, m), orthonormal to these and each other
    frequencies : (h,) of the harmonics; mean : (q + h,) the public mean's coordinates
    held_out : (p, q + h) coordinates of public people on modes and harmonics that they had no part in
    outside : (p,) squared length of what is left of them
    """

    modes: np.ndarray
    harmonics: np.ndarray
    frequencies: np.ndarray
    mean: np.ndarray
    held_out: np.ndarray
    outside: np.ndarray


class Axes:
    """Modes (q, N), and harmonics (h, N) taken orthogonal to them by Cholesky's factor of what they leave.

    functions : (h, N) orthonormal; ridge : with one, a function that the modes contain gives a short coordinate
    """

    def __init__(self, modes, functions, ridge=0.0):
        self.modes, self.functions = modes, functions
        self.overlap = _products(functions, modes)
        self.left = np.eye(len(functions)) - self.overlap @ self.overlap.T
        self.factor = np.linalg.cholesky(self.left + ridge * np.eye(len(functions)))

    def coordinates(self, deviations):
        """Return coordinates (p, q + h) of public faces' deviations (p, N) along modes and harmonics, to learn from."""
        a = _products(deviations, self.modes)
        products_left = _products(deviations, self.functions) - a @ self.overlap.T
        return np.concatenate([a, scipy.linalg.solve_triangular(self.factor, products_left.T, lower=True).T], axis=1)

    def independent(self):
        """Return which harmonics add something: the modes and slower harmonics do not all but contain them."""
        indices, products_left = [], self.left.copy()
        for index in range(len(products_left)):
            if products_left[index, index] > OWN:
                indices.append(index)
                products_left -= np.outer(products_left[index], products_left[index] / products_left[index, index])
        return indices

    def orthonormal(self):
        """Return the harmonics (h, N), orthonormal and orthogonal to the modes."""
        return _orthonormalise(self.factor, self.functions, self.overlap, self.modes)


# A request's digest has what is learned: no byte of it may follow from the number of threads.
@threadpool_limits.wrap(limits=1)
def learn(read_rows, n, reference, modes, count, alike=None, own=0):
    """Return what public people teach of how faces vary: axes, and held-out coordinates that bounds are taken from.

    Parameters
    ----------
    read_rows : callable
        (start, stop) -> their curves (stop - start, J, 3, m).
    n : int
        How many there are.
    reference : (J, 3, m) array
        Public, what they are compared with.
    modes : int
        At most so many.
    count : int
        Of harmonics, each for x, y and z.
    alike : (p, J, 3, m) array or None
        Further public deviations that the modes are fitted on besides, brought to people's spread: few people's
        changes, say, and many people's faces. Second moments and lengths are the n people's alone.
    own : int
        The first so many are a laboratory's own beside people drawn from a model; each counts as `choose_own_weight`
        says.

    Returns
    -------
    Learned
    """
    if n < LEAST:
        raise RefusedRelease(f"how faces vary is learned from at least {LEAST} public faces, got {n}")
    fit_count = min(n, FITTED)
    people = _rows(read_rows, 0, fit_count, reference)
    count = min(count, reference.shape[0] * reference.shape[2] // COARSE)
    further_rows = _read_further_people(people, reference, alike)
    modes = min(modes, fit_count - -(-fit_count // FOLDS) + len(further_rows))
    everybody = np.concatenate([people, further_rows])
    products = _products(everybody, everybody)
    weights = np.ones(len(everybody), dtype=int)
    weights[: min(own, fit_count)] = choose_own_weight(products[:fit_count, :fit_count], min(own, fit_count), modes)
    root = np.sqrt(weights)[:, None]
    everybody, products, weights = root.astype(np.float32) * everybody, root * products * root.T, weights[:fit_count]
    axes, frequencies = _make_axes(_fit(everybody, products, modes), reference.shape, count)
    measured_parts = []
    for part in np.array_split(np.arange(fit_count), FOLDS):
        # A person whom the modes were fitted on lies too near to them: lengths are of people left out.
        other_rows = np.delete(np.arange(len(everybody)), part)
        modes_of_others = _fit(everybody[other_rows], products[np.ix_(other_rows, other_rows)], modes)
        measured = _measure_held_out(people[part], Axes(modes_of_others, axes.functions, RIDGE))
        measured_parts.append([np.repeat(values, weights[part], axis=0) for values in measured])
    total = (weights[:, None] * people).sum(axis=0, dtype=float)
    for start in range(fit_count, n, FITTED):
        rows = _rows(read_rows, start, min(start + FITTED, n), reference)
        measured_parts.append(_measure_held_out(rows, axes))
        total += rows.sum(axis=0)
    coordinates, outside = (np.concatenate(parts) for parts in zip(*measured_parts, strict=True))
    mean = axes.coordinates((total / len(coordinates))[None])[0]
    # No scalar of numpy, which would double the precision.
    size = math.sqrt(reference.shape[0] * reference.shape[2])
    modes_and_harmonics = (axes.modes, axes.orthonormal())
    mode_faces, harmonic_faces = (size * rows.reshape(-1, *reference.shape) for rows in modes_and_harmonics)
    return Learned(mode_faces, harmonic_faces, frequencies, mean, held_out=coordinates, outside=outside)


def _rows(read_rows, start, stop, reference):
    """Return deviations (stop - start, N), scaled so that the length of a vector is the norm of the face."""
    points = reference.shape[0] * reference.shape[2]
    return ((read_rows(start, stop) - reference) / np.sqrt(points)).astype(np.float32).reshape(stop - start, -1)


def _read_further_people(people, reference, alike):
    """Return public deviations (p, N) of another kind that modes are fitted on besides, scaled to people's spread.

    They are those of faces where changes or asymmetries are learned: none without.
    """
    if alike is None:
        return people[:0]
    further_rows = _rows(lambda start, stop: reference + alike[start:stop], 0, min(len(alike), FITTED), reference)
    return further_rows * np.float32(np.sqrt(np.mean(people**2) / np.mean(further_rows**2)))


def _make_axes(modes, shape, count):
    """Return the Axes of releases, fitted modes (q, N) and harmonics beside them, and the harmonics' frequencies."""
    rows = harmonic_functions(shape, count).reshape(3 * count, shape[0] * 3 * shape[2])
    # By this factor each function is made orthonormal to those before it.
    factor = np.linalg.cholesky(_products(rows, rows))
    functions = _orthonormalise(factor, rows)
    indices = Axes(modes, functions, RIDGE).independent()
    return Axes(modes, functions[indices]), harmonic_frequencies(count)[indices]


def _products(rows, others):
    """Return inner products (p, o) of rows (p, N) with others (o, N), both in single precision, in double precision."""
    blocks = [slice(start, start + BLOCK) for start in range(0, rows.shape[1], BLOCK)]
    return sum(rows[:, block].astype(float) @ others[:, block].astype(float).T for block in blocks)


def _summed(weights, people):
    """Return weighted sums (q, N) of people (p, N) that are the same on every processor: modes are made of them.

    Weights are (p, q); the sums are in single precision, added up in double.
    """
    sums = np.empty((weights.shape[1], people.shape[1]), dtype=people.dtype)
    for start in range(0, people.shape[1], BLOCK):
        sums[:, start : start + BLOCK] = weights.T @ people[:, start : start + BLOCK].astype(float)
    return sums


def _orthonormalise(factor, rows, overlap=None, modes=None):
    """Return harmonics (h, N) made orthonormal, and orthogonal to modes (q, N) where given, as axes must be.

    rows : (h, N) of them, in single precision.

    factor : Cholesky's, of the inner products of what modes leave of them; overlap : (h, q) theirs with the modes
    """
    solution = np.empty_like(rows)
    for start in range(0, rows.shape[1], BLOCK):
        block = slice(start, start + BLOCK)
        remainder = rows[:, block].astype(float)
        if modes is not None:
            remainder -= overlap @ modes[:, block].astype(float)
        solution[:, block] = scipy.linalg.solve_triangular(factor, remainder, lower=True)
    return solution


def _fit(people, products, modes):
    """Return the modes (modes, N), the principal directions in which people lie off the reference.

    They are of the second moment, not of the variance: where the mean lies belongs to it. From the people's products
    (p, p), which all folds share: the modes of rows X are X^T a / s, with a and s^2 from X X^T. A principal component
    analysis would take each fold's faces apart anew, at several times the cost. Where people vary in fewer ways than
    modes are asked for, fixed directions at right angles to these follow.
    """
    squares, a = (part[..., ::-1][..., :modes] for part in canonical.decompose(products))
    sound_count = np.count_nonzero(squares > SOUND * squares[0])
    directions = _summed(a[:, :sound_count] / np.sqrt(squares[:sound_count]), people)
    if sound_count == modes:
        return directions
    return canonical.complete_basis(directions.T.astype(float), modes - sound_count).T.astype(people.dtype)


def choose_own_weight(products, own, modes):
    """Return how often each of a laboratory's own public people counts beside drawn ones, so that modes fit them.

    It is what explains own ones held out best; the first `own` people are they. For each of WEIGHTS, modes are fitted
    on the others and four fifths of the own; what the first 1, 2, ... modes explain of the squared length of the own
    fifth held out is summed over these numbers and over the fifths. From all people's products (p, p), as `_fit` has
    modes from them.
    """
    if not 0 < own < len(products):
        return 1
    explained_by = dict.fromkeys(WEIGHTS, 0.0)
    for part in np.array_split(np.arange(own), min(FOLDS, own)):
        other_rows = np.setdiff1d(np.arange(len(products)), part)
        for weight in WEIGHTS:
            root = np.sqrt(np.where(other_rows < own, weight, 1.0))
            squares, a = canonical.decompose(root[:, None] * products[np.ix_(other_rows, other_rows)] * root)
            leading = np.arange(len(squares))[::-1][: min(modes, np.count_nonzero(squares > squares.max() * 1e-6))]
            along = (products[np.ix_(part, other_rows)] * root) @ a[:, leading] / np.sqrt(squares[leading])
            explained = np.cumsum((along**2).sum(axis=0))
            explained_by[weight] += float(np.pad(explained, (0, modes - len(leading)), mode="edge").sum())
    return canonical.first_of_the_best(WEIGHTS, lambda weight: -explained_by[weight])


def _measure_held_out(deviations, axes):
    """Return held-out people's coordinates (p, q + h) along axes, from which bounds and forecasts of error follow.

    Beside them (p,), the squared length of each person that the axes do not show.
    """
    coordinates = axes.coordinates(deviations)
    squares = np.einsum("pn,pn->p", deviations, deviations, dtype=float)
    remainder = squares - np.sum(coordinates**2, axis=1)
    return coordinates, np.where(remainder > NOTHING * squares, remainder, 0.0)


# How many angular frequencies and zeros are looked through.
ANGULAR, RADIAL = 60, 20


@cache
def slowest_roots(count):
    """Return the `count` slowest waves of the disk that harmonics are made of: (frequency z, k, turn).

    turn is 0 for the cosine of k theta and 1 for the sine.
    """
    roots = [(0.0, 0, 0)]
    for k in range(ANGULAR):
        turns = (0, 1)[: 1 + (k > 0)]
        roots += [(float(z), k, turn) for z in scipy.special.jnp_zeros(k, RADIAL) for turn in turns]
    return sorted(roots)[:count]


def harmonic_frequencies(count):
    """Return the frequency z (3 count,) of each harmonic, x, y and z in turn."""
    return np.repeat([z for z, _, _ in slowest_roots(count)], 3)


def harmonic_functions(shape, count):
    """Return smooth functions of curves, (3 count, J, 3, m), by which releases show what the modes leave open.

    They are x, y and z in turn, for curves of shape (J, 3, m), and not yet orthogonal.
    """
    curves, _, samples = shape
    rho = np.arange(1, curves + 1) / curves
    theta = 2 * np.pi * np.arange(samples) / samples
    out = np.zeros((count, 3, *shape), dtype=np.float32)
    for row, (z, k, turn) in enumerate(slowest_roots(count)):
        wave = np.sin(k * theta) if turn else np.cos(k * theta)
        for axis in range(3):
            out[row, axis, :, axis] = np.outer(scipy.special.jv(k, z * rho), wave)
    return out.reshape(3 * count, *shape)
