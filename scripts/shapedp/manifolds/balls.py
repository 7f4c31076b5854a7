"""Points of a ball B_r(p0), at random."""

import numpy as np

from shapedp.errors import ShapedpError

_MOST_TRIES = 10_000


def uniform_radius(manifold, p0, r, rng, size):
    """Uniform direction, radius uniform on [0, r] (2021 supplement A.3.1; 2022 supplement 2.4.1): size + p0.shape.

    The points crowd towards p0: this is not the uniform law of the ball.
    """
    v = manifold.random_tangent(p0, rng, size)
    return manifold.exp(p0, v * manifold.spread(r * rng.random(v.shape[: v.ndim - manifold.point_ndim])))


def wishart(manifold, r, rng, size, freedom=None):
    """Wishart matrices of mean I, redrawn until within r of I (both supplements: V = I/k, k degrees of freedom).

    manifold : SPD(k); result size + (k, k)
    """
    k = manifold.k
    freedom = k if freedom is None else freedom
    identity = np.eye(k)
    count = int(np.prod(size))
    kept = np.empty((0, k, k))
    for _ in range(_MOST_TRIES):
        a = rng.standard_normal((2 * count, k, freedom))
        draws = a @ np.swapaxes(a, -1, -2) / freedom
        # a matrix within r of I has no eigenvalue below e^-r; nearly singular ones would fail in `dist`
        draws = draws[np.linalg.eigvalsh(draws)[:, 0] > np.exp(-r) / 2]
        kept = np.concatenate([kept, draws[manifold.dist(identity, draws) <= r]])
        if len(kept) >= count:
            return kept[:count].reshape(*np.atleast_1d(size), k, k)
    raise ShapedpError(f"no {count} Wishart matrices within {r:.4g} of the identity: use a larger r")
