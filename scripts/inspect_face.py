"""Draw one face at every step, for a person to judge; or what was read of it, and why it was rejected."""

from shapedp import artifacts, scans
from shapedp.errors import Rejected
from shapedp.figures import inspection, style
from shapedp.logs import logged
from shapedp.surfaces import curves

SHOWN = 12, 120  # curves and samples a curve in the picture


def inspect_face(name, scan_path, paths, picture_path):
    """paths : (mesh, disk, surface, registered) artifacts of the face's batch"""
    mesh_path, disk_path, surface_path, registered_path = paths
    try:
        points = scans.read(scan_path).points
    except Rejected:
        points = None
    steps = (
        (mesh_path, artifacts.MESH),
        (disk_path, artifacts.DISK),
        (surface_path, artifacts.SURFACE),
        (registered_path, artifacts.REGISTERED),
    )
    found = [_record(path, kind, name) for path, kind in steps]
    refused = next((one for one in found if isinstance(one, str)), None)
    if refused:
        figure = inspection.rejected(name, points, refused)
    else:
        mesh, disk, surface, registered = found
        figure = inspection.sheet(
            name,
            _turned(points, registered),
            (_turned(mesh["vertices"], registered), mesh["triangles"]),
            disk["z"],
            _radial(surface["f"] @ registered["rotation"].T),
            _radial(registered["f"]),
            _words(mesh, registered),
        )
    style.save(figure, picture_path, ("png",))


def _record(path, kind, name):
    """The fields of one face, or the reason why it has none."""
    with artifacts.reader(path, kind) as source:
        record = next(one for one in source if one.name == name)
        if record.rejected:
            return f"Rejected in {record.stage} ({record.code}): {record.reason}"
        return {field: record[field] for field in kind.fields}


def _turned(points, registered):
    """Points about their middle, turned as the template stands."""
    return (points - points.mean(axis=0)) @ registered["rotation"].T


def _radial(f):
    radii = curves.spread(f, SHOWN[0], "arc")
    return curves.extract(f, radii, SHOWN[1]), radii


def _words(mesh, registered):
    kept = f"{mesh['points_kept']} of {mesh['points_read']} points kept"
    holes = f"{mesh['holes_filled']} holes closed, the largest {mesh['largest_hole']:.1%} of the area"
    nose = f"nose {mesh['nose_method']}, confidence {mesh['nose_confidence']:.2f}"
    energy = f"{registered['energy_rotation_only']:.3g} before, {registered['energy_after']:.3g} after"
    least = f"least Jacobian {registered['min_jacobian']:.2f}"
    return f"{kept}; {holes}; {nose};\nenergy to the template {energy}, {least}. {mesh['notices']}"


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inspect_face(snakemake.wildcards.id, snakemake.params.scan, snakemake.input.steps, snakemake.output.picture)
