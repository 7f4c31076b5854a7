"""Files of neighbouring cohorts: one record's bytes are an adversary's, the public frame around them stays.

Every reader of landmarks, sheets and scans has a form here, cut into the frame and the bytes of each record. A fault
changes a record's bytes, anywhere in them; two are combined, because what each leaves standing may fall together.
"""

import gzip
import io
import json
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

PEOPLE, LANDMARKS, SEED = 8, 5, 11
# The person whose bytes are the adversary's: others come before and after.
CHOSEN = 2
TOKEN = re.compile(rb"[^\s,;\t]+")
# Marks of a frame that no record is made of: a record that wrote one would be two records.
FRAME_OF_BLOCKS = re.compile(rb"(?im)^\s*((LM3?|ID|IMAGE)\s*=|'|\[)")

Fault = Callable[[bytes, np.random.Generator], bytes]


def _replace_token(word: bytes) -> Fault:
    """Return a fault, a word in a token's place, by which an audit tests that outsiders see nothing of that record."""

    def fault(own, rng):
        """Return a record's bytes `own` as an attack on privacy: the word in place of a token, which `rng` chooses."""
        tokens = list(TOKEN.finditer(own))
        if not tokens:
            return own + word
        token = tokens[rng.integers(len(tokens))]
        return own[: token.start()] + word + own[token.end() :]

    return fault


def _insert(word: bytes) -> Fault:
    """Return a fault, bytes put into one record, by which an audit tests that outsiders see nothing of that record."""

    def fault(own, rng):
        at = rng.integers(len(own) + 1)
        return own[:at] + word + own[at:]

    return fault


def _replace_tokens(word: bytes) -> Fault:
    """Return a fault, a word in each token's place, by which an audit tests that outsiders see nothing of it."""
    return lambda own, rng: TOKEN.sub(lambda _: word, own)


def _flip_bit(own: bytes, rng: np.random.Generator) -> bytes:
    """Return a record's bytes with a bit flipped, for the audit that outsiders see nothing of what a record holds."""
    if not own:
        return own
    at = int(rng.integers(len(own)))
    return own[:at] + bytes([own[at] ^ (1 << int(rng.integers(8)))]) + own[at + 1 :]


@cache
def _rim_mesh() -> bytes:
    """Return a hostile scan as PLY: a bowl in strips two vertices wide, all of whose 10,000 vertices lie on its rim.

    The map of a rim takes memory by the square of its length, so such a scan must be refused in time.
    """
    side = 100
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(side), np.arange(side)))
    points = np.column_stack([x, y, 60 - ((x - side / 2) ** 2 + (y - side / 2) ** 2) / 50])
    corner = np.flatnonzero((x < side - 1) & (y < side - 1) & ((y % 2 == 0) | (x == 0)))
    halves = [[corner, corner + 1, corner + side + 1], [corner, corner + side + 1, corner + side]]
    triangles = np.concatenate(halves, axis=1).T
    return b"ply\nformat ascii 1.0\n" + _ply_head(points, triangles) + _rows(points) + b"\n" + _ply_triangles(triangles)


FAULTS: dict[str, Fault] = {
    "a quotation mark that opens": _insert(b'"'),
    "a quoted number that does not close": _replace_token(b'"1.0'),
    "quotation marks around a comma": _replace_token(b'"1,0"'),
    "doubled quotation marks": _insert(b'""'),
    "a form feed": _insert(b"\x0c"),
    "a vertical tab": _insert(b"\x0b"),
    "a file separator": _insert(b"\x1c"),
    "a record separator": _insert(b"\x1e"),
    "a next line": _insert("\x85".encode()),
    "a line separator": _insert("\u2028".encode()),
    "a paragraph separator": _insert("\u2029".encode()),
    "a carriage return": _insert(b"\r"),
    "a carriage return at the end": lambda own, rng: own + b"\r",
    "a tab": _insert(b"\t"),
    "a comma too many": _insert(b","),
    "a semicolon too many": _insert(b";"),
    "semicolons behind 300 digits": lambda own, rng: b"1" * 300 + b";" * 60,
    "a parameter line": lambda own, rng: b"%dL\t%d\t0\tDIM=2" % (PEOPLE, 2 * LANDMARKS),
    "a comma too few": lambda own, rng: own.replace(b",", b"", 1),
    "a decimal comma": lambda own, rng: own.replace(b".", b",", 1),
    "a zero byte": _insert(b"\x00"),
    "a byte that is no text": _insert(b"\xff"),
    "half a letter": _insert(b"\xc3"),
    "a byte order mark": _insert(b"\xef\xbb\xbf"),
    "a mark of UTF-16": _insert(b"\xff\xfe"),
    "a space without width": _insert("\u200b".encode()),
    "a soft hyphen": _insert("\u00ad".encode()),
    "a mark that turns the reading": _insert("\u202e".encode()),
    "a space that does not break": _insert("\u00a0".encode()),
    "digits of another script": _replace_token("١٢٣".encode()),
    "a square": _replace_token("²".encode()),
    "squares for letters": lambda own, rng: re.sub(rb"F-(\d)", lambda at: "²³¹⁴⁵"[int(at[1])].encode(), own),
    "a minus sign that is none": _replace_token("\u22121.5".encode()),
    "200,000 digits": _replace_token(b"1" * 200_000),
    "201 characters": _replace_token(b"a" * 201),
    "1e308": _replace_token(b"1e308"),
    "all 1e308": _replace_tokens(b"1e308"),
    "1.8e308": _replace_token(b"1.7976931348623157e308"),
    "more than a number holds": _replace_token(b"1e999"),
    "all tiny": _replace_tokens(b"1e-320"),
    "all equal": _replace_tokens(b"3"),
    "all nothing": _replace_tokens(b"NA"),
    "nan": _replace_token(b"nan"),
    "infinity": _replace_token(b"-inf"),
    "a missing number": _replace_token(b"NA"),
    "a word": _replace_token(b"seven"),
    "a number with an underscore": _replace_token(b"1_0"),
    "a hexadecimal number": _replace_token(b"0x1p1023"),
    "a formula": _replace_token(b"=1+cmd"),
    "brackets": _insert(b"[{("),
    "no bytes": lambda own, rng: b"",
    "blanks alone": lambda own, rng: b"   ",
    "half of the bytes": lambda own, rng: own[: len(own) // 2],
    "twice the bytes": lambda own, rng: own + b" " + own,
    "a scale of 1e306": lambda own, rng: own + b"\nSCALE=1e306",
    "a scale that is none": lambda own, rng: own + b"\nSCALE=",
    "a number too many": lambda own, rng: own + b",1.0",
    "a mesh that is all rim": lambda own, rng: _rim_mesh(),
    "brackets that open without end": lambda own, rng: b"#VRML V1.0 ascii\n" + b"point[" * 200_000,
    "quotation marks behind commas without end": lambda own, rng: own + b',"' * 200_000,
    "blanks without end": lambda own, rng: own + b" " * 400_000 + b"q",
    "random bytes": lambda own, rng: rng.bytes(int(rng.integers(1, 40))),
    "a bit": _flip_bit,
}


def apply_faults(own: bytes, names: tuple[str, ...], rng: np.random.Generator) -> bytes:
    """Return a record's bytes as an adversary left them, for the audit that outsiders see nothing of what it holds.

    The faults of these names strike one after the other.
    """
    for name in names:
        own = FAULTS[name](own, rng)
    return own


@dataclass(frozen=True)
class Form:
    """A kind of file, cut into its public frame and the bytes of each record.

    own : landmarks (k, d) -> the bytes of a record; whole : the bytes of all records -> {file name: bytes}
    lines : whether a record is within one line, which ends at a line feed
    """

    name: str
    dimensions: int
    own: Callable[[np.ndarray], bytes]
    whole: Callable[[list[bytes]], dict[str, bytes]]
    lines: bool = True

    def files(self, names: tuple[str, ...], seed: int) -> dict[str, bytes]:
        """Return the files of a cohort, {name: bytes}, in which the chosen person's bytes are an adversary's.

        They have these faults.

        Parameters
        ----------
        names : tuple of str
            Of FAULTS.
        seed : int
            Of the places where they strike.
        """
        records = [self.own(shape) for shape in draw_landmarks(self.dimensions, PEOPLE, SEED)]
        chosen_bytes = apply_faults(records[CHOSEN], names, np.random.default_rng(seed))
        if self.lines:
            # A line feed ends a record in these forms, and belongs to the public frame.
            chosen_bytes = chosen_bytes.replace(b"\n", b" ") or b" "
        records[CHOSEN] = FRAME_OF_BLOCKS.sub(b"", chosen_bytes)
        return self.whole(records)


def public_landmarks(dimensions: int) -> np.ndarray:
    """Return landmarks (12, k, d) of other people, which everybody knows."""
    return draw_landmarks(dimensions, 12, SEED + 1)


def draw_landmarks(dimensions: int, count: int, seed: int) -> np.ndarray:
    """Return landmarks (count, k, d) of people who differ a little."""
    base = np.random.default_rng(SEED).normal(size=(LANDMARKS, dimensions))
    return (base + 0.05 * np.random.default_rng(seed).normal(size=(count, LANDMARKS, dimensions))).round(6)


def _row(shape, sign=","):
    """Return a point's or a shape's numbers in one line."""
    return sign.join(map(str, shape.ravel())).encode()


def _rows(shape, sign=" "):
    """Return a line for each point of a shape."""
    return b"\n".join(_row(point, sign) for point in shape)


def _columns(dimensions):
    """Return the names of the columns of all landmarks' coordinates."""
    return [f"{axis}{j + 1}" for j in range(LANDMARKS) for axis in "xyz"[:dimensions]]


def _table(name, header, between, dimensions=2):
    """Return the Form of a table of landmarks with one record a row, into which faults are put.

    between : what parts its cells
    """

    def whole(records):
        lines = [f"s{at}{between}".encode() + own for at, own in enumerate(records)]
        return {name: b"\n".join([*([header.encode()] if header else []), *lines]) + b"\n"}

    return Form(f"{name} {header[:12]}".strip(), dimensions, lambda shape: _row(shape, between), whole)


def _blocks(records):
    """Return a TPS block for each record."""
    return [b"LM=5\n" + own + b"\nID=s%d\n" % at for at, own in enumerate(records)]


def _nts(records):
    """Return {file name: bytes} of an NTS file of the records."""
    labels = b" ".join(b"s%d" % at for at in range(PEOPLE))
    return {"a.nts": b"1 %dL %d 0 DIM=2\n%s\n" % (PEOPLE, 2 * LANDMARKS, labels) + b"\n".join(records) + b"\n"}


def _morphologika(records, mark=b"'s%d\n"):
    """Return a Morphologika file of the records, one of which is an adversary's bytes.

    mark : the line before each individual, with its number, or b"" for none
    """
    names = b"".join(b"s%d\n" % at for at in range(PEOPLE))
    counts = b"[individuals]\n%d\n[landmarks]\n%d\n[dimensions]\n2\n" % (PEOPLE, LANDMARKS)
    points = b"".join((mark % at if mark else b"") + own + b"\n" for at, own in enumerate(records))
    return {"a.txt": counts + b"[names]\n" + names + b"[rawpoints]\n" + points}


def _long(records):
    """Return a table with one landmark a row, one of whose records is an adversary's bytes.

    A record's bytes lie in its rows between id and landmark at the left and the line's end.
    """
    text = b"id,landmark,x,y\n"
    for at, own in enumerate(records):
        rows = (own.split(b"\n") + [b""] * LANDMARKS)[:LANDMARKS]
        text += b"".join(b"s%d,%d,%s\n" % (at, j + 1, row) for j, row in enumerate(rows))
    return {"a.csv": text}


def _single(ending, before=b""):
    """Return what writes each record into a file of its own."""
    return lambda records: {f"s{at}{ending}": before + own for at, own in enumerate(records)}


def _markups(shape):
    """Return a shape as a file of markups that 3D Slicer writes, in JSON."""
    points = [{"label": f"F-{j}", "position": list(point)} for j, point in enumerate(shape)]
    return json.dumps({"markups": [{"coordinateSystem": "LPS", "controlPoints": points}]}).encode()


def _fcsv(shape):
    """Return a shape as a file of fiducials that 3D Slicer writes."""
    rows = (b"%d,%s,0,0,0,1,1,1,0,F-%d,,\n" % (j, _row(point), j) for j, point in enumerate(shape))
    return b"# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n" + b"".join(rows)


def _pts(shape):
    """Return a shape as a PTS file."""
    return b"Version 1.0\n5\n" + b"".join(b"S%03d %s\n" % (j, _row(point, " ")) for j, point in enumerate(shape))


def _array_bytes(save, *arrays, **named):
    """Return the bytes of an array file as `save` of numpy writes it, in which faults are then put."""
    stream = io.BytesIO()
    save(stream, *arrays, **named)
    return stream.getvalue()


LANDMARK_FORMS = (
    _table("a.csv", "id," + ",".join(_columns(2)), ","),
    _table("a.tsv", "id\t" + "\t".join(_columns(2)), "\t"),
    _table("a.csv", "", ","),
    _table("a.txt", "Id\t" + "\t".join(f"RawCoord{j}" for j in range(10)), "\t"),
    _table("a.txt", "", "\t"),
    _table("b.csv", "id;" + ";".join(_columns(3)), ";", 3),
    Form("a.csv long", 2, lambda shape: _rows(shape, ","), _long, lines=False),
    Form("a.tps", 2, _rows, lambda records: {"a.tps": b"".join(_blocks(records))}, lines=False),
    Form("a.nts", 2, lambda shape: _row(shape, " "), _nts),
    Form("a.txt morphologika", 2, _rows, _morphologika, lines=False),
    Form("a.txt morphologika in turn", 2, lambda shape: _row(shape, " "), lambda records: _morphologika(records, b"")),
    Form("s.mrk.json", 3, _markups, _single(".mrk.json"), lines=False),
    Form("s.fcsv", 3, _fcsv, _single(".fcsv"), lines=False),
    Form("s.pts", 3, _pts, _single(".pts"), lines=False),
    Form("s.csv", 2, lambda shape: _rows(shape, ","), _single(".csv", b"x,y\n"), lines=False),
    Form("s.npy", 2, lambda shape: _array_bytes(np.save, shape[None]), _single(".npy"), lines=False),
    Form("s.npz", 2, lambda shape: _array_bytes(np.savez, X=shape[None]), _single(".npz"), lines=False),
    Form(
        "s.tps",
        2,
        _rows,
        lambda records: {f"f{at}.tps": block for at, block in enumerate(_blocks(records))},
        lines=False,
    ),
)
# Header; how a row begins; the sound cells of each person.
SHEETS = {
    "landmark sheet": (b"id,person,group,side,age,sex,note", b"s%d,p%d,", b"a,left,34,women,a note"),
    "sample sheet": (b"path,person,group,nose_x,nose_y,nose_z,age,sex", b"f%d.ply,p%d,", b"a,1.5,2.5,-3,34,women"),
}


def write_sheet(kind: str, names: tuple[str, ...], seed: int) -> bytes:
    """Return the bytes of a sheet beside landmarks or scans in which the chosen person's cells are an adversary's.

    Scans are f0.ply, f1.ply, ...

    Parameters
    ----------
    kind : str
        Of SHEETS.
    names : tuple of str
        Of FAULTS.
    seed : int
        Of the places where they strike.
    """
    header, start, cells = SHEETS[kind]
    own = apply_faults(cells, names, np.random.default_rng(seed)).replace(b"\n", b" ")
    rows = [start % (at, at) + (own if at == CHOSEN else cells) for at in range(PEOPLE)]
    return b"\n".join([header, *rows]) + b"\n"


def make_scan_files() -> dict[str, bytes]:
    """Return {file name: bytes} of one sound scan in each format that is read, in which faults are then put.

    The scan is a small open surface.
    """
    # Imported late: it takes a second of start.
    import trimesh

    flat = np.stack(np.meshgrid(np.arange(7.0), np.arange(7.0)), axis=-1).reshape(-1, 2) * 20
    points = np.column_stack([flat, 40 - 0.01 * ((flat - 60) ** 2).sum(axis=1)])
    corner = np.array([i * 7 + j for i in range(6) for j in range(6)])
    triangles = np.concatenate([[corner, corner + 1, corner + 8], [corner, corner + 8, corner + 7]], axis=1).T
    mesh = trimesh.Trimesh(points, triangles, process=False)
    rows, faces, head = _rows(points) + b"\n", _ply_triangles(triangles), _ply_head(points, triangles)
    binary = points.astype("<f8").tobytes() + b"".join(struct.pack("<B3i", 3, *triangle) for triangle in triangles)
    ply = b"ply\nformat ascii 1.0\n" + head + rows + faces
    return {
        "a.ply": ply,
        "b.ply": b"ply\nformat binary_little_endian 1.0\n" + head + binary,
        "a.obj": mesh.export(file_type="obj").encode(),
        "a.off": b"OFF\n%d %d 0\n" % (len(points), len(triangles)) + rows + faces,
        "a.stl": mesh.export(file_type="stl_ascii").encode(),
        "b.stl": mesh.export(file_type="stl"),
        "a.xyz": rows,
        "a.csv": b"x,y,z\n" + rows.replace(b" ", b","),
        "a.npy": _array_bytes(np.save, points),
        "a.npz": _array_bytes(np.savez, points=points, triangles=triangles),
        "a.ply.gz": gzip.compress(ply, mtime=0),
    }


def _ply_head(points, triangles):
    """Return the head of a PLY file of these points and triangles."""
    head = b"element vertex %d\nproperty double x\nproperty double y\nproperty double z\n" % len(points)
    return head + b"element face %d\nproperty list uchar int vertex_indices\nend_header\n" % len(triangles)


def _ply_triangles(triangles):
    """Return the triangles as lines of a PLY file."""
    return b"".join(b"3 %d %d %d\n" % tuple(triangle) for triangle in triangles)


def draw_faults(seed: int) -> tuple[str, ...]:
    """Return the names of one fault, or of two, that a seed stands for."""
    names, rng = list(FAULTS), np.random.default_rng([SEED, seed])
    return tuple(names[at] for at in rng.integers(len(names), size=1 + int(rng.integers(4) > 0)))
