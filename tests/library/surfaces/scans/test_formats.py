"""Hand-written files of each format and variant, and what must be read from them."""

import io

import numpy as np
import pytest
import scipy.io
from numpy.testing import assert_array_equal

from library.surfaces.scans.faulty_files import npy, ply_header
from shapedp.base.errors import Rejected
from shapedp.surfaces import scans

# Five corners of a box of 100 mm, no two coordinates alike in size, so that no two axes can be swapped unseen.
POINTS = np.array([[0.5, 1.25, 2], [100.5, 1.25, 2], [100.5, 81.25, 2], [0.5, 81.25, 2], [50, 40, -60]])
ROWS = b"".join(b"%.2f %.2f %.2f\n" % tuple(row) for row in POINTS)
FACES = b"4 0 1 2 3\n3 0 4 1\n"
TRIANGLES = [[0, 1, 2], [0, 2, 3], [0, 4, 1]]


@pytest.fixture
def read(tmp_path):
    """Read bytes as a file of the given name."""

    def read_bytes(name, data):
        (tmp_path / name).write_bytes(data)
        return scans.read(tmp_path / name)

    return read_bytes


def stl_records(corners):
    """The records of a binary STL from their corners, 9 t numbers."""
    records = np.zeros(corners.size // 9, [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    records["corners"] = corners.reshape(-1, 3, 3)
    return records.tobytes()


def packed(order, types, rows):
    """Rows as consecutive values of the given types."""
    return b"".join(np.array(v, order + t).tobytes() for row in rows for t, v in zip(types, row, strict=True))


FACE_LIST = "element face 2\nproperty list uchar int vertex_indices\n"


def test_ply_ascii_with_a_polygon_split_into_a_fan(read):
    scan = read("a.ply", ply_header(5, extra=FACE_LIST) + ROWS + FACES)
    assert_array_equal(scan.points, POINTS)
    assert_array_equal(scan.triangles, TRIANGLES)
    assert scan.points.dtype == np.float64
    assert scan.triangles.dtype == np.int32
    assert scan.notices == ()


@pytest.mark.parametrize(("encoding", "order"), [("binary_little_endian", "<"), ("binary_big_endian", ">")])
def test_ply_binary_of_either_byte_order(read, encoding, order):
    faces = packed(order, ["u1"] + ["i4"] * 4, [[4, 0, 1, 2, 3]]) + packed(order, ["u1"] + ["i4"] * 3, [[3, 0, 4, 1]])
    scan = read("a.ply", ply_header(5, encoding, FACE_LIST) + POINTS.astype(order + "f4").tobytes() + faces)
    assert_array_equal(scan.points, POINTS)
    assert_array_equal(scan.triangles, TRIANGLES)


def test_byte_order_is_that_of_the_format_line(read):
    one = b"\x3f\x80\x00\x00"  # 1.0 with the most significant byte first
    two = b"\x40\x00\x00\x00"  # 2.0
    rows = one + one + one + two + one + one + one + two + one + one + one + two
    scan = read("a.ply", ply_header(4, "binary_big_endian") + rows)
    assert_array_equal(scan.points, [[1, 1, 1], [2, 1, 1], [1, 2, 1], [1, 1, 2]])


@pytest.mark.parametrize("order", ["<", ">"])
def test_ply_extra_properties_lists_and_elements_in_any_order(read, order):
    encoding = {"<": "binary_little_endian", ">": "binary_big_endian"}[order]
    header = (
        f"ply\r\nformat {encoding} 1.0\r\ncomment by hand\r\nobj_info none\r\nelement camera 2\r\nproperty short id\r\n"
        "element face 2\r\nproperty uchar flag\r\nproperty list uchar float uv\r\n"
        "property list ushort uint vertex_index\r\nelement vertex 5\r\nproperty double quality\r\nproperty float z\r\n"
        "property list uchar short bones\r\nproperty double x\r\nproperty int y\r\nproperty uchar red\r\nend_header\r\n"
    ).encode()
    body = packed(order, ["i2"], [[7], [8]])
    body += packed(order, ["u1", "u1", "f4", "f4", "u2", "u4", "u4", "u4"], [[9, 2, 0.1, 0.2, 3, 0, 1, 2]])
    body += packed(order, ["u1", "u1", "u2"] + ["u4"] * 4, [[9, 0, 4, 0, 2, 3, 4]])
    for i, (x, y, z) in enumerate(np.round(POINTS)):
        body += packed(order, ["f8", "f4", "u1"] + ["i2"] * i + ["f8", "i4", "u1"], [[0.9, z, i, *range(i), x, y, 255]])
    scan = read("a.ply", header + body)
    assert_array_equal(scan.points, np.round(POINTS))
    assert_array_equal(scan.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]])
    assert scan.notices == ("2 records of kind 'camera' ignored",)


def test_obj_colours_slashes_negative_indices_and_continued_lines(read):
    vertices = [b"v %.2f %.2f %.2f" % tuple(row) for row in POINTS]
    lines = [
        b"# a comment",
        b"mtllib face.mtl",
        b"o face",
        vertices[0] + b" 0.1 0.2 0.3",
        *vertices[1:3],
        b"vt 0 0",
        b"vn 0 0 1",
    ]
    lines += [
        b"f 1/1/1 2/1/1 3/1/1",
        b"\tv\t0.5 81.25 \\",
        b"2.00",
        b"f 1//1 3//1 -1//1",
        vertices[4],
        b"f -5 -1 -4",
        b"l 1 2",
    ]
    scan = read("a.obj", b"\r\n".join(lines).replace(b"\\\r\n", b"\\\n"))
    assert_array_equal(scan.points, POINTS)
    assert_array_equal(scan.triangles, TRIANGLES)


def test_obj_polygons_are_split_into_fans(read):
    vertices = b"".join(b"v %.2f %.2f %.2f\n" % tuple(row) for row in POINTS)
    assert_array_equal(read("a.obj", vertices + b"f 1 2 3 4\nf 1 5 2\n").triangles, TRIANGLES)
    assert_array_equal(read("b.obj", vertices + b"f 1/1 2/1 3/1 4/1\n").triangles, TRIANGLES[:2])


def test_stl_corners_that_coincide_are_one_vertex(read):
    corners = POINTS[np.array(TRIANGLES)]
    ascii_stl = b"solid a face\n"
    for facet in corners:
        ascii_stl += b"  facet normal 0 0 0\n    outer loop\n"
        ascii_stl += b"".join(b"      vertex %.2f %.2f %.6e\n" % tuple(v) for v in facet) + b"    endloop\n  endfacet\n"
    binary_stl = b"solid by its first word only".ljust(80) + b"\x03\x00\x00\x00" + stl_records(corners)
    for data in (ascii_stl + b"endsolid\n", ascii_stl.upper() + b"ENDSOLID A", binary_stl):
        scan = read("a.stl", data)
        assert_array_equal(scan.points[scan.triangles], corners)
        assert len(scan.points) == 5
        assert scan.notices == ()


@pytest.mark.parametrize(
    "data",
    [
        b"OFF\n5 2 0\n" + ROWS + FACES,
        b"OFF 5 2 0\n# a comment\n\n" + ROWS + b"4 0 1 2 3 255 0 0\n3 0 4 1 0.5 0.5 0.5\n",
        b"COFF\n5 2 0\n" + ROWS.replace(b"\n", b" 1 2 3 255\n") + FACES,
        b"NOFF\n5 2\n" + ROWS.replace(b"\n", b" 0 0 1 # a normal\n") + FACES,
    ],
)
def test_off(read, data):
    scan = read("a.off", data)
    assert_array_equal(scan.points, POINTS)
    assert_array_equal(scan.triangles, TRIANGLES)


COMMAS = ROWS.replace(b".", b",")
TABLES = {
    "plain.xyz": ROWS,
    "indented.txt": b"  " + ROWS.replace(b"\n", b"  \n  ").replace(b" ", b"  "),
    "tabs.xyz": ROWS.replace(b" ", b"\t"),
    "colours.xyz": ROWS.replace(b"\n", b" 255 0 0\n"),
    "count.pts": b"5\n" + ROWS.replace(b"\n", b" 0.5 255 0 0\n"),
    "comments.asc": b"# made by hand\n//X Y Z\n" + ROWS.replace(b"\n", b"\n# again\n"),
    "numpy.txt": b"# x, y, z\n" + ROWS,
    "comma.csv": ROWS.replace(b" ", b","),
    "comma_space.csv": ROWS.replace(b" ", b", "),
    "old_mac.csv": (b"x,y,z\n" + ROWS.replace(b" ", b",")).replace(b"\n", b"\r"),
    "windows.csv": (b"x,y,z\n" + ROWS.replace(b" ", b",")).replace(b"\n", b"\r\n"),
    "semicolon.csv": b"x;y;z\n" + COMMAS.replace(b" ", b";") + b";;\n",
    "semicolon_no_header.csv": COMMAS.replace(b" ", b";"),
    "spaces.txt": COMMAS,
    "tabs.tsv": b"X [mm]\tY [mm]\tZ [mm]\n" + COMMAS.replace(b" ", b"\t"),
    "quoted.csv": b'"x","y","z"\n' + b"".join(b'"%b"\n' % row.replace(b" ", b'","') for row in COMMAS.splitlines()),
    "mark.csv": b"\xef\xbb\xbfx;y;z\n" + ROWS.replace(b" ", b";"),
    "utf16.csv": ("x;y;z\n" + COMMAS.replace(b" ", b";").decode()).encode("utf-16"),
    "utf16_big.csv": b"\xfe\xff" + ("x;y;z\n" + COMMAS.replace(b" ", b";").decode()).encode("utf-16-be"),
    "utf16_unmarked.csv": ("x;y;z\n" + COMMAS.replace(b" ", b";").decode()).encode("utf-16-le"),
    "latin1.csv": "Größe;x;y;z\n".encode("latin-1")
    + b"".join(b"\xfc;%b\n" % r.replace(b" ", b";") for r in ROWS.splitlines()),
    "index.csv": b",x,y,z\n"
    + b"".join(b"%d,%b\n" % (i, r.replace(b" ", b",")) for i, r in enumerate(ROWS.splitlines())),
    "index_no_header.txt": b"".join(b"%d %b\n" % (i, r) for i, r in enumerate(ROWS.splitlines())),
    "normals.csv": b"nx,ny,nz,X_mm,Y_mm,Z_mm\n"
    + b"".join(b"0,0,1,%b\n" % r.replace(b" ", b",") for r in ROWS.splitlines()),
    "paraview.csv": b'"Points:0","Points:1","Points:2"\n' + ROWS.replace(b" ", b","),
    "title.csv": b"A face\n\nx;y;z\n" + COMMAS.replace(b" ", b";"),
    "labels.csv": b"name;x;y;z\n"
    + b"".join(b"left eye, %b\n" % (b"outer;" + r.replace(b" ", b";")) for r in ROWS.splitlines()),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables(read, name):
    scan = read(name, TABLES[name])
    assert_array_equal(scan.points, POINTS)
    assert scan.triangles is None


def test_columns_may_stand_in_any_order(read):
    scan = read("a.csv", b"Z;quality;X;Y\n" + b"".join(b"%g;1;%g;%g\n" % (z, x, y) for x, y, z in POINTS))
    assert_array_equal(scan.points, POINTS)


def test_decimal_commas_and_units_are_noticed(read):
    notices = read("a.csv", b"X_mm;Y_mm;Z_mm\n" + COMMAS.replace(b" ", b";")).notices
    assert notices == ("units: the header says mm", "decimal commas read as decimal points")


def test_missing_cells_are_rows_to_drop(read):
    rows = b"x,y,z\n" + b"".join(b"%d,%d,7\n" % (i, 3 * i * i) for i in range(98)) + b"1,,7\nNA,1,7\n"
    scan = read("a.csv", rows)
    assert len(scan.points) == 98
    assert "2 of 100 rows dropped" in scan.notices[0]


FIELDS = np.zeros(5, [("Z", "<f4"), ("X", "<f8"), ("Y", ">f4")])
FIELDS["X"], FIELDS["Y"], FIELDS["Z"] = POINTS.T
ARRAYS = [
    POINTS,
    POINTS.astype("<f4"),
    POINTS.astype(">f8"),
    np.asfortranarray(POINTS),
    POINTS.T,
    POINTS[:, [0, 1, 2, 2]],
    FIELDS,
]


@pytest.mark.parametrize("array", ARRAYS)
def test_npy_of_any_layout(read, array):
    assert_array_equal(read("a.npy", npy(array)).points, POINTS)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_with_points_and_triangles(read, save):
    save(stream := io.BytesIO(), colours=POINTS, triangles=TRIANGLES, vertices=POINTS, note="text")
    scan = read("a.npz", stream.getvalue())
    assert_array_equal(scan.points, POINTS)
    assert_array_equal(scan.triangles, TRIANGLES)


@pytest.mark.parametrize("compressed", [True, False])
def test_mat_with_faces_counted_from_one(read, compressed):
    scipy.io.savemat(
        stream := io.BytesIO(), {"V": POINTS, "faces": np.array(TRIANGLES) + 1, "n": 5.0}, do_compression=compressed
    )
    scan = read("a.mat", stream.getvalue())
    assert_array_equal(scan.points, POINTS)
    assert_array_equal(scan.triangles, TRIANGLES)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_mat_of_every_number_type_as_scipy_writes_it(read, dtype):
    scipy.io.savemat(
        stream := io.BytesIO(), {"note": "text", "c": 1j, "points": np.abs(POINTS).astype(dtype), "s": {"a": 1}}
    )
    assert_array_equal(read("a.mat", stream.getvalue()).points, np.abs(POINTS).astype(dtype))


@pytest.mark.parametrize(("order", "mark"), [("<", b"\x00\x01IM"), (">", b"\x01\x00MI")])
def test_mat_of_either_byte_order_with_doubles_kept_as_bytes(read, order, mark):
    points = np.array([[0, 1, 2], [100, 1, 2], [100, 81, 2], [0, 81, 2]])
    flags = packed(order, ["u4"] * 4, [[6, 8, 6, 0]])  # class double
    shape = packed(order, ["u4", "u4", "i4", "i4"], [[5, 8, 4, 3]])
    name = packed(order, ["u4"], [[1 << 16 | 1]]) + b"v\0\0\0"  # one byte, within the tag
    values = packed(order, ["u4", "u4"], [[2, 12]]) + points.T.astype("u1").tobytes() + bytes(4)
    body = flags + shape + name + values
    data = b"MATLAB 5.0 MAT-file".ljust(124) + mark + packed(order, ["u4", "u4"], [[14, len(body)]]) + body
    assert_array_equal(read("a.mat", data).points, points)
    if order == "<":
        assert_array_equal(scipy.io.loadmat(io.BytesIO(data))["v"], points)


@pytest.mark.parametrize("content", [{"face": {"vertices": POINTS}}, {"points": POINTS.astype(object)}])
def test_mat_with_a_struct_or_cells_only_is_refused(read, content):
    scipy.io.savemat(stream := io.BytesIO(), content)
    with pytest.raises(Rejected, match="0 plain arrays") as refusal:
        read("a.mat", stream.getvalue())
    assert refusal.value.code == "not_numeric"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.npy", ply_header(5) + ROWS, "ply"),
        ("a.csv", b"OFF\n5 2 0\n" + ROWS + FACES, "off"),
        ("a.ply", ROWS, "table"),
        ("a.xyz", npy(POINTS), "npy"),
        ("a.stl", b"".join(b"v " + row + b"\n" for row in ROWS.splitlines()), "obj"),
        ("scan", ROWS, "table"),
        ("a.txt", b"solid".ljust(80) + b"\x02\x00\x00\x00" + stl_records(POINTS[[0, 1, 2, 2, 3, 4]]), "stl"),
    ],
)
def test_content_decides_when_the_name_is_wrong(read, name, data, kind):
    scan = read(name, data)
    assert_array_equal(scan.points, POINTS)
    assert scan.notices[0].startswith(f"its content is {kind}")


ORGANIZED = np.insert(POINTS.astype("<f4"), [1, 1, 3, 3, 3, 5], np.nan, axis=0)  # more pixels without than with


def organized(kind):
    """The bytes of an organized cloud: a row for each pixel, NaN where nothing was measured."""
    rows = b"".join(b"%.2f %.2f %.2f\n" % tuple(row) for row in ORGANIZED)
    if kind == "pcd":
        fields = b"VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"
        header = fields + b"WIDTH 1\nHEIGHT 11\nPOINTS 11\nDATA ascii\n"
        return header + rows
    if kind == "ply":
        return ply_header(11, encoding="binary_little_endian") + ORGANIZED.tobytes()
    if kind == "csv":
        return b"x,y,z\n" + rows.replace(b" ", b",")
    return npy(ORGANIZED if kind == "npy" else np.insert(ORGANIZED, 0, np.nan, axis=0).reshape(3, 4, 3))


@pytest.mark.parametrize("kind", ["pcd", "ply", "npy", "npy_image", "csv"])
def test_pixels_without_a_measurement_are_left_out(read, kind):
    scan = read(f"a.{kind[:3]}", organized(kind))
    assert_array_equal(scan.points, POINTS)
    assert "rows are pixels without a measurement" in scan.notices[0]


@pytest.mark.parametrize(
    ("name", "last", "separator"),
    [("a.txt", b",", b" "), ("a.txt", b";", b","), ("a.csv", b",", b","), ("a.wrl", b",", b" "), ("a.wrl", b"", b" ")],
)
@pytest.mark.parametrize("header", [b"", b"x y z "])
def test_a_separator_at_the_end_of_a_row_is_no_cell(read, name, last, separator, header):
    """And numbers alone are a table, whatever the name says."""
    first = header.replace(b" ", separator) + b"\n" if header else b""
    rows = ROWS.replace(b" ", separator).replace(b"\n", last + b"\n")
    assert_array_equal(read(name, first + rows).points, POINTS)


def test_a_header_with_a_separator_more_than_its_rows(read):
    assert_array_equal(read("a.csv", b"x;y;z;\n" + ROWS.replace(b" ", b";")).points, POINTS)
