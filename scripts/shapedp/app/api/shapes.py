"""Landmarks as shapes: of Kendall's space in the plane, of configurations turned to each other in space."""

from os import PathLike

import numpy as np
from numpy.typing import NDArray

from shapedp import landmarks
from shapedp.base.errors import Rejected
from shapedp.privacy.manifolds import frechet, landmark_shapes, projective
from shapedp.privacy.shapes.base import as_complex


def read_landmarks(path: PathLike | str) -> NDArray[np.float64]:
    """Return landmarks (n, k, d) as they stand in a file or a folder, d = 2 or 3, to be looked at or released.

    A missing one is NaN.
    """
    return landmarks.read(path).shapes


def read_shapes(path: PathLike | str, center: NDArray[np.float64] | None = None) -> NDArray:
    """Return the shapes of a landmark file or a folder of them: position and size are removed, rotation is left open.

    A record that has no shape raises `shapedp.errors.Rejected`.

    Parameters
    ----------
    path : path
        The file, or the folder.
    center : (k, d) array
        A public shape; missing landmarks stand where it has them, once it is laid on those that are there.

    Returns
    -------
    array
        (n, k) complex in the plane, (n, k, 3) in space.
    """
    landmark_records = landmarks.read(path)
    records = landmark_records.shapes
    if center is not None:
        records = landmark_shapes.fill_missing(records, np.asarray(center, dtype=float))
    shapes, whole = landmark_shapes.unit(records)
    if not whole.all():
        first = int(np.argmin(whole))
        raise Rejected(
            "no_shape",
            f"{path}: record {first + 1}, '{landmark_records.ids[first]}', has no shape: landmarks are missing, or "
            "all lie at one point; give a center, from which missing landmarks are filled in, or drop the record",
        )
    return as_complex(shapes)


def mean_shape(shapes: NDArray) -> NDArray:
    """Return the mean of shapes, (k,) complex or (k, 3), Fréchet's in the plane, Procrustes' in space. Not private.

    >>> import numpy, shapedp
    >>> triangle = numpy.array([0, 1, 1j]) - (1 + 1j) / 3
    >>> triangle = triangle / numpy.linalg.norm(triangle)
    >>> mean = shapedp.mean_shape(numpy.stack([triangle, 1j * triangle]))
    >>> bool(shapedp.shape_distance(mean, triangle) < 1e-12)
    True
    """
    if np.iscomplexobj(shapes):
        return frechet.mean(projective.Kendall(shapes.shape[-1]), shapes).point
    return landmark_shapes.find_frechet_mean(shapes)


def shape_distance(one: NDArray, other: NDArray) -> NDArray:
    """Return how far two shapes differ, in radian, whatever their rotation: 0 to pi/2.

    Parameters
    ----------
    one, other : (k,) complex array, or (k, 3) array
        Two shapes; one of them may be many, (..., k).
    """
    if np.iscomplexobj(one):
        return projective.Kendall(one.shape[-1]).dist(one, other)
    return landmark_shapes.dist(one, other)
