"""Take the template through the chain of a scan, crop it to the extent, and choose the radii of the curves on it."""

import math

from shapedp import artifacts, scans
from shapedp.demo import faces as demo
from shapedp.runs.logs import log, logged
from shapedp.surfaces import alignment, carrying, centers, curves, meshing, twofold


def prepare_template(scan_path, output_path, faces, of_the_cohort):
    """scan_path : a scan or mesh, or None for the built-in template; faces : the settings of the chain"""
    clouds, meshes = _forms(_given(scan_path, faces), faces)
    radius = faces["extent"]["radius"] or math.inf
    common, of_meshes = (alignment.common_of(whole, radius) for whole in (clouds, meshes))
    radii = curves.spread(common.f, faces["curves"]["count"], faces["curves"]["spacing"])
    with artifacts.writer(output_path, artifacts.TEMPLATE, faces) as out:
        out.set(
            f=common.f,
            whole=clouds.f,
            mesh_f=of_meshes.f,
            mesh_whole=meshes.f,
            mesh_places=carrying.places(common, of_meshes),
            inner_places=carrying.places(common, clouds),
            mesh_inner_places=carrying.places(of_meshes, meshes),
            extent=radius,
            curves=curves.extract(common.f, radii, faces["curves"]["samples"]),
            radii=radii,
            scale=common.scale,
            public=not of_the_cohort,
            source=faces["template"],
        )


def _given(scan_path, faces):
    """The Face of the template, with its own triangles if it has any."""
    shape = faces["surface"]["rings"], faces["surface"]["angles"], 3
    if scan_path is None:
        return alignment.mapped(demo.template(), demo.triangles(), demo.NOSE_TIP, shape, True)
    scan = scans.read(scan_path)
    mesh = meshing.mesh_scan(scan.points, scan.triangles, meshing.Options(**faces["mesh"]))
    center = centers.find(mesh.vertices, mesh.triangles, faces["center"]).vertex
    return alignment.mapped(mesh.vertices, mesh.triangles, center, shape, bool(mesh.quality["own_triangles"]))


def _forms(given, faces):
    """(the form that clouds meet, the form that meshes meet)"""
    if faces["template_as"] == "mesh" or not given.own_triangles:
        return given, given
    options = meshing.Options(**faces["mesh"])
    if faces["template_as"] == "cloud":
        cloud = twofold.cloud_of(given, options)
        return cloud, cloud
    clouds, meshes, words = twofold.forms(given, options)
    if words:
        log.warning("faces.template_as: %s", words)
    return clouds, meshes


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        prepare_template(
            snakemake.input.get("scan") or None,
            snakemake.output.template,
            snakemake.params.faces,
            snakemake.params.of_the_cohort,
        )
