"""Surfaces and diffeomorphisms with known formulas, and demo faces on the polar grid."""

from functools import cache

import numpy as np

from shapedp.surfaces import polar, table
from shapedp.surfaces.disk_map import conformal
from shapedp.surfaces.human_face.demo import faces
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import descent
from shapedp.surfaces.registration.basis import Basis, modes

RINGS, ANGLES = 96, 256


def wavy(points):
    """A graph over the disk, (..., 3): waves of several directions and a bump, so that no part of it is plain."""
    x, y = points[..., 0], points[..., 1]
    waves = 0.25 * np.sin(4 * x + 1) * np.cos(3 * y - 0.5) + 0.15 * np.cos(5 * y + 2 * x)
    return np.stack([x, y, waves + 0.4 * np.exp(-12 * (x**2 + y**2))], axis=-1)


def low_field(rng, grid, fields=10):
    """A random combination of the first basis fields, decaying with the eigenvalue, (R, T, 2)."""
    basis = Basis(modes(fields), grid)
    return basis.field(rng.standard_normal(basis.modes.real_size) / np.repeat(basis.modes.eigenvalues, 2)[basis.real])


def step(v, grid):
    """The small diffeomorphism phi(x) = (x + v) / sqrt(1 + |v|^2), as positions (R, T, 2)."""
    unmoved = table.coefficients(np.zeros_like(v), grid)
    return grid.points + polar.from_rays(descent.take_step(unmoved, polar.in_rays(v), polar.in_rays(grid.points)), 2)


def act(q_table, gamma, jacobian):
    """(q, gamma) = sqrt(J) q(gamma), (R, T, 3), q looked up in its own table."""
    return np.sqrt(jacobian)[:, :, None] * table.lookup(q_table, gamma)


def diffeomorphism(displacement, seed, grid):
    """(gamma (R, T, 2), J (R, T)): a random smooth diffeomorphism whose largest displacement is about this."""
    v = low_field(np.random.default_rng(seed), grid)
    gamma = step(v * displacement / np.linalg.norm(v, axis=-1).max(), grid)
    return gamma, descent.jacobian(gamma - grid.points, grid)


@cache
def demo_face(seed):
    """(vertices, z, f): a random face of the demo model, its disk map scaled as it was sampled, its unit surface."""
    vertices = faces.face(faces.random_weights(np.random.default_rng(seed)))
    return on_disk(vertices, faces.triangles(), faces.NOSE_TIP)


@cache
def demo_template():
    """As `demo_face`, for the mean face."""
    return on_disk(faces.template(), faces.triangles(), faces.NOSE_TIP)


def on_disk(vertices, triangles, nose_tip):
    """(vertices, z, f) of a mesh."""
    z = conformal.move_to_center(conformal.disk_map(vertices, triangles), triangles, nose_tip)
    f = polar.unit_surface(polar.sample(vertices, triangles, z, RINGS, ANGLES))[0]
    return vertices, z / np.abs(z).max(), f


def turned_disk(f, columns):
    """The surface with its disk turned: column k holds what column k + `columns` did."""
    return np.roll(f, -columns, axis=1)


def fine_grid():
    """The grid of the surfaces."""
    return polar_grid(RINGS, ANGLES)
