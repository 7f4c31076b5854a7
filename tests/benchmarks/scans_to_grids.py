"""Random scan-like clouds through the whole chain, against the faces they were scanned from; and the nose's tip."""

from dataclasses import dataclass
from time import process_time

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from benchmarks import scan_clouds
from shapedp.base.errors import Rejected
from shapedp.base.settings import read_default
from shapedp.surfaces.chain import to_disk
from shapedp.surfaces.disk_map import conformal
from shapedp.surfaces.human_face import nose
from shapedp.surfaces.meshing import scan_mesh
from shapedp.surfaces.scans import Scan

GRID = (64, 128)
SEED = 7
POSE = 20  # degrees
HARDER = (30, 45)  # degrees
FOUND = 5.0  # mm: a nose tip nearer to the truth counts as found
ON_TRUTH = 30  # points a triangle of the true surface, beside which distances are measured


@dataclass(frozen=True)
class Passed:
    """One cloud's figures; nose_mm and distance_mm against the truth."""

    seconds: float  # of one core: other jobs on the machine do not count
    flips: int
    angle: float
    kept: float
    distance_mm: float
    nose_mm: float


def cloud_rows(model, count):
    """Time of the whole chain, and how good its disks and surfaces are; a rejected cloud has no disk without flips."""
    passed = [one for one in (_through(model, i) for i in range(count)) if one is not None]
    share = sum(one.flips == 0 for one in passed) / count
    ms, angle, kept, distance = (
        np.array([getattr(one, name) for one in passed]) for name in ("seconds", "angle", "kept", "distance_mm")
    )
    return [
        ("cloud_to_grid", "median_ms", 1e3 * np.median(ms), "ms"),
        ("cloud_to_grid", "worst_ms", 1e3 * ms.max(), "ms"),
        ("random_clouds", "share_without_flips", share, ""),
        ("random_clouds", "angle_change_deg", angle.mean(), "degree"),
        ("random_clouds_worst", "angle_change_deg", angle.max(), "degree"),
        ("random_clouds", "points_kept", kept.mean(), ""),
        ("random_clouds_worst", "points_kept", kept.min(), ""),
        ("random_clouds", "surface_distance_mm", np.median(distance), "mm"),
        ("random_clouds", "nose_worst_mm", max(one.nose_mm for one in passed), "mm"),
    ]


def _through(model, number):
    """A cloud of a random face, posed, through the chain; None where it is rejected."""
    rng = np.random.default_rng([SEED, number])
    face = model.face(rng)
    turn, shift = scan_clouds.pose(rng, POSE)
    scan = turn.apply(scan_clouds.cloud(face, model.triangles, ("front", "three_view")[number % 2], rng)) + shift
    if number == 0:
        _chain(scan)  # compiles what is not yet compiled
    start = process_time()
    try:
        mapped = _chain(scan)
    except Rejected:
        return None
    seconds = process_time() - start
    face, surface = turn.apply(face) + shift, mapped.f * mapped.scale + mapped.centroid
    return Passed(
        seconds,
        int(conformal.find_flipped(mapped.z, mapped.triangles).sum()),
        float(np.abs(conformal.measure_angle_changes(mapped.vertices, mapped.triangles, mapped.z)).mean()),
        len(mapped.vertices) / len(scan),
        float(np.median(_distances(surface.reshape(-1, 3), face, model.triangles, rng))),
        float(np.linalg.norm(mapped.vertices[np.argmin(np.abs(mapped.z))] - face[model.nose_tip])),
    )


def _chain(scan):
    """The Face of a cloud."""
    settings = {"mesh": read_default("faces.mesh"), "center": "nose", "surface": {"rings": GRID[0], "angles": GRID[1]}}
    return to_disk.map_scan(Scan(scan, None, ()), settings)


def _distances(points, vertices, triangles, rng):
    """(n,) distance of each point from the plane of the triangle that is nearest, by points strewn over triangles."""
    weights = rng.dirichlet((1, 1, 1), (len(triangles), ON_TRUTH))
    strewn = np.einsum("tkc,tcx->tkx", weights, vertices[triangles]).reshape(-1, 3)
    nearest = cKDTree(strewn).query(points)[1]
    a, b, c = vertices[triangles[nearest // ON_TRUTH]].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return np.abs(np.einsum("nx,nx->n", points - strewn[nearest], normals))


def pose_rows(model, count):
    """How much surfaces change, relative to their size, when scans are turned, moved, scaled, or in other order."""
    posed, ordered = np.array([_changes(model, number) for number in range(count)]).T
    return [
        ("pose", "faces", count, "count"),
        ("pose", "faces_within_1e-6", np.sum(posed <= 1e-6), "count"),
        ("pose", "worst_change", posed.max(), "1"),
        ("point_order", "worst_change", ordered.max(), "1"),
    ]


def _changes(model, number):
    """Change of the normalised surface by a random pose (undone afterwards) and scale; and by another order."""
    rng = np.random.default_rng([SEED, number])
    cloud = scan_clouds.cloud(model.face(rng), model.triangles, ("front", "three_view")[number % 2], rng)
    turn, scale = Rotation.random(random_state=rng), np.exp(rng.uniform(-5, 5))
    f = _surface(cloud)
    posed = _surface(scale * (turn.apply(cloud) + rng.uniform(-100, 100, 3)))
    size = np.linalg.norm(f)
    return (
        np.linalg.norm(turn.inv().apply(posed.reshape(-1, 3)) - f.reshape(-1, 3)) / size,
        np.linalg.norm(_surface(rng.permutation(cloud)) - f) / size,
    )


def _surface(scan):
    return _chain(scan).f


def nose_rows(model, count):
    """Error of the nose tip on posed faces; and on front views of heads turned away from the scanner."""
    rows = []
    for largest in (POSE, *HARDER):
        case = "nose_tip" if largest == POSE else f"nose_tip_{largest}_degrees"
        errors = [_nose_error(model, largest, i, seen=False) for i in range(count)]
        rows += [*_errors(case, errors)]
        errors = [_nose_error(model, largest, i, seen=True) for i in range(count // 4)]
        rows += [*_errors(f"nose_tip_front_view_{largest}_degrees", errors)]
    return rows


def _errors(case, errors):
    yield case, "median_mm", np.median(errors), "mm"
    yield case, "worst_mm", max(errors), "mm"
    yield case, "found_within_5mm", np.mean(np.array(errors) <= FOUND), ""


def _nose_error(model, largest, number, seen):
    """mm; infinite where the scan is rejected. seen : what a scanner in front sees of the posed head, as a cloud"""
    rng = np.random.default_rng([SEED, largest, number])
    turn, shift = scan_clouds.pose(rng, largest)
    face = turn.apply(model.face(rng)) + shift
    scan = (scan_clouds.cloud(face, model.triangles, "front", rng), None) if seen else (face, model.triangles)
    try:
        mesh = scan_mesh.mesh_scan(*scan)
        tip = nose.find_center(mesh.vertices, mesh.triangles).vertex
    except Rejected:
        return np.inf
    return float(np.linalg.norm(mesh.vertices[tip] - face[model.nose_tip]))
