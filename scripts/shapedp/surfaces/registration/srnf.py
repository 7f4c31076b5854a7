"""The square root normal field q = n / sqrt|n|, n = f_u x f_v: the surface as the registration sees it; its rotations.

Under a diffeomorphism gamma of the disk q becomes sqrt(J) q(gamma), under a rotation O it becomes O q, and both keep
the integral of |q1 - q2|^2: docs/mathematics.md, (1.6). The integral of |q|^2 is the surface's area.
"""

import numpy as np

from shapedp.storage.loops import loop


def normals(f, grid):
    """n = f_u x f_v = (f_r x f_theta) / r, (R, 3, T); outwards for a disk seen from outside."""
    return _cross_over(*grid.derivatives(f), 1 / grid.r)


@loop
def _cross_over(along, around, scale):
    """(R, 3, T) the vector products of fields (R, T, 3), times a scale (R,)."""
    rings, angles, _ = along.shape
    found = np.empty((rings, 3, angles))
    first, second = along.reshape(rings, -1), around.reshape(rings, -1)
    for i in range(rings):
        a, b, x, y, z, share = first[i], second[i], found[i, 0], found[i, 1], found[i, 2], scale[i]
        for k in range(angles):
            n = 3 * k
            x[k] = (a[n + 1] * b[n + 2] - a[n + 2] * b[n + 1]) * share
            y[k] = (a[n + 2] * b[n] - a[n] * b[n + 2]) * share
            z[k] = (a[n] * b[n + 1] - a[n + 1] * b[n]) * share
    return found


@loop(error_model="numpy")
def unit(n, area):
    """q (R, T, 3) of normals n (R, 3, T) whose sizes have this integral, so scaled that the integral of |q|^2 is 1."""
    rings, _, angles = n.shape
    found, share, scale = np.empty((rings, angles, 3)), np.empty(angles), 1 / np.sqrt(area)
    for i in range(rings):
        x, y, z, out = n[i, 0], n[i, 1], n[i, 2], found[i].reshape(-1)
        for k in range(angles):
            size = np.sqrt(np.sqrt(x[k] * x[k] + y[k] * y[k] + z[k] * z[k]))
            share[k] = scale / size if size > 0 else 0.0
        for k in range(angles):
            out[3 * k], out[3 * k + 1], out[3 * k + 2] = x[k] * share[k], y[k] * share[k], z[k] * share[k]
    return found


@loop
def distance_squared(q1, q2, weights):
    """||q1 - q2||^2, the integral over the disk of |q1 - q2|^2; weights : of the grid's rings."""
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
    """B = the integral of q1 q2^T, (3, 3)."""
    b = np.zeros((3, 3))
    for i in range(q1.shape[0]):
        ring = np.zeros((3, 3))
        for k in range(q1.shape[1]):
            for c in range(3):
                for d in range(3):
                    ring[c, d] += q1[i, k, c] * q2[i, k, d]
        b += weights[i] * ring
    return b


MOST_SWEEPS = 30  # of Jacobi's method over a matrix of 4 x 4, which ends after about 5


def best_rotation(b):
    """O in SO(3) that maximises tr(O^T B), B = integral of q1 q2^T: then ||q1 - O q2|| is least. No reflections.

    b : (..., 3, 3). Of the unit quaternion w of O, tr(O^T B) = w^T N w: w is an eigenvector of N, of the largest
    eigenvalue (Horn, Closed-form solution of absolute orientation using unit quaternions, 1987).
    """
    return _best_rotations(np.ascontiguousarray(b, dtype=float).reshape(-1, 3, 3)).reshape(b.shape)


@loop
def _best_rotations(b):
    found, n, vectors = np.empty(b.shape), np.empty((4, 4)), np.empty((4, 4))
    for i in range(len(b)):
        s = b[i]
        n[0, 0], n[1, 1] = s[0, 0] + s[1, 1] + s[2, 2], s[0, 0] - s[1, 1] - s[2, 2]
        n[2, 2], n[3, 3] = s[1, 1] - s[0, 0] - s[2, 2], s[2, 2] - s[0, 0] - s[1, 1]
        n[0, 1] = n[1, 0] = s[2, 1] - s[1, 2]
        n[0, 2] = n[2, 0] = s[0, 2] - s[2, 0]
        n[0, 3] = n[3, 0] = s[1, 0] - s[0, 1]
        n[1, 2] = n[2, 1] = s[0, 1] + s[1, 0]
        n[1, 3] = n[3, 1] = s[0, 2] + s[2, 0]
        n[2, 3] = n[3, 2] = s[1, 2] + s[2, 1]
        _diagonalise(n, vectors)
        best = 0
        for k in range(1, 4):
            best = k if n[k, k] > n[best, best] else best
        _rotation(vectors[0, best], vectors[1, best], vectors[2, best], vectors[3, best], found[i])
    return found


@loop
def _diagonalise(n, vectors):
    """Jacobi's method, in place: n becomes diagonal, the columns of `vectors` its eigenvectors."""
    vectors[:] = 0.0
    for k in range(4):
        vectors[k, k] = 1.0
    for _ in range(MOST_SWEEPS):
        moved = False
        for p in range(3):
            for q in range(p + 1, 4):
                beside = n[p, q]
                if abs(n[p, p]) + abs(beside) == abs(n[p, p]) and abs(n[q, q]) + abs(beside) == abs(n[q, q]):
                    continue
                moved = True
                apart = (n[q, q] - n[p, p]) / 2
                t = np.copysign(1.0, apart) * beside / (abs(apart) + np.hypot(apart, beside))
                c = 1 / np.sqrt(1 + t * t)
                s = t * c
                for matrix in (n, vectors):
                    for k in range(4):
                        a, b = matrix[k, p], matrix[k, q]
                        matrix[k, p], matrix[k, q] = c * a - s * b, s * a + c * b
                for k in range(4):
                    a, b = n[p, k], n[q, k]
                    n[p, k], n[q, k] = c * a - s * b, s * a + c * b
        if not moved:
            break


@loop
def _rotation(w, x, y, z, out):
    """The rotation of a quaternion."""
    size = np.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / size, x / size, y / size, z / size
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@loop
def rotate(o, field):
    """O q at each point, (R, T, 3). Not by a matrix product, whose last bit may depend on the number of threads."""
    out = np.empty_like(field)
    for i in range(field.shape[0]):
        for k in range(field.shape[1]):
            x, y, z = field[i, k]
            for c in range(3):
                out[i, k, c] = o[c, 0] * x + o[c, 1] * y + o[c, 2] * z
    return out


def energies_of_rolls(q1, q2, grid):
    """min over O of ||q1 - O q2(. turned by 2 pi s / T)||^2 for s = 0..T-1, (T,).

    A turn of the disk shifts the columns: q2 turned by s has at column k what q2 has at column k + s. All T
    covariances come from one correlation along the angle.
    """
    f1, f2 = np.fft.rfft(q1, axis=1), np.fft.rfft(q2, axis=1)
    spectrum = np.einsum("r,rmc,rmd->mcd", grid.weights, f1.conj(), f2)
    b = np.fft.irfft(spectrum, grid.angles, axis=0)
    gain = np.einsum("scd,scd->s", best_rotation(b), b)
    size = grid.integral(np.einsum("rtc,rtc->rt", q1, q1) + np.einsum("rtc,rtc->rt", q2, q2))
    return size - 2 * gain
