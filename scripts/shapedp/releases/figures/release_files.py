"""The files that follow from a release alone: surfaces, tables and pictures; the same bytes whenever they are made.

A kind of release yields the name of each file and what it holds: bytes, text, the lines of a table, pixels, a Figure.
"""

import json
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from shapedp.base import artifacts, writers
from shapedp.base.settings import subjects
from shapedp.base.storage import files
from shapedp.releases.figures import face_means, render, shading, shapes, style
from shapedp.releases.model import released_change, released_growth, released_model
from shapedp.releases.model.shapes import as_landmarks
from shapedp.releases.statement import statement_text
from shapedp.releases.viewer import tables_page
from shapedp.surfaces import curve_mesh

CLAY = {"before": "no difference: the public template", "exaggerated": "three times the released difference"}
RATIO_WORDS = "Cochran's Q at a point over what is expected of sources that are alike"


def draw(folder, branch, target):
    """Draw a release again into the folder `target`, from what the ledger holds of it."""
    of_kind = {
        released_model.SHAPE_FILE: shape_model,
        released_change.SHAPE_FILE: shape_change,
        released_model.FACE_FILE: face_model,
        released_growth.FILE: growth,
        released_change.FILE: face_change,
    }
    mean = mean_shape if branch == "shapes" else mean_face
    drawing = next((one for name, one in of_kind.items() if (folder / name).is_file()), mean)
    for name, content in drawing(folder):
        path = Path(target) / name
        match content:
            case bytes():
                files.write_bytes(path, content)
            case str():
                files.write_text(path, content)
            case np.ndarray():
                with files.atomic(path) as partial:
                    Image.fromarray(content).save(partial, format="png")
            case Figure():
                style.save(content, path, ("png",))
            case _:
                files.write_text(path, "\n".join(content) + "\n")


def mean_face(folder):
    """The surface in mm of the template's size, as PLY, in metres as GLB; pictures of it and of the size of the noise;
    of a pooled face also of how far its sources differ, where 1 is what noise and chance give.
    """
    with artifacts.reader(folder / "mean_face.h5", artifacts.MEAN_FACE) as release:
        surface = curve_mesh.mesh(release["curves"] * release["scale"], release["radii"])
        noise = curve_mesh.at_vertices(release["noise_mm"])
    yield "mean_face.ply", writers.encode(*surface, ".ply")
    yield "mean_face.glb", writers.encode(*surface, ".glb")
    shown = _shown(folder)
    looks = render.looks(*surface, shown.unit)
    yield "preview.png", face_means.over_scale(np.hstack([lit() for lit in looks]), None, _words(folder))
    yield "noise.png", face_means.coloured(looks, noise, shown.in_words(face_means.NOISE_WORDS))
    if (folder / "heterogeneity.h5").is_file():
        with artifacts.reader(folder / "heterogeneity.h5", artifacts.HETEROGENEITY) as source:
            ratio = curve_mesh.at_vertices(source["ratio"])
        yield "heterogeneity.png", face_means.coloured(looks, ratio, RATIO_WORDS)


def face_model(folder):
    """A GLB with a morph target a mode and an effect, a PLY of either end of each, tables, and a picture."""
    path = folder / released_model.FACE_FILE
    model, _ = released_model.read(path)
    vertices, triangles = curve_mesh.mesh(model.mean, model.radii)
    targets = {
        name: curve_mesh.mesh(model.mean + moved, model.radii)[0] - vertices
        for name, moved in released_model.deviations(model).items()
    }
    yield "face_model.glb", writers.encode_morphs(vertices, triangles, targets)
    shown = released_model.surfaces(model)
    for name, curves in {"face_model": model.mean, **shown}.items():
        yield f"{name}.ply", writers.encode(*curve_mesh.mesh(curves, model.radii), ".ply")
    yield from _tables(model, path)
    for name, text in tables_page.files_of(folder).items():
        yield name, text
    of_covariate = {one.name: one.ends for one in model.covariates}
    columns = [
        {
            f"{name}: {word}": shown[end]
            for word, end in zip(of_covariate.get(name, released_model.AWAY_WORDS), ends, strict=True)
        }
        for name, *ends in shapes.ends(model)
    ] or [{"mean": model.mean}]
    columns = [{name: curve_mesh.mesh(one, model.radii)[0] for name, one in each.items()} for each in columns]
    camera = render.fitted_camera([one for each in columns for one in each.values()], "front")
    unit = _shown(folder).unit
    unit = _shown(folder).unit
    seen = [
        [render.written_on(render.render(one, triangles, camera), title, camera, unit) for title, one in each.items()]
        for each in columns
    ]
    none = "" if model.shown else "; no mode stands above the noise"
    yield "preview.png", face_means.over_scale(np.hstack([*map(np.vstack, seen)]), None, _words(folder) + none)


def _shown(folder):
    """What the scans of a release show."""
    return subjects.of_statement(_statement(folder))


def _statement(folder):
    return json.loads((folder / "statement.json").read_text(encoding="utf-8"))


def _words(folder):
    """The caption of a release's pictures."""
    return statement_text.caption(_statement(folder))


def _tables(model, path):
    """The modes, and the effects where there are covariates."""
    yield "modes.csv", released_model.modes_table(model, released_model.read_values(path)[0])
    if model.covariates:
        yield "effects.csv", released_model.effects_table(model)


def growth(folder):
    """A PLY of the mean face at each knot's age, tables, and these faces side by side, a row a level."""
    released = released_growth.read(folder / released_growth.FILE)
    shown = {name: curve_mesh.mesh(curves, released.radii) for name, curves in released.surfaces().items()}
    for name, surface in shown.items():
        yield f"{name}.ply", writers.encode(*surface, ".ply")
    yield "growth.csv", released.table()
    yield "measures.csv", released.measures_table()
    camera = render.fitted_camera([vertices for vertices, _ in shown.values()], "three-quarter")
    by = released.other.ends if released.other else ("",)
    titles = [f"{released.age.name} {age:g} {word}".rstrip() for age in released.full.knots for word in by]
    seen = [
        render.written_on(render.render(*surface, camera), title, camera, _shown(folder).unit)
        for title, surface in zip(titles, shown.values(), strict=True)
    ]
    levels = len(released.others)
    rows = [np.hstack(seen[level::levels]) for level in range(levels)]
    yield "preview.png", face_means.over_scale(np.vstack(rows), None, _words(folder))


def face_change(folder):
    """The template before and after the difference, and with three times of it; a table of its points; a picture."""
    change = released_change.read(folder / released_change.FILE)
    surfaces = {name: curve_mesh.mesh(curves, change.radii) for name, curves in change.stages().items()}
    for name, surface in surfaces.items():
        yield f"{name}.ply", writers.encode(*surface, ".ply")
    yield "face_change.csv", change.table()
    yield "preview.png", face_means.over_scale(face_change_picture(change, surfaces), None, _words(folder))


def face_change_picture(change, surfaces):
    """Two views of the template, coloured by how far it moves in or out where that exceeds noise and chance, with
    arrows of three times the difference; below it the template and the exaggerated face, with words. At one scale.
    """
    vertices, triangles = surfaces["before"]
    sure = np.where(change.found.exceeds.reshape(change.outward.shape), change.outward, 0.0)
    outward = curve_mesh.at_vertices(sure)
    most = float(np.abs(outward).max()) or 1.0
    arrows = face_means.arrows(change.reference, released_change.STAGES["exaggerated"] * change.change)
    cameras = [render.fitted_camera([one for one, _ in surfaces.values()], view) for view in render.VIEWS]
    colours = face_means.both_ways(outward / most)
    drawn = {"lines": arrows, "width": 4.0}
    seen = [render.render(vertices, triangles, camera, colours, shading.EVEN, **drawn) for camera in cameras]
    mapped = np.hstack([render.written_on(*one) for one in zip(seen, ("", ""), cameras, strict=True)])
    below = (
        (most, face_means.INWARD_WORDS.replace("mm", change.unit, 1), -1.0)
        if sure.any()
        else (None, face_means.NOTHING_SURE)
    )
    clay = [(render.render(*surfaces[name], cameras[-1]), None, words) for name, words in CLAY.items()]
    mapped, *clay = (face_means.over_scale(*asked) for asked in [(mapped, *below), *clay])
    return np.vstack([mapped, np.hstack(clay)])


def mean_shape(folder):
    """Landmarks as CSV, beside it as TPS and as an R script that loads them; the shape with the reach of the noise."""
    with artifacts.reader(folder / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
        release = {name: source[name] for name in artifacts.RELEASED_SHAPE.fields}
    settings, landmarks = json.loads(release["settings"]), release["landmarks"]
    yield "mean_shape.csv", writers.csv(landmarks)
    yield "mean_shape.tps", writers.tps(landmarks, "mean_shape", release["size"])
    yield "mean_shape.R", writers.R_SCRIPT
    yield "preview.png", shapes.released(release, shapes.look_of(settings, landmarks, release["center"]))


def shape_change(folder):
    """A row a landmark as CSV; the shapes before, after and exaggerated as TPS, and in a picture."""
    change = released_change.read(folder / released_change.SHAPE_FILE)
    yield "shape_change.csv", change.table()
    yield "shape_change.tps", change.tps()
    look = shapes.look_of(change.settings, as_landmarks(change.reference))
    yield "preview.png", shapes.change_drawn(change, look)


def shape_model(folder):
    """The mean as CSV; with modes and effects as TPS, as tables, and in a picture."""
    path = folder / released_model.SHAPE_FILE
    model, settings = released_model.read(path)
    yield "shape_model.csv", writers.csv(as_landmarks(model.mean))
    yield "shape_model.tps", released_model.tps(model)
    yield from _tables(model, path)
    yield "preview.png", shapes.model_drawn(model, shapes.look_of(settings, as_landmarks(model.reference)))
