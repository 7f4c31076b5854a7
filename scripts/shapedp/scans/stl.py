"""STL, ascii or binary: loose triangles, whose equal corners are one vertex.

Written by hand: a binary file may begin with "solid" like an ascii one, and its count may lie; the size decides.
"""

import re

import numpy as np

from shapedp.errors import Rejected
from shapedp.scans import repeats, text
from shapedp.scans.limits import check_count, check_room

HEADER = 84
MAX_TRIANGLES = 2_000_000  # fewer than elsewhere: finding equal corners sorts three times as many rows
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def is_binary(data):
    """Whether the size is exactly what the count of a binary STL says."""
    return len(data) > HEADER and len(data) == HEADER + RECORD.itemsize * _claimed(data)


def is_ascii(data):
    """Whether the beginning reads like `solid name facet normal ...`."""
    return re.match(rb"\s*solid\b[^\n]*\n\s*facet\b", data[:4096].replace(b"\r", b"\n"), re.IGNORECASE) is not None


def parse(data):
    """(points (n, 3) float64, triangles (t, 3) int32, notices) of an STL file's bytes."""
    corners = _ascii(data) if is_ascii(data) else _binary(data)
    points, index = repeats.merge(corners.reshape(-1, 3).astype(np.float64))
    return points, index.reshape(-1, 3).astype(np.int32), ()


def _claimed(data):
    return int.from_bytes(data[80:84], "little")


def _binary(data):
    claimed = _claimed(data)
    check_room("triangles", claimed, RECORD.itemsize, len(data) - HEADER)
    check_count("triangles", claimed, MAX_TRIANGLES)
    return np.frombuffer(data, RECORD, claimed, HEADER)["corners"]


def _ascii(data):
    parts, facets, total = [], 0, 0
    for block in text.blocks(data):
        lines = [line.strip() for line in block.lower().split(b"\n")]
        facets += lines.count(b"endfacet")
        parts.append(_vertices([line for line in lines if line.startswith(b"vertex")]))
        total += parts[-1].size
        check_count("corners", total // 3, 3 * MAX_TRIANGLES)
    if b"endsolid" not in data[-1000:].lower():
        raise Rejected("truncated", "no 'endsolid' at the end: the file is cut off; export or copy it again")
    if total != 9 * facets:
        raise Rejected(
            "truncated",
            f"{total // 3} vertices in {facets} complete facets, not three in each: the file is cut off or damaged; "
            "export or copy it again",
        )
    return np.concatenate(parts)


def _vertices(lines):
    """x, y, z of `vertex x y z` lines, (n, 3)."""
    columns = text.even(lines) if lines else [[]] * 4
    if columns is None or len(columns) != 4:
        raise Rejected("truncated", "a vertex without exactly three coordinates: export or copy the file again")
    return text.float_columns(columns[1:])
