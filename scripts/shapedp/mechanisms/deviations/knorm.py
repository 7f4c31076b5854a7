"""Exact draws of the K-norm mechanism (Hardt, Talwar 2010; Awan, Slavkovic 2020) for the Euclidean norm of q numbers.

Density exp(-||y||/sigma): a uniform direction, and a radius of law Gamma(q, sigma). The normaliser does not depend on
where the noise is added, so that sigma = sensitivity/epsilon suffices.
"""

import numpy as np


def sample(q, sigma, rng, size=()):
    """Draws size + (q,)."""
    direction = rng.standard_normal((*np.atleast_1d(size).astype(int), q) if size else (q,))
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    radius = sigma * rng.standard_gamma(float(q), size or None)
    return direction * np.asarray(radius)[..., None]
