"""Damaged scan files: valid files of every format with bytes changed, read to a clean scan or a refusal."""

import io
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import scipy.io

from shapedp.base import writers
from shapedp.base.errors import Rejected
from shapedp.surfaces import scans

# Tokens that have meaning in one of the formats; put in where they should not be.
TOKENS = (
    b"nan",
    b"inf",
    b"-",
    b"1e999",
    b"1_0",
    b"-1",
    b"0",
    b"99999999999999999999",
    b"4294967295",
    b"1,5",
    b"1.#QNAN",
    b"\n",
    b"\r",
    b"\r\n",
    b",",
    b";",
    b"\t",
    b"/",
    b'"',
    b"#",
    b"\\\n",
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"ply\n",
    b"end_header\n",
    b"element vertex 7\n",
    b"element face 3\n",
    b"property list uchar int vertex_index\n",
    b"property list float double x\n",
    b"format ascii 1.0\n",
    b"format binary_big_endian 1.0\n",
    b"OFF\n",
    b"solid\n",
    b"v 1 2 3\n",
    b"f 1 2 3\n",
    b"f -1 -2 -3\n",
    b"endfacet\n",
    b"x,y,z\n",
    b"\x93NUMPY",
    b"PK\x03\x04",
    b"'descr': '|O'",
)


def points_and_triangles():
    """A small curved sheet, (30, 3) points and (40, 3) triangles."""
    x, y = np.meshgrid(np.arange(6.0), np.arange(5.0), indexing="ij")
    points = np.column_stack([x.ravel(), y.ravel(), 0.1 * (x * y).ravel() ** 1.5]) * 20
    corner = (np.arange(5)[:, None] * 5 + np.arange(4)).ravel()
    lower = np.column_stack([corner, corner + 5, corner + 1])
    return points, np.concatenate([lower, np.column_stack([corner + 1, corner + 5, corner + 6])]).astype(np.int32)


def valid_files():
    """{name: bytes}: one sound file of each format and variant."""
    points, triangles = points_and_triangles()
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("ply", "obj", "xyz", "csv", "npy"):
            path = Path(folder) / f"written.{suffix}"
            writers.write_scan(path, points, triangles if suffix in ("ply", "obj") else None)
            files[path.name] = path.read_bytes()
    rows = "".join(f"{x:.3f} {y:.3f} {z:.3f}\n" for x, y, z in points)
    faces = "".join(f"3 {a} {b} {c}\n" for a, b, c in triangles) + "4 0 5 6 1\n"
    files["ascii.ply"] = _ply_header("ascii", len(points), len(triangles) + 1) + (rows + faces).encode()
    files["big.ply"] = _big_endian_ply(points, triangles)
    files["faces.off"] = f"OFF\n{len(points)} {len(triangles) + 1} 0\n{rows}{faces}".encode()
    files["comma.csv"] = ("X_mm;Y_mm;Z_mm\n" + rows.replace(".", ",").replace(" ", ";")).encode("utf-16")
    files["quoted.tsv"] = (
        '"id"\t"x"\t"y"\t"z"\n' + "".join(f'"p"\t{r.replace(" ", chr(9))}\n' for r in rows.splitlines())
    ).encode()
    files["binary.stl"], files["ascii.stl"] = _stl(points[triangles])
    files |= _archives(points, triangles)
    return files


def _ply_header(encoding, vertices, faces):
    header = f"ply\nformat {encoding} 1.0\ncomment a comment\nelement vertex {vertices}\n"
    header += "".join(f"property float {axis}\n" for axis in "xyz")
    return f"{header}element face {faces}\nproperty list uchar int vertex_indices\nend_header\n".encode()


def _big_endian_ply(points, triangles):
    rows = b"".join(b"\x03" + row.astype(">i4").tobytes() for row in triangles)
    quad = b"\x04" + np.array([0, 5, 6, 1], ">i4").tobytes()
    return (
        _ply_header("binary_big_endian", len(points), len(triangles) + 1) + points.astype(">f4").tobytes() + rows + quad
    )


def _stl(corners):
    records = np.zeros(len(corners), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    records["corners"] = corners
    binary = b"solid, but binary".ljust(80) + len(corners).to_bytes(4, "little") + records.tobytes()
    lines = ["solid scan"]
    for facet in corners.tolist():
        vertices = [f"vertex {x!r} {y!r} {z!r}" for x, y, z in facet]
        lines += ["facet normal 0 0 1", "outer loop", *vertices, "endloop", "endfacet"]
    return binary, "\n".join([*lines, "endsolid scan\n"]).encode()


def _archives(points, triangles):
    files = {}
    for name, save in {"stored.npz": np.savez, "packed.npz": np.savez_compressed}.items():
        save(stream := io.BytesIO(), points=points, triangles=triangles)
        files[name] = stream.getvalue()
    for name, packed in {"plain.mat": False, "packed.mat": True}.items():
        scipy.io.savemat(stream := io.BytesIO(), {"vertices": points, "faces": triangles + 1}, do_compression=packed)
        files[name] = stream.getvalue()
    with zipfile.ZipFile(stream := io.BytesIO(), "w") as archive:
        archive.writestr("notes.txt", "no scan")
    files["other.zip"] = stream.getvalue()
    return files


def mutate(data, rng):
    """A damaged copy of the bytes: one to four of flips, cuts, repeats, tokens, zeros, swaps, at random places."""
    data = bytearray(data)
    for _ in range(rng.integers(1, 5)):
        # half the places lie in the first 200 bytes, where the headers are
        end = len(data) if rng.random() < 0.5 else min(len(data), 200)
        a, b = sorted(int(k) for k in rng.integers(0, end + 1, 2))
        b = min(b, a + int(rng.choice([1, 4, 30, 1000])))
        change = rng.integers(7)
        if change == 0:
            data[a:b] = rng.bytes(b - a)
        elif change == 1:
            del data[a:b]
        elif change == 2:
            data[a:a] = data[a:b]
        elif change == 3:
            data[a:a] = TOKENS[rng.integers(len(TOKENS))]
        elif change == 4:
            data[a:b] = bytes(b - a)
        elif change == 5:
            del data[a if rng.random() < 0.2 else len(data) :]
        elif a < len(data):
            data[a] ^= 1 << int(rng.integers(8))
    return bytes(data)


def is_clean(scan):
    """Whether a scan keeps the promises of scans.Scan."""
    points, triangles = scan.points, scan.triangles
    sound = points.dtype == np.float64 and points.shape[1:] == (3,) and len(points) >= 4 and np.isfinite(points).all()
    sound = sound and len(np.unique(points, axis=0)) == len(points) and all(isinstance(n, str) for n in scan.notices)
    if triangles is not None:
        sound = sound and triangles.dtype == np.int32 and triangles.min() >= 0 and triangles.max() < len(points)
    return bool(sound)


def outcome(path):
    """ "clean", the reason code of a refusal, or what escaped: the name of an exception, "unclean" or "unnamed"."""
    try:
        return "clean" if is_clean(scans.read(path)) else "escaped: unclean"
    except Rejected as error:
        return error.code if path.name in str(error) else "escaped: unnamed"
    except Exception as error:
        return f"escaped: {type(error).__name__} {error}"


def fuzz(inputs=20_000, seed=20261121, seen=None):
    """(inputs, escaped): read that many damaged files; escaped counts all but clean scans and refusals.

    seen : a Counter of outcomes to fill, or None
    """
    rng = np.random.default_rng(seed)
    files = list(valid_files().items())
    escaped = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(inputs):
            name, data = files[i % len(files)]
            path = Path(folder) / (name if rng.random() < 0.9 else files[rng.integers(len(files))][0])
            path.write_bytes(mutate(data, rng))
            found = outcome(path)
            escaped += found.startswith("escaped")
            if seen is not None:
                seen[found] += 1
    return inputs, escaped
