"""Map a triangulated disk conformally to the unit disk, by the discrete Douglas functional.

The boundary's angles theta minimise F of docs/mathematics.md, (1.3), by Newton steps under (1.4), which puts the disk's
center where the surface's area balances; `recenter` brings any other point to 0 by (1.5). No library has this map:
those at hand minimise other energies, which are slower or less exact on scans.

With the interior first and the boundary last, the cotangent Laplacian is L = [[L11, L12], [L21, L22]]; eliminating the
interior once leaves the Schur complement S = L22 - L21 L11^-1 L12, which takes boundary values to their normal
derivatives. The same factor extends boundary values inwards, u = -L11^-1 L12 g, and moves weights on the vertices to
the boundary.

A triangle that turns over in a harmonic map is nearly always a sliver a millionth of the disk across. To raise weights
round it, or to solve the patch again, bends hundreds of triangles for it. Here each triangle whose area lies below its
floor moves its corners along the gradient of that area, by the least squares of moves that lift it there, one triangle
after the other until none is left (a projection onto one constraint after the other; Kaczmarz 1937). The
boundary stays. The floor is a share of the area that a similarity would give the triangle.
"""

from functools import cache

import numpy as np
import scipy
from threadpoolctl import ThreadpoolController

from shapedp.base.errors import NotConverged, Rejected
from shapedp.base.storage.loops import loop
from shapedp.surfaces import topology
from shapedp.surfaces.disk_map import elimination
from shapedp.surfaces.disk_map.laplacian import laplacian
from shapedp.surfaces.topology import remember_last_call


@remember_last_call
def measure_angle_changes(vertices, triangles, z):
    """Return (t, 3), in degrees, by how much a map to the disk changes each angle of a mesh, to judge whether it is
    conformal.
    """
    return np.degrees(_measure_turns(vertices, np.column_stack([z.real, z.imag, np.zeros(len(z))]), triangles))


@loop
def _measure_turns(points, plane, triangles):
    """Return (t, 3), the angle at each corner in the plane minus that on the mesh: how far a map is from conformal.

    It is the compiled loop of `measure_angle_changes`. Sine and cosine of the difference are products of those of both
    angles.
    """
    result = np.empty(triangles.shape)
    for t in range(len(triangles)):
        for k in range(2):
            a, b, c = triangles[t, k], triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
            sine, cosine = topology.sine_and_cosine(points, a, b, c)
            y, x = topology.sine_and_cosine(plane, a, b, c)
            result[t, k] = topology.find_angle(y * cosine - x * sine, x * cosine + y * sine)
        result[t, 2] = -result[t, 0] - result[t, 1]
    return result


def signed_areas(z, triangles):
    """Return (t,), the signed areas of the triangles in the disk."""
    (a, b, c), x, y = triangles.T, z.real, z.imag
    return ((x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a])) / 2


def find_flipped(z, triangles, flat=0.0):
    """Return (t,), which triangles lost their orientation or their area; flat : area that is too little to tell."""
    return signed_areas(z, triangles) <= flat


# Rings of vertices round a turned triangle that may move.
RINGS = 3
# The floor of a triangle's area, as a share of what a similarity with its longest edge would give it.
SHARE = 0.1
# Times its floor that a triangle is lifted to, so that the last moves end.
BEYOND = 1.1
# Passes over all triangles: what has not unfolded by then is a fold of the surface.
SWEEPS = 100


def unfold_triangles(vertices, triangles, fixed, z, turned, flat):
    """Return z with the vertices round the `turned` triangles moved, so that the disk map turns no triangle over.

    Some stay turned where the surface is folded.

    fixed : (n,) vertices that stay; flat : area that every triangle near them is to exceed
    """
    free = np.zeros(len(z), dtype=bool)
    free[triangles[turned]] = True
    for _ in range(RINGS):
        free[triangles[free[triangles].any(axis=1)]] = True
    near = triangles[free[triangles].any(axis=1)]
    in_disk = np.column_stack([z.real, z.imag, np.zeros(len(z))])
    shrunk = topology.lengths(in_disk, near).max(axis=1) / topology.lengths(vertices, near).max(axis=1)
    similar = np.maximum(SHARE * topology.areas(vertices, near) * shrunk**2, 2 * flat)
    now, unfolded = signed_areas(z, near), z.copy()
    # No floor is higher than where a triangle that is not turned over lies already.
    floors = np.where(now > flat, np.minimum(similar, now / BEYOND), similar)
    _lift_triangles(unfolded, near, floors, free & ~fixed)
    return unfolded


@loop
def _lift_triangles(z, triangles, floors, free):
    """Move corners of the disk map, in place, until no triangle is turned over: each area reaches its floor.

    It is the compiled loop of `unfold_triangles`. One triangle after the other, until all lie there or the sweeps are
    over; free : (n,) the vertices that may move
    """
    for _ in range(SWEEPS):
        low = False
        for t in range(len(triangles)):
            i, j, k = triangles[t]
            a, b, c = z[i], z[j], z[k]
            area = ((b - a).conjugate() * (c - a)).imag / 2
            if area >= floors[t]:
                continue
            low = True
            steep = free[i] * abs(c - b) ** 2 + free[j] * abs(a - c) ** 2 + free[k] * abs(b - a) ** 2
            if steep == 0.0:
                continue
            # The gradient of the area at corner a is i (c - b)/2.
            step = 2j * (BEYOND * floors[t] - area) / steep
            z[i] += free[i] * step * (c - b)
            z[j] += free[j] * step * (a - c)
            z[k] += free[k] * step * (b - a)
        if not low:
            return


# Vertices of a rim: the map solves dense systems of so many; a face of 1.5 million points has 2,300.
MOST_RIM = 8000
# Radian, the largest change of an angle in the last step: a hundredth of it is left.
TOLERANCE = 1e-8
# Radian: after such a step the matrix is as good as the same, and its factor serves again.
SMALL_TURN = 0.01
MAX_STEPS = 50
# Radian that any angle may turn in a step.
LARGEST_TURN = 0.5
START_ROUNDS = 30
# How near to 0 the start may leave the measure's mean.
CLOSE = 1e-6
UNFOLDINGS = 4
# Area in the disk below which rounding decides whether a triangle is turned over.
FLAT = 1e-16


def disk_map(vertices, triangles, unfold=True):
    """Return z (n,) complex, the conformal map of a mesh to the unit disk, in which surfaces of all people are
    compared.

    Its boundary lies on the circle, its orientation is kept, and sum_v A_v z_v = 0, where A_v is a third of the area of
    the triangles round vertex v. Vertices that are moved change that sum a little.

    Parameters
    ----------
    vertices : (n, 3) array
    triangles : (t, 3) integer array
    unfold : bool
        Whether triangles that turn over are mended, by moving the vertices round them (see `unfold_triangles`); if that
        fails, the whole map is solved again, with small and negative weights of the Laplacian raised (see `laplacian`)
        round all that have turned so far, and on the boundary where it ran backwards; in the last attempt everywhere.
    """
    reason, loops = topology.examine(triangles, len(vertices))
    if reason or not np.isfinite(vertices).all():
        raise Rejected("not_a_disk", f"the mesh is not a disk: {reason or 'a vertex is not finite'}")
    refuse_long_rim(len(loops[0]))
    loop, after = loops[0], np.roll(loops[0], -1)
    raised, folded, fixed = np.zeros((3, len(vertices)), dtype=bool)
    fixed[loop] = True
    with _make_thread_controller().limit(limits=1):
        for attempt in range(UNFOLDINGS + 1):
            try:
                z = _solve(vertices, triangles, loop, raised, folded) if attempt else _solve_plain(vertices, triangles)
            except NotConverged:
                if not attempt:
                    raise
                break  # what the attempts before left is judged
            turned = find_flipped(z, triangles, FLAT)
            if not (unfold and turned.any()):
                return z
            unfolded_z = unfold_triangles(vertices, triangles, fixed, z, turned, FLAT)
            if not find_flipped(unfolded_z, triangles, FLAT).any():
                return unfolded_z
            raised[triangles[turned]] = True
            backwards = np.angle(z[after] / z[loop]) <= 0
            folded[np.concatenate([loop[backwards], after[backwards]])] = True
            raised |= attempt + 1 == UNFOLDINGS
    if find_flipped(z, triangles).any():
        raise Rejected(
            "flipped_triangles", f"the disk map turns {turned.sum()} triangle(s) over; the surface is folded there"
        )
    return z


def is_folded(vertices, triangles, z):
    """Return whether a map turns triangles over that stay so when the vertices round them are moved, since the surface
    is folded there.

    Parameters
    ----------
    vertices : (n, 3) array
    triangles : (t, 3) integer array
    z : (n,) complex array
        The map, as it is where nothing was unfolded.
    """
    turned = find_flipped(z, triangles, FLAT)
    fixed = np.zeros(len(vertices), dtype=bool)
    fixed[topology.boundary_loops(triangles)[0]] = True
    return bool(find_flipped(unfold_triangles(vertices, triangles, fixed, z, turned, FLAT), triangles, FLAT).any())


def refuse_long_rim(count):
    """Raise Rejected where a mesh has a rim of more vertices than any scan, before anything as large as its square is
    made.
    """
    if count > MOST_RIM:
        raise Rejected(
            "long_rim",
            f"the mesh's rim runs through {count} vertices, more than {MOST_RIM}: slits or a border of teeth; cut the "
            "scan along a smooth line, or save its points alone",
        )


@cache
def _make_thread_controller():
    """Return what limits dense products to one thread, so that a scan's map is the same to the last bit on every
    machine.

    The order of sums, and with it the last bit, depends on the number of threads.
    """
    from scipy import linalg  # noqa: F401 - its library is among those that are found

    return ThreadpoolController()


@remember_last_call
def _solve_plain(vertices, triangles):
    """Return the map without raised weights, which is remembered: meshing asks for it to mend the mesh by, and then the
    step.
    """
    nowhere = np.zeros(len(vertices), dtype=bool)
    return _solve(vertices, triangles, topology.boundary_loops(triangles)[0], nowhere, nowhere)


def _solve(vertices, triangles, loop, raised, folded):
    """Return the disk map z (n,) for one choice of the Laplacian's weights: one attempt of `disk_map`.

    raised, folded : (n,) as of `laplacian`
    """
    on_boundary = np.zeros(len(vertices), dtype=bool)
    on_boundary[loop] = True
    functions = Harmonic(laplacian(vertices, triangles, on_boundary, raised, folded), vertices, loop)
    areas = topology.areas(vertices, triangles)
    shares = np.bincount(triangles.ravel(), np.repeat(areas, 3), len(vertices)) / (3 * areas.sum())
    measure = functions.measure(shares)
    theta = _minimise_by_newton(functions.schur, measure, _find_start_angles(vertices[loop], measure))
    x, y = functions.extend(np.column_stack([np.cos(theta), np.sin(theta)])).T
    return x + 1j * y


def _find_start_angles(boundary, measure):
    """Return the boundary's angles (B,) from which `_minimise_by_newton` starts: by arc length, moved into balance.

    Disk automorphisms move them. measure : (B,) weights of the boundary, whose mean point comes to 0
    """
    lengths = np.linalg.norm(np.roll(boundary, -1, axis=0) - boundary, axis=1)
    theta = 2 * np.pi * np.concatenate([[0], np.cumsum(lengths)[:-1]]) / lengths.sum()
    z = np.exp(1j * theta)
    for _ in range(START_ROUNDS):
        a = measure @ z
        if abs(a) < CLOSE:
            break
        z = recenter(z, a)
    return np.unwrap(np.angle(z))


def _minimise_by_newton(schur, measure, theta):
    """Return the boundary's angles (B,) at which the disk map is conformal: the minimum of F of the module's text.

    The measure's mean point is held at 0, and the mean angle as it is.

    A step and the change of the multipliers solve the system of both; where steps are small, the factor of the step
    before serves again, and each step is a small share of the one before.
    """
    count, multipliers, factor, pivots = len(theta), np.zeros(3), None, None
    for _ in range(MAX_STEPS):
        c, s = np.cos(theta), np.sin(theta)
        gap = np.append(theta[1:], theta[0]) - theta
        sc, ss = schur @ c, schur @ s
        jacobian = np.stack([-measure * s, measure * c, np.ones(count)])
        half = np.cos(gap) / 2
        half -= np.append(half[-1], half[:-1])
        right = -np.concatenate([c * ss - s * sc + half + multipliers @ jacobian, [measure @ c, measure @ s, 0.0]])
        if factor is None:
            bend = measure * (multipliers[0] * c + multipliers[1] * s)
            system = _build_system(schur, c, s, np.sin(gap) / 2, c * sc + s * ss + bend, jacobian)
            factor, pivots, singular = scipy.linalg.lapack.dgetrf(system.T, overwrite_a=True)
            if singular:
                raise NotConverged("disk map: no further step can be computed", theta)
        solution, _ = scipy.linalg.lapack.dgetrs(factor, pivots, right)
        step, multipliers = solution[:count], multipliers + solution[count:]
        largest = np.abs(step).max()
        theta = theta + step * min(1.0, LARGEST_TURN / largest)
        if largest < TOLERANCE:
            return theta
        if largest > SMALL_TURN:
            factor = None
    raise NotConverged(f"disk map: angles still move by {largest:.3g} after {MAX_STEPS} steps", theta)


@loop
def _build_system(schur, c, s, area, less, jacobian):
    """Return the matrix of a Newton step, (B + 3, B + 3), by which the disk map's boundary angles are found.

    It is the Hessian of F and the balance, bordered by the Jacobian (3, B); see `_minimise_by_newton`.

    c, s : cosine and sine of the angles; area : half the sine of the gaps between them; less : taken off the diagonal
    """
    count = len(c)
    system = np.zeros((count + 3, count + 3))
    for i in range(count):
        row, own, a, b = system[i], schur[i], c[i], s[i]
        for j in range(count):
            row[j] = own[j] * (a * c[j] + b * s[j])
        for k in range(3):
            row[count + k] = system[count + k, i] = jacobian[k, i]
    for i in range(count):
        after = i + 1 if i + 1 < count else 0
        system[i, i] += area[i] - less[i]
        system[after, after] += area[i]
        system[i, after] -= area[i]
        system[after, i] -= area[i]
    return system


class Harmonic:
    """Harmonic functions for a Laplacian (n, n), in rows, and the boundary `loop` (B,).

    schur : (B, B) symmetric, rows sum to 0
    """

    def __init__(self, laplacian, points, loop):
        inside = np.ones(len(points), dtype=bool)
        inside[loop] = False
        starts, neighbours = laplacian.starts, laplacian.indices
        inner, blocks = elimination.dissect(points, starts, neighbours, np.flatnonzero(inside))
        self._order = np.concatenate([inner, loop])
        self.schur, *factor = elimination.eliminate(starts, neighbours, laplacian.data, self._order, blocks)
        # Of a row the diagonal comes first; a vertex without weight would be a pivot of 0.
        weightless = not (laplacian.data[laplacian.starts[inner]] > 0).all()
        if weightless or not np.isfinite(self.schur).all():
            raise Rejected(
                "degenerate",
                "the mesh has triangles too thin to compute with, as where two scans were merged; cut them off, "
                "or mesh the scan again",
            )
        self._factor = blocks, *factor

    def extend(self, values):
        """Return (n, k), the harmonic functions with `values` (B, k) on the loop: how the boundary's map is carried
        inwards.
        """
        in_order = np.zeros((len(self._order), values.shape[1]))
        in_order[-len(values) :] = values
        elimination.extend(*self._factor, in_order)
        extended = np.empty_like(in_order)
        extended[self._order] = in_order
        return extended

    def measure(self, weights):
        """Return (B,), vertices' weights moved to the boundary, so that it alone tells if a disk map is in balance.

        They are m with m . g = weights . u for every harmonic u (n,), g its values on the loop: a surface's mean place
        in the disk follows from the boundary's angles. A vertex's own weight gives its harmonic measure; the weights'
        sum is kept.
        """
        in_order = weights[self._order]
        elimination.move_outwards(*self._factor, in_order)
        return in_order[-len(self.schur) :]


# The share of the triangles that may be turned over and are mended: more mean a center too far out.
FEW = 0.002
ON_CIRCLE = 1e-9
# The area that a mended triangle exceeds.
MENDED = 1e-13


def recenter(z, a):
    """Return z with `a` sent to 0 by the disk automorphism (z - a) / (1 - conj(a) z), which keeps the map conformal.

    Parameters
    ----------
    z : (n,) complex array
        |z| <= 1; points on the unit circle stay on it.
    a : complex
        |a| < 1.
    """
    if not abs(a) < 1:
        raise ValueError(f"center must lie inside the unit disk, got |a| = {abs(a):.6g}")
    return (z - a) / (1 - np.conj(a) * z)


def move_to_center(z, triangles, vertex):
    """Return the disk map with an interior vertex (the nose tip) at 0; raise Rejected where many triangles turn over by
    that.

    Between the vertices the map is linear, so an automorphism is kept up to the size of the triangles; near the circle
    it shears large ones. Where these are a FEW, the inner vertices round them, but for the center, are moved until none
    is turned over.

    Parameters
    ----------
    z : (n,) complex array
        The disk map.
    triangles : (t, 3) integer array
    vertex : int
        The number of the vertex that comes to 0.
    """
    if not abs(z[vertex]) < 1:
        raise Rejected("center_on_boundary", "the vertex chosen as center lies on the mesh's boundary")
    centered_z = recenter(z, z[vertex])
    turned = find_flipped(centered_z, triangles)
    if 0 < turned.sum() <= FEW * len(triangles):
        fixed = np.abs(z) > 1 - ON_CIRCLE
        fixed[vertex] = True
        plane = np.column_stack([z.real, z.imag, np.zeros(len(z))])
        centered_z = unfold_triangles(plane, triangles, fixed, centered_z, turned, MENDED)
        turned = find_flipped(centered_z, triangles)
    if turned.any():
        raise Rejected(
            "center_far_out",
            f"to bring the chosen center from {abs(z[vertex]):.3f} of the disk's radius to 0 would turn {turned.sum()} "
            "triangle(s) over; choose a center farther from the scan's edge",
        )
    return centered_z
