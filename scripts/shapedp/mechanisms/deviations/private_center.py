"""A mean shape of planar landmarks with nothing public: a private center, a private radius, then the release about it.

1. H = sum z z*, Hermitian, needs no center, no radius and no alignment. ||z z* - w w*||² = 2 - 2 |<z, w>|² <= 2: one
   record moves it by at most sqrt 2. Gaussian noise on its real coordinates is mu_1-GDP; its first eigenvector is a
   private extrinsic mean. Along a contour only the first MODES frequencies are asked for, where noise is less.
2. The radius within which a share QUANTILE of the records lies about it, by the exponential mechanism on a public grid:
   one record moves the count within any radius by at most 1. It is eps-DP and enters as mu_2 (`cost.gaussian_of_pure`).
3. The deviation from that center, with the prior of that radius (`variation.prior`): mu_3-GDP.

The whole is mu-GDP, mu² = mu_1² + mu_2² + mu_3². Proof: docs/mathematics.md, (7.8) and (7.9).
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import brentq

from shapedp.manifolds import landmark_shapes
from shapedp.manifolds.landmark_shapes import LandmarkShapes
from shapedp.mechanisms import contour, integer_sums
from shapedp.mechanisms.cost import gaussian_of_pure
from shapedp.mechanisms.deviations import choice, variation
from shapedp.mechanisms.deviations.coordinates import Coordinates

SHARES = (0.35, 0.05, 0.6)  # of mu²: center, radius, release
QUANTILE = 0.9
MARGIN = 1.2  # the prior's radius over the quantile
RADII = np.geomspace(0.005, np.pi / 2, 200)  # the public grid, radian
MODES = 16


@dataclass(frozen=True)
class PrivateCenter:
    """n records of k planar landmarks; outline : whether they follow a closed contour; mu of the whole."""

    n: int
    k: int
    outline: bool
    mu: float

    @property
    def budgets(self):
        """(mu_1, epsilon_2, mu_3)."""
        center, radius, release = self.mu * np.sqrt(SHARES)
        return center, float(brentq(lambda epsilon: gaussian_of_pure(epsilon) - radius, 1e-6, 50)), release

    @property
    def basis(self):
        """(k, p) orthonormal complex columns in which the center is looked for."""
        if self.outline and self.k > MODES:
            return contour.basis(self.k, MODES)
        return null_space(np.ones((1, self.k))).astype(complex)

    @property
    def moment_sensitivity(self):
        """How far one record moves the sum H: sqrt 2, and what cutting its p² coordinates to whole numbers adds."""
        return float(np.sqrt(2) + 2 * self.basis.shape[1] / integer_sums.GRID)

    def draw(self, records, source):
        """The released shape (k, 2) of records (n, k, 2)."""
        mu_center, epsilon, mu_release = self.budgets
        shapes = LandmarkShapes(self.center(records, mu_center, source))
        r = self.radius(shapes, records, epsilon, source.generator())
        known = variation.prior(shapes, MARGIN * r, self.outline)
        found = Coordinates(shapes, known, choice.choose(known, self.n, choice.gaussian, mu_release))
        sums = found.integers(records).sum(axis=0)
        mean, _ = integer_sums.noised_mean(sums, found.bound, self.n, 2 * found.bound / mu_release, source)
        return found.shape(mean)

    def center(self, records, mu, source):
        """(k, 2) the first eigenvector of the noised H, centered and of size 1."""
        rows = hermitian_rows(records, self.basis)
        sensitivity = self.moment_sensitivity * integer_sums.GRID
        noised, _ = source.gaussian_integers(rows.sum(axis=0), sensitivity / mu, sensitivity)
        z = self.basis @ np.linalg.eigh(hermitian(noised.astype(float)))[1][:, -1]
        return landmark_shapes.unit(np.stack([z.real, z.imag], axis=-1)[None])[0][0]

    def radius(self, shapes, records, epsilon, rng):
        """A draw of the exponential mechanism."""
        shares = np.cumsum(radius_law(np.linalg.norm(shapes.deviations(records), axis=1), epsilon))
        return float(RADII[np.searchsorted(shares, rng.random() * shares[-1])])


def radius_law(distances, epsilon):
    """Probability of each radius of the grid, proportional to exp(-epsilon |count within it - QUANTILE n| / 2)."""
    counts = (distances[:, None] <= RADII).sum(axis=0)
    logs = -epsilon / 2 * np.abs(counts - QUANTILE * len(distances))
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def hermitian_rows(records, basis):
    """(n, p²) whole numbers: real coordinates of y y*, y the unit shape in the basis; 0 where it has none."""
    shapes, whole = landmark_shapes.unit(records)
    y = (shapes[..., 0] + 1j * shapes[..., 1]) @ basis.conj()
    size = np.linalg.norm(y, axis=1, keepdims=True)
    y = y / np.where(size > contour.LEAST, size, 1.0) * (whole[:, None] & (size > contour.LEAST))
    outer = y[:, :, None] * y[:, None, :].conj()
    upper = np.triu_indices(basis.shape[1], 1)
    off = np.sqrt(2) * outer[:, upper[0], upper[1]]
    diagonal = np.einsum("npp->np", outer).real
    rows = np.concatenate([diagonal, off.real, off.imag], axis=1)
    rows[~np.isfinite(rows).all(axis=1)] = 0.0
    return np.trunc(rows * integer_sums.GRID).astype(np.int64)


def hermitian(coordinates):
    """(p, p) of the real coordinates (p²,)."""
    p = int(np.sqrt(len(coordinates)))
    upper = np.triu_indices(p, 1)
    out = np.diag(coordinates[:p]).astype(complex)
    re, im = coordinates[p:].reshape(2, -1) / np.sqrt(2)
    out[upper] = re + 1j * im
    return out + np.triu(out, 1).conj().T
