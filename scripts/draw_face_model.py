"""Make the surfaces, the tables and the picture of a released face model; all follow from the release alone."""

from pathlib import Path

import numpy as np
from PIL import Image

from shapedp import artifacts
from shapedp.figures import render
from shapedp.model import drawings
from shapedp.releases import face_model
from shapedp.runs.logs import logged
from shapedp.storage import files
from shapedp.surfaces import curve_mesh, mesh_files, morph_glb

PICTURED = 3  # modes in the picture


def draw_face_model(release_path, folder):
    """face_model.ply and .glb (with a morph target a mode and an effect), a PLY of each, tables and preview.png."""
    model, _ = face_model.read(release_path)
    folder = Path(folder)
    vertices, triangles = drawings.surface(model, model.mean)
    targets = {
        name: curve_mesh.mesh(model.mean + moved, model.radii)[0] - vertices
        for name, moved in drawings.deviations(model).items()
    }
    _write(folder / "face_model.glb", morph_glb.encode(vertices, triangles, targets))
    drawn = {"face_model": model.mean, **drawings.surfaces(model)}
    for name, curves in drawn.items():
        _write(folder / f"{name}.ply", mesh_files.encode(*drawings.surface(model, curves), ".ply"))
    with artifacts.reader(release_path, artifacts.FACE_MODEL) as source:
        values = {key: source[key] for key in ("scale", "sd_noise", "floor", "kept")}
    files.write_text(folder / "modes.csv", "\n".join(drawings.modes_table(model, values)) + "\n")
    if model.covariates:
        files.write_text(folder / "effects.csv", "\n".join(drawings.effects_table(model)) + "\n")
    with files.atomic(folder / "preview.png") as partial:
        Image.fromarray(picture(model, triangles)).save(partial, format="png")


def _write(path, content):
    with files.atomic(path) as partial:
        partial.write_bytes(content)


def picture(model, triangles):
    """The mean, and each of the first modes and effects from end to end, at one scale."""
    shown = drawings.surfaces(model)
    wanted = [f"mode_{k + 1}" for k in range(min(PICTURED, model.shown))]
    pairs = [(f"{one}_minus", f"{one}_plus") for one in wanted]
    pairs += [(f"effect_{one.name}_low", f"effect_{one.name}_high") for one in model.covariates]
    rows = [[shown[name] for name in pair] for pair in pairs] or [[model.mean]]
    surfaces = [[drawings.surface(model, curves)[0] for curves in row] for row in rows]
    camera = render.fitted_camera([one for row in surfaces for one in row], "front")
    return np.hstack([np.vstack([render.render(one, triangles, camera) for one in row]) for row in surfaces])


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_face_model(snakemake.params.release, Path(snakemake.output.glb).parent)
