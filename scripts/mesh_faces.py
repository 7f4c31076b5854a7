"""Read each scan and triangulate it as a disk."""

from shapedp import artifacts, scans
from shapedp.cohorts import batches
from shapedp.runs.logs import logged, progress
from shapedp.storage import files
from shapedp.surfaces import meshing


def mesh_faces(samples, output_path, mesh_settings):
    """samples : (id, path) of each face"""
    options = meshing.Options(**mesh_settings)
    with artifacts.writer(output_path, artifacts.MESH, mesh_settings) as out:
        for name, path in progress(samples, len(samples), batches.label("mesh_faces", output_path)):
            batches.attempt(out, name, "mesh_faces", lambda path=path: mesh_face(path, options))


def mesh_face(path, options):
    """The fields of one mesh."""
    scan = scans.read(path)
    mesh = meshing.mesh_scan(scan.points, scan.triangles, options)
    return {
        "vertices": mesh.vertices,
        "triangles": mesh.triangles,
        "scan": files.digest(path),
        **mesh.quality,
        "notices": "\n".join((*scan.notices, *mesh.notices)),
    }


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        mesh_faces(snakemake.params.samples, snakemake.output.meshes, snakemake.params.mesh)
