"""Register a surface that is no face to a template: whole, its rim on the rim, from every turn of the disk.

Nothing is cut and nothing is filled in, and nothing here knows what the surface shows. Where two turns of the disk fit
about as well, the one at which the scan is turned least in space is taken, or the one that somebody's marks ask for.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.surfaces import polar, table
from shapedp.surfaces.registration import descent, register, smooth_fit, srnf
from shapedp.surfaces.registration.template import level_table, prepare

# Turns of the disk from which a descent starts, at most.
STARTS = 8
# The angle by which two turns of the disk are different ones.
APART = np.pi / 6
# Times the energy of the best turn: another that has no more cannot be told from it.
ALIKE = 1.25
# Times its energy that the next best turn, or the mirror image, leaves at least, of a subject whose shape tells it.
TOLD = 2.0
# Times that energy: a turn that leaves more is none, whatever marks say.
MARKED = 8.0
# Times a surface's energy: below that its mirror image is what fits.
MIRRORED = 0.7
# What makes a mirror image of a surface.
FLIP = np.array([-1.0, 1.0, 1.0])


@dataclass(frozen=True)
class Template:
    """f (R, T, 3) of unit area; options : of the registration; marks : {name: (3,)} of its points, in its units
    upright : (3, 3) the rotation from the axes of the file that it was read from, in which scans may stand, too
    trusts_axes : whether the turn is the one at which a scan is turned least in space, for shapes do not tell it
    learned : what public specimens teach of its displacements
    """

    f: np.ndarray
    options: object
    marks: dict
    upright: np.ndarray = field(default_factory=lambda: np.eye(3))
    trusts_axes: bool = False
    learned: smooth_fit.Learned = field(default_factory=smooth_fit.Learned.from_nothing)

    @cached_property
    def prepared(self):
        """Return what `register` needs of the template, made once; turns of the disk are always looked for."""
        return prepare(self.f, replace(self.options, search="always"))

    @cached_property
    def prior(self):
        """Return the smooth_fit.Prior of its displacements."""
        return smooth_fit.Prior(self.f, self.marks, self.learned)


@dataclass(frozen=True)
class Turn:
    """One turn of the disk: its End, what of the energy was left on the coarsest grid, its rotation of space."""

    end: register.End
    energy: float
    rotation: np.ndarray

    def in_space(self, upright):
        """Return the angle in radian by which the scan is turned in space against the template's file; small for scans
        that stand alike.

        upright : (3, 3) how the template stands in its file
        """
        return float(np.arccos(np.clip((np.trace(upright.T @ self.rotation) - 1) / 2, -1, 1)))


@dataclass(frozen=True)
class Whole:
    """A surface registered whole.

    registered : the register.Registered, on the template's grid, after the fit in space; energy_after is that of the
        diffeomorphism alone, before it
    scale, centroid : of the registered surface in the scan, whose points are surface @ rotation * scale + centroid
    next_turn : energy of the next best turn of the disk over that of the best, at least 1
    mirror : energy of the mirror image over the surface's own
    unlike, misfit, marks_off, displacement : as of smooth_fit.Fit
    """

    registered: register.Registered
    scale: float
    centroid: np.ndarray
    next_turn: float
    mirror: float
    unlike: float
    misfit: float
    marks_off: float
    displacement: np.ndarray


def align(face, template, marks):
    """Return the Whole of a Face: a surface that is no face, registered whole, from whichever turn of the disk fits.

    Parameters
    ----------
    face : alignment.Face
        The surface, on a grid as large as the template's.
    template : Template
        What it is registered to.
    marks : dict
        {name: (3,)} points that somebody marked, in the scan's units.
    """
    turns = find_turns(face.f, template.prepared)
    chosen = choose(turns, face, template, marks)
    before_fit = register.register(face.f, template.prepared, start=chosen.end)
    placed = smooth_fit.fit(face, before_fit, template.prior, marks)
    surface = polar.read(face.vertices, face.triangles, face.z, placed.gamma)
    f, scale, centroid = polar.unit_surface(surface)
    rotation = _find_rotation(f, template.f)
    mirrored = find_turns(mirror_image(face.f), template.prepared)[0].energy
    registered = replace(
        before_fit,
        surface=srnf.rotate(rotation, f),
        rotation=rotation,
        gamma=placed.gamma,
        min_jacobian=min(placed.min_jacobian, before_fit.min_jacobian),
    )
    best = max(turns[0].energy, descent.LEAST_ENERGY)
    return Whole(
        registered,
        scale,
        centroid,
        next_turn(turns),
        mirrored / best,
        placed.unlike,
        placed.misfit,
        placed.marks_off,
        placed.displacement,
    )


def _find_rotation(f, template):
    """Return the rotation that turns a registered surface f onto the template, so that all are compared in one pose.

    It is the one at which their square root normal fields are nearest; both surfaces are (R, T, 3).
    """
    grid = polar.polar_grid(*f.shape[:2])
    template_q, surface_q = (srnf.unit(*register.usable_normals(surface, grid)) for surface in (template, f))
    return srnf.best_rotation(srnf.covariance(template_q, surface_q, grid.weights))


def find_turns(f, prepared):
    """Return the Turns of the disk at which a surface may fit the template, the one of least energy first.

    Descents start from each turn at which turning space and disk alone leave a least energy.
    """
    q_table, energies = _measure_rolls(f, prepared)
    lowest = np.flatnonzero((energies <= np.roll(energies, 1)) & (energies <= np.roll(energies, -1)))
    shifts = lowest[np.argsort(energies[lowest], kind="stable")[:STARTS]]
    return sorted((_descend_from(q_table, shift, prepared) for shift in shifts), key=lambda turn: turn.energy)


def _measure_rolls(f, prepared):
    """Return (the table of a surface's q, (T,) the energy at each turn of the disk), to choose turns from, on the
    coarsest grid.

    The energy is what turning space and disk alone leave.
    """
    level, grid = prepared.levels[0], prepared.grid
    q_table = level_table(srnf.unit(*register.usable_normals(f, grid)), level.kernel, grid)
    q = table.lookup_grid(q_table, level.grid.rings, level.grid.angles)
    return q_table, srnf.find_roll_energies(level.q, q, level.grid)


def _descend_from(q_table, shift, prepared):
    """Return the Turn that a descent from one turn of the disk ends at; shift : that turn in steps of the coarsest
    grid.
    """
    level = prepared.levels[0]
    angle = 2 * np.pi * shift / level.grid.angles
    reached = descent.descend(q_table, np.zeros_like(level.grid.points), level, angle)
    return Turn(register.End(reached.u, level.grid, angle), reached.energy, reached.rotation)


def next_turn(turns):
    """Return how much worse the next best turn of the disk fits, by which it is told whether shape alone says how a
    scan is turned.

    The energy of the best of the Turns that is APART from the best one, over that one's; infinite without any.
    """
    others = [turn.energy for turn in turns if _measure_gap(turn.end.angle, turns[0].end.angle) > APART]
    return min(others, default=np.inf) / max(turns[0].energy, descent.LEAST_ENERGY)


def choose(turns, face, template, marks):
    """Return the Turn that is taken: the best, unless marks, axes or turns that are alike ask for another.

    Where marks are known, the one at which they lie nearest to where the template has them; where turns APART are alike
    in energy, of all alike the one of least rotation in space; and that one of all that may do, where the template
    trusts axes.
    """
    known_marks = {name: point for name, point in marks.items() if name in template.marks}
    if template.trusts_axes and not known_marks:
        near = [turn for turn in turns if turn.energy <= MARKED * max(turns[0].energy, descent.LEAST_ENERGY)]
        return min(near, key=lambda turn: _turned_in_space(turn, face, template))
    level = template.prepared.levels[0]
    q_table, energies = _measure_rolls(face.f, template.prepared)
    angles = 2 * np.pi * np.arange(len(energies)) / len(energies)
    alike = np.flatnonzero(energies <= (MARKED if known_marks else ALIKE) * max(energies.min(), descent.LEAST_ENERGY))
    best = angles[np.argmin(energies)]
    if not known_marks and not any(_measure_gap(angles[shift], best) > APART for shift in alike):
        return turns[0]
    q = table.lookup_grid(q_table, level.grid.rings, level.grid.angles)
    rolled = [np.roll(q, -shift, axis=1) for shift in alike]
    rotations = [srnf.best_rotation(srnf.covariance(level.q, q_rolled, level.grid.weights)) for q_rolled in rolled]

    def unfit(at):
        """Return how ill a turn fits the marks, or how far it turns the scan where none are known; the least is
        chosen.
        """
        turn = Turn(None, energies[alike[at]], rotations[at])
        return _measure_marks_off(turn, face, template, known_marks) if known_marks else turn.in_space(template.upright)

    return _descend_from(q_table, alike[min(range(len(alike)), key=unfit)], template.prepared)


def _turned_in_space(turn, face, template):
    """Return the angle by which a Turn turns a scan in space against the template's file, where axes are trusted to
    choose by it.

    It is taken so that the scan's points, not its normals alone, lie on the template's.
    """
    grid, end = polar.polar_grid(*face.f.shape[:2]), turn.end
    places = descent.turn(descent.on_grid(table.coefficients(end.u, end.grid), grid), end.angle)
    there = table.lookup(table.coefficients(face.f, grid), places)
    weights = polar.plain_areas(template.f)[..., None]
    a, b = (surface - (weights * surface).sum(axis=(0, 1)) / weights.sum() for surface in (template.f, there))
    rotation = srnf.best_rotation(np.einsum("rtc,rtd->cd", weights * a, b))
    return Turn(end, turn.energy, rotation).in_space(template.upright)


def _measure_marks_off(turn, face, template, marks):
    """Return the mean square distance of marks from the template's at a Turn, by which the turn is chosen where marks
    are known.
    """
    return np.mean(
        [
            ((turn.rotation @ ((np.array(point) - face.centroid) / face.scale) - template.marks[name]) ** 2).sum()
            for name, point in marks.items()
        ]
    )


def _measure_gap(angle, other):
    """Return the angle between two turns of the disk, 0 to pi."""
    return abs(np.angle(np.exp(1j * (angle - other))))


def mirror_image(f):
    """Return the mirror image of a surface (R, T, 3), to see whether a scan is mirrored, on a grid seen from outside
    too.

    The grid is turned the other way.
    """
    return np.ascontiguousarray(np.roll(f[:, ::-1], 1, axis=1) * FLIP)


def are_told_apart(ratios):
    """Return whether a subject's shape tells two ways to lay a scan on the template apart: mostly one fits worse.

    ratios : energy of the other way over that of the best, of public specimens: `next_turn` of each Whole for turns, or
        `mirror` for sides, which a subject that is symmetric but for chance, as a leaf is, does not tell
    """
    return not len(ratios) or float(np.median(ratios)) > TOLD


# Times as long as it is wide: a surface that is less has no direction of its own.
LONG = 1.15


def find_upright(f):
    """Return (3, 3), the rotation that turns a template's surface (R, T, 3) to be looked at. What stands so is not
    turned.

    Its outside comes forward, along z; where it is LONG, its length along the axis, x or y, that lies nearer.
    """
    grid = polar.polar_grid(*f.shape[:2])
    n = np.moveaxis(srnf.normals(f, grid), 1, 2)
    forward = (n * grid.weights[:, None, None]).sum(axis=(0, 1))
    first = _least_turn(forward / np.linalg.norm(forward))
    areas = polar.plain_areas(f)[..., None] / polar.plain_areas(f).sum()
    facing_points = (f - (areas * f).sum(axis=(0, 1))) @ first.T
    sizes, axes = np.linalg.eigh(np.einsum("rtc,rtd->cd", areas * facing_points[..., :2], facing_points[..., :2]))
    if sizes[1] < LONG**2 * sizes[0]:
        return first
    angle = np.arctan2(axes[1, 1], axes[0, 1])
    angle -= np.pi / 2 * np.round(angle / (np.pi / 2))
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]]) @ first


def _least_turn(direction):
    """Return (3, 3), the least rotation that turns a unit direction (3,) to z, so that it faces whoever looks at it."""
    x, y, z = direction
    if z < -1 + 1e-9:
        return np.diag([1.0, -1.0, -1.0])
    return np.array([[z, 0, -x], [0, z, -y], [x, y, z]]) + np.outer([y, -x, 0], [y, -x, 0]) / (1 + z)


def refuse_mirrored(whole):
    """Raise Rejected for a surface whose mirror image is what fits the template: of the other side, or a mirrored
    file.
    """
    if whole.mirror < MIRRORED:
        raise Rejected(
            "mirrored",
            f"its mirror image fits the template better (to {whole.mirror:.0%} of the energy): if it is of the other "
            "side, say so in the column `side` of the sample sheet; if its file is mirrored, mirror it back",
        )
