"""How many axes a release has, and whether it is worth making, from n, the budget and public numbers alone.

u_i = l_i^(-1/4) <v_i, x>, i = 1..q, ||u|| clipped to tau; the mean of u moves by at most 2 tau/n. Noise on it becomes
l_i^(1/4) as large along v_i: of the squared error it is

    (2 tau/(n mu))^2 sum sqrt(l_i)           Gaussian, mu-GDP
    (q + 1) (2 tau/(n eps))^2 sum sqrt(l_i)   K-norm, eps-DP (Hardt, Talwar 2010)

What is not released stays at p0, and errs by the mean's own coordinate: its expected square is the chance in who takes
part, people's second moment over n, and p0's own distance, |square of the public mean's coordinate - second moment/m|
for m public people: where p0 is their mean that is its own chance, and elsewhere what is left of theirs. Clipping moves
the mean besides. Axes are chosen for a cohort whose mean may lie SHIFT of people's spread away from there; errors
are foretold, and a release is worth making, for a cohort like the public set, to which p0 comes nearest.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.mechanisms import rounding

SHIFT = 0.25  # how far the cohort's mean may lie from p0, as a share of how far people do: a public guess
MOST = 10_000_000  # records


@dataclass(frozen=True)
class Choice:
    """axes : how many are released; clip : tau; noise, bias : expected squares, radian²; center : that of p0
    alone; sampling : that of the cohort's mean, which no release betters.
    """

    axes: int
    clip: float
    noise: float
    bias: float
    center: float
    sampling: float = 0.0

    @property
    def error(self):
        """Expected distance to the cohort's mean, in radian."""
        return float(np.sqrt(self.noise + self.bias))

    @property
    def center_error(self):
        """The same of the public center with no data at all."""
        return float(np.sqrt(self.center))

    @property
    def worth_it(self):
        """Whether the release is expected to be nearer than p0, which costs nothing."""
        return self.error < self.center_error


def gaussian(variation, n, mu):
    """(q,) expected squared noise with the first 1, 2, ... axes."""
    return (2 * variation.clips / (n * mu)) ** 2 * np.cumsum(np.sqrt(variation.moments))


def pure(variation, n, epsilon):
    """The same of the K-norm mechanism."""
    return (np.arange(len(variation.clips)) + 2) * gaussian(variation, n, rounding.spent(epsilon))


def choose(variation, n, noise, budget):
    """The Choice with the least expected error of those that beat p0, else of all; noise : `gaussian` or `pure`."""
    noises, held_out = noise(variation, n, budget), variation.held_out
    pull = held_out / n + np.abs(variation.means - held_out / variation.people)
    center = float(pull.sum())
    clipping = variation.clipped + variation.lost / n + variation.pulled**2 * np.cumsum(pull)
    biases = np.maximum(center - np.cumsum(pull), 0.0) + clipping
    unlike = SHIFT**2 * np.maximum(held_out.sum() - np.cumsum(held_out), 0.0)
    better = noises + biases < center
    best = int(np.argmin(np.where(better | ~better.any(), noises + biases + unlike, np.inf)))
    return Choice(
        best + 1, float(variation.clips[best]), float(noises[best]), float(biases[best]), center, held_out.sum() / n
    )


def turning(variation, noise, budget):
    """The least number of records from which a release is expected to be nearer than p0, or None below MOST."""
    low, high = 1, 2
    while not choose(variation, high, noise, budget).worth_it:
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if choose(variation, middle, noise, budget).worth_it else (middle, high)
    return high
