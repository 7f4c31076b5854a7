"""The views of releases: of faces in three dimensions, of shapes in the plane or in space."""

import json
from html import escape

import numpy as np
import scipy

from shapedp.base import artifacts
from shapedp.people.samples import ASYMMETRY
from shapedp.privacy.manifolds.landmark_shapes import ellipse, joined
from shapedp.releases.model import released_change, released_growth, released_model
from shapedp.releases.model.shapes import as_landmarks
from shapedp.releases.statement.statement import counted_per
from shapedp.releases.viewer.view import filled, packed, slider_data, slider_section, viewed
from shapedp.surfaces import curve_mesh

DIGITS = 9  # of a coordinate: finer than the grid that landmarks are rounded to
SHAPE_WORDS = (
    "The released mean",
    "The released mean shape: its landmarks.",
    "The released mean shape, noise included: centered, of size 1, turned to the public center.",
)
SHAPE_CHANGE_WORDS = (
    "The released difference",
    "The public center, and with three times the released mean difference.",
    "The public center with the released mean difference added, noise included: nobody's shape, and no mean of shapes.",
)
FACE_WORDS = (
    "The released mean",
    "The released mean face from the front and from three quarters.",
    "The released mean, noise included, as a surface through its radial curves, as large as the template.",
)
FACE_CHANGE_WORDS = (
    "The released difference",
    "Where the released mean difference moves the public template; below it, three times of it.",
    "The public template with the released mean difference added, noise included: nobody's face, and no mean of faces.",
)
MODES = "mode", "standard deviation of people (radian)", "its noise (radian)", "direction kept (cosine, 0 to 1)"
LENGTHS = (
    *("change from end to end", "noise for privacy", "chance in who took part"),
    *("expected to be missing", "half of a 95 % interval"),
)
EFFECTS = "covariate", *(f"{one} (radian)" for one in LENGTHS), "share of an effect's length shown (0 to 1)"


def read_mean_shape(path):
    """The fields of a released mean shape."""
    with artifacts.reader(path, artifacts.RELEASED_SHAPE) as source:
        return {name: source[name] for name in artifacts.RELEASED_SHAPE.fields}


def mean_shape_view(release, preview):
    """A View of what `read_mean_shape` gives; preview : PNG bytes, shown where no script runs."""
    settings = json.loads(release["settings"])
    fields = (release[name] for name in ("landmarks", "center", "noise_covariance"))
    data = shape_data(*fields, float(release["noise_radius"]), settings)
    *words, caption = SHAPE_WORDS
    if np.isfinite(release["size"]):
        caption += f" The mean centroid size is {release['size']:.6g} in the unit of the files, noise included"
        noise = release["size_noise"]
        caption += f" (standard deviation {noise:.3g})." if np.isfinite(noise) else "."
    return viewed("Mean shape", "shapes", preview, (*words, caption), data)


def shape_data(landmarks, center, covariances, reach, settings, public=None):
    """What the viewer draws of landmarks (k, d) of a shape of size 1, joined as public settings say, or by the shortest
    tree of the public center, as `figures.shapes.look_of` has it; public : that center where `center` is not.

    The noise moves the shape by rho = reach (radian; NaN: withheld), rho^2 = sum over landmarks of their squared
    distance (to second order), so one of k landmarks moves by landmark_noise = rho/sqrt(k), rms. ellipses : half axes
    and angle of one standard deviation at each planar landmark. grid_from : what a grid is bent from: the public
    center, None where there is none (NaN); of a model, the mean.
    """
    planar = covariances.shape[1:] == (2, 2) and np.isfinite(covariances).all()
    return {
        "landmarks": np.round(landmarks, DIGITS).tolist(),
        **joined(settings, landmarks, center if public is None else public),
        "grid_from": np.round(center, DIGITS).tolist() if np.isfinite(center).all() else None,
        "ellipses": [[float(f"{one:.6g}") for one in ellipse(noise)] for noise in covariances] if planar else None,
        "landmark_noise": None if np.isnan(reach) else reach / np.sqrt(len(landmarks)),
    }


def read_shape_model(path):
    """The released model, its settings, its fields."""
    return *released_model.read(path), released_model.read_values(path)[0]


def shape_model_view(release, preview):
    """A View of what `read_shape_model` gives; preview : PNG bytes, shown where no script runs."""
    model, settings, values = release
    mean, covariance = as_landmarks(model.mean), model.noise_covariance(model.average)
    reach = model.length(released_model.band(covariance) ** 2)
    data = shape_data(mean, mean, covariance[0], reach, settings, as_landmarks(model.reference))
    data["model"] = slider_data(model, as_landmarks)
    below = f"{slider_section(model, 'shape')}\n{tables(model, values)}"
    return viewed("Shape model", "shapes", preview, SHAPE_WORDS, data, below, "sliders.js")


def tables(model, values):
    """HTML of modes and effects: what `modes.csv` and `effects.csv` hold, with names and words."""
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
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in header)
    lines = []
    for name, *numbers in rows:
        shown = (np.format_float_positional(one, precision=3, fractional=False, trim="-") for one in numbers)
        lines.append(f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{one}</td>" for one in shown)}</tr>')
    body = "\n".join(lines)
    box = f'<div class="scroll" tabindex="0" role="group" aria-label="Table: {escape(header[0])}">'
    return f"{box}<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>\n"


def read_mean_face(path):
    """curves (J, 3, m) and noise_draws (d, J, 3, m) of unit area, radii (J,), scale (mm per unit), noise_mm (J, m)."""
    with artifacts.reader(path, artifacts.MEAN_FACE) as source:
        return {key: source[key] for key in ("curves", "radii", "noise_draws", "scale", "noise_mm")}


def mean_face_view(release, preview):
    """A View of what `read_mean_face` gives; preview : PNG bytes, shown where there is no WebGL."""
    return viewed("Mean face", "faces", preview, FACE_WORDS, face_data(**release))


def face_data(curves, radii, noise_mm, noise_draws=(), scale=1.0):
    """What the viewer draws, in mm: vertices, triangles, fewer of them for while it moves, noise at each vertex, what
    else the release could have been; little-endian arrays in base64.
    """
    vertices, triangles = curve_mesh.mesh(curves * scale, radii)
    count, _, samples = curves.shape
    noise = curve_mesh.at_vertices(noise_mm)
    withheld = bool(np.isnan(noise).any())
    draws = [curve_mesh.mesh(one * scale, radii)[0] for one in noise_draws]
    return {
        "vertices": packed(vertices, "<f4"),
        "triangles": packed(triangles, "<u4"),
        "coarse": packed(curve_mesh.coarser(count, samples, curve_mesh.middle(curves)), "<u4"),
        "noise": packed(noise, "<f4"),
        "noise_range": None if withheld else [float(noise.min()), float(noise.max())],
        "draws": [] if withheld else [packed(one, "<f4") for one in draws],
        "rings": curve_mesh.rings(count, samples),
        "unit": "mm",
    }


def face_model_view(release, preview):
    """A View of a released model and its settings; preview : PNG bytes, shown where there is no WebGL."""
    model, _ = release
    data = face_data(model.mean, model.radii, released_model.band(model.noise_covariance(model.average)))
    data["model"] = slider_data(model, lambda curves: curve_mesh.mesh(curves, model.radii)[0])
    return viewed("Face model", "faces", preview, FACE_WORDS, data, slider_section(model, "face"), "sliders.js")


def change_view(change, preview):
    """A View of a ReleasedChange of faces or, as the public center bent into it, of landmarks; preview : PNG bytes."""
    noise = np.trace(change.noise, axis1=-2, axis2=-1)
    if change.radii is None:
        branch, words, placed = "shapes", SHAPE_CHANGE_WORDS, as_landmarks
        shapes = placed(change.mean), placed(change.reference), change.noise[0]
        data = shape_data(*shapes, change.length(noise), change.settings)
        data["sure"] = (np.flatnonzero(change.found.exceeds) + 1).tolist()
        moved, coloured = placed(change.change), {}
    else:
        branch, words = "faces", FACE_CHANGE_WORDS
        placed = lambda curves: curve_mesh.mesh(curves, change.radii)[0]  # noqa: E731
        data = face_data(change.mean, change.radii, np.sqrt(noise)) | {"noise_unit": change.unit}
        moved = placed(change.mean) - placed(change.reference)
        sure = np.where(change.found.exceeds.reshape(change.outward.shape), change.outward, 0.0)
        at_vertices = curve_mesh.at_vertices(sure)
        coloured = {
            "sure": packed(at_vertices, "<f4"),
            "most": float(np.abs(at_vertices).max()),
            "arrows": packed(_arrows(*change.mean.shape[::2]), "<u4"),
        }
    told = {"before": packed(placed(change.reference), "<f4"), "moved": packed(moved, "<f4"), **coloured}
    data["change"] = told | {"exaggerated": released_change.STAGES["exaggerated"]}
    return viewed("Mean difference", branch, preview, words, data, change_section(change), "change.js")


def _arrows(count, samples):
    """The vertices that bear an arrow, evenly over the face."""
    here = curve_mesh.rings(count, samples)
    first = 1 + np.concatenate([[0], np.cumsum(here)])
    return np.array([first[j] + k for j, points in curve_mesh.marked(here) for k in points])


def change_section(change):
    """HTML: the slider of a difference, and how large and how sure it is."""
    noise, chance = (change.length(np.trace(one, axis1=-2, axis2=-1)) for one in change.covariances())
    moved = change.length(np.sum(change.change**2, axis=1))
    arrows, most, marked = "", "", ""
    drawn_on, points, colour, unit = "center", "landmarks", "Orange", f"{change.unit}, of the whole shape,"
    if change.radii is not None:
        arrows = '<label><input type="checkbox" id="arrows" checked> Arrows, three times as long</label>\n'
        most = f" {np.abs(change.outward).max():.2g} {change.unit} at most along the normal;"
        marked = ": blue moves inward, red outward"
        drawn_on, points, colour, unit = "template", "points", "Coloured", f"{change.unit}, root mean square,"
    rate, share = f"at a false discovery rate of {released_model.RATE:.0%}", np.mean(change.found.exceeds)
    shown = f"At none of the {points} does it exceed noise and chance, {rate}"
    if share:
        shown = f"{colour} are the {share:.0%} of the {points} where it exceeds noise and chance, {rate}{marked}"
    words = (
        f"The mean difference of {change.people:.0f} people is {moved:.2g} {unit}{most} noise for privacy moves it by "
        f"{noise:.2g} {change.unit}, chance in who took part by {chance:.2g} {change.unit}. A person lies "
        f"{change.spread:.2g} {change.unit} from it, as far as noise lets one tell."
        f"{counted_per(change.settings)} {shown}. "
        f"The directions that are released cannot show all of it: if it differs from no difference by as much as the "
        f"settings assume, about {change.outside:.2g} {change.unit} of it is left out, and more if it is larger or of "
        "another kind than public people show; none of these numbers holds that. What it is drawn on is the public "
        f"{drawn_on}, "
        "nobody of these people."
    )
    before, after = ("Without", "With") if change.settings["kind"] == ASYMMETRY else ("Before", "After")
    return filled("change.html", arrows=arrows, words=words, before=before, after=after)


def growth_view(growth, preview):
    """A View of a released_growth.ReleasedGrowth; preview : PNG bytes, shown where there is no WebGL."""
    middle, levels = growth.age.middle, growth.others
    places = [[(age, other) for age in growth.ages] for other in levels]
    data = face_data(growth.at(middle), growth.radii, growth.band(middle))
    placed = lambda curves: packed(curve_mesh.mesh(curves, growth.radii)[0], "<f4")  # noqa: E731
    length = lambda field: float(np.sqrt(np.mean(field)))  # noqa: E731
    data["growth"] = {
        "ages": growth.ages.tolist(),
        "levels": list(levels),
        "reference": placed(growth.reference),
        "effects": [placed(growth.along(one)) for one in np.eye(growth.full.size)],
        "z": [[growth.z(*place).tolist() for place in row] for row in places],
        "known": [[length(growth.band(*place) ** 2) for place in row] for row in places],
        "velocity": [[length(np.sum(growth.velocity(*place) ** 2, axis=1)) for place in row] for row in places],
        "apart": [growth.apart(age) for age in growth.ages],
        "measures": [list(one) for one in zip(growth.measures.names, growth.measures.units, strict=True)],
        "charts": [np.round(one, 5).tolist() for one in np.moveaxis(growth.charts, 2, 0)],
        "quantiles": [float(scipy.special.ndtri(one)) for one in released_growth.CENTILES.values()],
        "centiles": [f"{one:.0%}" for one in released_growth.CENTILES.values()],
    }
    return viewed("Growth", "faces", preview, FACE_WORDS, data, growth_section(growth), "growth.js")


def growth_section(growth):
    """HTML: the slider of age, which level is shown, and the chart of a distance or an angle."""
    low, high = growth.full.knots[0], growth.full.knots[-1]
    levels = _options(growth.other.levels if growth.other else ())
    level = f'<label>{escape(growth.other.name)} <select id="level">{levels}</select></label>\n' if levels else ""
    measures = _options(growth.measures.names)
    chart = filled("growth_chart.html", measures=measures) if measures else ""
    ends = {"low": f"{low:g}", "high": f"{high:g}", "middle": f"{growth.age.middle:g}"}
    words = {"name": escape(growth.age.name), "people": f"{growth.people:.0f}"}
    return filled("growth.html", level=level, chart=chart, **ends, **words)


def _options(words):
    return "".join(f'<option value="{at}">{escape(word)}</option>' for at, word in enumerate(words))


SHOWN = {  # of each kind of release: reads its file; shows that and a picture, PNG bytes; says how its files are read
    released_model.FACE_FILE: (released_model.read, face_model_view, "reading_models.md"),
    released_model.SHAPE_FILE: (read_shape_model, shape_model_view, "reading_shape_models.md"),
    released_change.FILE: (released_change.read, change_view, "reading_changes.md"),
    released_change.SHAPE_FILE: (released_change.read, change_view, "reading_shape_changes.md"),
    released_growth.FILE: (released_growth.read, growth_view, "reading_growth.md"),
    "mean_face.h5": (read_mean_face, mean_face_view, "reading_faces.md"),
    "mean_shape.h5": (read_mean_shape, mean_shape_view, "reading_shapes.md"),
}
