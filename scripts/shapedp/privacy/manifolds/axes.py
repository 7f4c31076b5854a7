"""Axes that follow from a matrix up to rounding, on every processor.

A factorisation leaves choices open: the sign of an eigenvector, and in a space of equal eigenvalues the whole basis.
What it then returns depends on the order in which a processor's kernels sum. Here every such space has the one basis
that lies nearest to fixed directions, in the least squares: V U W', where V' G = U S W' for an orthonormal basis V of
the space and fixed directions G (Schönemann 1966). Of a space of one dimension that is the sign.

G has no symmetry that data could share, so that V' G is as good as never singular, and is made of whole numbers by
PCG64, whose sequence NumPy keeps.
"""

from itertools import pairwise

import numpy as np
import scipy

# Of the largest: eigenvalues that lie no farther apart count as equal.
EQUAL = 1e-9
SEED = 1966


def fixed_directions(length, count):
    """Return (length, count) fixed directions, the same everywhere; entries in [-1, 1)."""
    whole = np.random.PCG64(SEED).random_raw(length * count) >> np.uint64(11)
    return np.ldexp(whole.astype(float), -52).reshape(count, length).T - 1.0


def nearest_basis(vectors):
    """Return the basis of the space of orthonormal vectors (n, q), as columns, that is nearest to fixed directions."""
    left, _, right = np.linalg.svd(vectors.T @ fixed_directions(*vectors.shape))
    return vectors @ (left @ right)


def decompose(matrix):
    """Return a symmetric matrix's eigenvalues and eigenvectors, the same on every processor: axes are made of them.

    The values (n,) rise; the vectors (n, n) are columns. Fixed directions choose signs, and directions where values are
    equal.
    """
    values, vectors = np.linalg.eigh(matrix)
    is_apart = np.diff(values) > EQUAL * np.abs(values).max(initial=0.0)
    bounds = [0, *np.flatnonzero(is_apart) + 1, len(values)]
    # A sign is the whole choice in a space of one dimension; larger ones follow below.
    vectors = vectors * np.where(fixed_directions(len(values), 1)[:, 0] @ vectors < 0, -1.0, 1.0)
    for start, stop in pairwise(bounds):
        if stop - start > 1:
            vectors[:, start:stop] = nearest_basis(vectors[:, start:stop])
    return values, vectors


def null_space(rows):
    """Return (n, q) orthonormal columns at right angles to rows (r, n): of those the nearest to fixed directions."""
    return nearest_basis(scipy.linalg.null_space(rows))


def complete_basis(vectors, count):
    """Return orthonormal vectors (n, q) with `count` more where data give too few, the same on every processor.

    They are fixed directions made orthonormal in turn.
    """
    directions = fixed_directions(len(vectors), count)
    # Twice, for what rounding left the first time.
    for _ in range(2):
        directions = directions - vectors @ (vectors.T @ directions)
        directions, lengths = np.linalg.qr(directions)
        directions = directions * np.where(np.diag(lengths) < 0, -1.0, 1.0)
    return np.concatenate([vectors, directions], axis=1)


def first_of_the_best(candidates, cost, share=EQUAL):
    """Return the candidate of least cost, as learning from public people chooses a ridge or weight, alike everywhere.

    Where rounding alone may part costs it is the first of these candidates, so that every processor chooses the same.

    Parameters
    ----------
    candidates : sequence
        In the order in which they are preferred.
    cost : callable
        Candidate -> float.
    share : float
        Of the least cost.
    """
    costs = [cost(candidate) for candidate in candidates]
    least_cost = min(costs)
    return next(
        candidate
        for candidate, candidate_cost in zip(candidates, costs, strict=True)
        if candidate_cost <= least_cost + share * abs(least_cost)
    )
