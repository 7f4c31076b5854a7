"""How far people lie, asked first with noise of its own: no public number can tell it of a cohort that is unlike.

A cohort that lies farther from the reference than public people from each other would be clipped on one side, and its
mean with it. So a small share of mu^2 buys the mean over people of

    a = log(||u||/tau)/log WIDEST, kept to [0, 1],    u a person's coordinates before the clip

and the release is clipped to tau' = tau WIDEST^min(1, MARGIN max(0, mean of a - its noise's standard deviation)): tau
itself where the cohort is like the public set. One person moves the sum of 2a - 1 by at most 2; given its noised value
tau' is a number, so the two stages compose: mu^2 = mu_1^2 + mu_2^2. What they cost where nothing was to be found is
decided in advance: SHARE of mu^2, and nothing where n and mu are too small to see a factor of exp(COARSEST).

Proofs: docs/mathematics.md, (11.4) and (11.5).
"""

import math

import numpy as np

from shapedp.mechanisms import integer_sums
from shapedp.mechanisms.shaped import choice

WIDEST = 16.0  # times tau, at most
SHARE = 0.05  # of mu^2, at most: noise grows by 2.6 %
PRECISION = 0.03  # of log(tau'/tau), by the noise; a finer answer is worth nothing
COARSEST = 0.35  # of the same: with more noise nothing is asked
MARGIN = 1.2  # people lie farther than their geometric mean, half of them


def planned(variation, n, mu):
    """(mu_1, mu_2, choice.Choice): what is spent on asking first, what on the release, and what is released."""
    first = budget(n, mu)
    rest = math.sqrt(mu**2 - first**2)
    return first, rest, choice.loosened(variation, choice.choose(variation, n, rest), n)


def budget(n, mu):
    """mu_1, from public numbers; 0 where nothing is asked."""
    first = min(math.log(WIDEST) / (n * PRECISION), math.sqrt(SHARE) * mu)
    return first if math.log(WIDEST) / (n * first) <= COARSEST else 0.0


def integers(lengths):
    """(n, 1) whole numbers between -GRID and GRID, GRID (2a - 1), of people's ||u||/tau (n,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a = np.clip(np.log(lengths) / math.log(WIDEST), 0.0, 1.0)
    a[~np.isfinite(lengths)] = 0.0  # whatever is no number counts as the reference
    return integer_sums.integers(2 * a[:, None] - 1, 1.0)


def noised(sums, n, first, source):
    """(means of a with noise, rho of zCDP) from exact sums of `integers`."""
    mean, rho = integer_sums.noised_mean(sums, first, n, integer_sums.NOISE, source)
    return (mean / first + 1) / 2, rho


def factor(mean, n, first):
    """tau'/tau from the noised mean of a."""
    beyond = MARGIN * max(0.0, mean - 1 / (n * first))
    return float(WIDEST ** min(1.0, beyond))
