"""Attacks on the mechanisms for means on manifolds, and their exact privacy loss on S^2.

One of five people moves from one end of the ball to the other. The other four lie at the first end, where curvature
lets the mean move farthest and the exact loss of KNG is largest; for draws of KNG they lie at p0: that largest loss is
met in a corner of the ball that few draws reach (measured on S^2: a bound of .08 from the end, .35 from p0). The
statistic is the log ratio of the two densities, known up to their normalisers (Laplace, KNG), and for the tangent
Gaussian the coordinate at p0 along the pair's difference.

Mechanisms that add noise to deviations from the public center are attacked on outlines. All people but one lie at one
end of the first released axis, at twice the bound, so that clipping puts them on it; the last one lies there or at the
other end. A release goes through to the shape and is read back from it, as coordinates.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.audit import attack
from shapedp.landmarks import outlines
from shapedp.privacy import integer_sums
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.projective import Kendall, shape_of
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.samplers import kng, laplace
from shapedp.privacy.shapes import gaussian as tangent
from shapedp.privacy.shapes.base import Ball
from shapedp.releases import shape_mechanisms

PEOPLE = 5
EPSILON = 1.0
# As for the curves.
MU = 2.9661
# Where the four people lie who stay.
END, CENTER = 0, 2


@dataclass(frozen=True)
class Space:
    """A manifold with its public ball, and the scales of the pure mechanisms there."""

    name: str
    manifold: object
    p0: np.ndarray
    r: float

    def pair(self, rest=END):
        """Return the two neighbouring data sets (5, *point) that the attacks try to tell apart.

        They differ in one record, which lies at the one or the other end of a line through p0.

        rest : where on that line the other records lie
        """
        first = self.manifold.tangent_basis(self.p0)[0]
        points = self.manifold.exp(self.p0, self.r * (1 - 1e-9) * np.stack([first, -first, 0 * first]))
        return points[[rest] * (PEOPLE - 1) + [0]], points[[rest] * (PEOPLE - 1) + [1]]

    def laplace_sigma(self):
        """Return the noise scale of the Laplace mechanism as it is released, over the whole manifold, to attack it."""
        scale = sensitivity.scale(
            self.manifold, sensitivity.LAPLACE, self.r, PEOPLE, EPSILON, tolerance=frechet.TOLERANCE
        )
        return scale.sigma

    def kng_sigma(self):
        """Return the scale of the K-norm gradient mechanism as it is released, on the ball."""
        return sensitivity.scale(self.manifold, sensitivity.KNG, self.r, PEOPLE, EPSILON, restricted=True).sigma


SPHERE = Space("S2", Sphere(2), np.array([0.0, 0.0, 1.0]), np.pi / 8)
SPACES = (
    SPHERE,
    Space("P(2)", SPD(2), np.eye(2), 1.0),
    Space("Kendall k=4", Kendall(4), np.array([1, 1j, -1, -1j]) / 2, 0.15),
)


def attack_tangent_gaussian(space, source, draws):
    """Return (claim, what an attack proves) of the tangent Gaussian mechanism: mu, and a lower bound on it.

    It is attacked on whole releases. Noise is put on the integer sum of the pair's data sets, taken to the manifold by
    exp, and read back by log.
    """
    manifold, p0, r = space.manifold, space.p0, space.r
    values = []
    for integer_sum in _tangent_sums(space)[::-1]:
        sums = np.tile(integer_sum, draws)
        noised, _ = integer_sums.noised_mean(sums, r, PEOPLE, MU, source)
        released = tangent.to_manifold(manifold, p0, noised.reshape(draws, -1))
        values.append(manifold.inner(p0, manifold.tangent_basis(p0)[0], manifold.log(p0, released)))
    return MU, attack.bound_privacy_loss(values[0], values[1]).mu


def measure_tangent_gaussian(space):
    """Return (claim, what it is in truth) of the tangent Gaussian, for the audit: its mu, computed exactly.

    The truth is the distance of the pair's sums over the noise.
    """
    first, second = _tangent_sums(space)
    noise = tangent.standard_deviation(space.r, 1, MU)
    return MU, float(np.linalg.norm(first - second)) * (space.r / integer_sums.GRID) / noise


def _tangent_sums(space):
    """Return the exact sums of whole coordinates at p0 of the pair's two data sets."""
    clipped = (tangent.clipped_coordinates(space.manifold, data, space.p0, space.r) for data in space.pair())
    return [integer_sums.to_grid(coordinates, space.r).sum(axis=0) for coordinates in clipped]


def attack_laplace(space, source, draws, share=1.0):
    """Return (claim, what an attack proves) of the Laplace mechanism: epsilon, and a lower bound on it.

    share : of its noise, less than 1 for a control
    """
    means, sigma = _means(space), share * space.laplace_sigma()
    draws_of_means = [laplace.sample(space.manifold, mean, sigma, source.generator(), draws) for mean in means]
    ratios = [(space.manifold.dist(means[0], x) - space.manifold.dist(means[1], x)) / sigma for x in draws_of_means]
    return EPSILON, attack.bound_privacy_loss(ratios[0], ratios[1]).epsilon


def attack_kng(space, source, draws, share=1.0):
    """Return (claim, what an attack proves) of the K-norm gradient mechanism: epsilon, and a lower bound on it.

    share : of its noise, less than 1 for a control
    """
    pair, sigma = space.pair(CENTER), share * space.kng_sigma()
    # Every draw lies in the ball, so that no density needs its edge.
    logs = [kng.log_density(space.manifold, data, None, sigma) for data in pair]
    points = [kng.sample(space.manifold, data, space.p0, space.r, sigma, source.generator(), draws)[0] for data in pair]
    return EPSILON, attack.bound_privacy_loss(*(logs[1](x) - logs[0](x) for x in points)).epsilon


def measure_kng(published=False):
    """Return (claim, exact privacy loss) of KNG on S^2, by quadrature on the pair: epsilon beside what it gives away.

    With `published`, the scale is Delta/epsilon for h(r), as the 2022 supplement's 2.4.2 prints it.
    """
    manifold, p0, r = SPHERE.manifold, SPHERE.p0, SPHERE.r
    published_scale = sensitivity.published_scale(manifold, sensitivity.KNG, r, PEOPLE, EPSILON)
    sigma = published_scale.sigma if published else SPHERE.kng_sigma()
    first_log, second_log = (kng.log_density(manifold, data, (p0, r), sigma) for data in SPHERE.pair())
    return EPSILON, attack.integrate_privacy_loss(first_log, second_log, p0, r)


def measure_laplace():
    """Return (claim, exact privacy loss) of the Laplace mechanism on S^2, by quadrature over the whole sphere."""
    sigma = SPHERE.laplace_sigma()
    first_log, second_log = (lambda x, mean=mean: -SPHERE.manifold.dist(mean, x) / sigma for mean in _means(SPHERE))
    return EPSILON, attack.integrate_privacy_loss(first_log, second_log, SPHERE.p0, np.pi)


def _means(space):
    """Return the Fréchet means of the pair's two data sets."""
    return [frechet.mean(space.manifold, data).point for data in space.pair()]


# Fewer would be refused: the center alone would be nearer.
OUTLINES = 400
OUTLINE_RADIUS, MODES = 0.2, 8


def make_outline_mechanism(name):
    """Return the mechanism of this name at MU or EPSILON, about the demo's center and without a public set."""
    ball = Ball(OUTLINES, shape_of(outlines.template()), OUTLINE_RADIUS, MODES)
    return shape_mechanisms.make(name, ball, {"mu_total": MU, "epsilon": EPSILON})


def sum_outlines(mechanism):
    """Return the exact sums (2, q) of the two neighbouring cohorts of outlines, to which attacked noise is added."""
    coordinates = mechanism.coordinates
    ends = 2 * coordinates.choice.clip * np.eye(coordinates.choice.axes)[[0, 0]] * [[1.0], [-1.0]]
    first, second = coordinates.integers(coordinates.shape(ends))
    return np.stack([OUTLINES * first, (OUTLINES - 1) * first + second])


def attack_outlines_gaussian(source, draws):
    """Return (claim, what an attack proves) of `shaped` on outlines: mu, and a lower bound on it.

    It reads the coordinate along the pair's difference. The other coordinates are independent of it, tell nothing, and
    are left without noise.
    """
    mechanism = make_outline_mechanism("shaped")
    clip = mechanism.coordinates.choice.clip
    values = []
    for integer_sum in sum_outlines(mechanism):
        u = np.zeros((draws, len(integer_sum)))
        u[:, 0], _ = integer_sums.noised_mean(np.repeat(integer_sum[0], draws), clip, OUTLINES, MU, source)
        values.append(-_read_coordinates(mechanism, u)[:, 0])
    return MU, attack.bound_privacy_loss(values[0], values[1]).mu


def measure_outlines():
    """Return (claim, what it is in truth) of `shaped` on outlines, for the audit: its mu, computed exactly.

    The truth is the distance of the pair's sums over the noise.
    """
    first, second = sum_outlines(make_outline_mechanism("shaped"))
    return MU, float(np.linalg.norm(first - second)) / (integer_sums.SENSITIVITY / MU)


def attack_outlines_knorm(source, draws, share=1.0):
    """Return (claim, what an attack proves) of `knorm` on outlines: epsilon, and a lower bound on it.

    share : of its noise, less than 1 for a control
    """
    mechanism = make_outline_mechanism("knorm")
    sums, step = sum_outlines(mechanism), mechanism.coordinates.choice.clip / integer_sums.GRID / OUTLINES
    means, sigma = sums * step, share * mechanism.sensitivity() / EPSILON
    noised = [
        np.array([source.k_norm_integers(integer_sum, integer_sums.SENSITIVITY, EPSILON / share) for _ in range(draws)])
        for integer_sum in sums
    ]
    draws_of_pair = [_read_coordinates(mechanism, integer_sum * step) for integer_sum in noised]
    distances = [[np.linalg.norm(u - mean, axis=1) for mean in means] for u in draws_of_pair]
    return EPSILON, attack.bound_privacy_loss(*((first - second) / sigma for first, second in distances)).epsilon


def _read_coordinates(mechanism, u):
    """Return the coordinates (draws, q) of the shapes that are released for u."""
    coordinates = mechanism.coordinates
    return coordinates.shapes.deviations(coordinates.shape(u)) @ coordinates.axes.T / coordinates.roots
