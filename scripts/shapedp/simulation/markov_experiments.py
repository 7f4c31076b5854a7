"""The papers' Markov chains beside exact draws: what they cost, and how far their law is from the one they aim at."""

import numpy as np

from shapedp.manifolds import frechet
from shapedp.mechanisms import kng, sensitivity
from shapedp.simulation import metropolis, spaces

# Steps before the first draw and between draws: 2022 supplement 2.4.2 (S²) and 2.3.2 (P(2)).
PUBLISHED_LENGTH = {"S2": (20_000, 600), "P2": (5000, 5000)}
STEP = {"S2": 0.5, "P2": 0.5}  # the factor t; tuned, not printed, for P(2)
LENGTH_SIZE = 10  # records in the data set of `chain_length`
EXACT = 100_000  # exact draws that a chain is compared with


def chains(space, n, replicates, rng):
    """|mean - state| of chains of the published length, one draw a data set; a rejection repeats or redraws."""
    where = spaces.published(space)
    data = where.sample(rng, (replicates, n))
    means = frechet.mean(where.manifold, data).point
    sigma = sensitivity.published_scale(where.manifold, sensitivity.KNG, where.r, n, 1.0).sigma
    return {
        name: where.flat_distance(last_state(where, data, means, sigma, redraw, rng, *PUBLISHED_LENGTH[space]), means)
        for name, redraw in (("mcmc", False), ("mcmc_redraw", True))
    }


def last_state(where, data, means, sigma, redraw, rng, burn, thin):
    """The state burn + thin steps after the mean, one chain a data set (R, n): (R, *point)."""
    target = kng.log_density(where.manifold, data, (where.p0, where.r), sigma)
    step = _step(where, sigma, redraw)
    kept, _ = metropolis.run(lambda x: target(x[:, None])[:, 0], step, means, 1, burn, thin, rng, redraw)
    return kept[0]


def chain_length(rule, steps, replicates, rng):
    """Mean distance to the Fréchet mean over the last tenth of chains on S² of one public data set; sigma as published.

    rule : `repeat` the state after a rejection, or `redraw` as the supplements print it. `exact` : the same number of
    exact draws as chains, at least EXACT, in groups as many as the chains.
    """
    where = spaces.published("S2")
    data = where.sample(np.random.default_rng(LENGTH_SIZE), (LENGTH_SIZE,))
    mean = frechet.mean(where.manifold, data).point
    sigma = sensitivity.published_scale(where.manifold, sensitivity.KNG, where.r, LENGTH_SIZE, 1.0).sigma
    start = np.repeat(mean[None], replicates, axis=0)
    thin = max(1, steps // 1000)
    kept, _ = metropolis.run(
        kng.log_density(where.manifold, data, (where.p0, where.r), sigma),
        _step(where, sigma, rule == "redraw"),
        start,
        draws=steps // 10 // thin,
        burn=steps - steps // 10,
        thin=thin,
        rng=rng,
        redraw=rule == "redraw",
    )
    each = -(-EXACT // replicates)
    exact, _ = kng.sample(where.manifold, data, where.p0, where.r, sigma, rng, each * replicates)
    return {
        "chain": where.manifold.dist(mean, kept).mean(axis=0),
        "exact": where.manifold.dist(mean, exact).reshape(replicates, each).mean(axis=1),
    }


def _step(where, sigma, literal):
    """The supplements' proposals; in place of the cube on P(2), which is not symmetric, a Gaussian unless literal."""
    if where.manifold.point_ndim == 1:
        return metropolis.sphere_step(where.manifold, sigma, STEP["S2"])
    if literal:
        return metropolis.spd_step(where.manifold, sigma, STEP["P2"])
    return metropolis.gaussian_step(where.manifold, STEP["P2"] * sigma)
