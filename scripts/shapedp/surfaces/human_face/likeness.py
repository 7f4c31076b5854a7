"""Tell how likely a registered face is, and what a scan does not show, by public people on a template's grid.

A face in the template's place is mean + sum_i w_i modes_i + a small similarity, w_i ~ N(0, SPREAD^2), as
docs/mathematics.md has it under "What a scan does not show". The similarity is free, since where and how large a face
is says nothing of its shape. All of this follows from the one record and public numbers.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
import scipy

from shapedp.base.errors import Rejected
from shapedp.base.storage.loops import loop
from shapedp.surfaces import polar
from shapedp.surfaces.human_face import expressions, face_marks, likely_error, public_fit, real_faces
from shapedp.surfaces.registration import alignment, descent, disk_transfer, extent, srnf
from shapedp.surfaces.registration.template import Options, unit_srnf
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
# Share of the extent: a scan that lacks more is for the public model, however well it ends by itself, since its rim
# slides.
LITTLE = 0.15
# Energy: a whole scan that the template leaves no more of is taken as it is.
WELL = 0.015
# Times the energy of the registration to the template: what ends so is no person the public model knows.
WORSE = 1.25
# Somebody of whom the fitted model leaves so many mm, and to whom it lies hardly nearer than the template, is a
# stranger to it: the times of that energy which a registration to the fit leaves.
STRANGE_MM, LESS = 0.5, 0.75
# A registration of an open mouth that has such a share of the face so far from the fit moved it along the lips.
SLID_MM, SLID_SHARE = 5.0, 0.01
# The same where more is missing, for a rim slides; people that the model knows have up to 2, others 2.3 to 6.
UNKNOWN = 3.0
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

UNKNOWN_MARKS = "its marks are not used: the template is too unlike public faces to say where it has them"


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
        basis, mean = self.basis(_slice_every(FITTED))
        return basis.astype(np.float32), mean

    @cached_property
    def expressed(self):
        """Return (basis (p, 3, k + 7 + m), mean (p, 3)) at the points a scan is fitted to where an expression is
        fitted, too.

        Expressions are the last m.
        """
        basis, mean = self.fitting
        shapes = np.swapaxes(self._read_field_of_model(_expressions_by_vertex(), _slice_every(FITTED)), -1, -2)
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
        fitted_field = field[_slice_every(FITTED)]
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
        basis, mean = self.basis(_slice_every(EVERY))
        return basis.reshape(-1, *basis.shape[2:]), mean.reshape(-1, 3), self.areas[_slice_every(EVERY)].ravel()

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
        is_seen = seen[_slice_every(EVERY)].ravel()
        y = np.where(is_seen[:, None], points[_slice_every(EVERY)].reshape(-1, 3) - mean, 0) * areas[:, None]
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
        unseen = ~seen[_slice_every(EVERY)].ravel()
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


def _slice_every(steps):
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


def find_people(face, own=False):
    """Return the People of a template's Face: where public people's faces lie on its grid, by registration of their
    mean to it.

    own : whether the template is that mean itself, in its place
    """
    if own:
        return place_people(face.f * face.scale + face.centroid, face.f, np.eye(3), face.scale)
    mean = alignment.map_face(
        real_faces.template(), real_faces.triangles(), real_faces.nose_tip(), face.f.shape, own_triangles=True
    )
    template = alignment.Template(face.f, Options(basis=150))
    aligned = alignment.align(mean, template)
    place, (points, seen, _) = aligned.place, _read_on_grid(aligned, template.f, template.along)
    beyond = (face.f - template.extent.nose) @ place.rotation * place.size + place.nose
    people = place_people(np.where(seen[..., None], points, beyond), face.f, place.rotation, place.size)
    return _slide_people(people, face, template)


def _slide_people(people, face, template):
    """Return the People of a template's Face, slid along the public mean to where the public model fitted to it lies.

    A registration leaves them up to .6 mm aside where a face is pointed, as at the nose, and every scan that is drawn
    to them would take that over. They go the less of the way the more of the template the fit leaves unexplained.

    template : alignment.Template of the Face
    """
    place = alignment.Place(template.extent.nose * face.scale + face.centroid, face.scale, np.eye(3))
    fit = public_fit.fit(face, place, template, people)
    before = people.read_mean()
    vertices, triangles = extent.mesh_grid(fit.points, extent.center(fit.points))
    on_mean, _ = extent.mesh_grid(before, extent.center(before))
    nearest, weights = disk_transfer.find_closest(face.f.reshape(-1, 3), vertices, triangles)
    there = triangles[nearest]
    on_fit, after = (
        np.einsum("nk,nkc->nc", weights, field[there]).reshape(face.f.shape) for field in (vertices, on_mean)
    )
    share = public_fit.share_of_way(public_fit.measure_misfit(fit.points + face.f - on_fit, fit, people), 1.0)
    return place_people(before + share * (after - before), face.f, people.rotation, people.size)


def move_people(people, face, other):
    """Return the People of a template's other form, so that clouds and meshes are drawn to the same public people.

    other : the other form, a Face of the same surface
    """
    points = disk_transfer.read_at(people.read_mean(), disk_transfer.find_places(other, face))
    return place_people(points, other.f, people.rotation, people.size)


def make_no_people(face):
    """Return the People of a template that is no face: none, of size 0."""
    shape = face.f.shape[:2]
    return People(np.zeros(shape, dtype=int), np.zeros((*shape, 3)), face.f, np.eye(3), 0.0)


def place_people(points, f, rotation, size):
    """Return the People of a template, by which public faces fill in and draw scans, once it lies on the public model.

    points (R, T, 3) : where the template's grid lies on the model's mean, mm

    f, rotation, size : as of People
    """
    triangles, weights = disk_transfer.find_closest(
        points.reshape(-1, 3), real_faces.template(), real_faces.triangles()
    )
    shape = f.shape[:2]
    return People(triangles.reshape(shape), weights.reshape((*shape, 3)), f, rotation, float(size))


@dataclass(frozen=True)
class Grid:
    """What results are on, if not on the grid of the template that a scan was registered to.

    places (R, T, 2) : where its points lie in the template's disk; None: it is the template's own
    people : the People on it; along (R, T, 3) : its points along the extent's axes, the nose at 0
    """

    people: People
    along: np.ndarray
    places: np.ndarray | None = None

    def move(self, aligned):
        """Return an Aligned on the template's grid moved to this one, on which results are kept."""
        return aligned if self.places is None else disk_transfer.move_to_grid(aligned, self.places)


def align_likeliest(face, template, people, grid=None, marks=None):
    """Return the Aligned of a Face on the whole grid, gaps filled in, from the start that ends likest to public people.

    What has no nose counts as unlike people as well.

    Parameters
    ----------
    face : alignment.Face
        The scan.
    template : alignment.Template
        What it is registered to.
    people : People or None
        Of the template; None where the public model cannot be registered to it.
    grid : Grid or None
        That the result is on; None: the template's.
    marks : face_marks.FaceMarks or None
        Points that somebody marked in the scan; without a public model they are not used.
    """
    if people is None:
        aligned = alignment.align(face, template)
        if aligned.missing:
            words = f"the scan lacks {aligned.missing:.0%} of the template's extent, and no public people fill it in"
            raise Rejected("partial_extent", f"{words}; scan it whole, or choose a smaller faces.extent.radius")
        return aligned if marks is None else replace(aligned, notice=UNKNOWN_MARKS)
    grid = grid or Grid(people, template.along)
    if marks is not None:
        marks, start = _choose_marks(face, template, people, marks)
    if marks is None or not marks.names:
        plain, best = _align_from_starts(face, template, people, grid)
        best = best if marks is None else replace(best, notice="\n".join(marks.words))
        off = None
    else:
        plain, (best, off) = start, _align_by_marks(start, face, template, people, grid, marks)
    points = _read_off(best, template, grid.people)
    signals = _measure_signals(points, plain, best, template, grid, off)
    return replace(best, unlike=max(best.unlike, grid.people.measure_nose_misfit(points)), signals=signals)


def _choose_marks(face, template, people, marks):
    """Return (the FaceMarks that are heeded, those that lie on a Face; the Aligned to the template that they are fitted
    from).

    That starts from the place that the marks ask for, or from where the Face is found by itself where they are too few.
    """
    try:
        plain = alignment.align(face, template)
    except Rejected:
        place = marks.place(template, people)
        if place is None:
            raise
        plain = alignment.align_from(face, template, place)
    heeded = marks.near_scan(face.vertices, people.size / plain.place.size)
    place = heeded.place(template, people) if heeded.names else None
    if place is not None:
        with suppress(Rejected):
            return heeded, alignment.align_from(face, template, place)
    return heeded, plain


def _align_by_marks(start, face, template, people, grid, marks):
    """Return (an Aligned on the whole of a Grid, drawn to somebody's marks; what these say of its error).

    The public model is fitted to the Face and to the marks. The second is (places (k, 3) of the marks on the grid's
    scan, mm (k,) from there to where the marks are).
    """
    scan = expressions.choose_points(face.vertices, face.triangles, start.place, template)
    expressed = expressions.fit_best(scan, start.place, template, people, marks)
    if expressed is None:
        fitted = public_fit.fit(face, start.place, template, people, marks)
        points, seen = public_fit.lay_onto(face, start.place, template, fitted, people)
        whole = _complete_from_fit(start, points, seen, fitted, template, people)
    else:
        whole = _align_expressed(start, face, template, people, expressed)
    whole = grid.move(whole)
    mean, points = grid.people.mean, whole.points
    vertices, triangles = extent.mesh_grid(mean, extent.center(mean))
    corner, weights = disk_transfer.find_closest(grid.people.landmarks(marks.vertices)[1], vertices, triangles)
    on_scan, _ = extent.mesh_grid(points, extent.center(points))
    registered = np.einsum("nk,nkc->nc", weights, on_scan[triangles[corner]])
    off = np.linalg.norm(registered - marks.points, axis=1) / whole.place.size * people.size
    return replace(whole, notice="\n".join(marks.notices(off))), (registered, off)


def _measure_signals(points, plain, best, template, grid, marked=None):
    """Return what tells the likely error of the Aligned that is kept, as likely_error.measure_signals has it.

    points : its points without expression in the template's place

    plain : the Aligned by the template alone

    marked : (places (k, 3) in the scan, mm (k,) by which these are off) of somebody's marks, near which two
    registrations that disagree say less than the marks do; or None
    """
    people, slices = grid.people, _slice_every(EVERY)
    _, residual = people.find_weights(points)
    left_mm = np.sqrt((residual**2).sum(axis=1)) * people.size
    other = plain if plain.missing else grid.move(plain)
    other, seen, _ = _read_on_grid(other, people.f, grid.along, grid.places)
    seen = seen[slices].ravel()
    mm = people.size / best.place.size
    kept_points = best.points[slices].reshape(-1, 3)
    apart = np.linalg.norm(kept_points - other[slices].reshape(-1, 3), axis=1) * mm
    if marked is not None:
        places, off = marked
        away, nearest = scipy.spatial.cKDTree(places).query(kept_points)
        near = away * mm < face_marks.ABOUT_MM
        apart = np.where(near, np.minimum(apart, off[nearest] + face_marks.OFF_MM), apart)
    return likely_error.measure_signals(
        left_mm, np.where(seen, apart, 0.0), seen, people.regions[slices].ravel(), people.areas[slices].ravel()
    )


def _align_from_starts(face, template, people, grid):
    """Return (the Aligned of a Face by the template alone, the one that is kept, whole).

    The latter is, of several starts, what ends likest to public people, if the first does not. Starts are compared by
    what their registrations leave: laid onto a scan, the public model comes near it anywhere.
    """
    plain = alignment.align(face, template)
    first = _make_whole(plain, face, template, people, grid)
    if first.unlike <= 1 or plain.registered.energy_after <= alignment.ALIKE:
        return plain, first
    others = []
    for place in alignment.find_other_places(face, template, plain.place):
        with suppress(Rejected):
            others.append(alignment.align_from(face, template, place))
    least = min(aligned.registered.energy_after for aligned in (plain, *others))
    sound = [first] if plain.registered.energy_after <= WORSE * least else []
    for other in others:
        if other.registered.energy_after <= WORSE * least:
            with suppress(Rejected):
                sound.append(_make_whole(other, face, template, people, grid))
    return plain, min(sound or [first], key=lambda aligned: aligned.unlike)


def _make_whole(aligned, face, template, people, grid):
    """Return an Aligned on the whole of a Grid, gaps filled in, and how unlike people it is, so that starts can be
    compared.
    """
    much, energy = aligned.missing > LITTLE, aligned.registered.energy_after
    if energy <= WELL and not much:
        return _keep_plain(aligned, template, grid)
    by_people = _align_by_people(aligned, face, template, people)
    if by_people is None or by_people.registered.energy_after > UNKNOWN * energy:
        return _keep_plain(aligned, template, grid)
    by_people = grid.move(by_people)
    if much:
        return by_people
    # Nearer to the truth a point may leave more; whether this is a face says the least that is left.
    energy = min(energy, by_people.registered.energy_after)
    return replace(by_people, registered=replace(by_people.registered, energy_after=energy))


def _keep_plain(aligned, template, grid):
    """Return a registration to the template as it is, where a fit of the public model would not make it better.

    It is an Aligned on the whole of a Grid, with gaps filled in.
    """
    whole = _fill_in(aligned, template, grid) if aligned.missing else grid.move(aligned)
    return replace(whole, unlike=grid.people.unlike(_read_off(whole, template, grid.people)))


def _align_by_people(aligned, face, template, people):
    """Return an Aligned on the template's whole grid by the public model fitted to its Face, where the template leads
    astray; None of a whole scan of somebody whom the model does not know.

    It is registered to the fit where it shows all, and ends no worse for it, each point moved a share of the way to
    the fit's; else the fit is laid onto it.
    """
    fit = public_fit.fit(face, aligned.place, template, people)
    scan = expressions.choose_points(face.vertices, face.triangles, aligned.place, template)
    if expressions.is_moved(scan, aligned.place, template, people, fit):
        best = expressions.fit_best(scan, aligned.place, template, people)
        expressed = None if best is None else _align_expressed(aligned, face, template, people, best)
        if (
            expressed and expressed.registered.energy_after <= aligned.registered.energy_after
        ):  # else that is not what moves it
            return expressed
    nearer = None if aligned.missing else _register_to_fit(aligned, face, template, fit)
    if nearer is None:
        points, seen = public_fit.lay_onto(face, aligned.place, template, fit, people)
        laid = _complete_from_fit(aligned, points, seen, fit, template, people)
        is_kept = aligned.missing or laid.registered.energy_after <= WORSE * aligned.registered.energy_after
        return laid if is_kept else None
    again, points, seen, gamma = nearer
    misfit = public_fit.measure_misfit(points, fit, people)
    if misfit > STRANGE_MM and again.registered.energy_after > LESS * aligned.registered.energy_after:
        return None
    points = public_fit.move_along(points, fit, public_fit.share_of_way(misfit, public_fit.AT_REST))
    share = public_fit.share_of_way(misfit, 1.0)
    points = public_fit.fill_bridged(points, face, aligned.place, template, fit, share)
    points = public_fit.smooth_beside(points, fit, share, face.own_triangles)
    plain = aligned.registered  # whose energies are against the template itself
    before = {"energy_before": plain.energy_before, "energy_rotation_only": plain.energy_rotation_only}
    at_start = replace(again, place=aligned.place, registered=replace(again.registered, gamma=gamma, **before))
    return _complete_from_fit(at_start, points, seen, fit, template, people)


def _register_to_fit(aligned, face, template, fit):
    """Return a face registered to the public model's fit of it, which keeps the scan's own detail; None where that
    fails or leaves more.

    It is (the Aligned, its points (R, T, 3) in the template's place, which are seen (R, T), gamma); aligned : at the
    Fit's place
    """
    with suppress(Rejected):
        own, again = public_fit.align_to_fit(face, aligned.place, template, fit, aligned.registered.end)
        if again.registered.energy_after <= WORSE * aligned.registered.energy_after:
            points, seen, gamma = _read_on_grid(again, own.f, own.along)
            return again, aligned.place.bring(points) + template.extent.nose, seen, gamma
    return None


def _align_expressed(aligned, face, template, people, expressed):
    """Return an Aligned of a Face with an expression by its ExpressiveFit; its energy is against the face that fits.

    That face is laid onto the scan; where the scan shows all, it is registered to it, too, and points go the further
    from there to where the fit has them the more of the scan the fit explains. Not so where the mouth is open: a scan
    is closed there anyhow, and a registration moves points along the lips.
    """
    fit = expressed.fit
    at_expression = replace(aligned, place=expressed.place, expression=expressed.weights)
    points, seen = public_fit.lay_onto(face, expressed.place, template, fit, people)
    nearer = None if aligned.missing else _register_to_fit(at_expression, face, template, fit)
    if nearer is not None and not _slides_along_lips(nearer[1], expressed, people):
        misfit = public_fit.measure_misfit(points, fit, people)
        share = public_fit.share_of_way(misfit, public_fit.EXPRESSED)
        points, seen = public_fit.move_along(nearer[1], fit, share), nearer[2]
    own = alignment.Template(polar.unit_surface(fit.points)[0], template.options)
    whole = _complete_from_fit(at_expression, points, seen, fit, template, people)
    energy = public_fit.measure_against(own, points, seen, whole.registered)[0].energy_after
    return replace(whole, registered=replace(whole.registered, energy_after=energy))


def _slides_along_lips(points, expressed, people):
    """Return whether registered points (R, T, 3) of a face whose mouth is open lie so far from its ExpressiveFit that
    they have left their places.
    """
    apart_mm = np.linalg.norm(points - expressed.fit.points, axis=-1) * people.size
    return expressions.opens_mouth(expressed.weights) and people.areas[apart_mm > SLID_MM].sum() > SLID_SHARE


def take_off_expression(aligned, nose, people, q):
    """Return an Aligned with its expression taken off, as the face would be at rest: identity and what is fine stay.

    Parameters
    ----------
    aligned : alignment.Aligned with an expression
    nose : (3,) of the template that it was registered to
    people : People on its grid
    q : (R, T, 3) square root normal field on that grid, which the face is turned to

    Returns
    -------
    alignment.Aligned
    """
    points = aligned.place.bring(aligned.points) + nose - people.expression(aligned.expression)
    return replace_points(aligned, points, nose, q)


def replace_points(aligned, points, nose, q):
    """Return an Aligned whose surface is another, as one at rest or one whose points are moved along it; what was
    measured of it stays.

    Parameters
    ----------
    aligned : alignment.Aligned
    points : (R, T, 3) array
        Of the other surface, in the template's place.
    nose : (3,) of the template that it was registered to
    q : (R, T, 3) square root normal field on its grid, which the face is turned to

    Returns
    -------
    alignment.Aligned
    """
    place = aligned.place
    surface, scale, centroid = polar.unit_surface(points)
    grid = polar.polar_grid(*points.shape[:2])
    turn = srnf.best_rotation(srnf.covariance(q, unit_srnf(surface, grid), grid.weights))
    registered = replace(aligned.registered, surface=srnf.rotate(turn, surface), rotation=turn @ place.rotation)
    centroid = (centroid - nose) @ place.rotation * place.size + place.nose
    return replace(aligned, registered=registered, scale=scale * place.size, centroid=centroid)


def _read_off(aligned, template, people):
    """Return the points of an Aligned without its expression that its likeness to people is judged by.

    On EVERY so many rings and angles, in the template's place and units.
    """
    points = (
        aligned.registered.surface[_slice_every(EVERY)] @ aligned.registered.rotation * aligned.scale + aligned.centroid
    )
    points = aligned.place.bring(points) + template.extent.nose
    return points if aligned.expression is None else points - people.expression(aligned.expression)[_slice_every(EVERY)]


def _read_on_grid(aligned, f, along, places=None):
    """Return (points (R, T, 3), whether each is seen (R, T), gamma) of an Aligned at all of a template's points f, gaps
    too.

    Where the scan shows nothing they are some continuation, to be filled in. along, places : as of a Grid
    """
    shape = f.shape
    if not aligned.missing:
        return aligned.points, np.ones(shape[:2], dtype=bool), aligned.registered.gamma
    seen = (extent.measure_beyond(along.reshape(-1, 3), aligned.reach) <= 0).reshape(shape[:2])
    where = aligned.shown.places(f, places)
    both = disk_transfer.read_at(np.concatenate([aligned.points, aligned.registered.gamma], axis=-1), where)
    return both[..., :3], seen, both[..., 3:]


def _fill_in(aligned, template, grid):
    """Return an Aligned on the whole of a Grid, with what its scan lacks filled in as public people foretell it."""
    points, seen, gamma = _read_on_grid(aligned, grid.people.f, grid.along, grid.places)
    filled, expected = grid.people.complete(aligned.place.bring(points) + template.extent.nose, seen, grid.along)
    surface, scale, centroid = polar.unit_surface(filled)
    surface = srnf.rotate(aligned.registered.rotation @ aligned.place.rotation.T, surface)
    registered = replace(aligned.registered, gamma=gamma, surface=surface)
    return _place_in_scan(aligned, registered, scale, centroid, expected, template)


def _complete_from_fit(aligned, points, seen, fit, template, people):
    """Return the Aligned of points laid on a Fit, what is not seen filled in from it, with energy, likeness and
    expected error.

    points, seen : (R, T, 3) in the template's place, on its grid, and which of them the scan shows
    """
    points, expected = public_fit.complete(points, seen, fit, people)
    registered, scale, centroid = public_fit.measure_against(template, points, seen, aligned.registered)
    registered = replace(registered, rotation=registered.rotation @ aligned.place.rotation)
    whole = _place_in_scan(aligned, registered, scale, centroid, expected, template)
    unlike = people.unlike(_read_off(whole, template, people))
    return replace(whole, missing=float(people.areas[~seen].sum()), unlike=unlike)


def _place_in_scan(aligned, registered, scale, centroid, expected, template):
    """Return an Aligned that takes over a surface made whole in the template's place, put back to where the scan lies.

    scale, centroid : of that surface, in the template's place
    """
    place = aligned.place
    return replace(
        aligned,
        registered=registered,
        scale=scale * place.size,
        centroid=(centroid - template.extent.nose) @ place.rotation * place.size + place.nose,
        expected_mm=expected,
    )


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
