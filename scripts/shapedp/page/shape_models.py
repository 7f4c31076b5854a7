"""The view of a released shape model: its mean with sliders, and tables of modes and effects."""

from html import escape

import numpy as np

from shapedp import artifacts
from shapedp.model import drawings, surface
from shapedp.model.shapes import as_landmarks
from shapedp.page import shapes, sliders
from shapedp.page.view import View, asset
from shapedp.releases import model_files, shape_model

READING = "reading_shape_models.md"  # how its files are read


def read(folder):
    """The released model, its settings, its fields."""
    path = folder / shape_model.ARTIFACT
    return *shape_model.read(path), model_files.read(path, artifacts.SHAPE_MODEL)[0]


def view(release, preview):
    """A View of what `read` gives; preview : PNG bytes, shown where no script runs."""
    model, settings, values = release
    covariance = model.noise_covariance(model.average)
    of_mean = shapes.view(
        {
            "landmarks": as_landmarks(model.mean),
            "noise_radius": model.length(surface.band(covariance) ** 2),
            "noise_covariance": covariance[0],
            "closed": settings["basis"] > 0,
            "links": settings.get("links", []),
        },
        preview,
    )
    return View(
        "Shape model",
        f"{of_mean.section}\n{sliders.section(model, 'shape')}\n{tables(model, values)}",
        {**of_mean.data, "model": sliders.data(model, as_landmarks)},
        (*of_mean.scripts, asset("sliders.js")),
        of_mean.method,
    )


def tables(model, values):
    """HTML of modes and effects: what `modes.csv` and `effects.csv` hold, with names and words."""
    modes = [
        (f"mode {k + 1}", sd, values["sd_noise"][k], values["kept"][k]) for k, sd in enumerate(model.sd[: model.shown])
    ]
    body = _table(("mode", "standard deviation of people", "its noise", "direction kept"), modes) if modes else ""
    if model.covariates:
        cells = [line.split(",") for line in list(drawings.effects_table(model))[1:]]
        rows = [(name, *map(float, numbers)) for name, *numbers in cells]
        body += _table(("covariate", "change from end to end", "noise for privacy", "chance in who took part"), rows)
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
