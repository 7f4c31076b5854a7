"""The view of a released face model: the surface of a mean face with sliders for covariates and modes."""

from shapedp.model import surface
from shapedp.page import faces, sliders
from shapedp.page.view import View, asset
from shapedp.releases import face_model
from shapedp.surfaces import curve_mesh

READING = "reading_models.md"  # how its files are read


def read(folder):
    """The released model."""
    return face_model.read(folder / face_model.ARTIFACT)[0]


def view(model, preview):
    """A View of a model.surface.Released; preview : PNG bytes, shown where there is no WebGL."""
    of_mean = faces.view(_mean(model), preview)
    return View(
        "Face model",
        of_mean.section + "\n" + sliders.section(model, "face"),
        {**of_mean.data, "model": sliders.data(model, lambda curves: curve_mesh.mesh(curves, model.radii)[0])},
        (*of_mean.scripts, asset("sliders.js")),
        of_mean.method,
    )


def _mean(model):
    """What the viewer of a mean face takes, of the model's mean."""
    noise = surface.band(model.noise_covariance(model.average))
    return {"curves": model.mean, "radii": model.radii, "noise_mm": noise, "noise_draws": [], "scale": 1.0}
