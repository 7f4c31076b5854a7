"""Where the descent starts: which rotation of the disk.

A scan may show the face at any roll, and the disk's angle then is arbitrary. The *data* are turned, not the starting
diffeomorphism, which the regulariser would pull back.
"""

import numpy as np

from shapedp.surfaces.registration import descent, rotation, table

ANGLES = 32  # starting angles of a full search, of which
DESCENDED = 8  # are descended from: those where the best rotation of space alone brings q nearest
CLEARLY_BETTER = 0.9  # `auto` searches if a turned start has less than this share of the unturned one's energy
HOPELESS = 4.0  # and leaves out starts, the unturned one too, with more than so many times the least energy


def best_start(q_table, template):
    """(angle, alignment on the coarsest grid) of the best turn of the disk; q_table : of the surface, for that grid."""
    level = template.levels[0]
    still = np.zeros_like(level.grid.points)
    trials = [
        (angle, descent.descend(q_table, still, level, angle)) for angle in _angles(q_table, level, template.options)
    ]
    return min(trials, key=lambda trial: trial[1].objective)


def _angles(q_table, level, options):
    """The starting angles."""
    if options.search == "never":
        return [0.0]
    energies = rotation.energies_of_rolls(level.q, table.lookup(q_table, level.grid.points), level.grid)
    if options.search == "always":
        every = np.arange(0, level.grid.angles, level.grid.angles // ANGLES)
        chosen = every[np.argsort(energies[every], kind="stable")[:DESCENDED]]
    else:
        lowest = (energies <= np.roll(energies, 1)) & (energies <= np.roll(energies, -1))
        better = np.flatnonzero(lowest & (energies < CLEARLY_BETTER * energies[0]))
        chosen = [one for one in (0, *better) if energies[one] <= HOPELESS * energies.min()]
    return [2 * np.pi * shift / level.grid.angles for shift in chosen]
