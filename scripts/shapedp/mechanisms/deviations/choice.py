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

A release may be shrunk towards p0, which is post-processing of the same draw: its coordinate along v_i is taken
s_i = e_i/(e_i + noise_i) times, e_i the expected square of the mean's coordinate where it may lie SHIFT away: the
posterior mean, were both normal. That errs by s_i^2 noise_i + (1 - s_i)^2 e_i, never more than either without.
"""

from dataclasses import dataclass, replace

import numpy as np

from shapedp.mechanisms import rounding

SHIFT = 0.25  # how far the cohort's mean may lie from p0, as a share of how far people do: a public guess
MOST = 10_000_000  # records


@dataclass(frozen=True)
class Choice:
    """axes : how many are released; clip : tau; noise, bias : expected squares, radian²; unlike : how much more the
    bias is where the mean lies SHIFT away; center : expected square of p0 alone; sampling : that of the cohort's mean,
    which no release betters; factors (axes,) by which the coordinates are shrunk, None for none.
    """

    axes: int
    clip: float
    noise: float
    bias: float
    unlike: float
    center: float
    sampling: float
    factors: np.ndarray | None = None

    @property
    def error(self):
        """Expected distance to the cohort's mean, in radian."""
        return float(np.sqrt(self.noise + self.bias))

    @property
    def error_unlike(self):
        """The same where the cohort's mean lies SHIFT of people's spread away."""
        return float(np.sqrt(self.noise + self.bias + self.unlike))

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


def choose(variation, n, noise, budget, shrinks=False):
    """The Choice with the least expected error of those that beat p0, else of all; noise : `gaussian` or `pure`.

    shrinks : whether what it releases is shrunk towards p0
    """
    noises, held_out, pull = noise(variation, n, budget), variation.held_out, _pull(variation, n)
    center = float(pull.sum())
    clipping = variation.clipped + variation.lost / n + variation.pulled**2 * np.cumsum(pull)
    biases = np.maximum(center - np.cumsum(pull), 0.0) + clipping
    beyond = np.maximum(held_out.sum() - np.cumsum(held_out), 0.0)
    unlike = SHIFT**2 * (beyond + variation.pulled**2 * np.cumsum(held_out))
    better = noises + biases < center
    best = int(np.argmin(np.where(better | ~better.any(), noises + biases + unlike, np.inf)))
    errors = (float(one[best]) for one in (variation.clips, noises, biases, unlike))
    plain = Choice(best + 1, *errors, center, float(held_out.sum() / n))
    return _shrunk(plain, variation, n) if shrinks else plain


def _pull(variation, n):
    """(q,) expected square of the mean's coordinate about p0, for a cohort like the public set."""
    return variation.held_out / n + np.abs(variation.means - variation.held_out / variation.people)


def _shrunk(plain, variation, n):
    """The Choice with its coordinates shrunk, beyond what clipping takes of them."""
    along, pulled = slice(plain.axes), variation.pulled[plain.axes - 1]
    roots, pull = np.sqrt(variation.moments[along]), _pull(variation, n)[along]
    noises, shift = plain.noise * roots / roots.sum(), SHIFT**2 * variation.held_out[along]
    factors = (pull + shift) / (pull + shift + noises)
    lost = (1 - factors * (1 - pulled)) ** 2 - pulled**2
    return replace(
        plain,
        factors=factors,
        noise=float(factors**2 @ noises),
        bias=plain.bias + float(lost @ pull),
        unlike=plain.unlike + float(lost @ shift),
    )


def turning(variation, noise, budget, shrinks=False):
    """The least number of records from which a release is expected to be nearer than p0, or None below MOST."""
    low, high = 1, 2
    while not choose(variation, high, noise, budget, shrinks).worth_it:
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        found = choose(variation, middle, noise, budget, shrinks)
        low, high = (low, middle) if found.worth_it else (middle, high)
    return high
