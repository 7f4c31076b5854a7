"""Geodesic regression under the gradient mechanism: footpoint and shooting vector (Kulkarni, Soto, arXiv 2504.11304).

A record is a number x of a public range and a point y; E(p, v) = (1/2n) sum_i dist(exp_p(x_i v), y_i)^2. On symmetric
spaces the curvature operator R: u -> R(u, w)w along a geodesic is parallel, so Jacobi fields are functions of it: where
the footpoint moves by u the end of the geodesic with velocity w moves by C(w)u, and where w does by S(w)u, once they
are transported back,

    C = cos √R,    S = sin √R / √R    (cosh and sinh where an eigenvalue of R is negative)

and the gradients of E in p (v is carried along) and in v are means of -C(w_i)e_i and -x_i S(w_i)e_i, with w_i = x_i v
and e_i the residual log y_i at the end, transported back to p. A residual is shortened to the bound tau, which makes
them gradients of Huber's loss, and what one record adds is bounded whatever it holds.

Proofs: docs/mathematics.md, (17.1) to (17.4).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shapedp.base.errors import NotConverged
from shapedp.privacy.manifolds.base import Manifold
from shapedp.privacy.manifolds.spd import SPD, compose, eigh, log_sinhc, symmetrise
from shapedp.privacy.manifolds.sphere import TINY, hermitian, length
from shapedp.reproduction.markov import run_chains

FIT_TOLERANCE = 1e-10  # on the gradient of a fit
FIT_STEPS = 2000
# One round of proposals may look at so many records.
PROPOSED = 400_000


def transport_fields(manifold, p, w, e):
    """Return how the end of a geodesic moves with its start and its velocity: gradients of the fit are made of it.

    They are the Jacobi fields C(w)e and S(w)e, as at the module's head, for tangent vectors w, e at p: two as e.
    """
    if isinstance(manifold, SPD):
        return _transport_fields_on_spd(p, w, e)
    size = length(w)
    ahead = w / np.where(size > 0, size, 1.0)[..., None]
    along = hermitian(ahead, e).real[..., None] * ahead
    cosine, sine = np.cos(size)[..., None], np.sinc(size / np.pi)[..., None]
    orthogonal = e - along
    c, s = along + cosine * orthogonal, along + sine * orthogonal
    if manifold.dtype == np.complex128:
        # i w is the direction of curvature 4
        complex_part = hermitian(1j * ahead, e).real[..., None] * (1j * ahead)
        c += (np.cos(2 * size)[..., None] - cosine) * complex_part
        s += (np.sinc(2 * size / np.pi)[..., None] - sine) * complex_part
    return c, s


def _transport_fields_on_spd(p, w, e):
    """Return how the end of a geodesic of P(k) moves with its start and velocity, for the fit: see `transport_fields`.

    It is found in the frame of w's eigenvectors. There entry ij has the eigenvalue -(l_i - l_j)²/4 of R.
    """
    root = np.linalg.cholesky(p)
    inverse = np.linalg.inv(root)
    values, vectors = eigh(symmetrise(inverse @ w @ inverse.mT))
    into = vectors.mT @ inverse
    framed = into @ e @ into.mT
    gap = (values[..., :, None] - values[..., None, :]) / 2
    safe = np.where(gap == 0, 1.0, gap)
    out = root @ vectors
    ways = np.cosh(gap), np.where(gap == 0, 1.0, np.sinh(safe) / safe)
    return tuple(symmetrise(out @ (factor * framed) @ out.mT) for factor in ways)


def compute_residuals(manifold, p, w, y, tau=np.inf):
    """Return how records lie off the fitted geodesic, bounded, so that none moves the gradient farther.

    They are log of y at exp_p(w), shortened to tau and transported back to p. A point y on the cut locus of exp_p(w)
    has no residual, and counts as 0.
    """
    if isinstance(manifold, SPD):
        # whitened by A = p^(1/2) exp(w/2) the fitted point is I: there Log is transported back by the same A
        root = np.linalg.cholesky(p)
        inverse = np.linalg.inv(root)
        values, vectors = eigh(symmetrise(inverse @ w @ inverse.mT))
        whiten = compose(vectors, np.exp(-values / 2)) @ inverse
        values, vectors = eigh(symmetrise(whiten @ y @ whiten.mT))
        logs = np.log(values)
        logs *= np.minimum(1.0, tau / np.maximum(length(logs), TINY))[..., None]
        return symmetrise(root @ compose(vectors, logs) @ root.mT)
    end = manifold.exp(p, w)
    e = manifold.log(end, y)
    e = np.where(np.isfinite(e), e, 0.0)
    e = e * np.minimum(1.0, tau / np.maximum(length(e), TINY))[..., None]
    return manifold.transport(end, p, e)


def compute_gradients(manifold, p, v, x, y, tau=np.inf):
    """Return the gradients in p and v of geodesic regression's loss E, for its fit and the paper's private law.

    They are two arrays as p, both tangent at p.

    Parameters
    ----------
    p, v : (..., *point)
        Footpoint, and a tangent vector there.
    x : (..., n)
    y : (..., n, *point)
    tau : float
        Bound on a residual.
    """
    axis = -manifold.point_ndim - 1
    p, w = np.expand_dims(p, axis), manifold.spread(x) * np.expand_dims(v, axis)
    c, s = transport_fields(manifold, p, w, compute_residuals(manifold, p, w, y, tau))
    return -c.mean(axis=axis), -(manifold.spread(x) * s).mean(axis=axis)


def fit(manifold, x, y, start):
    """Return the geodesic of least squares, without privacy, for experiments to set private ones beside: p and v.

    Each is (..., *point); x are about their middle.

    Both gradients vanish there. start : (*point,) a footpoint to begin from; raises NotConverged, with the footpoint,
    after FIT_STEPS
    """
    lead = np.broadcast_shapes(x.shape[:-1], y.shape[: -manifold.point_ndim - 1])
    p = np.broadcast_to(start, (*lead, *manifold.point_shape)).astype(manifold.dtype)
    v, scale = np.zeros_like(p), 1 / np.mean(x**2, axis=-1)
    for _ in range(FIT_STEPS):
        gradient_p, gradient_v = compute_gradients(manifold, p, v, x, y)
        if max(manifold.norm(p, gradient_p).max(), manifold.norm(p, gradient_v).max()) <= FIT_TOLERANCE:
            return p, v
        next_p = manifold.exp(p, -gradient_p)
        p, v = next_p, manifold.transport(p, next_p, v - manifold.spread(scale) * gradient_v)
    raise NotConverged(f"geodesic regression: no fit after {FIT_STEPS} steps; the records lie too far apart", p)


def move_origin(manifold, p, v, x):
    """Return footpoint and shooting vector of the same geodesic, read at x in place of 0."""
    end = manifold.exp(p, x * v)
    return end, manifold.transport(p, end, v)


@dataclass(frozen=True)
class Sensitivity:
    """p, v : by how much one record moves the gradient in p and in v at most."""

    p: float
    v: float


def bound_sensitivity(manifold, tau, n, farthest, longest):
    """Return how far one record moves either gradient at most, to which the noise is scaled: (17.2) and (17.3).

    It is for residuals up to tau, n records, |x| <= farthest and |v| <= longest:

    2 tau/n, and farthest times it, on curvature from 0 up; below 0 with the factors cosh a and (sinh a)/a, where
    a = farthest · longest · √-(least curvature).
    """
    least, _ = manifold.curvature_bounds()
    a = farthest * longest * np.sqrt(max(-least, 0.0))
    factor_p, factor_v = (float(np.cosh(a)), float(np.sinh(a) / a)) if a > 0 else (1.0, 1.0)
    return Sensitivity(2 * tau / n * factor_p, farthest * 2 * tau / n * factor_v)


@dataclass(frozen=True)
class Domain:
    """Where parameters are drawn: p in B_r(p0), and v at p no longer than `longest`; all public."""

    manifold: Manifold
    p0: np.ndarray
    r: float
    longest: float

    def holds(self, p, v):
        """Tell whether footpoint and shooting vector lie inside: (...)."""
        manifold = self.manifold
        return (manifold.dist(self.p0, p) <= self.r) & (manifold.norm(p, v) <= self.longest)

    def footpoints(self, rng, size):
        """Return footpoints, uniform on the ball, for a private regression's exact draws to choose of: size + point."""
        manifold = self.manifold
        accepted, count = [], int(np.prod(size))
        while sum(map(len, accepted)) < count:
            a = self.r * _draw_in_ball(manifold, self.p0, rng, (2 * count,))
            t = manifold.norm(self.p0, a)
            # volume over that of the tangent space, where proposals are uniform
            log_weight = manifold.log_area(self.p0, a) - (manifold.dim - 1) * np.log(t)
            most = _bound_volume(manifold, self.r)
            accepted.append(manifold.exp(self.p0, a[np.log1p(-rng.random(len(t))) < log_weight - most]))
        return np.concatenate(accepted)[:count].reshape((*size, *manifold.point_shape))

    def vectors(self, p, rng, size):
        """Return vectors at p, uniform up to `longest`, of which a private regression's exact draws are chosen."""
        return self.longest * _draw_in_ball(self.manifold, p, rng, size)


def _draw_in_ball(manifold, p, rng, size):
    """Return tangent vectors at p uniform in the unit ball, for what exact draws are chosen of: size + p.shape."""
    direction = manifold.random_tangent(p, rng, size)
    lead = direction.shape[: direction.ndim - manifold.point_ndim]
    return direction * manifold.spread(rng.random(lead) ** (1 / manifold.dim))


def _bound_volume(manifold, r):
    """Return log of how much exp stretches volume up to the radius r at most, to draw footpoints by rejection.

    (8.2) on matrices.
    """
    if not isinstance(manifold, SPD):
        return 0.0
    pairs = manifold.k * (manifold.k - 1) / 2
    return pairs * float(log_sinhc(r / np.sqrt(2 * max(manifold.k - 1, 1))))


def draw_by_rejection(log_density: Callable, propose: Callable, count: int, records: int, rng):
    """Return an exact draw for each of `count` data sets, of a private regression's parameters.

    The law is exp(log_density), at most 0, over the one that is proposed.

    Parameters
    ----------
    log_density : callable
        (rows, points (rows, b, *point)) -> (rows, b), of the data sets `rows`.
    propose : callable
        (rows, b) -> points (rows, b, *point).
    records : int
        In a data set: so many are looked at for each proposal.
    """
    draws, waiting = [None] * count, np.arange(count)
    while len(waiting):
        batch = max(1, PROPOSED // (len(waiting) * records))
        points = propose(waiting, batch)
        accepted = np.log1p(-rng.random(points.shape[:2])) < log_density(waiting, points)
        for row in np.nonzero(accepted.any(axis=1))[0]:
            draws[waiting[row]] = points[row, np.argmax(accepted[row])]
        waiting = waiting[~accepted.any(axis=1)]
    return np.stack(draws)


def run_chain(domain, log_density, p, v, lengths, steps, rng, fixed=(False, False)):
    """Return the parameters of the paper's private regression by Metropolis chains, where exact draws take too long.

    There is a chain for each data set. They are the chains' last states (p, v); the law is only approached.

    Parameters
    ----------
    log_density : callable
        p, v -> (rows,), without the domain.
    p, v : (rows, *point)
        Where the chains start.
    lengths : tuple of two floats
        Of the steps in p and in v, each coordinate.
    fixed : tuple of two bools
        Whether p, or v, stays as it is (v is carried along where p moves).
    """
    manifold = domain.manifold

    def target(state):
        """Return the log density of each chain's pair, -inf outside the domain."""
        p, v = state[:, 0], state[:, 1]
        return np.where(domain.holds(p, v), log_density(p, v), -np.inf)

    def propose(state, rng):
        """Return the next candidate of each chain, a random step from its pair (p, v)."""
        p, v = state[:, 0], state[:, 1]
        if not fixed[0]:
            next_p = manifold.exp(p, lengths[0] * manifold.gaussian_tangent(p, rng))
            p, v = next_p, manifold.transport(p, next_p, v)
        if not fixed[1]:
            v = v + lengths[1] * manifold.gaussian_tangent(p, rng)
        return np.stack([p, v], axis=1)

    states, rate = run_chains(target, propose, np.stack([p, v], axis=1), 1, steps - 1, 1, rng)
    return states[0, :, 0], states[0, :, 1], rate
