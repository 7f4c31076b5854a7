"""The view of a released mean shape, in the plane or in space."""

import json

import numpy as np

from shapedp import artifacts
from shapedp.landmarks.ellipses import ellipse
from shapedp.page.view import View, asset, section

ARTIFACT = "mean_shape.h5"
READING = "reading_shapes.md"  # how its files are read
DIGITS = 9  # of a coordinate: finer than the grid that landmarks are rounded to
RIEMANNIAN = (
    "Reimherr, Bharath and Soto, <cite>Differential privacy over Riemannian manifolds</cite> (2021), and Soto, "
    "Bharath, Reimherr and Slavkovic, <cite>Shape and structure preserving differential privacy</cite> (2022)"
)


def read(folder):
    """landmarks (k, d) of a shape of size 1, noise_radius in radian (NaN: withheld), noise_covariance (k, d, d),
    whether the outline is closed, links.
    """
    with artifacts.reader(folder / ARTIFACT, artifacts.RELEASED_SHAPE) as source:
        settings = json.loads(source["settings"])
        return {
            "landmarks": source["landmarks"],
            "noise_radius": float(source["noise_radius"]),
            "noise_covariance": source["noise_covariance"],
            "closed": settings["modes"] > 0,
            "links": settings.get("links", []),
        }


def view(release, preview):
    """A View of what `read` gives; preview : PNG bytes, shown where no script runs."""
    return View(
        "Mean shape",
        section(
            "outline_view.html",
            preview,
            "The released mean shape: its landmarks.",
            "The released mean shape, noise included: centered, of size 1, turned to the public center.",
        ),
        data(release),
        (asset("release_data.js"), asset("gestures.js"), asset("outlines.js")),
        RIEMANNIAN,
    )


def data(release):
    """What the viewer draws. landmark_noise : root mean square distance that the noise moves one landmark.

    The noise moves the shape by rho = noise_radius, rho^2 = sum over landmarks of their squared distance (to second
    order), so one of k landmarks moves by rho/sqrt(k). ellipses : half axes and angle of one standard deviation at each
    planar landmark.
    """
    landmarks, reach = release["landmarks"], release["noise_radius"]
    return {
        "landmarks": np.round(landmarks, DIGITS).tolist(),
        "closed": release["closed"],
        "links": release["links"],
        "ellipses": _ellipses(release["noise_covariance"]),
        "landmark_noise": None if np.isnan(reach) else reach / np.sqrt(len(landmarks)),
    }


def _ellipses(covariances):
    """[[half axis, half axis, degrees], ...], or None in space and where the noise is withheld."""
    if covariances.shape[1:] != (2, 2) or not np.isfinite(covariances).all():
        return None
    return [[float(f"{one:.6g}") for one in ellipse(covariance)] for covariance in covariances]
