"""Means by the mechanisms of others, beside those of these papers and ours, at one mu.

On S², and of the demo outlines in Kendall's plane. All are private at mu = MU: the Riemannian Gaussian and the Laplace
by quadrature of their curves (`peers`), heat as (MU²/2)-zCDP, KNG and the Laplace besides at the epsilon that implies
MU. Errors are distances to the Fréchet mean of the records.
"""

from functools import lru_cache

import numpy as np
import scipy

from shapedp.landmarks import outlines
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.projective import Kendall, shapes_of
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.samplers import kng
from shapedp.privacy.samplers.rejection import prepare
from shapedp.privacy.shapes.base import Ball, as_complex, as_real
from shapedp.privacy.shapes.gaussian import Gaussian
from shapedp.privacy.shapes.learned import Shaped
from shapedp.privacy.shapes.pure import Laplace
from shapedp.reproduction import peers, spaces
from shapedp.reproduction.peers import Heat
from shapedp.reproduction.space_experiments import MODES, OUTLINE_SEED, P0, PUBLIC_RADIUS, replicate

MU = 1.0
# The epsilon of a pure mechanism that is no more than MU-GDP.
EPSILON = float(np.log(scipy.special.ndtr(MU / 2) / scipy.special.ndtr(-MU / 2)))
PUBLIC = 40  # outlines that are public, beside the people
ORDERS = (1.25, 2.0, 5.0, 20.0)  # of Rényi divergences


def mean_peers(n, replicates, rng):
    """Distances on S², ball of radius π/8; what quadrature says of heat, and of the scale of the Gaussian.

    heat_mu : mu of heat; heat_bound : its divergence over (17.6), the largest; gaussian_scale : sigma over Δ/mu
    """
    where = spaces.published("S2")
    manifold = where.manifold
    delta = sensitivity.mean_sensitivity(manifold, where.r, n)
    heat = Heat(peers.heat_time(delta, MU**2 / 2))
    sigma = {power: peers.sigma_of_mu(manifold, power, delta, MU) for power in (peers.GAUSSIAN, peers.LAPLACE)}

    def measure(case):
        drawn = {
            "riemannian_gaussian": peers.gaussian_sample(manifold, case.means, sigma[peers.GAUSSIAN], rng, 1),
            "heat": heat.sample(case.means, rng, 1),
            "laplace_calibrated": case.laplace_at(sigma[peers.LAPLACE]),
            "laplace": case.laplace(),
            "kng": case.kng(),
            "gaussian": case.gaussian(MU),
        }
        return {name: manifold.dist(case.means[:, None], points) for name, points in drawn.items()}

    found = replicate(where, n, EPSILON, replicates, rng, measure)
    numbers = {
        "heat_mu": peers.mu_of_ratios(*heat.compared(delta)),
        "heat_bound": max(heat.divergence(delta, order) / heat.bound(delta, order) for order in ORDERS),
        "gaussian_scale": sigma[peers.GAUSSIAN] * MU / delta,
    }
    return found | {name: np.full(replicates, value) for name, value in numbers.items()}


@lru_cache
def people(n):
    """(public, records) demo outlines (., k, 2), and the records as shapes with their Fréchet mean."""
    drawn = outlines.population(PUBLIC + n, OUTLINE_SEED)[0]
    z = shapes_of(drawn[PUBLIC:])
    space = Kendall(len(P0))
    return as_real(shapes_of(drawn[:PUBLIC])), z, frechet.mean(space, z).point


def shape_peers(n, replicates, rng):
    """Shape distances (radian) of private mean shapes of n demo outlines; 16 modes of the contour where the mechanism
    works in a basis, public ball of PUBLIC_RADIUS about the demo's template. `shaped` has PUBLIC public outlines.
    KNG as it is simulated elsewhere: a release would be refused, for a draw may take too long on some data.
    """
    public, z, mean = people(n)
    plain = Ball(n, P0, PUBLIC_RADIUS, MODES)
    space, center = plain.space, plain.center
    inside, _ = prepare(space, plain.points(z), center, PUBLIC_RADIUS)
    delta = sensitivity.mean_sensitivity(space, PUBLIC_RADIUS, n)
    sigma = peers.sigma_of_mu(space, peers.GAUSSIAN, delta, MU)
    middle = frechet.mean(space, inside).point
    released = plain.from_points(peers.gaussian_sample(space, middle, sigma, rng, replicates))
    kendall = Kendall(len(P0))
    found = {"riemannian_gaussian": kendall.dist(mean, kendall.project(released))}
    points, _ = kng.draw(space, plain.points(z), center, PUBLIC_RADIUS, EPSILON, rng, replicates)
    found["kng"] = kendall.dist(mean, kendall.project(plain.from_points(points)))
    ours = Ball(n, P0, PUBLIC_RADIUS, MODES, public)
    for name, asked in {
        "shaped": Shaped(ours, {"mu_total": MU}),
        "gaussian": Gaussian(plain, {"mu_total": MU}),
        "laplace": Laplace(plain, {"epsilon": EPSILON}),
    }.items():
        asked.check()
        drawn = (asked.draw(z, SeededNoise(int(rng.integers(2**63)))) for _ in range(replicates))
        found[name] = np.array([kendall.dist(mean, kendall.project(_complex(one))) for one in drawn])
    return found | {"gaussian_scale": np.full(replicates, sigma * MU / delta)}


def _complex(shape):
    return shape if np.iscomplexobj(shape) else as_complex(shape)
