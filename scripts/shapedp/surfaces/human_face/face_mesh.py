"""Make the mesh of the face from any scan of a person: as it is, if it is a face; else the face is looked for in it.

Most scans are a face as the template is, and meshed as they are. What is not: a scan that makes no disk, or whose nose
does not look like one. Then the face is looked for in all of the scan (`finding_faces`), and of both meshes the one
that comes nearer to the template is taken.
"""

import numpy as np

from shapedp.base.errors import NotConverged, Rejected
from shapedp.surfaces import frame, outside
from shapedp.surfaces.human_face import finding_faces, nose
from shapedp.surfaces.meshing import scan_mesh

# Misfit of the depths about the nose, as a share of the template's: with less a scan is a face.
LIKE = 0.65
# Of the scan's size that may be the template's: a scan may show more.
SHARES = 1.0, 0.8, 0.65
# Coarse energy, cut to the template: with less, and the relief of a face, a scan is one, too.
FITS = 0.1
# Of the ordinary mesh's energy: what the search must leave at most to be preferred.
BETTER = 0.8
# Points where the face was looked for: with fewer, ears are hardly told from noses.
COARSE = 500
# Of no use to look farther.
HOPELESS = ("too_few_points", "degenerate", "too_noisy")


def mesh_face(points, triangles, options, model, marked=None):
    """Return the mesh of the face in any scan of a person, from which the chain goes on; raise Rejected without a face.

    It is (scan_mesh.Mesh, finding_faces.FaceInScan or None where the whole scan is the face).

    Parameters
    ----------
    points : (n, 3) array
    triangles : (t, 3) integer array or None
    options : scan_mesh.Options
    model : finding_faces.Model
        What is looked for.
    marked : (3,) or None
        The nose tip, if somebody marked it.
    """
    ordinary, refusal, fit = None, None, None
    try:
        ordinary = scan_mesh.mesh_scan(points, triangles, options)
        center = nose.find_center(ordinary.vertices, ordinary.triangles)
        if likeness(ordinary, center.vertex, model) <= LIKE:
            return ordinary, None
        fit = finding_faces.judge_mesh(ordinary, center.vertex, model)
        if fit.relief.is_of_a_face and fit.energy <= FITS:
            return ordinary, None
    except NotConverged:
        pass
    except Rejected as error:
        if error.code in HOPELESS:
            raise
        refusal = error
    try:
        face_in_scan = finding_faces.find_face(points, triangles, model, marked)
        if face_in_scan.energy > FITS and not (
            face_in_scan.relief.is_of_a_face and face_in_scan.confidence >= finding_faces.UNSURE
        ):
            raise Rejected("no_face", _describe_no_face(face_in_scan))
        cut_mesh = _mesh_cut_face(face_in_scan, options)
    except (Rejected, NotConverged) as error:
        return _decide_without_face(ordinary, refusal, error)
    if ordinary is not None and fit is not None and face_in_scan.energy > BETTER * fit.energy:
        return ordinary, None
    return cut_mesh, face_in_scan


def likeness(mesh, tip, model):
    """Return how unlike the template's the depths about a vertex are, 0 where the same: whether it is a nose, and the
    scan a face.

    A scan may show more than the template, so several sizes are tried; and two directions that a nose may point in:
    away from what lies round it, and the scan's own outward axis. The first try that is like enough ends the search.
    """
    vertices, area = mesh.vertices, np.sqrt(mesh.quality["area"])
    normals, outward = outside.normals(vertices, mesh.triangles), frame.fit(vertices).axes[2]
    away, least = frame.distances(vertices, vertices[tip]), np.inf
    for size in (share * area for share in SHARES):
        near = vertices[away < finding_faces.RADIUS * size]
        for axis in (vertices[tip] - near.mean(axis=0), outward):
            if np.linalg.norm(axis) > 0:
                unit = axis / np.linalg.norm(axis)
                least = min(least, finding_faces.turn_best(vertices, normals, vertices[tip], unit, size, model).score)
            if least <= LIKE:
                return least
    return least


def _mesh_cut_face(face_in_scan, options):
    """Return the Mesh of the face cut out of a scan: of its own triangles, or of its points where these make no
    disk.
    """
    try:
        return scan_mesh.mesh_scan(face_in_scan.points, face_in_scan.triangles, options)
    except Rejected:
        if face_in_scan.triangles is None:
            raise
        return scan_mesh.mesh_scan(face_in_scan.points, None, options)


def _decide_without_face(ordinary, refusal, error):
    """Return the scan's ordinary mesh where no face was found in it, for the gates to judge; or raise the reason
    against it.
    """
    several = getattr(error, "code", "") == "multiple_components"
    if ordinary is not None and not several and refusal is None:
        return ordinary, None
    if refusal is None or several or refusal.code in ("closed_surface", "folded_surface"):
        raise error
    raise refusal


def _describe_no_face(face_in_scan):
    """Return the reason, for whoever owns the scan, why no place of it is surely a face, and what to do."""
    count = len(face_in_scan.points)
    coarse = f"; {count} points are too few to be sure (at least {COARSE}): scan more finely" if count < COARSE else ""
    return (
        f"no place of the scan is surely a face: if it shows a face, crop it to the face{coarse}; if many scans "
        "of a cohort have this notice, the cohort needs a template of its own; at the best place the energy is "
        f"{face_in_scan.energy:.2g} (enough: {FITS:g}), the confidence {face_in_scan.confidence:.2f} (at least "
        f"{finding_faces.UNSURE:g}), and {face_in_scan.relief}"
    )
