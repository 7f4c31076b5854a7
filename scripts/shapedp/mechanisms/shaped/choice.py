"""What to release of a mean face, chosen from n, mu and public numbers alone: modes, harmonics, and shrinkage.

Axis i with public second moment l_i is released as u_i = l_i^(-1/4) <v_i, x>, people clipped to ||u|| <= tau, with
noise of standard deviation 2 tau/(n mu) on the mean of u: a variance of (2 tau/(n mu))^2 sum_i s_i^2 sqrt(l_i) a point.
The filter s_i = sqrt(l_i)/(sqrt(l_i) + phi) shrinks towards the reference; phi = 0 where it gains little. What is not
released stays at the reference and errs by the cohort's own coordinate, whose expected square is `Variation.pull`:
where the public mean lies, the chance in who takes part, and how far the cohort may differ. So few axes are chosen for
few people and many for many.
"""

from dataclasses import dataclass

import numpy as np

STEPS = 24  # numbers of modes, and of harmonics, that are tried
WORTH = 0.9  # shrink only where the expected error falls below this share of the error without


@dataclass(frozen=True)
class Choice:
    """axes (k,) by index into modes and harmonics; moments (k,) their l_i; filters (k,) s_i; tau the bound on ||u||;
    noise : its variance per point, all three coordinates, in unit-area faces
    """

    axes: np.ndarray
    moments: np.ndarray
    filters: np.ndarray
    phi: float
    tau: float
    noise: float


def choose(variation, n, mu):
    """The Choice with the least noise + expected bias for a cohort that may be unlike the public set."""
    tried = [_choice(variation, n, mu, *counts) for counts in _counts(variation)]
    plain, shrunk = (min(kind, key=lambda one: one[0]) for kind in zip(*tried, strict=True))
    return shrunk[1] if shrunk[0] < WORTH**2 * plain[0] else plain[1]


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


def _counts(variation):
    """(modes, harmonics) that are tried: all, none, and steps in between."""
    modes, added = (_steps(len(part)) for part in (variation.modes, variation.harmonics))
    return [(q, h) for q in modes for h in added if q + h]


def _steps(most):
    return np.unique(np.concatenate([[0], np.rint(np.geomspace(1, max(most, 1), STEPS))]).astype(int))


def _choice(variation, n, mu, modes, added):
    """((expected error, Choice) without shrinkage, the same with the best)."""
    axes = np.concatenate([np.arange(modes), len(variation.modes) + np.arange(added)])
    moments = variation.moments[axes]
    of_modes, of_harmonics = variation.lengths
    tau = float(np.sqrt(np.quantile(of_modes[:, modes] + of_harmonics[:, added], variation.quantile, method="higher")))
    unit = (2 * tau / (n * mu)) ** 2
    inside, _ = variation.pull(n, True)
    best = unit * np.sum(np.sqrt(moments)) / np.sum(inside[axes])
    found = []
    for phi in (0.0, best * np.sqrt(moments).mean()):
        filters = np.sqrt(moments) / (np.sqrt(moments) + phi)
        noise = unit * float(np.sum(filters**2 * np.sqrt(moments)))
        made = Choice(axes, moments, filters, phi, tau, noise)
        found.append((noise + expected_bias(variation, made, n, True), made))
    return found
