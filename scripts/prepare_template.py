"""Take the template through the same chain as a scan, and choose the radii of the curves on it."""

from shapedp import artifacts, scans
from shapedp.demo import faces as demo
from shapedp.runs.logs import logged
from shapedp.surfaces import centers, conformal, curves, meshing, mobius, normalise, sampling


def prepare_template(scan_path, output_path, faces, of_the_cohort):
    """scan_path : a scan or mesh, or None for the built-in template; faces : the settings of the chain"""
    if scan_path is None:
        vertices, triangles, center = demo.template(), demo.triangles(), demo.NOSE_TIP
    else:
        scan = scans.read(scan_path)
        mesh = meshing.mesh_scan(scan.points, scan.triangles, meshing.Options(**faces["mesh"]))
        vertices, triangles = mesh.vertices, mesh.triangles
        center = centers.find(vertices, triangles, faces["center"]).vertex
    z = mobius.centered(conformal.disk_map(vertices, triangles), triangles, center)
    f = sampling.sample(vertices, triangles, z, **faces["surface"])
    f, scale, _ = normalise.unit_surface(f)
    radii = curves.spread(f, faces["curves"]["count"], faces["curves"]["spacing"])
    with artifacts.writer(output_path, artifacts.TEMPLATE, faces) as out:
        out.set(
            f=f,
            curves=curves.extract(f, radii, faces["curves"]["samples"]),
            radii=radii,
            scale=scale,
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
