"""Two mechanisms of others for a mean on a manifold: the Riemannian Gaussian, and a Brownian motion from the mean.

The Gaussian has density ∝ exp(-dist(x, mean)²/(2 sigma²)) (Jiang et al., arXiv 2311.10101). How private it is follows
from the law of the log ratio of two such densities, here by quadrature in place of their Markov chains: on spheres and
CP^m any two pairs of points at one distance are taken to each other by an isometry, so two or three numbers tell all.
The same quadrature says what mu the Laplace mechanism has. It is a number, no proof.

Heat: the place of a Brownian motion after a time (Chang, Jiang et al., arXiv 2604.20761), calibrated by Wang's Harnack
inequality. docs/mathematics.md, (17.5) and (17.6).
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import scipy

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.accounting import cost
from shapedp.privacy.manifolds.projective import ComplexProjective
from shapedp.privacy.manifolds.sphere import Sphere

GAUSSIAN, LAPLACE = 2, 1  # power of the distance in the exponent
RADII, ANGLES, PHASES = 240, 160, 24  # nodes of the quadrature
# In D dimensions distances beyond (D^a + b √D + c) sigma count as none: (a, b, c).
BEYOND = {GAUSSIAN: (0.5, 0.0, 9.0), LAPLACE: (1.0, 6.0, 35.0)}
# Shares of the sensitivity at which neighbouring means may lie.
SHARES = (0.5, 1.0)
# Points of the curve of delta over epsilon, and the delta at which it ends.
CURVE, LEAST_DELTA = 31, 1e-8
# The scale that gives mu lies between these, in sensitivities over mu.
SEARCHED = 0.1, 6.0
LEAST_TERM = 1e-17  # of the sum of Legendre polynomials
# The distribution of heat is tabulated at so many angles.
TABLE = 8001
MOST_TERMS = 3000


@dataclass(frozen=True)
class RadialLaw:
    """The density ∝ exp(-dist^power/(power sigma^power)) about a point of a sphere or of CP^m."""

    manifold: Sphere | ComplexProjective
    sigma: float
    power: int

    @cached_property
    def nodes(self):
        """Return where the peer's law is read by quadrature, to find what mu it has beside ours; weights of sum 1.

        They are distances s from the center (RADII, 1) and directions' part (1, b) towards another point. The part is a
        cosine on the sphere, a complex number on CP^m.
        """
        manifold, dim = self.manifold, self.manifold.dim
        power, roots, constant = BEYOND[self.power]
        stop = min(manifold.injectivity_radius, self.sigma * (dim**power + roots * np.sqrt(dim) + constant))
        s, weights = np.polynomial.legendre.leggauss(RADII)
        s, weights = stop * (s + 1) / 2, stop * weights / 2
        point = np.eye(1, *manifold.point_shape, dtype=manifold.dtype)[0]
        direction = np.roll(point, 1)
        log = manifold.log_area(point, s[:, None] * direction) - s**self.power / (self.power * self.sigma**self.power)
        weights = weights * np.exp(log - log.max())
        towards, parts = _make_directions(manifold)
        joint = weights[:, None] * parts
        return s[:, None], towards, joint / joint.sum()

    def log_ratios(self, t):
        """Return the privacy loss at each node, of means at the distance t, from which the law's mu is found.

        It is the log ratio of the two densities.
        """
        s, towards, _ = self.nodes
        cosine = np.cos(s) * np.cos(t) + np.sin(s) * np.sin(t) * towards
        other_distance = np.arccos(
            np.minimum(np.abs(cosine) if np.iscomplexobj(cosine) else np.clip(cosine, -1, 1), 1.0)
        )
        return (other_distance**self.power - s**self.power) / (self.power * self.sigma**self.power)

    def mu(self, delta):
        """Return the least mu at which means up to `delta` apart are mu-GDP."""
        weights = self.nodes[2]
        return max(find_mu(self.log_ratios(share * delta), weights) for share in SHARES)


def _make_directions(manifold):
    """Return directions from a mean, with weights of sum 1, at which a `RadialLaw`'s privacy loss is integrated.

    A direction counts by its part (1, b) towards another point: uniform ones' parts are the quadrature's nodes.
    """
    if isinstance(manifold, Sphere):
        if manifold.d == 1:
            return np.array([[-1.0, 1.0]]), np.full((1, 2), 0.5)
        power = (manifold.d - 3) / 2
        nodes, weights = scipy.special.roots_jacobi(ANGLES, power, power)
        return nodes[None], weights[None] / weights.sum()
    # of half a circle: a distance does not change with the sign of the phase
    phases = np.exp(1j * np.pi * (np.arange(PHASES) + 0.5) / PHASES)
    if manifold.m == 1:
        return phases[None], np.full((1, PHASES), 1 / PHASES)
    # |part|^2 has the law Beta(1, m - 1)
    nodes, weights = scipy.special.roots_jacobi(ANGLES // 2, manifold.m - 2, 0)
    parts = np.sqrt((nodes + 1) / 2)[:, None] * phases
    return parts.reshape(1, -1), np.repeat(weights / weights.sum() / PHASES, PHASES)[None]


def find_mu(ratios, weights):
    """Return the mu of GDP that a law guarantees, the least that its privacy losses allow, by quadrature.

    It is over a curve of epsilon from 0 to where delta is LEAST_DELTA. ratios, weights : of the first of two laws that
    an isometry exchanges
    """
    ratios, weights = ratios.ravel(), weights.ravel()

    def delta(epsilon):
        return float(np.sum(weights * -np.expm1(np.minimum(epsilon - ratios, 0.0))))

    most = float(ratios.max())
    if delta(0.0) <= LEAST_DELTA:
        raise RefusedRelease("the two laws are too near each other for the quadrature; take a larger sensitivity")
    # where ratios are bounded delta falls to 0 before them
    end = scipy.optimize.brentq(lambda epsilon: delta(epsilon) - LEAST_DELTA, 0.0, most)
    return max(cost.gdp_mu(epsilon, delta(epsilon)) for epsilon in np.linspace(0.0, end, CURVE))


@lru_cache
def find_sigma(manifold, power, delta, mu):
    """Return the scale of noise at which means up to `delta` apart are mu-GDP, to compare mechanisms at one mu."""
    low, high = (factor * delta / mu for factor in SEARCHED)
    return float(
        scipy.optimize.brentq(lambda sigma: RadialLaw(manifold, sigma, power).mu(delta) - mu, low, high, rtol=1e-4)
    )


def draw_gaussian(manifold, mean, sigma, rng, size):
    """Return exact draws of the Riemannian Gaussian on a sphere or CP^m, a peer's private means.

    It is (..., *point) -> (..., size, *point). A normal tangent vector is kept with the volume at its end over that of
    the tangent space, at most 1.
    """
    centers = np.repeat(np.expand_dims(mean, -2), size, axis=-2)
    flat = centers.reshape(-1, *manifold.point_shape)
    draws, waiting = np.empty_like(flat), np.arange(len(flat))
    while len(waiting):
        v = sigma * manifold.gaussian_tangent(flat[waiting], rng)
        t = manifold.norm(flat[waiting], v)
        log_kept = manifold.log_area(flat[waiting], v) - (manifold.dim - 1) * np.log(t)
        is_kept = (t < manifold.injectivity_radius) & (np.log1p(-rng.random(len(t))) < log_kept)
        draws[waiting[is_kept]] = manifold.exp(flat[waiting[is_kept]], v[is_kept])
        waiting = waiting[~is_kept]
    return draws.reshape(centers.shape)


def compute_heat_time(delta, rho, curvature=1.0):
    """Return how long the heat mechanism's Brownian motion must run to be rho-zCDP, to set it beside ours: (17.6).

    No release is drawn so. It is log(1 + K delta²/(2 rho))/K, for means of neighbours up to `delta` apart on a manifold
    whose Ricci curvature is K or more.
    """
    return float(np.log1p(curvature * delta**2 / (2 * rho)) / curvature)


@dataclass(frozen=True)
class Heat:
    """The law of a Brownian motion on S² after a time, by its angle from where it began."""

    time: float

    @cached_property
    def coefficients(self):
        """Return the heat mechanism's density in Legendre polynomials of the cosine, by which it is read and drawn.

        Its coefficients are (2l + 1) e^(-l(l + 1) time/2)/(4 pi).
        """
        l = np.arange(MOST_TERMS)  # noqa: E741
        terms = (2 * l + 1) * np.exp(-l * (l + 1) * self.time / 2)
        if terms[-1] > LEAST_TERM:
            raise RefusedRelease(f"heat after the time {self.time:.3g} needs more than {MOST_TERMS} terms; add privacy")
        return terms[: 1 + np.nonzero(terms > LEAST_TERM)[0][-1]] / (4 * np.pi)

    def density(self, cosine):
        """Return the density on the sphere at points with these cosines to the start, to compare two starts by.

        What rounding leaves below 0 counts as 0.
        """
        return np.maximum(np.polynomial.legendre.legval(cosine, self.coefficients), 0.0)

    @cached_property
    def quantiles(self):
        """Return angles, and the chance that the Brownian motion ends within each: a table that `sample` draws from."""
        angle = np.linspace(0, min(np.pi, 12 * np.sqrt(self.time)), TABLE)
        # ∫ P_l from c to 1 is (P_(l-1)(c) - P_(l+1)(c))/(2l + 1), and 1 - c for l = 0
        halves = 2 * np.pi * self.coefficients / (2 * np.arange(len(self.coefficients)) + 1)
        series = np.zeros(len(halves) + 1)
        series[: len(halves) - 1] += halves[1:]
        series[2:] -= halves[1:]
        cosine = np.cos(angle)
        share = halves[0] * (1 - cosine) + np.polynomial.legendre.legval(cosine, series)
        return angle, np.maximum.accumulate(np.clip(share, 0.0, 1.0))

    def sample(self, start, rng, size):
        """Return private means by others' heat mechanism, to compare ours with: (..., size, 3).

        They are where a Brownian motion from `start` (..., 3) is after the time.
        """
        sphere = Sphere(2)
        starts = np.repeat(start[..., None, :], size, axis=-2)
        angle, share = self.quantiles
        drawn = np.interp(rng.random(starts.shape[:-1]) * share[-1], share, angle)
        return sphere.exp(starts, sphere.spread(drawn) * sphere.random_tangent(starts, rng))

    def compared(self, t):
        """Return the privacy loss between starts at the distance t: log ratios, and weights of sum 1.

        They are by quadrature over the sphere about the first, whose law the weights are.
        """
        stop = min(np.pi, 9 * np.sqrt(self.time))
        s, weights = np.polynomial.legendre.leggauss(RADII)
        s, weights = stop * (s + 1) / 2, stop * weights / 2
        towards, parts = _make_directions(Sphere(2))
        other_cosine = np.cos(s)[:, None] * np.cos(t) + np.sin(s)[:, None] * np.sin(t) * towards
        first, second = self.density(np.cos(s))[:, None], self.density(other_cosine)
        joint = (weights * np.sin(s))[:, None] * first * parts
        is_possible = (first > 1e-10) & (second > 1e-10)
        ratios = np.log(np.where(is_possible, first, 1.0)) - np.log(np.where(is_possible, second, 1.0))
        return ratios, np.where(is_possible, joint, 0.0) / joint.sum()

    def divergence(self, t, alpha):
        """Return Rényi divergence of order alpha of the laws from two starts at the distance t."""
        ratios, weights = self.compared(t)
        return float(np.log(np.sum(weights * np.exp((alpha - 1) * ratios))) / (alpha - 1))

    def bound(self, t, alpha):
        """Return the bound (17.6) on the divergence of order alpha, K = 1."""
        return alpha * t**2 / (2 * np.expm1(self.time))
