"""The files that follow from a release alone: surfaces, tables and pictures; the same bytes whenever they are made."""

import json
from pathlib import Path

import numpy as np
from PIL import Image

from shapedp import artifacts, writers
from shapedp.figures import face_means, render, shapes, style
from shapedp.model import released_change, released_growth, released_model
from shapedp.model.shapes import as_landmarks
from shapedp.storage import files
from shapedp.surfaces import curve_mesh

VIEWS = ("front", "three-quarter")
CLAY = {"before": "no difference: the public template", "exaggerated": "three times the released difference"}
PICTURED = 3  # modes in the picture


def draw(folder, branch, target):
    """Draw a release again, from what the ledger holds of it."""
    drawn = {
        released_model.SHAPE_FILE: draw_shape_model,
        released_change.SHAPE_FILE: draw_shape_change,
        released_model.FACE_FILE: draw_face_model,
        released_growth.FILE: draw_growth,
        released_change.FILE: draw_face_change,
    }
    for name, drawing in drawn.items():
        if (folder / name).is_file():
            drawing(folder / name, target)
            return
    if branch == "shapes":
        draw_mean_shape(folder / "mean_shape.h5", target / "mean_shape.csv", target / "preview.png")
        return
    meshes = f"{target}/mean_face.ply", f"{target}/mean_face.glb"
    draw_mean_face(folder / "mean_face.h5", *meshes, target / "preview.png", target / "noise.png")
    if (folder / "heterogeneity.h5").is_file():
        draw_heterogeneity(folder, target / "heterogeneity.png")


def draw_heterogeneity(folder, picture_path):
    """The pooled face, coloured by how far its sources differ at each point: 1 is what noise and chance give."""
    with artifacts.reader(folder / "mean_face.h5", artifacts.MEAN_FACE) as release:
        surface = curve_mesh.mesh(release["curves"] * release["scale"], release["radii"])
    with artifacts.reader(folder / "heterogeneity.h5", artifacts.HETEROGENEITY) as source:
        ratio = curve_mesh.at_vertices(source["ratio"])
    words = "Cochran's Q at a point over what is expected of sources that are alike"
    _save(picture_path, mean_face_pictures(*surface, ratio, words)[1])


def draw_mean_face(release_path, ply_path, glb_path, picture_path, noise_path):
    """The surface in mm of the template's size, as PLY, in metres as GLB, its picture from two sides, and the same with
    the size of the noise at each point.
    """
    with artifacts.reader(release_path, artifacts.MEAN_FACE) as release:
        vertices, triangles = curve_mesh.mesh(release["curves"] * release["scale"], release["radii"])
        noise = curve_mesh.at_vertices(release["noise_mm"])
    for path in map(Path, (ply_path, glb_path)):
        _write(path, writers.encode(vertices, triangles, path.suffix))
    for path, pixels in zip((picture_path, noise_path), mean_face_pictures(vertices, triangles, noise), strict=True):
        _save(path, pixels)


def mean_face_pictures(vertices, triangles, noise, words=face_means.NOISE_WORDS):
    """The views side by side, at one scale: as clay, and coloured by the noise (n,) in mm; words : what is coloured."""
    colours, most = face_means.noise_colours(noise)
    seen = [render.look(vertices, triangles, render.fitted_camera([vertices], view)) for view in VIEWS]
    clay, coloured = (np.hstack([render.lit(one, shade) for one in seen]) for shade in (None, colours))
    return clay, face_means.over_scale(coloured, most, words)


def draw_face_model(release_path, folder):
    """face_model.ply and .glb (with a morph target a mode and an effect), a PLY of each, tables and preview.png."""
    model, _ = released_model.read(release_path)
    folder = Path(folder)
    vertices, triangles = curve_mesh.mesh(model.mean, model.radii)
    targets = {
        name: curve_mesh.mesh(model.mean + moved, model.radii)[0] - vertices
        for name, moved in released_model.deviations(model).items()
    }
    _write(folder / "face_model.glb", writers.encode_morphs(vertices, triangles, targets))
    drawn = {"face_model": model.mean, **released_model.surfaces(model)}
    for name, curves in drawn.items():
        _write(folder / f"{name}.ply", writers.encode(*curve_mesh.mesh(curves, model.radii), ".ply"))
    with artifacts.reader(release_path, artifacts.FACE_MODEL) as source:
        _write_tables(model, {key: source[key] for key in ("scale", "sd_noise", "floor", "kept")}, folder)
    _save(folder / "preview.png", face_model_picture(model, triangles))


def _save(path, pixels):
    with files.atomic(path) as partial:
        Image.fromarray(pixels).save(partial, format="png")


def _write_tables(model, values, folder):
    """modes.csv, and effects.csv where there are covariates; values : fields of the release."""
    files.write_text(folder / "modes.csv", "\n".join(released_model.modes_table(model, values)) + "\n")
    if model.covariates:
        files.write_text(folder / "effects.csv", "\n".join(released_model.effects_table(model)) + "\n")


def _write(path, content):
    with files.atomic(path) as partial:
        partial.write_bytes(content)


def face_model_picture(model, triangles):
    """The mean, and each of the first modes and effects from end to end, at one scale."""
    shown = released_model.surfaces(model)
    wanted = [f"mode_{k + 1}" for k in range(min(PICTURED, model.shown))]
    pairs = [(f"{one}_minus", f"{one}_plus") for one in wanted]
    pairs += [(f"effect_{one.name}_low", f"effect_{one.name}_high") for one in model.covariates]
    rows = [[shown[name] for name in pair] for pair in pairs] or [[model.mean]]
    surfaces = [[curve_mesh.mesh(curves, model.radii)[0] for curves in row] for row in rows]
    camera = render.fitted_camera([one for row in surfaces for one in row], "front")
    return np.hstack([np.vstack([render.render(one, triangles, camera) for one in row]) for row in surfaces])


def draw_growth(release_path, folder):
    """A PLY of the mean face at each knot's age, tables, and these faces side by side, a row a level."""
    growth = released_growth.read(release_path)
    shown = {name: curve_mesh.mesh(curves, growth.radii) for name, curves in growth.surfaces().items()}
    for name, surface in shown.items():
        _write(folder / f"{name}.ply", writers.encode(*surface, ".ply"))
    files.write_text(folder / "growth.csv", "\n".join(growth.table()) + "\n")
    files.write_text(folder / "measures.csv", "\n".join(growth.measures_table()) + "\n")
    camera = render.fitted_camera([vertices for vertices, _ in shown.values()], "three-quarter")
    looks = [render.render(*surface, camera) for surface in shown.values()]
    levels = len(growth.others)
    _save(folder / "preview.png", np.vstack([np.hstack(looks[level::levels]) for level in range(levels)]))


def draw_face_change(release_path, folder):
    """The template, the template with the difference added, and with three times of it, as PLY; a table of the points;
    preview.png: how far each point moves in or out, with arrows, over the template before and exaggerated.
    """
    change, folder = released_change.read(release_path), Path(folder)
    surfaces = {name: curve_mesh.mesh(curves, change.radii) for name, curves in change.stages().items()}
    for name, surface in surfaces.items():
        _write(folder / f"{name}.ply", writers.encode(*surface, ".ply"))
    files.write_text(folder / "face_change.csv", "\n".join(change.table()) + "\n")
    _save(folder / "preview.png", face_change_picture(change, surfaces))


def face_change_picture(change, surfaces):
    """Two views of the template, coloured by how far it moves in or out where that exceeds noise and chance, with
    arrows of three times the difference; below it the template and the exaggerated face, with words. At one scale.
    """
    vertices, triangles = surfaces["before"]
    sure = np.where(change.found.exceeds.reshape(change.outward.shape), change.outward, 0.0)
    colours, most = face_means.inward_colours(curve_mesh.at_vertices(sure))
    arrows = render.Overlay(face_means.arrows(change.reference, released_change.STAGES["exaggerated"] * change.change))
    cameras = [render.fitted_camera([one for one, _ in surfaces.values()], view) for view in VIEWS]
    seen = [render.render(vertices, triangles, camera, colours=colours, overlay=arrows) for camera in cameras]
    mapped, camera = np.hstack(seen), cameras[-1]
    if sure.any():
        mapped = face_means.over_inward_scale(mapped, most)
    else:
        mapped = face_means.over_words(mapped, face_means.NOTHING_SURE)
    clay = [face_means.over_words(render.render(*surfaces[name], camera), words) for name, words in CLAY.items()]
    return np.vstack([mapped, np.hstack(clay)])


def draw_mean_shape(release_path, table_path, picture_path):
    """Landmarks as CSV, beside it as TPS and as an R script that loads them; the shape with the reach of the noise."""
    with artifacts.reader(release_path, artifacts.RELEASED_SHAPE) as source:
        release = {name: source[name] for name in artifacts.RELEASED_SHAPE.fields}
    settings = json.loads(release["settings"])
    landmarks, table = release["landmarks"], Path(table_path)
    files.write_text(table, writers.csv(landmarks))
    files.write_text(table.with_suffix(".tps"), writers.tps(landmarks, table.stem))
    files.write_text(table.with_suffix(".R"), writers.R_SCRIPT)
    look = shapes.Look(settings["modes"] > 0, shapes.lines(settings, landmarks))
    style.save(shapes.released(release, look), picture_path, ("png",))


def draw_shape_change(release_path, folder):
    """shape_change.csv (a row a landmark), shape_change.tps (before, after, exaggerated) and preview.png."""
    change, folder = released_change.read(release_path), Path(folder)
    files.write_text(folder / "shape_change.csv", "\n".join(change.table()) + "\n")
    files.write_text(folder / "shape_change.tps", change.tps())
    look = shapes.Look(change.settings["modes"] > 0, shapes.lines(change.settings, as_landmarks(change.reference)))
    style.save(shapes.change_drawn(change, look), folder / "preview.png", ("png",))


def draw_shape_model(release_path, folder):
    """shape_model.csv (the mean), shape_model.tps (with modes and effects), tables and preview.png."""
    model, settings = released_model.read(release_path)
    folder = Path(folder)
    files.write_text(folder / "shape_model.csv", writers.csv(as_landmarks(model.mean)))
    files.write_text(folder / "shape_model.tps", released_model.tps(model))
    with artifacts.reader(release_path, artifacts.SHAPE_MODEL) as source:
        _write_tables(model, {key: source[key] for key in ("sd_noise", "floor", "kept")}, folder)
    look = shapes.Look(settings["basis"] > 0, shapes.lines(settings, as_landmarks(model.mean)))
    style.save(shapes.model_drawn(model, look), folder / "preview.png", ("png",))
