"""Learn from public faces whose vertices correspond where a registration to the template errs."""

import numpy as np

from register_surfaces import read_template
from shapedp import artifacts, scans
from shapedp.demo import faces as demo
from shapedp.errors import ConfigError
from shapedp.runs.logs import logged
from shapedp.surfaces import meshing, public_faces
from shapedp.surfaces.registration.options import Options

DEMO, COUNT, SEED = "demo", 160, 31  # faces drawn from the built-in model


def learn_correspondence(paths, template_path, output_path, source, faces):
    """paths : of meshes, or none for the built-in model; source : the setting; faces : center, mesh, registration"""
    everybody, triangles = _drawn() if source == DEMO else _read(paths)
    template = read_template(template_path, Options(**faces["registration"]))
    mean, others = (everybody.mean(axis=0), triangles), [(one, triangles) for one in everybody]
    mesh = meshing.Options(**faces["mesh"])
    learned, count = public_faces.learned(mean, others, template, mesh, faces["center"])
    with artifacts.writer(output_path, artifacts.CORRESPONDENCE, faces, [template_path]) as out:
        out.set(**vars(learned), source=f"{count} public faces in correspondence, '{source}'", public=True)


def _drawn():
    """((n, v, 3) vertices, triangles) of faces of the built-in model."""
    rng = np.random.default_rng(SEED)
    return np.array([demo.face(demo.random_weights(rng)) for _ in range(COUNT)]), demo.triangles()


def _read(paths):
    """The same of files, which must hold the same vertices and triangles."""
    read = [scans.read(path) for path in paths]
    for path, one in zip(paths, read, strict=True):
        alike = one.triangles is not None and np.array_equal(one.triangles, read[0].triangles)
        if not alike or len(one.points) != len(read[0].points):
            raise ConfigError(
                f"faces.correspondence: {path} is no mesh with the {len(read[0].points)} vertices and the triangles of "
                f"{paths[0]}, in the same order; only meshes of one model correspond"
            )
    return np.array([one.points for one in read]), read[0].triangles


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        learn_correspondence(
            snakemake.input.meshes,
            snakemake.input.template,
            snakemake.output.correspondence,
            snakemake.params.source,
            snakemake.params.faces,
        )
