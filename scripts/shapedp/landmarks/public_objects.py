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
    """Return the public Bounds that a release clips people to, from their file, and the curves subtracted first."""
    with artifacts.reader(path, artifacts.BOUNDS) as source:
        keys = ("tau", "lower", "upper", "deviations", "quantile", "margin", "source")
        return Bounds(**{key: source[key] for key in keys}, public=bool(source["public"])), source["reference"]


def read_variation(path: Path | str) -> tuple[Variation, NDArray[np.float64]]:
    """Return what public people teach of how faces vary, from its file, and the reference that it is about."""
    with artifacts.reader(path, artifacts.VARIATION) as source:
        fields = {key: source[key] for key in face_variation.FIELDS}
    return Variation(**{**fields, "public": bool(fields["public"])}), fields["center"]


def read_public_center(named: str, reference_set: str | None, leave_out: Sequence[int] = ()) -> NDArray | None:
    """Return the public center p0 about which shapes are released, as settings name it; None if it is private.

    Parameters
    ----------
    named : str
        `shapes.center`: `demo`, a file with one shape, `reference_set`, or `data` or `private`.
    reference_set : path or None
        The public set whose mean is the center, with `reference_set`.
    leave_out : sequence of int
        Numbers of landmarks of the file, from 1, that are dropped.

    Returns
    -------
    (k, d) array or None
        None for `data` and `private`.
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
    return landmark_shapes.find_frechet_mean(shapes)


def read_reference_set(path: str | None, p0: NDArray, leave_out: Sequence[int] = ()) -> NDArray | None:
    """Return a public set's landmarks in the form of p0, to learn from; NaN where missing, None without a file.

    Parameters
    ----------
    path : path or None
    p0 : (k,) complex or (k, 3) array
        The center, which says how many landmarks and dimensions the file must have.
    leave_out : sequence of int
        Numbers of the file's landmarks, from 1, that p0 is without.

    Returns
    -------
    (n, k) complex or (n, k, 3) array, or None
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
    """Return a cohort's shapes, and the public Ball about their center that mechanisms work in, by a shapes artifact.

    Parameters
    ----------
    shapes_path : path
        An artifact SHAPES.
    radius : float or str
        `shapes.radius`: radian, or `data` for the largest distance in the data, which is not private.
    contour_modes : int
        Fourier modes of the contour, 0 for all landmarks.
    reference_set : path, optional
        The public landmark file that says how shapes vary.
    leave_out : sequence of int
        Numbers of landmarks, from 1, of that file which the shapes are without.

    Returns
    -------
    records : (n, *p0.shape) array
        A missing landmark is the center's.
    ball : Ball
    """
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        shapes, center = source["shapes"], source["center"]
        directions = {name: source[name] for name in ("ignored", "slid") if len(source[name])}
        nothing_public = source["center_source"] == "private"
    z, p0 = as_complex(np.where(np.isnan(shapes), center, shapes)), as_complex(center)
    public_shapes = read_reference_set(reference_set, p0, leave_out)
    return z, Ball(len(z), p0, radius, contour_modes, public_shapes, nothing_public=nothing_public, **directions)
