"""Public people on a template's grid: their mean and modes, by which a face is judged and what it lacks is foretold.

A face in the template's place is mean + sum_i w_i modes_i + a small similarity, w_i ~ N(0, SPREAD^2), as
docs/mathematics.md has it under "What a scan does not show". The similarity is free, since where and how large a face
is says nothing of its shape.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from shapedp.base.storage.loops import loop
from shapedp.surfaces import polar
from shapedp.surfaces.human_face import likely_error, public_fit, real_faces
from shapedp.surfaces.registration import descent, extent, srnf
from shapedp.surfaces.registration.template import unit_srnf
from shapedp.surfaces.topology import remember_last_call

# Of people's weights, where public people have 1: others are unlike them.
SPREAD = 1.2
# Root mean square by which a registered point lies beside the true one.
OFF_MM = 1.5
# Points of a face at which these errors have little to do with each other.
INDEPENDENT = 150
# Every so many rings and angles are the points that the weights are read off.
EVERY = 3, 8
# Those that a scan is fitted to.
FITTED = 2, 4
# Of weights, and of what they leave: hardly a public person lies beyond either.
FAR, BESIDE_MM = 0.55, 2.5
# In template sizes from the nose's tip, and what weights leave there; without a nose it is 9.
ABOUT, NOSE_MM = 0.12, 5.0
# Public people that are drawn to see how far they lie from a template; always the same.
DRAWN, RARE, SEED = 64, 0.01, 0
# Points seen in a direction whose residual is the rim's there.
OUTERMOST = 3
# Beyond the rim of what a scan shows, over which the residual there dies away.
RESIDUAL_MM = 20.0


@dataclass(frozen=True)
class People:
    """triangles (R, T), weights (R, T, 3) : where on the packed model's mesh each point of the grid lies
    f (R, T, 3) : the template, of unit area; rotation (3, 3), size : of the model, in mm, to the template
    """

    triangles: np.ndarray
    weights: np.ndarray
    f: np.ndarray
    rotation: np.ndarray
    size: float

    @classmethod
    def from_fields(cls, source, form=""):
        """Return the People that a template's artifact holds, on the grid of a form; None where it holds none."""
        size = float(source["people_size"])
        if not size:
            return None
        return cls(
            triangles=source[f"{form}people_triangles"],
            weights=source[f"{form}people_weights"],
            f=source[f"{form}f"],
            rotation=source["people_rotation"],
            size=size,
        )

    def modes(self, chosen=...):
        """Return (..., k, 3) float32, how public people's faces vary at chosen points of the grid, in units of the
        template.
        """
        return self._read_field_of_model(_modes_by_vertex(), chosen)

    @cached_property
    def mean(self):
        """Return (R, T, 3), public people's mean face on the template's grid, from which likeness is measured.

        It lies in the template's place, in its units, by the best shift.
        """
        read = self._read_field_of_model(real_faces.template())
        w = self.areas[..., None]
        return read + (w * (self.f - read)).sum(axis=(0, 1))

    def _read_field_of_model(self, there, chosen=...):
        """Return (..., 3), the public model's mean or modes on the template's grid, where faces are compared with it.

        there : the field, at the model's vertices (n, ..., 3); chosen : slices of the grid. The result is in the
        template's axes and units.
        """
        corners, weights = real_faces.triangles()[self.triangles[chosen]], self.weights[chosen].astype(there.dtype)
        room = (..., *(None,) * (there.ndim - 1))
        read = sum(weights[..., k][room] * there[corners[..., k]] for k in range(3))
        return read @ (self.rotation.T / self.size).astype(there.dtype)

    def read_mean(self):
        """Return (R, T, 3), where the template's grid lies on the public model's mean, in mm."""
        corners = real_faces.triangles()[self.triangles]
        return sum(self.weights[..., k, None] * real_faces.template()[corners[..., k]] for k in range(3))

    @cached_property
    def areas(self):
        """Return (R, T), the areas of the template's grid cells, of sum 1, by which points are weighted."""
        areas = polar.plain_areas(self.f)
        return areas / areas.sum()

    def basis(self, chosen=...):
        """Return (basis, mean), the linear model of public people's faces by which a scan is judged and completed.

        Of chosen points of the grid.

        basis (..., 3, k + 7), mean (..., 3) : a face is mean + basis @ w. The weights w are k of the modes of public
        people, and 7 of a small similarity.
        """
        mean = self.mean[chosen]
        modes = np.swapaxes(self.modes(chosen), -1, -2)
        # Moved by a small similarity, to first order.
        shifts = np.broadcast_to(np.eye(3), (*mean.shape[:-1], 3, 3))
        turns = np.stack([np.cross(axis, mean) for axis in np.eye(3)], axis=-1)
        return np.concatenate([modes, shifts, turns, mean[..., None]], axis=-1), mean

    def landmarks(self, vertices):
        """Return (basis, mean), the linear model of public people's faces at marked points, to fit a scan's marks by.

        basis (n, 3, k + 7 + m), mean (n, 3) : at vertices (n,) of the public model

        As `expressed` has them of the grid.
        """
        axes = self.rotation.T / self.size
        shift = (self.areas[..., None] * (self.f - self._read_field_of_model(real_faces.template()))).sum(axis=(0, 1))
        mean = real_faces.template()[vertices] @ axes + shift
        modes, shapes = (
            np.swapaxes(by_vertex[vertices] @ axes, -1, -2)
            for by_vertex in (_modes_by_vertex(), _expressions_by_vertex())
        )
        shifts = np.broadcast_to(np.eye(3), (len(mean), 3, 3))
        turns = np.stack([np.cross(axis, mean) for axis in np.eye(3)], axis=-1)
        return np.concatenate([modes, shifts, turns, mean[..., None], shapes], axis=-1), mean

    def face(self, weights, expression=None):
        """Return (R, T, 3), the face on the grid that weights (k + 7,) describe, to fill gaps with or to lay onto a
        scan.

        expression : (m,) of real_faces.expressions, None: none
        """
        # Of the model's vertices, in mm.
        vertices_moved = descent.sum_rows(_modes_together(), weights[:-7]).reshape(-1, 3)
        if expression is not None:
            vertices_moved = vertices_moved + descent.sum_rows(_expressions_together(), expression).reshape(-1, 3)
        shift, turn, growth = weights[-7:-4], weights[-4:-1], weights[-1]
        similarity = np.eye(3) * growth + np.cross(turn, np.eye(3)).T
        return self.mean + self._read_off_model(vertices_moved) + srnf.rotate(similarity, self.mean) + shift

    def expression(self, weights):
        """Return (R, T, 3), what an expression of these weights (m,) adds to a face, in units of the template."""
        return self._read_off_model(descent.sum_rows(_expressions_together(), weights).reshape(-1, 3))

    def _read_off_model(self, moved):
        """Return (R, T, 3), a face of the model's vertices (n, 3), in mm, on the template's grid, in its axes and
        units.
        """
        inside, shares = self.triangles.ravel(), self.weights.reshape(-1, 3)
        read = polar.interpolate(moved, real_faces.triangles(), inside, shares).reshape(self.f.shape)
        return srnf.rotate(self.rotation / self.size, read)

    @cached_property
    def fitting(self):
        """Return (basis, mean) of public people's faces at the points of the grid that a scan is fitted to.

        The basis is in single precision as the model's modes are.
        """
        basis, mean = self.basis(slice_every(FITTED))
        return basis.astype(np.float32), mean

    @cached_property
    def expressed(self):
        """Return (basis (p, 3, k + 7 + m), mean (p, 3)) at the points a scan is fitted to where an expression is
        fitted, too.

        Expressions are the last m.
        """
        basis, mean = self.fitting
        shapes = np.swapaxes(self._read_field_of_model(_expressions_by_vertex(), slice_every(FITTED)), -1, -2)
        both = np.concatenate([basis, shapes], axis=-1)
        return both.reshape(-1, 3, both.shape[-1]), mean.reshape(-1, 3)

    @cached_property
    def regions(self):
        """Return (R, T), the number of the region of a face, of likely_error.REGIONS, at each point of the grid."""
        return likely_error.find_regions(self.triangles, self.weights)

    @cached_property
    def off_rim(self):
        """Return (p,), which points that a scan is fitted to lie off the rim."""
        rings, angles = self.fitting[1].shape[:2]
        return np.repeat(np.arange(rings) < rings - public_fit.RIM, angles)

    @staticmethod
    def at_fitted(field):
        """Return (p, ...), a field (R, T, ...) of the grid at the points that a scan is fitted to."""
        fitted_field = field[slice_every(FITTED)]
        return fitted_field.reshape(-1, *fitted_field.shape[2:])

    @cached_property
    def farther(self):
        """Return how many times farther public people lie from the template than from their own mean, so that gates
        allow for it.

        Compared is the energy that RARE ones exceed, point by point and after the best rotation, with the same of the
        mean. It is 1 for the built-in template.
        """
        grid = polar.polar_grid(*self.f.shape[:2])
        centers = unit_srnf(self.f, grid), unit_srnf(self.mean, grid)
        modes, rng = self.modes(), np.random.default_rng(SEED)
        energies = np.empty((DRAWN, 2))
        for row in energies:
            weights = (SPREAD * rng.standard_normal(modes.shape[2])).astype(np.float32)
            own = unit_srnf(self.mean + np.einsum("rtkc,k->rtc", modes, weights), grid)
            turns = [srnf.best_rotation(srnf.covariance(q, own, grid.weights)) for q in centers]
            turned_fields = [srnf.rotate(turn, own) for turn in turns]
            row[:] = [
                srnf.distance_squared(q, turned_own, grid.weights)
                for q, turned_own in zip(centers, turned_fields, strict=True)
            ]
        to_template, to_mean = np.quantile(energies, 1 - RARE, axis=0)
        return float(to_template / to_mean)

    @cached_property
    def precision(self):
        """Return (k + 7, k + 7), the precision of the weights w before a scan is seen: people are like public
        people.
        """
        return np.diag(np.append(np.full(real_faces.count(), SPREAD**-2.0), np.full(7, 1e-9)))

    @cached_property
    def read_off(self):
        """Return (basis, mean, areas) of public people's faces on a coarse grid, to which a face's weights are fitted.

        basis (p, 3, k + 7), mean (p, 3), areas (p,) : at its p points
        """
        basis, mean = self.basis(slice_every(EVERY))
        return basis.reshape(-1, *basis.shape[2:]), mean.reshape(-1, 3), self.areas[slice_every(EVERY)].ravel()

    @cached_property
    def _products(self):
        """Return (k + 7, k + 7), areas times products of the basis over the grid, for the least squares that weights
        are read off by.
        """
        basis, _, areas = self.read_off
        return _products(basis, areas)

    @property
    def _noise(self):
        """Return the variance of a point's error in the least squares of weights, as of points that are INDEPENDENT."""
        return (OFF_MM / self.size) ** 2 / INDEPENDENT

    @cached_property
    def _weights_from_points(self):
        """Return (k + 7, 3 p), the matrix that takes a face seen everywhere, its points less the mean, to its
        weights.
        """
        basis, _, areas = self.read_off
        covariance = np.linalg.inv(self._products / self._noise + self.precision)
        scaled = (basis * (areas / self._noise)[:, None, None]).reshape(-1, basis.shape[-1])
        return np.einsum("ij,nj->in", covariance, scaled)

    def find_weights(self, points):
        """Return (weights (k + 7,), residual (p, 3)): what public people explain of a whole face, and what not.

        points : of the face in the template's place, where weights are read off
        """
        basis, mean, _ = self.read_off
        y = points.reshape(-1, 3) - mean
        weights = public_fit.multiply(self._weights_from_points, y.ravel())
        return weights, y - public_fit.multiply(basis.reshape(-1, len(weights)), weights).reshape(y.shape)

    def explain(self, points, seen):
        """Return (weights (k + 7,), their covariance) of a face of which a part is seen, so that the rest can be
        foretold.

        points : (R, T, 3); seen : (R, T)
        """
        basis, mean, areas = self.read_off
        is_seen = seen[slice_every(EVERY)].ravel()
        y = np.where(is_seen[:, None], points[slice_every(EVERY)].reshape(-1, 3) - mean, 0) * areas[:, None]
        products = self._products - _products(basis[~is_seen], areas[~is_seen])
        covariance = np.linalg.inv(products / self._noise + self.precision)
        return covariance @ descent.sum_rows(basis.reshape(-1, basis.shape[-1]), y.ravel() / self._noise), covariance

    def unlike(self, points):
        """Return how unlike public people a face in the template's place is, so that what is no face is refused: 1 is
        rare.

        It is 1 where hardly a public person is. The larger of two: how far its weights lie from the public mean, root
        mean square, over FAR; and what they leave of it over BESIDE_MM.
        """
        weights, residual = self.find_weights(points)
        far = np.sqrt(np.mean(weights[:-7] ** 2))
        w = self.read_off[2]
        left_mm = np.sqrt((w * (residual**2).sum(axis=1)).sum() / w.sum()) * self.size
        return float(max(far / FAR, left_mm / BESIDE_MM))

    def measure_nose_misfit(self, points):
        """Return how badly public people explain a face about its nose, over NOSE_MM: what has no nose there is no
        face.

        Root mean square of the residual; points : as of `find_weights`
        """
        _, residual = self.find_weights(points)
        _, mean, w = self.read_off
        near = np.linalg.norm(mean - extent.center(self.mean), axis=1) < ABOUT
        return float(np.sqrt((w[near] * (residual[near] ** 2).sum(axis=1)).sum() / w[near].sum()) * self.size / NOSE_MM)

    def complete(self, points, seen, along):
        """Return (points (R, T, 3) with those that a scan lacks filled in as public people foretell, expected error in
        mm).

        along : (R, T, 3) the template's points along the extent's axes, the nose at 0: beyond the rim of what is seen,
        the residual there is carried on in its direction and dies away.
        """
        weights, covariance = self.explain(points, seen)
        rim, (direction, beyond) = _find_rim(seen, along)
        expected = self.face(weights)
        residual = (points - expected).reshape(-1, 3)
        rim_residual = np.array(
            [residual[points_of_rim].mean(axis=0) if len(points_of_rim) else np.zeros(3) for points_of_rim in rim]
        )
        rim_residual = sum(np.roll(rim_residual, step, axis=0) for step in (-1, 0, 1)) / 3
        dies = np.exp(-np.maximum(beyond, 0) / (RESIDUAL_MM / self.size))
        filled = points.copy()
        filled[~seen] = expected[~seen] + dies[:, None] * rim_residual[direction]
        basis, _, areas = self.read_off
        unseen = ~seen[slice_every(EVERY)].ravel()
        spread = public_fit.sum_variances(basis[unseen], covariance)
        share = self.areas[~seen].sum()
        variance = share * (np.average(spread, weights=areas[unseen]) if unseen.any() else 0)
        return filled, float(np.hypot(np.sqrt(variance) * self.size, np.sqrt(share) * public_fit.LEFT_MM))


@cache
def _modes_by_vertex():
    """Return (n, k, 3) float32, the public model's modes with those of a vertex together, to read them at few
    vertices.
    """
    return np.ascontiguousarray(np.moveaxis(real_faces.modes(), 0, 1), dtype=np.float32)


@cache
def _expressions_by_vertex():
    """Return (n, m, 3) float32, the expressions with those of a vertex together, to read them at few vertices."""
    return np.ascontiguousarray(np.moveaxis(real_faces.expressions(), 0, 1))


@cache
def _expressions_together():
    """Return (m, 3 n) float32, the expressions with the vertices of each together, to sum whole faces."""
    shapes = real_faces.expressions()
    return shapes.reshape(len(shapes), -1)


@cache
def _modes_together():
    """Return (k, 3 n) float32, the modes with the vertices of each together, to sum whole faces."""
    return real_faces.modes().reshape(real_faces.count(), -1).astype(np.float32)


def slice_every(steps):
    """Return slices of every so many rings and angles."""
    return tuple(slice(None, None, step) for step in steps)


@loop(fastmath={"contract"})
def _products(basis, areas):
    """Return (k, k), the matrix of least squares by which a person's weights on the public modes are found.

    It is the sum of areas_p basis_pci basis_pcj over points p and axes c.

    basis : (p, 3, k)
    """
    count = basis.shape[2]
    sums = np.zeros((count, count))
    for p in range(len(basis)):
        x, y, z, w = basis[p, 0], basis[p, 1], basis[p, 2], areas[p]
        for i in range(count):
            a, b, c, row = w * x[i], w * y[i], w * z[i], sums[i]
            for j in range(i + 1):
                row[j] += a * x[j] + b * y[j] + c * z[j]
    for i in range(count):
        sums[: i + 1, i] = sums[i, : i + 1]
    return sums


def _find_rim(seen, along):
    """Return the rim of what a scan shows, whose residual `People.complete` carries on beyond, and how far beyond
    points lie.

    (The outermost points seen in each direction, lists of indices, the farthest last; (direction, distance beyond
    these) of the points not seen.) seen : (R, T); along : (R, T, 3), see `People.complete`
    """
    direction, distance = _find_ways(along)
    shown = np.flatnonzero(seen)
    shown = shown[np.lexsort((distance[shown], direction[shown]))]
    ends = np.searchsorted(direction[shown], np.arange(1, extent.DIRECTIONS))
    rim = [points_of_way[-OUTERMOST:] for points_of_way in np.split(shown, ends)]
    reach = np.array([distance[points_of_rim[-1]] if len(points_of_rim) else 0.0 for points_of_rim in rim])
    unseen = ~seen.ravel()
    return rim, (direction[unseen], distance[unseen] - reach[direction[unseen]])


@remember_last_call
def _find_ways(along):
    """Return (nearest direction, distance) from the nose of each point (R, T, 3) of a template, each (n,), for
    `_find_rim`.

    It is remembered, since all scans ask for the same.
    """
    direction = np.rint(extent.directions(along.reshape(-1, 3))).astype(int) % extent.DIRECTIONS
    return direction, np.linalg.norm(along, axis=-1).ravel()
