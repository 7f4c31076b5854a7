"""Landmarks as planar shapes of Kendall's space."""

from shapedp import landmarks
from shapedp.manifolds import frechet, kendall


def read_shapes(path):
    """(n, k) complex: the shapes of a landmark file or a folder of them; position and size removed, rotation open.

    A record that has no shape raises `shapedp.errors.Rejected`.
    """
    return kendall.shapes_of(landmarks.read(path).shapes)


def mean_shape(shapes):
    """(k,) complex: the Fréchet mean of shapes (n, k). Not private.

    >>> import numpy, shapedp
    >>> triangle = numpy.array([0, 1, 1j]) - (1 + 1j) / 3
    >>> triangle = triangle / numpy.linalg.norm(triangle)
    >>> mean = shapedp.mean_shape(numpy.stack([triangle, 1j * triangle]))
    >>> bool(shapedp.shape_distance(mean, triangle) < 1e-12)
    True
    """
    return frechet.mean(kendall.Kendall(shapes.shape[-1]), shapes).point


def shape_distance(one, other):
    """Distance in radian between shapes (..., k), whatever their rotation: 0 to pi/2."""
    return kendall.Kendall(one.shape[-1]).dist(one, other)
