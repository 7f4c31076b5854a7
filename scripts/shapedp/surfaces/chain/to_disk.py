"""The first four steps: from a scan to a surface of unit area on the polar grid of the disk.

Libraries are imported where a step first needs them: a job runs one step, and starting takes longer than most work.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shapedp.base import artifacts
from shapedp.base.errors import Rejected
from shapedp.base.reading import frame
from shapedp.base.settings import subjects
from shapedp.base.settings.subjects import CENTER, UNIT_GUESSES
from shapedp.base.storage import files
from shapedp.surfaces.chain.step import MIRROR, ChainSettings, Scan, Step, walk
from shapedp.surfaces.subjects import finders


def _mesh_faces(shared):
    """Return the function of the step `mesh_faces`, which makes a mesh of one scan that is a disk."""
    import numpy as np

    from shapedp.surfaces import scans
    from shapedp.surfaces.meshing import open_sheets, scan_mesh

    options, shown = scan_mesh.Options(**shared.settings["mesh"]), subjects.from_settings(shared.settings)
    of_faces = shown.is_face and shared.settings["center"] == finders.NOSE
    # Terrain and other subjects are rough by themselves: what is smoothed off a face as noise may be what they are.
    options = replace(options, smooth_noise=options.smooth_noise and of_faces)
    looks = options.find_face == "auto" and of_faces and shared.template is not None
    find_and_mesh = finders.find_faces(shared.template) if looks else None

    def mesh_face(scan, marked, mirrored):
        """Return the fields of one scan's mesh, a disk, with its quality and notices; raise Rejected for what gives
        none.

        scan : the path of a scan, or what was read of one; marked : (3,) its nose tip if somebody marked it;
        mirrored : whether its mirror image is what counts
        """
        if scan is None:
            raise Rejected("left_out", frame.LEFT_OUT)
        is_file = isinstance(scan, str | Path)
        read = scans.read(scan) if is_file else scan
        notices = [notice for notice in read.notices if shown.is_face or not notice.startswith(UNIT_GUESSES)]
        if find_and_mesh is None:
            points, triangles = _mirror_points(read) if mirrored else _read_points(read)
            mesh_options = options if shown.is_face else open_sheets.check_sheet(points, triangles, options)
            mesh, face_found = scan_mesh.mesh_scan(points, triangles, mesh_options), None
        else:
            mesh, face_found = find_and_mesh(read.points, read.triangles, options, marked)
        return {
            "vertices": mesh.vertices,
            "triangles": mesh.triangles,
            "scan": files.digest_file(scan) if is_file else "",
            **mesh.quality,
            "points_read": len(read.points),
            "searched": int(face_found is not None),
            "search_confidence": face_found.confidence if face_found else 1.0,
            "face_nose": face_found.pose.tip if face_found else np.full(3, np.nan),
            "notices": shown.in_words(
                "\n".join((*notices, *(face_found.notices if face_found else ()), *mesh.notices))
            ),
        }

    return mesh_face


def _read_points(read):
    """Return (points, triangles or None) of what was read of a scan."""
    return read.points, read.triangles


def _mirror_points(read):
    """Return (points, triangles) of a scan's mirror image in x, for a scan of the other side.

    Triangles are turned, so that they are seen from outside as before.
    """
    points, triangles = _read_points(read)
    return points * MIRROR, None if triangles is None else triangles[:, ::-1]


def _map_disks(shared):
    """Return the function of the step `map_disks`, which maps a mesh conformally to the unit disk."""
    import numpy as np

    from shapedp.surfaces.disk_map import conformal

    def map_disk(mesh):
        """Return a mesh's conformal map to the disk, by which surfaces come on one grid, and how far angles change."""
        vertices, triangles = mesh["vertices"], mesh["triangles"]
        z = conformal.disk_map(vertices, triangles)
        change = np.abs(conformal.measure_angle_changes(vertices, triangles, z))
        return {
            "z": z,
            "angle_change_mean": change.mean(),
            "angle_change_max": change.max(),
            "flips": conformal.find_flipped(z, triangles).sum(),
        }

    return map_disk


def _recenter_disks(shared):
    """Return the function of the step `recenter_disks`, which brings a disk's center (of a face the nose tip) to 0."""
    import numpy as np

    from shapedp.surfaces.disk_map import conformal

    def recenter_disk(disk, mesh, marked):
        """Return the fields of a disk with its center at 0, how it was found and how surely.

        marked : (3,) the nose tip if somebody marked it, else None
        """
        vertices, triangles, z = mesh["vertices"], mesh["triangles"], disk["z"]
        if shared.settings["center"] == CENTER:
            return {
                "z": z,
                "nose_tip": np.argmin(np.abs(z)),
                "nose_method": CENTER,
                "nose_confidence": 1.0,
                "nose_moved": 0.0,
                "nose_notice": "",
            }
        sought_tip = mesh["face_nose"] if mesh["searched"] else None
        center = finders.find_center(vertices, triangles, shared.settings["center"], marked, sought_tip)
        return {
            "z": conformal.move_to_center(z, triangles, center.vertex),
            "nose_tip": center.vertex,
            "nose_method": center.method,
            "nose_confidence": center.confidence,
            "nose_moved": abs(z[center.vertex]),
            "nose_notice": center.notice,
        }

    return recenter_disk


def _sample_surfaces(shared):
    """Return the function of the step `sample_surfaces`, which reads a mesh on the polar grid that all share."""
    from shapedp.surfaces import polar

    grid = shared.settings["surface"]

    def sample_surface(disk, mesh):
        """Return the fields of a mesh's surface on the polar grid, moved and scaled to unit area so that shape alone is
        compared.
        """
        f = polar.sample(mesh["vertices"], mesh["triangles"], disk["z"], grid["rings"], grid["angles"])
        f, scale, centroid = polar.unit_surface(f)
        return {"f": f, "scale": scale, "centroid": centroid}

    return sample_surface


MESH_FACES = Step(
    "mesh", artifacts.MESH, ("scan", "nose", "mirrored"), _mesh_faces, ("mesh", "center", "subject"), template=True
)
MAP_DISKS = Step("disk_map", artifacts.DISK_MAP, ("mesh",), _map_disks)
RECENTER_DISKS = Step("disk", artifacts.DISK, ("disk_map", "mesh", "nose"), _recenter_disks, ("center",))
SAMPLE_SURFACES = Step("surface", artifacts.SURFACE, ("disk", "mesh"), _sample_surfaces, ("surface",))
STEPS = (MESH_FACES, MAP_DISKS, RECENTER_DISKS, SAMPLE_SURFACES)


def map_scan(scan, settings: Mapping[str, Any], nose=None, template: Path | Mapping[str, Any] | None = None):
    """Return the Face of one scan, ready to be registered; raise Rejected where a step rejects it.

    Parameters
    ----------
    scan : path or scans.Scan
        A file, or what was read of one.
    settings : mapping
        The section `faces`.
    nose : (3,) or None
        The nose tip, if somebody marked it.
    template : path, mapping or None
        Whose face is looked for, its artifact or its fields; None: none is.
    """
    (walked,) = walk([Scan("the scan", scan, nose)], STEPS, ChainSettings(settings, template))
    if walked.refusal:
        raise Rejected(walked.refusal.code, walked.refusal.reason)
    return assemble_face(*(walked.records[name] for name in ("mesh", "disk", "surface")))


def assemble_face(mesh, disk, surface):
    """Return the alignment.Face, which registration takes, from the records of the steps before it.

    Parameters
    ----------
    mesh, disk, surface : mapping
        The records of these steps.
    """
    from shapedp.surfaces.registration.alignment import Face

    return Face(
        mesh["vertices"],
        mesh["triangles"],
        disk["z"],
        surface["f"],
        surface["scale"],
        surface["centroid"],
        own_triangles=bool(mesh["own_triangles"]),
        noise=float(mesh["noise"]),
        search_confidence=float(mesh["search_confidence"]),
    )
