"""The papers' Markov chains beside exact draws: what they cost, how well they mix, how far their law is from their aim.

They are Metropolis-Hastings chains, many at once, and never stand behind a pure release.
"""

import numpy as np

from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.samplers import kng, laplace
from shapedp.reproduction import space_experiments, spaces

# Steps before the first draw and between draws: 2022 supplement 2.4.2 (S²) and 2.3.2 (P(2)).
PUBLISHED_LENGTH = {"S2": (20_000, 600), "P2": (5000, 5000)}
STEP = 0.5  # the factor t; tuned, not printed, for P(2)
LENGTH_SIZE = 10  # records in the data set of `chain_length`
EXACT = 100_000  # exact draws that a chain is compared with
# Steps before the first draw and between draws, as 2021, A.5, has them.
LAPLACE_LENGTH = (10_000, 100)
DRAWS = 20  # of each of these chains
# Steps before the first draw and between draws, as the 2022 supplement, 2.5.1, has them.
SHAPE_LENGTH = (7500, 500)
SHAPE_DRAWS = 10  # of each such chain
# The factor t on Kendall's space, which is not printed: half of the proposals are taken. It is doubled for 2Δ.
SHAPE_STEP = 0.002


def run_chains(log_density, propose, start, draws, burn, thin, rng, redraw=False):
    """Return states and acceptance rate of many Markov chains at once, by which papers' chains meet exact draws.

    States are `draws` of each chain, one every `thin` steps after `burn`: (draws, *start.shape).

    log_density : points (..., *point) -> (...)
    propose(x, rng) : the next candidate of each chain. Nothing corrects for one that is not
    symmetric: with `make_spd_step`, as printed, the chain's law is another.
    start : (..., *point), one state a chain
    redraw : as the supplements print it, a rejected proposal is drawn anew and only moves count as steps. That
    changes the law; by default a rejection repeats the state.
    """
    state, level = np.array(start), log_density(start)
    lead = level.shape
    states = np.empty((draws, *np.shape(start)), dtype=state.dtype)
    steps = np.zeros(lead, dtype=int)
    proposals = moves = 0
    while (steps < burn + thin * draws).any():
        candidate = propose(state, rng)
        new = log_density(candidate)
        accepted = np.log1p(-rng.random(lead)) < new - level
        mask = accepted.reshape((*lead, *(1,) * (state.ndim - len(lead))))
        state, level = np.where(mask, candidate, state), np.where(accepted, new, level)
        stepped = accepted if redraw else np.ones(lead, dtype=bool)
        steps += stepped
        # a state is kept when its chain's step count has just reached burn + thin, burn + 2 thin, ...
        place = (steps - burn) // thin - 1
        due = np.nonzero(stepped & ((steps - burn) % thin == 0) & (place >= 0) & (place < draws))
        states[(place[due], *due)] = state[due]
        proposals, moves = proposals + accepted.size, moves + int(accepted.sum())
    return states, moves / proposals


def make_gaussian_step(manifold, length):
    """Return a symmetric proposal for chains on any manifold, where the law must be right: a normal tangent step.

    It is exp_x(length · standard normal tangent vector), symmetric since the manifold is homogeneous.
    """
    return lambda x, rng: manifold.exp(x, length * manifold.gaussian_tangent(x, rng))


def make_sphere_step(manifold, sigma, t=0.5):
    """Return the sphere's proposal as the supplements print it (A.5, 2.4.2), for their chains.

    It is a normal vector scaled to length sigma, projected to the tangent space, times t.
    """

    def propose(x, rng):
        v = rng.standard_normal(x.shape)
        v *= sigma / np.linalg.norm(v, axis=-1, keepdims=True)
        return manifold.exp(x, t * manifold.to_tangent(x, v))

    return propose


def make_spd_step(manifold, sigma, t):
    """Return P(2)'s proposal as the supplement prints it (2.3.2), for chains that repeat what was published.

    The entries i <= j of v are uniform on [-½, ½], x' = exp_x(t sigma v). It is not symmetric, and `run_chains` does
    not correct for it: `make_gaussian_step` stands in its place where the law must be right.
    """
    i, j = np.triu_indices(manifold.k)

    def propose(x, rng):
        v = np.zeros(x.shape)
        v[..., i, j] = v[..., j, i] = rng.random((*x.shape[:-2], len(i))) - 0.5
        return manifold.exp(x, t * sigma * v)

    return propose


def make_kendall_step(manifold, t):
    """Return the shapes' proposal as the supplement prints it (2.5.1), for its chain.

    Real and imaginary parts are uniform on [0, 1], then centered, the horizontal part of that times t.
    """
    uniform = lambda x, rng: rng.random(x.shape) + 1j * rng.random(x.shape)  # noqa: E731
    return lambda x, rng: manifold.exp(x, t * manifold.to_tangent(x, uniform(x, rng)))


def chains(space, n, replicates, rng):
    """Measure whether chains of the published length are long enough: |mean - state|, one draw a data set.

    After a rejection the state is repeated, or redrawn as printed.
    """
    domain = spaces.published_space(space)
    data = domain.sample(rng, (replicates, n))
    means = frechet.mean(domain.manifold, data).point
    sigma = domain.published_sigma(sensitivity.KNG, n)
    target, errors = domain.log_density(data, sigma), {}
    burn, thin = PUBLISHED_LENGTH[space]
    for name, redraw in (("mcmc", False), ("mcmc_redraw", True)):
        step = _choose_step(domain, sigma, redraw)
        states, _ = run_chains(
            lambda x: target(x[:, None])[:, 0], step, means, draws=1, burn=burn, thin=thin, rng=rng, redraw=redraw
        )
        errors[name] = domain.flat_distance(states[0], means)
    return errors


def chain_length(rule, steps, replicates, rng):
    """Measure the chains' bias by their length, on S² of one public data set: distances of states to the Fréchet mean.

    They are means over the last tenth; sigma is as published.

    rule : `repeat` the state after a rejection, or `redraw` as the supplements print it. `exact` : the same number of
    exact draws as chains, at least EXACT, in groups as many as the chains.
    """
    domain = spaces.published_space("S2")
    data = domain.sample(np.random.default_rng(LENGTH_SIZE), (LENGTH_SIZE,))
    mean = frechet.mean(domain.manifold, data).point
    sigma, redraw = domain.published_sigma(sensitivity.KNG, LENGTH_SIZE), rule == "redraw"
    start = np.repeat(mean[None], replicates, axis=0)
    last, thin = steps // 10, max(1, steps // 1000)
    states, _ = run_chains(
        domain.log_density(data, sigma),
        _choose_step(domain, sigma, redraw),
        start,
        draws=last // thin,
        burn=steps - last,
        thin=thin,
        rng=rng,
        redraw=redraw,
    )
    draws_per_chain = -(-EXACT // replicates)
    exact, _ = kng.sample(domain.manifold, data, domain.p0, domain.r, sigma, rng, draws_per_chain * replicates)
    return {
        "chain": domain.manifold.dist(mean, states).mean(axis=0),
        "exact": domain.manifold.dist(mean, exact).reshape(replicates, draws_per_chain).mean(axis=1),
    }


def laplace_chain(n, replicates, rng):
    """Measure the 2021 supplement's chain for the Laplace on S² (A.5) beside exact draws: |mean - state|.

    It is averaged over its DRAWS. A rejected proposal is drawn anew, as printed. `exact` : as many exact draws; sigma =
    Δ/epsilon as published
    """
    domain = spaces.published_space("S2")
    data = domain.sample(rng, (replicates, n))
    means = frechet.mean(domain.manifold, data).point
    sigma = domain.published_sigma(sensitivity.LAPLACE, n)
    target, step = lambda x: -domain.manifold.dist(means, x) / sigma, make_sphere_step(domain.manifold, sigma, t=1.0)
    burn, thin = LAPLACE_LENGTH
    chain_states, _ = run_chains(target, step, means, DRAWS, burn, thin, rng, redraw=True)
    exact = np.moveaxis(laplace.sample(domain.manifold, means, sigma, rng, DRAWS), 1, 0)
    states = {"chain": chain_states, "exact": exact}
    return {name: domain.flat_distance(points, means).mean(axis=0) for name, points in states.items()}


def shape_chain(times, replicates, rng):
    """Measure the 2022 supplement's chain (2.5.1) on the demo outlines beside exact draws: distances, radian.

    They are of states to the mean. r is the largest distance from the mean and p0 the mean, both from the data, as
    printed; sigma, which is not printed, is times · Δ/epsilon with h(2r). `exact` : as many exact draws
    """
    z, mean, r = space_experiments.prepare_outlines()
    space = Kendall(z.shape[-1])
    sigma = sensitivity.published_scale(space, sensitivity.KNG, r, len(z), 1.0, times, 2).sigma
    start, step = np.repeat(mean[None], replicates, axis=0), make_kendall_step(space, times * SHAPE_STEP)
    target = kng.log_density(space, z, (mean, r), sigma)
    burn, thin = SHAPE_LENGTH
    chain_states, _ = run_chains(target, step, start, SHAPE_DRAWS, burn, thin, rng, redraw=True)
    exact, _ = kng.sample(space, z, mean, r, sigma, rng, SHAPE_DRAWS * replicates, mean)
    states = {"chain": chain_states, "exact": exact.reshape(chain_states.shape)}
    return {name: space.dist(mean, points).mean(axis=0) for name, points in states.items()}


def _choose_step(domain, sigma, is_as_printed):
    """Return the proposal that chains on S² or P(2) run with, as the 2022 supplement has it, or one that is symmetric.

    On P(2) its cube is not symmetric: a Gaussian stands in its place unless the chain is to run as printed.
    """
    if domain.manifold.point_ndim == 1:
        return make_sphere_step(domain.manifold, sigma, STEP)
    return (
        make_spd_step(domain.manifold, sigma, STEP)
        if is_as_printed
        else make_gaussian_step(domain.manifold, STEP * sigma)
    )
