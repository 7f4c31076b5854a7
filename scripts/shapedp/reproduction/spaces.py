"""The spaces of the papers' experiments, and many releases of many data sets on them at once.

A space is a manifold, a ball, how data are drawn, and the flat distance that the papers plot. `Case` holds R data sets
of n records, (R, n), of which each mechanism gives (R, size) releases. As published: the scales that the papers print.
As proved: those for which epsilon-DP is proved (`sensitivity`, `laplace`). Flat noise is drawn in vech
coordinates on P(k), as printed: the norm there is at most the Frobenius norm, in which its sensitivity is bounded.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shapedp.privacy.accounting import cost, sensitivity
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.base import Manifold
from shapedp.privacy.manifolds.projective import ComplexProjective
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.samplers import kng, laplace
from shapedp.privacy.shapes import gaussian

# The data sets of one chunk may hold so many numbers.
ROOM = 2_000_000
# sup |log_x y - log_x z| on the ball of r = π/8 of S², found on a grid by the 2021 supplement's B.1 and used there in
# place of a bound: .8062 (measured again by the experiment `expansion`).
EMPIRICAL_EXPANSION = 0.8062
DELTA = 1e-6
# Scales of the papers, times Δ/epsilon with h(reach · r): {method: (times, reach)}; the first is the printed one. On
# P(2), where curvature is not positive, h is 1.
KNG_SCALES = {
    "S2": {
        "kng_published": (1, 1),
        "kng_published_2r": (1, 2),
        "kng_published_twice": (2, 1),
        "kng_published_twice_2r": (2, 2),
    },
    "P2": {"kng_published": (2, 2), "kng_published_once": (1, 2)},
}
LAPLACE_SCALES = {"laplace_published": 1, "laplace_published_twice": 2}  # no paper prints which: {method: times}


@dataclass(frozen=True)
class Space:
    """sample(rng, size) -> points in B_r(p0); flatten : points -> coordinates (..., d) of the space around."""

    manifold: Manifold
    p0: np.ndarray
    r: float
    sample: Callable
    flatten: Callable = lambda x: x

    def flat_distance(self, x, y):
        """Return the papers' measure of utility: |x - y| on the sphere, |vech(x) - vech(y)| on P(k)."""
        return np.linalg.norm(self.flatten(x) - self.flatten(y), axis=-1)

    def published_sigma(self, mechanism, n, times=None, reach=None, epsilon=1.0):
        """Return the scale that the papers print for n records; see `sensitivity.published_scale`."""
        return sensitivity.published_scale(self.manifold, mechanism, self.r, n, epsilon, times, reach).sigma

    def log_density(self, data, sigma):
        return kng.log_density(self.manifold, data, (self.p0, self.r), sigma)


def to_vech(x):
    """Return a symmetric matrix's entries i <= j: the coordinates in which the papers add flat noise to matrices."""
    i, j = np.triu_indices(x.shape[-1])
    return x[..., i, j]


def from_vech(y, k):
    """Return the symmetric k x k matrix with entries y, to see whether the papers' flat noise left it positive
    definite.

    It undoes `to_vech`.
    """
    i, j = np.triu_indices(k)
    x = np.empty((*y.shape[:-1], k, k))
    x[..., i, j] = x[..., j, i] = y
    return x


def published_space(name):
    """Return a space of the papers' figures by its name, with its ball and law of records, for experiments.

    S2 : r = π/8, polar sampling about the north pole; P2 : r = 1.5, Wishart matrices about the identity.
    """
    if name == "S2":
        return _make_uniform_space(Sphere(2), np.array([0.0, 0.0, 1.0]), np.pi / 8)
    manifold, r = SPD(2), 1.5
    return Space(manifold, np.eye(2), r, lambda rng, size: frechet.wishart(manifold, r, rng, size), to_vech)


def family_space(name, order):
    """Return a space of a family by its order, to measure how errors grow with dimension.

    Records have uniform direction and radius about p0. S : S^order, r = π/8; P : P(order), r = 1; CP : CP^order, r =
    0.1.
    """
    if name == "P":
        return _make_uniform_space(SPD(order), np.eye(order), 1.0, to_vech)
    first = np.eye(order + 1)[0]
    if name == "S":
        return _make_uniform_space(Sphere(order), first, np.pi / 8)
    return _make_uniform_space(ComplexProjective(order), first.astype(complex), 0.1)


def split_replicates(replicates, n, space):
    """Return sizes of the chunks that `replicates` data sets of n points are worked in, so that memory is bounded."""
    size = max(1, ROOM // (n * int(np.prod(space.manifold.point_shape))))
    return [min(size, replicates - start) for start in range(0, replicates, size)]


def _make_uniform_space(manifold, p0, r, flatten=lambda x: x):
    return Space(manifold, p0, r, lambda rng, size: frechet.uniform_radius(manifold, p0, r, rng, size), flatten)


@dataclass(frozen=True)
class Case:
    """Data sets (R, n, *point) in the ball, their Fréchet means (R, *point), a budget and a generator.

    Every mechanism gives `size` releases of each data set: (R, size, *point).
    """

    space: Space
    data: np.ndarray
    means: np.ndarray
    epsilon: float
    rng: np.random.Generator
    size: int = 1

    @property
    def n(self):
        return self.data.shape[1]

    @property
    def on_sphere(self):
        """Tell whether flat points can be projected back to the manifold."""
        return isinstance(self.space.manifold, Sphere)

    def kng_at(self, sigma):
        space = self.space
        return kng.sample(space.manifold, self.data, space.p0, space.r, sigma, self.rng, self.size, self.means)[0]

    def laplace_at(self, sigma):
        return laplace.sample(self.space.manifold, self.means, sigma, self.rng, self.size)

    def kng(self):
        """Return KNG as proved: sigma = 2 Δ_K/epsilon with Rauch's bound, docs/mathematics.md, (7.3)."""
        space, mechanism = self.space, sensitivity.KNG
        return self.kng_at(sensitivity.scale(space.manifold, mechanism, space.r, self.n, self.epsilon, True).sigma)

    def laplace(self):
        """Return releases by the manifold Laplace at its proved scale, Δ_L/epsilon over the whole space: (7.1)."""
        space, mechanism = self.space, sensitivity.LAPLACE
        return self.laplace_at(sensitivity.scale(space.manifold, mechanism, space.r, self.n, self.epsilon).sigma)

    def gaussian(self, mu=None):
        """Return means released by our white noise in the tangent space at p0, to set the papers' mechanisms beside.

        They do not lie about the Fréchet mean.

        mu is by default from (epsilon, DELTA).
        """
        space, mu = self.space, cost.gdp_mu(self.epsilon, DELTA) if mu is None else mu
        people_first = np.swapaxes(self.data, 0, 1)
        logs = gaussian.clipped_coordinates(space.manifold, people_first, space.p0, space.r)
        mean = logs.mean(axis=0)[:, None]
        sd = gaussian.standard_deviation(space.r, self.n, mu)
        noise = sd * self.rng.standard_normal((len(mean), self.size, mean.shape[-1]))
        return gaussian.to_manifold(space.manifold, space.p0, mean + noise)

    def published_methods(self, name):
        """Return {method: releases} at every scale of the papers, on the space called `name`.

        On the sphere also the Laplace with the empirical sensitivity in place of a bound, as in the figures of 2021, at
        Δ/epsilon and twice it.
        """
        space, cohort = self.space, {"n": self.n, "epsilon": self.epsilon}
        releases = {
            method: self.kng_at(space.published_sigma(sensitivity.KNG, times=times, reach=reach, **cohort))
            for method, (times, reach) in KNG_SCALES[name].items()
        }
        scales = {
            method: space.published_sigma(sensitivity.LAPLACE, times=times, **cohort)
            for method, times in LAPLACE_SCALES.items()
        }
        if self.on_sphere:
            bound = 2 * space.r * sensitivity.expansion(space.manifold, space.r, sensitivity.PAPERS)
            sigma = scales["laplace_published"] * EMPIRICAL_EXPANSION / bound
            scales |= {"laplace_empirical": sigma, "laplace_empirical_twice": 2 * sigma}
        return releases | {method: self.laplace_at(sigma) for method, sigma in scales.items()}

    def flat_methods(self, name, statistic):
        """Return errors of the papers' baseline, flat Laplace noise on either mean, by method names.

        The names end in `name`. On the sphere its projection errs, too; on P(k) it may leave the space, which is told.
        """
        space, means = self.space, np.expand_dims(self.means, 1)
        scale = laplace.flat_scale(space.manifold, statistic, space.p0, space.r, self.n, self.epsilon)
        arithmetic = statistic == laplace.ARITHMETIC
        center = space.flatten(self.data).mean(axis=1) if arithmetic else space.flatten(self.means)
        noised_means = laplace.flat_sample(center, scale.sigma, self.rng, self.size)
        errors = {f"euclidean{name}": np.linalg.norm(noised_means - space.flatten(means), axis=-1)}
        if self.on_sphere:
            return {**errors, f"projected{name}": space.flat_distance(space.manifold.project(noised_means), means)}
        least = np.linalg.eigvalsh(from_vech(noised_means, space.manifold.k))[..., 0]
        return {**errors, f"outside{name}": (least <= 0).astype(float)}
