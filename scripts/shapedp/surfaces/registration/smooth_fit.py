"""A registered surface moved along itself, so that in space it lies as smoothly beside the template as it can.

The diffeomorphism of the disk compares directions and areas. On a smooth surface these change little along it, and a
point may slide far for a little of either. In space a displacement of the template is drawn from a Gaussian process: a
sum of smooth functions d = sum_i c_i b_i with c_i ~ N(0, 1), and a small similarity, which is free. The coefficients
are those at which the displaced template lies on the surface, its rim on the rim, and marked points where they are
marked, as least squares with this prior has it; nearest points and coefficients are found in turn. The places that the
displaced template then has on the surface are a new diffeomorphism: see docs/mathematics.md, "Surfaces that are no
faces".
"""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

from shapedp.surfaces import outside, polar, table, topology
from shapedp.surfaces.registration import descent, disk_transfer, srnf
from shapedp.surfaces.registration.template import CHECK

GRID = 24, 64  # rings and angles at which the displacement is fitted
REACH = 0.3  # square roots of the template's area over which the displacement of one point tells of another's
FUNCTIONS = 50  # eigenfunctions of that covariance, for each of three directions
SIZE = 0.05  # square roots of the template's area: standard deviation of the displacement
OFF = 0.003  # the same: by how much a displaced point may lie off the surface, where no specimens teach it
LEARNED_OFF = 0.0015, 0.024  # the same: the least and the most that specimens may teach
DETAIL = 4.0  # times what a displacement leaves of specimens: its neighbours err alike, and do not count as many
SHARE = 0.5  # of SIZE: what is left for the eigenfunctions beside the displacements that specimens have
MOST_MODES = 30  # of these displacements
TURNED = 0.0012  # radian times OFF, times the root of how many points tell apart: how far normals of one place differ
MARKED_OFF = 0.01  # the same: by how much somebody's mark may lie off the place that was meant
ROUNDS, STILL = 15, 2e-4  # times that nearest points are looked for, at most; movement at which that ends
FACING = 0.3  # cosine between two normals, at least, of points that are the same
ON_EDGE = 4  # points of each edge of the rim among which the nearest is looked for
MOTIONS = 7  # of a small similarity
LOOSE = 1e-6  # precision of these
HALVINGS = 5  # of what the fit moves, until the new places fold nothing


@dataclass(frozen=True)
class Fit:
    """gamma (R, T, 2) : where in the surface's disk each point of the template's grid lies
    unlike : root mean square of the coefficients, 1 for a displacement as likely as the prior has it
    misfit : root mean square distance of the displaced template from the surface, in the template's units
    marks_off : the largest distance of a mark from where it was asked to lie, in the template's units; 0 without marks
    min_jacobian : the smallest Jacobian of gamma on the checking grid
    displacement : (p, 3) of the template's points on GRID, without a similarity
    """

    gamma: np.ndarray
    unlike: float
    misfit: float
    marks_off: float
    min_jacobian: float
    displacement: np.ndarray


@dataclass(frozen=True)
class Learned:
    """What public specimens teach of a template's displacements.

    off : in place of OFF; modes (p, 3, k) : displacements of a standard deviation each, on GRID
    """

    off: float
    modes: np.ndarray

    @classmethod
    def from_nothing(cls):
        """Return what holds of likely displacements where no public specimens teach it."""
        return cls(OFF, np.zeros((GRID[0] * GRID[1], 3, 0)))

    @classmethod
    def from_specimens(cls, displacements, misfits):
        """Return what public specimens teach of likely displacements, by which another specimen's registration is drawn
        to likely ones.

        They were registered without. A displaced template may lie as far off a surface as it lies off specimens, which
        is the detail that no smooth displacement follows.

        Parameters
        ----------
        displacements : (n, p, 3) array
            Of the template, to each of them.
        misfits : (n,) array
            What these leave, in the template's units.
        """
        off = DETAIL * np.sqrt(np.mean(np.square(misfits)))
        with threadpool_limits(1):
            rows = displacements.reshape(len(displacements), -1) / np.sqrt(len(displacements))
            _, sizes, vectors = np.linalg.svd(rows, full_matrices=False)
        count = min(len(displacements) - 1, MOST_MODES)
        modes = (vectors[:count] * sizes[:count, None]).T.reshape(*displacements.shape[1:], count)
        return cls(float(np.clip(off, LEARNED_OFF[0], LEARNED_OFF[1])), modes)

    @property
    def turned(self):
        """Return by how many radians normals of one place differ between surfaces: what `held` trusts the map by.

        It is times the root of how many points tell apart. The diffeomorphism finds a place by the detail there: the
        more of it a surface has, the less this is.
        """
        return TURNED / self.off


@dataclass(frozen=True)
class Prior:
    """The displacements of one template f (R, T, 3), of unit area; prepared when the first surface comes.

    marks : {name: (3,)} points of the template that a scan may have marked, in the template's units
    learned : from public specimens
    """

    f: np.ndarray
    marks: dict
    learned: Learned = field(default_factory=Learned.from_nothing)

    @cached_property
    def points(self):
        """Return (p, 3), the template at the points of GRID, the last ring the rim."""
        fine = polar.polar_grid(*self.f.shape[:2])
        return table.lookup_grid(table.coefficients(self.f, fine), rings=GRID[0], angles=GRID[1]).reshape(-1, 3)

    @cached_property
    def areas(self):
        """Return (p,), the areas of these points of the template, their mean 1, by which they are weighted."""
        areas = polar.plain_areas(self.points.reshape((*GRID, 3))).ravel()
        return areas / areas.mean()

    @cached_property
    def basis(self):
        """Return (p, 3, k + MOTIONS), the displacements of a standard deviation of which a fit is a sum.

        Learned ones first, then along each function, then those of a small similarity.
        """
        modes = self.learned.modes
        points, functions = self.points, self._functions * (SHARE if modes.shape[-1] else 1.0)
        count = functions.shape[1]
        smooth = np.zeros((len(points), 3, 3 * count))
        for axis in range(3):
            smooth[:, axis, axis * count : (axis + 1) * count] = functions
        shifts = np.broadcast_to(np.eye(3), (len(points), 3, 3))
        turns = np.stack([np.cross(axis, points) for axis in np.eye(3)], axis=-1)
        return np.concatenate([modes, smooth, shifts, turns, points[..., None]], axis=-1)

    @property
    def _functions(self):
        """Return (p, FUNCTIONS), the smooth functions that displacements are sums of where no specimens teach any."""
        return _find_functions(self.points.tobytes())

    @cached_property
    def held(self):
        """Return (p,), how firmly the diffeomorphism holds each point along the surface: the precision with which it
        tells where it lies.

        For each unit of way the normal turns by the curvature, the root of the sum of squares of the two principal
        ones.
        """
        grid, f = polar.polar_grid(GRID[0], GRID[1]), self.points.reshape((*GRID, 3))
        slopes = zip(grid.derivatives(find_normals(self.points).reshape(f.shape)), grid.derivatives(f), strict=True)
        squares = [(turn**2).sum(axis=-1) / np.maximum((way**2).sum(axis=-1), 1e-12) for turn, way in slopes]
        return self.areas * sum(squares).ravel() / self.learned.turned**2

    @cached_property
    def held_products(self):
        """Return what `held` adds to the normal equations of every fit, so that points do not slide along a surface.

        It is (k + MOTIONS, k + MOTIONS): products of the basis, weighted by `held`.
        """
        weighted = (self.basis * np.sqrt(self.held)[:, None, None]).reshape(-1, self.basis.shape[-1])
        with threadpool_limits(1):
            return weighted.T @ weighted

    @cached_property
    def precision(self):
        """Return (k + MOTIONS,), the precision of the coefficients before a surface is seen; a similarity is nearly
        free.
        """
        return np.append(np.ones(self.basis.shape[-1] - MOTIONS), np.full(MOTIONS, LOOSE))

    @cached_property
    def mark_rows(self):
        """Return {name: number of the point of GRID nearest to a mark of the template}, which a scan's mark holds."""
        tree = scipy.spatial.cKDTree(self.points)
        return {name: int(tree.query(point)[1]) for name, point in self.marks.items()}


# While public specimens are left out one by one, a template's functions stay what they are.
@lru_cache(maxsize=4)
def _find_functions(content):
    """Return (p, FUNCTIONS), eigenfunctions of the covariance SIZE^2 exp(-|x - y|^2 / 2 REACH^2) times their scales.

    content : the points (p, 3) of a template, as bytes
    """
    points = np.frombuffer(content).reshape(-1, 3)
    squares = (points**2).sum(axis=1)
    away = np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0)
    chosen = len(points) - FUNCTIONS, len(points) - 1
    with threadpool_limits(1):
        sizes, vectors = scipy.linalg.eigh(np.exp(-away / (2 * REACH**2)), subset_by_index=chosen)
    functions = SIZE * vectors * np.sqrt(np.maximum(sizes, 0))
    functions.setflags(write=False)
    return functions


def fit(face, registered, prior, marks):
    """Return the Fit of a surface whose registration ended somewhere near, its points moved along it to where they
    belong.

    Parameters
    ----------
    face : alignment.Face
        The whole surface.
    registered : register.Registered
        Its registration to the template.
    prior : Prior
        Of the template.
    marks : dict
        {name: (3,)} points that somebody marked, in the scan's units; names that the template lacks are passed over.
    """
    start = table.lookup_grid(
        table.coefficients(registered.surface, _grid(face.f)), rings=GRID[0], angles=GRID[1]
    ).reshape(-1, 3)
    turn, size, shift = _find_similarity(prior.points, start, prior.areas)
    # From the template's axes to the scan's.
    along = registered.rotation.T @ turn

    def placed(points):
        """Return points of the scan in the template's place and size."""
        return ((points - face.centroid) / face.scale - shift @ registered.rotation) @ along / size

    vertices = placed(face.vertices)
    goals = {prior.mark_rows[name]: placed(np.array(point)) for name, point in marks.items() if name in prior.mark_rows}
    surface = _Surface.from_mesh(vertices, face.triangles, face.z)
    # The order of a product's sums, and with it the last bit, may depend on the number of threads.
    with threadpool_limits(1):
        there, coefficients, misfit = _displace(prior, surface, goals, (start - shift) @ turn / size)
    own = coefficients[:-MOTIONS]
    z = surface.places(there)
    off = [np.linalg.norm(surface.at(z, row) - goal) for row, goal in goals.items()]
    gamma, least = _make_gamma(z.reshape(GRID), registered, face)
    unlike = float(np.sqrt(np.mean(own**2)))
    displacement = prior.basis[..., :-MOTIONS] @ own
    return Fit(gamma, unlike, misfit, float(max(off, default=0.0)), least, displacement)


@dataclass(frozen=True)
class _Surface:
    """A mesh in the template's place: what nearest points on it and on its rim are looked up in."""

    vertices: np.ndarray
    triangles: np.ndarray
    z: np.ndarray
    normals: np.ndarray
    tree: object
    edge: np.ndarray
    edge_z: np.ndarray
    along: np.ndarray
    edge_tree: object

    @classmethod
    def from_mesh(cls, vertices, triangles, z):
        """Return the _Surface of a disk and its map, in which `fit` looks up nearest points."""
        loop = topology.boundary_loops(triangles)[0]
        here, after = vertices[loop], vertices[np.roll(loop, -1)]
        shares = np.arange(ON_EDGE)[:, None, None] / ON_EDGE
        edge = (here + shares * (after - here)).reshape(-1, 3)
        flat = (z[loop] + shares[..., 0] * (z[np.roll(loop, -1)] - z[loop])).ravel()
        steps = np.tile(after - here, (ON_EDGE, 1))
        along = steps / np.maximum(np.linalg.norm(steps, axis=1), 1e-300)[:, None]
        tree, edge_tree = scipy.spatial.cKDTree(vertices), scipy.spatial.cKDTree(edge)
        normals = outside.normals(vertices, triangles)
        return cls(vertices, triangles, z, normals, tree, edge, flat / np.abs(flat), along, edge_tree)

    def places(self, points):
        """Return (p,) complex: where the surface's disk corresponds to the template's points, once these are displaced.

        points : (p, 3) of GRID, displaced; each takes the nearest place, those of the last ring on the rim
        """
        inner = len(points) - GRID[1]
        triangle, weights = disk_transfer.find_closest(points[:inner], self.vertices, self.triangles)
        z = np.einsum("nk,nk->n", weights, self.z[self.triangles[triangle]])
        return np.append(z, self.edge_z[self.edge_tree.query(points[inner:])[1]])

    def at(self, z, row):
        """Return (3,), the surface's vertex nearest in its disk to the place of one point."""
        return self.vertices[np.argmin(np.abs(self.z - z[row]))]


def _grid(f):
    """Return the polar grid of a surface (R, T, 3)."""
    return polar.polar_grid(*f.shape[:2])


def _find_similarity(points, others, weights):
    """Return (turn (3, 3), size, shift (3,)) by which points are placed on others, so that only the rest is
    displacement.

    points @ turn.T * size + shift lies best on others, both (p, 3), weighted by weights (p,).
    """
    w = weights / weights.sum()
    at, there = w @ points, w @ others
    a, b = points - at, others - there
    turn = srnf.best_rotation((b * w[:, None]).T @ a)
    size = float(np.einsum("nc,cd,nd->n", b, turn, a) @ w / (w @ (a**2).sum(axis=1)))
    return turn, size, there - size * turn @ at


def _displace(prior, surface, goals, start):
    """Return (the template's points displaced onto a surface (p, 3), the coefficients, their misfit off the rim), for
    `fit`.

    goals : {number of a point: (3,)}, where marks ask for it; start : (p, 3) where the diffeomorphism has them
    """
    points, basis, off = prior.points, prior.basis, prior.learned.off
    inner, count = len(points) - GRID[1], basis.shape[-1]
    roots, held = np.sqrt(prior.areas), np.einsum("p,pc,pck->k", prior.held, start - points, basis)
    there, normals = points, find_normals(points)
    for _ in range(ROUNDS):
        nearest = surface.tree.query(there[:inner])[1]
        across, goal = surface.normals[nearest], surface.vertices[nearest]
        same = np.einsum("nc,nc->n", across, normals[:inner]) > FACING
        rows = [np.einsum("nc,nck->nk", across * (roots[:inner] * same)[:, None], basis[:inner])]
        wanted = [np.einsum("nc,nc->n", across, goal - points[:inner]) * roots[:inner] * same]
        on_rim = surface.edge_tree.query(there[inner:])[1]
        along, apart = surface.along[on_rim], surface.edge[on_rim] - points[inner:]
        # What lies along the rim is free: only how far a point lies off it counts.
        for axis in np.eye(3):
            across_rim = (axis - along * (along @ axis)[:, None]) * roots[inner:, None]
            rows.append(np.einsum("nc,nck->nk", across_rim, basis[inner:]))
            wanted.append(np.einsum("nc,nc->n", across_rim, apart))
        for row, mark in goals.items():
            rows.append(basis[row] * (off / MARKED_OFF * np.sqrt(len(points))))
            wanted.append((mark - points[row]) * (off / MARKED_OFF * np.sqrt(len(points))))
        matrix, right = np.concatenate(rows).reshape(-1, count) / off, np.concatenate(wanted) / off
        known = matrix.T @ matrix + prior.held_products + np.diag(prior.precision)
        coefficients = np.linalg.solve(known, matrix.T @ right + held)
        before, there = there, points + basis @ coefficients
        normals = find_normals(there)
        if np.sqrt(((there - before) ** 2).sum(axis=1).mean()) < STILL:
            break
    misfit = float(np.sqrt(np.mean((wanted[0] - rows[0] @ coefficients) ** 2)))
    return there, coefficients, misfit


def find_normals(points):
    """Return (p, 3), the unit normals of the points of GRID, outwards, by which a point keeps to its side of the
    surface.
    """
    f = points.reshape((*GRID, 3))
    n = np.moveaxis(srnf.normals(f, polar.polar_grid(GRID[0], GRID[1])), 1, 2).reshape(-1, 3)
    return n / np.maximum(np.linalg.norm(n, axis=1), 1e-300)[:, None]


def _make_gamma(z, registered, face):
    """Return (gamma (R, T, 2), the diffeomorphism through the places z of GRID that `fit` found, its least Jacobian).

    It is as far from the registration's own as folds nothing.
    """
    coarse, fine, angle = polar.polar_grid(GRID[0], GRID[1]), _grid(face.f), registered.end.angle
    turned = z * np.exp(-1j * angle)
    wanted = np.stack([turned.real, turned.imag], axis=-1) - coarse.points
    own = descent.on_grid(table.coefficients(registered.end.u, registered.end.grid), coarse) - coarse.points
    check, share = polar.polar_grid(CHECK[0], CHECK[1]), 1.0
    for _ in range(HALVINGS):
        u = table.coefficients(own + share * (wanted - own), coarse)
        least = float(descent.jacobian(descent.on_grid(u, check) - check.points, check).min())
        if least > descent.LEAST_JACOBIAN:
            return descent.turn(descent.on_grid(u, fine), angle), least
        share /= 2
    return registered.gamma, registered.min_jacobian
