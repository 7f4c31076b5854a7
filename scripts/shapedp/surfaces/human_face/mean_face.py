"""Make the mean of public scans of faces, taken through the chain and beside a template in rounds."""

from typing import Any

import numpy as np

from shapedp.base.errors import ConfigError
from shapedp.base.settings import read_default
from shapedp.surfaces import curve_mesh, polar
from shapedp.surfaces.chain import to_disk
from shapedp.surfaces.chain.step import ChainSettings, Refusal, run_step, walk
from shapedp.surfaces.chain.surface_means import LEAST, ROUNDS, find_grid_weights, find_procrustes_mean
from shapedp.surfaces.human_face import fit, relief
from shapedp.surfaces.registration import alignment
from shapedp.surfaces.registration.template import Options
from shapedp.surfaces.subjects import fits

CHAIN = ("template_as", "center", "mesh", "surface", "extent", "curves", "registration", "gates")


def build_mean(scans):
    """Return the mean face of public scans, to be a cohort's own template.

    (vertices (n, 3), triangles (t, 3), {name: Refusal} of scans left out, how far each round moved it). The mean has
    the shapes' mean, each of unit area, and the median of their sizes; vertex 0 is the nose. How far a round moved the
    template is in the scans' units, root mean square.
    """
    settings: dict[str, Any] = {key: read_default(f"faces.{key}") for key in (*CHAIN, "subject")}
    rings, angles = settings["surface"]["rings"], settings["surface"]["angles"]
    face, word = fits.map_built_in("built_in", (rings, angles)), "built_in"
    moved, walked = [], []
    for _ in range(ROUNDS):
        fields = fit.template_fields(face, {**settings, "template": word})
        walked = walked or list(walk(scans, to_disk.STEPS, ChainSettings(settings, fields)))
        registered, refused = _register_scans(walked, fields, settings)
        if len(registered) < LEAST:
            raise ConfigError(
                f"template: {len(registered)} of {len(scans)} scans can be registered, and a mean needs {LEAST}; "
                f"the first that cannot: {next(iter(refused.values())).reason}"
            )
        size = float(np.median([surface["size"] for surface in registered]))
        mean = find_procrustes_mean(np.array([surface["f"] for surface in registered]), fields["f"])
        squares = np.einsum("rt,rtc->", find_grid_weights(rings, angles), (mean - fields["f"]) ** 2)
        moved.append(size * float(np.sqrt(squares)))
        vertices, triangles = curve_mesh.mesh(size * np.moveaxis(mean, 1, 2), polar.radii(rings))
        face, word = alignment.map_face(vertices, triangles, 0, mean.shape, True), "mean"
    return vertices, triangles, refused, moved


def _register_scans(walked, fields, settings):
    """Return (surface f and size of each scan registered to a round's template, {name: Refusal} of the others), to be
    averaged.
    """
    forms = fit.read_forms(fields, Options(**settings["registration"]))
    limits = relief.Gates(**settings["gates"]).against(fields["people_farther"])

    def register(records):
        """Return a scan's registered surface and size, of which the new template is made; raise Rejected where a gate
        does.
        """
        face = to_disk.assemble_face(*(records[name] for name in ("mesh", "disk", "surface")))
        aligned = forms.align(face)
        relief.judge(aligned, limits)
        relief.refuse_without_relief(forms.neutral(aligned, face).registered.surface, fields["f"])
        return {"f": aligned.registered.surface, "size": aligned.scale}

    registered, refused = [], {}
    for record in walked:
        outcome = record.refusal or run_step(record.scan.name, "register_surfaces", register, record.records)
        if isinstance(outcome, Refusal):
            refused[record.scan.name] = outcome
        else:
            registered.append(outcome)
    return registered, refused
