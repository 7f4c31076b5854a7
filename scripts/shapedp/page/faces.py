"""The view of a released mean face: a surface in three dimensions."""

import numpy as np

from shapedp import artifacts
from shapedp.page.view import View, asset, packed, section
from shapedp.surfaces import curve_mesh

ARTIFACT = "mean_face.h5"
READING = "reading_faces.md"  # how its files are read
METHOD = (
    "Soto, Slavkovic, Reimherr and Shriver, <cite>Gaussian differentially private human faces under a face radial "
    "curve representation</cite> (2024)"
)


def read(folder):
    """curves (J, 3, m) and noise_draws (d, J, 3, m) of unit area, radii (J,), scale (mm per unit), noise_mm (J, m)."""
    with artifacts.reader(folder / ARTIFACT, artifacts.MEAN_FACE) as source:
        return {key: source[key] for key in ("curves", "radii", "noise_draws", "scale", "noise_mm")}


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
        (
            asset("vendor/three.min.js"),
            asset("release_data.js"),
            asset("gestures.js"),
            asset("drawn_surface.js"),
            asset("viewer.js"),
        ),
        METHOD,
    )


def data(release):
    """What the viewer draws, in mm: vertices, triangles, fewer of them for while it moves, noise at each vertex, what
    else the release could have been; little-endian arrays in base64.
    """
    curves, scale = release["curves"], release["scale"]
    vertices, triangles = curve_mesh.mesh(curves * scale, release["radii"])
    count, _, samples = curves.shape
    noise = curve_mesh.at_vertices(release["noise_mm"])
    withheld = bool(np.isnan(noise).any())
    draws = [curve_mesh.mesh(one * scale, release["radii"])[0] for one in release["noise_draws"]]
    return {
        "vertices": packed(vertices, "<f4"),
        "triangles": packed(triangles, "<u4"),
        "coarse": packed(curve_mesh.coarser(count, samples), "<u4"),
        "noise": packed(noise, "<f4"),
        "noise_range": None if withheld else [float(noise.min()), float(noise.max())],
        "draws": [] if withheld else [packed(one, "<f4") for one in draws],
        "rings": curve_mesh.rings(count, samples),
        "unit": "mm",
    }
