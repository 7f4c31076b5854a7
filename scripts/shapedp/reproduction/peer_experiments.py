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
from shapedp.privacy.manifolds.projective import Kendall, to_shapes
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
    """Measure means on S² by others' mechanisms beside ours at one mu: distances, and what quadrature says of heat.

    The ball's radius is π/8. heat_mu : mu of heat; heat_bound : its divergence over (17.6), the largest; gaussian_scale
    : sigma over Δ/mu
    """
    domain = spaces.published_space("S2")
    manifold = domain.manifold
    delta = sensitivity.mean_sensitivity(manifold, domain.r, n)
    heat = Heat(peers.compute_heat_time(delta, MU**2 / 2))
    sigma = {power: peers.find_sigma(manifold, power, delta, MU) for power in (peers.GAUSSIAN, peers.LAPLACE)}

    def measure(case):
        """Return each mechanism's distances to the mean, of one release a data set."""
        releases = {
            "riemannian_gaussian": peers.draw_gaussian(manifold, case.means, sigma[peers.GAUSSIAN], rng, 1),
            "heat": heat.sample(case.means, rng, 1),
            "laplace_calibrated": case.laplace_at(sigma[peers.LAPLACE]),
            "laplace": case.laplace(),
            "kng": case.kng(),
            "gaussian": case.gaussian(MU),
        }
        return {name: manifold.dist(case.means[:, None], points) for name, points in releases.items()}

    distances = replicate(domain, n, EPSILON, replicates, rng, measure)
    numbers = {
        "heat_mu": peers.find_mu(*heat.compared(delta)),
        "heat_bound": max(heat.divergence(delta, order) / heat.bound(delta, order) for order in ORDERS),
        "gaussian_scale": sigma[peers.GAUSSIAN] * MU / delta,
    }
    return distances | {name: np.full(replicates, value) for name, value in numbers.items()}


@lru_cache
def draw_people(n):
    """Return (public, records, mean) of demo outlines for `shape_peers`: public landmarks, shapes, Fréchet mean."""
    drawn = outlines.population(PUBLIC + n, OUTLINE_SEED)[0]
    z = to_shapes(drawn[PUBLIC:])
    space = Kendall(len(P0))
    return as_real(to_shapes(drawn[:PUBLIC])), z, frechet.mean(space, z).point


def shape_peers(n, replicates, rng):
    """Measure mean shapes by others' mechanisms beside ours at one mu: distances (radian) to the mean of n outlines.

    There are 16 modes of the contour where the mechanism works in a basis, public ball of PUBLIC_RADIUS about the
    demo's template. `shaped` has PUBLIC public outlines. KNG as it is simulated elsewhere: a release would be refused,
    for a draw may take too long on some data.
    """
    public, z, mean = draw_people(n)
    plain_ball = Ball(n, P0, PUBLIC_RADIUS, MODES)
    space, center = plain_ball.space, plain_ball.center
    points_in_ball, _ = prepare(space, plain_ball.points(z), center, PUBLIC_RADIUS)
    delta = sensitivity.mean_sensitivity(space, PUBLIC_RADIUS, n)
    sigma = peers.find_sigma(space, peers.GAUSSIAN, delta, MU)
    mean_in_ball = frechet.mean(space, points_in_ball).point
    released = plain_ball.from_points(peers.draw_gaussian(space, mean_in_ball, sigma, rng, replicates))
    kendall = Kendall(len(P0))
    distances = {"riemannian_gaussian": kendall.dist(mean, kendall.project(released))}
    points, _ = kng.draw(space, plain_ball.points(z), center, PUBLIC_RADIUS, EPSILON, rng, replicates)
    distances["kng"] = kendall.dist(mean, kendall.project(plain_ball.from_points(points)))
    learned_ball = Ball(n, P0, PUBLIC_RADIUS, MODES, public)
    for name, mechanism in {
        "shaped": Shaped(learned_ball, {"mu_total": MU}),
        "gaussian": Gaussian(plain_ball, {"mu_total": MU}),
        "laplace": Laplace(plain_ball, {"epsilon": EPSILON}),
    }.items():
        mechanism.check()
        releases = (mechanism.draw(z, SeededNoise(int(rng.integers(2**63)))) for _ in range(replicates))
        distances[name] = np.array([kendall.dist(mean, kendall.project(_to_complex(release))) for release in releases])
    return distances | {"gaussian_scale": np.full(replicates, sigma * MU / delta)}


def _to_complex(shape):
    return shape if np.iscomplexobj(shape) else as_complex(shape)
