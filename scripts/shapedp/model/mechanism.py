"""The mechanism of a model: three moments of people's shaped coordinates and covariates, under one mu.

A person is clipped as for a mean, u with ||u|| <= tau, and their covariates to [-1, 1]; what is released are the
sums of `mechanisms.moments`, whose joint sensitivity is proved there. Mean, effects and modes follow from these.

Proofs: docs/mathematics.md, (11.1), (12.1) and (12.2).
"""

from dataclasses import dataclass, replace

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import curve_mean
from shapedp.mechanisms.base import Mechanism
from shapedp.mechanisms.cost import GAUSSIAN, Cost
from shapedp.mechanisms.moments import U_GRID, Moments
from shapedp.mechanisms.shaped import choice
from shapedp.mechanisms.shaped.mechanism import Shaped
from shapedp.model import effects, modes, split


@dataclass(frozen=True)
class Model(Mechanism):
    """shaped : how people become coordinates, the public axes of which are `shaped.axes`; moments : what is released of
    these, in the units of `shaped`; variances : (q,) of people's coordinates in the public set; asked : modes;
    covariates : covariates.Covariate each
    """

    n: int
    mu: float
    shaped: object
    moments: Moments
    variances: np.ndarray
    covariates: tuple
    asked: int

    name = "moments"
    label = "mean, spread and modes"
    formula = "the largest joint move of the three weighted sums, people clipped to tau and covariates to [-1, 1]"
    clipping = "joint_norm"
    sampler = "discrete_gaussian"

    @classmethod
    def planned(cls, variation, shaped, n, mu, covariates, asked):
        """The model of n people, split by the planner from public numbers alone."""
        chosen = shaped.chosen
        if not np.any(chosen.axes < len(variation.modes)):
            raise RefusedRelease(
                f"a model of {n} people at mu = {mu:g}: noise would leave no mode of the public set; ask for a mean, "
                "or a larger mu"
            )
        shared = split.best(variation, chosen, n, mu, covariates, asked)
        moments = Moments(n, shared.q, shared.leading, shaped.bound, shared.kappa, mu, shared.shares)
        return cls(n, mu, shaped, moments, variation.variances[chosen.axes] * shaped.gain**2, tuple(covariates), asked)

    @property
    def modes(self):
        """How many modes are released, shown or not: public."""
        return min(self.asked, self.moments.leading)

    @property
    def center(self):
        """(J, 3, m) the public reference."""
        return self.shaped.center

    def cost(self):
        """mu-GDP for the three moments together."""
        return Cost(GAUSSIAN, mu=self.mu)

    def sensitivity(self):
        """Of the sums over their noise."""
        return self.mu

    def grid(self):
        """Step of the finest of the three sums, divided by n."""
        return self.moments.tau / U_GRID / self.n

    def discretisation(self):
        """(g/sigma)^2/24 of the coarsest grid beside its noise."""
        steps = self.moments.steps
        made = np.isfinite(self.moments.noise)
        return float(np.max((steps[made] / self.moments.noise[made]) ** 2) / 12)

    def stated_bounds(self):
        """The bound on ||u||, in the norm of the coordinates, and the weights of z = (1, covariates)."""
        return (
            ("tau_shaped", self.shaped.chosen.tau, "1"),
            ("weights", self.moments.z_weights.tolist(), "1"),
        )

    def inputs(self):
        """What sensitivity and noise follow from, by symbol; w : shares of mu^2."""
        return {
            **{"n": self.n, "mu": self.mu, "tau": self.shaped.chosen.tau, "kappa": self.moments.kappa.tolist()},
            **{"p": self.moments.p, "modes": self.moments.leading, "w": self.moments.shares.tolist()},
        }

    def noise_size(self):
        """Root mean square distance that the noise moves a point of the mean."""
        return float(self.moments.noise[0] / self.n * np.linalg.norm(self.shaped.back))

    def in_units_of_tau(self):
        """The moments in the planner's units, in which tau is that of the public set."""
        return replace(self.moments, tau=self.shaped.chosen.tau)

    def total(self, read_rows, rows, coded):
        """The three exact sums; read_rows(start, stop) -> people's curves, coded (rows, p) covariates in [-1, 1]."""
        found = self.moments.sums(np.zeros((0, self.moments.q)), np.zeros((0, self.moments.p)))
        for start, stop in curve_mean.chunks(rows):
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                u = self.shaped.encode(read_rows(start, stop))
            found = [one + more for one, more in zip(found, self.moments.sums(u, coded[start:stop]), strict=True)]
        return found

    def draw(self, sums, source):
        """(Effects, Modes) from the sums with noise: what is called once a release."""
        m1, m2, m3 = self.moments.draw(sums, source)
        noise = self.moments.noise
        leading = self.moments.leading
        fitted = effects.fit(m1, m2, m3, noise, self.n, self.variances)
        return fitted, modes.find(m1, m3, noise, self.n, self.shaped.back[:leading])


class FaceModel(Model):
    """Of faces, as `shaped` encodes them."""

    words = (
        "Gaussian noise on three sums at once, of people's coordinates along the ways in which public faces differ, "
        "of their covariates, and of products of these: mean, effects and modes of variation follow from them"
    )

    @classmethod
    def of(cls, variation, n, mu, covariates=(), asked=split.FIRST):
        """The model of n people that is made from a public shaped.variation.Variation."""
        check_count(n)
        chosen = choice.choose(variation, n, for_choice(mu, covariates), shrinks=False)
        return cls.planned(variation, Shaped.chosen_by(variation, n, mu, chosen), n, mu, covariates, asked)


def check_count(n):
    """Refuse a model of one."""
    if n < 2:
        raise RefusedRelease(f"a model is made from at least 2 people, got n = {n}")


def for_choice(mu, covariates):
    """The mu by which the axes are chosen: noise on M1 grows with the length of z."""
    return mu / np.sqrt(1 + len(covariates))
