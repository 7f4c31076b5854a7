"""What a file is, by its first bytes; its name is only asked where the bytes say nothing."""

import re
from functools import partial

from shapedp.errors import Rejected
from shapedp.scans import arrays, matlab, meshlab, npz, obj, off, packed, ply, stl, table, text

PARSERS = {
    "ply": ply.parse,
    "obj": obj.parse,
    "stl": stl.parse,
    "off": off.parse,
    "table": table.parse,
    "npy": arrays.parse_npy,
    "npz": npz.parse,
    "mat": matlab.parse,
    **{name: partial(meshlab.read, suffix=f".{name}") for name in ("glb", "gltf", "wrl", "x3d", "dae", "3ds")},
}
SUFFIXES = {
    **{f".{name}": name for name in PARSERS if name != "table"},
    **dict.fromkeys((".xyz", ".txt", ".csv", ".tsv", ".asc", ".pts", ".dat"), "table"),
}
# Formats that are known but not read: how they begin, what they are, what to do.
OTHERS = (
    (re.compile(rb"\x80[\x02-\x05]"), "unsafe_pickle", "a pickled Python object, which could run code", "npy"),
    (
        re.compile(re.escape(matlab.HDF5) + rb"|MATLAB 7\.3"),
        "unsupported_format",
        "HDF5 or MATLAB 7.3",
        "mat with '-v7'",
    ),
    (re.compile(rb"BZh|\xfd7zXZ|7z\xbc\xaf|Rar!"), "unknown_format", "a packed file", "the file unpacked, or .gz"),
    (re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8|%PDF|\xd0\xcf\x11\xe0"), "unknown_format", "a picture or document", "ply"),
    (re.compile(rb"# \.PCD"), "unsupported_format", "PCD, of the Point Cloud Library", "ply"),
    (re.compile(rb"# vtk|<\?xml[^>]*>\s*<VTKFile|<VTKFile"), "unsupported_format", "VTK", "ply"),
    (re.compile(rb"Kaydara FBX"), "unsupported_format", "FBX", "ply or glb"),
)
# How the formats begin that are read by others.
SCENES = (
    (re.compile(rb"glTF"), "glb"),
    (re.compile(rb'\s*\{[^}]*"(asset|scene|accessors|buffers|nodes|meshes)"'), "gltf"),
    (re.compile(rb"#VRML"), "wrl"),
    (re.compile(rb"(<\?xml[^>]*>\s*)?(<!DOCTYPE X3D[^>]*>\s*)?<X3D"), "x3d"),
    (re.compile(rb"(<\?xml[^>]*>\s*)?<COLLADA"), "dae"),
    (re.compile(rb"MM.{4}\x02\x00", re.DOTALL), "3ds"),
)
OBJ = re.compile(rb"^[ \t]*v[ \t]+[-+.\d]", re.MULTILINE)


def kind(data, suffix):
    """(name of the format, bytes to parse) of a file's bytes; `suffix` is its extension, ".ply"."""
    data = packed.opened(data)
    for beginning, name in SCENES:
        if beginning.match(data):
            return name, data
    for beginning, code, found, wanted in OTHERS:
        if beginning.match(data):
            raise Rejected(code, f"this is {found}: save the scan as {wanted}")
    if data.startswith(b"\x93NUMPY"):
        return "npy", data
    if data.startswith(b"PK\x03\x04"):
        return "npz", data
    if matlab.is_mat5(data):
        return "mat", data
    if stl.is_binary(data):
        return "stl", data
    return _textual(text.without_mark(data), suffix)


def _textual(data, suffix):
    if re.match(rb"ply\s", data):
        return "ply", data
    if text.is_text(data):
        if not data.strip():
            raise Rejected("empty_file", "nothing but white space: export or copy the file again")
        if off.MAGIC.match(data):
            return "off", data
        if stl.is_ascii(data):
            return "stl", data
        return ("obj" if OBJ.search(data[: 2**20]) else "table"), data
    if suffix == ".stl":
        return "stl", data
    raise Rejected(
        "unknown_format", f"the content is none of {', '.join(sorted(set(SUFFIXES.values())))}: export the scan as ply"
    )
