"""Functions of symmetric matrices by their eigenvalues, vectorised over leading axes."""

import numpy as np


def eigh(a):
    """Eigenvalues (ascending) and eigenvectors (columns) of symmetric a (..., k, k).

    2 x 2 matrices have a closed form, ten times as fast as LAPACK called once a matrix.
    """
    if a.shape[-1] != 2:
        return np.linalg.eigh(a)
    middle = (a[..., 0, 0] + a[..., 1, 1]) / 2
    half = (a[..., 0, 0] - a[..., 1, 1]) / 2
    radius = np.hypot(half, a[..., 1, 0])
    angle = np.arctan2(a[..., 1, 0], half) / 2
    c, s = np.cos(angle), np.sin(angle)
    vectors = np.stack([np.stack([-s, c], axis=-1), np.stack([c, s], axis=-1)], axis=-1)
    return np.stack([middle - radius, middle + radius], axis=-1), vectors


def compose(vectors, values):
    """V diag(values) V^T."""
    return (vectors * values[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def log(a, shifted=False):
    """Matrix logarithm of a, or where `shifted` (...) of I + a, accurate for small a."""
    values, vectors = eigh(a)
    return compose(vectors, _log(values, np.broadcast_to(shifted, a.shape[:-2])[..., None]))


def _log(values, shifted):
    """log(values), or log(1 + values) where shifted."""
    if shifted.all():
        return np.log1p(values)
    return np.where(shifted, np.log1p(np.where(shifted, values, 0.0)), np.log(np.where(shifted, 1.0, values)))


def transpose(a):
    """Last two axes swapped."""
    return np.swapaxes(a, -1, -2)


def symmetrise(a):
    """(a + a^T) / 2."""
    return (a + transpose(a)) / 2
