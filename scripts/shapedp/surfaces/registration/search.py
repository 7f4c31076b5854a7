"""Where the descent starts: which rotation of the disk.

A scan may show the face at any roll, and the disk's angle then is arbitrary. The *data* are turned, not the starting
diffeomorphism, which the regulariser would pull back.
"""

import numpy as np

from shapedp.surfaces.registration import descent, rotation, table
from shapedp.surfaces.registration.template import level_table

ANGLES = 32  # starting angles of a full search
CLEARLY_BETTER = 0.9  # `auto` searches if a turned start has less than this share of the unturned one's energy


def turn(spectrum, angle):
    """The Fourier coefficients (R, T/2 + 1, 3) of q(theta + angle)."""
    return spectrum * np.exp(1j * angle * np.arange(spectrum.shape[1]))[:, None] if angle else spectrum


def best_start(spectrum, template):
    """(angle, alignment on the coarsest grid) of the best turn of the disk."""
    trials = [(angle, _descend(spectrum, angle, template)) for angle in _angles(spectrum, template)]
    return min(trials, key=lambda trial: trial[1].objective)


def _descend(spectrum, angle, template):
    level = template.levels[0]
    q_table = level_table(turn(spectrum, angle), level.kernel, template.grid)
    return descent.descend(q_table, np.zeros_like(level.grid.points), level)


def _angles(spectrum, template):
    """The starting angles, 0 first."""
    if template.options.search == "never":
        return [0.0]
    if template.options.search == "always":
        return list(2 * np.pi * np.arange(ANGLES) / ANGLES)
    level = template.levels[0]
    q = table.lookup(level_table(spectrum, level.kernel, template.grid), level.grid.points)
    energies = rotation.energies_of_rolls(level.q, q, level.grid)
    lowest = (energies <= np.roll(energies, 1)) & (energies <= np.roll(energies, -1))
    promising = np.flatnonzero(lowest & (energies < CLEARLY_BETTER * energies[0]))
    return [0.0, *(2 * np.pi * promising / level.grid.angles)]
