"""Public directions at p0 in which a record's deviation does not count: what sliding takes out, and what is asymmetric.

Semilandmarks slid along p0's curves to the least distance from p0, or to the least bending energy (`bending`), and a
shape averaged with its mirror image, are projections of the deviation that p0 alone decides: no record has a say in
another's.
"""

import numpy as np

from shapedp.errors import ConfigError
from shapedp.manifolds import landmark_shapes

PROCRUSTES, BENDING = "procrustes", "bending_energy"  # what semilandmarks slide to the least of


def symmetric(p0, pairs):
    """p0 (k, d) averaged with its mirror image; pairs : ((left, right), ...) landmarks that change places."""
    mirrored = landmark_shapes.align(p0, _mirrored(p0, pairs))
    return landmark_shapes.unit(((p0 + mirrored) / 2)[None])[0][0]


def asymmetric(p0, pairs):
    """(i, k, d) directions that the mirror image of a symmetric p0 turns round."""
    k, d = p0.shape
    image = _mirrored(p0, pairs)
    left, _, right = np.linalg.svd(image.T @ p0)
    left[:, -1] *= np.sign(np.linalg.det(left @ right))
    units = np.eye(k * d).reshape(-1, k, d)
    odd = (units - _mirrored(units, pairs) @ (left @ right)) / 2
    values, vectors = np.linalg.eigh(odd.reshape(k * d, -1))
    return vectors[:, values > 0.5].T.reshape(-1, k, d)


def along_curves(p0, curves):
    """(i, k, d) directions along p0's curves; curves : ((before, sliding, after), ...) as geomorph numbers them."""
    found = np.zeros((len(curves), *p0.shape))
    for direction, (before, moving, after) in zip(found, curves, strict=True):
        along = p0[after] - p0[before]
        direction[moving] = along / np.linalg.norm(along)
    return found


def of(p0, pairs=(), semilandmarks=(), sliding=PROCRUSTES):
    """(p0, made symmetric where there are pairs; (i, k, d) ignored directions; (s, k, d) those along which records
    slide to the least bending energy); landmarks count from 1 in settings.
    """
    for name, rows in (("pairs", pairs), ("semilandmarks", semilandmarks)):
        if any(not 1 <= one <= len(p0) for row in rows for one in row) or any(len(set(row)) < len(row) for row in rows):
            raise ConfigError(f"shapes.{name}: landmarks are numbered from 1 to {len(p0)}, each once in a row")
    flat = [one for row in pairs for one in row]
    if len(set(flat)) < len(flat):
        raise ConfigError("shapes.pairs: a landmark stands in two pairs; give each to one")
    pairs, curves = ([[one - 1 for one in row] for row in rows] for rows in (pairs, semilandmarks))
    p0 = symmetric(p0, pairs) if len(pairs) else p0
    odd = asymmetric(p0, pairs) if len(pairs) else np.zeros((0, *p0.shape))
    along, none = along_curves(p0, curves), np.zeros((0, *p0.shape))
    nearest, least_bent = (along, none) if sliding == PROCRUSTES else (none, along)
    return p0, np.concatenate([odd, nearest]), least_bent


def _mirrored(shapes, pairs):
    """The mirror image, with the landmarks of each pair exchanged."""
    image = shapes * np.where(np.arange(shapes.shape[-1]) == 0, -1, 1)
    order = np.arange(shapes.shape[-2])
    for left, right in pairs:
        order[left], order[right] = right, left
    return image[..., order, :]
