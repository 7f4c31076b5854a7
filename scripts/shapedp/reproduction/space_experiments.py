"""The papers' experiments on manifolds: how far one person moves the mean, and how near the releases are to it.

Utility: the papers' figures, growth in dimension, budget and sample size, outlines.

The outlines are those of 2022, Figures 2 and 3, on the demo's in place of the corpora callosa. As published: p0 the
mean and r the largest distance to it, both taken from the data, which is not private. As proved: public p0 (the demo's
template) and r, in few Fourier modes of the contour (`shapes.contour`).

Sensitivity, and bounds of the papers that need no release: random neighbours, the worst ones found, the ball's
expansion by log; privacy loss, gradient against distance, and the steps of the papers' descent.
"""

import numpy as np

from shapedp.audit import attack
from shapedp.audit.attack import integrate_privacy_loss
from shapedp.base.settings.schema import find_meaning
from shapedp.landmarks import outlines as demo
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.projective import ComplexProjective, Kendall, shape_of, to_shapes
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.samplers import kng, laplace
from shapedp.privacy.shapes import contour, pure
from shapedp.reproduction import spaces
from shapedp.reproduction.spaces import KNG_SCALES, Case

GROWTH_SIZE = 1000  # people, where n is not what varies
# Releases of each data set where growth is measured: several, since the noise hardly depends on the data.
DRAWS = 10
MECHANISMS = ("kng", "laplace", "gaussian")
# As many outlines as the paper has; the demo's seed.
OUTLINE_COUNT, OUTLINE_SEED = 409, 2022
OUTLINE_SAMPLES = 10  # outlines of the left panel
OUTLINE_EPSILON = 1.0
P0 = shape_of(demo.template())  # the public shape (k,)
PUBLIC_RADIUS, MODES = (find_meaning(f"shapes.{key}")["demo"] for key in ("radius", "contour_modes"))
# The smoother's, in contour lengths: the distance of neighbouring landmarks.
BANDWIDTH = 0.02
# KNG at the papers' scales, of which none is printed for shapes: {method: (times, reach)}
OUTLINE_SCALES = {"kng_once": (1, 2), "kng_twice": (2, 2), "kng_once_r": (1, 1), "kng_twice_r": (2, 1)}
OUTLINE_OTHERS = ("pointwise", "unaligned", "kng_proved")
OUTLINES_DRAWN = ("kng_once", "kng_twice", *OUTLINE_OTHERS)  # of which pictures are made


def accuracy(space, n, replicates, rng):
    """Measure errors of all mechanisms on S² or P(2), as the papers do: |mean - release| in flat space, epsilon = 1.

    It is for 2021 Figure 1 b, d, and 2022 Figure 1.
    """
    domain = spaces.published_space(space)

    def measure(case):
        """Return each mechanism's errors, of one release a data set."""
        releases = case.published_methods(space) | {"kng": case.kng(), "laplace": case.laplace()}
        errors = {name: domain.flat_distance(points, case.means[:, None]) for name, points in releases.items()}
        statistics = {"_published": laplace.PUBLISHED, "": laplace.FRECHET, "_arithmetic": laplace.ARITHMETIC}
        for suffix, statistic in statistics.items():
            errors |= case.flat_methods(suffix, statistic)
        return errors

    return replicate(domain, n, 1.0, replicates, rng, measure)


def dimension(family, order, replicates, rng):
    """Measure how mechanisms' errors grow with the dimension of S^d, P(k) or CP^m: distance of releases to the mean.

    It is geodesic, at n = 1000 and epsilon = 1 (the Gaussian: delta = 1e-6).
    """
    return replicate(spaces.family_space(family, order), GROWTH_SIZE, 1.0, replicates, rng, measure_distances, DRAWS)


def budget(space, epsilon, replicates, rng):
    """Measure how mechanisms' errors fall with epsilon on the papers' spaces, as `dimension` does; n = 1000."""
    return replicate(spaces.published_space(space), GROWTH_SIZE, epsilon, replicates, rng, measure_distances, DRAWS)


def sample_size(space, n, replicates, rng):
    """Measure how mechanisms' errors fall with n on the papers' spaces, as `dimension` does; epsilon = 1."""
    return replicate(spaces.published_space(space), n, 1.0, replicates, rng, measure_distances, DRAWS)


def measure_distances(case):
    """Return distance on the manifold of each mechanism's release to the Fréchet mean."""
    return {name: case.space.manifold.dist(np.expand_dims(case.means, 1), getattr(case, name)()) for name in MECHANISMS}


def replicate(domain, n, epsilon, replicates, rng, measure, draws=1):
    """Return what `measure` says of releases of many data sets drawn anew, {method: (replicates,)}.

    Experiments are made by it. replicates : a multiple of `draws`, the releases of each data set
    """
    parts = []
    for count in spaces.split_replicates(replicates // draws, n, domain):
        data = domain.sample(rng, (count, n))
        means = frechet.mean(domain.manifold, data).point
        parts.append(measure(Case(domain, data, means, epsilon, rng, draws)))
    return {name: np.concatenate([part[name].ravel() for part in parts]) for name in parts[0]}


def prepare_outlines():
    """Return the demo outlines that stand for the paper's, as shapes (n, k), their Fréchet mean and their reach.

    They are turned as they came; the reach is the largest distance from the mean.
    """
    z, space = to_shapes(demo.population(OUTLINE_COUNT, OUTLINE_SEED)[0]), Kendall(len(P0))
    mean = space.align(P0, frechet.mean(space, z).point)
    return z, mean, float(space.dist(mean, z).max())


def _draw_releases(methods, z, mean, r, size, rng):
    """Yield mean shapes as each method releases them, (method, suffix, (size, k)): plain, then smoothed."""
    for method in methods:
        if method in OUTLINE_SCALES:
            space, (times, reach) = Kendall(len(P0)), OUTLINE_SCALES[method]
            sigma = sensitivity.published_scale(
                space, sensitivity.KNG, r, len(z), OUTLINE_EPSILON, times=times, reach=reach
            ).sigma
            released, _ = kng.sample(space, z, mean, r, sigma, rng, size, mean)
        elif method == "kng_proved":
            u, space = contour.basis(len(P0), MODES), ComplexProjective(MODES - 1)
            points, center = contour.to_basis(u, z), contour.to_basis(u, P0)
            points_drawn, _ = kng.draw(space, points, center, PUBLIC_RADIUS, OUTLINE_EPSILON, rng, size)
            released = contour.from_basis(u, points_drawn)
        else:
            released = pure.published_pointwise(z, mean, OUTLINE_EPSILON, rng, size, aligned=method == "pointwise")
        yield method, "", released
        yield method, "_smoothed", contour.smooth_locally(released, BANDWIDTH)


def outlines(replicates, rng):
    """Draw the outlines of the 2022 paper's Figures 2 and 3: samples, their mean, releases of each mechanism.

    Each entry is one outline, x_1..x_k then y_1..y_k, of size 1; releases are turned to the mean.
    """
    z, mean, r = prepare_outlines()
    pictures = {f"sample_{i}": z[i] for i in range(OUTLINE_SAMPLES)} | {"mean": mean}
    for method, suffix, shapes in _draw_releases(OUTLINES_DRAWN, z, mean, r, replicates, rng):
        aligned = (Kendall(len(P0)).align(mean, outline) for outline in shapes)
        pictures |= {f"{method}{suffix}_{i}": outline for i, outline in enumerate(aligned)}
    return {name: np.concatenate([outline.real, outline.imag]) for name, outline in pictures.items()}


def shape_accuracy(replicates, rng):
    """Measure mean shapes of outlines by each mechanism: distance to the mean (radian), crossings of the contour.

    Both are before and after smoothing.
    """
    z, mean, r = prepare_outlines()
    space, measures = Kendall(len(P0)), {}
    for method, suffix, shapes in _draw_releases((*OUTLINE_SCALES, *OUTLINE_OTHERS), z, mean, r, replicates, rng):
        measures[method + suffix] = space.dist(mean, space.project(shapes))
        measures[f"{method}{suffix}_crossings"] = contour.crossings(shapes)
    return measures


CLIMBERS, STEPS = 60, 150  # of the hill climbing for the worst pair
# Points on the ball's boundary, as the 2021 supplement's B.1 searches it.
GRID = 120
NORTH = np.array([0.0, 0.0, 1.0])
# People in the neighbouring data sets whose loss is found: all at one end of the ball, or one at the other.
PAIR_SIZE = 5
SHIFT = 0.01  # of the spacing of points on the circle
# At a smaller distance from the mean the ratio of gradient and distance is rounding.
NEAR = 1e-4
# Of the papers' descent: step, gradient norm at which it ends, most steps.
STEP, ENOUGH, MOST_STEPS = 0.5, 1e-5, 500


def neighbours(space, n, replicates, rng):
    """Measure how far apart the Fréchet means of random neighbouring data sets lie (2021, Figure 1 a and c); radian."""
    domain = spaces.published_space(space)
    distances = []
    for count in spaces.split_replicates(replicates, n, domain):
        data = domain.sample(rng, (count, n + 1))
        first, second = (frechet.mean(domain.manifold, points).point for points in (data[:, 1:], data[:, :-1]))
        distances.append(domain.manifold.dist(first, second))
    return {"distance": np.concatenate(distances)}


def worst_pair(space, n, replicates, rng):
    """Measure how far apart neighbours' means can lie: n times the largest distance that hill climbing finds.

    It is on the manifold and in the flat space around.
    """
    domain = spaces.published_space(space)
    manifold, axes = domain.manifold, tuple(range(-domain.manifold.point_ndim, 0))

    def climb(distance):
        """Return n times the largest distance of neighbours' means that one search finds, measured by `distance`."""

        def shift(points):
            rest = np.repeat(points[:, :1], n - 1, axis=1)
            neighbours = (np.concatenate([rest, points[:, i : i + 1]], axis=1) for i in (1, 2))
            return n * distance(*(frechet.mean(manifold, data, tol=1e-9).point for data in neighbours))

        return attack.climb(manifold, domain.p0, domain.r, shift, 3, rng, CLIMBERS, STEPS)

    kinds = {"geodesic": manifold.dist, "flat": lambda x, y: np.sqrt(np.sum((x - y) ** 2, axis=axes))}
    return {
        name: np.array([max(climb(distance_function) for _ in range(replicates))])
        for name, distance_function in kinds.items()
    }


def expansion(r, replicates, rng):
    """Measure how far log stretches differences in a ball on S² (2021, Figure 2): sup |log_x y - log_x z|.

    It is on a grid of the boundary, and over the whole ball.
    """
    climbs = [attack.climb_gradient_expansion(Sphere(2), NORTH, r, rng) for _ in range(replicates)]
    return {"boundary": np.array([search_boundary(r)]), "ball": np.array([max(climbs)])}


def search_boundary(r, grid=GRID):
    """Return the largest |log_x y - log_x z| on the ball's boundary, as the 2021 paper's supplement searches for it.

    x is a point of the boundary, y and z are on a grid of it.
    """
    angle = 2 * np.pi * np.arange(grid) / grid
    tilt = r * np.stack([np.cos(angle), np.sin(angle), np.zeros(grid)], axis=-1)
    ring = Sphere(2).exp(NORTH, tilt)
    logs = Sphere(2).log(ring[0], ring)
    return float(np.linalg.norm(logs[:, None] - logs[None], axis=-1).max())


def privacy(replicates, rng):
    """Measure the privacy loss of KNG on neighbours on S², at each scale of the papers and as `proved`; epsilon = 1.

    It is the largest log ratio of the two densities, by quadrature.
    """
    domain, data = _make_neighbours()
    kng_scales = KNG_SCALES["S2"].items()
    sigmas = {
        name: domain.published_sigma(sensitivity.KNG, PAIR_SIZE, times, reach) for name, (times, reach) in kng_scales
    }
    proved = sensitivity.scale(domain.manifold, sensitivity.KNG, domain.r, PAIR_SIZE, 1.0, restricted=True).sigma
    losses = {}
    for name, sigma in {**sigmas, "proved": proved}.items():
        first, second = (domain.log_density(records, sigma) for records in data)
        losses[name] = np.full(replicates, integrate_privacy_loss(first, second, domain.p0, domain.r))
    return losses


def laplace_privacy(replicates, rng):
    """Measure the privacy loss of the manifold Laplace on neighbours on S², whose means lie Δ apart (2021, Theorem 1).

    It is the largest log ratio of the densities about the two Fréchet means.

    whole : over S², sigma = Δ/epsilon; ball, ball_twice : restricted to the ball, sigma = Δ/epsilon and 2Δ/epsilon
    """
    domain, data = _make_neighbours()
    means = [frechet.mean(domain.manifold, records).point for records in data]
    delta = float(domain.manifold.dist(means[0], means[1]))
    losses = {}
    for name, times, radius in (("whole", 1, np.pi), ("ball", 1, domain.r), ("ball_twice", 2, domain.r)):
        first, second = (
            lambda x, mean=mean, sigma=times * delta: -domain.manifold.dist(mean, x) / sigma for mean in means
        )
        losses[name] = np.full(replicates, integrate_privacy_loss(first, second, domain.p0, radius))
    return losses


def _make_neighbours():
    """Return S² and two neighbouring data sets whose one record moves from end to end of the ball, to find losses on.

    They have PAIR_SIZE records.
    """
    domain = spaces.published_space("S2")
    ends = domain.manifold.exp(domain.p0, domain.r * (1 - 1e-9) * np.array([[1.0, 0, 0], [-1, 0, 0]]))
    return domain, (ends[[0] * PAIR_SIZE], ends[[0] * (PAIR_SIZE - 1) + [1]])


def circle(n, replicates, rng):
    """Measure that without a ball one record moves a mean far: the distance of two neighbours' means on the circle.

    It is 2021, Example 1, n even.

    n equally spaced points, of which the first stands SHIFT of their spacing aside; and where another does so twice
    as far, too: the farthest of all others near the opposite side, and either way.
    """
    spacing = 2 * np.pi / n
    points = spacing * np.arange(n)
    points[0] += SHIFT * spacing
    first, distances = _average_angles(points), []
    for mover in (n // 2 - 1, n // 2, n // 2 + 1):
        for direction in (-2, 2):
            neighbour = points.copy()
            neighbour[mover] += direction * SHIFT * spacing
            distances.append(abs(_wrap_angle(_average_angles(neighbour) - first)))
    return {"apart": np.full(replicates, max(distances))}


def _average_angles(angles):
    """Return the Fréchet mean of angles, exactly, for the paper's example of the circle, where descent may go wrong.

    Of the points mean + 2 pi k/n, its only candidates, it is the one of least energy.
    """
    n = len(angles)
    candidates = np.mean(angles) + 2 * np.pi * np.arange(n) / n
    return candidates[np.argmin((_wrap_angle(candidates[:, None] - angles) ** 2).sum(axis=1))]


def _wrap_angle(angle):
    """Return an angle between -pi and pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


def gradient_change(space, replicates, rng):
    """Measure whether Theorem 2 of the KNG paper (2022) holds: how far one record moves the gradient, times n, at most.

    It is the largest |grad U(x; D) - grad U(x; D')| that a search finds within the ball.
    """
    domain = spaces.published_space(space)
    largest = attack.climb_gradient_expansion(domain.manifold, domain.p0, domain.r, rng, CLIMBERS, STEPS)
    return {"largest": np.full(replicates, largest)}


def gradient_ratio(space, n, replicates, rng):
    """Measure whether Lemma 1 of the KNG paper (2022) holds: |grad F(x)| / dist(x, mean) at random x, one a data set.

    The points x are of the ball; F is half the mean squared distance to the records.
    """
    domain = spaces.published_space(space)
    data = domain.sample(rng, (replicates, n))
    x = domain.sample(rng, (replicates,))
    gradient = domain.manifold.gradient(x[:, None], data)
    length = domain.manifold.norm(x[:, None], gradient)[:, 0]
    return {"ratio": length / domain.manifold.dist(x, frechet.mean(domain.manifold, data).point)}


def gradient_extremes(space, n, replicates, rng):
    """Measure how far Lemma 1 of the KNG paper (2022) holds, by a search for where it fails, over x and the data.

    It is the least and the largest |grad F(x)| / dist(x, mean) found.
    """
    domain = spaces.published_space(space)

    def ratio(points, missing):
        """Return the ratio of gradient and distance, on which the search climbs; `missing` too near the mean."""
        x, data = points[:, 0], points[:, 1:]
        length = domain.manifold.norm(x, domain.manifold.gradient(x[:, None], data)[:, 0])
        apart = domain.manifold.dist(x, frechet.mean(domain.manifold, data).point)
        return np.where(apart > NEAR, length / np.maximum(apart, NEAR), missing)

    def climb(objective):
        return attack.climb(domain.manifold, domain.p0, domain.r, objective, n + 1, rng, CLIMBERS, STEPS)

    least, largest = -climb(lambda points: -ratio(points, np.inf)), climb(lambda points: ratio(points, 0.0))
    return {"least": np.full(replicates, least), "largest": np.full(replicates, largest)}


def descent(space, n, replicates, rng):
    """Measure the papers' descent to a Fréchet mean: steps of x <- exp_x(-grad F / 2) until |grad F| < 1e-5.

    It starts from the first record (2021 A.1, 2022 supplement 2.1).
    """
    domain = spaces.published_space(space)
    data = domain.sample(rng, (replicates, n))
    x, steps = data[:, 0], np.zeros(replicates, dtype=int)
    for _ in range(MOST_STEPS):
        gradient = domain.manifold.gradient(x[:, None], data)[:, 0]
        is_moving = domain.manifold.norm(x, gradient) >= ENOUGH
        if not is_moving.any():
            break
        steps += is_moving
        x = np.where(domain.manifold.spread(is_moving), domain.manifold.exp(x, -STEP * gradient), x)
    return {"steps": steps}


def flat_radius(r, replicates, rng):
    """Measure Proposition 1 of 2021: how far from I the ball of radius r in P(2) reaches in flat space, on a grid."""
    angle = np.linspace(0, 2 * np.pi, 3601)
    logs = r * np.stack([np.cos(angle), np.sin(angle)])
    return {"largest": np.full(replicates, np.linalg.norm(np.expm1(logs), axis=0).max())}
