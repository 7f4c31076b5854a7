"""First and second moments of people's coordinates and covariates under one budget: what a face model is made from.

Person i has coordinates u (q,), ||u|| <= tau, and covariates a in [-1, 1]^p; z = (1, kappa a), kappa public, so that
||z||^2 <= zeta^2 = 1 + sum kappa^2. Released are three sums over people, with independent Gaussian noise on each entry:

    M1 = sum z u'       M2 = sum z z' but for its entry (1, 1), which is n       M3 = sum v v', v = the first q' of u

A symmetric matrix is counted by its upper triangle, off-diagonals times sqrt 2, so that its norm is Frobenius'.
With weights w_c = 1/(noise of M_c), replacing one person moves the weighted sums by no more than Delta
(docs/mathematics.md, (12.2), with the proof),

    Delta^2 = max over rho in [2 - zeta^2, zeta^2], d in [-1, 1] of
              2 w1^2 tau^2 (zeta^2 - rho d) + 2 w2^2 (zeta^4 - rho^2) + 2 w3^2 tau^4 (1 - d^2).

All sums are of whole numbers (u on a grid of tau/2^20, z on 2^-10), so that no rounding is to be counted.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import integer_sums

U_GRID, Z_GRID = 1 << 20, 1 << 10  # steps from 0 to tau, and from 0 to 1
MOST = 1 << 21  # people: sums of products of two u stay within 62 bits


@dataclass(frozen=True)
class Moments:
    """n people, q coordinates of which the first `leading` enter M3, bound tau, kappa (p,) weights of the covariates.

    mu : of Gaussian differential privacy, for all three together
    shares : (3,) how mu^2 is split among M1, M2, M3; positive, or 0 for one that is not released
    """

    n: int
    q: int
    leading: int
    tau: float
    kappa: np.ndarray
    mu: float
    shares: np.ndarray

    def __post_init__(self):
        if not 2 <= self.n <= MOST:
            raise RefusedRelease(f"a model is made from 2 to {MOST} people, got n = {self.n}")
        if not 0 < self.leading <= self.q:
            raise RefusedRelease(f"modes come from 1 to q = {self.q} coordinates, got {self.leading}")
        if np.shape(self.shares) != (3,) or np.min(self.shares) < 0 or not np.sum(self.shares) > 0:
            raise RefusedRelease(f"the budget is split by three shares that are not negative, got {self.shares}")
        if not (self.mu > 0 and np.isfinite(self.mu) and self.tau > 0 and np.isfinite(self.tau)):
            raise RefusedRelease(f"mu and tau must be positive numbers, got {self.mu} and {self.tau}")

    @property
    def p(self):
        """Covariates."""
        return len(self.kappa)

    @property
    def zeta(self):
        """Bound of ||z||."""
        return float(np.sqrt(1 + np.sum(self.z_weights[1:] ** 2)))

    @cached_property
    def z_weights(self):
        """(1 + p,) 1 and kappa, on the grid of z."""
        return np.concatenate([[1.0], np.trunc(np.asarray(self.kappa, dtype=float) * Z_GRID) / Z_GRID])

    @property
    def alone(self):
        """(3,) sensitivity of M1, M2, M3, each by itself."""
        zeta, tau = self.zeta, self.tau
        return np.array([2 * zeta * tau, np.sqrt(2) * zeta**2, np.sqrt(2) * tau**2])

    @cached_property
    def noise(self):
        """(3,) standard deviation on the entries of M1, M2, M3 (diagonal; off it 1/sqrt 2 of that); inf if not made."""
        shares = np.array(self.shares, dtype=float)
        if not self.p:
            shares[1] = 0.0  # M2 is n
        weights = np.sqrt(shares / shares.sum()) / self.alone
        with np.errstate(divide="ignore"):
            return joint_sensitivity(weights, self.zeta, self.tau) / (weights * self.mu)

    @property
    def steps(self):
        """(3,) steps of the grids that M1, M2 and M3 lie on."""
        step_u, step_z = self.tau / U_GRID, 1 / Z_GRID
        return np.array([step_z * step_u, step_z**2, step_u**2])

    def integers(self, u, covariates):
        """(whole u (n, q) no longer than U_GRID, whole z (n, 1 + p)): what the sums are of, for any input."""
        whole_u = _coarser(integer_sums.integers(_clipped(np.array(u, dtype=float), self.tau), self.tau))
        a = np.nan_to_num(np.asarray(covariates, dtype=float).reshape(len(whole_u), self.p), nan=0.0)
        z = np.column_stack([np.ones(len(whole_u)), np.clip(a, -1, 1) * self.z_weights[1:]])
        return whole_u, np.trunc(z * Z_GRID).astype(np.int64)

    def sums(self, u, covariates):
        """The three exact sums of whole numbers over some people; those of parts of a cohort add up."""
        whole_u, z = self.integers(u, covariates)
        v = whole_u[:, : self.leading]
        return [z.T @ whole_u, z.T @ z, v.T @ v]

    def draw(self, sums, source):
        """(M1 (1 + p, q), M2 (1 + p, 1 + p), M3 (q', q')) with noise, in the units of z and u."""
        steps = self.steps
        made = [_noised(one, self.noise[c] / steps[c], source, symmetric=c > 0) for c, one in enumerate(sums)]
        made[1][0, 0] = self.n * Z_GRID**2
        return [one * step for one, step in zip(made, steps, strict=True)]


def joint_sensitivity(weights, zeta, tau):
    """Delta of the weighted sums: see the module."""
    w1, w2, w3 = np.asarray(weights, dtype=float) ** 2

    def moved(rho, d):
        return 2 * w1 * tau**2 * (zeta**2 - rho * d) + 2 * w2 * (zeta**4 - rho**2) + 2 * w3 * tau**4 * (1 - d**2)

    low, high = 2 - zeta**2, zeta**2
    places = [(np.clip(0.0, low, high), 0.0), *((rho, d) for rho in (low, high) for d in (-1.0, 1.0))]
    if w2 > 0:
        places += [(np.clip(-w1 * tau**2 * d / (2 * w2), low, high), d) for d in (-1.0, 1.0)]
    if w3 > 0:
        places += [(rho, np.clip(-w1 * rho / (2 * w3 * tau**2), -1, 1)) for rho in (low, high)]
    return float(np.sqrt(max(moved(*place) for place in places)))


def _clipped(u, tau):
    """Rows no longer than tau but for rounding; one so long that its length is no number counts as 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", u, u))
        return u * np.minimum(1.0, tau / np.maximum(lengths, 1e-300))[:, None]


def _coarser(whole):
    """From the grid of integer sums to U_GRID, towards zero, so that no row grows longer."""
    return np.sign(whole) * (np.abs(whole) // (integer_sums.GRID // U_GRID))


def _noised(whole, sd, source, symmetric):
    """Noise on every entry, or on the upper triangle of a symmetric matrix; zeros where the sd is infinite."""
    if not np.isfinite(sd):
        return np.zeros(whole.shape)
    if not symmetric:
        return source.gaussian_integers(whole.ravel(), sd, 1)[0].reshape(whole.shape).astype(float)
    made = np.zeros(whole.shape)
    for entries, scale in ((np.diag_indices(len(whole)), sd), (np.triu_indices(len(whole), 1), sd / np.sqrt(2))):
        if len(entries[0]):
            made[entries] = source.gaussian_integers(whole[entries], scale, 1)[0]
            made[entries[::-1]] = made[entries]
    return made
