"""Effects of covariates on coordinates, from noised moments, with what privacy and sampling leave uncertain.

    u ~ B' z,  B = M2^-1 M1 (1 + p, q),  M2 made positive definite by a public floor of its eigenvalues

A contrast c (1 + p,) of the rows of B has, to first order in the noise E1, E2 on the moments, with g = M2^-1 c
(docs/mathematics.md, (12.3)),

    c'B - its value without noise = g'(E1 - E2 B)
    covariance over coordinates   = s1^2 |g|^2 I + B' Q B,   Q = s2^2/2 (|g|^2 I + g g') - s2^2 g_1^2 e_1 e_1'

(M2's entry (1, 1) has no noise). Chance in who takes part adds c' M2^-1 c times the residual covariance of u.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Effects:
    """coefficients B (1 + p, q); average (1 + p,) of z; inverse of M2 (1 + p, 1 + p); s1, s2 noise on entries of M1,
    M2; residual (q, q) covariance of people about the effects.
    """

    coefficients: np.ndarray
    average: np.ndarray
    inverse: np.ndarray
    s1: float
    s2: float
    residual: np.ndarray

    def at(self, contrast):
        """(q,) coordinates: the mean at z = contrast, or a difference of two such."""
        return contrast @ self.coefficients

    def noise_covariance(self, contrast):
        """(q, q) of the privacy noise on `at`, to first order."""
        g, b = self.inverse @ contrast, self.coefficients
        return self.s1**2 * (g @ g) * np.eye(b.shape[1]) + b.T @ quadratic(g, self.s2) @ b

    def sampling_covariance(self, contrast):
        """(q, q) by chance in who takes part."""
        return (contrast @ self.inverse @ contrast) * self.residual

    def covariance(self, contrast):
        """(q, q) of both together."""
        return self.noise_covariance(contrast) + self.sampling_covariance(contrast)


def quadratic(g, s2):
    """Q (1 + p, 1 + p) of the module: what the noise on M2 does to g'(M2 - noise)."""
    q = s2**2 / 2 * (g @ g * np.eye(len(g)) + np.outer(g, g))
    q[0, 0] -= s2**2 * g[0] ** 2
    return q


def fit(m1, m2, m3, noise, n, public_variances):
    """Effects from released moments; noise : (3,) standard deviations on their entries.

    public_variances : (q,) of coordinates in the public set, for those that M3 does not cover
    """
    s2 = noise[1] if np.isfinite(noise[1]) else 0.0
    values, vectors = np.linalg.eigh(m2)
    floor = max(s2 * np.sqrt(len(m2)), 1e-6 * n)
    inverse = (vectors / np.maximum(values, floor)) @ vectors.T
    b = inverse @ m1
    return Effects(b, m2[0] / n, inverse, float(noise[0]), float(s2), _residual(b, m2, m3, n, public_variances))


def _residual(b, m2, m3, n, public_variances):
    """(q, q) covariance of coordinates about the effects: released where M3 covers them, else the public variances."""
    leading = len(m3)
    released = (m3 - b[:, :leading].T @ m2 @ b[:, :leading]) / n
    values, vectors = np.linalg.eigh(released)
    covariance = np.diag(np.asarray(public_variances, dtype=float))
    covariance[:leading, :leading] = (vectors * np.maximum(values, 0)) @ vectors.T
    return covariance
