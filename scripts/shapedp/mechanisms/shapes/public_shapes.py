"""The public shapes that the settings name: the center p0, and a set from which is learned how shapes vary."""

from shapedp import landmarks
from shapedp.demo import outlines
from shapedp.errors import Rejected
from shapedp.manifolds import landmark_shapes
from shapedp.mechanisms.shapes.ball import as_complex


def center(named, reference_set):
    """p0 (k, d) of shapes.center: `demo`, a file with one shape, or the mean of the set; None for `data`, `private`."""
    if named == "demo":
        return landmark_shapes.unit(outlines.template()[None])[0][0]
    if named in ("data", "private"):
        return None
    found = landmarks.read(reference_set if named == "reference_set" else named).shapes
    if named != "reference_set" and len(found) != 1:
        raise Rejected("not_one_shape", f"shapes.center: '{named}' holds {len(found)} shapes; a center is one")
    return landmark_shapes.center_of(found)


def read(path, p0):
    """Landmarks of the public file like p0, complex (k,) or real (k, 3), NaN where missing; None without a file."""
    if path is None:
        return None
    planar = p0.ndim == 1
    found = landmarks.read(path, landmarks.Layout(len(p0), 2 if planar else p0.shape[1])).shapes
    return as_complex(found)
