"""What a released mesh, picture or table may consist of: geometry, pixels, numbers; no comment, no name, no date.

Written by hand because the usual readers skip what they do not know, and that is what must be found.
"""

import json
import re
import struct

from shapedp.errors import RefusedRelease

PNG_START = b"\x89PNG\r\n\x1a\n"
PNG_CHUNKS = {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"sRGB", b"gAMA", b"pHYs"}
PLY_LINES = re.compile(
    r"ply|format (ascii|binary_little_endian) 1\.0|comment https://github\.com/mikedh/trimesh|element (vertex|face) \d+"
    r"|property (float|double|uchar) (x|y|z|nx|ny|nz|red|green|blue|alpha)"
    r"|property list uchar (int|uint) vertex_ind(ices|ex)|end_header"
)
PLY_SIZES = {"float": 4, "double": 8, "uchar": 1}
GLB_WORDS = re.compile(
    r"mode_\d+|effect_[A-Za-z0-9][A-Za-z0-9_-]{0,63}|2\.0|https://github\.com/mikedh/trimesh|world|geometry_0|SCALAR|VEC3|VEC4|MAT4|units|meters|millimeters|OPAQUE"
)
GLB_KEYS = re.compile(
    r"accessors|asset|attributes|baseColorFactor|bufferView|bufferViews|buffers|byteLength|byteOffset|children"
    r"|componentType|count|extras|generator|indices|material|materials|max|mesh|meshes|metallicFactor|min|mode|name"
    r"|nodes|normalized|NORMAL|pbrMetallicRoughness|POSITION|primitives|roughnessFactor|scene|scenes|target|type"
    r"|units|version|buffer|byteStride|doubleSided|matrix|COLOR_0|targets|targetNames|weights"
)
CSV_HEADER = re.compile(r"[a-z_]{1,24}(,[a-z_]{1,24})*")
NUMBER = r"-?[0-9.]+(e[+-]?\d+)?"
CSV_ROW = re.compile(rf"{NUMBER}(,{NUMBER})*")
CSV_OF_A_COVARIATE = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_-]{{0,63}}(,{NUMBER})+")  # its name in the settings is public


def png(content, path):
    """Signature and the chunks that make pixels, up to the end of the file."""
    _refuse_unless(content.startswith(PNG_START), path, "is no PNG")
    place = len(PNG_START)
    while place < len(content):
        _refuse_unless(place + 12 <= len(content), path, "ends within a chunk")
        length, chunk = struct.unpack_from(">I4s", content, place)
        _refuse_unless(chunk in PNG_CHUNKS, path, f"has the chunk {chunk!r}")
        place += 12 + length
        _refuse_unless((chunk == b"IEND") == (place == len(content)), path, "goes on after its end, or has none")
    _refuse_unless(place == len(content), path, "has no whole last chunk")


def ply(content, path):
    """A header of known lines, and just as many bytes as it announces."""
    header, found, body = content.partition(b"end_header\n")
    _refuse_unless(found, path, "has no end of header")
    lines = header.decode("ascii", "replace").splitlines()
    for line in lines:
        _refuse_unless(PLY_LINES.fullmatch(line), path, f"has the header line '{line[:80]}'")
    _refuse_unless("format binary_little_endian 1.0" in lines, path, "is not a binary PLY")
    _refuse_unless(len(body) == _ply_size(lines), path, "holds more or less than its header announces")


def _ply_size(lines):
    """Bytes of the body: fixed properties, and triangles as a count byte with three 4-byte indices."""
    total, count = 0, 0
    for words in map(str.split, lines):
        if words[0] == "element":
            count = int(words[2])
        elif words[:2] == ["property", "list"]:
            total += count * (1 + 3 * 4)
        elif words[0] == "property":
            total += count * PLY_SIZES[words[1]]
    return total


def glb(content, path):
    """Two chunks, JSON with known keys and words and no more binary data than it refers to."""
    _refuse_unless(content[:4] == b"glTF" and len(content) >= 20, path, "is no GLB")
    size, length, kind = struct.unpack_from("<8xII4s", content)
    _refuse_unless(size == len(content) and kind == b"JSON", path, "is not as long as it says, or has no JSON")
    described = json.loads(content[20 : 20 + length])
    for word in _words(described, path):
        _refuse_unless(GLB_WORDS.fullmatch(word), path, f"has the text '{word[:80]}'")
    rest = content[20 + length :]
    announced, kind = struct.unpack_from("<I4s", rest)
    used = sum(view["byteLength"] for view in described["bufferViews"])
    _refuse_unless(kind == b"BIN\0" and announced == len(rest) - 8, path, "holds more than two chunks")
    slack = 4 * (len(described["bufferViews"]) + 1)
    _refuse_unless(used <= announced < used + slack, path, "holds bytes that nothing refers to")


def _words(value, path):
    """All texts in JSON; keys are checked here, accessor names included."""
    if isinstance(value, dict):
        for key, one in value.items():
            _refuse_unless(GLB_KEYS.fullmatch(key), path, f"has the key '{key[:80]}'")
            yield from _words(one, path)
    elif isinstance(value, list):
        for one in value:
            yield from _words(one, path)
    elif isinstance(value, str):
        yield value


def csv(content, path):
    """One header of plain words, then rows of numbers; where the first column is `covariate`, its name comes first."""
    header, *rows = content.decode("ascii", "replace").splitlines()
    _refuse_unless(CSV_HEADER.fullmatch(header), path, f"has the header '{header[:80]}'")
    allowed = CSV_OF_A_COVARIATE if header.startswith("covariate,") else CSV_ROW
    for row in rows:
        _refuse_unless(allowed.fullmatch(row), path, f"has the row '{row[:80]}'")


def _refuse_unless(holds, path, words):
    if not holds:
        raise RefusedRelease(f"{path}: {words}; it may not be published")
