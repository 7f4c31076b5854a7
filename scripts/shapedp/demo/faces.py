"""A parametric face: a mean face written as a formula and fields of difference, all on one mesh.

    face(w) = template + sum_i w_i field_i,      w_i ~ N(0, 1) independent

Frame: x towards the face's left, y up, z out of the face, mm, nose tip of the mean face near the origin.
The mean face is symmetric and its formula is public: it was not computed from anybody's data.
"""

from functools import cache

import numpy as np

from shapedp.demo import features, identity, mesh

NOSE_TIP = 0  # the mesh's central vertex


def triangles():
    """(t, 3) int32, counter-clockwise from outside: a disk with one boundary loop, the same for every face."""
    return mesh.triangles().copy()


@cache
def _model():
    mean = features.template(*mesh.coordinates().T)
    fields = identity.fields(mean)
    return mean, tuple(fields), np.stack(list(fields.values()))


def template():
    """The mean face, (n, 3) in mm."""
    return _model()[0].copy()


def names():
    """What each weight changes."""
    return _model()[1]


def face(weights):
    """The face (n, 3) in mm with these weights (k,), in units of their standard deviations; k = len(names())."""
    mean, _, fields = _model()
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(fields),):
        raise ValueError(f"a face has {len(fields)} weights, got an array of shape {weights.shape}")
    return mean + np.einsum("k,knd->nd", weights, fields)


def random_weights(rng):
    """Weights (k,) of a random person: independent standard normal, those beyond 3 drawn again.

    Beyond three standard deviations a face would look like nobody, and lids or lips might fold.
    """
    weights = rng.standard_normal(len(names()))
    while np.any(far := np.abs(weights) > 3):
        weights[far] = rng.standard_normal(np.count_nonzero(far))
    return weights
