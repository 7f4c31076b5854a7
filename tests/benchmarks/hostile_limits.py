"""What hostile files take, each read or meshed in a process of its own; and which tests fail under other kernels."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import kernels

TERABYTES = 8 << 40
TEXTS = (".pts", ".fcsv", ".mrk.json", ".tps", ".txt", ".csv", ".nts")  # of landmarks
SCANS = (".xyz", ".obj", ".off", ".ply", ".stl", ".txt", ".csv")
ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from pathlib import Path
from shapedp.base.errors import Rejected
kind, path = sys.argv[1], Path(sys.argv[2])
try:
    if kind == "landmarks":
        from shapedp import landmarks
        landmarks.read(path)
    else:
        from shapedp.surfaces import scans
        from shapedp.surfaces.meshing import scan_mesh
        scan = scans.read(path)
        scan_mesh.mesh_scan(scan.points, scan.triangles)
except Rejected as error:
    print(str(error)[:200])
"""
NUMERICAL = ("tests/library/test_kernels.py", "tests/library/privacy/learned", "tests/scripts/test_shape_changes.py")


def disjoint(path, count):
    """Write so many triangles that touch no other, scattered like a head."""
    rng = np.random.default_rng(0)
    corners = rng.normal(size=(count, 1, 3)) * [60, 80, 40] + 0.5 * rng.normal(size=(count, 3, 3))
    _write(path, corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


def dome(path, count):
    """Write a dome of about so many triangles, as a camera sees it."""
    side = int(np.sqrt(count / 2)) + 1
    x, y = np.meshgrid(*(np.linspace(-80, 80, side),) * 2)
    at = np.arange(side * side).reshape(side, side)
    a, b, c, d = (one.ravel() for one in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    triangles = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    _write(path, np.column_stack([x.ravel(), y.ravel(), (80 - 0.006 * (x**2 + y**2)).ravel()]), triangles)


def book(path, count):
    """Write so many triangles that share one edge, each turned a little from the one before."""
    turned = np.linspace(0, np.pi, count)
    corners = np.column_stack([80 * np.cos(turned), np.zeros(count), 80 * np.sin(turned)])
    points = np.concatenate([[[0.0, -60.0, 0.0], [0.0, 60.0, 0.0]], corners])
    _write(path, points, np.column_stack([np.zeros(count), np.ones(count), np.arange(count) + 2]).astype(int))


def polygon(path, count):
    """Write one face of so many corners, on a dome's spiral."""
    angle, r = np.sqrt(np.arange(count)), 80 * np.sqrt(np.arange(count) / count)
    points = np.column_stack([r * np.cos(angle), r * np.sin(angle), 80 - 0.006 * r**2])
    with path.open("w") as file:
        np.savetxt(file, points, "v %.4f %.4f %.4f")
        file.write(f"f {' '.join(map(str, range(1, count + 1)))}\n")


def _write(path, points, triangles):
    """As binary PLY."""
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\nproperty float x\nproperty float y\n"
    head += f"property float z\nelement face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    faces = np.zeros(len(triangles), dtype=[("n", "u1"), ("at", "<i4", 3)])
    faces["n"], faces["at"] = 3, triangles
    with path.open("wb") as file:
        for part in (head.encode("ascii"), points.astype("<f4").tobytes(), faces.tobytes()):
            file.write(part)


def sparse(path):
    """Write a file of terabytes that lie on no disk."""
    with path.open("wb") as file:
        file.write(b"LM=3\n1 2\n3 4\n")
        file.truncate(TERABYTES)


def corpus(folder, loose, dense):
    """Yield (name, kind, path) of each hostile file, which is there until the next is asked for."""
    made = [(f"disjoint {count}", "scan", ".ply", disjoint, (count,)) for count in loose]
    made += [(f"dome {dense}", "scan", ".ply", dome, (dense,)), (f"book {dense}", "scan", ".ply", book, (dense // 10,))]
    made += [(f"polygon {dense}", "scan", ".obj", polygon, (dense // 10,))]
    made += [(f"sparse {one}", "landmarks", one, sparse, ()) for one in TEXTS]
    made += [(f"sparse {one}", "scan", one, sparse, ()) for one in SCANS]
    for name, kind, ending, write, given in made:
        path = Path(folder) / f"hostile{ending}"
        write(path, *given)
        yield name, kind, path
        path.unlink()


def taken(kind, path):
    """(seconds of processor time, MB at most, exit status) of a process that reads a file, its children's included."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts"), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, kind, str(path)], env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, process.returncode


def failed_kernels(tests=NUMERICAL, most=None):
    """(kernels that this processor can run, those under which a test fails). most : kernels that are tried, or None."""
    found = []
    for kernel in (runnable := kernels.runnable()[:most]):
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", *tests]
        environment = os.environ | {"OPENBLAS_CORETYPE": kernel, "OMP_NUM_THREADS": "1"}
        if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
            found.append(kernel)
    return runnable, found
