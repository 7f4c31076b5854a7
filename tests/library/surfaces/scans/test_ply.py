"""PCD and VRML 1.0 as other programs write them; what is damaged is refused in words."""

import struct

import numpy as np
import pytest

from shapedp.base.errors import Rejected
from shapedp.surfaces import scans

POINTS = np.random.default_rng(3).normal(size=(50, 3)).astype("<f4") * 50
HEAD = (
    "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F U\n"
    "COUNT 1 1 1 1\nWIDTH 50\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 50\nDATA {}\n"
)


def literal(data):
    """Bytes packed by LZF without any reference."""
    return b"".join(bytes([len(data[at : at + 32]) - 1]) + data[at : at + 32] for at in range(0, len(data), 32))


def written(kind):
    head = HEAD.format(kind).encode()
    if kind == "ascii":
        return head + "".join(f"{x!r} {y!r} {z!r} 255\n" for x, y, z in POINTS.astype(float).tolist()).encode()
    if kind == "binary":
        return head + b"".join(row.tobytes() + struct.pack("<I", 255) for row in POINTS)
    plain = POINTS.T.tobytes() + struct.pack("<50I", *[255] * 50)
    packed = literal(plain[:-200]) + bytes([3]) + plain[-200:-196] + bytes([(7 << 5) | 0, 196 - 2 - 7, 3])
    return head + struct.pack("<II", len(packed), len(plain)) + packed


@pytest.mark.parametrize("kind", ["ascii", "binary", "binary_compressed"])
def test_each_kind_is_read(tmp_path, kind):
    (tmp_path / "a.pcd").write_bytes(written(kind))
    found = scans.read(tmp_path / "a.pcd")
    assert np.array_equal(found.points, POINTS.astype(float)) and found.triangles is None
    assert not [notice for notice in found.notices if "content" in notice]


@pytest.mark.parametrize("kind", ["ascii", "binary", "binary_compressed"])
@pytest.mark.parametrize("cut", [0.3, 0.6, 0.9])
def test_what_is_cut_off_is_refused(tmp_path, kind, cut):
    data = written(kind)
    (tmp_path / "a.pcd").write_bytes(data[: int(cut * len(data))])
    with pytest.raises(Rejected):
        scans.read(tmp_path / "a.pcd")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("POINTS 50", "POINTS 5000000000"),
        ("POINTS 50", "POINTS -1"),
        ("FIELDS x y z", "FIELDS a b c"),
        ("SIZE 4 4", "SIZE 3 4"),
        ("COUNT 1 1 1 1", "COUNT 1 1 1 99999999"),
        ("TYPE F", "TYPE O"),
        ("DATA", "DATUM"),
    ],
)
def test_headers_that_lie_are_refused(tmp_path, old, new):
    (tmp_path / "a.pcd").write_bytes(written("binary").replace(old.encode(), new.encode()))
    with pytest.raises(Rejected):
        scans.read(tmp_path / "a.pcd")


def test_vrml_1_is_read_with_its_faces_and_without(tmp_path):
    rows = ",\n".join(f"{x} {y} {z}" for x, y, z in POINTS)
    text = "#VRML V1.0 ascii\nSeparator {{ Coordinate3 {{ point [ {} ] }} {} }}\n"
    (tmp_path / "a.wrl").write_text(text.format(rows, "PointSet { }"))
    assert scans.read(tmp_path / "a.wrl").points.shape == (50, 3)
    (tmp_path / "a.wrl").write_text(text.format(rows, "IndexedFaceSet { coordIndex [ 0, 1, 2, -1, 0, 1, 2, 3, -1 ] }"))
    found = scans.read(tmp_path / "a.wrl")
    assert found.triangles.tolist() == [[0, 1, 2], [0, 1, 2], [0, 2, 3]] and not any(
        "content" in n for n in found.notices
    )
