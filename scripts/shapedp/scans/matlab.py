"""MATLAB's mat files of versions 5 to 7, plain numeric arrays only.

Layout: "MAT-File Format", The MathWorks, chapter 1. Written by hand: scipy's reader crashes natively on some damaged
files, unpacks without a limit and recurses into cells and structs, which are refused here.
"""

import math
import struct
import zlib

import numpy as np

from shapedp.errors import Rejected
from shapedp.scans import named_arrays
from shapedp.scans.limits import MAX_BYTES, check_room

HEADER = 128
ORDERS = {b"\x00\x01IM": "<", b"\x01\x00MI": ">"}  # version and byte order, at the end of the header
HDF5 = b"\x89HDF\r\n\x1a\n"
TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
MATRIX, COMPRESSED = 14, 15
NUMERIC = range(6, 16)  # classes double, single and the integers
COMPLEX = 0x0800
MAX_VARIABLES = 1000


def is_mat5(data):
    """Whether the header is that of versions 5 to 7."""
    return data[124:HEADER] in ORDERS and not data.startswith(HDF5)


def parse(data):
    """(points (n, 3) float64, triangles (t, 3) int32 or None, notices) of a mat file's bytes."""
    order = ORDERS[data[124:HEADER]]
    arrays = dict(_arrays(_unpacked(data, order), order))
    points, triangles = named_arrays.choose({name: shape for name, (shape, _) in arrays.items()})
    read = {name: values.reshape(shape, order="F") for name, (shape, values) in arrays.items()}
    return named_arrays.as_mesh(points, read[points], read.get(triangles))


def _unpacked(data, order):
    """The variables' elements, one after the other, none compressed."""
    out, at = bytearray(), HEADER
    while at < len(data):
        kind, start, size = _tag(data, at, order)
        packed = kind == COMPRESSED
        out += _inflate(data[start : start + size], MAX_BYTES - len(out)) if packed else data[at : start + size]
        at = start + size
    return bytes(out)


def _inflate(packed, limit):
    stream = zlib.decompressobj()
    try:
        plain = stream.decompress(packed, max(limit, 1))
    except zlib.error:
        raise Rejected("truncated", "a mat file with a damaged variable: save or copy it again") from None
    if stream.unconsumed_tail:
        raise Rejected("too_large", f"more than {MAX_BYTES} bytes once unpacked: save the points alone")
    if not stream.eof:
        raise Rejected("truncated", "a mat file whose last variable is cut off: save or copy it again")
    return plain


def _tag(data, at, order):
    """(type, where the content begins, its size) of the element at a place; up to 4 bytes lie in the tag itself."""
    check_room("tag", 1, 8, len(data) - at)
    kind, size = struct.unpack_from(order + "II", data, at)
    if kind >> 16:
        return kind & 0xFFFF, at + 4, min(kind >> 16, 4)
    check_room(f"bytes of type {kind}", size, 1, len(data) - at - 8)
    return kind, at + 8, size


def _arrays(data, order):
    """(name, (shape, values in columns)) of each real numeric variable."""
    at = variables = 0
    while at < len(data):
        kind, start, size = _tag(data, at, order)
        at, variables = start + size, variables + 1
        if variables > MAX_VARIABLES:
            raise Rejected("too_large", f"more than {MAX_VARIABLES} variables: save the points alone")
        if kind != MATRIX:
            continue
        flags, place = _content(data, start, order)
        shape, place = _content(data, place, order)
        name, place = _content(data, place, order)
        if flags.dtype.kind == "f" or not flags.size or shape.dtype.kind == "f" or not 2 <= shape.size <= 8:
            raise Rejected("truncated", "a mat variable with an impossible description: save the file again")
        if int(flags[0]) & 0xFF not in NUMERIC or int(flags[0]) & COMPLEX:
            continue
        values, _ = _content(data, place, order)
        shape = tuple(shape.tolist())
        if min(shape) < 0 or len(values) != math.prod(shape):
            raise Rejected("truncated", f"a variable of shape {shape} with {len(values)} values: save the file again")
        yield name.tobytes().decode("latin-1"), (shape, values)


def _content(data, at, order):
    """(values of the numeric element at a place, where the next begins: at a multiple of 8 bytes)."""
    kind, start, size = _tag(data, at, order)
    if kind not in TYPES:
        raise Rejected("truncated", f"a mat element of unknown type {kind}: the file is damaged; save it again")
    dtype = np.dtype(order + TYPES[kind])
    values = np.frombuffer(data, dtype, size // dtype.itemsize, start)
    return values, at + 8 if start == at + 4 else start + size + -size % 8
