"""A pure private extrinsic mean of planar shapes from nothing public: the complex Bingham law, drawn exactly.

Density on CP^(p-1) proportional to exp((eps/2) z* H z), H = sum z_i z_i* of unit records. One record moves z* H z by
at most 1, |<z, a>|² - |<z, b>|² lying in [-1, 1], and with it the normaliser: together eps-DP. Its error falls as
n^(-1/2): a first stage, or a baseline.

With H = U diag(h) U* and l_j = (eps/2)(max h - h_j) the density is proportional to exp(-u), u = sum l_j |w_j|² and
w = U* z. Proposals are of the angular central Gaussian law, w = y/|y| with independent complex normals y_j of variance
1/(1 + 2 l_j/b), whose density is proportional to (1 + 2u/b)^-p. Since log(1 + x) - x/y is greatest at x = y - 1,

    exp(-u) <= (2p/b)^p exp(b/2 - p) (1 + 2u/b)^-p,

and b, the root of sum_j 2/(b + 2 l_j) = 1, makes proposals likeliest to be kept (Kent, Ganeiber, Mardia 2018): all of
them where H = 0, where exponentials cut off at 1 would have to add up to at most 1 by chance, once in (p - 1)! trials.
How long it takes depends on H: no release.

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
    b = _scale(rates)
    spread = np.sqrt(1 / (1 + 2 * rates / b))
    largest = p * np.log(2 * p / b) - (p - b / 2)
    while True:
        w = spread * (rng.standard_normal(p) + 1j * rng.standard_normal(p))
        w /= np.linalg.norm(w)
        u = rates @ np.abs(w) ** 2
        if np.log(rng.random()) <= p * np.log1p(2 * u / b) - u - largest:
            return vectors @ w


def _scale(rates):
    """The b of the module; rates : l (p,), the least of which is 0, so that b lies between 2 and 2p."""
    p = len(rates)
    if p == 1 or not rates.any():
        return 2.0 * p
    return scipy.optimize.brentq(lambda b: np.sum(2 / (b + 2 * rates)) - 1, 2.0, 2.0 * p, xtol=1e-12)
