"""What the viewers draw of any release: of faces in three dimensions, of shapes in the plane or in space."""

from html import escape

import numpy as np

from shapedp.privacy.manifolds.landmark_shapes import find_noise_ellipse, join_landmarks
from shapedp.releases.viewer.view import pack_array
from shapedp.surfaces import curve_mesh

# Of a coordinate: finer than the grid that landmarks are rounded to.
DIGITS = 9
SHAPE_WORDS = (
    "The released mean",
    "The released mean shape: its landmarks.",
    "The released mean shape, noise included: centered, of size 1, turned to the public center.",
)
FACE_WORDS = (
    "The released mean",
    "The released mean face from the front and from three quarters.",
    "The released mean, noise included, as a surface through its radial curves, as large as the template.",
)


def collect_shape_data(landmarks, center, covariances, reach, settings, public=None):
    """Return what the page's script draws of landmarks of a shape of size 1, as arrays for JSON.

    They are joined as public settings say, or by the shortest tree of the public center, as
    `figures.shapes.choose_look` has it. The noise moves the shape by rho = reach (radian), rho^2 = sum over landmarks
    of their squared distance (to second order), so one of k landmarks moves by landmark_noise = rho/sqrt(k), rms.
    Ellipses are half axes and angle of one standard deviation at each planar landmark.

    Parameters
    ----------
    landmarks : (k, d) float
        Of the release.
    center : (k, d) float
        What a grid is bent from: the public center, NaN where there is none; of a model, the mean.
    covariances : (k, d, d) float
        Of the noise at each landmark.
    reach : float
        How far the noise moves the shape, radian; NaN where that is withheld.
    settings : mapping
        The public ones.
    public : (k, d) float, optional
        The public center, if `center` is not.
    """
    planar = covariances.shape[1:] == (2, 2) and np.isfinite(covariances).all()
    return {
        "landmarks": np.round(landmarks, DIGITS).tolist(),
        **join_landmarks(settings, landmarks, center if public is None else public),
        "grid_from": np.round(center, DIGITS).tolist() if np.isfinite(center).all() else None,
        "ellipses": [[float(f"{number:.6g}") for number in find_noise_ellipse(noise)] for noise in covariances]
        if planar
        else None,
        "landmark_noise": None if np.isnan(reach) else reach / np.sqrt(len(landmarks)),
    }


def collect_face_data(curves, radii, noise_mm, noise_draws=(), scale=1.0):
    """Return what the page's script draws of a face, in mm; arrays little-endian in base64, for JSON.

    Vertices, triangles, fewer of them for while it moves, noise at each vertex, what else the release could have been.

    Parameters
    ----------
    curves : (J, 3, m) float
        Of the release.
    radii : (J,) float
        Where they were taken.
    noise_mm : (J, m) float
        How far the noise moves each point; NaN where that is withheld.
    noise_draws : sequence of (J, 3, m) float
        Simulated around the release.
    scale : float
        mm of the unit of curves and draws.
    """
    vertices, triangles = curve_mesh.mesh(curves * scale, radii)
    count, _, samples = curves.shape
    noise = curve_mesh.at_vertices(noise_mm)
    withheld = bool(np.isnan(noise).any())
    draws = [curve_mesh.mesh(curves_drawn * scale, radii)[0] for curves_drawn in noise_draws]
    return {
        "vertices": pack_array(vertices, "<f4"),
        "triangles": pack_array(triangles, "<u4"),
        "coarse": pack_array(curve_mesh.coarser(count, samples, curve_mesh.middle(curves)), "<u4"),
        "noise": pack_array(noise, "<f4"),
        "noise_range": None if withheld else [float(noise.min()), float(noise.max())],
        # Draws show the size of the noise, so they are withheld with it.
        "draws": [] if withheld else [pack_array(vertices_drawn, "<f4") for vertices_drawn in draws],
        "rings": curve_mesh.rings(count, samples),
        "unit": "mm",
    }


def list_options(words):
    """Return HTML of the options of a choice, by their places."""
    return "".join(f'<option value="{at}">{escape(word)}</option>' for at, word in enumerate(words))
