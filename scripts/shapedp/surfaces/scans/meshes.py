"""Read meshes as plain formats: Wavefront OBJ, OFF and STL.

Written by hand: the readers at hand follow OBJ's `mtllib` to other files and split vertices at texture seams, believe
an OFF header's counts, and take a binary STL that begins with "solid" for an ascii one.
"""

import itertools
import re

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.reading import files, plain_numbers
from shapedp.base.reading.files import MAX_NUMBERS, MAX_POINTS, MAX_TRIANGLES, check_count, check_room
from shapedp.surfaces.scans import scan


def parse_obj(data):
    """Return (points (n, 3) float64, triangles (t, 3) int32 or None, notices) of an OBJ file's bytes."""
    points, counts, corners = [], [], []
    vertex_count = corner_count = 0
    for block in files.split_blocks(data):
        vertices, vertex_lines, faces, face_lines = _split_obj(block.replace(b"\\\n", b" "))
        # These are x, y, z of `v x y z [w] [r g b]` lines.
        plain = plain_numbers.parse_rows(vertices, skipped=1)
        if plain is not None and plain.shape[1] >= 3:
            points.append(plain[:, :3])
        else:
            points.append(_parse_triples([line for line in vertices.split(b"\n") if line], 1, "a vertex line"))
        lengths, indices = _parse_corners(faces)
        before = np.repeat(vertex_count + np.searchsorted(vertex_lines, face_lines), lengths)
        counts.append(lengths)
        # Files count from 1, or backwards from -1.
        corners.append(np.where(indices < 0, before + indices, indices - 1))
        vertex_count, corner_count = vertex_count + len(vertex_lines), corner_count + len(indices)
        check_count("points", vertex_count, MAX_POINTS)
        check_count("face corners", corner_count, MAX_NUMBERS)
    points = np.concatenate(points)
    triangles = scan.fan(np.concatenate(counts), np.concatenate(corners))
    return points, scan.indices(triangles, len(points)) if len(triangles) else None, ()


IS_BLANK, IS_SPACE = (np.isin(np.arange(256), list(some)) for some in (b" \t", b" \t\r\f\v"))


def _find_lines(block):
    """Return (the block's letters and a line end, where each line starts, where the next does), to sort lines without a
    loop.
    """
    letters = np.frombuffer(block + b"\n ", np.uint8)
    ends = np.flatnonzero(letters == ord("\n")) + 1
    return letters, np.append(0, ends[:-1]), ends


def _split_obj(block):
    """Return the lines of vertices and those of faces of a block of an OBJ file, apart, so that each is parsed at once.

    (The vertices' lines, as one text; which lines these are; the same of faces.) The block ends a line.
    """
    letters, starts, ends = _find_lines(block)
    if IS_SPACE[letters[starts]].any():
        letters, starts, ends = _find_lines(b"\n".join(line.strip() for line in block.split(b"\n")))
    spaced = IS_BLANK[letters[starts + 1]]
    parts = []
    for letter in b"vf":
        is_chosen = spaced & (letters[starts] == letter)
        parts += letters[:-1][np.repeat(is_chosen, ends - starts)].tobytes(), np.flatnonzero(is_chosen)
    return parts


def _parse_triples(lines, first, what):
    """Return (n, 3), the coordinates in lines of a text mesh: the three numbers of each from its word `first` on.

    A line of fewer is refused; what : the lines, for the reason
    """
    columns = files.split_columns(lines)
    if columns and len(columns) >= first + 3:
        return files.parse_columns(columns[first : first + 3])
    rows = [line.split(None, first + 3)[first : first + 3] for line in lines]
    if any(len(row) < 3 for row in rows):
        raise Rejected("truncated", f"{what} with fewer than three coordinates: export or copy the file again")
    return files.parse_floats([token for row in rows for token in row]).reshape(-1, 3)


def _parse_corners(text):
    """Return (corners a face, vertex index of each corner as written) of an OBJ file's faces, `f v/vt/vn ...` lines."""
    text = re.sub(rb"/\S*", b"", text) if b"/" in text else text
    plain = plain_numbers.parse_rows(text, skipped=1)
    if plain is not None:
        counts, flat = np.full(len(plain), plain.shape[1]), plain.reshape(-1)
    else:
        rows = [line.split()[1:] for line in text.split(b"\n") if line]
        counts = np.array([len(row) for row in rows], int)
        flat = files.parse_floats([token for row in rows for token in row])
    if not np.all(np.abs(flat) < 2**31):
        raise Rejected("bad_triangles", "a face with an impossible vertex number: export the file again")
    return counts, flat


# Lines that are split at a time, so that their tokens stay small.
BATCH = 100_000
OFF = re.compile(rb"\s*((?:ST)?C?N?(?:4|n)?OFF)\b[ \t]*(BINARY)?")


def parse_off(data):
    """Return (points (n, 3) float64, triangles (t, 3) int32 or None, notices) of an OFF file's bytes."""
    magic = OFF.match(data)
    if magic[2] or b"4" in magic[1] or b"n" in magic[1]:
        raise Rejected("unsupported_format", "a binary or higher-dimensional OFF file: save it as ascii OFF or as PLY")
    texts = (text for block in files.split_blocks(data[magic.end() :]) for text in block.split(b"\n"))
    lines = filter(None, (text.partition(b"#")[0].strip() for text in texts))
    head = next(lines, b"").split()
    if len(head) not in (2, 3) or not all(re.fullmatch(rb"\d{1,18}", word) for word in head):
        raise Rejected("truncated", "an OFF file without its line of counts: export or copy it again")
    vertices, faces = int(head[0]), int(head[1])
    check_room("vertices and faces", vertices + faces, 2, len(data) - magic.end())
    check_count("points", vertices, MAX_POINTS)
    check_count("faces", faces, MAX_TRIANGLES)
    batches = _split_batches(lines, vertices, "vertices")
    points = np.concatenate([np.empty((0, 3)), *(_parse_triples(batch, 0, "a vertex") for batch in batches)])
    polygons = [(np.empty(0), np.empty(0)), *map(_parse_faces, _split_batches(lines, faces, "faces"))]
    triangles = scan.fan(*map(np.concatenate, zip(*polygons, strict=True)))
    return points, scan.indices(triangles, vertices) if len(triangles) else None, ()


def _split_batches(lines, count, what):
    """Yield the next `count` lines of an OFF file, so many at a time that their tokens stay small."""
    while count:
        batch = list(itertools.islice(lines, min(count, BATCH)))
        if not batch:
            raise Rejected("truncated", f"{count} of the {what} in the header are missing: export or copy it again")
        count -= len(batch)
        yield batch


def _parse_faces(lines):
    """Return (corners a face, vertex index of each corner) of an OFF file's faces, `m c_1 ... c_m [colour]` lines."""
    columns = files.split_columns(lines)
    if columns and len(columns) > 3 and columns[0].count(b"3") == len(lines):
        return np.full(len(lines), 3.0), files.parse_columns(columns[1:4]).reshape(-1)
    rows = [line.split() for line in lines]
    lengths = files.parse_floats([row[0] for row in rows])
    if any(not n <= len(row) - 1 for row, n in zip(rows, lengths, strict=True)):
        raise Rejected("truncated", "a face with fewer corners than it says: export or copy the file again")
    if np.any((lengths < 0) | (lengths != np.floor(lengths))):
        raise Rejected("bad_triangles", "a face with an impossible number of corners: export the file again")
    counted = zip(rows, lengths.astype(int), strict=True)
    return lengths, files.parse_floats([token for row, n in counted for token in row[1 : n + 1]])


STL_HEADER = 84
# Fewer than elsewhere: finding equal corners sorts three times as many rows.
MAX_FACETS = 2_000_000
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def is_binary_stl(data):
    """Return whether a file is a binary STL: its size is exactly what the count of triangles in it says."""
    return len(data) > STL_HEADER and len(data) == STL_HEADER + RECORD.itemsize * _read_claimed(data)


def is_ascii_stl(data):
    """Return whether a file is an ascii STL: its beginning reads like `solid name facet normal ...`."""
    return re.match(rb"\s*solid\b[^\n]*\n\s*facet\b", data[:4096].replace(b"\r", b"\n"), re.IGNORECASE) is not None


def parse_stl(data):
    """Return (points (n, 3) float64, triangles (t, 3) int32, notices) of an STL file's bytes."""
    if is_ascii_stl(data):
        corners = _parse_ascii(data)
    else:
        claimed = _read_claimed(data)
        check_room("triangles", claimed, RECORD.itemsize, len(data) - STL_HEADER)
        check_count("triangles", claimed, MAX_FACETS)
        corners = np.frombuffer(data, RECORD, claimed, STL_HEADER)["corners"]
    points, index = scan.merge(corners.reshape(-1, 3).astype(np.float64))
    return points, index.reshape(-1, 3).astype(np.int32), ()


def _read_claimed(data):
    """Return how many triangles a binary STL says that it has."""
    return int.from_bytes(data[80:84], "little")


def _parse_ascii(data):
    """Return the corners of an ascii STL's triangles, three numbers each, one after the other, for `parse_stl`."""
    parts, facets, total = [], 0, 0
    for block in files.split_blocks(data):
        lines = [line.strip() for line in block.lower().split(b"\n")]
        facets += lines.count(b"endfacet")
        vertices = [line for line in lines if line.startswith(b"vertex")]
        columns = files.split_columns(vertices) if vertices else [[]] * 4
        if columns is None or len(columns) != 4:
            raise Rejected("truncated", "a vertex without exactly three coordinates: export or copy the file again")
        parts.append(files.parse_columns(columns[1:]))
        total += parts[-1].size
        check_count("corners", total // 3, 3 * MAX_FACETS)
    if b"endsolid" not in data[-1000:].lower():
        raise Rejected("truncated", "no 'endsolid' at the end: the file is cut off; export or copy it again")
    if total != 9 * facets:
        raise Rejected(
            "truncated",
            f"{total // 3} vertices in {facets} complete facets, not three in each: the file is cut off or damaged; "
            "export or copy it again",
        )
    return np.concatenate(parts)
