"""The disk map and the polar grid: time, growth with the number of vertices, positions and angles.

The analytic surface has a known map (tests/library/surfaces/analytic.py); the faces are those of a model.
"""

from statistics import median
from time import process_time

import numpy as np

from library.surfaces import analytic
from shapedp.surfaces import polar
from shapedp.surfaces.disk_map import conformal
from shapedp.surfaces.human_face import nose
from shapedp.surfaces.meshing import scan_mesh

RINGS = {"7k": 48, "27k": 95, "107k": 189}  # of the analytic mesh: 3 k (k + 1) + 1 vertices
GRID = (64, 128)
REPEATS, SEED = 5, 2026


def analytic_rows(sizes):
    """Growth with the number of vertices, and how far each vertex lies from where it belongs."""
    out = []
    for size, rings in sizes.items():
        exact, triangles = analytic.disk_mesh(rings)
        vertices = analytic.lift(exact)
        repeats = range(REPEATS if size == "7k" else 1)
        turned = [np.roll(triangles, repeat, axis=0) for repeat in repeats]  # what is asked twice alike is recalled
        map_ms, z = _timed(_map, [(vertices, faces, 0) for faces in turned])
        grid_ms, _ = _timed(polar.sample, [(vertices, faces, z, *GRID) for faces in turned])
        out.append((f"mesh_to_disk_{size}", "median_ms", map_ms, "ms"))
        out.append((f"disk_to_grid_{size}", "median_ms", grid_ms, "ms"))
        case = "analytic_map" if size == "7k" else f"analytic_map_{size}"
        out.append((case, "position_rms", _position_rms(z, exact), ""))
    return out


def face_rows(model, case, faces):
    """The model's mean face, meshed from its own triangles and as given; then random faces, one after the other."""
    scan = scan_mesh.mesh_scan(model.mean, model.triangles)
    out = [
        *_angles(case, scan.vertices, scan.triangles, _nose(scan)),
        *_angles(f"{case}_holes_fanned", model.mean, model.disk, model.nose_tip),
    ]
    rng = np.random.default_rng(SEED)
    map_ms, grid_ms, flips = [], [], 0
    for _ in range(faces):
        face = scan_mesh.mesh_scan(model.face(rng), model.triangles)
        ms, z = _timed(_map, [(face.vertices, face.triangles, _nose(face))])
        map_ms.append(ms)
        grid_ms.append(_timed(polar.sample, [(face.vertices, face.triangles, z, *GRID)])[0])
        flips += int(conformal.find_flipped(z, face.triangles).sum())
    return [
        *out,
        ("mesh_to_disk", "median_ms", median(map_ms), "ms"),
        ("disk_to_grid", "median_ms", median(grid_ms), "ms"),
        ("random_faces", "flips", flips, ""),
    ]


def _map(vertices, triangles, center):
    return conformal.move_to_center(conformal.disk_map(vertices, triangles), triangles, center)


def _nose(mesh):
    return nose.find_center(mesh.vertices, mesh.triangles).vertex


def _angles(case, vertices, triangles, center):
    z = _map(vertices, triangles, center)
    change = np.abs(conformal.measure_angle_changes(vertices, triangles, z))
    return [
        (case, "angle_change_deg", change.mean(), "degree"),
        (case, "flips", int(conformal.find_flipped(z, triangles).sum()), ""),
    ]


def _position_rms(z, exact):
    """Root mean square distance, z turned to fit best: the map is unique up to a turn of the disk."""
    turn = np.vdot(z, exact)
    return np.sqrt(np.mean(np.abs(z * turn / abs(turn) - exact) ** 2))


def _timed(function, calls):
    """(median ms of processor time, the last result) of the function's calls, each with its own arguments."""
    times = []
    for arguments in calls:
        start = process_time()
        result = function(*arguments)
        times.append(1e3 * (process_time() - start))
    return median(times), result
