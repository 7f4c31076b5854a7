"""The files and the pages of means: a surface with the size of its noise, or landmarks with theirs."""

import json

import numpy as np

from shapedp.base import artifacts, writers
from shapedp.releases.figures import captions, face_means, render, shapes
from shapedp.releases.viewer import tables_page
from shapedp.releases.viewer.released_views import FACE_WORDS, SHAPE_WORDS, collect_face_data, collect_shape_data
from shapedp.releases.viewer.view import Shown, make_view, read_asset
from shapedp.surfaces import curve_mesh

RATIO_WORDS = "Cochran's Q at a point over what is expected of sources that are alike"


def draw_face(folder):
    """Yield the files shown beside a released mean face: its surface for other programs, pictures of it and its noise.

    The surface is in mm of the template's size, as PLY, in metres as GLB. Of a pooled face comes also how far its
    sources differ, where 1 is what noise and chance give.
    """
    with artifacts.reader(folder / "mean_face.h5", artifacts.MEAN_FACE) as release:
        vertices, triangles = curve_mesh.mesh(release["curves"] * release["scale"], release["radii"])
        noise = curve_mesh.at_vertices(release["noise_mm"])
    yield "mean_face.ply", writers.encode_surface(vertices, triangles, ".ply")
    yield "mean_face.glb", writers.encode_surface(vertices, triangles, ".glb")
    shown = captions.read_subject(folder)
    looks = render.prepare_looks(vertices, triangles, shown.unit)
    yield (
        "preview.png",
        face_means.put_over_scale(np.hstack([lit() for lit in looks]), None, captions.read_caption(folder)),
    )
    yield "noise.png", face_means.colour_looks(looks, noise, shown.in_words(captions.read_noise_words(folder)))
    yield from tables_page.render_files(folder).items()
    # Only a release that was pooled of several has sources that may differ.
    if (folder / "heterogeneity.h5").is_file():
        with artifacts.reader(folder / "heterogeneity.h5", artifacts.HETEROGENEITY) as source:
            ratio = curve_mesh.at_vertices(source["ratio"])
        yield "heterogeneity.png", face_means.colour_looks(looks, ratio, RATIO_WORDS)


def read_face(path):
    """Return {name: array} of what `view_face` shows of a released mean face on its page.

    curves (J, 3, m) and noise_draws (d, J, 3, m) of unit area, radii (J,), scale (mm per unit), noise_mm (J, m).
    """
    with artifacts.reader(path, artifacts.MEAN_FACE) as source:
        return {key: source[key] for key in ("curves", "radii", "noise_draws", "scale", "noise_mm")}


def view_face(release, preview):
    """Return a View of what `read_face` gives; preview : PNG bytes, shown where there is no WebGL."""
    return make_view("Mean face", "faces", preview, FACE_WORDS, collect_face_data(**release))


def draw_shape(folder):
    """Yield the files shown beside a released mean shape: tables for other programs, and a picture with its noise.

    Landmarks come as CSV, as TPS and as an R script that loads them.
    """
    with artifacts.reader(folder / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
        release = {name: source[name] for name in artifacts.RELEASED_SHAPE.fields}
    settings, landmarks = json.loads(release["settings"]), release["landmarks"]
    yield "mean_shape.csv", writers.format_csv(landmarks)
    yield "mean_shape.tps", writers.format_tps(landmarks, "mean_shape", release["size"])
    yield "mean_shape.R", writers.R_SCRIPT
    yield from tables_page.render_files(folder).items()
    yield "preview.png", shapes.draw_released(release, shapes.choose_look(settings, landmarks, release["center"]))


def read_shape(path):
    """Return the fields of a released mean shape."""
    with artifacts.reader(path, artifacts.RELEASED_SHAPE) as source:
        return {name: source[name] for name in artifacts.RELEASED_SHAPE.fields}


def view_shape(release, preview):
    """Return the View of a released mean shape for its page; preview : PNG bytes, shown where no script runs.

    release : what `read_shape` gives
    """
    settings = json.loads(release["settings"])
    data = collect_shape_data(
        landmarks=release["landmarks"],
        center=release["center"],
        covariances=release["noise_covariance"],
        reach=float(release["noise_radius"]),
        settings=settings,
    )
    *words, caption = SHAPE_WORDS
    if np.isfinite(release["size"]):
        caption += f" The mean centroid size is {release['size']:.6g} in the unit of the files, noise included"
        noise = release["size_noise"]
        caption += f" (standard deviation {noise:.3g})." if np.isfinite(noise) else "."
    return make_view("Mean shape", "shapes", preview, (*words, caption), data)


SHOWN = {
    "mean_face.h5": Shown(draw_face, read_face, view_face, read_asset("reading_faces.md", __package__)),
    "mean_shape.h5": Shown(draw_shape, read_shape, view_shape, read_asset("reading_shapes.md", __package__)),
}
