"""What a released model is drawn as: surfaces or landmarks of its modes and effects, and tables; from it alone."""

import numpy as np

from shapedp.landmarks import writing
from shapedp.model.shapes import as_landmarks
from shapedp.model.surface import band
from shapedp.surfaces import curve_mesh

AWAY = 2.0  # standard deviations along a mode


def surface(model, curves):
    """(vertices, triangles) in mm of curves (J, 3, m)."""
    return curve_mesh.mesh(curves, model.radii)


def deviations(model):
    """{name: curves (J, 3, m) to be added to the mean} of each mode that is shown, and of each covariate's unit."""
    found = {f"mode_{k + 1}": AWAY * model.sd[k] * model.modes[k] for k in range(model.shown)}
    return found | {
        f"effect_{one.name}": effect for one, effect in zip(model.covariates, model.effects[1:], strict=True)
    }


def surfaces(model):
    """{file stem: curves (J, 3, m)}: two standard deviations along each mode either way; the mean at either end of each
    covariate, the others as they are on average.
    """
    mean = model.mean
    found = {}
    for k in range(model.shown):
        moved = AWAY * model.sd[k] * model.modes[k]
        found |= {f"mode_{k + 1}_minus": mean - moved, f"mode_{k + 1}_plus": mean + moved}
    for index, one in enumerate(model.covariates, start=1):
        for end, word in ((-1.0, "low"), (1.0, "high")):
            z = model.average.copy()
            z[index] = end
            found[f"effect_{one.name}_{word}"] = model.at(z)
    return found


def tps(model):
    """The mean of a model of shapes, and what `surfaces` has, one shape after the other."""
    shapes = {"shape_model": model.mean, **surfaces(model)}
    return "".join(writing.tps(as_landmarks(curves), name) for name, curves in shapes.items())


def modes_table(model, values):
    """Lines of modes.csv: every mode that was released, shown or not; values : the fields of the release, unit area."""
    scale, unit = float(values.get("scale", 1.0)), model.unit
    yield f"mode,sd_{unit},sd_noise_{unit},noise_alone_{unit},kept_direction,shown"
    for k, sd in enumerate(model.sd):
        numbers = (sd, values["sd_noise"][k] * scale, values["floor"] * scale, values["kept"][k])
        yield f"{k + 1},{','.join(f'{one:.5g}' for one in numbers)},{int(k < model.shown)}"


def effects_table(model):
    """Lines of effects.csv: from one end of each covariate to the other, as `Released.length` has it."""
    yield f"covariate,change_{model.unit},noise_{model.unit},sampling_{model.unit}"
    for index, covariate in enumerate(model.covariates, 1):
        contrast = np.zeros(len(model.average))
        contrast[index] = 2.0
        lengths = (
            model.length(np.sum(model.at(contrast) ** 2, axis=1)),
            *(model.length(band(one(contrast)) ** 2) for one in (model.noise_covariance, model.sampling_covariance)),
        )
        yield f"{covariate.name},{','.join(f'{one:.5g}' for one in lengths)}"
