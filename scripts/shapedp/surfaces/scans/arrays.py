"""Read arrays from files that hold nothing else: NumPy's npy and npz, never unpickled, and MATLAB's mat, versions 5 to
7.

A claimed size is checked against the bytes that are there, and an archive is unpacked only as far as the limits go.
MATLAB's layout: "MAT-File Format", The MathWorks, chapter 1. Written by hand: scipy's reader crashes natively on some
damaged files, unpacks without a limit and recurses into cells and structs, which are refused here.
"""

import io
import math
import struct
import warnings
import zipfile
import zlib
from contextlib import contextmanager

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.reading.files import MAX_BYTES, MAX_POINTS, MAX_TRIANGLES, check_count, check_room
from shapedp.surfaces.scans import scan

# Bytes of an npy header that are looked at.
MAX_HEADER = 2**17


def parse_npy(data):
    """Return (points (n, 3) float64, None, notices) of an npy file's bytes."""
    points, notices = as_points(read_npy(data))
    return points, None, notices


def read_npy(data):
    """Return the array of an npy file's bytes, as a read-only view of them; a pickled one, which could run code, is
    refused.
    """
    dtype, shape, fortran, start = read_header(data)
    if dtype.hasobject:
        raise Rejected(
            "unsafe_pickle",
            "holds a pickled Python object, which could run code: save a plain array with numpy.save(..., "
            "allow_pickle=False)",
        )
    if dtype.kind not in "fiu" and not dtype.names:
        raise Rejected("not_numeric", f"an array of {dtype}: save the coordinates as floating-point numbers")
    count = math.prod(shape)
    if min(shape, default=1) < 1 or dtype.itemsize == 0:
        raise Rejected("too_few_points", f"an array of shape {shape[:8]}: save one row for each point")
    check_room("items", count, dtype.itemsize, len(data) - start)
    return np.frombuffer(data, dtype, count, start).reshape(shape, order="F" if fortran else "C")


def read_header(data):
    """Return (dtype, shape, Fortran order?, where the body starts) of an npy array, before room is made for its values.

    Numpy evaluates literals only.
    """
    stream = io.BytesIO(data[:MAX_HEADER])
    try:
        with warnings.catch_warnings():
            # About headers that Python 2 wrote.
            warnings.simplefilter("ignore")
            version = np.lib.format.read_magic(stream)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, fortran, dtype = read(stream)
    # Hostile literals raise anything from SyntaxError to MemoryError.
    except Exception as error:
        words = f"an npy header that cannot be read ({type(error).__name__}): save the array again"
        raise Rejected("truncated", words) from None
    return dtype, shape, fortran, stream.tell()


def as_points(array):
    """Return ((n, 3) float64, notices), the points that an array of a scan's file means: rows, columns, or records x,
    y, z.
    """
    if array.dtype.names:
        names = {name.casefold(): name for name in array.dtype.names}
        if not all(axis in names and array.dtype[names[axis]].kind in "fiu" for axis in "xyz"):
            raise Rejected("not_numeric", "records without numeric fields x, y, z: save an (n, 3) array")
        array = np.stack([array[names[axis]].reshape(-1) for axis in "xyz"], axis=1, dtype=np.float64)
    # This is an image of points.
    if array.ndim == 3 and array.shape[2] == 3 and min(array.shape[:2]) > 1:
        array = array.reshape(-1, 3)
    if array.ndim != 2 or (3 not in array.shape and array.shape[1] < 3):
        shape = array.shape[:8]
        raise Rejected("bad_shape", f"an array of shape {shape} where (n, 3) is expected: save one row for each point")
    notices = ()
    if array.shape[0] == 3 and array.shape[1] > 3:
        array, notices = array.T, ("the array is (3, n): its columns were taken as points",)
    elif array.shape[1] > 3:
        notices = (f"the first 3 of {array.shape[1]} columns taken as x, y, z",)
    check_count("points", len(array), MAX_POINTS)
    return array[:, :3].astype(np.float64), notices


POINTS = ("points", "vertices", "verts", "xyz", "vertex", "v", "pts", "cloud", "coordinates", "x")
TRIANGLES = ("triangles", "faces", "tri", "tris", "f", "t", "simplices")


def choose_arrays(shapes):
    """Return (name of the points, name of the triangles or None) among a file's numeric arrays, {name: shape}.

    A usual name decides; else the only array of three or more columns that has no name usual for triangles.
    """
    tables = {name: shape for name, shape in shapes.items() if len(shape) == 2 and (shape[1] >= 3 or shape[0] == 3)}
    triangles = _find_usual(TRIANGLES, tables)
    usual = _find_usual(POINTS, tables)
    others = [name for name in tables if name != triangles]
    others = [name for name in others if 3 in tables[name]] or others
    if usual is None and len(others) != 1:
        raise Rejected(
            "ambiguous_arrays" if others else "not_numeric",
            f"{len(others)} plain arrays may be the points ({', '.join(others[:8])[:80]}): name one of them 'points'",
        )
    return usual or others[0], triangles


def _find_usual(names, tables):
    """Return the array of a scan's file that its usual name tells to be the points or the triangles; None if there is
    none.

    The name is whole ("points") or a part ("disk_points").
    """
    whole = [table for name in names for table in tables if table.casefold() == name]
    parts = [table for name in names for table in tables if name in table.casefold().split("_")]
    return next(iter(whole + parts), None)


def as_mesh(name, points, triangles):
    """Return (points, triangles or None, notices) of a scan from the arrays chosen in its file; notices say which was
    taken.

    name : of the array of points; triangles : vertex numbers or None
    """
    points, notices = as_points(points)
    notices = (f"array {name[:24]!r} taken as the points", *notices)
    if triangles is None:
        return points, None, notices
    check_count("triangles", len(triangles), MAX_TRIANGLES)
    if triangles.dtype.names or triangles.ndim != 2 or triangles.shape[1] < 3:
        raise Rejected("bad_shape", f"triangles of shape {triangles.shape[:8]} where (t, 3) is expected")
    faces = scan.fan(np.full(len(triangles), triangles.shape[1]), triangles.reshape(-1))
    if faces.min() >= 1 and faces.max() == len(points):
        faces, notices = faces - 1, (*notices, "the triangles count their vertices from 1")
    return points, scan.indices(faces, len(points)), notices


MAX_MEMBERS = 1000
# It begins each entry of a zip archive's directory, so that entries are counted before the archive is opened.
ENTRY = b"PK\x01\x02"
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)


def parse_npz(data):
    """Return (points (n, 3) float64, triangles (t, 3) int32 or None, notices) of an npz file's bytes."""
    with _open_archive(data) as archive:
        members = _list_arrays(archive)
        if not members:
            raise Rejected("unknown_format", "a zip archive without NumPy arrays: unpack it and give the scan inside")
        heads = {name: read_header(_unpack(archive, m, MAX_HEADER)) for name, m in members.items()}
        shapes = {name: shape for name, (dtype, shape, *_) in heads.items() if dtype.kind in "fiu"}
        if not shapes and any(dtype.hasobject for dtype, *_ in heads.values()):
            words = "holds pickled Python objects only, which could run code: save plain arrays"
            raise Rejected("unsafe_pickle", words)
        points, triangles = choose_arrays(shapes)
        read = {name: read_npy(_unpack(archive, members[name], MAX_BYTES)) for name in {points, triangles} - {None}}
        return as_mesh(points, read[points], read.get(triangles))


def read_npz_array(data, names):
    """Return (the array of the first of the names that an npz file holds, the names of its others), for landmarks,
    safely.

    Parameters
    ----------
    data : bytes
        Of the file.
    names : sequence of str
        Of which the first that it holds is taken.
    """
    with _open_archive(data) as archive:
        members = _list_arrays(archive)
        name = next((wanted_name for wanted_name in names if wanted_name in members), None)
        if name is None:
            raise Rejected("no_landmarks", f"holds {sorted(members)[:8]}, expected one of {', '.join(names)}")
        return read_npy(_unpack(archive, members[name], MAX_BYTES)), sorted(members.keys() - {name})


@contextmanager
def _open_archive(data):
    """Yield a zip archive of a file's bytes; raise Rejected where it holds too many files or cannot be unpacked
    safely.
    """
    if data.count(ENTRY) > MAX_MEMBERS:
        raise Rejected("too_large", f"an archive of more than {MAX_MEMBERS} files: save one scan a file")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive
    except BROKEN as error:
        raise Rejected("truncated", f"an archive that cannot be unpacked ({error}): save or copy it again") from None


def _list_arrays(archive):
    """Return {name: member} of the arrays in an npz archive."""
    return {m.filename.removesuffix(".npy"): m for m in archive.infolist() if m.filename.endswith(".npy")}


def _unpack(archive, member, limit):
    """Return the first `limit` bytes of an array in an archive, without unpacking more, however much a hostile one
    would hold.

    Methods other than numpy's two cannot be unpacked in bounded memory, and are refused.
    """
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        words = "an archive compressed by another method than NumPy's: save it with numpy.savez"
        raise Rejected("unknown_format", words)
    if (size := member.file_size) > MAX_BYTES:
        raise Rejected("too_large", f"an array of {size} bytes once unpacked, more than {MAX_BYTES}: thin it out")
    with archive.open(member) as stream:
        return stream.read(limit)


MAT_HEADER = 128
# The version and the byte order, at the end of the header.
ORDERS = {b"\x00\x01IM": "<", b"\x01\x00MI": ">"}
HDF5 = b"\x89HDF\r\n\x1a\n"
TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
MATRIX, COMPRESSED = 14, 15
# The classes double, single and the integers.
NUMERIC = range(6, 16)
COMPLEX = 0x0800
MAX_VARIABLES = 1000


def is_mat5(data):
    """Return whether a file's header is that of a mat file of versions 5 to 7, which are read."""
    return data[124:MAT_HEADER] in ORDERS and not data.startswith(HDF5)


def parse_mat(data):
    """Return (points (n, 3) float64, triangles (t, 3) int32 or None, notices) of a mat file's bytes."""
    order = ORDERS[data[124:MAT_HEADER]]
    arrays = dict(_read_variables(_unpack_variables(data, order), order))
    points, triangles = choose_arrays({name: shape for name, (shape, _) in arrays.items()})
    read = {name: values.reshape(shape, order="F") for name, (shape, values) in arrays.items()}
    return as_mesh(points, read[points], read.get(triangles))


def _unpack_variables(data, order):
    """Return the bytes of a mat file's variables, one after the other, none compressed, in bounded memory."""
    out, at = bytearray(), MAT_HEADER
    while at < len(data):
        kind, start, size = _read_tag(data, at, order)
        if kind == COMPRESSED:
            stream = zlib.decompressobj()
            try:
                out += stream.decompress(data[start : start + size], max(MAX_BYTES - len(out), 1))
            except zlib.error:
                raise Rejected("truncated", "a mat file with a damaged variable: save or copy it again") from None
            if stream.unconsumed_tail:
                raise Rejected("too_large", f"more than {MAX_BYTES} bytes once unpacked: save the points alone")
            if not stream.eof:
                raise Rejected("truncated", "a mat file whose last variable is cut off: save or copy it again")
        else:
            out += data[at : start + size]
        at = start + size
    return bytes(out)


def _read_tag(data, at, order):
    """Return (type, where the content begins, its size) of the mat file's element at a place, to read it or go past it.

    Up to 4 bytes lie in the tag itself.
    """
    check_room("tag", 1, 8, len(data) - at)
    kind, size = struct.unpack_from(order + "II", data, at)
    if kind >> 16:
        return kind & 0xFFFF, at + 4, min(kind >> 16, 4)
    check_room(f"bytes of type {kind}", size, 1, len(data) - at - 8)
    return kind, at + 8, size


def _read_variables(data, order):
    """Yield (name, (shape, values in columns)) of each real numeric variable of a mat file, which may be points or
    triangles.
    """
    at = variables = 0
    while at < len(data):
        kind, start, size = _read_tag(data, at, order)
        at, variables = start + size, variables + 1
        if variables > MAX_VARIABLES:
            raise Rejected("too_large", f"more than {MAX_VARIABLES} variables: save the points alone")
        if kind != MATRIX:
            continue
        flags, place = _read_content(data, start, order)
        shape, place = _read_content(data, place, order)
        name, place = _read_content(data, place, order)
        if flags.dtype.kind == "f" or not flags.size or shape.dtype.kind == "f" or not 2 <= shape.size <= 8:
            raise Rejected("truncated", "a mat variable with an impossible description: save the file again")
        if int(flags[0]) & 0xFF not in NUMERIC or int(flags[0]) & COMPLEX:
            continue
        values, _ = _read_content(data, place, order)
        shape = tuple(shape.tolist())
        if min(shape) < 0 or len(values) != math.prod(shape):
            raise Rejected("truncated", f"a variable of shape {shape} with {len(values)} values: save the file again")
        yield name.tobytes().decode("latin-1"), (shape, values)


def _read_content(data, at, order):
    """Return (values of the mat file's numeric element at a place, where the next begins: at a multiple of 8 bytes)."""
    kind, start, size = _read_tag(data, at, order)
    if kind not in TYPES:
        raise Rejected("truncated", f"a mat element of unknown type {kind}: the file is damaged; save it again")
    dtype = np.dtype(order + TYPES[kind])
    values = np.frombuffer(data, dtype, size // dtype.itemsize, start)
    return values, at + 8 if start == at + 4 else start + size + -size % 8
