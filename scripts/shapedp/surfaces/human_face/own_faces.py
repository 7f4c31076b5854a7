"""Move a registered face along itself to where a laboratory's own public faces, and smooth bending, say its points lie.

A template of a laboratory's own is the mean of people whom the packed model may not know. Where its own public faces
are given, too, each face beside it is center + sum_i w_i modes_i + sum_j c_j functions_j and a small similarity: modes
of the packed model, those that the own public faces have beside it, and a Gaussian process of short reach for what both
lack; w_i and c_j ~ N(0, 1) times a standard deviation each. The sum that lies nearest to the registered surface says
where points belong along it; the surface itself stays. docs/mathematics.md has it under "A template of one's own". All
of this follows from the one record and public numbers.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

from shapedp.surfaces import polar, table
from shapedp.surfaces.human_face import public_fit, public_people

# Rings and angles at which a face is bent.
GRID = 24, 64
# Own public faces that can be registered, at least, and the most of their modes.
FEWEST, MOST_MODES = 10, 60
# Own public faces, evenly chosen, that modes are learned from; share of the extent that these may lack, since what is
# filled in follows from the packed modes.
MOST_FACES, LACK = 100, 0.15
# Over which the bending of one point tells of another's, and its standard deviation.
REACH_MM, BENT_MM = 12.0, 0.4
# Eigenfunctions of that covariance, along each of three axes; the share of BENT_MM that own modes leave.
FUNCTIONS, LEFT = 100, 0.5
# By how much points of the sum may lie off the surface, and along it from where the registration has them.
OFF_MM, ALONG_MM = 0.5, 20.0
# Points that count as independent; what lies over so many times OFF_MM off counts less.
INDEPENDENT, ROBUST = 3200.0, 2.0
# Times that nearest points are looked for, at most; movement at which that ends.
ROUNDS, STILL_MM = 4, 0.015
# An expression that moves a face by less, root mean square, may be a form that the packed people lack.
SHOWS_MM = 2.5
# Share of the way to where the sum has a point.
SHARE = 0.9
# Of a small similarity, which is nearly free, and its precision.
MOTIONS, LOOSE = 7, 1e-6


@dataclass(frozen=True, eq=False)
class OwnFaces:
    """What own public faces teach of how faces lie beside a template.

    people : public_people.People of the template's grid, whose packed modes are used besides
    center (p, 3), modes (p, 3, k) : the mean of own public faces on GRID, and the displacements that they have, a
        standard deviation each; in the template's units
    """

    people: object
    center: np.ndarray
    modes: np.ndarray

    def bend(self, points, expression=None):
        """Return the points of a registered face moved along the face to where they belong.

        Parameters
        ----------
        points : (R, T, 3) array
            In the template's place.
        expression : (R, T, 3) array, optional
            What an expression adds to them, which is no part of the sum.

        Returns
        -------
        (R, T, 3) array
        """
        at_rest = points if expression is None else points - expression
        apart = (self._fit(at_rest) - _read_coarse(at_rest)).reshape(*GRID, 3)
        rings, angles = points.shape[:2]
        step = table.lookup_grid(table.coefficients(apart, polar.polar_grid(*GRID)), rings, angles)
        normals = public_fit.grid_normals(points).reshape(points.shape)
        return points + SHARE * (step - (step * normals).sum(axis=-1, keepdims=True) * normals)

    def _fit(self, points):
        """Return (p, 3), the sum of modes and functions that lies nearest to a registered face, at the points of GRID.

        Nearest points of the face and the sum's coefficients are found in turn.
        """
        start, there = _read_coarse(points), points.reshape(-1, 3)
        normals, nearest_of = public_fit.grid_normals(points), scipy.spatial.cKDTree(points.reshape(-1, 3))
        flat, held_products, off = self._flat, self._held_products, OFF_MM / self.people.size
        held = flat.T @ (self._held[:, None] * (start - self.center)).ravel()
        bent, inner = start, np.repeat(np.arange(GRID[0]) < GRID[0] - 1, GRID[1])
        # The order of a product's sums, and with it the last bit, may depend on the number of threads.
        with threadpool_limits(1):
            for _ in range(ROUNDS):
                nearest = nearest_of.query(bent)[1]
                across = normals[nearest]
                rows = public_fit.along_normals(across, np.arange(len(across)), self._basis)
                goal = ((there[nearest] - self.center) * across).sum(axis=1)
                away = ((there[nearest] - bent) * across).sum(axis=1)
                weights = self._counts * inner / off**2 / (1 + (away / (ROBUST * off)) ** 2)
                matrix = (rows * weights[:, None]).T @ rows + held_products
                coefficients = scipy.linalg.solve(matrix, rows.T @ (weights * goal) + held, assume_a="pos")
                before, bent = bent, self.center + (flat @ coefficients).reshape(-1, 3)
                if np.sqrt(((bent - before) ** 2).sum(axis=1).mean()) * self.people.size < STILL_MM:
                    break
        return bent

    @cached_property
    def _basis(self):
        """Return (p, 3, k + MOTIONS), the displacements of a standard deviation of which a face's is a sum."""
        smooth = np.zeros((len(self.center), 3, 3 * FUNCTIONS))
        functions = self._functions * (LEFT if self.modes.shape[-1] else 1.0)
        for axis in range(3):
            smooth[:, axis, axis * FUNCTIONS : (axis + 1) * FUNCTIONS] = functions
        packed_modes = np.moveaxis(self.people.modes(), 2, 3)
        packed_modes = _read_coarse(packed_modes.reshape(*packed_modes.shape[:2], -1).astype(float))
        packed_modes = public_people.SPREAD * packed_modes.reshape(len(self.center), 3, -1)
        return np.concatenate([packed_modes, self.modes, smooth, _find_motions(self.center)], axis=-1)

    @cached_property
    def _functions(self):
        """Return (p, FUNCTIONS), the smooth functions along which a face bends where no mode tells how.

        Eigenfunctions of the covariance BENT_MM^2 exp(-|x - y|^2 / 2 REACH_MM^2), times their scales.
        """
        squares = (self.center**2).sum(axis=1)
        away = np.maximum(squares[:, None] + squares - 2 * self.center @ self.center.T, 0)
        covariance = np.exp(-away / (2 * (REACH_MM / self.people.size) ** 2))
        chosen = len(covariance) - FUNCTIONS, len(covariance) - 1
        with threadpool_limits(1):
            sizes, vectors = scipy.linalg.eigh(covariance, subset_by_index=chosen)
        return BENT_MM / self.people.size * vectors * np.sqrt(np.maximum(sizes, 0))

    @cached_property
    def _flat(self):
        """Return (3 p, k + MOTIONS), the basis with a row for each coordinate."""
        return self._basis.reshape(-1, self._basis.shape[-1])

    @cached_property
    def _counts(self):
        """Return (p,), as how many independent points each point of GRID counts."""
        areas = _measure_areas(self.center)
        return INDEPENDENT * areas / areas.sum()

    @property
    def _held(self):
        """Return (p,), how firmly each point is held where the registration has it."""
        return self._counts / (ALONG_MM / self.people.size) ** 2

    @cached_property
    def _held_products(self):
        """Return what `_held` and the coefficients' own precision add to the normal equations of every face."""
        weighted = self._flat * np.sqrt(np.repeat(self._held, 3))[:, None]
        count = self._flat.shape[1]
        with threadpool_limits(1):
            return weighted.T @ weighted + np.diag(np.where(np.arange(count) < count - MOTIONS, 1.0, LOOSE))


def find_expression(aligned, people):
    """Return (R, T, 3), what the expression of an Aligned adds to it, in units of the template; None where none shows.

    people : public_people.People on its grid
    """
    if aligned.expression is None:
        return None
    added = people.expression(aligned.expression)
    moved_mm = np.sqrt((people.areas * (added**2).sum(axis=-1)).sum()) * people.size
    return added if moved_mm > SHOWS_MM else None


def learn(people, surfaces):
    """Return the OwnFaces that registered own public faces teach; None of fewer than FEWEST.

    Each is first moved to where the packed modes and smooth bending alone have its points.

    Parameters
    ----------
    people : public_people.People
        Of the template's grid.
    surfaces : sequence of (R, T, 3) arrays
        Own public faces at rest, registered, in the template's place.

    Returns
    -------
    OwnFaces or None
    """
    if len(surfaces) < FEWEST:
        return None
    center = np.mean([_read_coarse(points) for points in surfaces], axis=0)
    untaught = OwnFaces(people, center, np.zeros((*center.shape, 0)))
    roots, motions = np.sqrt(_measure_areas(center))[:, None], _find_motions(center)
    apart = np.array([(_read_coarse(untaught.bend(points)) - center) * roots for points in surfaces])
    apart = apart.reshape(len(surfaces), -1)
    with threadpool_limits(1):
        free, _ = np.linalg.qr((motions * roots[..., None]).reshape(-1, MOTIONS))
        apart -= (apart @ free) @ free.T
        _, sizes, vectors = np.linalg.svd(apart / np.sqrt(len(surfaces)), full_matrices=False)
    count = min(len(surfaces) - 1, MOST_MODES)
    modes = (vectors[:count] * sizes[:count, None]).reshape(count, -1, 3) / roots
    return OwnFaces(people, center, np.moveaxis(modes, 0, -1))


def _read_coarse(field):
    """Return (p, d), a field (R, T, d) of the template's grid at the points of GRID."""
    coefficients = table.coefficients(np.ascontiguousarray(field), polar.polar_grid(*field.shape[:2]))
    return table.lookup_grid(coefficients, *GRID).reshape(-1, field.shape[-1])


def _measure_areas(points):
    """Return (p,), the areas of the cells of a face at the points of GRID (p, 3), by which these are weighted."""
    return polar.plain_areas(points.reshape(*GRID, 3)).ravel()


def _find_motions(points):
    """Return (p, 3, MOTIONS), how a small similarity moves points (p, 3), to first order: it says nothing of shape."""
    shifts = np.broadcast_to(np.eye(3), (len(points), 3, 3))
    turns = np.stack([np.cross(axis, points) for axis in np.eye(3)], axis=-1)
    return np.concatenate([shifts, turns, points[..., None]], axis=-1)
