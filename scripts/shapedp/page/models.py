"""The view of a released face model: the surface of a mean face with sliders for covariates and modes."""

from html import escape

import numpy as np

from shapedp.model import surface
from shapedp.page import faces
from shapedp.page.view import View, asset, packed
from shapedp.releases import face_model
from shapedp.surfaces import curve_mesh

READING = "reading_models.md"  # how its files are read
FARTHEST = 3  # standard deviations that a mode's slider goes either way


def read(folder):
    """The released model."""
    return face_model.read(folder / face_model.ARTIFACT)[0]


def view(model, preview):
    """A View of a model.surface.Released; preview : PNG bytes, shown where there is no WebGL."""
    of_mean = faces.view(_mean(model), preview)
    return View(
        "Face model",
        of_mean.section + "\n" + sliders(model),
        {**of_mean.data, "model": data(model)},
        (*of_mean.scripts, asset("model.js")),
        of_mean.method,
    )


def _mean(model):
    """What the viewer of a mean face takes, of the model's mean."""
    noise = surface.band(model.noise_covariance(model.average))
    return {"curves": model.mean, "radii": model.radii, "noise_mm": noise, "noise_draws": [], "scale": 1.0}


def sliders(model):
    """HTML of the sliders: covariates in their own units, modes in standard deviations."""
    rows = [
        _slider(f"covariate-{index}", one.name, *_ends(one), _start(one, model.average[index]))
        for index, one in enumerate(model.covariates, start=1)
    ]
    rows += [_slider(f"mode-{k + 1}", f"mode {k + 1}", -FARTHEST, FARTHEST, 0.1, 0) for k in range(model.shown)]
    none = "" if model.shown else "<p>No mode of variation stands above the noise.</p>"
    return (
        '<section aria-labelledby="sliders-heading"><h2 id="sliders-heading">The model</h2>\n'
        f'<form class="controls" id="sliders" aria-label="Sliders of the model">\n{"".join(rows)}'
        '<button type="button" id="to-mean">Mean face</button></form>\n'
        f"{none}"
        '<p>This mean face is known to <output id="band"></output> (noise for privacy and chance in who took part, rms '
        "at a point). Modes are in standard deviations of people.</p></section>"
    )


def _ends(covariate):
    if covariate.levels:
        return -1, 1, 2
    return covariate.middle - covariate.reach, covariate.middle + covariate.reach, covariate.reach / 50


def _start(covariate, average):
    """Where the slider stands when the page is opened: as people are on average."""
    return float(np.sign(average) or 1.0) if covariate.levels else covariate.middle + covariate.reach * average


def _slider(name, label, low, high, step, start):
    return (
        f'<label>{escape(label)} <input type="range" id="{name}" min="{low:g}" max="{high:g}" step="{step:g}" '
        f'value="{start:g}"> <output for="{name}"></output></label>\n'
    )


def data(model):
    """What the sliders move, in mm: fields at the vertices, and the numbers of the band."""

    def field(curves):
        return packed(curve_mesh.mesh(curves, model.radii)[0], "<f4")

    about = model.effects.copy()
    about[0] -= model.reference
    points = model.effects.shape[1] * model.effects.shape[3]
    return {
        "effects": [field(one) for one in model.effects],
        "modes": [field(model.sd[k] * model.modes[k]) for k in range(model.shown)],
        "average": model.average.tolist(),
        "covariates": [
            {"middle": one.middle, "reach": one.reach, "levels": list(one.levels)} for one in model.covariates
        ],
        "inverse": model.inverse.tolist(),
        "s1": float(model.moment_noise[0]),
        "s2": float(model.moment_noise[1]),
        "gram": (np.einsum("ajkm,bjkm->ab", about, about) / points).tolist(),
        "unit": float(np.mean(surface.band(model.noise_unit) ** 2)),
        "residual": float(np.mean(surface.band(model.residual) ** 2)),
    }
