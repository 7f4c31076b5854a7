"""Wavefront OBJ: the `v` and `f` lines, nothing else; no material or texture file is ever opened.

Written by hand: the readers at hand follow `mtllib`, and split vertices at texture seams.
"""

import re

import numpy as np

from shapedp.errors import Rejected
from shapedp.scans import polygons, text
from shapedp.scans.limits import MAX_NUMBERS, MAX_POINTS, check_count


def parse(data):
    """(points (n, 3) float64, triangles (t, 3) int32 or None, notices) of an OBJ file's bytes."""
    points, counts, corners = [], [], []
    seen = read = 0
    for block in text.blocks(data):
        lines = [line.strip() for line in block.replace(b"\\\n", b" ").split(b"\n")]
        vertex_lines = [i for i, line in enumerate(lines) if line.startswith((b"v ", b"v\t"))]
        face_lines = [i for i, line in enumerate(lines) if line.startswith((b"f ", b"f\t"))]
        points.append(_coordinates([lines[i] for i in vertex_lines]))
        lengths, indices = _corners([lines[i] for i in face_lines])
        before = seen + np.searchsorted(vertex_lines, face_lines)
        counts.append(lengths)
        corners.append(_from_zero(indices, np.repeat(before, lengths)))
        seen, read = seen + len(vertex_lines), read + len(indices)
        check_count("points", seen, MAX_POINTS)
        check_count("face corners", read, MAX_NUMBERS)
    points = np.concatenate(points)
    triangles = polygons.fan(np.concatenate(counts), np.concatenate(corners))
    return points, polygons.indices(triangles, len(points)) if len(triangles) else None, ()


def _coordinates(lines):
    """x, y, z of `v x y z [w] [r g b]` lines, (n, 3)."""
    columns = text.even(lines)
    if columns and len(columns) > 3:
        return text.float_columns(columns[1:4])
    rows = [line.split(None, 4)[1:4] for line in lines]
    if any(len(row) < 3 for row in rows):
        raise Rejected("truncated", "a vertex line with fewer than three coordinates: export or copy the file again")
    return text.floats([token for row in rows for token in row]).reshape(-1, 3)


def _corners(lines):
    """(corners a face, vertex index of each corner as written) of `f v/vt/vn ...` lines."""
    lines = re.sub(rb"/\S*", b"", b"\n".join(lines)).split(b"\n") if lines else []
    columns = text.even(lines)
    if columns:
        counts, flat = np.full(len(lines), len(columns) - 1), text.float_columns(columns[1:]).reshape(-1)
    else:
        rows = [line.split()[1:] for line in lines]
        counts = np.array([len(row) for row in rows], int)
        flat = text.floats([token for row in rows for token in row])
    if not np.all(np.abs(flat) < 2**31):
        raise Rejected("bad_triangles", "a face with an impossible vertex number: export the file again")
    return counts, flat


def _from_zero(indices, before):
    """Indices from 0: files count from 1, or from -1 backwards from the `before` vertices defined so far."""
    return np.where(indices < 0, before + indices, indices - 1)
