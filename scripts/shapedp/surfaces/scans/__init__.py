"""Read scans from anywhere: files in, finite points and sound triangles out, or a refusal in words.

A file comes from a stranger: its first bytes say what it is, its name only where they do not.
"""

import re
from functools import partial
from pathlib import Path

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.reading import files
from shapedp.base.reading.files import read_contents
from shapedp.base.reading.suffixes import SUFFIXES
from shapedp.surfaces.scans import arrays, meshes, meshlab, ply, scan, table
from shapedp.surfaces.scans.scan import Scan

__all__ = ["SUFFIXES", "Scan", "kind", "parse", "read"]

PARSERS = {
    "ply": ply.parse,
    "obj": meshes.parse_obj,
    "stl": meshes.parse_stl,
    "off": meshes.parse_off,
    "table": table.parse,
    "npy": arrays.parse_npy,
    "npz": arrays.parse_npz,
    "mat": arrays.parse_mat,
    "pcd": ply.parse_pcd,
    "vrml1": ply.parse_vrml1,
    **{name: partial(meshlab.read, suffix=f".{name}") for name in ("glb", "gltf", "wrl", "x3d", "dae", "3ds")},
}
# Formats that are known but not read: how they begin, what they are, what to do.
OTHERS = (
    (re.compile(rb"\x80[\x02-\x05]"), "unsafe_pickle", "a pickled Python object, which could run code", "npy"),
    (re.compile(rb"\x89HDF\r\n\x1a\n|MATLAB 7\.3"), "unsupported_format", "HDF5 or MATLAB 7.3", "mat with '-v7'"),
    (re.compile(rb"BZh|\xfd7zXZ|7z\xbc\xaf|Rar!"), "unknown_format", "a packed file", "the file unpacked, or .gz"),
    (re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8|%PDF|\xd0\xcf\x11\xe0"), "unknown_format", "a picture or document", "ply"),
    (re.compile(rb"# vtk|<\?xml[^>]*>\s*<VTKFile|<VTKFile"), "unsupported_format", "VTK", "ply"),
    (re.compile(rb"Kaydara FBX"), "unsupported_format", "FBX", "ply or glb"),
)
# How the formats begin that are read by others.
SCENES = (
    (re.compile(rb"\x93NUMPY"), "npy"),
    (re.compile(rb"PK\x03\x04"), "npz"),
    (ply.VRML1, "vrml1"),
    (ply.PCD, "pcd"),
    (re.compile(rb"glTF"), "glb"),
    (re.compile(rb'\s*\{[^}]*"(asset|scene|accessors|buffers|nodes|meshes)"'), "gltf"),
    (re.compile(rb"#VRML"), "wrl"),
    (re.compile(rb"(<\?xml[^>]*>\s*)?(<!DOCTYPE X3D[^>]*>\s*)?<X3D"), "x3d"),
    (re.compile(rb"(<\?xml[^>]*>\s*)?<COLLADA"), "dae"),
    (re.compile(rb"MM.{4}\x02\x00", re.DOTALL), "3ds"),
)
OBJ = re.compile(rb"^[ \t]*v[ \t]+[-+.\d]", re.MULTILINE)


def kind(data, suffix):
    """Return (name of the format, bytes to parse) of a scan's bytes, by their content, so that a wrong extension does
    no harm.

    What is no scan is refused by its name. suffix : the extension, ".ply"
    """
    data = files.unpack_gzip(data)
    for beginning, name in SCENES:
        if beginning.match(data):
            return name, data
    for beginning, code, format_name, wanted_format in OTHERS:
        if beginning.match(data):
            raise Rejected(code, f"this is {format_name}: save the scan as {wanted_format}")
    if arrays.is_mat5(data):
        return "mat", data
    if meshes.is_binary_stl(data):
        return "stl", data
    data = files.remove_mark(data)
    if re.match(rb"ply\s", data):
        return "ply", data
    if files.is_text(data):
        if not data.strip():
            raise Rejected("empty_file", "nothing but white space: export or copy the file again")
        if meshes.OFF.match(data):
            return "off", data
        if meshes.is_ascii_stl(data):
            return "stl", data
        head = data[: 2**20]
        return ("obj" if b"v" in head and OBJ.search(head) else "table"), data
    if suffix == ".stl":
        return "stl", data
    known_formats = ", ".join(sorted(set(SUFFIXES.values())))
    raise Rejected("unknown_format", f"the content is none of {known_formats}: export the scan as ply")


def read(path):
    """Return the Scan in a file, gzipped or not, as its content says; nothing in it is executed, no other file is
    opened.

    Raises errors.Rejected, whose message names the file, what was found and what to do.
    """
    path = Path(path)
    try:
        return parse(read_contents(path), Path(path.name.lower().removesuffix(".gz")).suffix)
    except Rejected as error:
        name = "".join(letter if letter.isprintable() else "?" for letter in path.name)
        raise Rejected(error.code, f"{name}: {error}") from None


def parse(data, suffix):
    """Return the Scan in a file's bytes, whatever its format; raise Rejected for what is no scan. suffix : its
    extension, ".ply"
    """
    if not data:
        raise Rejected("empty_file", "an empty file: export or copy it again")
    format_name, data = kind(data, suffix)
    expected = SUFFIXES.get(suffix)
    expected = format_name if {expected, format_name} == {"wrl", "vrml1"} else expected
    renamed = (
        (f"its content is {format_name}, although its name ends in {suffix!r}",) if format_name != expected else ()
    )
    # Numbers that are too large, or none, are counted by scan.clean.
    with np.errstate(over="ignore", invalid="ignore"):
        points, triangles, notices = PARSERS[format_name](data)
    # A large file's bytes are not wanted beside its points.
    del data
    return scan.clean(points, triangles, renamed + notices)
