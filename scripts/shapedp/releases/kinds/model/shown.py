"""The files and the pages of models: the mean, each mode and effect, tables, sliders."""

from html import escape

import numpy as np

from shapedp.base import writers
from shapedp.releases.figures import captions, face_means, render, shapes
from shapedp.releases.model import released_model
from shapedp.releases.model.shapes import as_landmarks
from shapedp.releases.viewer import tables_page
from shapedp.releases.viewer.released_views import FACE_WORDS, SHAPE_WORDS, collect_face_data, collect_shape_data
from shapedp.releases.viewer.view import Shown, fill_asset, make_view, pack_array, read_asset
from shapedp.surfaces import curve_mesh

# Standard deviations that a mode's slider goes either way, within which nearly everybody lies.
FARTHEST = 3
MODES = "mode", "standard deviation of people (radian)", "its stated error (radian)", "direction kept (cosine, 0 to 1)"
LENGTHS = (
    *("change from end to end", "noise for privacy", "chance in who took part"),
    *("expected to be missing", "half of a 95 % interval"),
)
EFFECTS = "covariate", *(f"{length} (radian)" for length in LENGTHS), "share of an effect's length shown (0 to 1)"


def draw_face(folder):
    """Yield the files shown beside a released model of faces: surfaces of modes and effects, tables, and a picture.

    A GLB has a morph target a mode and an effect; there is a PLY of either end of each.
    """
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
        yield f"{name}.ply", writers.encode_surface(*curve_mesh.mesh(curves, model.radii), ".ply")
    yield from _draw_tables(model, path)
    yield from tables_page.render_files(folder).items()
    covariate_ends = {covariate.name: covariate.ends for covariate in model.covariates}
    columns = [
        {
            f"{name}: {word}": shown[end]
            for word, end in zip(covariate_ends.get(name, released_model.AWAY_WORDS), ends, strict=True)
        }
        for name, *ends in shapes.list_ends(model)
        # Where no mode stands above the noise and there are no covariates, the picture shows the mean.
    ] or [{"mean": model.mean}]
    columns = [{name: curve_mesh.mesh(curves, model.radii)[0] for name, curves in column.items()} for column in columns]
    camera = render.fit_camera([face for column in columns for face in column.values()], "front")
    unit = captions.read_subject(folder).unit
    seen = [
        [render.write_on(render.render(face, triangles, camera), title, camera, unit) for title, face in column.items()]
        for column in columns
    ]
    none = "" if model.shown else "; no mode stands above the noise"
    yield (
        "preview.png",
        face_means.put_over_scale(np.hstack([*map(np.vstack, seen)]), None, captions.read_caption(folder) + none),
    )


def draw_shape(folder):
    """Yield the files shown beside a released model of shapes: mean, modes and effects as CSV and TPS, a picture."""
    path = folder / released_model.SHAPE_FILE
    model, settings = released_model.read(path)
    yield "shape_model.csv", writers.format_csv(as_landmarks(model.mean))
    yield "shape_model.tps", released_model.tps(model)
    yield from tables_page.render_files(folder).items()
    yield from _draw_tables(model, path)
    yield "preview.png", shapes.draw_model(model, shapes.choose_look(settings, as_landmarks(model.reference)))


def _draw_tables(model, path):
    """Yield the tables shown beside a model: of its modes, and of its effects where there are covariates."""
    yield "modes.csv", released_model.modes_table(model, released_model.read_values(path)[0])
    if model.covariates:
        yield "effects.csv", released_model.effects_table(model)


def view_face(release, preview):
    """Return the View of a released model of faces for its page, on which a reader moves modes and covariates.

    Parameters
    ----------
    release : (Released, dict)
        The model and its settings.
    preview : bytes
        PNG, shown where there is no WebGL.
    """
    model, _ = release
    data = collect_face_data(model.mean, model.radii, released_model.band(model.noise_covariance(model.average)))
    data["model"] = slider_data(model, lambda curves: curve_mesh.mesh(curves, model.radii)[0])
    return make_view(
        "Face model",
        "faces",
        preview,
        FACE_WORDS,
        data,
        slider_section(model, "face"),
        read_asset("sliders.js", __package__),
    )


def read_shape(path):
    """Return the released model, its settings, its fields."""
    return *released_model.read(path), released_model.read_values(path)[0]


def view_shape(release, preview):
    """Return the View of a released model of shapes for its page; preview : PNG bytes, shown where no script runs.

    release : what `read_shape` gives
    """
    model, settings, values = release
    mean, covariance = as_landmarks(model.mean), model.noise_covariance(model.average)
    reach = model.length(released_model.band(covariance) ** 2)
    data = collect_shape_data(mean, mean, covariance[0], reach, settings, as_landmarks(model.reference))
    data["model"] = slider_data(model, as_landmarks)
    below = f"{slider_section(model, 'shape')}\n{tables(model, values)}"
    return make_view("Shape model", "shapes", preview, SHAPE_WORDS, data, below, read_asset("sliders.js", __package__))


def slider_section(model, what):
    """Return HTML of the sliders by which a reader moves a model.

    Covariates are in their own units, modes in standard deviations.

    Parameters
    ----------
    model : Released
        The model.
    what : str
        `face` or `shape`.
    """
    sliders = []
    for index, (covariate, average) in enumerate(zip(model.covariates, model.average[1:], strict=True), start=1):
        if covariate.levels:
            # Between two levels lies the mean of a cohort of both, so the slider need not jump.
            low, high, step, start = -1, 1, 0.01, round(float(average), 2)
        else:
            low, high, step = (
                covariate.middle - covariate.reach,
                covariate.middle + covariate.reach,
                covariate.reach / 50,
            )
            # It starts where people are on average.
            start = covariate.middle + covariate.reach * average
        sliders.append((f"covariate-{index}", covariate.name, low, high, step, start))
    sliders += [(f"mode-{k + 1}", f"mode {k + 1}", -FARTHEST, FARTHEST, 0.1, 0) for k in range(model.shown)]
    rows = (
        f'<label>{escape(label)} <input type="range" id="{name}" min="{low:g}" max="{high:g}" step="{step:g}" '
        f'value="{start:g}"> <output for="{name}"></output></label>\n'
        for name, label, low, high, step, start in sliders
    )
    none = "" if model.shown else "<p>No mode of variation stands above the noise.</p>"
    length = "rms at a point" if model.radii is not None else "of a whole shape of size 1"
    return fill_asset("sliders.html", __package__, rows="".join(rows), what=what, none=none, length=length)


def slider_data(model, placed):
    """Return what the page's script needs to bend the shown mean as its sliders stand, and to say how sure that is.

    Fields are at the viewer's points, in the model's lengths; numbers of the band say how sure.

    Parameters
    ----------
    model : Released
        The model.
    placed : callable
        From curves (J, d, m) to (n, d) at the viewer's points.
    """
    if model.chance_parts is None:
        about = model.effects.copy()
        # (12.3) is of deviations from the public reference, so the first row is the mean's.
        about[0] -= model.reference
        band = {
            "noise": _square_parts(model, model.noise_parts),
            "inverse": model.inverse.tolist(),
            "s2": float(model.moment_noise[1]),
            "gram": [[_square(model, np.sum(row * column, axis=1)) for column in about] for row in about],
            "residual": _square(model, released_model.band(model.residual) ** 2),
        }
    else:
        band = {
            "noise": _square_parts(model, model.noise_parts + model.second_parts),
            "chance": _square_parts(model, model.chance_parts),
        }
    return {
        "effects": [pack_array(placed(effect), "<f4") for effect in model.effects],
        "modes": [pack_array(placed(model.sd[k] * model.modes[k]), "<f4") for k in range(model.shown)],
        "average": model.average.tolist(),
        "covariates": [
            {"middle": covariate.middle, "reach": covariate.reach, "levels": list(covariate.levels)}
            for covariate in model.covariates
        ],
        "length": model.unit,
        **band,
    }


def _square_parts(model, parts):
    """Return the squared lengths, row by row, of covariances (1 + p, 1 + p, J, m, d, d) of the mean and the effects."""
    return [[_square(model, np.trace(covariance, axis1=-2, axis2=-1)) for covariance in row] for row in parts]


def _square(model, products):
    """Return a squared length, one of the numbers by which the page's script says how large noise is.

    It is of products (J, m) at the points, as `Released.length` counts: a face's mean, a shape's sum.
    """
    return float(np.mean(products) if model.radii is not None else np.sum(products))


def tables(model, values):
    """Return HTML of the page's tables of modes and effects: `modes.csv` and `effects.csv` with names and words."""
    modes = [
        (f"mode {k + 1}", sd, values["sd_noise"][k], values["kept"][k]) for k, sd in enumerate(model.sd[: model.shown])
    ]
    body = _table(MODES, modes) if modes else ""
    if model.covariates:
        cells = [line.split(",") for line in list(released_model.effects_table(model))[1:]]
        body += _table(EFFECTS, [(name, *map(float, numbers)) for name, *numbers in cells])
        body += (
            "<p>Effects are released along as many directions as the noise allows, and drawn towards 0 where the noise "
            "on the covariates is large: the last column is the share of an effect's length that is expected to be "
            "shown. What is expected to be missing is in the interval, beside noise and chance.</p>"
        )
    return (
        '<section aria-labelledby="model-heading"><h2 id="model-heading">Modes and effects</h2>\n'
        f"{body}<p>Lengths are in radian: distances of whole shapes of size 1.</p></section>"
    )


def _table(header, rows):
    """Return HTML of one of the page's tables, of modes or of effects, whose first column names the rows."""
    head = "".join(f'<th scope="col">{escape(word)}</th>' for word in header)
    lines = []
    for name, *numbers in rows:
        shown = (np.format_float_positional(number, precision=3, fractional=False, trim="-") for number in numbers)
        lines.append(f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{number}</td>" for number in shown)}</tr>')
    body = "\n".join(lines)
    box = f'<div class="scroll" tabindex="0" role="group" aria-label="Table: {escape(header[0])}">'
    return f"{box}<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>\n"


SHOWN = {
    released_model.FACE_FILE: Shown(
        draw_face, released_model.read, view_face, read_asset("reading_faces.md", __package__)
    ),
    released_model.SHAPE_FILE: Shown(draw_shape, read_shape, view_shape, read_asset("reading_shapes.md", __package__)),
}
