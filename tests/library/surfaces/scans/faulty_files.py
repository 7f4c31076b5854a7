"""Files as strangers send them: each kind of fault that concerns reading, with the reason code it must get."""

import io
import pickle
import zipfile
import zlib

import numpy as np

ROWS = b"0 0 0\n100 0 0\n0 100 0\n0 0 100\n100 100 100\n"


def ply_header(count, encoding="ascii", extra=""):
    axes = "".join(f"property float {axis}\n" for axis in "xyz")
    return f"ply\nformat {encoding} 1.0\nelement vertex {count}\n{axes}{extra}end_header\n".encode()


def npy(array):
    np.save(stream := io.BytesIO(), array)
    return stream.getvalue()


def npy_header(descr, shape):
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


class Trap:
    """Unpickling it raises: reading must never come so far."""

    def __reduce__(self):
        return exec, ("raise SystemExit('unpickled')",)


def npz_with(name, content, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(stream := io.BytesIO(), "w", method, compresslevel=1) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def mat_bomb(size):
    packed = zlib.compress(bytes(size), 1)
    return (
        b"MATLAB 5.0 MAT-file".ljust(124)
        + b"\x00\x01IM"
        + (15).to_bytes(4, "little")
        + len(packed).to_bytes(4, "little")
        + packed
    )


def mostly_missing():
    points = np.arange(300.0).reshape(100, 3)
    points[::10, 2] = np.nan
    return npy(points)


def object_array():
    np.save(stream := io.BytesIO(), np.array([Trap()], object), allow_pickle=True)
    return stream.getvalue()


# name: (bytes, or what makes them where they are many; reason code; a word the message must hold)
FAULTS = {
    "empty.ply": (b"", "empty_file", "empty"),
    "white.txt": (b" \n\n\t\n", "empty_file", "white space"),
    "missing_values.npy": (mostly_missing(), "non_finite", "10 of 100"),
    "one_point.xyz": (b"1 2 3\n" * 50, "degenerate", "only 1 distinct"),
    "three_points.xyz": (b"0 0 1\n0 1 0\n1 0 0\n", "too_few_points", "3 points"),
    "cut_off.ply": (ply_header(6, "binary_little_endian") + bytes(50), "truncated", "6 records"),
    "cut_off_ascii.ply": (ply_header(6) + ROWS, "truncated", "6 records"),
    "lying.ply": (ply_header(900_000_000_000, "binary_little_endian") + bytes(1200), "truncated", "900000000000"),
    "lying_ascii.ply": (ply_header(900_000_000_000) + ROWS, "truncated", "bytes follow"),
    "no_end.ply": (b"ply\nformat ascii 1.0\nelement vertex 4\n", "truncated", "end_header"),
    "no_axes.ply": (
        b"ply\nformat ascii 1.0\nelement vertex 1\nproperty int a\nend_header\n7\n",
        "not_numeric",
        "x, y, z",
    ),
    "odd_type.ply": (ply_header(5, extra="property quaternion q\n") + ROWS, "unknown_format", "quaternion"),
    "lying_list.ply": (
        ply_header(4, "binary_little_endian", "property list uint float weights\n") + b"\xff" * 100,
        "truncated",
        "list",
    ),
    "cut_off.stl": (bytes(80) + (1000).to_bytes(4, "little") + bytes(49), "truncated", "1000 triangles"),
    "cut_off_ascii.stl": (b"solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nendsolid", "truncated", "facets"),
    "cut_between_facets.stl": (
        b"solid\nfacet normal 0 0 1\nouter loop\n" + b"vertex 1 2 3\n" * 3 + b"endloop\nendfacet\n",
        "truncated",
        "endsolid",
    ),
    "long_line.xyz": (ROWS + b"1 " * 2**23 + b"\n", "too_large", "one line"),
    "cut_off.off": (b"OFF\n9 0 0\n" + ROWS, "truncated", "vertices"),
    "lying.off": (b"OFF\n900000000000 0 0\n" + ROWS, "truncated", "900000000000"),
    "cut_off.xyz": (ROWS + b"1 2", "truncated", "2 cells where 3"),
    "cut_off.pts": (b"9\n" + ROWS, "truncated", "9 rows"),
    "cut_off.npy": (npy(np.ones((9, 3)))[:-1], "truncated", "27 items"),
    "lying.npy": (npy_header("<f8", (10**12, 3)) + bytes(99), "truncated", "3000000000000"),
    "deep.npy": (b"\x93NUMPY\x01\x00\x00\x20" + b"(" * 0x2000, "truncated", "header"),
    "cut_off.npz": (npz_with("points.npy", npy(np.ones((9, 3))))[:-30], "truncated", "archive"),
    "cut_off.mat": (b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + b"\x0e\0\0\0\xff\0\0\0", "truncated", "mat"),
    "text.csv": (b"Patient;Visit;Comment\nA;1;see scan\nB;2;re-do\n", "not_numeric", "table"),
    "letters.obj": (b"v 1 2 3\nv 1 two 3\n", "not_numeric", "'two'"),
    "underscore.xyz": (ROWS + b"1_0 2 3\n", "not_numeric", "'1_0'"),
    "strings.npy": (npy(np.array([["1", "2", "3"]] * 5)), "not_numeric", "<U1"),
    "complex.npy": (npy(np.ones((5, 3), complex)), "not_numeric", "complex"),
    "flat.npy": (npy(np.ones(30)), "bad_shape", "(30,)"),
    "objects.npy": (object_array(), "unsafe_pickle", "pickled"),
    "pickle.npy": (pickle.dumps(Trap()), "unsafe_pickle", "pickled"),
    "objects.npz": (npz_with("points.npy", object_array()), "unsafe_pickle", "pickled"),
    "bomb.npz": (lambda: npz_with("points.npy", bytes(300 * 2**20)), "too_large", "unpacked"),
    "bzip2.npz": (npz_with("points.npy", npy(np.ones((9, 3))), zipfile.ZIP_BZIP2), "unknown_format", "compressed"),
    "bomb.mat": (lambda: mat_bomb(300 * 2**20), "too_large", "unpacked"),
    "many.ply": (
        lambda: ply_header(6_000_001, "binary_little_endian") + bytes(12 * 6_000_001),
        "too_large",
        "6000001",
    ),
    "many_lists.ply": (
        b"ply\nformat binary_little_endian 1.0\nelement face 5000000\n"
        + b"property list uchar uchar a\n" * 3
        + b"end_header\n\x01\x00\x01\x00\x01\x00"
        + bytes(15_000_000),
        "too_large",
        "unequal",
    ),
    "noise.bin": (bytes(range(256)) * 4, "unknown_format", "none of 3ds, dae"),
    "picture.ply": (b"\x89PNG\r\n\x1a\n" + bytes(99), "unknown_format", "picture"),
    "v73.mat": (b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n", "unsupported_format", "'-v7'"),
    "hdf5.mat": (b"\x89HDF\r\n\x1a\n" + bytes(99), "unsupported_format", "'-v7'"),
    "other.zip": (npz_with("notes.txt", "no scan"), "unknown_format", "zip"),
    "beyond.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 5\n", "bad_triangles", "names vertex 4 of 4"),
    "zero.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 0 1 2\n", "bad_triangles", "names vertex -1 of 4"),
    "commas.csv": (b"27,02,30,43,93,18\n-3,20,36,53,92,19\n", "decimal_comma", "decimal comma"),
    "commas_named.csv": (b"x,y,z\n27,02,30,43,93,18\n-3,20,36,53,92,19\n", "decimal_comma", "decimal comma"),
    "commas_ragged.csv": (b"27,30,93\n27,5,30,93,18\n", "decimal_comma", "decimal comma"),
    "thousands.csv": (b"x;y;z\n1.027,02;30,43;93,18\n", "decimal_comma", "decimal comma"),
    "mixed_marks.csv": (b"x;y;z\n27,02;30,43;93,18\n27.02;30.43;93.18\n", "decimal_comma", "decimal comma"),
    "row_names.csv": (b"x,y,z\n1,27.02,30.43,93.18\n2,27.02,30.43,93.18\n", "ragged_rows", "4 cells where 3"),
    "two_x.csv": (b"X_mm,X_cm,Y,Z\n1.5,2.5,3.5,4.5\n", "ambiguous_columns", "name one x"),
    "units.csv": (b"x_mm,y_mm,z_cm\n1.5,2.5,3.5\n", "ambiguous_columns", "units"),
    "unnamed.csv": (b"a,b,c,d\n1.5,2.5,3.5,4.5\n", "ambiguous_columns", "header"),
}
