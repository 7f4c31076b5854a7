"""NumPy's npz: an archive of npy files, never unpickled, unpacked only as far as the limits go."""

import io
import zipfile
import zlib
from contextlib import contextmanager

from shapedp.errors import Rejected
from shapedp.scans import arrays, named_arrays
from shapedp.scans.limits import MAX_BYTES

MAX_MEMBERS = 1000
ENTRY = b"PK\x01\x02"  # begins each entry of a zip archive's directory
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)


def parse(data):
    """(points (n, 3) float64, triangles (t, 3) int32 or None, notices) of an npz file's bytes."""
    with _opened(data) as archive:
        return _members(archive)


def array(data, names):
    """The array called by the first of `names` that an npz file's bytes hold, under the same limits."""
    with _opened(data) as archive:
        members = _arrays(archive)
        name = next((one for one in names if one in members), None)
        if name is None:
            raise Rejected("no_landmarks", f"holds {sorted(members)[:8]}, expected one of {', '.join(names)}")
        return arrays.read_npy(_unpack(archive, members[name], MAX_BYTES))


@contextmanager
def _opened(data):
    if data.count(ENTRY) > MAX_MEMBERS:
        raise Rejected("too_large", f"an archive of more than {MAX_MEMBERS} files: save one scan a file")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive
    except BROKEN as error:
        raise Rejected("truncated", f"an archive that cannot be unpacked ({error}): save or copy it again") from None


def _arrays(archive):
    return {m.filename.removesuffix(".npy"): m for m in archive.infolist() if m.filename.endswith(".npy")}


def _members(archive):
    members = _arrays(archive)
    if not members:
        raise Rejected("unknown_format", "a zip archive without NumPy arrays: unpack it and give the scan inside")
    heads = {name: arrays.read_header(_unpack(archive, m, arrays.MAX_HEADER)) for name, m in members.items()}
    shapes = {name: shape for name, (dtype, shape, *_) in heads.items() if dtype.kind in "fiu"}
    if not shapes and any(dtype.hasobject for dtype, *_ in heads.values()):
        raise Rejected("unsafe_pickle", "holds pickled Python objects only, which could run code: save plain arrays")
    points, triangles = named_arrays.choose(shapes)
    read = {name: arrays.read_npy(_unpack(archive, members[name], MAX_BYTES)) for name in {points, triangles} - {None}}
    return named_arrays.as_mesh(points, read[points], read.get(triangles))


def _unpack(archive, member, limit):
    """The first `limit` bytes of a member; other methods than numpy's two cannot be unpacked in bounded memory."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Rejected(
            "unknown_format", "an archive compressed by another method than NumPy's: save it with numpy.savez"
        )
    if member.file_size > MAX_BYTES:
        raise Rejected(
            "too_large", f"an array of {member.file_size} bytes once unpacked, more than {MAX_BYTES}: thin it out"
        )
    with archive.open(member) as stream:
        return stream.read(limit)
