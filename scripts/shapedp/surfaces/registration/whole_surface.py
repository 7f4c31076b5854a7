"""Registration of a surface that is no face to a template: whole, its rim on the rim, from every turn of the disk.

Nothing is cut and nothing is filled in, and nothing here knows what the surface shows. Where two turns of the disk fit
about as well, the one at which the scan is turned least in space is taken, or the one that somebody's marks ask for.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import polar, table
from shapedp.surfaces.registration import descent, register, smooth_fit, srnf
from shapedp.surfaces.registration.template import level_table, prepare

STARTS = 8  # turns of the disk from which a descent starts, at most
APART = np.pi / 6  # angle by which two turns of the disk are different ones
ALIKE = 1.25  # times the energy of the best turn: another that has no more cannot be told from it
MIRRORED = 0.7  # times a surface's energy: below that its mirror image is what fits
FLIP = np.array([-1.0, 1.0, 1.0])  # a mirror image of a surface


@dataclass(frozen=True)
class Template:
    """f (R, T, 3) of unit area; options : of the registration; marks : {name: (3,)} of its points, in its units."""

    f: np.ndarray
    options: object
    marks: dict

    @cached_property
    def prepared(self):
        """What `register` needs of it."""
        return prepare(self.f, replace(self.options, search="always"))

    @cached_property
    def prior(self):
        """The smooth_fit.Prior of its displacements."""
        return smooth_fit.Prior(self.f, self.marks)


@dataclass(frozen=True)
class Turn:
    """One turn of the disk: its End, what of the energy was left on the coarsest grid, its rotation of space."""

    end: register.End
    energy: float
    rotation: np.ndarray

    @property
    def in_space(self):
        """The angle in radians by which the scan is turned in space."""
        return float(np.arccos(np.clip((np.trace(self.rotation) - 1) / 2, -1, 1)))


@dataclass(frozen=True)
class Whole:
    """A surface registered whole.

    registered : the register.Registered, on the template's grid, after the fit in space; energy_after is that of the
        diffeomorphism alone, before it
    scale, centroid : of the registered surface in the scan, whose points are surface @ rotation * scale + centroid
    next_turn : energy of the next best turn of the disk over that of the best, at least 1
    mirror : energy of the mirror image over the surface's own
    unlike, misfit, marks_off : as of smooth_fit.Fit
    """

    registered: register.Registered
    scale: float
    centroid: np.ndarray
    next_turn: float
    mirror: float
    unlike: float
    misfit: float
    marks_off: float


def align(face, template, marks):
    """Return the Whole of a Face.

    Parameters
    ----------
    face : alignment.Face
        The surface, on a grid as large as the template's.
    template : Template
        What it is registered to.
    marks : dict
        {name: (3,)} points that somebody marked, in the scan's units.
    """
    turns = turns_of(face.f, template.prepared)
    chosen = choose(turns, face, template, marks)
    others = [turn.energy for turn in turns if _apart(turn.end.angle, turns[0].end.angle) > APART]
    found = register.register(face.f, template.prepared, start=chosen.end)
    placed = smooth_fit.fit(face, found, template.prior, marks)
    surface = polar.read(face.vertices, face.triangles, face.z, placed.gamma)
    f, scale, centroid = polar.unit_surface(surface)
    rotation = _rotation(f, template.f)
    mirrored = turns_of(mirror_image(face.f), template.prepared)[0].energy
    registered = replace(
        found,
        surface=srnf.rotate(rotation, f),
        rotation=rotation,
        gamma=placed.gamma,
        min_jacobian=min(placed.min_jacobian, found.min_jacobian),
    )
    best = max(turns[0].energy, descent.LEAST_ENERGY)
    return Whole(
        registered,
        scale,
        centroid,
        min(others, default=np.inf) / best,
        mirrored / best,
        placed.unlike,
        placed.misfit,
        placed.marks_off,
    )


def _rotation(f, template):
    """The rotation at which the square root normal field of f is nearest to the template's, both (R, T, 3)."""
    grid = polar.polar_grid(*f.shape[:2])
    wanted, own = (srnf.unit(*register.usable_normals(one, grid)) for one in (template, f))
    return srnf.best_rotation(srnf.covariance(wanted, own, grid.weights))


def turns_of(f, prepared):
    """The Turns of the disk that may do, the one of least energy first: descents from each turn at which turning space
    and disk alone leave a least energy.
    """
    level, grid = prepared.levels[0], prepared.grid
    q_table = level_table(srnf.unit(*register.usable_normals(f, grid)), level.kernel, grid)
    q = table.lookup_grid(q_table, level.grid.rings, level.grid.angles)
    energies = srnf.energies_of_rolls(level.q, q, level.grid)
    lowest = np.flatnonzero((energies <= np.roll(energies, 1)) & (energies <= np.roll(energies, -1)))
    chosen = lowest[np.argsort(energies[lowest], kind="stable")[:STARTS]]
    still = np.zeros_like(level.grid.points)
    turns = []
    for shift in chosen:
        angle = 2 * np.pi * shift / level.grid.angles
        here = descent.descend(q_table, still, level, angle)
        turns.append(Turn(register.End(here.u, level.grid, angle), here.energy, here.rotation))
    return sorted(turns, key=lambda turn: turn.energy)


def choose(turns, face, template, marks):
    """The Turn that is taken: of those alike in energy that of least rotation in space, or of all the one at which
    marks lie nearest to where the template has them.
    """
    known = {name: point for name, point in marks.items() if name in template.marks}
    if known:
        return min(turns, key=lambda turn: _marks_off(turn, face, template, known))
    alike = [turn for turn in turns if turn.energy <= ALIKE * turns[0].energy]
    return min(alike, key=lambda turn: turn.in_space)


def _marks_off(turn, face, template, marks):
    """Mean square distance of marks from the template's, the scan turned and sized as a Turn has it."""
    return np.mean(
        [
            ((turn.rotation @ ((np.array(point) - face.centroid) / face.scale) - template.marks[name]) ** 2).sum()
            for name, point in marks.items()
        ]
    )


def _apart(angle, other):
    return abs(np.angle(np.exp(1j * (angle - other))))


def mirror_image(f):
    """The mirror image of a surface (R, T, 3), on a grid turned the other way, so that it is seen from outside too."""
    return np.ascontiguousarray(np.roll(f[:, ::-1], 1, axis=1) * FLIP)


def refuse_mirrored(whole):
    """Raise Rejected for a surface whose mirror image is what fits the template."""
    if whole.mirror < MIRRORED:
        raise Rejected(
            "mirrored",
            f"its mirror image fits the template better (to {whole.mirror:.0%} of the energy): if it is of the other "
            "side, say so in the column `side` of the sample sheet; if its file is mirrored, mirror it back",
        )
