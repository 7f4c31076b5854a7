"""The view of a released mean face: a surface in three dimensions."""

import numpy as np

from shapedp import artifacts
from shapedp.page.view import View, asset, packed, section
from shapedp.surfaces import curve_mesh

ARTIFACT = "mean_face.h5"
METHOD = (
    "Soto, Slavkovic, Reimherr and Shriver, <cite>Gaussian differentially private human faces under a face radial "
    "curve representation</cite> (2024)"
)


def read(folder):
    """curves (J, 3, m), radii (J,), noise_sd (J, 3) in unit-area units, scale (mm per unit)."""
    with artifacts.reader(folder / ARTIFACT, artifacts.MEAN_FACE) as source:
        return {key: source[key] for key in ("curves", "radii", "noise_sd", "scale")}


def view(release, preview):
    """A View of what `read` gives; preview : PNG bytes, shown where there is no WebGL."""
    return View(
        "Mean face",
        section(
            "face_view.html",
            preview,
            "The released mean face from the front and from three quarters.",
            "The released mean, noise included, as a surface through its radial curves, as large as the template.",
        ),
        data(release),
        (asset("vendor/three.min.js"), asset("gestures.js"), asset("viewer.js")),
        METHOD,
    )


def data(release):
    """What the viewer draws, in mm: vertices, triangles, noise at each vertex; little-endian arrays in base64."""
    curves, scale = release["curves"], release["scale"]
    vertices, triangles = curve_mesh.mesh(curves * scale, release["radii"])
    a_point = np.sqrt((release["noise_sd"] ** 2).sum(axis=1)) * scale
    count, _, samples = curves.shape
    noise = curve_mesh.at_vertices(np.repeat(a_point[:, None], samples, axis=1))
    return {
        "vertices": packed(vertices, "<f4"),
        "triangles": packed(triangles, "<u4"),
        "noise": packed(noise, "<f4"),
        "noise_range": None if np.isnan(a_point).any() else [float(a_point.min()), float(a_point.max())],
        "rings": curve_mesh.rings(count, samples),
        "unit": "mm",
    }
