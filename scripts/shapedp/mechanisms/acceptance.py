"""The least share of proposals that the gradient mechanism's sampler accepts on any data: known before they are read.

Target exp(-|grad F|/sigma) on B_r(p0), curvature in [0, κ], area A(t) of a sphere of radius t. F's Hessian lies between
h = h_max(2r, κ) and 1, so that h t <= |grad F| <= t at distance t from the mean, the lower bound within 2r.

    about the mean   the envelope has mass at most ∫_0^2r e^(-ht/σ) A(t) dt; the target at least
                     ∫_0^r e^(-t/σ) A(t) C(t/2r) dt, C(c) the share of directions with cosine above c: a triangle with
                     one corner at p0, the mean at most r from it, is no wider than in the plane (Toponogov), where a
                     step t <= r stays in the ball if its cosine to p0 is at least t/2r; a mean on the edge is worst
    about p0         the envelope at most ∫_0^r A(t) dt; the target at least E e^(-d/σ) of it, d the side opposite the
                     angle between sides t and r in the plane; a mean on the edge is worst (Anderson's inequality)

The envelope's lines lie above A by less than SLACK in the exponent.
"""

from functools import lru_cache

import numpy as np
from scipy.special import betainc, logsumexp

from shapedp.errors import RefusedRelease

MEAN, CENTER = 0, 1  # places of the two proposals in `kng`
LEAST = 1e-7  # below it a draw could take hours
SLACK = 0.1
CELLS, ANGLES = 1000, 200


@lru_cache(maxsize=64)
def worst_case(manifold, r, sigma, h):
    """(which proposal, its least share accepted) on any data in the ball: the better of the two."""
    shares = (_about_the_mean(manifold, r, sigma, h), _about_the_center(manifold, r, sigma))
    best = int(np.argmax(shares))
    return best, shares[best]


def check(manifold, r, sigma, h):
    """The proposal that is good enough on any data; refused, before any is read, where none is."""
    which, share = worst_case(manifold, r, sigma, h)
    if share < LEAST:
        raise RefusedRelease(
            f"kng with r = {r:.4g} in {manifold.dim} dimensions: on some data as few as {share:.1e} of the proposals "
            f"are accepted (at least {LEAST:.0e} are needed), and whether a draw ends may not depend on the data; use "
            "a smaller r, fewer modes, or laplace"
        )
    return which


def _log_area(manifold, t):
    """log A(t), the same in all directions."""
    point = manifold.project(np.eye(1, *manifold.point_shape, dtype=manifold.dtype)[0] - 1e-3)
    direction = manifold.tangent_basis(point)[0]
    return manifold.log_area(point, t[:, None] * direction)


def _cells(first, stop):
    """(middles, log widths) of cells that grow geometrically to `stop`: fine where the noise is, however small."""
    edges = np.concatenate([[0.0], np.geomspace(min(first, stop) / 1000, stop, CELLS)])
    return (edges[1:] + edges[:-1]) / 2, np.log(np.diff(edges))


def _about_the_mean(manifold, r, sigma, h):
    t, widths = _cells(sigma, 2 * r)
    area, near = _log_area(manifold, t) + widths, t <= r
    within = betainc((manifold.dim - 1) / 2, 0.5, 1 - (t[near] / (2 * r)) ** 2) / 2
    with np.errstate(divide="ignore"):
        target = logsumexp(area[near] - t[near] / sigma + np.log(within))
    return float(np.exp(target - logsumexp(area - h * t / sigma) - SLACK))


def _about_the_center(manifold, r, sigma):
    t, widths = _cells(sigma, r)
    angle, t = (np.arange(ANGLES) + 0.5) * (np.pi / ANGLES), t[:, None]
    weight = (manifold.dim - 2) * np.log(np.sin(angle))
    opposite = np.sqrt(r**2 + t**2 - 2 * r * t * np.cos(angle))
    each = logsumexp(weight - opposite / sigma, axis=1) - logsumexp(weight)
    area = _log_area(manifold, t[:, 0]) + widths
    return float(np.exp(logsumexp(area + each) - logsumexp(area) - SLACK))
