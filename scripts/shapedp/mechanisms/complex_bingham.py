"""A pure private extrinsic mean of planar shapes from nothing public: the complex Bingham law, drawn exactly.

Density on CP^(p-1) proportional to exp((eps/2) z* H z), H = sum z_i z_i* of unit records. One record moves z* H z by
at most 1, |<z, a>|² - |<z, b>|² lying in [-1, 1], and with it the normaliser: together eps-DP. Its error falls as
n^(-1/2): a first stage, or a baseline.

With H = U diag(h) U*, w = U* z has independent uniform phases, and s_j = |w_j|² has on the simplex a density
proportional to exp(-sum l_j s_j), l_j = (eps/2)(max h - h_j): exponentials cut off at 1, taken again until the p - 1
that are not the largest add up to at most 1 (Kent, Constable, Er 2004). How long that takes depends on H: no release.

Proof: docs/mathematics.md, (7.10).
"""

import numpy as np


def sample(h, epsilon, rng):
    """A unit vector (p,) of the law of a Hermitian H (p, p)."""
    values, vectors = np.linalg.eigh(h)
    rates = epsilon / 2 * (values[-1] - values[:-1])
    while True:
        small = cut_exponential(rates, rng.random(len(rates)))
        if small.sum() <= 1:
            break
    squares = np.append(small, 1 - small.sum())
    return vectors @ (np.sqrt(squares) * np.exp(2j * np.pi * rng.random(len(squares))))


def cut_exponential(rates, uniform):
    """Inverse distribution function of the density proportional to exp(-rate s) on [0, 1]."""
    safe = np.maximum(rates, 1e-12)
    return -np.log1p(uniform * np.expm1(-safe)) / safe
