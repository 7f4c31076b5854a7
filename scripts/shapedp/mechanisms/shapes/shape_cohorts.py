"""A cohort of shapes with what is public beside it, as the rules keep it."""

import numpy as np

from shapedp import artifacts
from shapedp.mechanisms.shapes import public_shapes
from shapedp.mechanisms.shapes.ball import Ball, as_complex


def read(shapes_path, radius, modes, reference_set=None):
    """(records (n, *p0.shape), Ball about their center)."""
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        shapes, center = source["shapes"], source["center"]
        directions = {name: source[name] for name in ("ignored", "slid") if len(source[name])}
        nothing_public = source["center_source"] == "private"
    z, p0 = as_complex(np.where(np.isnan(shapes), center, shapes)), as_complex(center)
    like = public_shapes.read(reference_set, p0)
    return z, Ball(len(z), p0, radius, modes, like, nothing_public=nothing_public, **directions)
