"""The files and pages of differences: before, after and exaggerated, where they are sure, how large they are."""

import numpy as np

from shapedp.base import writers
from shapedp.people.samples import ASYMMETRY
from shapedp.releases.figures import captions, face_means, render, shading, shapes
from shapedp.releases.kinds.change import released as released_change
from shapedp.releases.model import released_model
from shapedp.releases.model.shapes import as_landmarks
from shapedp.releases.statement.statement import divisor_sentence
from shapedp.releases.viewer.released_views import collect_face_data, collect_shape_data
from shapedp.releases.viewer.view import Shown, fill_asset, make_view, pack_array, read_asset
from shapedp.surfaces import curve_mesh

CLAY = {"before": "no difference: the public template", "exaggerated": "three times the released difference"}
SHAPE_WORDS = (
    "The released difference",
    "The public center, and with three times the released mean difference.",
    "The public center with the released mean difference added, noise included: nobody's shape, and no mean of shapes.",
)
FACE_WORDS = (
    "The released difference",
    "Where the released mean difference moves the public template; below it, three times of it.",
    "The public template with the released mean difference added, noise included: nobody's face, and no mean of faces.",
)


def draw_face(folder):
    """Yield the files shown beside a released change of faces: surfaces before, after and beyond, table, picture."""
    change = released_change.read(folder / released_change.FILE)
    surfaces = {name: curve_mesh.mesh(curves, change.radii) for name, curves in change.stages().items()}
    for name, (vertices, triangles) in surfaces.items():
        yield f"{name}.ply", writers.encode_surface(vertices, triangles, ".ply")
    yield "face_change.csv", change.table()
    yield (
        "preview.png",
        face_means.put_over_scale(draw_face_picture(change, surfaces), None, captions.read_caption(folder)),
    )


def draw_face_picture(change, surfaces):
    """Return two views of the template that show where a change is surely in or out, in colours.

    That is where it exceeds noise and chance. Arrows show three times the difference; below stand the template and the
    exaggerated face, with words, at one scale.

    Parameters
    ----------
    change : ReleasedChange
        The release.
    surfaces : dict of str to (vertices, triangles)
        The meshes of `change.stages()`.

    Returns
    -------
    (h, w, 3) uint8
    """
    vertices, triangles = surfaces["before"]
    sure = np.where(change.comparison.exceeds.reshape(change.outward.shape), change.outward, 0.0)
    outward = curve_mesh.at_vertices(sure)
    # Where nothing is sure all of it is 0, by which no colour is divided.
    most = float(np.abs(outward).max()) or 1.0
    arrows = face_means.make_arrows(change.reference, released_change.STAGES["exaggerated"] * change.change)
    # One camera a view for all stages, so that they can be compared in size.
    cameras = [render.fit_camera([vertices for vertices, _ in surfaces.values()], view) for view in render.VIEWS]
    colours = face_means.colour_both_ways(outward / most)
    drawn = {"lines": arrows, "width": 4.0}
    seen = [render.render(vertices, triangles, camera, colours, shading.EVEN, **drawn) for camera in cameras]
    mapped = np.hstack([render.write_on(picture, camera=camera) for picture, camera in zip(seen, cameras, strict=True)])
    if sure.any():
        mapped = face_means.put_over_scale(mapped, most, face_means.INWARD_WORDS.replace("mm", change.unit, 1), -1.0)
    else:
        mapped = face_means.put_over_scale(mapped, None, face_means.NOTHING_SURE)
    clay = [
        face_means.put_over_scale(render.render(surfaces[name][0], triangles, cameras[-1]), None, words)
        for name, words in CLAY.items()
    ]
    return np.vstack([mapped, np.hstack(clay)])


def draw_shape(folder):
    """Yield the files shown beside a released change of shapes: a table, shapes before, after and beyond, a picture."""
    change = released_change.read(folder / released_change.SHAPE_FILE)
    yield "shape_change.csv", change.table()
    yield "shape_change.tps", change.tps()
    look = shapes.choose_look(change.settings, as_landmarks(change.reference))
    yield "preview.png", shapes.draw_change(change, look)


def view_change(change, preview):
    """Return the View of a released difference for its page: the public template or center, bent by it.

    A reader moves it with a slider from before to after; of faces, it is coloured where the difference is sure.

    Parameters
    ----------
    change : ReleasedChange
        Of faces or of landmarks.
    preview : bytes
        PNG, shown where nothing can be drawn.
    """
    noise = np.trace(change.noise, axis1=-2, axis2=-1)
    if change.radii is None:
        branch, words, placed = "shapes", SHAPE_WORDS, as_landmarks
        mean, reference = placed(change.mean), placed(change.reference)
        data = collect_shape_data(mean, reference, change.noise[0], change.length(noise), change.settings)
        data["sure"] = (np.flatnonzero(change.comparison.exceeds) + 1).tolist()
        moved, coloured = placed(change.change), {}
    else:
        branch, words = "faces", FACE_WORDS
        placed = lambda curves: curve_mesh.mesh(curves, change.radii)[0]  # noqa: E731
        data = collect_face_data(change.mean, change.radii, np.sqrt(noise)) | {"noise_unit": change.unit}
        moved = placed(change.mean) - placed(change.reference)
        sure = np.where(change.comparison.exceeds.reshape(change.outward.shape), change.outward, 0.0)
        at_vertices = curve_mesh.at_vertices(sure)
        coloured = {
            "sure": pack_array(at_vertices, "<f4"),
            "most": float(np.abs(at_vertices).max()),
            "arrows": pack_array(_choose_arrow_vertices(*change.mean.shape[::2]), "<u4"),
        }
    fields = {"before": pack_array(placed(change.reference), "<f4"), "moved": pack_array(moved, "<f4"), **coloured}
    data["change"] = fields | {"exaggerated": released_change.STAGES["exaggerated"]}
    return make_view(
        "Mean difference", branch, preview, words, data, change_section(change), read_asset("change.js", __package__)
    )


def _choose_arrow_vertices(count, samples):
    """Return the numbers of the vertices that bear an arrow in the viewer, evenly over J curves of m samples."""
    points_of_curves = curve_mesh.rings(count, samples)
    first = 1 + np.concatenate([[0], np.cumsum(points_of_curves)])
    return np.array([first[j] + k for j, points in curve_mesh.choose_arrow_places(points_of_curves) for k in points])


def change_section(change):
    """Return HTML of the part of a page that is a difference's own: its slider, and how large and how sure it is."""
    noise, chance = (change.length(np.trace(covariance, axis1=-2, axis2=-1)) for covariance in change.covariances())
    moved = change.length(np.sum(change.change**2, axis=1))
    arrows, most, marked = "", "", ""
    drawn_on, points, colour, unit = "center", "landmarks", "Orange", f"{change.unit}, of the whole shape,"
    if change.radii is not None:
        arrows = '<label><input type="checkbox" id="arrows" checked> Arrows, three times as long</label>\n'
        most = f" {np.abs(change.outward).max():.2g} {change.unit} at most along the normal;"
        marked = ": blue moves inward, red outward"
        drawn_on, points, colour, unit = "template", "points", "Coloured", f"{change.unit}, root mean square,"
    rate, share = f"at a false discovery rate of {released_model.RATE:.0%}", np.mean(change.comparison.exceeds)
    shown = f"At none of the {points} does it exceed noise and chance, {rate}"
    if share:
        shown = f"{colour} are the {share:.0%} of the {points} where it exceeds noise and chance, {rate}{marked}"
    words = (
        f"The mean difference of {change.people:.0f} people is {moved:.2g} {unit}{most} noise for privacy moves it by "
        f"{noise:.2g} {change.unit}, chance in who took part by {chance:.2g} {change.unit}. A person lies "
        f"{change.spread:.2g} {change.unit} from it, as far as noise lets one tell."
        f"{divisor_sentence(change.settings)} {shown}. "
        f"The directions that are released cannot show all of it: if it differs from no difference by as much as the "
        f"settings assume, about {change.outside:.2g} {change.unit} of it is left out, and more if it is larger or of "
        "another kind than public people show; none of these numbers holds that. What it is drawn on is the public "
        f"{drawn_on}, "
        "nobody of these people."
    )
    before, after = ("Without", "With") if change.settings["kind"] == ASYMMETRY else ("Before", "After")
    return fill_asset("change.html", __package__, arrows=arrows, words=words, before=before, after=after)


SHOWN = {
    released_change.FILE: Shown(
        draw_face, released_change.read, view_change, read_asset("reading_faces.md", __package__)
    ),
    released_change.SHAPE_FILE: Shown(
        draw_shape, released_change.read, view_change, read_asset("reading_shapes.md", __package__)
    ),
}
