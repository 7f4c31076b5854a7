"""The view of a released mean shape: an outline in the plane."""

import json

import numpy as np

from shapedp import artifacts
from shapedp.page.view import View, asset, section

ARTIFACT = "mean_shape.h5"
READING = "reading_shapes.md"  # how its files are read
DIGITS = 9  # of a coordinate: finer than the grid that landmarks are rounded to
RIEMANNIAN = (
    "Reimherr, Bharath and Soto, <cite>Differential privacy over Riemannian manifolds</cite> (2021), and Soto, "
    "Bharath, Reimherr and Slavkovic, <cite>Shape and structure preserving differential privacy</cite> (2022)"
)


def read(folder):
    """landmarks (k, 2) of a shape of size 1, noise_radius in radian (NaN: withheld), whether the outline is closed."""
    with artifacts.reader(folder / ARTIFACT, artifacts.RELEASED_SHAPE) as source:
        closed = json.loads(source["settings"])["modes"] > 0
        return {"landmarks": source["landmarks"], "noise_radius": float(source["noise_radius"]), "closed": closed}


def view(release, preview):
    """A View of what `read` gives; preview : PNG bytes, shown where no script runs."""
    return View(
        "Mean shape",
        section(
            "outline_view.html",
            preview,
            "The released mean shape: its landmarks, joined up in their order.",
            "The released mean shape, noise included: centered, of size 1, turned to the public center.",
        ),
        data(release),
        (asset("gestures.js"), asset("outlines.js")),
        RIEMANNIAN,
    )


def data(release):
    """What the viewer draws. landmark_noise : root mean square distance that the noise moves one landmark.

    The noise moves the shape by rho = noise_radius, rho^2 = sum over landmarks of their squared distance (to second
    order), so one of k landmarks moves by rho/sqrt(k).
    """
    landmarks, reach = release["landmarks"], release["noise_radius"]
    return {
        "landmarks": np.round(landmarks, DIGITS).tolist(),
        "closed": release["closed"],
        "landmark_noise": None if np.isnan(reach) else reach / np.sqrt(len(landmarks)),
    }
