"""MATLAB's mat files up to version 7 through scipy, plain numeric arrays only.

scipy trusts the sizes in compressed parts and recurses into nested cells and structs: so compressed parts are unpacked
first, within a limit, and only numeric variables are ever asked for.
"""

import io
import warnings
import zlib

import scipy.io

from shapedp.errors import Rejected
from shapedp.scans import named_arrays
from shapedp.scans.limits import MAX_BYTES

HEADER = 128
COMPRESSED = 15
NUMERIC = {"double", "single", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}
HDF5 = b"\x89HDF\r\n\x1a\n"


def is_mat5(data):
    """Whether the header is that of versions 5 to 7."""
    return len(data) >= HEADER and data[124:128] in (b"\x00\x01IM", b"\x01\x00MI") and not data.startswith(HDF5)


def parse(data):
    """(points (n, 3) float64, triangles (t, 3) int32 or None, notices) of a mat file's bytes."""
    plain = _unpacked(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            listed = scipy.io.whosmat(io.BytesIO(plain))
            names = [name for name, *_ in listed]
            shapes = {name: shape for name, shape, kind in listed if kind in NUMERIC and names.count(name) == 1}
            points, triangles = named_arrays.choose(shapes)
            wanted = [name for name in (points, triangles) if name]
            read = scipy.io.loadmat(io.BytesIO(plain), variable_names=wanted)
            return named_arrays.as_mesh(points, read[points], read.get(triangles))
    except Rejected:
        raise
    except Exception as error:  # scipy's parser raises whatever a damaged file leads it to
        raise Rejected(
            "truncated", f"a mat file that scipy cannot read ({type(error).__name__}): save it again with '-v7'"
        ) from None


def _unpacked(data):
    """The same file with its compressed parts unpacked."""
    order = "little" if data[126:128] == b"IM" else "big"
    out, at = bytearray(data[:HEADER]), HEADER
    while at + 8 <= len(data):
        kind, size = (int.from_bytes(data[at + k : at + k + 4], order) for k in (0, 4))
        part = data[at : at + 8 + size]
        out += _inflate(part[8:], MAX_BYTES - len(out)) if kind == COMPRESSED else part
        at += 8 + size
    return bytes(out)


def _inflate(packed, limit):
    try:
        stream = zlib.decompressobj()
        plain = stream.decompress(packed, max(limit, 1))
    except zlib.error:
        raise Rejected("truncated", "a mat file with a damaged variable: save or copy it again") from None
    if stream.unconsumed_tail:
        raise Rejected("too_large", f"more than {MAX_BYTES} bytes once unpacked: save the points alone")
    return plain
