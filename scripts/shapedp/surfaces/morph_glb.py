"""A surface with morph targets as a binary glTF 2.0: Blender shows each target as a shape key.

Positions in metres. A target holds displacements; its weight, 0 when the file is opened, scales them: 1 adds the whole.
"""

import json
import struct

import numpy as np

FLOAT, UNSIGNED = 5126, 5125
ARRAY, ELEMENTS = 34962, 34963
MM = 1e-3


def encode(vertices, triangles, targets):
    """Bytes; vertices (n, 3) in mm; triangles (t, 3); targets : {name: displacements (n, 3) in mm}."""
    moved = [np.asarray(one, dtype=float) * MM for one in targets.values()]
    arrays = [np.asarray(vertices, dtype=float) * MM, *moved]
    data = [np.ascontiguousarray(one, dtype="<f4") for one in arrays]
    data.append(np.ascontiguousarray(triangles, dtype="<u4"))
    accessors = [_positions(index, one) for index, one in enumerate(data[:-1])]
    accessors.append({"bufferView": len(data) - 1, "componentType": UNSIGNED, "count": data[-1].size, "type": "SCALAR"})
    primitive = {"attributes": {"POSITION": 0}, "indices": len(data) - 1, "mode": 4}
    mesh = {"primitives": [primitive]}
    if targets:
        primitive["targets"] = [{"POSITION": 1 + index} for index in range(len(moved))]
        mesh |= {"weights": [0.0] * len(moved), "extras": {"targetNames": list(targets)}}
    sizes = [one.nbytes for one in data]
    described = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [mesh],
        "accessors": accessors,
        "bufferViews": [
            {"buffer": 0, "byteOffset": sum(sizes[:index]), "byteLength": size, "target": _target(index, sizes)}
            for index, size in enumerate(sizes)
        ],
        "buffers": [{"byteLength": sum(sizes)}],
    }
    return _packed(json.dumps(described, sort_keys=True).encode("ascii"), b"".join(one.tobytes() for one in data))


def _positions(index, array):
    """The accessor of an array of points, with the bounds that the standard asks for."""
    low, high = array.min(axis=0).tolist(), array.max(axis=0).tolist()
    return {
        "bufferView": index,
        "componentType": FLOAT,
        "count": len(array),
        "type": "VEC3",
        "min": low,
        "max": high,
    }


def _target(index, sizes):
    return ELEMENTS if index == len(sizes) - 1 else ARRAY


def _packed(words, data):
    """The two chunks, each filled up to 4 bytes: with spaces, and with zeros."""
    words += b" " * (-len(words) % 4)
    data += b"\0" * (-len(data) % 4)
    length = 12 + 8 + len(words) + 8 + len(data)
    head = struct.pack("<4sII", b"glTF", 2, length)
    return b"".join(
        [head, struct.pack("<I4s", len(words), b"JSON"), words, struct.pack("<I4s", len(data), b"BIN\0"), data]
    )
