"""The header of a PLY file: which elements follow, and how each is laid out."""

import re
import struct
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shapedp.errors import Rejected

TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
    **dict.fromkeys(("int64", "long"), "i8"),
    **dict.fromkeys(("uint64", "ulong"), "u8"),
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
        """(data, at) -> (length,): for one value, many times faster than numpy."""
        order, kind = self.count.str[0], self.count.str[1:]
        return struct.Struct(order.replace("|", "<") + CODES[kind]).unpack_from

    @property
    def smallest(self):
        """Bytes of the shortest value: an empty list still has its length."""
        return (self.count or self.dtype).itemsize


@dataclass
class Element:
    """`rows` records of the same properties, in file order."""

    name: str
    rows: int
    properties: list[Property] = field(default_factory=list)


def parse(data):
    """(elements, byte order "<", ">" or None for ascii, where the body starts)."""
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
            elements[-1].properties.append(_property(words, order))
        else:
            raise _unreadable(line)
    if order == "missing":
        raise Rejected("unknown_format", "a PLY header without a format line: export the file again")
    return elements, order, end.end()


def _property(words, order):
    """One property line; in an ascii file every value becomes a float64, whatever its declared type."""
    words = [word.decode("latin-1") for word in words]
    is_list = len(words) == 5 and words[1] == "list"
    if (not is_list and len(words) != 3) or any(word not in TYPES for word in words[1 + is_list : -1]):
        raise _unreadable(" ".join(words).encode("latin-1"))
    dtypes = [np.dtype((order or "<") + TYPES[word] if order else "f8") for word in words[1 + is_list : -1]]
    return Property(words[-1], dtypes[-1], dtypes[0] if is_list else None)


def _unreadable(line):
    shown = line[:40].decode("latin-1")
    return Rejected("unknown_format", f"the PLY header line {shown!r} is not understood: export the file again")
