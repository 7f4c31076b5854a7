"""The release of a model of landmark shapes: sum the moments, enter in the ledger, draw, publish; as a face model."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from shapedp import artifacts
from shapedp.errors import RefusedRelease
from shapedp.model import surface
from shapedp.model.shapes import ShapeModel, as_curve, as_landmarks
from shapedp.releases import model_files, shape_facts

ARTIFACT = "shape_model.h5"
SIZE = "log_size"  # the covariate that every record has: the logarithm of its centroid size


def made(ball, entry, asked):
    """The mechanism, refused before any record is read where nothing public is its center.

    ball : shapes.ball.Ball; entry : one of shapes.releases; asked : covariates.Covariate each
    """
    if ball.nothing_public:
        raise RefusedRelease(f"shapes/{entry['name']}: a model is of deviations from a public center: name one")
    return ShapeModel.of(ball, float(entry["budget"]["mu_total"]), asked, entry.get("modes", 5))


def settings(entry, made, center, r_source, privacy, numbers):
    """The public settings of a release, without names and paths."""
    covariates = [{"name": name, **entry["covariates"][name]} for name in sorted(entry.get("covariates", {}))]
    stated = shape_facts.settings({**entry, "mechanism": made.name}, made.ball, center, r_source, privacy, numbers)
    return {**stated, "kind": entry["kind"], "basis": made.ball.modes, "modes": made.asked, "covariates": covariates}


def facts(made, *stated):
    """shape_facts.facts of a model: its sensitivity is that of three sums over their noise."""
    found = shape_facts.facts(made, *stated)
    return replace(found, sensitivity_unit="standard deviations of the noise", sensitivity_inputs=made.inputs())


def drawn(made, sums, source, stated):
    """{file: bytes} of one draw."""
    fields = surface.fields(made, *made.draw(sums, source))
    values = {name: as_landmarks(fields[name]) for name in ("reference", "effects", "modes")}
    values |= {name: np.asarray(fields[name])[0] for name in ("noise_unit", "residual")}
    values |= {name: fields[name] for name in ("average", "inverse", "moment_noise", "sd", "sd_noise", "kept")}
    values |= {"landmarks": as_landmarks(fields["curves"]), "floor": fields["floor"], "shown": fields["shown"]}
    return {ARTIFACT: model_files.packed(artifacts.SHAPE_MODEL, values, stated)}


def read(path):
    """The surface.Released of a released file, in radian, and its public settings."""
    values, covariates, stated = model_files.read(Path(path), artifacts.SHAPE_MODEL)
    curves = {name: as_curve(values[name]) for name in ("reference", "effects", "modes")}
    at_points = {name: values[name][None] for name in ("noise_unit", "residual")}
    return surface.Released.of({**values, **curves, **at_points, "radii": None, "scale": 1.0}, covariates), stated
