"""Mechanisms with noise on the Fourier coefficients of curves, by block or jointly, and on every point.

By block, each block (curve, coordinate) is clipped to its own tau and released with its own mu_b; blocks compose in
quadrature. Jointly, the whole face is clipped to one tau and released at once. Point by point, noise on every
coordinate of every point is scaled to the point's public range; coordinates compose in quadrature.

Gains, noise and proofs: docs/mathematics.md, (3.5) to (3.9).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.accounting.cost import compose_mu, mu_of_blocks
from shapedp.privacy.curves import bounds
from shapedp.privacy.curves.base import AREA_UNIT, NOISE, Diagonal, shrink_factor
from shapedp.privacy.proofs import Proofs


@dataclass(frozen=True)
class ByBlock(Diagonal):
    """A mechanism that clips and releases each block by itself; tau : (J, 3) bounds on the blocks' norms."""

    tau: np.ndarray

    clipping = "norm"

    @classmethod
    def from_settings(cls, settings: Any) -> Any:
        """Return the mechanism that a release's settings ask for, whitened by its own spectrum.

        A total mu is split as is best.
        """
        whiten, colour, mu_share = cls._spectra(settings.kernel, settings.shape[-1])
        tau, c = settings.bounds.tau, settings.center
        mu = mu_of_blocks(settings.budget, tau**2 * np.sum(colour**2, axis=1))
        scale = (mu / tau)[..., None]
        return cls(settings.n, compose_mu(mu * mu_share), NOISE, compose_mu(mu), c, scale * whiten, colour / scale, tau)

    def clip(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        deviations = curves - self.center
        return deviations * shrink_factor(bounds.norm(deviations), self.tau)[..., None]

    def stated_bounds(self) -> tuple:
        return (("tau", self.tau.tolist(), AREA_UNIT),)


class Matched(ByBlock):
    """The mechanism with white noise on each block's clipped coefficients, filtered afterwards."""

    proofs = Proofs(("3", "test_curve_mechanisms"), machine_checked=("2.5", "3.3", "4.1", "4.3"))
    name = "matched"
    label = "curve by curve"
    words = "Gaussian noise on each coordinate of each mean curve, then the public smoothing filter"
    formula = "2 tau/n for each block, records clipped to tau; blocks compose in quadrature"

    @staticmethod
    def _spectra(settings, m) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        filters = bounds.filters(m, **settings)
        return np.ones_like(filters), filters, np.ones(3)


class Rkhs(ByBlock):
    """The paper's mechanism, corrected.

    Noise is white in the kernel's norm on the smoothed coefficients of each block, scaled to the exact sensitivity
    there.
    """

    proofs = Proofs(("3", "test_curve_mechanisms"), machine_checked=("2.5", "3.3", "4.1", "4.3"))
    name = "rkhs"
    label = "the paper's, corrected"
    words = "Gaussian-process noise on each smoothed mean curve, scaled to the exact sensitivity in the kernel's norm"
    formula = "(2 tau/n) max over k of sqrt(lambda_k)/(lambda_k + phi) for each block; blocks compose in quadrature"

    # Whether noise is scaled to the paper's bound 1/sqrt(phi), rather than to the exact sensitivity.
    as_printed = False

    @classmethod
    def _spectra(cls, settings, m) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return (3, m) factors to coordinates that are white in the kernel's norm, those back, and (3,) shares of mu.

        A share is 1 where noise is scaled to the exact sensitivity, and less where it is as printed.
        """
        filters = bounds.filters(m, **settings)
        root = np.sqrt(bounds.spectrum(m, settings["rho"], settings["alpha"]))
        exact = (filters / root).max(axis=1)
        stretch = np.asarray(settings["phi"], dtype=float) ** -0.5 if cls.as_printed else exact
        return filters / root / stretch[:, None], root * stretch[:, None], exact / stretch


class RkhsPaper(Rkhs):
    """The paper's mechanism as printed: its scale is the bound 1/sqrt(phi), at least twice the exact sensitivity."""

    proofs = Proofs(("3", "test_curve_mechanisms"), machine_checked=("3.3", "3.7", "4.1", "4.3"))
    name = "rkhs_paper"
    label = "the paper's, as printed"
    words = "Gaussian-process noise on each smoothed mean curve, scaled as in the paper"
    formula = "2 tau/(n sqrt(phi)) for each block, at least twice the exact one; blocks compose in quadrature"
    as_printed = True


@dataclass(frozen=True)
class MatchedJoint(Diagonal):
    """A mechanism that clips the whole face to one bound.

    weights : (J, 3) w_b; tau : the bound on the whole face's norm
    """

    weights: np.ndarray
    tau: float

    proofs = Proofs(("3", "test_curve_mechanisms"), machine_checked=("4.1", "4.3"))
    name = "matched_joint"
    label = "whole face at once"
    words = "Gaussian noise on the whole mean face at once, then the public smoothing filter"
    formula = (
        "2 tau/n for the whole face in the norm sqrt(sum over blocks of (w |x|)^2), records clipped to tau; |x|^2 "
        "counts the power at frequency f sqrt(1 + f^2) times, or once where tau is given as numbers"
    )
    clipping = "joint_norm"

    @classmethod
    def from_settings(cls, settings: Any) -> Any:
        """Return the mechanism that a release's settings ask for, its blocks weighted by the best split of the budget
        over them.
        """
        m, public_bounds = settings.shape[-1], settings.bounds
        filters = bounds.filters(m, **settings.kernel)
        # Bounds that are numbers are on plain norms; those of a population on rough ones.
        roots = np.ones(m) if public_bounds.deviations is None else np.sqrt(bounds.roughness(m))
        tau_blocks = public_bounds.block_bounds()
        mu = mu_of_blocks(settings.budget, tau_blocks**2 * np.sum((filters / roots) ** 2, axis=1))
        total = compose_mu(mu)
        weights = mu / (tau_blocks * total)
        tau = public_bounds.joint_bound(weights)
        scale = weights[..., None] * roots * total / tau
        return cls(settings.n, total, NOISE, total, settings.center, scale, filters / scale, weights, tau)

    def clip(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return whole faces shrunk to the joint bound, whose norm is the length of coordinates."""
        deviations = curves - self.center
        return deviations * self._shrinking(self.gain * bounds.coefficients(deviations))

    def encode(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return coordinates clipped as coordinates: one Fourier transform instead of two."""
        u = self.gain * bounds.coefficients(curves - self.center)
        return u * self._shrinking(u)

    def _shrinking(self, u):
        """Return the factor (..., 1, 1, 1) that takes whole faces to the joint bound."""
        lengths = np.sqrt(np.sum(np.square(u).reshape(*u.shape[:-3], -1), axis=-1))
        return shrink_factor(lengths, self.bound)[..., None, None, None]

    def stated_bounds(self) -> tuple:
        return ("tau_joint", float(self.tau), "1"), ("weights", self.weights.tolist(), "1")


@dataclass(frozen=True)
class Pointwise(Diagonal):
    """A mechanism with noise on every point; limits : least and largest value of each coordinate, two (J, 3, m)."""

    limits: tuple

    proofs = Proofs(("3", "test_curve_mechanisms"), machine_checked=("3.9", "4.1", "4.3"))
    name = "pointwise"
    label = "point by point"
    words = "Gaussian noise on each coordinate of each point"
    formula = "range/n for each coordinate, records clamped to the range; coordinates compose in quadrature"
    clipping = "range"
    budgets = ("mu_total",)
    gives_curves = False
    # Whether noise is n times as large as is needed, as the paper prints it.
    literal = False

    @classmethod
    def from_settings(cls, settings: Any) -> Any:
        """Return the point-wise mechanism that a release's settings ask for, or refuse what gives it no ranges.

        It is about the middle of the ranges, whatever the reference.
        """
        lower, upper = settings.bounds.lower, settings.bounds.upper
        if lower is None:
            raise RefusedRelease(
                "a point-wise release needs ranges: set bounds to `reference_set` (or `data`, not private)"
            )
        if not np.all(upper > lower):
            raise RefusedRelease(
                "every point-wise range must be wider than 0; does the reference set hold one face alone?"
            )
        total = compose_mu(mu_of_blocks(settings.budget, np.ones(settings.shape[:2])))
        gain = 2 * (total / np.sqrt(np.prod(settings.shape))) / (upper - lower)
        middle = (lower + upper) / 2
        noise = NOISE * (settings.n if cls.literal else 1)
        return cls(settings.n, total, noise, total, middle, gain, 1 / gain, (lower, upper))

    def clip(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.clip(curves, *self.limits) - self.center

    def stated_bounds(self) -> tuple:
        lower, upper = self.limits
        return (("range", (upper - lower).tolist(), AREA_UNIT),)


class PointwiseLiteral(Pointwise):
    """The mechanism point by point as the paper prints it, with n times the noise that is needed."""

    proofs = Proofs(("3", "test_curve_mechanisms"))
    name = "pointwise_literal"
    label = "point by point, as printed"
    words = "Gaussian noise on each coordinate of each point, n times as large as needed, as printed in the paper"
    formula = "range for each coordinate, n times the exact one; coordinates compose in quadrature"
    literal = True
