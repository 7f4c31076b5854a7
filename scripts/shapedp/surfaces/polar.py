"""The polar grid of the unit disk, and surfaces on it: docs/mathematics.md, (1.1) and (1.2).

Radii are r_i = (i + 1/2) h with the last r = 1, angles theta_k = 2 pi k / T. A field is an array (R, T, ...) of
Cartesian components, so nothing is singular at the center: a diameter runs on through it by F(-r, theta) = F(r, theta +
pi). Derivatives are differences of fourth order.

A field that is too rough for a coarse grid is smoothed first, by the heat kernel exp(sigma^2/2 Laplacian) with no flux
through the rim: differences of a rough field would not be the derivatives of anything. Cells of the grid (finite
volumes) give each angular frequency m its own tridiagonal Laplacian

    V_i (L F)_i = r_(i+1/2) (F_(i+1) - F_i) / h - r_(i-1/2) (F_i - F_(i-1)) / h - m^2 V_i F_i / r_i^2,

symmetric in the inner product of the cells' areas V; its exponential is computed once from eigenvectors.

A mesh's surface is read on the grid through the triangles of its disk map. scipy's interpolators build a triangulation
of their own and are wrong where it differs; trees that locate points are an order slower than walking from one point's
triangle to the next one's.
"""

from functools import cached_property, lru_cache

import numpy as np
from threadpoolctl import threadpool_limits

from shapedp.base.errors import Rejected
from shapedp.base.storage.loops import loop
from shapedp.surfaces import topology
from shapedp.surfaces.registration import srnf

# The rings whose weights are corrected: as many as powers of r^2 are integrated exactly.
ENDS = [0, -3, -2, -1]


def radii(rings):
    """Return (R,), the radii of a polar grid's rings, none at the center and the last on the circle."""
    r = (np.arange(rings) + 0.5) / (rings - 0.5)
    r[-1] = 1.0
    return r


class PolarGrid:
    """The polar grid of R rings and T angles, T even."""

    def __init__(self, rings, angles):
        if rings < 6 or angles < 8 or angles % 2:
            raise ValueError(f"a polar grid needs at least 6 rings and an even number of at least 8 angles, "
                             f"got {rings} and {angles}")  # fmt: skip
        self.rings, self.angles = rings, angles
        self.h = 1 / (rings - 0.5)
        self.r = radii(rings)
        self.theta = 2 * np.pi * np.arange(angles) / angles

    @cached_property
    def points(self):
        """Return (R, T, 2), the grid's points; those of the last ring have norm 1."""
        return self.r[:, None, None] * np.stack([np.cos(self.theta), np.sin(self.theta)], axis=-1)

    @cached_property
    def turns(self):
        """Return (cos theta, sin theta), each (T,)."""
        return np.cos(self.theta), np.sin(self.theta)

    @cached_property
    def weights(self):
        """Return (R,), the weights w_i by which fields are integrated: sum_i w_i sum_k F_ik = the integral of F over
        the disk.

        Cells of width h (h/2 at the rim), then those at the ends changed so that 1, r^2, r^4, r^6 are integrated
        exactly: the mean of a smooth F over a circle is an even function of r.
        """
        cells = self.r * self.h
        cells[-1] /= 2
        powers = self.r ** (2 * np.arange(len(ENDS))[:, None])
        missing = 1 / (2 * np.arange(len(ENDS)) + 2) - powers @ cells
        cells[ENDS] += np.linalg.solve(powers[:, ENDS], missing)
        return cells * 2 * np.pi / self.angles

    def integral(self, field):
        """Return the integral of a scalar field (R, T) over the disk."""
        return float((self.weights * field.sum(axis=1)).sum())

    def derivatives(self, field):
        """Return (dF/dr, dF/dtheta) of a field, each (R, T, d), of which a surface's normals and gradients are made.

        They are central differences on circles and through the center, one-sided at the last two rings.
        """
        return _differences(np.ascontiguousarray(field), 1 / (12 * self.h), self.angles / (24 * np.pi))

    def gradient(self, field):
        """Return (dF/dx, dF/dy) of a field (R, T, d), each (R, T, d), from which a surface's lengths and areas
        follow.
        """
        cos, sin = (part[:, None] for part in self.turns)
        along, around = self.derivatives(field)
        around /= self.r[:, None, None]
        return cos * along - sin * around, sin * along + cos * around


@loop
def _differences(f, per_radius, per_angle):
    """Return (dF/dr, dF/dtheta) of a field (R, T, d), of which normals and gradients are made.

    It is the compiled loop of `PolarGrid.derivatives`.

    per_radius, per_angle : what its differences are multiplied by
    """
    rings, angles, channels = f.shape
    along, around = np.empty(f.shape), np.empty(f.shape)
    half, ring = angles // 2 * channels, angles * channels
    # A ring that goes on at both ends, so that the inner loop needs no case for its ends.
    line = np.empty(ring + 4 * channels)
    for i in range(rings):
        ring_row, out = f[i].reshape(-1), around[i].reshape(-1)
        line[: 2 * channels], line[-2 * channels :] = ring_row[-2 * channels :], ring_row[: 2 * channels]
        line[2 * channels : -2 * channels] = ring_row
        before, after, farther = line[channels:], line[3 * channels :], line[4 * channels :]
        for n in range(ring):
            out[n] = (8 * (after[n] - before[n]) - (farther[n] - line[n])) * per_angle
    flat, out = f.reshape(rings, ring), along.reshape(rings, ring)
    ring_before, before_that = np.empty(ring), np.empty(ring)
    for i in range(rings - 2):
        for row, back in ((ring_before, i - 1), (before_that, i - 2)):
            if back >= 0:
                row[:] = flat[back]
            else:  # beyond the center, on the other side
                row[:half], row[half:] = flat[-1 - back, half:], flat[-1 - back, :half]
        for n in range(ring):
            out[i, n] = (8 * (flat[i + 1, n] - ring_before[n]) - (flat[i + 2, n] - before_that[n])) * per_radius
    a, b, c, d, e = flat[rings - 1], flat[rings - 2], flat[rings - 3], flat[rings - 4], flat[rings - 5]
    for n in range(ring):
        out[rings - 2, n] = (3 * a[n] + 10 * b[n] - 18 * c[n] + 6 * d[n] - e[n]) * per_radius
        out[rings - 1, n] = (25 * a[n] - 48 * b[n] + 36 * c[n] + 3 * e[n] - 16 * d[n]) * per_radius
    return along, around


def in_rays(field):
    """Return (T, d R), a field (R, T, d) laid out by rays, as the compiled loops of registration take it.

    Row k has its first component along the ray at theta_k, then its second. Loops are fastest over numbers that lie
    together and are not told apart: those along a ray.
    """
    return np.ascontiguousarray(np.transpose(field, (1, 2, 0))).reshape(field.shape[1], -1)


def from_rays(rays, channels):
    """Return a field (R, T, d) on the grid from its rays, as `in_rays` lays them out."""
    return np.ascontiguousarray(np.transpose(rays.reshape(len(rays), channels, -1), (2, 0, 1)))


@lru_cache(maxsize=16)
def polar_grid(rings, angles):
    """Return the grid of a size, made once, on which surfaces of that size are sampled, differentiated and integrated.

    Parameters
    ----------
    rings : int
        R, at least 6.
    angles : int
        T, even and at least 8.
    """
    return PolarGrid(rings, angles)


# Frequencies that the kernel damps below this are dropped.
NEGLIGIBLE = 1e-6
# Weights below this, of rings too far from each other, are left out.
NOTHING = 1e-9


@lru_cache(maxsize=12)
@threadpool_limits.wrap(limits=1)  # the last bit may depend on the number of threads
def heat_kernels(grid, sigmas):
    """Return the smoothing kernels for each of a tuple of sigmas, made once, by which fields are made fit for coarse
    grids.

    A list of what `_bands` returns.
    """
    edges = np.append(np.arange(grid.rings) * grid.h, 1.0)
    volumes = np.diff(edges**2) / 2
    flux = edges[1:-1] / grid.h
    coupling = flux / np.sqrt(volumes[1:] * volumes[:-1])
    losses = (np.append(0.0, flux) + np.append(flux, 0.0)) / volumes
    # On the disk the frequency m decays at least at the rate m^2.
    reach = np.sqrt(-2 * np.log(NEGLIGIBLE))
    counts = [min(grid.angles // 2, int(reach / sigma)) + 1 for sigma in sigmas]
    out = [np.empty((count, grid.rings, grid.rings)) for count in counts]
    root = np.sqrt(volumes)
    plain = np.diag(losses) - np.diag(coupling, 1) - np.diag(coupling, -1)
    for m in range(max(counts, default=0)):
        rates, modes = np.linalg.eigh(plain + np.diag(m**2 / grid.r**2))
        for matrices, sigma in zip(out, sigmas, strict=True):
            if m < len(matrices):
                damping = np.exp(-rates * sigma**2 / 2)
                matrices[m] = (modes / root[:, None] * damping) @ (modes * root[:, None]).T
    return [_bands(matrices) for matrices in out]


def _bands(matrices):
    """Return a heat kernel without its negligible weights, for a fast `_smooth`.

    (weights (R, 2 b + 1, M), how many of them exceed NOTHING (R, 2 b + 1)) of matrices (M, R, R). The weights are what
    ring i takes of the rings i - b to i + b at the angular frequency m = 0..M-1.
    """
    rings = matrices.shape[1]
    largest = np.abs(matrices).max(axis=0)
    away = np.abs(np.subtract.outer(np.arange(rings), np.arange(rings)))
    reach = int(away[largest > NOTHING].max(initial=0))
    column = np.arange(rings)[:, None] + np.arange(-reach, reach + 1)
    is_inside = (column >= 0) & (column < rings)
    bands = matrices[:, np.arange(rings)[:, None], np.clip(column, 0, rings - 1)] * is_inside
    weights = np.ascontiguousarray(np.moveaxis(bands, 0, -1))
    much = np.abs(weights) > NOTHING
    return weights, np.where(much.any(axis=-1), weights.shape[-1] - much[..., ::-1].argmax(axis=-1), 0)


def smooth_field(field, kernel):
    """Return a field (R, T, d) smoothed by a heat kernel, so that its differences on a coarse grid are its derivatives.

    Parameters
    ----------
    field : (R, T, d) array
    kernel : tuple
        One of `heat_kernels`.
    """
    return np.moveaxis(smooth_parts(np.ascontiguousarray(np.moveaxis(field, 2, 1)), kernel), 1, 2)


def smooth_parts(field, kernel):
    """Return a field (R, d, T) smoothed by a heat kernel, so that a scanner's noise adds no area to a surface.

    It is `smooth_field` for a field whose components each lie together, which spares turning it about.
    """
    waves = np.fft.rfft(field, axis=2)
    weights, counts = kernel
    _smooth(waves, weights, counts)
    return np.fft.irfft(waves, field.shape[2], axis=2)


@loop(fastmath={"contract"})
def _smooth(waves, kernel, counts):
    """Smooth a field on the disk, in place, by its Fourier coefficients in the angle (R, d, M), for `smooth_parts`.

    Coefficients are smoothed over the rings. Those beyond the kernel's vanish. Real and imaginary parts lie apart
    meanwhile, so that each weight is read once for many numbers.
    """
    rings, parts, count = waves.shape
    reach = kernel.shape[1] // 2
    apart, sums = np.empty((rings, 2 * parts, count)), np.empty((2 * parts, count))
    for i in range(rings):
        for d in range(parts):
            row, real, imaginary = waves[i, d], apart[i, 2 * d], apart[i, 2 * d + 1]
            for n in range(count):
                real[n], imaginary[n] = row[n].real, row[n].imag
    for i in range(rings):
        sums[:] = 0.0
        for j in range(max(0, i - reach), min(rings, i + reach + 1)):
            weights, much = kernel[i, j - i + reach], min(count, counts[i, j - i + reach])
            for d in range(2 * parts):
                row, out = apart[j, d], sums[d]
                for n in range(much):
                    out[n] += weights[n] * row[n]
        for d in range(parts):
            row, real, imaginary = waves[i, d], sums[2 * d], sums[2 * d + 1]
            for n in range(count):
                row[n] = complex(real[n], imaginary[n])


# In barycentric shares: a place on an edge belongs to both triangles, whatever rounding says.
SLACK = 1e-9


def sample(vertices, triangles, z, rings, angles):
    """Return f (R, T, 3), a mesh's surface read on the polar grid through its disk map, the form in which surfaces are
    compared.

    By linear interpolation of the vertices in the triangles of z. The boundary is a polygon inside the circle: r_max =
    cos(largest gap / 2) counts as r = 1.

    Parameters
    ----------
    vertices : (n, 3) array
    triangles : (t, 3) integer array
    z : (n,) complex array
        The vertices in the unit disk.
    rings, angles : int
        Of the grid.
    """
    f, outside = _read_at_places(vertices, triangles, z, polar_grid(rings, angles).points)
    if outside:
        raise Rejected("uncovered_disk", f"{outside} points of the polar grid lie in no triangle of the map")
    return f


def read(vertices, triangles, z, places):
    """Return f (R, T, 3): as `sample`, at any places (R, T, 2); one a little beyond the rim counts as there."""
    return _read_at_places(vertices, triangles, z, places)[0]


def _read_at_places(vertices, triangles, z, places):
    """Return (f (R, T, 3), the mesh's surface at places of the disk; how many of them lie in no triangle of the
    map).
    """
    inner = reach(z, triangles)
    x, y, across = z.real / inner, z.imag / inner, topology.neighbours(triangles)
    f, outside = _walk_to_places(vertices, x, y, triangles, across, np.ascontiguousarray(places).reshape(-1, 2))
    return f.reshape(*places.shape[:2], 3), outside


@loop
def interpolate(vertices, triangles, inside, weights):
    """Return (n, 3), points of a surface in triangles (n,) at barycentric weights (n, 3), as another mesh or grid takes
    them over.
    """
    values = np.empty((len(inside), 3))
    for n in range(len(inside)):
        a, b, c = triangles[inside[n]]
        for k in range(3):
            near = weights[n, 0] * vertices[a, k] + weights[n, 1] * vertices[b, k]
            values[n, k] = near + weights[n, 2] * vertices[c, k]
    return values


@loop(error_model="numpy")
def _walk_to_places(vertices, x, y, triangles, across, places):
    """Return ((n, 3), a mesh's surface at each place of the disk, to be sampled on a grid; how many it does not reach).

    It is the compiled loop of `_read_at_places`; not reached are places in no triangle. Each is walked to from the last
    one, over the edge that it lies beyond the most. Such a walk may go in circles if the triangles are not Delaunay's,
    or end at a hole: then all triangles are looked at. One that lies in none counts as the nearest place of the
    triangle in which its walk ended, beyond the rim.
    """
    points, t, outside = np.empty((len(places), 3)), 0, 0
    for n in range(len(places)):
        px, py = places[n, 0], places[n, 1]
        for _ in range(len(triangles)):
            parts = _find_parts_of_place(x, y, triangles[t], px, py)
            if _inside(parts):
                break
            k = 0 if parts[0] <= parts[1] and parts[0] <= parts[2] else (1 if parts[1] <= parts[2] else 2)
            if across[t, k] < 0:
                break
            t = across[t, k]
        if not _inside(parts):
            for other in range(len(triangles)):
                other_parts = _find_parts_of_place(x, y, triangles[other], px, py)
                if _inside(other_parts):
                    t, parts = other, other_parts
                    break
            outside += not _inside(parts)
        a, b, c = triangles[t]
        u, v, w = max(parts[0], 0.0), max(parts[1], 0.0), max(parts[2], 0.0)
        for k in range(3):
            points[n, k] = (u * vertices[a, k] + v * vertices[b, k] + w * vertices[c, k]) / (u + v + w)
    return points, outside


@loop
def _inside(parts):
    """Return whether a place lies in the triangle that these are its barycentric parts of."""
    return min(parts) >= -SLACK * (parts[0] + parts[1] + parts[2])


@loop
def _find_parts_of_place(x, y, corners, px, py):
    """Return twice the signed areas of the triangles that a place makes with a triangle's edges: its barycentric
    shares.

    That opposite a comes first; of a triangle that is turned over or flat, in which no place lies, -1.
    """
    a, b, c = corners
    ax, ay, bx, by, cx, cy = x[a] - px, y[a] - py, x[b] - px, y[b] - py, x[c] - px, y[c] - py
    u, v, w = bx * cy - by * cx, cx * ay - cy * ax, ax * by - ay * bx
    return (u, v, w) if u + v + w > 0 else (-1.0, -1.0, -1.0)


def reach(z, triangles):
    """Return the radius within which the map's polygon covers the disk, which is taken for the circle when it is
    read.
    """
    # The polygon of the rim leaves out segments of the circle; the widest gap leaves out most.
    on_circle = np.abs(z) > 1 - 1e-9
    rim = np.sort(np.angle(z[on_circle]))
    if len(rim) < 3 or len(triangles) == 0:
        raise Rejected("uncovered_disk", f"only {len(rim)} vertices of the map lie on the unit circle")
    gap = np.diff(np.append(rim, rim[0] + 2 * np.pi)).max()
    return np.cos(gap / 2)


# In disk radii: normals are averaged so far before areas are added up.
SIGMA = 0.02


def area_elements(f):
    """Return (R, T), the area that each grid cell of a surface carries, without what the roughness of its points adds.

    It is |K n| dx dy, n = f_x x f_y. A scanner's noise tilts each small triangle, which adds area whatever the tilt;
    averaged by the heat kernel K, the tilts cancel, for n is a vector.
    """
    grid = polar_grid(*f.shape[:2])
    (kernel,) = heat_kernels(grid, (SIGMA,))
    return _measure_cells(smooth_parts(srnf.normals(f, grid), kernel), grid.weights)


def plain_areas(f):
    """Return (R, T), the area of each grid cell of a surface, |n| dx dy, with the roughness that `area_elements` takes
    off.
    """
    grid = polar_grid(*f.shape[:2])
    return _measure_cells(srnf.normals(f, grid), grid.weights)


@loop
def _measure_cells(n, weights):
    """Return (R, T), the areas of a grid's cells, for `area_elements` and `plain_areas`.

    That is |n| times the weight of its ring, for normals n (R, 3, T).
    """
    rings, _, angles = n.shape
    out = np.empty((rings, angles))
    for i in range(rings):
        x, y, z, row, w = n[i, 0], n[i, 1], n[i, 2], out[i], weights[i]
        for k in range(angles):
            row[k] = w * np.sqrt(x[k] * x[k] + y[k] * y[k] + z[k] * z[k])
    return out


def unit_surface(f):
    """Return (f of unit area with its centroid at 0, the square root of its area, its centroid), so that shape alone is
    compared.

    The centroid is area-weighted, c = (1/A) sum f dA, so it does not depend on the parameterisation.
    """
    elements = area_elements(f)
    area = elements.sum()
    if not (np.isfinite(area) and area > 0):
        raise Rejected("zero_area", f"the surface has area {area:.6g}; a surface needs a positive, finite area")
    centered, centroid = _center_surface(f, elements, area)
    return centered, float(np.sqrt(area)), centroid


@loop
def _center_surface(f, elements, area):
    """Return (f of unit area about its centroid, that centroid (3,)), so that shape alone is compared.

    It is the compiled loop of `unit_surface`.

    The centroid is the sum of f times its elements (R, T), over the area.
    """
    centered, moments = np.empty(f.shape), np.zeros(3)
    for i in range(len(f)):
        x, y, z = 0.0, 0.0, 0.0
        for k in range(f.shape[1]):
            x += elements[i, k] * f[i, k, 0]
            y += elements[i, k] * f[i, k, 1]
            z += elements[i, k] * f[i, k, 2]
        moments[0], moments[1], moments[2] = moments[0] + x, moments[1] + y, moments[2] + z
    centroid, scale = moments / area, 1 / np.sqrt(area)
    for i in range(len(f)):
        for k in range(f.shape[1]):
            for c in range(3):
                centered[i, k, c] = (f[i, k, c] - centroid[c]) * scale
    return centered, centroid


# Of the coarser grid that `decimate` ends on.
RINGS, ANGLES = 24, 32


def decimate(f):
    """Return few points (r, a, 3) of a surface (R, T, 3), for a look at it and to compare it quickly with others.

    They are of about RINGS rings, the outermost among them, and ANGLES angles.
    """
    rings = np.arange(f.shape[0] - 1, -1, -max(1, f.shape[0] // RINGS))[::-1]
    return f[rings][:, :: max(1, f.shape[1] // ANGLES)]
