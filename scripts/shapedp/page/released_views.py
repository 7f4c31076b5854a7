"""The views of released means and models: of faces in three dimensions, of shapes in the plane or in space.

Models have sliders; shapes have tables of modes and effects.
"""

import json
from html import escape

import numpy as np
import scipy

from shapedp import artifacts
from shapedp.manifolds.landmark_shapes import ellipse, joined
from shapedp.model import released_change, released_growth, released_model
from shapedp.model.shapes import as_landmarks
from shapedp.page.view import Shown, View, asset, filled, packed, section, slider_data, slider_section
from shapedp.surfaces import curve_mesh

DIGITS = 9  # of a coordinate: finer than the grid that landmarks are rounded to
RIEMANNIAN = (
    "Reimherr, Bharath and Soto, <cite>Differential privacy over Riemannian manifolds</cite> (2021), and Soto, "
    "Bharath, Reimherr and Slavkovic, <cite>Shape and structure preserving differential privacy</cite> (2022)"
)


def read_mean_shape(folder):
    """landmarks (k, d) of a shape of size 1, noise_radius in radian (NaN: withheld), noise_covariance (k, d, d),
    whether the outline is closed, how landmarks are joined, the public center (NaN: there is none).
    """
    with artifacts.reader(folder / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
        settings, landmarks = json.loads(source["settings"]), source["landmarks"]
        return {
            "landmarks": landmarks,
            "center": source["center"],
            "noise_radius": float(source["noise_radius"]),
            "noise_covariance": source["noise_covariance"],
            "closed": settings["modes"] > 0,
            **joined(settings, landmarks),
        }


SHOWN_SHAPE = (
    "The released mean",
    "The released mean shape: its landmarks.",
    "The released mean shape, noise included: centered, of size 1, turned to the public center.",
)
SHOWN_SHAPE_CHANGE = (
    "The released difference",
    "The public center, and with three times the released mean difference.",
    "The public center with the released mean difference added, noise included: nobody's shape, and no mean of shapes.",
)


def mean_shape_view(release, preview, shown=SHOWN_SHAPE):
    """A View of what `read_mean_shape` gives; preview : PNG bytes, shown where no script runs; shown : heading, words
    for those who do not see it, caption.
    """
    return View(
        "Mean shape",
        section("outline_view.html", preview, *shown),
        shape_data(release),
        tuple(map(asset, SHAPE_SCRIPTS)),
        RIEMANNIAN,
    )


def shape_data(release):
    """What the viewer draws. landmark_noise : root mean square distance that the noise moves one landmark.

    The noise moves the shape by rho = noise_radius, rho^2 = sum over landmarks of their squared distance (to second
    order), so one of k landmarks moves by rho/sqrt(k). ellipses : half axes and angle of one standard deviation at each
    planar landmark, None where the noise is withheld. grid_from : what a grid is bent from: the public center, None
    where there is none; of a model, the mean.
    """
    landmarks, center, reach = (release[name] for name in ("landmarks", "center", "noise_radius"))
    covariances = release["noise_covariance"]
    planar = covariances.shape[1:] == (2, 2) and np.isfinite(covariances).all()
    return {
        "landmarks": np.round(landmarks, DIGITS).tolist(),
        **{name: release[name] for name in ("closed", "links", "near", "sliding")},
        "grid_from": np.round(center, DIGITS).tolist() if np.isfinite(center).all() else None,
        "ellipses": [[float(f"{one:.6g}") for one in ellipse(noise)] for noise in covariances] if planar else None,
        "landmark_noise": None if np.isnan(reach) else reach / np.sqrt(len(landmarks)),
    }


def read_shape_model(folder):
    """The released model, its settings, its fields."""
    path = folder / released_model.SHAPE_FILE
    return *released_model.read(path), released_model.read_values(path)[0]


def shape_model_view(release, preview):
    """A View of what `read_shape_model` gives; preview : PNG bytes, shown where no script runs."""
    model, settings, values = release
    covariance = model.noise_covariance(model.average)
    of_mean = mean_shape_view(
        {
            "landmarks": as_landmarks(model.mean),
            "noise_radius": model.length(released_model.band(covariance) ** 2),
            "noise_covariance": covariance[0],
            "closed": settings["basis"] > 0,
            "center": as_landmarks(model.mean),
            **joined(settings, as_landmarks(model.mean)),
        },
        preview,
    )
    below = f"{slider_section(model, 'shape')}\n{tables(model, values)}"
    return of_mean.with_more("Shape model", below, "sliders.js", model=slider_data(model, as_landmarks))


EFFECTS = (
    *("covariate", "change from end to end", "noise for privacy", "chance in who took part"),
    *("expected to be missing", "half of a 95 % interval", "share of an effect's length shown"),
)


def tables(model, values):
    """HTML of modes and effects: what `modes.csv` and `effects.csv` hold, with names and words."""
    modes = [
        (f"mode {k + 1}", sd, values["sd_noise"][k], values["kept"][k]) for k, sd in enumerate(model.sd[: model.shown])
    ]
    body = _table(("mode", "standard deviation of people", "its noise", "direction kept"), modes) if modes else ""
    if model.covariates:
        cells = [line.split(",") for line in list(released_model.effects_table(model))[1:]]
        rows = [(name, *map(float, numbers)) for name, *numbers in cells]
        body += _table(EFFECTS, rows)
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
    lines = "\n".join(
        f'<tr><th scope="row">{escape(name)}</th>' + "".join(f"<td>{_number(one)}</td>" for one in numbers) + "</tr>"
        for name, *numbers in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{lines}\n</tbody></table>\n"


def _number(value):
    return np.format_float_positional(value, precision=3, fractional=False, trim="-")


MEAN_SHAPE = Shown(read_mean_shape, mean_shape_view, "reading_shapes.md")
SHAPE_MODEL = Shown(read_shape_model, shape_model_view, "reading_shape_models.md")


FACE_SCRIPTS = ("vendor/three.min.js", "release_data.js", "gestures.js", "drawn_surface.js", "viewer.js")
SHAPE_SCRIPTS = ("release_data.js", "gestures.js", "outlines.js")
FACE_METHOD = (
    "Soto, Slavkovic, Reimherr and Shriver, <cite>Gaussian differentially private human faces under a face radial "
    "curve representation</cite> (2024)"
)


SHOWN_FACE = (
    "The released mean",
    "The released mean face from the front and from three quarters.",
    "The released mean, noise included, as a surface through its radial curves, as large as the template.",
)
SHOWN_CHANGE = (
    "The released difference",
    "Where the released mean difference moves the public template; below it, three times of it.",
    "The public template with the released mean difference added, noise included: nobody's face, and no mean of faces.",
)


def read_mean_face(folder):
    """curves (J, 3, m) and noise_draws (d, J, 3, m) of unit area, radii (J,), scale (mm per unit), noise_mm (J, m)."""
    with artifacts.reader(folder / "mean_face.h5", artifacts.MEAN_FACE) as source:
        return {key: source[key] for key in ("curves", "radii", "noise_draws", "scale", "noise_mm")}


def mean_face_view(release, preview, shown=SHOWN_FACE):
    """A View of what `read_mean_face` gives; preview : PNG bytes, shown where there is no WebGL; shown : heading, words
    for those who do not see it, caption.
    """
    return View(
        "Mean face",
        section("face_view.html", preview, *shown),
        face_data(release),
        tuple(map(asset, FACE_SCRIPTS)),
        FACE_METHOD,
    )


def in_mm(curves, radii, noise):
    """What the viewer of a mean face takes, of curves that are in mm; noise : mm at each point."""
    return {"curves": curves, "radii": radii, "noise_mm": noise, "noise_draws": [], "scale": 1.0}


def face_data(release):
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
        "coarse": packed(curve_mesh.coarser(count, samples, curve_mesh.middle(curves)), "<u4"),
        "noise": packed(noise, "<f4"),
        "noise_range": None if withheld else [float(noise.min()), float(noise.max())],
        "draws": [] if withheld else [packed(one, "<f4") for one in draws],
        "rings": curve_mesh.rings(count, samples),
        "unit": "mm",
    }


def read_face_model(folder):
    """The released model."""
    return released_model.read(folder / released_model.FACE_FILE)[0]


def face_model_view(model, preview):
    """A View of a released model; preview : PNG bytes, shown where there is no WebGL."""
    noise = released_model.band(model.noise_covariance(model.average))
    of_mean = mean_face_view(in_mm(model.mean, model.radii, noise), preview)
    moved = slider_data(model, lambda curves: curve_mesh.mesh(curves, model.radii)[0])
    return of_mean.with_more("Face model", slider_section(model, "face"), "sliders.js", model=moved)


MEAN_FACE = Shown(read_mean_face, mean_face_view, "reading_faces.md")
FACE_MODEL = Shown(read_face_model, face_model_view, "reading_models.md")


def change_view(change, preview):
    """A View of a released_change.ReleasedChange; preview : PNG bytes, shown where there is no WebGL."""
    noise = np.sqrt(np.trace(change.noise, axis1=-2, axis2=-1))
    of_mean = mean_face_view(in_mm(change.mean, change.radii, noise), preview, SHOWN_CHANGE)
    sure = np.where(change.found.exceeds.reshape(change.outward.shape), change.outward, 0.0)
    before, after = (curve_mesh.mesh(one, change.radii)[0] for one in (change.reference, change.mean))
    at_vertices = curve_mesh.at_vertices(sure)
    told = {
        "before": packed(before, "<f4"),
        "moved": packed(after - before, "<f4"),
        "sure": packed(at_vertices, "<f4"),
        "most": float(np.abs(at_vertices).max()),
        "arrows": packed(_arrows(*change.mean.shape[::2]), "<u4"),
        "exaggerated": released_change.STAGES["exaggerated"],
    }
    return of_mean.with_more("Mean difference", change_section(change), "change.js", change=told)


def _arrows(count, samples):
    """The vertices that bear an arrow, evenly over the face."""
    here = curve_mesh.rings(count, samples)
    first = 1 + np.concatenate([[0], np.cumsum(here)])
    return np.array([first[j] + k for j, points in curve_mesh.marked(here) for k in points])


def shape_change_view(change, preview):
    """A View of a ReleasedChange of landmarks, as the public center bent into it."""
    landmarks, noise = as_landmarks(change.mean), change.noise[0]
    of_mean = mean_shape_view(
        {
            "landmarks": landmarks,
            "noise_radius": change.length(np.trace(change.noise, axis1=-2, axis2=-1)),
            "noise_covariance": noise,
            "closed": change.settings["modes"] > 0,
            "center": as_landmarks(change.reference),
            **joined(change.settings, landmarks),
        },
        preview,
        SHOWN_SHAPE_CHANGE,
    )
    before, moved = (packed(as_landmarks(one), "<f4") for one in (change.reference, change.change))
    told = {"before": before, "moved": moved, "exaggerated": released_change.STAGES["exaggerated"]}
    return of_mean.with_more("Mean difference", change_section(change), "change.js", change=told)


def change_section(change):
    """HTML: the slider of a difference, and how large and how sure it is."""
    noise, chance = (change.length(np.trace(one, axis1=-2, axis2=-1)) for one in change.covariances())
    moved = change.length(np.sum(change.change**2, axis=1))
    shown = f"{np.mean(change.found.exceeds):.0%}"
    of_face = change.radii is not None
    drawn_on, points = ("template", "points") if of_face else ("center", "landmarks")
    where = "Coloured" if of_face else "Coloured in the picture"
    most = f" {np.abs(change.outward).max():.2g} mm at most along the normal;" if of_face else ""
    unit = "mm, root mean square," if of_face else "radian, of the whole shape,"
    marked = ": blue moves inward, red outward" if of_face else ""
    words = (
        f"The mean difference of {change.people:.0f} people is {moved:.2g} {unit}{most} noise for privacy moves it by "
        f"{noise:.2g}, chance in who took part by {chance:.2g}. A person lies {change.spread:.2g} {change.unit} from "
        f"it, as far as noise lets one tell. {where} are the {shown} of the {points} "
        f"where it exceeds noise and chance, at a false discovery rate of "
        f"{released_model.RATE:.0%}{marked}. What it is drawn on is the public {drawn_on}, "
        "nobody of these people."
    )
    arrows = '<label><input type="checkbox" id="arrows" checked> Arrows, three times as long</label>\n'
    return filled("change.html", arrows=arrows if of_face else "", words=words)


SHAPE_CHANGE = Shown(released_change.read, shape_change_view, "reading_shape_changes.md")
FACE_CHANGE = Shown(released_change.read, change_view, "reading_changes.md")


def growth_view(growth, preview):
    """A View of a released_growth.ReleasedGrowth; preview : PNG bytes, shown where there is no WebGL."""
    middle = growth.age.middle
    of_mean = mean_face_view(in_mm(growth.at(middle), growth.radii, growth.band(middle)), preview)
    placed = lambda curves: curve_mesh.mesh(curves, growth.radii)[0]  # noqa: E731
    length = lambda field: float(np.sqrt(np.mean(field)))  # noqa: E731
    told = {
        "ages": growth.ages.tolist(),
        "levels": list(growth.others),
        "reference": packed(placed(growth.reference), "<f4"),
        "effects": [packed(placed(growth.along(one)), "<f4") for one in np.eye(growth.full.size)],
        "z": [[growth.z(age, other).tolist() for age in growth.ages] for other in growth.others],
        "known": [[length(growth.band(age, other) ** 2) for age in growth.ages] for other in growth.others],
        "velocity": [
            [length(np.sum(growth.velocity(age, other) ** 2, axis=1)) for age in growth.ages] for other in growth.others
        ],
        "apart": [growth.apart(age) for age in growth.ages],
        "measures": [list(one) for one in zip(growth.measures.names, growth.measures.units, strict=True)],
        "charts": [np.round(one, 5).tolist() for one in np.moveaxis(growth.charts, 2, 0)],
        "quantiles": [float(scipy.special.ndtri(one)) for one in released_growth.CENTILES.values()],
        "centiles": [f"{one:.0%}" for one in released_growth.CENTILES.values()],
    }
    return of_mean.with_more("Growth", growth_section(growth), "growth.js", growth=told)


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


GROWTH = Shown(released_growth.read, growth_view, "reading_growth.md")
