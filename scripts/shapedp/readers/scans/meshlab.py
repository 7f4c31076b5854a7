"""MeshLab for what it is best at: formats that only it reads, meshes that are no surfaces, meshes too dense to map."""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from shapedp.errors import Rejected

PROGRAM = Path(__file__).with_name("meshlab_process.py")
PATIENCE = 120  # seconds
LIBRARY = re.compile(r"lib[\w.+-]+\.so[\w.]*")
ELSEWHERE = re.compile(rb'"uri"\s*:\s*"(?!data:)|Inline|<init_from>\s*file:')  # a scene that names other files


def read(data, suffix):
    """(points (n, 3), triangles (t, 3), notices) of the bytes of a file; `suffix` names its format, ".wrl"."""
    if ELSEWHERE.search(data):
        raise Rejected("unsupported_format", "its geometry lies in other files: save the scan as one file, ply or glb")
    with TemporaryDirectory() as folder:
        source = Path(folder) / f"scan{suffix}"
        source.write_bytes(data)
        points, triangles = _run("read_gltf" if suffix in (".glb", ".gltf") else "read", source)
    if len(points) == 0:
        raise Rejected("empty_file", "it holds no points: export the scan again")
    return points.astype(float), triangles.astype(np.int32) if len(triangles) else None, ()


def repaired(points, triangles):
    """(points, triangles) of a mesh without the faces that make it no surface."""
    return _run_on("repair", points, triangles)


def reduced(points, triangles, faces):
    """(points, triangles) of a mesh with about so many faces."""
    return _run_on("reduce", points, triangles, faces)


def _run_on(task, points, triangles, number=0):
    with TemporaryDirectory() as folder:
        source = Path(folder) / "given.npz"
        np.savez(source, points=points, triangles=triangles)
        points, triangles = _run(task, source, number)
        return points, triangles.astype(np.int64)


def _run(task, source, number=0):
    """Do a task in a process of its own; what stops it is told in one line."""
    target = source.with_name("made.npz")
    command = [sys.executable, str(PROGRAM), task, str(source), str(target), str(number)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise Rejected("unreadable_file", f"MeshLab was not done after {PATIENCE} s: save the scan as ply") from None
    if done.returncode == 0:
        made = np.load(target, allow_pickle=False)
        return made["points"], made["triangles"]
    last = (done.stderr.strip().splitlines() or [f"it crashed ({done.returncode})"])[-1]
    if "ImportError" in last and (missing := LIBRARY.search(last)):
        raise Rejected(
            "missing_library",
            f"this needs MeshLab, and MeshLab needs {missing[0]}; Debian: apt-get install -y --no-install-recommends "
            "libgl1 libopengl0; or save the scan as ply, without faults",
        )
    raise Rejected("unreadable_file", f"MeshLab cannot {task.split('_')[0]} it: {last[:200]}; save the scan as ply")
