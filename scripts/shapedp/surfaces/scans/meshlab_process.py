"""Do what MeshLab does in a process of its own: a damaged file or mesh that crashes it costs one scan, not a batch.

Run as a program: <this file> TASK INPUT OUTPUT NUMBER SECONDS BYTES, the last two the most processor time and memory
that it may take; meshes go in and out as .npz. It ends with REFUSED where the file or the mesh is at fault, and with
anything else where the machine is. Imports what a task needs alone.
"""

import errno
import resource
import signal
import sys
import traceback

import numpy as np

REFUSED = 3
# Bytes a file: what is made of the largest mesh, and words without end.
MOST_WRITTEN = 512 << 20
OF_THE_MACHINE = {errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE}


def read(path, _):
    """Return the mesh in a file whose format only MeshLab reads: a task of `main`."""
    import pymeshlab

    meshes = pymeshlab.MeshSet()
    meshes.load_new_mesh(path)
    if meshes.mesh_number() > 1:
        meshes.generate_by_merging_visible_meshes()
    return _mesh(meshes)


def read_gltf(path, _):
    """Return a glTF scene as one mesh, its parts where the scene places them: a task of `main`; no other file is
    opened.
    """
    import trimesh

    with open(path, "rb") as stream:  # noqa: PTH123 trimesh tells the format by file_type alone
        scene = trimesh.load_scene(stream, file_type=path.rsplit(".", 1)[1], process=False)
    mesh = scene.to_mesh()
    return mesh.vertices, mesh.faces


def repair(path, _):
    """Return a mesh without the faces and vertices that make it no surface, so that it can be mapped: a task of
    `main`.
    """
    meshes = _read_given(path)
    meshes.meshing_repair_non_manifold_edges(method="Remove Faces")
    meshes.meshing_repair_non_manifold_vertices(vertdispratio=0)
    meshes.meshing_remove_unreferenced_vertices()
    return _mesh(meshes)


def reduce(path, faces):
    """Return a mesh of about so many faces, few enough to be mapped: a task of `main`.

    By the collapse of the edges that change its shape least.
    """
    meshes = _read_given(path)
    meshes.meshing_decimation_quadric_edge_collapse(
        targetfacenum=faces, preserveboundary=True, preservenormal=True, preservetopology=True, planarquadric=True
    )
    return _mesh(meshes)


def _read_given(path):
    """Return the mesh that the calling process handed over in a file, as MeshLab takes it."""
    import pymeshlab

    arrays = np.load(path, allow_pickle=False)
    meshes = pymeshlab.MeshSet()
    meshes.add_mesh(pymeshlab.Mesh(arrays["points"], arrays["triangles"]))
    return meshes


def _mesh(meshes):
    """Return (points, triangles) of MeshLab's current mesh."""
    mesh = meshes.current_mesh()
    return mesh.vertex_matrix(), mesh.face_matrix()


def soft_limit(most, hard):
    """Return the limit to set for a task where a machine has a hard one, so that the process ends with a word; -1 for
    none.

    It is just below the hard one, for at a hard limit of processor time a process is killed without a word.
    """
    return most if hard == resource.RLIM_INFINITY or most < hard else max(hard - 1, 0)


def main(task, source, target, number, seconds, memory):
    """Do one task of MeshLab within limits of time and memory, so that no scan takes more than its share of a machine.

    The first limit ends the process by SIGXCPU.
    """
    # Whoever started this may ignore the signal.
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    for limit, most in (
        (resource.RLIMIT_CPU, int(seconds)),
        (resource.RLIMIT_AS, int(memory)),
        (resource.RLIMIT_FSIZE, MOST_WRITTEN),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (soft_limit(most, hard := resource.getrlimit(limit)[1]), hard))
    try:
        points, triangles = TASKS[task](source, int(number))
        np.savez(target, points=points, triangles=triangles)
    except Exception as error:
        if getattr(error, "errno", None) in OF_THE_MACHINE:
            # EFBIG is none of these: so large a file comes of the mesh, each time.
            raise
        traceback.print_exc()
        return REFUSED
    return 0


TASKS = {"read": read, "read_gltf": read_gltf, "repair": repair, "reduce": reduce}

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
