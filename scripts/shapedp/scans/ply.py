"""PLY, ascii or binary of either byte order.

Written by hand: the readers at hand trust the header's counts (memory), or crash natively on damaged files.
The numbers of an ascii body are laid out as float64 first, so that one reader of records serves all.
"""

import numpy as np

from shapedp.errors import Rejected
from shapedp.scans import ply_header, polygons, text
from shapedp.scans.limits import MAX_POINTS, MAX_TRIANGLES, MAX_WALKED, check_count, check_room

CORNERS = ("vertex_indices", "vertex_index")


def parse(data):
    """(points (n, 3) float64, triangles (t, 3) int32 or None, notices) of a PLY file's bytes."""
    elements, order, start = ply_header.parse(data)
    if order is None:
        claimed = sum(element.rows * len(element.properties) for element in elements)
        check_room("values", claimed, 2, len(data) - start + 1)
        data, start = text.numbers(data[start:]).view(np.uint8).data, 0
    points, triangles, notices = None, None, []
    for element in elements:
        columns, start = read_element(data, start, element)
        if element.name == "vertex":
            points = _points(columns)
        elif element.name == "face":
            triangles = _corners(columns)
        elif element.rows:
            notices.append(f"{element.rows} records of kind {element.name[:24]!r} ignored")
    if start < len(data):
        notices.append("data after the last record ignored")
    if points is None:
        raise Rejected("not_numeric", "the PLY file has no element 'vertex': export points or a mesh")
    if triangles is not None:
        triangles = polygons.indices(triangles, len(points)) if len(triangles) else None
    return points, triangles, tuple(notices)


def _points(columns):
    if any(axis not in columns or isinstance(columns[axis], tuple) for axis in "xyz"):
        raise Rejected("not_numeric", "the PLY vertices have no properties x, y, z: export them with coordinates")
    return np.stack([columns[axis] for axis in "xyz"], axis=1, dtype=np.float64)


def _corners(columns):
    lists = [columns[name] for name in CORNERS if isinstance(columns.get(name), tuple)]
    return polygons.fan(*lists[0]) if lists else np.empty((0, 3), int)


def read_element(data, start, element):
    """The columns {name: values (rows,), or (lengths (rows,), values) of a list} and where the next element starts."""
    smallest = sum(p.smallest for p in element.properties)
    check_room(f"records of kind {element.name[:24]!r}", element.rows, smallest, len(data) - start)
    if not smallest or not element.rows:
        return {p.name: _nothing(p) for p in element.properties}, start
    limit = MAX_POINTS if element.name == "vertex" else MAX_TRIANGLES
    check_count(f"records of kind {element.name[:24]!r}", element.rows, limit)
    return _equal_rows(data, start, element) or _walk(data, start, element)


def _nothing(p):
    empty = np.empty(0, p.dtype)
    return (np.empty(0, int), empty) if p.count else empty


def _equal_rows(data, start, element):
    """All rows at once, if their lists are as long as those of the first row; else None."""
    lengths, fields, at = [], [], start
    for i, p in enumerate(element.properties):
        length = _length(data, at, p) if p.count else 1
        if p.count:
            fields.append((f"n{i}", p.count))
            at += p.count.itemsize
        at += length * p.dtype.itemsize
        if at > len(data):
            return None
        fields.append((f"v{i}", p.dtype, (length,)))
        lengths.append(length)
    if (at - start) * element.rows > len(data) - start:
        return None
    table = np.frombuffer(data, np.dtype(fields), element.rows, start)
    columns = {}
    for i, (p, length) in enumerate(zip(element.properties, lengths, strict=True)):
        if p.count and not np.all(table[f"n{i}"] == length):
            return None
        values = table[f"v{i}"].reshape(-1)
        columns[p.name] = (np.full(element.rows, length), values) if p.count else values
    return columns, start + table.nbytes


def _walk(data, start, element):
    """Row by row, because the length of one list decides where the next value begins."""
    check_count("values in rows of unequal length", element.rows * len(element.properties), MAX_WALKED)
    values = [bytearray() for _ in element.properties]
    lengths = [[] for _ in element.properties]
    at = start
    for _ in range(element.rows):
        for i, p in enumerate(element.properties):
            size = p.dtype.itemsize
            if p.count:
                length = _length(data, at, p)
                lengths[i].append(length)
                at += p.count.itemsize
                size *= length
            values[i] += data[at : at + size]
            at += size
        if at > len(data):
            raise _cut_off(element)
    columns = {}
    for p, row_lengths, raw in zip(element.properties, lengths, values, strict=True):
        flat = np.frombuffer(bytes(raw), p.dtype)
        columns[p.name] = (np.array(row_lengths), flat) if p.count else flat
    return columns, at


def _length(data, at, p):
    """The length in front of a list, once it fits into the data."""
    if at + p.count.itemsize > len(data):
        raise Rejected("truncated", "the file ends inside a list: export or copy it again")
    (length,) = p.unpack_count(data, at)
    if not (0 <= length <= len(data) and length == int(length)):
        raise Rejected("truncated", f"a list of length {length:.17g}: the file is cut off or damaged; export it again")
    return int(length)


def _cut_off(element):
    return Rejected(
        "truncated",
        f"the header claims {element.rows} records of kind {element.name[:24]!r}, but the file ends before the last: "
        "export or copy it again",
    )
