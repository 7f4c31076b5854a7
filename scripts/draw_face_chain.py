"""Draw one face at every step of the chain up to its registration, and the energies of all faces. Private."""

from pathlib import Path

import numpy as np

from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError
from shapedp.base.runs.logs import logged
from shapedp.releases.figures import face_chain, style
from shapedp.surfaces import polar
from shapedp.surfaces.disk_map import conformal

KINDS = (artifacts.MESH, artifacts.DISK, artifacts.SURFACE, artifacts.REGISTERED)
SIZE = "Drawn at the template's size. Private."
DISKS = (
    "The conformal map of a face to the disk, shaded as the face is, with a point of the cheek at the center, and "
    "after the Moebius map that sends the nose tip there; the surface that each parametrises, with lines of equal "
    f"radius and of equal angle. {SIZE}"
)
REGISTRATION = (
    "The face of median energy, after the best rotations of space and disk (before) and after the best "
    "diffeomorphism, too (after). What is minimised is the energy, the squared distance of the square root normal "
    "fields; it sees slopes and areas, not where points lie. Rings join points of equal radius; apart: root mean "
    f"square. {SIZE}"
)
# From the nose tip to the point of the cheek that is at the center before, in mm.
BESIDE = np.array([-30.0, 10.0])


def draw_face_chain(paths_by_step, template_path, folder):
    """Draw the typical face at each step of the chain, for an operator to see what the chain does to faces.

    It is shown as a mesh, on the disk, registered, and as radial curves.

    paths_by_step : the batches of each of KINDS
    """
    (mesh, disk, surface, registered), energies = find_typical_face(paths_by_step)
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        template, scale, radii = source["f"], source["scale"], source["radii"]
    rotation, tip = registered["rotation"], disk["nose_tip"]
    vertices = (mesh["vertices"] - surface["centroid"]) * (scale / surface["scale"]) @ rotation.T
    triangles = mesh["triangles"]
    figure = face_chain.draw_triangulation(
        vertices, triangles, tip, f"A scan of the cohort as a triangulated disk. {SIZE}"
    )
    style.save(figure, Path(folder) / "mesh")
    words = f"A scan, and the same face registered, with the radial curves that stand for it. {SIZE}"
    figure = face_chain.draw_radial_curves(vertices, triangles, registered["f"] * scale, radii, words)
    style.save(figure, Path(folder) / "radial_curves")
    flat, centered, maps = vertices[:, :2], conformal.disk_map(vertices, triangles), []
    cheek = np.argmin(np.sum((flat - flat[tip] - BESIDE) ** 2, axis=1))
    # Each of the two points is at 0 in one of the maps; each map is turned so that the face stands upright.
    for place in (cheek, tip):
        centered = conformal.recenter(centered, centered[place])
        turn = np.vdot(centered, flat @ [1, 1j])
        z = centered * turn / abs(turn)
        # the surface that this map parametrises, in mm
        maps.append((z, polar.sample(vertices, triangles, z, *surface["f"].shape[:2])))
    off_center, centered_map = maps
    figure = face_chain.draw_disks((vertices, triangles), tip, before=off_center, after=centered_map, caption=DISKS)
    style.save(figure, Path(folder) / "disk_maps")
    rotated = face_chain.turn_disk(surface["f"], registered["gamma"]) @ rotation.T
    figure = face_chain.draw_registration(template, rotated, registered["f"], scale, energies, REGISTRATION)
    style.save(figure, Path(folder) / "registration")


def find_typical_face(paths_by_step):
    """Return each step's fields of the face to be drawn, that of median energy before, and all energies (n, 2).

    These are before and after registration.
    """
    energies, places = [], []
    for paths in zip(*paths_by_step, strict=True):
        for record in artifacts.records(paths[-1], artifacts.REGISTERED):
            if not record.rejected:
                energies.append((record["energy_rotation_only"], record["energy_after"]))
                places.append((paths, record.name))
    if not places:
        raise ArtifactError("no face of the cohort was registered; results/private/faces/quality.tsv says why")
    energies = np.array(energies)
    paths, name = places[np.argsort(energies[:, 0])[len(places) // 2]]
    fields = []
    for path, kind in zip(paths, KINDS, strict=True):
        with artifacts.reader(path, kind) as source:
            record = source.record(name)
            fields.append({field: record[field] for field in kind.fields})
    return fields, energies


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        by_step = [snakemake.input[kind] for kind in ("mesh", "disk", "surface", "registered")]
        draw_face_chain(by_step, snakemake.input.template, Path(snakemake.output[0]).parent)
