"""Take the template through the chain of a scan, crop it to the extent, and choose the radii of the curves on it."""

import math

from shapedp import artifacts, scans
from shapedp.demo import faces as demo
from shapedp.runs.logs import logged
from shapedp.surfaces import alignment, centers, curves, meshing


def prepare_template(scan_path, output_path, faces, of_the_cohort):
    """scan_path : a scan or mesh, or None for the built-in template; faces : the settings of the chain"""
    if scan_path is None:
        vertices, triangles, center = demo.template(), demo.triangles(), demo.NOSE_TIP
    else:
        scan = scans.read(scan_path)
        mesh = meshing.mesh_scan(scan.points, scan.triangles, meshing.Options(**faces["mesh"]))
        vertices, triangles = mesh.vertices, mesh.triangles
        center = centers.find(vertices, triangles, faces["center"]).vertex
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


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        prepare_template(
            snakemake.input.get("scan") or None,
            snakemake.output.template,
            snakemake.params.faces,
            snakemake.params.of_the_cohort,
        )
