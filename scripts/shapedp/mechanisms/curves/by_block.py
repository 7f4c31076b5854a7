"""Each block (curve, coordinate) clipped to its own tau and released with its own mu_b; blocks compose in quadrature.

    matched     gain = mu_b/tau_b                      back = s_j tau_b/mu_b          v_j = s_j (2 tau_b/n)/mu_b
    rkhs        gain = (s_j/sqrt l_j) mu_b/(k tau_b)   back = sqrt l_j k tau_b/mu_b   k = max_j sqrt l_j/(l_j + phi)
    rkhs_paper  the same with k = 1/sqrt(phi), at least twice as large: really (k' sqrt(phi) mu)-GDP

s_j = l_j/(l_j + phi), l_j the kernel's eigenvalues; v_j the noise's standard deviation on coefficient j. One person
moves block b of the sum by at most 2 tau_b in the norm of its coefficients, times max_j gain.

Proofs: docs/mathematics.md, (3.5), (3.6) and (3.7).
"""

from dataclasses import dataclass

import numpy as np

from shapedp.mechanisms import budgets, kernel, smoothing
from shapedp.mechanisms.curves.base import AREA_UNIT, NOISE, Diagonal, shrinking


@dataclass(frozen=True)
class ByBlock(Diagonal):
    """tau : (J, 3) bounds on the blocks' norms."""

    tau: np.ndarray

    clipping = "norm"

    @classmethod
    def of(cls, asked):
        """Whitened by the mechanism's own spectrum, with the best public split where one total is given."""
        whiten, colour, share = cls._spectra(asked.kernel, asked.shape[-1])
        tau = asked.bounds.tau
        mu = budgets.of_blocks(asked.budget, tau**2 * np.sum(colour**2, axis=1))
        scale = (mu / tau)[..., None]
        return cls(
            n=asked.n,
            bound=budgets.total(mu * share),
            noise=NOISE,
            claimed=budgets.total(mu),
            center=asked.center,
            added_back=asked.center,
            gain=scale * whiten,
            back=colour / scale,
            tau=tau,
        )

    def clip(self, curves):
        """Each block shrunk to its tau."""
        deviations = curves - self.center
        return deviations * shrinking(kernel.norm(deviations), self.tau)[..., None]

    def stated_bounds(self):
        """tau of each block."""
        return (("tau", self.tau.tolist(), AREA_UNIT),)


class Matched(ByBlock):
    """White noise on the clipped coefficients, then the filter."""

    name = "matched"
    label = "curve by curve"
    words = "Gaussian noise on each coordinate of each mean curve, then the public smoothing filter"
    formula = "2 tau/n for each block, records clipped to tau; blocks compose in quadrature"

    @staticmethod
    def _spectra(settings, m):
        filters = smoothing.filters(m, **settings)
        return np.ones_like(filters), filters, np.ones(3)


class Rkhs(ByBlock):
    """Noise white in the kernel's norm on the smoothed coefficients, scaled to the exact sensitivity there."""

    name = "rkhs"
    label = "the paper's, corrected"
    words = "Gaussian-process noise on each smoothed mean curve, scaled to the exact sensitivity in the kernel's norm"
    formula = "(2 tau/n) max over k of sqrt(lambda_k)/(lambda_k + phi) for each block; blocks compose in quadrature"

    @classmethod
    def _spectra(cls, settings, m):
        filters = smoothing.filters(m, **settings)
        root = np.sqrt(kernel.spectrum(m, settings["rho"], settings["alpha"]))
        exact = (filters / root).max(axis=1)
        stretch = cls._stretch(exact, settings["phi"])
        return filters / root / stretch[:, None], root * stretch[:, None], exact / stretch

    @staticmethod
    def _stretch(exact, phi):
        return exact


class RkhsPaper(Rkhs):
    """The same, scaled by the paper's bound 1/sqrt(phi), at least twice the exact one."""

    name = "rkhs_paper"
    label = "the paper's, as printed"
    words = "Gaussian-process noise on each smoothed mean curve, scaled as in the paper"
    formula = "2 tau/(n sqrt(phi)) for each block, at least twice the exact one; blocks compose in quadrature"

    @staticmethod
    def _stretch(exact, phi):
        return np.asarray(phi, dtype=float) ** -0.5
