"""What public faces in correspondence teach: how far, and whereto, a registration errs on a face of a given shape.

A registration brings surfaces together and cannot know which point of a smooth cheek is which; faces of a model whose
vertices correspond say so. Each is registered as any face is; what then is wrong of it, v = (gamma^-1 o true)(x) - x in
the coefficients of the registration's basis, is regressed on the registered surface s,

    c = c0 + (s - s0) V diag(sigma / (sigma^2 + ridge)) U'(C - C0),      S - S0 = U sigma V',

with the ridge of the least error on public faces left out one by one. A face that lies farther outside the span of the
public ones than these lie outside the span of each other is left as it was registered: nothing was learned of it.
"""

from dataclasses import dataclass, fields, replace
from functools import lru_cache

import numpy as np

from shapedp.surfaces import sampling
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import descent, diffeo, table
from shapedp.surfaces.registration.basis import Basis, modes

SEEN = (24, 64)  # grid on which registered surfaces are compared
FIELD = (64, 192)  # grid of the corrections
RIDGES = 10.0 ** -np.arange(0, 8)  # of the largest squared singular value
SIZE = 300  # deformations, about, that a correction is made of
FOLDS = 5
FARTHER = 1.2  # times the farthest public face's distance from the span of those in other folds


@dataclass(frozen=True)
class Correspondence:
    """surface (q,) s0; axes (q, r) V; field (K,) c0; fields (r, K); reach : largest distance from the span"""

    surface: np.ndarray
    axes: np.ndarray
    field: np.ndarray
    fields: np.ndarray
    reach: float


NAMES = tuple(field.name for field in fields(Correspondence))


def learn(registered, true):
    """The Correspondence from public faces; registered : Registered of each; true : (R, T, 2) their true gamma."""
    seen = np.array([_seen(one.surface) for one in registered])
    wrong = np.array([_error(one.gamma, right) for one, right in zip(registered, true, strict=True)])
    surface, field = seen.mean(axis=0), wrong.mean(axis=0)
    u, sigma, v = _axes(seen)
    targets = wrong - field
    ridge = min(RIDGES * sigma[0] ** 2, key=lambda one: _left_out(u, sigma, targets, one))
    slopes = (sigma / (sigma**2 + ridge))[:, None] * (u.T @ targets)
    return Correspondence(surface, v.T, field, slopes, FARTHER * _farthest(seen))


def _left_out(u, sigma, targets, ridge):
    """Squared error on each face when it is left out: the residual over 1 - its leverage."""
    weight = sigma**2 / (sigma**2 + ridge)
    leverage = (u**2 * weight).sum(axis=1) + 1 / len(u)
    return (((targets - (u * weight) @ (u.T @ targets)) / (1 - leverage)[:, None]) ** 2).sum()


def _farthest(seen):
    """Largest distance of a public face from the affine span of those in other folds."""
    found = 0.0
    for fold in range(FOLDS):
        apart = np.arange(len(seen)) % FOLDS == fold
        center, axes = seen[~apart].mean(axis=0), _axes(seen[~apart])[2]
        away = seen[apart] - center
        found = max(found, np.linalg.norm(away - (away @ axes.T) @ axes, axis=1).max())
    return float(found)


def _axes(seen):
    """(U, sigma, V') of faces about their mean, without what is rounding."""
    u, sigma, v = np.linalg.svd(seen - seen.mean(axis=0), full_matrices=False)
    sound = sigma > 1e-9 * sigma[0]
    return u[:, sound], sigma[sound], v[sound]


def corrected(found, learned):
    """The Registered with its gamma corrected and the same rotation; as it was where it lies outside of what is known.

    The energies stay those of the registration, which the correction gives up a little of.
    """
    away = _seen(found.surface) - learned.surface
    inside = away @ learned.axes
    if np.linalg.norm(away - learned.axes @ inside) > learned.reach:
        return found
    grid, basis = polar_grid(*found.gamma.shape[:2]), _basis(len(learned.field))
    step = diffeo.step(basis.field(learned.field + inside @ learned.fields), basis.grid)
    step = diffeo.positions(table.coefficients(step - basis.grid.points, basis.grid), grid.points)
    moved = step - grid.points
    least = diffeo.jacobian(moved, grid).min()
    if not least > descent.LEAST_JACOBIAN:
        return found
    gamma = diffeo.positions(table.coefficients(found.gamma - grid.points, grid), step)
    surface = table.lookup(table.coefficients(found.surface, grid), step)
    return replace(found, surface=surface, gamma=gamma, min_jacobian=float(found.min_jacobian * least))


def truth(first, places, z, known):
    """(R, T, 2) the true gamma of a public face, where another of them, `first`, is registered by first.gamma.

    places : (triangle (R, T), weights (R, T, 3)) of the grid's points in the disk of `first`, as triples of vertices
    z : (n,) complex where this face has those vertices in its disk; known : (n,) which it has at all
    Where it lacks a vertex, the place of `first` is taken.
    """
    corners, weights = places
    grid = polar_grid(*first.gamma.shape[:2])
    there = np.einsum("rtk,rtk->rt", weights, z[corners])
    moved = np.stack([there.real, there.imag], axis=-1) - grid.points
    moved[~known[corners].all(axis=-1)] = 0
    return diffeo.positions(table.coefficients(moved, grid), first.gamma)


def places(z, triangles, shape):
    """(vertices (R, T, 3) of the triangle, weights (R, T, 3)) of each grid point in a disk map z that covers it."""
    inside, weights = sampling.locate(z, triangles, *shape)
    return triangles[inside], weights


def _seen(surface):
    """A registered surface (R, T, 3) as the regression sees it: on a coarse grid, weighted by area."""
    grid, coarse = polar_grid(*surface.shape[:2]), polar_grid(*SEEN)
    values = table.lookup(table.coefficients(surface, grid), coarse.points)
    return (np.sqrt(coarse.weights)[:, None, None] * values).ravel()


def _error(gamma, true):
    """(K,) coefficients of v with gamma(x + v) = true(x), to first order."""
    grid, basis = polar_grid(*gamma.shape[:2]), _basis(SIZE)
    off = true - gamma
    x, y = grid.gradient(gamma - grid.points)
    a, b, c, d = 1 + x[..., 0], y[..., 0], x[..., 1], 1 + y[..., 1]
    v = np.stack([d * off[..., 0] - b * off[..., 1], a * off[..., 1] - c * off[..., 0]], axis=-1)
    v = table.lookup(table.coefficients(v / (a * d - b * c)[..., None], grid), basis.grid.points)
    return basis.products(np.zeros(v.shape[:2]), v)


@lru_cache(maxsize=2)
def _basis(size):
    return Basis(modes(size), polar_grid(*FIELD))
