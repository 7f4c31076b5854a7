"""What to release of a mean face, chosen from n, mu and public numbers alone: modes, harmonics, and shrinkage.

Axis i with public second moment l_i is released as u_i = l_i^(-1/4) <v_i, x>, people clipped to ||u|| <= tau, with
noise of standard deviation 2 tau/(n mu) on the mean of u: a variance of (2 tau/(n mu))^2 sum_i s_i^2 sqrt(l_i) a point.
The filter s_i = sqrt(l_i)/(sqrt(l_i) + phi) shrinks towards the reference; phi = 0 where it gains little. What is not
released stays at the reference and errs by the cohort's own coordinate, whose expected square is `Variation.pull`:
where the public mean lies, the chance in who takes part, and how far the cohort may differ. So few axes are chosen for
few people and many for many. That cohorts differ by fast harmonics is doubtful; so these come where they cost next to
nothing: their noise counts DOUBT times in the choice.
"""

from dataclasses import dataclass, replace

import numpy as np

STEPS = 24  # numbers of modes, and of harmonics, that are tried
WORTH = 0.9  # shrink only where the expected error falls below this share of the error without
CHEAP = 0.15  # noise below this share of the chance in who takes part hardly matters
LOOSEST = 2.0  # times the quantile
SLOW = 360  # harmonics, 120 of each coordinate; those beyond are fast
DOUBT = 10.0


@dataclass(frozen=True)
class Choice:
    """axes (k,) by index into modes and harmonics; moments (k,) their l_i; filters (k,) s_i; tau the bound on ||u||;
    noise : its variance per point, all three coordinates, in unit-area faces; loose : tau over the public quantile
    """

    axes: np.ndarray
    moments: np.ndarray
    filters: np.ndarray
    phi: float
    tau: float
    noise: float
    loose: float = 1.0


def choose(variation, n, mu, shrinks=True):
    """The Choice with the least noise + expected bias for a cohort that may be unlike the public set.

    shrinks : whether the mean may be shrunk towards the reference
    """
    kept, tau = variation.tried
    root, (inside, outside) = np.sqrt(variation.moments), variation.pull(n, True)
    counted = root * np.where(np.arange(len(root)) < len(variation.modes) + SLOW, 1.0, DOUBT)
    unit = (2 * tau / (n * mu)) ** 2
    wiener = unit * (kept @ root) / (kept @ inside) * (kept @ root) / kept.sum(axis=1)
    found = []
    for phi in (np.zeros_like(wiener), wiener):
        filters = kept * (root / (root + phi[:, None]))
        errors = unit * (filters**2 @ counted) + (1 - filters) ** 2 @ inside + outside
        at = int(np.argmin(errors))
        found.append((errors[at], at, float(phi[at])))
    plain, shrunk = found
    _, at, phi = shrunk if shrinks and shrunk[0] < WORTH**2 * plain[0] else plain
    return made(variation, n, mu, at, phi)


def made(variation, n, mu, at, phi):
    """The Choice that releases what is tried at index `at`, shrunk by phi."""
    kept, tau = (part[at] for part in variation.tried)
    axes = np.flatnonzero(kept)
    moments = variation.moments[axes]
    filters = np.sqrt(moments) / (np.sqrt(moments) + phi)
    noise = (2 * tau / (n * mu)) ** 2 * float(np.sum(filters**2 * np.sqrt(moments)))
    return Choice(axes, moments, filters, phi, float(tau), noise)


def tried(variation):
    """(kept (c, q + h), tau (c,)) of the numbers of modes and harmonics that are tried: which axes each releases, and
    the bound on ||u||, a quantile of public people's.
    """
    modes, added = (_steps(len(part)) for part in (variation.modes, variation.harmonics))
    counts = [(q, h) for q in modes for h in added if q + h]
    of_modes, of_harmonics = variation.lengths
    squares = [np.quantile(of_modes[:, q] + of_harmonics[:, h], variation.quantile, method="higher") for q, h in counts]
    q, h = np.array(counts).T
    along = [np.arange(len(part)) < most[:, None] for part, most in ((variation.modes, q), (variation.harmonics, h))]
    return np.concatenate(along, axis=1).astype(float), np.sqrt(squares)


def loosened(variation, chosen, n):
    """The same Choice with a bound so loose, up to LOOSEST times, that noise stays below CHEAP of the chance in who
    takes part: with many people the clip is what errs.
    """
    room = CHEAP * np.sqrt(variation.spread / n) / np.sqrt(chosen.noise)
    factor = float(np.clip(room, 1.0, LOOSEST))
    return replace(chosen, tau=factor * chosen.tau, noise=factor**2 * chosen.noise, loose=factor)


def expected_bias(variation, choice, n, unlike):
    """Squared bias per point that is expected of a cohort of n people, like the public set or perhaps unlike it."""
    inside, outside = variation.pull(n, unlike)
    return float(inside.sum() - np.sum(inside[choice.axes] * (1 - (1 - choice.filters) ** 2))) + outside


def clipping_bias(variation, choice, n):
    """Squared bias per point by clipping people to tau, who lie on either side of the mean alike: by chance, 1/n of
    what a public person loses.
    """
    along = variation.held_out[:, choice.axes].astype(float)
    lengths = np.linalg.norm(along / choice.moments**0.25, axis=1)
    lost = 1 - np.minimum(1.0, choice.tau / np.maximum(lengths, 1e-300))
    return float(np.mean(lost**2 * np.sum((choice.filters * along) ** 2, axis=1))) / n


def _steps(most):
    return np.unique(np.concatenate([[0], np.rint(np.geomspace(1, max(most, 1), STEPS))]).astype(int))
