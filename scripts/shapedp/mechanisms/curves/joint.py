"""The whole face clipped to one tau and released at once.

    gain = w_b r_j mu/tau    back = s_j tau/(w_b r_j mu)    v_j = s_j (2 tau/n)/(mu w_b r_j)

clipped so that sum (w_b r_j c_j)^2 <= tau^2; r_j^2 = sqrt(1 + f_j^2), or 1 with bounds from numbers. One person moves
the sum by at most 2 tau in that norm.

Proof: docs/mathematics.md, (3.8).
"""

from dataclasses import dataclass

import numpy as np

from shapedp.mechanisms import budgets, kernel, smoothing
from shapedp.mechanisms.curves.base import NOISE, Diagonal, shrinking


@dataclass(frozen=True)
class MatchedJoint(Diagonal):
    """weights : (J, 3) w_b; tau : the bound on the whole face's norm."""

    weights: np.ndarray
    tau: float

    name = "matched_joint"
    label = "whole face at once"
    words = "Gaussian noise on the whole mean face at once, then the public smoothing filter"
    formula = (
        "2 tau/n for the whole face in the norm sqrt(sum over blocks of (w |x|)^2), records clipped to tau; |x|^2 "
        "counts the power at frequency f sqrt(1 + f^2) times, or once where tau is given as numbers"
    )
    clipping = "joint_norm"

    @classmethod
    def of(cls, asked):
        """Weights by the best split of the budget over the blocks."""
        m, bounds = asked.shape[-1], asked.bounds
        filters = smoothing.filters(m, **asked.kernel)
        weigh = np.ones(m) if bounds.deviations is None else np.sqrt(kernel.roughness(m))
        tau_blocks = bounds.of_blocks()
        mu = budgets.of_blocks(asked.budget, tau_blocks**2 * np.sum((filters / weigh) ** 2, axis=1))
        total = budgets.total(mu)
        weights = mu / (tau_blocks * total)
        tau = bounds.joint(weights)
        scale = weights[..., None] * weigh * total / tau
        return cls(
            n=asked.n,
            bound=total,
            noise=NOISE,
            claimed=total,
            center=asked.center,
            added_back=asked.center,
            gain=scale,
            back=filters / scale,
            weights=weights,
            tau=tau,
        )

    def clip(self, curves):
        """Whole faces shrunk to the joint bound, whose norm is the length of coordinates."""
        deviations = curves - self.center
        return deviations * self._shrinking(self.gain * kernel.coefficients(deviations))

    def encode(self, curves):
        """Clipped in the coordinates: one Fourier transform instead of two."""
        u = self.gain * kernel.coefficients(curves - self.center)
        return u * self._shrinking(u)

    def _shrinking(self, u):
        """(..., 1, 1, 1) factor that takes whole faces to the joint bound."""
        lengths = np.sqrt(np.sum(np.square(u).reshape(*u.shape[:-3], -1), axis=-1))
        return shrinking(lengths, self.bound)[..., None, None, None]

    def stated_bounds(self):
        """The one tau, and the weights of the norm."""
        return ("tau_joint", float(self.tau), "1"), ("weights", self.weights.tolist(), "1")
