"""The whole face released in coordinates shaped by public people: noise goes where people differ, and looks like them.

C = sum_i l_i v_i v_i^T is a reproducing kernel on the whole face (curves, angle, coordinate), learned from public
faces. u_i = l_i^(-1/4) <v_i, x - center>, clipped to ||u|| <= tau; noise of standard deviation 2 tau/(n mu) on the mean
of u; back: center + sum_i s_i l_i^(1/4) u_i v_i. This is the paper's RKHS-smoothed mean with that kernel, its filter
s_i on coordinate i (`choice`). Why l^(1/4): with E||u||^2 = sum l_i w_i for weights w_i of the clip, noise sum 1/w_i,
Cauchy-Schwarz gives (sum l_i w_i)(sum 1/w_i) >= (sum sqrt l_i)^2, reached at w_i = l_i^(-1/2).

Privacy: a public linear map before the clip and one after the noise; one person moves the sum of u by at most 2 tau,
whatever C is. How good C is decides only how much noise is needed. Where n and mu allow it, tau is widened first by a
noised answer to how far people lie (`reach`): both stages together are mu-GDP.

Proofs: docs/mathematics.md, (11.1) to (11.5).
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import curve_mean
from shapedp.mechanisms.curves.base import NOISE, CurveMechanism, shrinking
from shapedp.mechanisms.shaped import choice, reach, unlike


@dataclass(frozen=True)
class Shaped(CurveMechanism):
    """center (J, 3, m); axes (k, J, 3, m), orthonormal in the mean over the points; gain, back (k,); chosen : what
    the planner chose; modes : how many of the axes are modes, the rest are harmonics; variation : what was learned
    first : mu_1 of the first stage, 0 where there is none; widened : by how much it widened tau, None before it
    """

    center: np.ndarray
    axes: np.ndarray
    gain: np.ndarray
    back: np.ndarray
    chosen: choice.Choice
    modes: int
    variation: object
    first: float = 0.0
    widened: float | None = None

    name = "shaped"
    label = "shaped like public people"
    words = (
        "Gaussian noise on the whole mean face at once, shaped as public faces differ: the smoothed mean in the space "
        "of a kernel learned from public faces, with the smoothing chosen by the planner; with enough people, first "
        "and with noise of its own, how far they lie beyond the public bound, which is widened by that"
    )
    formula = (
        "2 tau/n for the whole face in the norm sqrt(sum over axes of u^2), records clipped to tau; before it, where "
        "there is a first stage, 1/n for the mean of log(|u|/tau)/log 16, kept between 0 and 1"
    )
    clipping = "joint_norm"
    section = "variation"
    gives_curves = True
    at_once = 64  # the axes are turned to double precision once for all of these

    @classmethod
    def of(cls, asked):
        """Axes, clip and shrinkage chosen from n, mu and public numbers."""
        first, rest, chosen = reach.planned(asked.bounds, asked.n, _mu(asked.budget))
        made = cls.chosen_by(asked.bounds, asked.n, rest, chosen)
        return replace(made, claimed=_mu(asked.budget), first=first)

    @classmethod
    def chosen_by(cls, variation, n, mu, chosen):
        """The mechanism with these axes, clip and shrinkage, in one stage."""
        fourth = chosen.moments**0.25
        return cls(
            n=n,
            bound=mu,
            noise=NOISE,
            claimed=mu,
            center=variation.center,
            axes=variation.axes(chosen.axes),
            gain=mu / (chosen.tau * fourth),
            back=chosen.filters * fourth * chosen.tau / mu,
            chosen=chosen,
            modes=int(np.sum(chosen.axes < len(variation.modes))),
            variation=variation,
        )

    @property
    def mu(self):
        """Of both stages together."""
        return math.hypot(super().mu, self.first)

    @property
    def loose(self):
        """The bound over the public quantile."""
        return self.chosen.loose

    @property
    def coordinates(self):
        """(k,)."""
        return self.gain.shape

    def opening(self, read_rows, n):
        """Of how far people lie, where that is asked first."""
        if not self.first:
            return super().opening(read_rows, n)
        return curve_mean.summed(lambda curves: reach.integers(self.lengths(curves)), 1, self.at_once, read_rows, n)

    def settled(self, opening, read_rows, n, source):
        """With the bound that the noised first answer widened."""
        if not self.first:
            return self, opening
        answer, _ = reach.noised(opening, self.n, self.first, source)
        made = self.widened_by(reach.factor(answer[0], self.n, self.first))
        return made, curve_mean.total(made, read_rows, n)

    def widened_by(self, factor):
        """The mechanism whose bound is so many times as large, and its noise with it."""
        chosen = replace(self.chosen, tau=factor * self.chosen.tau, noise=factor**2 * self.chosen.noise)
        return replace(self, gain=self.gain / factor, back=self.back * factor, chosen=chosen, widened=factor)

    def lengths(self, curves):
        """||u||/tau of people's curves, before the clip."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.linalg.norm(self.gain * self._along(curves - self.center), axis=-1) / self.bound

    def encode(self, curves):
        """u, clipped; (..., k)."""
        with np.errstate(over="ignore", invalid="ignore"):  # whatever a record holds, the integer grid ends it
            u = self.gain * self._along(curves - self.center)
            return u * shrinking(np.linalg.norm(u, axis=-1), self.bound)[..., None]

    def decode(self, mean_coordinates):
        """center + the axes times back * u."""
        return self.center + np.tensordot(self.back * mean_coordinates, self.axes, axes=1)

    def coordinates_of(self, curves):
        """u of released curves."""
        return self._along(curves - self.center) / self.back

    def point_variances(self):
        """Each axis carries noise of its own: the sum of their squares at every point."""
        per_axis = (self.noise / self.n * self.back) ** 2
        return np.einsum("k,kjcm->jcm", per_axis, np.square(self.axes, dtype=float))

    def unlike(self, curves):
        """Whether released curves say that the cohort differs from the public set; None where they cannot say it."""
        filters, back = self.chosen.filters, self.back
        noise = self.noise / self.n * back / filters
        return unlike.differs(self.variation, self.chosen, self.n, self._along(curves - self.center) / filters, noise)

    def variances(self):
        """(J, 3) mean over the points of each curve."""
        return self.point_variances().mean(axis=-1)

    def worst_pair(self):
        """Twice as far as the bound along the first axis, on either side."""
        away = 2 * self.bound / self.gain[0] * self.axes[0].astype(float)
        return np.stack([self.center - away, self.center + away])

    def inputs(self, kernel_settings):
        """How many modes and harmonics, and phi of the filter, as the planner chose them; the kernel is learned. w :
        shares of mu^2 of the two stages.
        """
        del kernel_settings
        return {
            **{"n": self.n, "mu": self.mu, "tau": self.chosen.tau, "phi": self.chosen.phi},
            **{"modes": self.modes, "harmonics": len(self.axes) - self.modes},
            "w": [(self.first / self.mu) ** 2, (self.bound / self.mu) ** 2],
        }

    def stated_bounds(self):
        """The one bound, in the norm of the coordinates u."""
        return (("tau_shaped", self.chosen.tau, "1"),)

    def _along(self, deviations):
        points = self.axes.shape[1] * self.axes.shape[3]
        flat = deviations.reshape(*deviations.shape[:-3], -1)
        return flat @ self.axes.reshape(len(self.axes), -1).T.astype(float) / points


def _mu(budget):
    """mu of the whole face: no curve has a budget of its own."""
    if "mu_total" not in budget:
        raise RefusedRelease("mechanism `shaped` releases the whole face at once: give its budget as mu_total")
    return float(budget["mu_total"])
