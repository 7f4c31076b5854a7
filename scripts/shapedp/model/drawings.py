"""What a released face model is drawn as: surfaces of its modes and effects, and tables; all from the release alone."""

import numpy as np

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


def modes_table(model, values):
    """Lines of modes.csv: every mode that was released, shown or not; values : the fields of the release, unit area."""
    scale = float(values["scale"])
    yield "mode,sd_mm,sd_noise_mm,noise_alone_mm,kept_direction,shown"
    for k, sd in enumerate(model.sd):
        numbers = (sd, values["sd_noise"][k] * scale, values["floor"] * scale, values["kept"][k])
        yield f"{k + 1},{','.join(f'{one:.5g}' for one in numbers)},{int(k < model.shown)}"


def effects_table(model):
    """Lines of effects.csv: from one end of each covariate to the other, root mean square over the points, in mm."""
    yield "covariate,change_mm,noise_mm,sampling_mm"
    for index in range(1, len(model.average)):
        contrast = np.zeros(len(model.average))
        contrast[index] = 2.0
        lengths = (
            np.sqrt(np.mean(np.sum(model.at(contrast) ** 2, axis=1))),
            *(
                np.sqrt(np.mean(band(one(contrast)) ** 2))
                for one in (model.noise_covariance, model.sampling_covariance)
            ),
        )
        yield f"{index},{','.join(f'{one:.5g}' for one in lengths)}"
