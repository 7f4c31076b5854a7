"""Take the template through the chain of a scan, crop it to the extent, and choose the radii of the curves on it."""

import math

from shapedp import artifacts, scans
from shapedp.demo import faces as demo
from shapedp.runs.logs import logged
from shapedp.surfaces import alignment, as_cloud, centers, curves, meshing


def prepare_template(scan_path, output_path, faces, of_the_cohort):
    """scan_path : a scan or mesh, or None for the built-in template; faces : the settings of the chain"""
    vertices, triangles, center = _disk(scan_path, faces)
    whole = alignment.mapped(vertices, triangles, center, (faces["surface"]["rings"], faces["surface"]["angles"], 3))
    radius = faces["extent"]["radius"] or math.inf
    common = alignment.common_of(whole, radius)
    radii = curves.spread(common.f, faces["curves"]["count"], faces["curves"]["spacing"])
    with artifacts.writer(output_path, artifacts.TEMPLATE, faces) as out:
        out.set(
            f=common.f,
            whole=whole.f,
            extent=radius,
            curves=curves.extract(common.f, radii, faces["curves"]["samples"]),
            radii=radii,
            scale=common.scale,
            public=not of_the_cohort,
            source=faces["template"],
        )


def _disk(scan_path, faces):
    """(vertices, triangles, index of the vertex at the center)"""
    marked, options = None, meshing.Options(**faces["mesh"])
    if scan_path is None:
        points, triangles = demo.template(), demo.triangles()
        if faces["template_as"] == "mesh":
            return points, triangles, demo.NOSE_TIP
        marked = points[demo.NOSE_TIP]
    else:
        scan = scans.read(scan_path)
        points, triangles = scan.points, scan.triangles
    if faces["template_as"] == "cloud" and triangles is not None:
        points, triangles = as_cloud.points(points, triangles), None
    mesh = meshing.mesh_scan(points, triangles, options)
    return mesh.vertices, mesh.triangles, centers.find(mesh.vertices, mesh.triangles, faces["center"], marked).vertex


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        prepare_template(
            snakemake.input.get("scan") or None,
            snakemake.output.template,
            snakemake.params.faces,
            snakemake.params.of_the_cohort,
        )
