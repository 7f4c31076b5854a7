"""Simple files with the same bytes for the same input."""

from pathlib import Path

import numpy as np


def write(path, points, triangles=None):
    """Write points (n, 3) and, to ply and obj, triangles (t, 3); the extension decides the format.

    .ply is binary little endian with double coordinates, .npy float64; .obj, .xyz and .csv print every digit needed to
    read the same numbers back.
    """
    path = Path(path)
    formats = {".ply": _ply, ".obj": _obj, ".xyz": _xyz, ".csv": _csv, ".npy": _npy}
    suffix = path.suffix.lower()
    if suffix not in formats:
        raise ValueError(f"cannot write {path.name}: its name must end in one of {', '.join(formats)}")
    if triangles is not None and suffix not in (".ply", ".obj"):
        raise ValueError(f"cannot write {path.name}: triangles need .ply or .obj")
    points = np.asarray(points, np.float64)
    triangles = np.empty((0, 3), np.int32) if triangles is None else np.asarray(triangles, np.int32)
    path.write_bytes(formats[suffix](points, triangles))


def _ply(points, triangles):
    header = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
    header += "".join(f"property double {axis}\n" for axis in "xyz")
    if len(triangles):
        header += f"element face {len(triangles)}\nproperty list uchar int vertex_indices\n"
    faces = np.empty(len(triangles), [("corners", "u1"), ("indices", "<i4", 3)])
    faces["corners"], faces["indices"] = 3, triangles
    return header.encode() + b"end_header\n" + points.astype("<f8").tobytes() + faces.tobytes()


def _obj(points, triangles):
    lines = [f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist()]
    lines += [f"f {a} {b} {c}\n" for a, b, c in (triangles + 1).tolist()]
    return "".join(lines).encode()


def _xyz(points, _):
    return "".join(f"{x!r} {y!r} {z!r}\n" for x, y, z in points.tolist()).encode()


def _csv(points, _):
    return ("x,y,z\n" + "".join(f"{x!r},{y!r},{z!r}\n" for x, y, z in points.tolist())).encode()


def _npy(points, _):
    header = repr({"descr": "<f8", "fortran_order": False, "shape": points.shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + points.astype("<f8").tobytes()
