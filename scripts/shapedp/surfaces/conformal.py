"""The conformal map of a triangulated disk to the unit disk, by the discrete Douglas functional.

Among all maps of the boundary to the circle, the harmonic extension of the conformal one has the least Dirichlet energy
minus area. With c = cos(theta), s = sin(theta) at the B boundary vertices and S the Schur complement of the cotangent
Laplacian on them,

    F(theta) = c'Sc/2 + s'Ss/2 - sum_i sin(theta_{i+1} - theta_i)/2

is minimised by Newton steps under sum_i w_i exp(i theta_i) = 0, which puts the disk's center where the surface's area
balances, and a fixed mean angle. That choice is the same for every purpose; `mobius.recenter` brings any other point to
0. No library has this map: those at hand minimise other energies, which are slower or less exact on scans.

See docs/mathematics.md, (1.3) and (1.4).
"""

from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from shapedp.errors import NotConverged, Rejected
from shapedp.surfaces import distortion, edges, mobius, topology, unfolding
from shapedp.surfaces.harmonic import Harmonic
from shapedp.surfaces.laplacian import laplacian
from shapedp.surfaces.recalled import recalled

TOLERANCE = 1e-7  # radian, largest change of an angle in the last step; Newton squares it: 1e-14 is left
MAX_STEPS = 50
LARGEST_TURN = 0.5  # radian a step
START_ROUNDS = 30
CLOSE = 1e-6  # to 0, where the start may leave the measure's mean
UNFOLDINGS = 4
FLAT = 1e-16  # area in the disk below which rounding decides whether a triangle is turned over


def disk_map(vertices, triangles, unfold=True):
    """z (n,) complex: the vertices in the unit disk, boundary on the circle, orientation kept, sum_v A_v z_v = 0.

    A_v is a third of the area of the triangles round vertex v. Vertices that are moved change that sum a little.
    unfold : mend triangles that turn over, by moving the vertices round them (see `unfolding`); if that does not do,
        the whole map is solved again, with small and negative weights of the Laplacian raised (see `laplacian`) round
        all that have turned so far, and on the boundary where it ran backwards; in the last attempt everywhere
    """
    loop = _checked_boundary(vertices, triangles)
    raised, folded, fixed = np.zeros((3, len(vertices)), dtype=bool)
    fixed[loop] = True
    with _blas().limit(limits=1):
        for attempt in range(UNFOLDINGS + 1):
            z = _solve(vertices, triangles, loop, raised, folded) if attempt else _plain(vertices, triangles)
            turned = _turned(z, triangles)
            if not (unfold and turned.any()):
                return z
            moved = unfolding.unfolded(vertices, triangles, fixed, z, turned, FLAT)
            if not _turned(moved, triangles).any():
                return moved
            raised[triangles[turned]] = True
            folded[_turned_back(loop, z)] = True
            raised |= attempt + 1 == UNFOLDINGS
    if distortion.flipped(z, triangles).any():
        raise Rejected(
            "flipped_triangles", f"the disk map turns {turned.sum()} triangle(s) over; the surface is folded there"
        )
    return z


@cache
def _blas():
    """One thread for dense products: the order of their sums, and with it the last bit, depends on the number."""
    return ThreadpoolController()


def _checked_boundary(vertices, triangles):
    reason, loops = topology.examine(triangles, len(vertices))
    if reason or not np.isfinite(vertices).all():
        raise Rejected("not_a_disk", f"the mesh is not a disk: {reason or 'a vertex is not finite'}")
    return loops[0]


def _turned(z, triangles):
    """(t,) which triangles are turned over, or too flat to tell."""
    return distortion.signed_areas(z, triangles) <= FLAT


def _turned_back(loop, z):
    """The ends of the boundary's edges that run backwards on the circle."""
    ends = np.column_stack([loop, np.roll(loop, -1)])
    return ends[np.angle(z[ends[:, 1]] / z[ends[:, 0]]) <= 0]


@recalled
def _plain(vertices, triangles):
    """The map without raised weights; meshing asks for it to mend the mesh by, and then the mesh's own map is known."""
    nowhere = np.zeros(len(vertices), dtype=bool)
    return _solve(vertices, triangles, topology.boundary_loops(triangles)[0], nowhere, nowhere)


def _solve(vertices, triangles, loop, raised, folded):
    """The map for one choice of weights."""
    on_boundary = np.zeros(len(vertices), dtype=bool)
    on_boundary[loop] = True
    functions = Harmonic(laplacian(vertices, triangles, on_boundary, raised, folded), vertices, loop)
    measure = functions.measure(vertex_areas(vertices, triangles))
    theta = _newton(functions.schur, measure, _start(vertices[loop], measure))
    x, y = functions.extend(np.column_stack([np.cos(theta), np.sin(theta)])).T
    return x + 1j * y


def vertex_areas(vertices, triangles):
    """(n,) shares of the surface's area: a third of each triangle for each of its corners."""
    areas = edges.areas(vertices, triangles)
    return np.bincount(triangles.ravel(), np.repeat(areas, 3), len(vertices)) / (3 * areas.sum())


def _start(boundary, measure):
    """Angles by arc length, moved by disk automorphisms until the measure balances."""
    lengths = np.linalg.norm(np.roll(boundary, -1, axis=0) - boundary, axis=1)
    theta = 2 * np.pi * np.concatenate([[0], np.cumsum(lengths)[:-1]]) / lengths.sum()
    for _ in range(START_ROUNDS):
        z = np.exp(1j * theta)
        a = measure @ z
        if abs(a) < CLOSE:
            break
        theta = np.unwrap(np.angle(mobius.recenter(z, a)))
    return theta


def _newton(schur, measure, theta):
    """Minimise F under the balance of the measure; the multipliers are those of the last step."""
    multipliers = np.zeros(2)
    for _ in range(MAX_STEPS):
        step, multipliers = _step(schur, measure, theta, multipliers)
        largest = np.abs(step).max()
        theta = theta + step * min(1.0, LARGEST_TURN / largest)
        if largest < TOLERANCE:
            return theta
    raise NotConverged(f"disk map: angles still move by {largest:.3g} after {MAX_STEPS} steps", theta)


def _step(schur, measure, theta, multipliers):
    c, s = np.cos(theta), np.sin(theta)
    gap = np.roll(theta, -1) - theta
    sc, ss = schur @ c, schur @ s
    gradient = c * ss - s * sc + (np.cos(gap) - np.cos(np.roll(gap, 1))) / 2
    hessian = schur * (np.outer(c, c) + np.outer(s, s))
    area = np.sin(gap) / 2
    i = np.arange(len(theta))
    bend = -multipliers[0] * measure * c - multipliers[1] * measure * s
    hessian[i, i] += -c * sc - s * ss + area + np.roll(area, 1) + bend
    hessian[i, (i + 1) % len(i)] -= area
    hessian[(i + 1) % len(i), i] -= area
    jacobian = np.vstack([-measure * s, measure * c, np.ones_like(theta)])
    system = np.block([[hessian, jacobian.T], [jacobian, np.zeros((3, 3))]])
    right = -np.concatenate([gradient, [measure @ c, measure @ s, 0.0]])
    solution = np.linalg.solve(system, right)
    return solution[: len(theta)], solution[len(theta) : -1]
