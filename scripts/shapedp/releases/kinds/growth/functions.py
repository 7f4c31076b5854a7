"""Functions of age and of a second covariate by which a curve of growth is described, all of them public."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shapedp.privacy.integer_sums import Z_GRID

Floats = NDArray[np.float64]
# Of the splines, at most: fewer degrees are taken where noise leaves no more.
DEGREE = 3
# Bands of age for the spread, at most: each costs noise of its own.
BANDS = 3
# Ages at which the public range is looked at.
FINE = 400


@dataclass(frozen=True)
class Functions:
    """The functions z of a person's age, and of a second covariate.

    knots : (k,) public ages, the first and the last of which are the range; degree : of the splines between them; by :
    whether a second covariate multiplies them
    """

    knots: tuple[float, ...]
    degree: int
    by: bool

    @property
    def count(self) -> int:
        """The number of splines."""
        return self.degree + len(self._kept) - 1

    @property
    def size(self) -> int:
        """The number of functions in z."""
        return self.count * (1 + self.by)

    @property
    def _kept(self):
        """The knots that splines of this degree have: of a low degree only the range."""
        return self.knots if self.degree == DEGREE else (self.knots[0], self.knots[-1])

    def splines(self, ages: Floats) -> Floats:
        """Return (n, count) B-splines at ages, from which the curve of age and the bands of spread are put together.

        Ages are kept to the range; splines are not negative, and 1 together (Cox and de Boor).
        """
        inner = self._kept
        t = np.array([inner[0]] * self.degree + list(inner) + [inner[-1]] * self.degree)
        # Whatever a cell holds, an age counts as one of the public range: the sensitivity is proved for these.
        x = np.clip(np.asarray(ages, dtype=float), inner[0], inner[-1])[:, None]
        last = np.searchsorted(t, inner[-1]) - 1
        within = np.clip(np.searchsorted(t, x[:, 0], side="right") - 1, self.degree, last)
        b = (np.arange(len(t) - 1) == within[:, None]).astype(float)
        for d in range(1, self.degree + 1):
            with np.errstate(divide="ignore", invalid="ignore"):
                up = np.nan_to_num((x - t[: -d - 1]) / (t[d:-1] - t[: -d - 1]), posinf=0, neginf=0)
                down = np.nan_to_num((t[d + 1 :] - x) / (t[d + 1 :] - t[1:-d]), posinf=0, neginf=0)
            b = up[:, : b.shape[1] - 1] * b[:, :-1] + down[:, : b.shape[1] - 1] * b[:, 1:]
        return b

    @cached_property
    def ages(self) -> Floats:
        """Return (FINE,) ages that fill the public range evenly, over which the functions of age are compared."""
        return self.knots[0] + (self.knots[-1] - self.knots[0]) * (np.arange(FINE) + 0.5) / FINE

    @cached_property
    def turn(self) -> Floats:
        """Return (count, count), which turns splines into functions of age whose coefficients are shrunk one by one.

        These are kappa F of (15.1): F are orthonormal for even ages, powers of age first, and kappa^2 is 1/max |F|.
        """
        b = self.splines(self.ages)
        a = np.linspace(-1, 1, FINE)[:, None] ** np.arange(self.degree + 1)
        f = np.linalg.qr(np.column_stack([a, b]))[0][:, : self.count] * math.sqrt(FINE)
        # QR leaves the signs open: every function is positive at the last age, which `alike` counts on.
        f *= np.sign(f[-1])
        c = np.linalg.lstsq(b, f, rcond=None)[0]
        return c / np.sqrt(np.abs(self.splines(np.linspace(self.knots[0], self.knots[-1], FINE)) @ c).max(axis=0))

    @cached_property
    def kappa(self) -> Floats:
        """Return (size,) the length of each function in z, in which coefficients of curves of age are compared.

        It is the root mean square over even ages and s = 1 or -1.
        """
        f = self.splines(self.ages) @ self.turn
        return np.tile(np.sqrt(np.mean(f**2, axis=0)), 1 + self.by)

    @cached_property
    def alike(self) -> Floats:
        """Return (c, size) which functions of age, of the same signs at both ends, move together where a curve turns.

        They are classes c within each level. As growth turns there, coefficients of these go together (15.5), and so
        does what smoothing takes of them.
        """
        # All functions are positive at the last knot, so the sign at the first tells the class.
        first = (self.splines(np.array([self.knots[0]])) @ self.turn)[0, 1:] > 0
        return np.kron(np.eye(1 + self.by), np.pad(np.array([first, ~first], dtype=float), ((0, 0), (1, 0))))

    def find_places(self, lower: "Functions") -> NDArray[np.int64]:
        """Return which z of these are those of a lower degree: powers of age come first in both."""
        return (np.arange(1 + self.by)[:, None] * self.count + np.arange(lower.count)).ravel()

    @cached_property
    def zeta(self) -> float:
        """Return the bound of |z|, whatever a person's age, by which noise is scaled; on the grid of people's z."""
        ages = np.linspace(self.knots[0], self.knots[-1], FINE)
        longest = np.sqrt(np.max(np.sum(self.at(ages, np.ones(FINE)) ** 2, axis=1)))
        # Rounded up to the grid of z, so that rounding never makes z longer than is stated.
        return math.ceil(longest * Z_GRID) / Z_GRID

    def at(self, ages: Floats, other: Floats) -> Floats:
        """Return (n, size) z at ages (n,) and at the other covariate (n,), in [-1, 1]."""
        f = self.splines(ages) @ self.turn
        return np.column_stack([f, np.clip(other, -1, 1)[:, None] * f]) if self.by else f

    def evaluate(self, coded: Floats) -> Floats:
        """Return (n, size) z of people, what the released sums take of their ages and second covariates.

        They are coded in (n, 1 or 2): age from -1 to 1 over the range, and the other.
        """
        return self.at(
            self.decode_ages(coded), np.nan_to_num(coded[:, 1], nan=0.0) if self.by else np.zeros(len(coded))
        )

    def decode_ages(self, coded: Floats) -> Floats:
        """Return (n,) ages of people by coded covariates; one that is no number counts as the middle."""
        low, high = self.knots[0], self.knots[-1]
        return (low + high) / 2 + np.clip(np.nan_to_num(coded[:, 0], nan=0.0), -1, 1) * (high - low) / 2

    @cached_property
    def splines_by_band(self) -> Floats:
        """Return (b, count) which splines belong to each band of ages, for which people's spread is released."""
        part = np.array_split(np.arange(self.count), min(BANDS, self.count))
        return np.array([np.isin(np.arange(self.count), splines_of_band) for splines_of_band in part], dtype=float)

    def weights(self, ages: Floats) -> Floats:
        """Return (n, b) how much ages (n,) count in each band."""
        return self.splines(ages) @ self.splines_by_band.T

    @cached_property
    def places(self) -> tuple[Floats, Floats]:
        """Return (ages, other) of a grid of possible people, to whose moments noised ones are brought back.

        Ages cover the public range; other is the second covariate, -1 to 1.
        """
        ages = np.linspace(self.knots[0], self.knots[-1], 40)
        others = (-1.0, 0.0, 1.0) if self.by else (0.0,)
        return np.tile(ages, len(others)), np.repeat(others, len(ages))

    @cached_property
    def at_places(self) -> Floats:
        """Return (g, size) z of the people of `places`."""
        return self.at(*self.places)
