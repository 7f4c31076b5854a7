"""Scans, landmarks, surfaces and shapes to morph into, in other programs' formats; same bytes for same input."""

import json
import struct
from pathlib import Path

import numpy as np

FORMATS = (".ply", ".obj", ".npy", ".xyz", ".csv")  # of scans


def write_scan(output, points, triangles=None):
    """Write a scan to the last digit, as drawn cohorts have them; the ending of its name decides the format, one of
    FORMATS.

    Parameters
    ----------
    output : path
        The file.
    points : (n, 3) array
        In any unit, which no format states.
    triangles : (t, 3) int array
        For .ply and .obj; None: points alone.
    """
    output = Path(output)
    suffix = output.suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"cannot write {output.name}: its name must end in one of {', '.join(FORMATS)}")
    if triangles is not None and suffix not in (".ply", ".obj"):
        raise ValueError(f"cannot write {output.name}: triangles need .ply or .obj")
    points = np.asarray(points, np.float64)
    triangles = np.empty((0, 3), np.int32) if triangles is None else np.asarray(triangles, np.int32)
    if suffix == ".ply":
        header = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
        header += "".join(f"property double {axis}\n" for axis in "xyz")
        if len(triangles):
            header += f"element face {len(triangles)}\nproperty list uchar int vertex_indices\n"
        faces = np.empty(len(triangles), [("corners", "u1"), ("indices", "<i4", 3)])
        faces["corners"], faces["indices"] = 3, triangles
        data = header.encode() + b"end_header\n" + points.astype("<f8").tobytes() + faces.tobytes()
    elif suffix == ".obj":
        lines = [f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist()]
        data = "".join([*lines, *(f"f {a} {b} {c}\n" for a, b, c in (triangles + 1).tolist())]).encode()
    elif suffix == ".npy":
        header = repr({"descr": "<f8", "fortran_order": False, "shape": points.shape})
        # The header of a .npy ends at a multiple of 64 bytes: ten stand before it, and a line feed ends it.
        header += " " * (-(len(header) + 11) % 64) + "\n"
        data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
        data += points.astype("<f8").tobytes()
    else:
        header, separator = ("x,y,z\n", ",") if suffix == ".csv" else ("", " ")
        data = (header + "".join(separator.join(map(repr, point)) + "\n" for point in points.tolist())).encode()
    output.write_bytes(data)


R_SCRIPT = """# The released mean shape as geomorph keeps shapes: A, p landmarks x k coordinates x 1 specimen.
# Run it in the folder of the release: source("mean_shape.R")
released <- read.csv("mean_shape.csv")
coordinates <- as.matrix(released[, -1])
A <- array(
  coordinates,
  dim = c(nrow(coordinates), ncol(coordinates), 1),
  dimnames = list(released$landmark, toupper(colnames(coordinates)), "mean_shape")
)
"""


def format_csv(landmarks):
    """Return the text of a table of landmarks (k, 2 or 3), one a row, numbered from 1, for any program that reads
    tables.
    """
    header = ",".join(["landmark", *"xyz"[: landmarks.shape[1]]])
    return (
        "\n".join([header, *(f"{number},{_format_row(point, ',')}" for number, point in enumerate(landmarks, start=1))])
        + "\n"
    )


def format_tps(landmarks, name, size=np.nan):
    """Return landmarks as tpsDig and geomorph write them: LM= in the plane, LM3= in space.

    Parameters
    ----------
    landmarks : (k, 2) or (k, 3) array
        Of one specimen.
    name : str
        Its ID=.
    size : float
        Its SCALE=, where shapes of size 1 have a size; NaN: none.
    """
    start = f"LM{'3' if landmarks.shape[1] == 3 else ''}={len(landmarks)}"
    scale = [f"SCALE={size:.10g}"] if np.isfinite(size) else []
    return "\n".join([start, *(_format_row(point, " ") for point in landmarks), f"ID={name}", *scale]) + "\n"


def format_nts(landmarks, name):
    """Return the text of NTSYSpc's .nts with one specimen: its label, then a row of numbers a landmark.

    Parameters
    ----------
    landmarks : (k, 2) or (k, 3) array
        Of the specimen.
    name : str
        Its label; white space in it becomes an underscore.
    """
    count, dimensions = landmarks.shape
    label = "".join("_" if sign.isspace() else sign for sign in name)
    head = f"1 1L {count * dimensions} 0 DIM={dimensions}\n{label}\n"
    return head + "".join(f"{_format_row(point, ' ')}\n" for point in landmarks)


def format_fcsv(landmarks):
    """Return the text of a fiducial list of 3D Slicer, points (k, 3) in LPS, numbered from 1."""
    head = "# Markups fiducial file version = 4.11\n# CoordinateSystem = LPS\n"
    head += "# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n"
    rows = (
        f"{number},{_format_row(point, ',')},0,0,0,1,1,1,0,{number},,\n"
        for number, point in enumerate(landmarks, start=1)
    )
    return head + "".join(rows)


def _format_row(point, separator):
    """Return a point as a line of numbers."""
    return separator.join(f"{x:.10g}" for x in point)


# Of a millimetre: glTF 2.0 wants metres; the others carry no unit and hold mm.
UNITS = {".glb": 1e-3}


def encode_surface(vertices, triangles, ending):
    """Return the bytes of a surface's file in a format that viewers of meshes open.

    Parameters
    ----------
    vertices : (n, 3) array
        In mm; a .glb holds metres.
    triangles : (t, 3) int array
        Corners.
    ending : str
        .ply, .glb, .obj or .stl.
    """
    # Late: a second of start for what few steps need.
    import trimesh

    surface = trimesh.Trimesh(vertices * UNITS.get(ending, 1.0), triangles, process=False)
    data = surface.export(file_type=ending[1:])
    return data.encode("utf-8") if isinstance(data, str) else data


FLOAT, UNSIGNED = 5126, 5125
ARRAY, ELEMENTS = 34962, 34963
MM = 1e-3


def encode_morphs(vertices, triangles, targets):
    """Return the bytes of a .glb in which a viewer can morph a surface along shapes, such as the modes of a model.

    Parameters
    ----------
    vertices : (n, 3) array
        In mm.
    triangles : (t, 3) int array
        Corners.
    targets : mapping
        {name: displacements (n, 3) in mm}.
    """
    displacements = [np.asarray(array, dtype=float) * MM for array in targets.values()]
    arrays = [np.asarray(vertices, dtype=float) * MM, *displacements]
    data = [np.ascontiguousarray(array, dtype="<f4") for array in arrays]
    data.append(np.ascontiguousarray(triangles, dtype="<u4"))
    # Of points, with the bounds that the standard asks for.
    accessors = []
    for index, array in enumerate(data[:-1]):
        bounds = {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        accessors.append({"bufferView": index, "componentType": FLOAT, "count": len(array), "type": "VEC3", **bounds})
    accessors.append({"bufferView": len(data) - 1, "componentType": UNSIGNED, "count": data[-1].size, "type": "SCALAR"})
    primitive = {"attributes": {"POSITION": 0}, "indices": len(data) - 1, "mode": 4}
    mesh = {"primitives": [primitive]}
    if targets:
        primitive["targets"] = [{"POSITION": 1 + index} for index in range(len(displacements))]
        mesh |= {"weights": [0.0] * len(displacements), "extras": {"targetNames": list(targets)}}
    sizes, kinds = [array.nbytes for array in data], [ARRAY] * len(arrays) + [ELEMENTS]
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [mesh],
        "accessors": accessors,
        "bufferViews": [
            {"buffer": 0, "byteOffset": sum(sizes[:index]), "byteLength": size, "target": kind}
            for index, (size, kind) in enumerate(zip(sizes, kinds, strict=True))
        ],
        "buffers": [{"byteLength": sum(sizes)}],
    }
    return _pack_glb(json.dumps(document, sort_keys=True).encode("ascii"), b"".join(array.tobytes() for array in data))


def _pack_glb(words, data):
    """Return the bytes of a GLB file from its JSON and its binary data, each filled up to 4 bytes: with spaces, and
    with zeros.
    """
    words += b" " * (-len(words) % 4)
    data += b"\0" * (-len(data) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(words) + 8 + len(data))
    chunks = struct.pack("<I4s", len(words), b"JSON"), words, struct.pack("<I4s", len(data), b"BIN\0"), data
    return b"".join([head, *chunks])
