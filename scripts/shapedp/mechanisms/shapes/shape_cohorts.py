"""A cohort of shapes with what is public beside it, as the rules keep it."""

from shapedp import artifacts
from shapedp.mechanisms.shapes import public_shapes
from shapedp.mechanisms.shapes.ball import Ball, as_complex


def read(shapes_path, radius, modes, reference_set=None):
    """(records (n, *p0.shape), Ball about their center)."""
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        z, p0, ignored = as_complex(source["shapes"]), as_complex(source["center"]), source["ignored"]
    like = public_shapes.read(reference_set, p0)
    return z, Ball(len(z), p0, radius, modes, like, ignored if len(ignored) else None)
