"""The closed form for 2 x 2 matrices against LAPACK."""

import numpy as np
from numpy.testing import assert_allclose

import tolerances
from shapedp.manifolds import symmetric


def test_two_by_two_eigenvalues_and_vectors():
    rng = np.random.default_rng(0)
    a = symmetric.symmetrise(rng.standard_normal((300, 2, 2)))
    a[0], a[1], a[2] = np.eye(2), np.diag([2.0, 1.0]), np.diag([1.0, 2.0])
    values, vectors = symmetric.eigh(a)
    assert_allclose(values, np.linalg.eigvalsh(a), rtol=0, atol=tolerances.ROUND_TRIP)
    assert_allclose(symmetric.compose(vectors, values), a, rtol=0, atol=tolerances.ROUND_TRIP)
    assert_allclose(symmetric.transpose(vectors) @ vectors, np.broadcast_to(np.eye(2), a.shape), atol=1e-15)
