"""Sliders of a released model of faces or shapes: covariates and modes move what the viewer shows, with its band."""

from html import escape

import numpy as np

from shapedp.model import surface
from shapedp.page.view import packed

FARTHEST = 3  # standard deviations that a mode's slider goes either way


def section(model, what):
    """HTML of the sliders: covariates in their own units, modes in standard deviations; what : face or shape."""
    rows = [
        _slider(f"covariate-{index}", one.name, *_ends(one), _start(one, model.average[index]))
        for index, one in enumerate(model.covariates, start=1)
    ]
    rows += [_slider(f"mode-{k + 1}", f"mode {k + 1}", -FARTHEST, FARTHEST, 0.1, 0) for k in range(model.shown)]
    none = "" if model.shown else "<p>No mode of variation stands above the noise.</p>"
    length = "rms at a point" if model.radii is not None else "of a whole shape of size 1"
    return (
        '<section aria-labelledby="sliders-heading"><h2 id="sliders-heading">The model</h2>\n'
        f'<form class="controls" id="sliders" aria-label="Sliders of the model">\n{"".join(rows)}'
        f'<button type="button" id="to-mean">Mean {what}</button></form>\n'
        f"{none}"
        f'<p>This mean {what} is known to <output id="band"></output> (noise for privacy and chance in who took part, '
        f"{length}). Modes are in standard deviations of people. The noise drawn is that of the mean.</p></section>"
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


def data(model, placed):
    """What the sliders move, in the model's lengths: fields at the viewer's points, and the numbers of the band.

    placed(curves (J, d, m)) : (n, d) at those points
    """
    about = model.effects.copy()
    about[0] -= model.reference
    return {
        "effects": [packed(placed(one), "<f4") for one in model.effects],
        "modes": [packed(placed(model.sd[k] * model.modes[k]), "<f4") for k in range(model.shown)],
        "average": model.average.tolist(),
        "covariates": [
            {"middle": one.middle, "reach": one.reach, "levels": list(one.levels)} for one in model.covariates
        ],
        "inverse": model.inverse.tolist(),
        "s1": float(model.moment_noise[0]),
        "s2": float(model.moment_noise[1]),
        "gram": [[_square(model, np.sum(one * other, axis=1)) for other in about] for one in about],
        "noise": _square(model, surface.band(model.noise_unit) ** 2),
        "residual": _square(model, surface.band(model.residual) ** 2),
        "length": model.unit,
    }


def _square(model, products):
    """Of products (J, m) at the points, as `Released.length` counts: a face's mean, a shape's sum."""
    return float(np.mean(products) if model.radii is not None else np.sum(products))
