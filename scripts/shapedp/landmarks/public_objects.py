"""Public objects as files hold them: bounds, what public people teach, the center and the reference set of shapes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shapedp import landmarks
from shapedp.base import artifacts
from shapedp.base.errors import Rejected
from shapedp.landmarks import outlines
from shapedp.privacy.curves.bounds import Bounds
from shapedp.privacy.learned import face_variation
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.shapes.base import Ball, as_complex


def read_bounds(path: Path | str) -> tuple[Bounds, NDArray[np.float64]]:
    """(Bounds, the curves (J, 3, m) that are subtracted first) of a bounds artifact."""
    with artifacts.reader(path, artifacts.BOUNDS) as source:
        keys = ("tau", "lower", "upper", "deviations", "quantile", "margin", "source")
        return Bounds(**{key: source[key] for key in keys}, public=bool(source["public"])), source["reference"]


def read_variation(path: Path | str) -> tuple[Variation, NDArray[np.float64]]:
    """(Variation, the reference it is about) of a variation artifact."""
    with artifacts.reader(path, artifacts.VARIATION) as source:
        fields = {key: source[key] for key in face_variation.FIELDS}
    return Variation(**{**fields, "public": bool(fields["public"])}), fields["center"]


def read_public_center(named: str, reference_set: str | None, leave_out: Sequence[int] = ()) -> NDArray | None:
    """p0 (k, d) of shapes.center: `demo`, a file with one shape, or the mean of the set; None for `data`, `private`.

    leave_out : numbers of landmarks of the file, from 1, that are dropped
    """
    if named == "demo":
        return landmark_shapes.unit(
            landmarks.drop_landmarks(outlines.template()[None], leave_out, "the demo's outline")
        )[0][0]
    if named in ("data", "private"):
        return None
    shapes = landmarks.read(reference_set if named == "reference_set" else named, leave_out=leave_out).shapes
    if named != "reference_set" and len(shapes) != 1:
        raise Rejected(
            "not_one_shape",
            f"shapes.center: '{named}' holds {len(shapes)} shapes, and a center is one: take `center: reference_set` "
            f"with `reference_set: {named}`, whose mean is the center then, or a file with one shape",
        )
    return landmark_shapes.center_of(shapes)


def read_reference_set(path: str | None, p0: NDArray, leave_out: Sequence[int] = ()) -> NDArray | None:
    """Landmarks of the public file like p0, complex (k,) or real (k, 3), NaN where missing; None without a file.

    leave_out : numbers of the file's landmarks that p0 is without
    """
    if path is None:
        return None
    layout = landmarks.Layout(len(p0) + len(leave_out), 2 if p0.ndim == 1 else p0.shape[1])
    return as_complex(landmarks.read(path, layout, leave_out=leave_out).shapes)


def read_cohort(
    shapes_path: Path | str,
    radius: float | str,
    contour_modes: int,
    reference_set: str | None = None,
    leave_out: Sequence[int] = (),
) -> tuple[NDArray, Ball]:
    """(records (n, *p0.shape), Ball about their center)."""
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        shapes, center = source["shapes"], source["center"]
        directions = {name: source[name] for name in ("ignored", "slid") if len(source[name])}
        nothing_public = source["center_source"] == "private"
    z, p0 = as_complex(np.where(np.isnan(shapes), center, shapes)), as_complex(center)
    public_shapes = read_reference_set(reference_set, p0, leave_out)
    return z, Ball(len(z), p0, radius, contour_modes, public_shapes, nothing_public=nothing_public, **directions)
