"""The square root normal field q = n / sqrt|n|, n = f_u x f_v: the surface as the registration sees it; its rotations.

Under a diffeomorphism gamma of the disk q becomes sqrt(J) q(gamma), under a rotation O it becomes O q, and both keep
the integral of |q1 - q2|^2: docs/mathematics.md, (1.6). The integral of |q|^2 is the surface's area.
"""

import numpy as np

from shapedp.base.storage.loops import loop


def normals(f, grid):
    """Return n = f_u x f_v = (f_r x f_theta) / r, (R, 3, T), of which the square root normal field is made; outwards
    from a disk.

    Parameters
    ----------
    f : (R, T, 3) array
        The surface.
    grid : polar.PolarGrid
        That it is on.
    """
    return _cross_over(*grid.derivatives(f), 1 / grid.r)


@loop
def _cross_over(along, around, scale):
    """Return (R, 3, T), a surface's normals for `normals`: vector products of slopes (R, T, 3), times a scale (R,)."""
    rings, angles, _ = along.shape
    crossed = np.empty((rings, 3, angles))
    first, second = along.reshape(rings, -1), around.reshape(rings, -1)
    for i in range(rings):
        a, b, x, y, z, share = first[i], second[i], crossed[i, 0], crossed[i, 1], crossed[i, 2], scale[i]
        for k in range(angles):
            n = 3 * k
            x[k] = (a[n + 1] * b[n + 2] - a[n + 2] * b[n + 1]) * share
            y[k] = (a[n + 2] * b[n] - a[n] * b[n + 2]) * share
            z[k] = (a[n] * b[n + 1] - a[n + 1] * b[n]) * share
    return crossed


@loop(error_model="numpy")
def unit(n, area):
    """Return q (R, T, 3), the square root normal field by which surfaces are compared, so scaled that the integral of
    |q|^2 is 1.

    Parameters
    ----------
    n : (R, 3, T) array
        The normals.
    area : float
        The integral of their sizes.
    """
    rings, _, angles = n.shape
    field, share, scale = np.empty((rings, angles, 3)), np.empty(angles), 1 / np.sqrt(area)
    for i in range(rings):
        x, y, z, out = n[i, 0], n[i, 1], n[i, 2], field[i].reshape(-1)
        for k in range(angles):
            size = np.sqrt(np.sqrt(x[k] * x[k] + y[k] * y[k] + z[k] * z[k]))
            share[k] = scale / size if size > 0 else 0.0
        for k in range(angles):
            out[3 * k], out[3 * k + 1], out[3 * k + 2] = x[k] * share[k], y[k] * share[k], z[k] * share[k]
    return field


@loop
def distance_squared(q1, q2, weights):
    """Return ||q1 - q2||^2, the energy of two surfaces as they lie: the integral over the disk of |q1 - q2|^2.

    q1, q2 : (R, T, 3) square root normal fields; weights : of the grid's rings
    """
    total = 0.0
    for i in range(q1.shape[0]):
        ring = 0.0
        for k in range(q1.shape[1]):
            for c in range(3):
                ring += (q1[i, k, c] - q2[i, k, c]) ** 2
        total += weights[i] * ring
    return total


@loop
def covariance(q1, q2, weights):
    """Return B = the integral of q1 q2^T, (3, 3), from which `best_rotation` turns one surface onto another.

    q1, q2 : (R, T, 3) square root normal fields; weights : (R,) of the grid's rings
    """
    b = np.zeros((3, 3))
    for i in range(q1.shape[0]):
        ring = np.zeros((3, 3))
        for k in range(q1.shape[1]):
            for c in range(3):
                for d in range(3):
                    ring[c, d] += q1[i, k, c] * q2[i, k, d]
        b += weights[i] * ring
    return b


def best_rotation(b):
    """Return O in SO(3) that turns one surface best onto another: it maximises tr(O^T B), so ||q1 - O q2|| is least.

    B = integral of q1 q2^T; no reflections. b : (..., 3, 3)
    """
    u, _, vt = np.linalg.svd(b)
    # Where the best orthogonal map would be a reflection, the direction that matters least is turned over instead.
    u[..., 2] *= np.sign(np.linalg.det(u @ vt))[..., None]
    return u @ vt


@loop
def rotate(o, field):
    """Return O q at each point, (R, T, 3), the same to the last bit on any number of threads, as a matrix product need
    not be.

    Parameters
    ----------
    o : (3, 3) array
        The rotation O, or any other linear map.
    field : (R, T, 3) array
    """
    out = np.empty_like(field)
    for i in range(field.shape[0]):
        for k in range(field.shape[1]):
            x, y, z = field[i, k]
            for c in range(3):
                out[i, k, c] = o[c, 0] * x + o[c, 1] * y + o[c, 2] * z
    return out


def find_roll_energies(q1, q2, grid):
    """Return (T,), the energy left at each turn of the disk with the best rotation of space, to choose where descents
    start.

    It is min over O of ||q1 - O q2(. turned by 2 pi s / T)||^2 for s = 0..T-1. A turn of the disk shifts the columns:
    q2 turned by s has at column k what q2 has at column k + s. All T covariances come from one correlation along the
    angle.
    """
    f1, f2 = np.fft.rfft(q1, axis=1), np.fft.rfft(q2, axis=1)
    spectrum = np.einsum("r,rmc,rmd->mcd", grid.weights, f1.conj(), f2)
    b = np.fft.irfft(spectrum, grid.angles, axis=0)
    gain = np.einsum("scd,scd->s", best_rotation(b), b)
    size = grid.integral(np.einsum("rtc,rtc->rt", q1, q1) + np.einsum("rtc,rtc->rt", q2, q2))
    return size - 2 * gain
