"""Public bounds on a person's curves: how far from the reference a person may be before being clipped.

They come from numbers in the settings, or from a public population, as a quantile of its norms with a margin. Bounds
computed from the private cohort (`data`, as in the paper: the largest norm) are for reproduction; the release says so.

The norm is ||x||^2 = (1/m) sum_k x_k^2 on m points of the circle, m even. Orthonormal in it is the real Fourier basis,
in the order 1, cos 1, sin 1, cos 2, sin 2, ..., Nyquist, and the periodic powered exponential kernel is diagonal in
that: docs/mathematics.md, (3.1) and (3.2).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.statistic import chunks

ROOT2 = np.sqrt(2.0)
# Of a bound from the data, in lengths of a unit-area face. With it no record decides whether there is a release.
LEAST = 1e-9


def kernel_column(m: int, rho: float, alpha: float) -> NDArray[np.float64]:
    """Return (m,) the smoothing kernel k(0, t_k) between the first sample of a closed curve and each, for `spectrum`.

    Parameters
    ----------
    m : int
        Samples of a curve, even.
    rho : float
        Range of the kernel, radian.
    alpha : float
        Power of the distance, in (0, 1].
    """
    if not (rho > 0 and 0 < alpha <= 1):
        raise RefusedRelease(f"the kernel needs rho > 0 and alpha in (0, 1], got rho = {rho}, alpha = {alpha}")
    if m < 2 or m % 2:
        raise RefusedRelease(f"curves need an even number of samples, got m = {m}")
    k = np.arange(m)
    # The curve is closed: the way round is the shorter of the two.
    distance = 2 * np.pi * np.minimum(k, m - k) / m
    return np.exp(-((distance / rho) ** alpha))


def frequencies(m: int) -> NDArray[np.int64]:
    """Return the frequency (m,) of each basis function."""
    return (np.arange(m) + 1) // 2


def spectrum(m: int, rho: float, alpha: float) -> NDArray[np.float64]:
    """Return (m,) eigenvalues of the smoothing kernel, in the basis' order, by which filters and noise are shaped.

    Parameters
    ----------
    m, rho, alpha
        As of `kernel_column`.
    """
    return (np.fft.fft(kernel_column(m, rho, alpha)).real / m)[frequencies(m)]


def coefficients(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Fourier coefficients (..., m) of closed curves (..., m), in which they are smoothed and noised.

    They are (1/m) sum_k x_k b_j(t_k); `curves` is the inverse.
    """
    m = x.shape[-1]
    waves = np.fft.rfft(x, axis=-1) / m
    real_coefficients = np.empty_like(x, dtype=float)
    real_coefficients[..., 0] = waves[..., 0].real
    real_coefficients[..., 1:-1:2] = ROOT2 * waves[..., 1:-1].real
    real_coefficients[..., 2:-1:2] = -ROOT2 * waves[..., 1:-1].imag
    real_coefficients[..., -1] = waves[..., -1].real
    return real_coefficients


def curves(c: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return closed curves (..., m) from their Fourier coefficients (..., m), sum_j c_j b_j(t_k): back to points."""
    m = c.shape[-1]
    waves = np.empty((*c.shape[:-1], m // 2 + 1), dtype=complex)
    waves[..., 0] = c[..., 0]
    waves[..., 1:-1] = (c[..., 1:-1:2] - 1j * c[..., 2:-1:2]) / ROOT2
    waves[..., -1] = c[..., -1]
    return np.fft.irfft(waves * m, n=m, axis=-1)


def roughness(m: int) -> NDArray[np.float64]:
    """Return sqrt(1 + f^2) (m,): what a coefficient of frequency f weighs in the joint norm.

    People's outlines differ mostly in low frequencies, so a bound on this norm (Sobolev's, of order 1/2) is reached by
    slow differences, and noise spread evenly in it puts less into the rest.
    """
    return np.sqrt(1 + frequencies(m) ** 2.0)


def rough_norm(c: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the norm of curves given by coefficients (..., m): the root of sum_f sqrt(1 + f^2) c_f^2."""
    return np.sqrt(np.sum(roughness(c.shape[-1]) * np.square(c), axis=-1))


def norm(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ||x|| of curves (..., m): the root of the mean square."""
    return np.sqrt(np.mean(np.square(x), axis=-1))


def filters(m: int, rho: float, alpha: float, phi: ArrayLike) -> NDArray[np.float64]:
    """Return (3, m) factors by which the paper's smoothing shrinks each Fourier coefficient of x, y and z.

    They are s_j = lambda_j/(lambda_j + phi), lambda the kernel's `spectrum`.

    Parameters
    ----------
    m, rho, alpha
        As of `kernel_column`.
    phi : (3,) float
        How much x, y and z are smoothed; positive.
    """
    phi = np.asarray(phi, dtype=float)
    if not np.all(phi > 0):
        raise RefusedRelease(f"phi must be positive, got {phi.tolist()}")
    eigenvalues = spectrum(m, rho, alpha)
    return eigenvalues / (eigenvalues + phi[:, None])


def smooth(x: NDArray, filters: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return curves smoothed as the paper's RKHS mean is, without noise: what tables and figures set releases beside.

    Each Fourier coefficient of x, y and z is multiplied by its filter; mechanisms filter coefficients themselves.

    Parameters
    ----------
    x : (..., 3, m) float
        Curves.
    filters : (3, m) float
        A factor for each coefficient.

    Returns
    -------
    (..., 3, m) float
    """
    return curves(coefficients(x) * filters)


@dataclass(frozen=True)
class Bounds:
    """How far people may lie from the reference.

    tau : (J, 3) of the blocks' norms; lower, upper : (J, 3, m) of the points, or None
    deviations : (n, J, 3) the blocks' rough norms in the public population, from which a joint bound is taken, or None
    source : in words; public : whether it is
    """

    tau: np.ndarray
    lower: np.ndarray | None
    upper: np.ndarray | None
    deviations: np.ndarray | None
    quantile: float
    margin: float
    source: str
    public: bool

    def check(self, shape: tuple[int, ...], reference: NDArray[np.float64] | None) -> None:
        """Refuse bounds or a reference that do not belong to these curves, and a bound of 0, with noise of scale 0."""
        if self.tau.shape != shape[:2] or (reference is not None and reference.shape != shape):
            raise RefusedRelease(
                f"curves of shape {shape} need tau {shape[:2]}, got {self.tau.shape}, and a reference of that shape; "
                "were bounds, template and curves made with the same settings?"
            )
        if not (np.all(self.tau > 0) and np.all(np.isfinite(self.tau))):
            raise RefusedRelease(
                "every tau must be a positive number; does the reference set hold the reference alone?"
            )

    def block_bounds(self) -> NDArray[np.float64]:
        """Return bounds (J, 3) on each x, y or z of a curve, by which a joint release weighs them in its one clip.

        `matched_joint` clips the whole face at once (`joint_bound`), no block by itself. They bound rough norms where
        they come from a population, plain ones where they are numbers of the settings.
        """
        if self.deviations is None:
            return self.tau
        return self.margin * np.quantile(self.deviations, self.quantile, axis=0, method="higher")

    def joint_bound(self, weights: NDArray[np.float64]) -> Any:
        """Return tau to which the whole face is clipped when it is released at once, in the norm of weighted blocks.

        A block b is x, y or z of a curve, and the norm is sqrt(sum_b w_b^2 ||x_b||^2); tau is at most what the blocks'
        bounds come to together.
        """
        # The blocks' bounds together hold for anybody; the quantile of whole faces is taken where it is less.
        sum_of_bounds = float(np.sqrt(np.sum((weights * self.block_bounds()) ** 2)))
        if self.deviations is None:
            return sum_of_bounds
        lengths = np.sqrt(np.sum((weights * self.deviations) ** 2, axis=(1, 2)))
        return min(sum_of_bounds, self.margin * float(np.quantile(lengths, self.quantile, method="higher")))


def from_numbers(tau: ArrayLike, curves: int) -> Bounds:
    """Return the Bounds that people's curves are clipped to, as settings name them: tau of x, y, z for every curve.

    Parameters
    ----------
    tau : (3,) float
        Bounds on a curve's x, y, z about the reference, in square roots of the face's area.
    curves : int
        How many curves there are.
    """
    tau = np.asarray(tau if tau is not None else [], dtype=float)
    if tau.shape != (3,) or not (np.all(tau > 0) and np.all(np.isfinite(tau))):
        raise RefusedRelease(f"public bounds need faces.bounds.tau: three positive numbers, got {tau.tolist()}")
    return Bounds(np.tile(tau, (curves, 1)), None, None, None, 1.0, 1.0, "numbers in the settings", True)


def from_population(
    read_rows: Callable[[int, int], NDArray[np.float64]],
    n: int,
    reference: NDArray[np.float64],
    quantile: float,
    margin: float,
    source: str,
    public: bool,
) -> Bounds:
    """Return the Bounds that people's curves are clipped to, as quantiles of how far a population's people lie.

    They are quantiles of block norms about the reference, and at each point the population's range.

    Parameters
    ----------
    read_rows : callable
        (start, stop) -> people's curves (stop - start, J, 3, m), read a few at a time.
    n : int
        How many people there are.
    reference : (J, 3, m) float
        What is subtracted, zero where nothing is.
    quantile : float
        Of the norms, in (0, 1].
    margin : float
        Times that the quantile and the ranges are taken.
    source : str
        Where the population comes from, in words.
    public : bool
        Whether it is public.
    """
    if n < 2:
        raise RefusedRelease(f"bounds need a population of at least 2 faces, got {n}")
    norms, rough_norms, low, high = [], [], np.inf, -np.inf
    for start, stop in chunks(n):
        curves = read_rows(start, stop)
        norms.append(norm(curves - reference))
        rough_norms.append(rough_norm(coefficients(curves - reference)))
        low, high = np.minimum(low, curves.min(axis=0)), np.maximum(high, curves.max(axis=0))
    # A public set in which nobody differs is a mistake, which `Bounds.check` refuses; so no floor hides it.
    floor = 0.0 if public else LEAST
    middle, half_range = (low + high) / 2, np.maximum((high - low) / 2 * margin, floor)
    tau = np.maximum(margin * np.quantile(np.concatenate(norms), quantile, axis=0, method="higher"), floor)
    rough_norms = np.maximum(np.concatenate(rough_norms), floor)
    return Bounds(tau, middle - half_range, middle + half_range, rough_norms, quantile, margin, source, public)
