"""Fit the model of public people to one scan, for scans that the template alone leads astray.

A face x(w) = mean + sum_i w_i modes_i + a small similarity is fitted to the scan's points, as docs/mathematics.md has
it under "The public model fitted to a scan": what no point tells stays as people are on average. The face that fits is
a template of this person, to which a whole scan is registered; and it is laid onto a scan that shows a part, whose rim
is a cut through it. All of this follows from the one record and public numbers.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from shapedp.base.storage.loops import loop
from shapedp.surfaces import outside, polar, topology
from shapedp.surfaces.registration import alignment, disk_transfer, extent, srnf
from shapedp.surfaces.registration.template import unit_srnf

# Times that nearest points are looked for, at most, and how far the face may still move.
STEPS, STILL_MM = 12, 0.03
# Points of the scan, about, that are fitted to: nearly all, so that two scans of a person are fitted alike.
POINTS = 10_000
# Times the template's reach: what lies farther from the nose has no place on it.
NEAR = 1.1
# Root mean square by which a sound scan's points lie off the model's surface, beside what w explains.
OFF_MM = 0.7
# Times the median: no more of a cloud's area does one point stand for, since a larger one lies beside a hole.
MOST_AREA = 2.0
# Times the usual edge of a cloud's mesh: what lies farther from each of its points was not measured.
BRIDGE = 1.25
# Points whose distances have little to do with each other.
INDEPENDENT = 700
# Beside so many of these a mark of somebody's counts as its precision says.
BESIDE_MARKS = 400
# The least cosine between two normals of points that are the same.
FACING = 0.8
# Times the typical distance: points farther off count less.
ROBUST = 1.0
# Rings: what lies nearest to these may lie beyond the rim.
RIM = 2
# From the model: a scan that has nothing so near does not show that place.
LAID_MM = 30.0
# Over which what a scan has beside the model dies away where the scan ends; points that this is averaged over.
FADE_MM, BESIDE = 20.0, 8
# Times OFF_MM: what a noisier scan has beside the model is smoothed over so much of the disk.
SOUND, CALM = 1.05, 0.03
# What the packed modes leave of a person.
LEFT_MM = 0.6
# The mean length of a normal vector in space over its root mean square.
MEAN = 0.92
# What a fit leaves of a scan is smoothed over so much of the disk: of people that the packed modes describe .1 to .2 mm
# remain, of others up to .8; at HALF_MM it is half as good as where it leaves nothing.
SMOOTH, HALF_MM = 0.05, 0.25
# Share of the way to a fit that leaves nothing: a registration to it and the fit err for different reasons. Where an
# expression moves the skin along itself, the fit alone knows.
AT_REST, EXPRESSED = 0.85, 1.0
# What is finer beside a fit that leaves nothing is noise, of a cloud as far as this in its disk, of a mesh less far.
FINE, FINE_OF_MESH = 0.04, 0.015


@dataclass(frozen=True)
class Fit:
    """points (R, T, 3) : where the template's grid lies on the scan, in the template's units and place
    covariance (k + 7, k + 7) : of w, the scan seen; typical : distance of the scan's points from the model's surface
    """

    points: np.ndarray
    covariance: np.ndarray
    typical: float


def fit(face, place, template, people, marks=None):
    """Return the Fit of a Face: the person of the public model likest to it, where the template alone leads astray.

    Parameters
    ----------
    face : alignment.Face
        The scan.
    place : alignment.Place
        Of the Face.
    template : alignment.Template
        What the Face was placed against.
    people : public_people.People
        Of the template.
    marks : face_marks.FaceMarks or None
        Points that somebody marked, which hold the fit softly.
    """
    constraint = None if marks is None else marks.constraint(people, place, template)
    return fit_points(*_choose_points(face, place, template), people, constraint)


def fit_points(points, normals, areas, people, constraint=None):
    """Return the Fit of the public model to points (n, 3) in the template's place, with their normals (n, 3) and areas
    (n,).

    constraint : face_marks.Constraint of somebody's marks, or None
    """
    basis, mean = people.fitting
    shape, count = mean.shape[:2], basis.shape[-1]
    basis, mean = basis.reshape(-1, 3, count), mean.reshape(-1, 3)
    inner = np.repeat(np.arange(shape[0]) < shape[0] - RIM, shape[1])
    prior = people.precision
    face_points, nearest = mean, scipy.spatial.cKDTree(mean).query(points)[1]
    for _ in range(STEPS):
        own_normals = grid_normals(face_points.reshape((*shape, 3)))[nearest]
        is_same = inner[nearest] & (np.einsum("nc,nc->n", own_normals, normals) > FACING)
        # A scan's normals are noisy, and the face's are not yet where they belong: the mean errs less than either.
        across, at = normals[is_same] + own_normals[is_same], nearest[is_same]
        across /= np.linalg.norm(across, axis=1)[:, None]
        rows = along_normals(across, at, basis)
        goal = np.einsum("nc,nc->n", across, points[is_same] - mean[at])
        off = np.abs(np.einsum("nc,nc->n", across, points[is_same] - face_points[at]))
        typical = max(1.48 * np.median(off), OFF_MM / people.size) if len(off) else 1.0
        weights = areas[is_same] / (1 + (off / (ROBUST * typical)) ** 2)
        weights *= INDEPENDENT / (max(areas[is_same].sum(), 1e-300) * typical**2)
        scaled = rows * np.sqrt(weights)[:, None]
        matrix, right_side = scaled.T @ scaled + prior, rows.T @ (weights * goal)
        if constraint is not None:
            held, pulled = constraint.normal_equations(count)
            share = INDEPENDENT / BESIDE_MARKS
            matrix, right_side = matrix + share * held, right_side + share * pulled
        w = np.linalg.solve(matrix, right_side)
        before, face_points = face_points, mean + multiply(basis.reshape(-1, count), w).reshape(mean.shape)
        if np.sqrt(((face_points - before) ** 2).sum(axis=1).mean()) * people.size < STILL_MM:
            break
        nearest = _walk_to_nearest(points, face_points.reshape((*shape, 3)), nearest)
    return Fit(people.face(w), np.linalg.inv(matrix), float(typical))


# Rings and angles on either side, among which a nearer point is looked for.
AROUND = 2


@loop
def _walk_to_nearest(points, there, before):
    """Return (n,), the number of the grid's point nearest to each point (n, 3), in place of a search after each step of
    a fit.

    there : (R, T, 3) the grid. From `before` (n,), the nearest on a grid that lay nearly there, on to the nearest
    around it, until that is the point itself.
    """
    rings, angles, _ = there.shape
    nearest = np.empty_like(before)
    for n in range(len(points)):
        x, y, z = points[n]
        ring, angle = before[n] // angles, before[n] % angles
        least, has_moved = np.inf, True
        while has_moved:
            has_moved, own_ring, own_angle = False, ring, angle
            for i in range(own_ring - AROUND, min(own_ring + AROUND + 1, rings)):
                # Beyond the center the grid goes on with the other side.
                row, shift = (i, 0) if i >= 0 else (-1 - i, angles // 2)
                for k in range(own_angle - AROUND, own_angle + AROUND + 1):
                    column = (k + shift) % angles
                    a, b, c = there[row, column, 0] - x, there[row, column, 1] - y, there[row, column, 2] - z
                    square = a * a + b * b + c * c
                    if square < least:
                        least, ring, angle, has_moved = square, row, column, True
            has_moved = has_moved and (ring != own_ring or angle != own_angle)
        nearest[n] = ring * angles + angle
    return nearest


@loop
def along_normals(across, at, basis):
    """Return (n, k), by how much each of the model's modes moves a point along its normal: the rows of a fit's least
    squares.

    across : (n, 3) the normals; basis : (p, 3, k); at : (n,) the point of the basis for each
    """
    rows = np.empty((len(at), basis.shape[2]))
    for n in range(len(at)):
        a, b, c = across[n]
        row, x, y, z = rows[n], basis[at[n], 0], basis[at[n], 1], basis[at[n], 2]
        for k in range(len(row)):
            row[k] = a * x[k] + b * y[k] + c * z[k]
    return rows


@loop(fastmath={"contract", "reassoc"})
def multiply(matrix, c):
    """Return the product of a matrix with a vector, the same to the last bit on any number of threads."""
    product = np.empty(len(matrix))
    for i in range(len(matrix)):
        row, total = matrix[i], 0.0
        for j in range(len(c)):
            total += row[j] * c[j]
        product[i] = total
    return product


def _choose_points(face, place, template):
    """Return (points (n, 3), normals (n, 3), areas (n,)) of a Face in the template's place, to which the public model
    is fitted.

    About POINTS of those vertices that may lie on the template.
    """
    points = place.bring(face.vertices) + template.extent.nose
    triangles = topology.areas(points, face.triangles)
    areas = sum(np.bincount(face.triangles[:, k], triangles, len(points)) for k in range(3)) / 3
    along = (points - template.extent.nose) @ template.extent.axes.T
    near = np.flatnonzero(extent.measure_beyond(along, NEAR * template.extent.reach) <= 0)
    indices = near[:: max(1, len(near) // POINTS)]
    if not face.own_triangles:
        areas = np.minimum(areas, MOST_AREA * np.median(areas))
    return points[indices], outside.normals(points, face.triangles)[indices], areas[indices]


def grid_normals(f):
    """Return (R * T, 3), the unit normals of a grid (R, T, 3), outwards, along which a fit's distances are measured."""
    return _cross_differences(np.ascontiguousarray(f)).reshape(-1, 3)


@loop(error_model="numpy")
def _cross_differences(f):
    """Return the unit normals of a grid (R, T, 3), along which a fit's distances are measured.

    It is the compiled loop of `grid_normals`: vector products of differences along the radius and around; central,
    one-sided at the ends.
    """
    rings, angles, _ = f.shape
    normals = np.empty(f.shape)
    for i in range(rings):
        inner, outer = f[max(i - 1, 0)], f[min(i + 1, rings - 1)]
        for k in range(angles):
            before, after = f[i, k - 1], f[i, (k + 1) % angles]
            x, y, z = outer[k, 0] - inner[k, 0], outer[k, 1] - inner[k, 1], outer[k, 2] - inner[k, 2]
            u, v, w = after[0] - before[0], after[1] - before[1], after[2] - before[2]
            a, b, c = y * w - z * v, z * u - x * w, x * v - y * u
            size = max(np.sqrt(a * a + b * b + c * c), 1e-300)
            normals[i, k, 0], normals[i, k, 1], normals[i, k, 2] = a / size, b / size, c / size
    return normals


def align_to_fit(face, place, template, result, end):
    """Return a scan registered to the public model's own fit of it, which is likelier right than to everybody's
    template.

    It is (the Template that the Fit is, the Aligned of the Face to it); end : of the registration to the template of
    all
    """
    f, size, shift = polar.unit_surface(result.points)
    own = alignment.Template(f, template.options, like=template)
    nose = (own.extent.nose * size + shift - template.extent.nose) @ place.rotation * place.size + place.nose
    return own, alignment.align_from(
        face, own, replace(place, nose=nose, size=place.size * size), replace(end, u=np.zeros_like(end.u))
    )


def lay_onto(face, place, template, result, people):
    """Return (points (R, T, 3), seen (R, T)) of a face registered by the public model: its Fit, moved onto the scan.

    It takes the place of a registration where that would slide: at a cut through the face, or at the lips of an open
    mouth. Points that the scan does not show are moved, too, which means nothing there: they are not `seen`, and
    `complete` fills them in from the Fit.
    """
    x = result.points.reshape(-1, 3)
    vertices = place.bring(face.vertices) + template.extent.nose
    triangle, weights = disk_transfer.find_closest(x, vertices, face.triangles)
    scan_points = np.einsum("nk,nkc->nc", weights, vertices[face.triangles[triangle]])
    normals = grid_normals(result.points)
    off = scan_points - x
    along = np.einsum("nc,nc->n", off, normals)
    edge = np.zeros(len(vertices), dtype=bool)
    edge[topology.boundary_loops(face.triangles)[0]] = True
    beyond = (edge[face.triangles[triangle]] | (weights < 1e-6)).all(axis=1)
    seen = ~beyond & (np.linalg.norm(off, axis=1) <= LAID_MM / people.size)
    return (x + along[:, None] * normals).reshape(result.points.shape), seen.reshape(result.points.shape[:2])


def measure_misfit(points, result, people):
    """Return how far a scan lies off a Fit, in mm, where the distances are smoothed: noise is left out, and of what
    covers a part of a face, as hair does, the median hears little.

    Parameters
    ----------
    points : (R, T, 3) array
        The Fit laid onto the scan.
    result : Fit
    people : public_people.People
    """
    off = ((points - result.points).reshape(-1, 3) * grid_normals(result.points)).sum(axis=1)
    (kernel,) = polar.heat_kernels(polar.polar_grid(*points.shape[:2]), (SMOOTH,))
    smooth = np.abs(polar.smooth_field(off.reshape(*points.shape[:2], 1), kernel)).ravel()
    order, areas = np.argsort(smooth), people.areas.ravel()
    middle = np.searchsorted(np.cumsum(areas[order]), 0.5)
    return float(1.48 * smooth[order[min(middle, len(order) - 1)]] * people.size)


def share_of_way(misfit_mm, most):
    """Return the share of the way along the surface, from where a registration to a Fit has a point to where the Fit
    has it, that leaves the least error: the more the Fit leaves of a scan, the less it knows of this person.

    most : AT_REST or EXPRESSED, where it leaves nothing
    """
    return most / (1 + (misfit_mm / HALF_MM) ** 6)


def move_along(points, result, share):
    """Return registered points (R, T, 3), each moved along the surface a share of the way to its place on a Fit: nearer
    the truth.

    Half of a tangential step t leaves the surface by t^2 / 8 times its curvature: by .03 mm for 1.5 mm where it bends
    within 10 mm.
    """
    normals = grid_normals(points).reshape(points.shape)
    step = result.points - points
    return points + (step - (step * normals).sum(axis=-1, keepdims=True) * normals) * share


def fill_bridged(points, face, place, template, result, share):
    """Return registered points (R, T, 3) of a cloud's Face, those that no point was measured near moved a share of the
    way to a Fit.

    A head that is bent shows less under the nose and the chin; the mesh bridges that. What a mesh brings is as it is.

    Parameters
    ----------
    points : (R, T, 3) array
        In the template's place.
    face : alignment.Face
    place : alignment.Place
        Of the Face.
    template : alignment.Template
    result : Fit
    share : float
        The more a Fit leaves of a scan, the less: see `share_of_way`.
    """
    if face.own_triangles:
        return points
    vertices = place.bring(face.vertices) + template.extent.nose
    corners = vertices[face.triangles]
    usual = np.median(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1))
    away, _ = scipy.spatial.cKDTree(vertices).query(points.reshape(-1, 3))
    is_bridged = (away > BRIDGE * usual).reshape(points.shape[:2])
    return points + share * is_bridged[..., None] * (result.points - points)


def smooth_beside(points, result, share, is_mesh):
    """Return registered points (R, T, 3) with a share of what is fine beside a Fit smoothed away, since it is mostly
    noise.

    The more a Fit leaves of a scan, the more of what is fine beside it may be this person: see `share_of_way`.

    Parameters
    ----------
    points : (R, T, 3) array
    result : Fit
    share : float
    is_mesh : bool
        Whether the scan brought its triangles: a cloud is noisier.
    """
    beside = points - result.points
    (kernel,) = polar.heat_kernels(polar.polar_grid(*points.shape[:2]), (FINE_OF_MESH if is_mesh else FINE,))
    return points + share * (polar.smooth_field(beside, kernel) - beside)


def complete(points, seen, result, people):
    """Return (points (R, T, 3) with those not seen filled in from a Fit, mean error in mm to be expected over the
    extent).

    Beyond what is seen, what the scan has beside the model is carried on and dies away; of a noisy scan it is smoothed.
    """
    own, size = result.points, people.size
    filled = np.where(seen[..., None], points, own)
    if not seen.all() and seen.any():
        away, near = scipy.spatial.cKDTree(own[seen]).query(own[~seen], BESIDE)
        detail = (points - own)[seen][near].mean(axis=1)
        filled[~seen] += np.exp(-away[:, :1] * size / FADE_MM) * detail
    if result.typical * size > SOUND * OFF_MM:
        (kernel,) = polar.heat_kernels(polar.polar_grid(*own.shape[:2]), (CALM,))
        # Nothing finer than CALM is left.
        filled = own + polar.smooth_field(filled - own, kernel)
    basis, _, areas = people.read_off
    # Where little is seen, rounding may bring a variance below 0.
    spread = np.maximum(sum_variances(basis, result.covariance), 0.0)
    off = MEAN * np.sqrt(spread + (LEFT_MM / size) ** 2) * size
    return filled, float((areas * off).sum() / areas.sum())


@loop(fastmath={"reassoc", "contract"})
def sum_variances(basis, covariance):
    """Return (p,), how uncertain points of a face are that is filled in: variances of mean + basis w, summed over the
    axes.

    basis : (p, 3, k); covariance : (k, k) of w
    """
    sums = np.zeros(len(basis))
    for p in range(len(basis)):
        x, y, z = basis[p, 0], basis[p, 1], basis[p, 2]
        for i in range(len(covariance)):
            row, a, b, c = covariance[i], 0.0, 0.0, 0.0
            for j in range(len(row)):
                a += row[j] * x[j]
                b += row[j] * y[j]
                c += row[j] * z[j]
            sums[p] += a * x[i] + b * y[i] + c * z[i]
    return sums


def measure_against(template, points, seen, registered):
    """Return points that were laid on a Fit as if they had been registered, with the energy that gates judge them by.

    It is (Registered, scale, centroid) of points (R, T, 3); the energy against the template is that of what is seen.
    registered : whence its other fields come
    """
    surface, scale, centroid = polar.unit_surface(points)
    grid = polar.polar_grid(*points.shape[:2])
    template_q, surface_q = template.q, unit_srnf(surface, grid)
    turn = srnf.best_rotation(srnf.covariance(template_q * seen[..., None], surface_q, grid.weights))
    energy = ((template_q - srnf.rotate(turn, surface_q)) ** 2).sum(axis=-1)
    shown = grid.integral(np.where(seen, (template_q**2).sum(axis=-1), 0.0))
    energy = float(grid.integral(np.where(seen, energy, 0.0)) / max(shown, 1e-300))
    return replace(registered, surface=srnf.rotate(turn, surface), rotation=turn, energy_after=energy), scale, centroid
