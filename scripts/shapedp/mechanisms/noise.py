"""The one place where randomness for a release comes from.

Gaussian noise is OpenDP's discrete Gaussian on integers, which draws from the operating system's entropy and is exactly
rho-zCDP. Samplers on manifolds get a generator whose every draw is an inverse distribution function of 52 random bits
from `os.urandom`. A seeded source exists for tests and demonstrations; whatever it makes is not private and says so.

Proof: docs/mathematics.md, (4.2).
"""

import os

import numpy as np
from scipy import special

from shapedp.errors import RefusedRelease

BITS = 52  # with the half added, all 53 bits of a double are used and nothing rounds up to 1


class SecureGenerator:
    """Random numbers from the operating system, with the few methods of numpy's Generator that the samplers use."""

    def random(self, size=None):
        """Uniform on (0, 1): never 0 or 1, so that inverse distribution functions stay finite."""
        shape = () if size is None else tuple(np.atleast_1d(size).astype(int))
        count = int(np.prod(shape))
        whole = np.frombuffer(os.urandom(8 * count), dtype="<u8") >> np.uint64(64 - BITS)
        uniform = (whole + 0.5) * 2.0**-BITS
        return uniform.reshape(shape) if shape else float(uniform[0])

    def standard_normal(self, size=None):
        """N(0, 1)."""
        return special.ndtri(self.random(size))

    def standard_exponential(self, size=None):
        """Density e^-t."""
        return -np.log(self.random(size))

    def standard_gamma(self, shape, size=None):
        """Density t^(shape - 1) e^-t / Gamma(shape)."""
        return special.gammaincinv(shape, self.random(np.shape(shape) if size is None else size))


class SecureNoise:
    """Noise for releases."""

    secure = True
    words = "OpenDP's discrete Gaussian and os.urandom: entropy of the operating system, no seed"

    def generator(self):
        """For the samplers on manifolds."""
        return SecureGenerator()

    def gaussian_integers(self, values, scale, sensitivity):
        """values (N,) integers plus a discrete Gaussian of standard deviation `scale` each; and rho of zCDP.

        sensitivity : L2 sensitivity of `values`; OpenDP's own map must give rho = (sensitivity / scale)^2 / 2
        """
        measurement = _discrete_gaussian(float(scale))
        rho = measurement.map(d_in=float(sensitivity))
        claimed = (sensitivity / scale) ** 2 / 2
        if not claimed * (1 - 1e-9) <= rho <= claimed * (1 + 1e-9):
            raise RefusedRelease(
                f"OpenDP certifies rho = {rho:.12g}, the mechanism claims {claimed:.12g}; nothing drawn"
            )
        return np.array(measurement([int(value) for value in values]), dtype=np.int64), rho


def _discrete_gaussian(scale):
    """OpenDP's measurement on integer vectors. Its prelude would import scikit-learn, and take ten times as long."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_gaussian
    from opendp.metrics import l2_distance
    from opendp.mod import enable_features
    from opendp.typing import f64, i64

    enable_features("contrib")
    return make_gaussian(vector_domain(atom_domain(T=i64)), l2_distance(T=f64), scale=scale)


class SeededNoise:
    """Reproducible noise for tests and demonstrations; never private."""

    secure = False

    def __init__(self, seed):
        self.words = "a seeded pseudo-random generator: anyone with the seed can take the noise off again"
        self._rng = np.random.default_rng(seed)

    def generator(self):
        """For the samplers on manifolds."""
        return self._rng

    def gaussian_integers(self, values, scale, sensitivity):
        """As SecureNoise, by rounding normal numbers; rho is what the same noise would certify if it were secret."""
        drawn = np.rint(self._rng.normal(0.0, scale, len(values))).astype(np.int64)
        return np.asarray(values, dtype=np.int64) + drawn, (sensitivity / scale) ** 2 / 2


def source(seed=None):
    """The noise source of a release: secure, unless a seed is given."""
    return SecureNoise() if seed is None else SeededNoise(seed)
