"""Metropolis-Hastings chains, many at once: for comparison with the exact samplers, never behind a pure release."""

import numpy as np


def run(log_density, propose, start, draws, burn, thin, rng, redraw=False):
    """`draws` states of each chain, one every `thin` steps after `burn`: (draws, *start.shape); the acceptance rate.

    log_density : points (..., *point) -> (...); propose(x, rng) : a symmetric proposal for each chain
    start : (..., *point), one state a chain
    redraw : as the supplements print it, a rejected proposal is drawn anew and only moves count as steps. That
    changes the law; by default a rejection repeats the state.
    """
    state, level = np.array(start), log_density(start)
    lead = level.shape
    kept = np.empty((draws, *np.shape(start)), dtype=state.dtype)
    steps = np.zeros(lead, dtype=int)
    tried = moved = 0
    while (steps < burn + thin * draws).any():
        candidate = propose(state, rng)
        new = log_density(candidate)
        accepted = np.log1p(-rng.random(lead)) < new - level
        mask = accepted.reshape(*lead, *(1,) * (state.ndim - len(lead)))
        state, level = np.where(mask, candidate, state), np.where(accepted, new, level)
        steps += accepted if redraw else 1
        _keep(kept, state, steps, (accepted if redraw else np.ones(lead, bool)), burn, thin)
        tried, moved = tried + accepted.size, moved + int(accepted.sum())
    return kept, moved / tried


def _keep(kept, state, steps, stepped, burn, thin):
    """Store the states of the chains whose step count has just reached burn + thin, burn + 2 thin, ..."""
    place = (steps - burn) // thin - 1
    due = stepped & ((steps - burn) % thin == 0) & (place >= 0) & (place < len(kept))
    chains = np.nonzero(due)
    kept[(place[due], *chains)] = state[chains]


def gaussian_step(manifold, length):
    """exp_x(length · standard normal tangent vector): symmetric, since the manifold is homogeneous."""
    return lambda x, rng: manifold.exp(x, length * manifold.gaussian_tangent(x, rng))


def sphere_step(manifold, sigma, t=0.5):
    """Supplements A.5 and 2.4.2: a normal vector scaled to length sigma, projected to the tangent space, times t."""

    def propose(x, rng):
        v = rng.standard_normal(x.shape)
        v *= sigma / np.linalg.norm(v, axis=-1, keepdims=True)
        return manifold.exp(x, t * manifold.to_tangent(x, v))

    return propose


def spd_step(manifold, sigma, t):
    """Supplement 2.3.2: the entries i <= j of v uniform on [-½, ½], x' = exp_x(t sigma v). It is not symmetric."""
    i, j = np.triu_indices(manifold.k)

    def propose(x, rng):
        v = np.zeros(x.shape)
        v[..., i, j] = v[..., j, i] = rng.random((*x.shape[:-2], len(i))) - 0.5
        return manifold.exp(x, t * sigma * v)

    return propose


def kendall_step(manifold, t):
    """Supplement 2.5.1: real and imaginary parts uniform on [0, 1], centered, horizontal part, times t."""

    def propose(x, rng):
        v = rng.random(x.shape) + 1j * rng.random(x.shape)
        return manifold.exp(x, t * manifold.to_tangent(x, v))

    return propose
