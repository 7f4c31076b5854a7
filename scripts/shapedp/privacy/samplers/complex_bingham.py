"""A pure private extrinsic mean of planar shapes from nothing public: the complex Bingham law, drawn exactly.

Density on CP^(p-1) proportional to exp((eps/2) z* H z), H = sum z_i z_i* of unit records; its error falls as n^(-1/2):
a first stage, or a baseline. In H's own frame, w = U* z, it is proportional to exp(-u), u = sum l_j |w_j|². Proposals
are of the angular central Gaussian law, w = y/|y| with independent complex normals y_j of variance 1/(1 + 2 l_j/b); the
root b of sum_j 2/(b + 2 l_j) = 1 makes them likeliest to be kept (Kent, Ganeiber, Mardia 2018). How long it takes
depends on H: no release.

Proof: docs/mathematics.md, (7.10).
"""

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray


def sample(h: NDArray, epsilon: float, rng: Any) -> NDArray:
    """A unit vector (p,) of the law of a Hermitian H (p, p)."""
    values, vectors = np.linalg.eigh(h)
    rates, p = epsilon / 2 * (values[-1] - values), len(values)
    b = 2.0 * p  # where no direction is preferred; else the root lies between 2 and 2p, since the least rate is 0
    if p > 1 and rates.any():
        b = scipy.optimize.brentq(lambda b: np.sum(2 / (b + 2 * rates)) - 1, 2.0, 2.0 * p, xtol=1e-12)
    spread = np.sqrt(1 / (1 + 2 * rates / b))
    largest = p * np.log(2 * p / b) - (p - b / 2)
    while True:
        w = spread * (rng.standard_normal(p) + 1j * rng.standard_normal(p))
        w /= np.linalg.norm(w)
        u = rates @ np.abs(w) ** 2
        if np.log(rng.random()) <= p * np.log1p(2 * u / b) - u - largest:
            return vectors @ w
