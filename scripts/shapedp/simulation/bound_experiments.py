"""Bounds of the papers that need no release: privacy loss, gradient against distance, steps of their descent."""

import numpy as np

from shapedp.audit.exact_loss import privacy_loss
from shapedp.manifolds import frechet
from shapedp.mechanisms import kng, sensitivity
from shapedp.simulation import spaces

PAIR_SIZE = (
    5  # people in the neighbouring data sets whose loss is found: all at one end of the ball, or one at the other
)
STEP, ENOUGH, MOST_STEPS = 0.5, 1e-5, 500  # of the papers' descent: step, gradient norm at which it ends, step limit


def privacy(replicates, rng):
    """Largest log ratio of the KNG densities of two neighbouring data sets on S², by quadrature; epsilon = 1."""
    where = spaces.published("S2")
    ends = where.manifold.exp(where.p0, where.r * (1 - 1e-9) * np.array([[1.0, 0, 0], [-1, 0, 0]]))
    pair = ends[[0] * PAIR_SIZE], ends[[0] * (PAIR_SIZE - 1) + [1]]
    setting = (where.manifold, sensitivity.KNG, where.r, PAIR_SIZE, 1.0)
    scales = {
        "published": sensitivity.published_scale(*setting),
        "proved": sensitivity.scale(*setting, restricted=True),
    }
    found = {}
    for name, scale in scales.items():
        logs = (kng.log_density(where.manifold, data, (where.p0, where.r), scale.sigma) for data in pair)
        found[name] = np.full(replicates, privacy_loss(*logs, where.p0, where.r))
    return found


def gradient_ratio(space, n, replicates, rng):
    """|grad F(x)| / dist(x, mean) at random x of the ball, one a data set (2022, Lemma 1)."""
    where = spaces.published(space)
    data = where.sample(rng, (replicates, n))
    x = where.sample(rng, (replicates,))
    gradient = where.manifold.gradient(x[:, None], data)
    length = where.manifold.norm(x[:, None], gradient)[:, 0]
    return {"ratio": length / where.manifold.dist(x, frechet.mean(where.manifold, data).point)}


def descent(space, n, replicates, rng):
    """Steps of x <- exp_x(-grad F / 2) from the first record until |grad F| < 1e-5 (2021 A.1, 2022 supplement 2.1)."""
    where = spaces.published(space)
    data = where.sample(rng, (replicates, n))
    x, steps = data[:, 0], np.zeros(replicates, dtype=int)
    for _ in range(MOST_STEPS):
        gradient = where.manifold.gradient(x[:, None], data)[:, 0]
        going = where.manifold.norm(x, gradient) >= ENOUGH
        if not going.any():
            break
        steps += going
        x = np.where(where.manifold.spread(going), where.manifold.exp(x, -STEP * gradient), x)
    return {"steps": steps}


def flat_radius(r, replicates, rng):
    """sup |x - I| over the ball of radius r about I in P(2), on a grid of directions (2021, Proposition 1)."""
    angle = np.linspace(0, 2 * np.pi, 3601)
    logs = r * np.stack([np.cos(angle), np.sin(angle)])
    return {"largest": np.full(replicates, np.linalg.norm(np.expm1(logs), axis=0).max())}
