"""Meshes of more triangles than are mapped: what coarsening by cubes before the edge collapse costs in accuracy."""

import os
import time
from unittest import mock

import numpy as np
import trimesh

from benchmarks import mixed_scans
from shapedp.surfaces.meshing import scan_mesh

NOISE_MM = {"": 0.0, "_noisy": 0.05}  # of each vertex; edges of the finest are .15 mm long
NEVER = 1 << 40  # triangles: more than any scan has


def rows(model, people, halvings):
    """Rows (case, measure, value, unit) of people whose meshes have each edge halved so many times, with coarsening and
    by the edge collapse alone.
    """
    if not people:
        return
    reference = mixed_scans.reference(model, mixed_scans.RADIUS)
    for case, noise in NOISE_MM.items():
        errors, seconds = {True: [], False: []}, {True: [], False: []}
        for number in range(people):
            rng = np.random.default_rng([43, number])
            face = model.face(rng)
            points, triangles = subdivided(face, model.triangles, halvings)
            points = points + noise * rng.standard_normal(points.shape)
            for is_coarsened in errors:
                vast = len(triangles) - 1 if is_coarsened else NEVER
                with mock.patch.object(scan_mesh, "VAST", vast):
                    start = time.process_time() + children_time()
                    aligned = reference.align(mixed_scans.face_of(points, triangles=triangles))
                    seconds[is_coarsened].append(time.process_time() + children_time() - start)
                off = mixed_scans.vertices_of(aligned, reference) - face[reference.inside]
                errors[is_coarsened].append(np.linalg.norm(off, axis=1).mean())
        yield f"dense_mesh{case}", "triangles", len(triangles), "count"
        yield f"dense_mesh{case}", "error_mm", np.mean(errors[True]), "mm"
        yield f"dense_mesh{case}", "error_over_collapse_alone", np.mean(errors[True]) / np.mean(errors[False]), "1"
        yield f"dense_mesh{case}", "cpu_s", np.mean(seconds[True]), "s"
        yield f"dense_mesh{case}", "cpu_s_collapse_alone", np.mean(seconds[False]), "s"


def subdivided(points, triangles, halvings):
    """(points, triangles) with each edge halved so many times."""
    for _ in range(halvings):
        points, triangles = trimesh.remesh.subdivide(points, triangles)
    return points, triangles


def children_time():
    """Seconds of processor time that processes of this one took: MeshLab's."""
    spent = os.times()
    return spent.children_user + spent.children_system
