"""OFF, ascii, with any of the prefixes that put more values behind x, y, z (COFF, NOFF, STOFF, ...).

Written by hand: a header's counts are compared with the file before anything is stored.
"""

import itertools
import re

import numpy as np

from shapedp.errors import Rejected
from shapedp.scans import polygons, text
from shapedp.scans.limits import MAX_POINTS, MAX_TRIANGLES, check_count, check_room

BATCH = 100_000  # lines
MAGIC = re.compile(rb"\s*((?:ST)?C?N?(?:4|n)?OFF)\b[ \t]*(BINARY)?")


def parse(data):
    """(points (n, 3) float64, triangles (t, 3) int32 or None, notices) of an OFF file's bytes."""
    magic = MAGIC.match(data)
    if magic[2] or b"4" in magic[1] or b"n" in magic[1]:
        raise Rejected("unsupported_format", "a binary or higher-dimensional OFF file: save it as ascii OFF or as PLY")
    lines = _lines(data[magic.end() :])
    head = next(lines, b"").split()
    if len(head) not in (2, 3) or not all(re.fullmatch(rb"\d{1,18}", word) for word in head):
        raise Rejected("truncated", "an OFF file without its line of counts: export or copy it again")
    vertices, faces = int(head[0]), int(head[1])
    check_room("vertices and faces", vertices + faces, 2, len(data) - magic.end())
    check_count("points", vertices, MAX_POINTS)
    check_count("faces", faces, MAX_TRIANGLES)
    points = _points(lines, vertices)
    triangles = _triangles(lines, faces, vertices)
    return points, triangles, ()


def _lines(data):
    """Lines with something on them, comments cut."""
    for block in text.blocks(data):
        for line in block.split(b"\n"):
            line = line.partition(b"#")[0].strip()
            if line:
                yield line


def _batches(lines, count, what):
    """The next `count` lines, so many at a time that their tokens stay small."""
    while count:
        batch = list(itertools.islice(lines, min(count, BATCH)))
        if not batch:
            raise Rejected("truncated", f"{count} of the {what} in the header are missing: export or copy it again")
        count -= len(batch)
        yield batch


def _points(lines, count):
    parts = [np.empty((0, 3))]
    for batch in _batches(lines, count, "vertices"):
        columns = text.even(batch)
        if columns and len(columns) >= 3:
            parts.append(text.float_columns(columns[:3]))
            continue
        rows = [line.split(None, 3)[:3] for line in batch]
        if min(map(len, rows)) < 3:
            raise Rejected("truncated", "a vertex with fewer than three coordinates: export or copy the file again")
        parts.append(text.floats([token for row in rows for token in row]).reshape(-1, 3))
    return np.concatenate(parts)


def _triangles(lines, count, vertices):
    lengths, corners = [np.empty(0)], [np.empty(0)]
    for batch in _batches(lines, count, "faces"):
        batch_lengths, batch_corners = _faces(batch)
        lengths.append(batch_lengths)
        corners.append(batch_corners)
    triangles = polygons.fan(np.concatenate(lengths), np.concatenate(corners))
    return polygons.indices(triangles, vertices) if len(triangles) else None


def _faces(lines):
    """(corners a face, vertex index of each corner) of `m c_1 ... c_m [colour]` lines."""
    columns = text.even(lines)
    if columns and len(columns) > 3 and columns[0].count(b"3") == len(lines):
        return np.full(len(lines), 3.0), text.float_columns(columns[1:4]).reshape(-1)
    rows = [line.split() for line in lines]
    lengths = text.floats([row[0] for row in rows])
    if any(not n <= len(row) - 1 for row, n in zip(rows, lengths, strict=True)):
        raise Rejected("truncated", "a face with fewer corners than it says: export or copy the file again")
    if np.any((lengths < 0) | (lengths != np.floor(lengths))):
        raise Rejected("bad_triangles", "a face with an impossible number of corners: export the file again")
    counted = zip(rows, lengths.astype(int), strict=True)
    return lengths, text.floats([token for row, n in counted for token in row[1 : n + 1]])
