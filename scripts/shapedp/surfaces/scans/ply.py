"""Read scans whose header says what follows: PLY, PCD of the Point Cloud Library (ascii, binary, by LZF), VRML 1.0.

A header's counts are compared with the bytes that follow before anything is stored: other readers trust the header's
counts (memory), or crash natively on damaged files. PLY is ascii or binary of either byte order.
The numbers of an ascii body are laid out as float64 first, so that one reader of records serves all.
"""

import re
import struct
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.reading import files
from shapedp.base.reading.files import MAX_BYTES, MAX_POINTS, MAX_TRIANGLES, MAX_WALKED, check_count, check_room
from shapedp.surfaces.scans import scan

TYPES = {
    **{"char": "i1", "short": "i2", "int": "i4", "long": "i8", "float": "f4", "double": "f8"},
    **{"uchar": "u1", "ushort": "u2", "uint": "u4", "ulong": "u8", "float32": "f4", "float64": "f8"},
    **{f"int{8 * size}": f"i{size}" for size in (1, 2, 4, 8)},
    **{f"uint{8 * size}": f"u{size}" for size in (1, 2, 4, 8)},
}
CODES = dict(zip(("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"), "bBhHiIqQfd", strict=True))  # of struct
ORDERS = {b"binary_little_endian": "<", b"binary_big_endian": ">", b"ascii": None}
MAX_HEADER = 2**20
MAX_PROPERTIES = 1000


@dataclass(frozen=True)
class Property:
    """One column: values of `dtype`, or, when `count` is a dtype, a list of them behind its length."""

    name: str
    dtype: np.dtype
    count: np.dtype | None = None

    @cached_property
    def unpack_count(self):
        """Return the function (data, at) -> (length,): for one value, many times faster than numpy."""
        order, kind = self.count.str[0], self.count.str[1:]
        return struct.Struct(order.replace("|", "<") + CODES[kind]).unpack_from

    @property
    def smallest(self):
        """Return the bytes of the shortest value: an empty list still has its length."""
        return (self.count or self.dtype).itemsize


@dataclass
class Element:
    """`rows` records of the same properties, in file order."""

    name: str
    rows: int
    properties: list[Property] = field(default_factory=list)


def read_header(data):
    """Return (elements, byte order "<", ">" or None for ascii, where the body starts) of a PLY file: what its body
    holds.
    """
    newline = re.match(rb"ply[ \t]*(\r\n|\n|\r)", data)
    end = re.search(rb"(?:\r\n|\n|\r)[ \t]*end_header[ \t]*" + newline[1], data[:MAX_HEADER]) if newline else None
    if end is None:
        raise Rejected("truncated", "a PLY header that never ends (no end_header line): export or copy the file again")
    elements, order = [], "missing"
    for line in data[newline.end() : end.start()].splitlines():
        words = line.split()
        if not words or words[0] in (b"comment", b"obj_info"):
            continue
        if words[0] == b"format" and len(words) >= 2 and words[1] in ORDERS:
            order = ORDERS[words[1]]
        elif words[0] == b"element" and len(words) == 3 and re.fullmatch(rb"\d{1,18}", words[2]):
            elements.append(Element(words[1].decode("latin-1"), int(words[2])))
        elif words[0] == b"property" and elements and len(elements[-1].properties) < MAX_PROPERTIES:
            elements[-1].properties.append(_read_property(words, order))
        else:
            raise _describe_unreadable(line)
    if order == "missing":
        raise Rejected("unknown_format", "a PLY header without a format line: export the file again")
    return elements, order, end.end()


def _read_property(words, order):
    """Return the Property that a line of a PLY header declares; in an ascii file every value is a float64, whatever its
    type.
    """
    words = [word.decode("latin-1") for word in words]
    is_list = len(words) == 5 and words[1] == "list"
    if (not is_list and len(words) != 3) or any(word not in TYPES for word in words[1 + is_list : -1]):
        raise _describe_unreadable(" ".join(words).encode("latin-1"))
    dtypes = [np.dtype((order or "<") + TYPES[word] if order else "f8") for word in words[1 + is_list : -1]]
    return Property(words[-1], dtypes[-1], dtypes[0] if is_list else None)


def _describe_unreadable(line):
    """Return the refusal of a header line that is not understood."""
    shown = line[:40].decode("latin-1")
    return Rejected("unknown_format", f"the PLY header line {shown!r} is not understood: export the file again")


CORNERS = ("vertex_indices", "vertex_index")


def parse(data):
    """Return (points (n, 3) float64, triangles (t, 3) int32 or None, notices) of a PLY file's bytes."""
    elements, order, start = read_header(data)
    if order is None:
        claimed = sum(element.rows * len(element.properties) for element in elements)
        check_room("values", claimed, 2, len(data) - start + 1)
        data, start = files.parse_numbers(data[start:]).view(np.uint8).data, 0
    points, triangles, notices = None, None, []
    for element in elements:
        columns, start = read_element(data, start, element)
        if element.name == "vertex":
            if any(axis not in columns or isinstance(columns[axis], tuple) for axis in "xyz"):
                words = "the PLY vertices have no properties x, y, z: export them with coordinates"
                raise Rejected("not_numeric", words)
            points = np.stack([columns[axis] for axis in "xyz"], axis=1, dtype=np.float64)
        elif element.name == "face":
            lists = [columns[name] for name in CORNERS if isinstance(columns.get(name), tuple)]
            triangles = scan.fan(*lists[0]) if lists else np.empty((0, 3), int)
        elif element.rows:
            notices.append(f"{element.rows} records of kind {element.name[:24]!r} ignored")
    if start < len(data):
        notices.append("data after the last record ignored")
    if points is None:
        raise Rejected("not_numeric", "the PLY file has no element 'vertex': export points or a mesh")
    if triangles is not None:
        triangles = scan.indices(triangles, len(points)) if len(triangles) else None
    return points, triangles, tuple(notices)


def read_element(data, start, element):
    """Return (the columns of an element of a PLY file, such as its vertices, by name; where the next element starts).

    A column is values (rows,), or (lengths (rows,), values) of a list.
    """
    smallest = sum(p.smallest for p in element.properties)
    check_room(f"records of kind {element.name[:24]!r}", element.rows, smallest, len(data) - start)
    if not smallest or not element.rows:
        nothing = {p.name: np.empty(0, p.dtype) for p in element.properties}
        lists = {p.name: (np.empty(0, int), nothing[p.name]) for p in element.properties if p.count}
        return nothing | lists, start
    limit = MAX_POINTS if element.name == "vertex" else MAX_TRIANGLES
    check_count(f"records of kind {element.name[:24]!r}", element.rows, limit)
    return _read_equal_rows(data, start, element) or _read_row_by_row(data, start, element)


def _read_equal_rows(data, start, element):
    """Return an element of a PLY file as of `read_element`, fast, all rows at once; None where lists differ in length.

    Lists must be as long as those of the first row.
    """
    lengths, fields, at = [], [], start
    for i, p in enumerate(element.properties):
        length = _read_length(data, at, p) if p.count else 1
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


def _read_row_by_row(data, start, element):
    """Return an element of a PLY file as of `read_element`, row by row, for lists of unequal lengths.

    There a list's length decides where the next value begins.
    """
    check_count("values in rows of unequal length", element.rows * len(element.properties), MAX_WALKED)
    values = [bytearray() for _ in element.properties]
    lengths = [[] for _ in element.properties]
    at = start
    for _ in range(element.rows):
        for i, p in enumerate(element.properties):
            size = p.dtype.itemsize
            if p.count:
                length = _read_length(data, at, p)
                lengths[i].append(length)
                at += p.count.itemsize
                size *= length
            values[i] += data[at : at + size]
            at += size
        if at > len(data):
            raise Rejected(
                "truncated",
                f"the header claims {element.rows} records of kind {element.name[:24]!r}, but the file ends before the "
                "last: export or copy it again",
            )
    columns = {}
    for p, row_lengths, raw in zip(element.properties, lengths, values, strict=True):
        flat = np.frombuffer(bytes(raw), p.dtype)
        columns[p.name] = (np.array(row_lengths), flat) if p.count else flat
    return columns, at


def _read_length(data, at, p):
    """Return the length in front of a list of a PLY file; a length that does not fit into the data is refused."""
    if at + p.count.itemsize > len(data):
        raise Rejected("truncated", "the file ends inside a list: export or copy it again")
    (length,) = p.unpack_count(data, at)
    if not (0 <= length <= len(data) and length == int(length)):
        raise Rejected("truncated", f"a list of length {length:.17g}: the file is cut off or damaged; export it again")
    return int(length)


# Possessive: else each blank is kept to be given back.
PCD = re.compile(rb"(?:#[^\n]*+\n|\s)*+VERSION\s")
VRML1 = re.compile(rb"#VRML V1\.0 ascii")
HEADER = re.compile(rb"(?s)(.*?\n)DATA[ \t]+(\w+)[ \t]*\r?\n")
KINDS = {b"F": "f", b"I": "i", b"U": "u"}
PCD_MAX_HEADER, MAX_FIELDS = 1 << 16, 100


def parse_pcd(data):
    """Return (points (n, 3) float64, None, notices) of a PCD file's bytes."""
    header = HEADER.match(data[:PCD_MAX_HEADER])
    if header is None:
        raise Rejected("truncated", "a PCD header without its line DATA: export or copy the file again")
    header_fields = {words[0]: words[1:] for line in header[1].splitlines() if (words := line.split())}
    table, count = _read_layout(header_fields)
    body = data[header.end() :]
    names, widths = table.names, [int(np.prod(table[name].shape)) for name in table.names]
    axes = [next(at for at, name in enumerate(names) if name.split(" ", 1)[1] == axis) for axis in "xyz"]
    if header[2] == b"ascii":
        numbers, width = files.parse_numbers(body), sum(widths)
        if numbers.size < count * width:
            words = f"{numbers.size // max(width, 1)} of {count} points follow: copy the file again"
            raise Rejected("truncated", words)
        rows = numbers[: count * width].reshape(count, width)
        columns = [rows[:, sum(widths[:at])] for at in axes]
    # Here the fields stand one after the other.
    elif header[2] == b"binary_compressed":
        plain, kinds = _unpack_points(body, count, table.itemsize), [table[name].base for name in names]
        starts = np.cumsum([0, *(count * width * kind.itemsize for width, kind in zip(widths, kinds, strict=True))])
        columns = [
            np.frombuffer(plain, dtype=kinds[at], count=count * widths[at], offset=int(starts[at])).reshape(
                count, widths[at]
            )[:, 0]
            for at in axes
        ]
    elif header[2] == b"binary":
        check_room("points", count, table.itemsize, len(body))
        rows = np.frombuffer(body, table, count)
        columns = [rows[names[at]][:, 0] for at in axes]
    else:
        raise Rejected("unknown_format", f"PCD data of the kind {header[2][:20]!r}: save it as ascii or binary")
    return np.stack(columns, axis=1).astype(np.float64), None, ()


def _read_layout(header_fields):
    """Return (dtype of a point, number of points) that a PCD header declares."""
    names = header_fields.get(b"FIELDS", [])
    try:
        sizes, counts = ([int(word) for word in header_fields[key]] for key in (b"SIZE", b"COUNT"))
        kinds = [KINDS[word] for word in header_fields[b"TYPE"]]
        points = int(header_fields[b"POINTS"][0])
        fields = [
            (f"{at} {name.decode('latin-1')}", f"<{kind}{size}", (count,))
            for at, (name, kind, size, count) in enumerate(zip(names, kinds, sizes, counts, strict=True))
        ]
        table = np.dtype(fields) if len(fields) <= MAX_FIELDS and max(counts) <= MAX_POINTS else None
    except (KeyError, IndexError, ValueError, TypeError) as error:
        words = f"a PCD header that is not understood ({str(error)[:60]}): export it again"
        raise Rejected("truncated", words) from None
    if table is None or [name for name in names if name in (b"x", b"y", b"z")] != [b"x", b"y", b"z"] or points < 0:
        raise Rejected("not_numeric", "the PCD header names no fields x, y, z in this order: export points")
    check_count("points", points, MAX_POINTS)
    return table, points


def _unpack_points(body, count, smallest):
    """Return the bytes of `count` points of a compressed PCD file, unpacked by LZF (Lehmann), no more than are claimed.

    Packed are plain bytes, and references to what came before.
    """
    if len(body) < 8:
        raise Rejected("truncated", "a packed PCD that ends at its header: copy the file again")
    length, size = (int(number) for number in np.frombuffer(body, "<u4", 2))
    check_room("packed bytes", length, 1, len(body) - 8)
    check_count("unpacked bytes", size, MAX_BYTES)
    check_room("points", count, smallest, size)
    packed = body[8 : 8 + length]
    out, at = bytearray(), 0
    try:
        while at < len(packed):
            control, at = packed[at], at + 1
            if control < 32:
                out += packed[at : at + control + 1]
                at += control + 1
                continue
            length = control >> 5
            if length == 7:
                length, at = length + packed[at], at + 1
            back, at = ((control & 31) << 8) + packed[at] + 1, at + 1
            if back > len(out) or len(out) + length + 2 > size:
                raise IndexError
            for _ in range(length + 2):
                out.append(out[-back])
    except IndexError:
        out = bytearray()
    if len(out) != size:
        raise Rejected("truncated", "packed points that cannot be unpacked: copy the file again")
    return bytes(out)


def parse_vrml1(data):
    """Return (points (n, 3) float64, triangles (t, 3) int32 or None, notices) of the first shape of a VRML 1.0 file."""
    points, faces = _find_bracketed(data, b"point"), _find_bracketed(data, b"coordIndex")
    if points is None:
        raise Rejected("not_numeric", "a VRML 1.0 file without points: save the scan as ply")
    numbers = files.parse_numbers(points.replace(b",", b" "))
    if numbers.size % 3:
        raise Rejected("truncated", f"{numbers.size} coordinates, which make no points of three: save the scan as ply")
    coordinates = numbers.reshape(-1, 3)
    check_count("points", len(coordinates), MAX_POINTS)
    if faces is None:
        return coordinates, None, ()
    corners = files.parse_numbers(faces.replace(b",", b" "))
    ends = np.flatnonzero(corners < 0)
    counts = np.diff(np.concatenate([[-1], ends])) - 1
    whole_faces = corners[: ends[-1] + 1] if ends.size else corners[:0]
    triangles = scan.fan(counts, whole_faces[whole_faces >= 0])
    return coordinates, scan.indices(triangles, len(coordinates)) if len(triangles) else None, ()


def _find_bracketed(data, key):
    """Return the numbers' text in the brackets behind the first `key [` of a VRML file; None where none opens or none
    closes.
    """
    opening = re.search(rb"\b" + key + rb"\s*\[", data)
    end = data.find(b"]", opening.end()) if opening else -1
    return data[opening.end() : end] if end >= 0 else None
