"""Public faces whose vertices correspond, taken through the chain of the scans and held against one another."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from shapedp.errors import ConfigError, Rejected
from shapedp.surfaces import alignment, centers, correspondence, meshing, sampling

FEWEST = 20  # faces that can be learned from
SAME = 1e-9  # of a face's size: a vertex of the mesh so near to one of the file is that one


@dataclass(frozen=True)
class Placed:
    """registered; z (n,) complex and known (n,): where the disk has the file's vertices; triangles (t, 3) of them."""

    registered: object
    z: np.ndarray
    known: np.ndarray
    triangles: np.ndarray


def learned(first, others, template, options, center):
    """The Correspondence from faces (points, triangles) with the same vertices in the same order.

    first : the face that the others are held against, their mean; template : twofold.Twofold; options : of meshing
    """
    here = placed(*first, template, options, center)
    kept = [found for one in others if (found := _tried(one, template, options, center))]
    if len(kept) < FEWEST:
        raise ConfigError(f"faces.correspondence: {len(kept)} faces could be registered; at least {FEWEST} are needed")
    shape = here.registered.gamma.shape[:2]
    places = correspondence.places(here.z, here.triangles, shape)
    true = [correspondence.truth(here.registered, places, one.z, one.known) for one in kept]
    return correspondence.learn([one.registered for one in kept], true), len(kept)


def placed(points, triangles, template, options, center):
    """The Placed of one face."""
    mesh = meshing.mesh_scan(points, triangles, options)
    tip = centers.find(mesh.vertices, mesh.triangles, center).vertex
    own = bool(mesh.quality["own_triangles"])
    aligned = template.align(alignment.mapped(mesh.vertices, mesh.triangles, tip, (*template.shape, 3), own))
    face = aligned.face
    distance, of_file = cKDTree(points).query(face.vertices)
    z, known = np.zeros(len(points), dtype=complex), np.zeros(len(points), dtype=bool)
    found = distance < SAME * face.scale
    z[of_file[found]] = face.z[found] / sampling.reach(face.z, face.triangles)
    known[of_file[found]] = True
    return Placed(aligned.registered, z, known, of_file[face.triangles])


def _tried(one, template, options, center):
    """The Placed of a face, or None of one that cannot be registered."""
    try:
        return placed(*one, template, options, center)
    except Rejected:
        return None
