"""Bounds of the papers that need no release: privacy loss, gradient against distance, steps of their descent."""

import numpy as np

from shapedp.audit import worst_case
from shapedp.audit.exact_loss import privacy_loss
from shapedp.manifolds import frechet
from shapedp.mechanisms import kng, sensitivity
from shapedp.simulation import spaces
from shapedp.simulation.releases import KNG_SCALES

# People in the neighbouring data sets whose loss is found: all at one end of the ball, or one at the other.
PAIR_SIZE = 5
CLIMBERS, STEPS = 60, 150  # of the hill climbing for extremes
SHIFT = 0.01  # of the spacing of points on the circle
NEAR = 1e-4  # distance from the mean below which the ratio of gradient and distance is rounding
STEP, ENOUGH, MOST_STEPS = 0.5, 1e-5, 500  # of the papers' descent: step, gradient norm at which it ends, step limit


def privacy(replicates, rng):
    """Largest log ratio of the KNG densities of two neighbouring data sets on S², by quadrature; epsilon = 1.

    At each scale of the papers, and as `proved`.
    """
    where, data = _neighbours()
    sigmas = {
        name: sensitivity.published_scale(where.manifold, sensitivity.KNG, where.r, PAIR_SIZE, 1.0, *scale).sigma
        for name, scale in KNG_SCALES["S2"].items()
    }
    sigmas["proved"] = sensitivity.scale(
        where.manifold, sensitivity.KNG, where.r, PAIR_SIZE, 1.0, restricted=True
    ).sigma
    found = {}
    for name, sigma in sigmas.items():
        logs = (kng.log_density(where.manifold, one, (where.p0, where.r), sigma) for one in data)
        found[name] = np.full(replicates, privacy_loss(*logs, where.p0, where.r))
    return found


def laplace_privacy(replicates, rng):
    """The same of the manifold Laplace about the two Fréchet means, whose distance is Δ (2021, Theorem 1).

    whole : over S², sigma = Δ/epsilon; ball, ball_twice : restricted to the ball, sigma = Δ/epsilon and 2Δ/epsilon
    """
    where, data = _neighbours()
    means = [frechet.mean(where.manifold, one).point for one in data]
    delta = float(where.manifold.dist(*means))
    found = {}
    for name, times, radius in (("whole", 1, np.pi), ("ball", 1, where.r), ("ball_twice", 2, where.r)):
        logs = (lambda x, mean=mean, sigma=times * delta: -where.manifold.dist(mean, x) / sigma for mean in means)
        found[name] = np.full(replicates, privacy_loss(*logs, where.p0, radius))
    return found


def _neighbours():
    """S² and two data sets of PAIR_SIZE that differ in one record, from end to end of the ball."""
    where = spaces.published("S2")
    ends = where.manifold.exp(where.p0, where.r * (1 - 1e-9) * np.array([[1.0, 0, 0], [-1, 0, 0]]))
    return where, (ends[[0] * PAIR_SIZE], ends[[0] * (PAIR_SIZE - 1) + [1]])


def circle(n, replicates, rng):
    """Distance of the Fréchet means of two neighbouring data sets on the circle (2021, Example 1), n even.

    n equally spaced points, of which the first stands SHIFT of their spacing aside; and where another does so twice
    as far, too: the farthest of all others near the opposite side, and either way.
    """
    spacing = 2 * np.pi / n
    points = spacing * np.arange(n)
    points[0] += SHIFT * spacing
    first, found = _mean_angle(points), []
    for other in (n // 2 - 1, n // 2, n // 2 + 1):
        for way in (-2, 2):
            moved = points.copy()
            moved[other] += way * SHIFT * spacing
            found.append(abs(_wrapped(_mean_angle(moved) - first)))
    return {"apart": np.full(replicates, max(found))}


def _mean_angle(angles):
    """The Fréchet mean on the circle: of the points mean + 2 pi k/n, its only candidates, the one of least energy."""
    n = len(angles)
    candidates = np.mean(angles) + 2 * np.pi * np.arange(n) / n
    return candidates[np.argmin((_wrapped(candidates[:, None] - angles) ** 2).sum(axis=1))]


def _wrapped(angle):
    """An angle between -pi and pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


def gradient_change(space, replicates, rng):
    """n times the largest |grad U(x; D) - grad U(x; D')| that hill climbing finds in the ball (2022, Theorem 2)."""
    where = spaces.published(space)
    found = worst_case.gradient_expansion(where.manifold, where.p0, where.r, rng, CLIMBERS, STEPS)
    return {"largest": np.full(replicates, found)}


def gradient_ratio(space, n, replicates, rng):
    """|grad F(x)| / dist(x, mean) at random x of the ball, one a data set (2022, Lemma 1)."""
    where = spaces.published(space)
    data = where.sample(rng, (replicates, n))
    x = where.sample(rng, (replicates,))
    gradient = where.manifold.gradient(x[:, None], data)
    length = where.manifold.norm(x[:, None], gradient)[:, 0]
    return {"ratio": length / where.manifold.dist(x, frechet.mean(where.manifold, data).point)}


def gradient_extremes(space, n, replicates, rng):
    """The least and the largest of that ratio that hill climbing finds, over x and the data."""
    where = spaces.published(space)

    def ratio(points, missing):
        x, data = points[:, 0], points[:, 1:]
        length = where.manifold.norm(x, where.manifold.gradient(x[:, None], data)[:, 0])
        apart = where.manifold.dist(x, frechet.mean(where.manifold, data).point)
        return np.where(apart > NEAR, length / np.maximum(apart, NEAR), missing)

    def climb(objective):
        return worst_case.climb(where.manifold, where.p0, where.r, objective, n + 1, rng, CLIMBERS, STEPS)

    least, largest = -climb(lambda points: -ratio(points, np.inf)), climb(lambda points: ratio(points, 0.0))
    return {"least": np.full(replicates, least), "largest": np.full(replicates, largest)}


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
