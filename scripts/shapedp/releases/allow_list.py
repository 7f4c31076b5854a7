"""What may lie in results/release/: names of files, and all that each file holds. Whatever is not listed is refused.

<statistic>.h5     the bytes that writing its declared fields gives, so there is room for nothing else
statement.json     meets its schema, in which every text is one of a list
statement.md       the text that the JSON gives
.ply .glb .png     the parts that hold geometry or pixels: no comment, no name, no date
.csv               one header, then numbers, or a covariate or a measure of a face and numbers
.tps .R            the landmarks of the release; the script that every release has
registry.yaml      the entry of a registry that the JSON gives, and
nist.md            its answers to a reviewer's questions
for_the_board.html the sheet for whoever decides that the JSON gives
measures.csv, anova.csv, disparity.csv, tables.html  of a model or mean what it and what lies beside it at landmarks
                   give, to the last byte
index.html         the page that the other files give, to the last byte

Everything but the first three is drawn from these three alone: drawn once more, it must be the same to the last byte.
Meshes, pictures and tables are read by hand: the usual readers skip what they do not know, and that must be found.
"""

import json
import re
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from shapedp import __version__
from shapedp.base import artifacts, writers
from shapedp.base.errors import ArtifactError, RefusedRelease
from shapedp.base.settings.checks import BRANCHES
from shapedp.base.settings.subjects import FACE
from shapedp.base.storage import foreign
from shapedp.ledger.population_ledger import PopulationLedger
from shapedp.releases import kinds
from shapedp.releases.model import at_landmarks, mean_at_landmarks
from shapedp.releases.statement import forms, statement, statement_text
from shapedp.releases.viewer import board_page
from shapedp.surfaces.subjects.catalogues import CATALOGUES, name_measures

KINDS = {
    **kinds.artifacts_by_file(),
    "drawn.h5": artifacts.DRAWN,
    at_landmarks.FILE: artifacts.AT_LANDMARKS,
    mean_at_landmarks.FILE: artifacts.MEAN_AT_LANDMARKS,
    "heterogeneity.h5": artifacts.HETEROGENEITY,
}
PAGE = "index.html"
FORMS = {forms.REGISTRY, forms.NIST, board_page.BOARD}
COMMON = {"preview.png", "statement.json", "statement.md", PAGE, *FORMS, "drawn.h5", "heterogeneity.h5"}
# What the ledger holds a copy of, by digest; the rest is drawn from these.
RECORDED = {*KINDS, "statement.json", "statement.md"}
# Bytes; a statement has some twenty thousand, and a stranger's file may have any number.
LARGEST_STATEMENT = 1 << 20
AGAIN = "ask whoever released it for the folder, or make the release again"
VERSION = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4}){1,2}")  # of the software
# Fields that begin so are scaled to the bounds, so that they are withheld where these are not public.
NOISE = "noise"


def check_releases(
    release_root: Path | str,
    page: Callable[[Path], str] | None = None,
    draw: Callable[[Path, str, Path], None] | None = None,
) -> list[Path]:
    """Check all files below results/release before anything is published; return the folders checked.

    Whatever is not results/release/<branch>/<name>/<file> is refused, so that nothing private leaves the house by
    mistake.

    Parameters
    ----------
    release_root : path
        results/release.
    page : callable or None
        Folder -> text of the page that its other files give; without it a page is refused.
    draw : callable or None
        draw(folder, branch, target) draws mesh, table and picture of the release in `folder` again, into `target`.
    """
    root, checked = Path(release_root), []
    for branch in sorted(root.iterdir()):
        _refuse_unless(branch.is_dir() and branch.name in BRANCHES, branch, "is no branch")
        for folder in sorted(branch.iterdir()):
            # A name becomes part of pages and archives, so it is of plain letters and digits.
            plain = folder.name.replace("_", "").replace("-", "")
            _refuse_unless(folder.is_dir() and plain.isalnum() and plain.isascii(), folder, "is no release")
            check_folder(folder, branch.name, page)
            if draw is not None:
                check_drawings(folder, branch.name, draw)
            checked.append(folder)
    return checked


def refuse_links(release_root: Path | str) -> None:
    """Refuse a folder of releases that is a link: what it shows could be exchanged after it was checked."""
    root = Path(release_root)
    for folder in (root, *sorted(root.glob("*")), *sorted(root.glob("*/*"))):
        _refuse_unless(
            not folder.is_symlink(),
            folder,
            "is a link to another place, and a release lies in its own folder: remove the link and start the same "
            "command again, which writes the stored release there",
        )


def check_recorded(folder: Path, book: PopulationLedger) -> None:
    """Refuse a release that somebody has edited: artifact and statement must be the very bytes that the ledger holds.

    Parameters
    ----------
    folder : Path
        Of the release.
    book : PopulationLedger
        Of its population.
    """
    digests = {path.name: book.digest_file(path) for path in sorted(Path(folder).iterdir()) if path.name in RECORDED}
    # A ledger that was restored holds the digests of what was shown before it was lost.
    restored = (
        {name: event["files"][name] for name in event["files"] if name in RECORDED}
        for event in book.select_events("restored")
    )
    commits = [*(commit["files"] for commit in book.select_events("commit")), *restored]
    if digests in commits:
        return
    stated_files = next(
        (files for files in commits if files.get("statement.json") == digests.get("statement.json")), {}
    )
    changed = next(
        (name for name in digests if name in stated_files and stated_files[name] != digests[name]), "statement.json"
    )
    _refuse_unless(
        False,
        Path(folder) / changed,
        f"is not what the ledger of population '{book.population}' recorded: move the folder away and start the same "
        "command again, which writes the stored release",
    )


def check_names(folder: Path | str, branch: str) -> list[Path]:
    """Return the files of a release folder, once each is a plain file of a listed name and a statement is among them.

    Parameters
    ----------
    folder : path
        Of the release.
    branch : str
        `faces`, `shapes` or `points`.
    """
    paths = sorted(Path(folder).iterdir())
    names = {path.name for path in paths}
    possible_kinds = [kind for kind in kinds.KINDS if kind.branch == branch and kind.file in names]
    for path in paths:
        _refuse_unless(path.is_file() and not path.is_symlink(), path, "is not a plain file")
        is_listed = path.name in COMMON or any(kind.may_hold(path.name) for kind in possible_kinds)
        _refuse_unless(is_listed, path, "is not on the list of files that a release may hold")
    _refuse_unless({"statement.json", "statement.md"} <= names, Path(folder), "has no statement")
    return paths


def check_folder(folder: Path | str, branch: str, page: Callable[[Path], str] | None = None) -> None:
    """Check all files of a release folder before it is shown or packed; refuse the first that may not leave.

    Parameters
    ----------
    folder : path
        Of the release.
    branch : str
        `faces`, `shapes` or `points`.
    page : callable or None
        As of `check_releases`.
    """
    paths = check_names(folder, branch)
    statement_json = check_statement(Path(folder))
    # The page comes last: what it is made of is checked before it.
    for path in sorted(paths, key=lambda file_path: file_path.name == PAGE):
        _check(path, statement_json, page)


def check_drawings(folder: Path, branch: str, draw: Callable[[Path, str, Path], None]) -> None:
    """Refuse a picture or table of a release that drawing the release again does not give: somebody has edited it."""
    with TemporaryDirectory() as again:
        draw(folder, branch, Path(again))
        for path in sorted(folder.iterdir()):
            if path.name not in RECORDED | FORMS | {PAGE}:
                drawn = Path(again) / path.name
                is_same = drawn.is_file() and drawn.read_bytes() == path.read_bytes()
                _refuse_unless(is_same, path, "differs from the drawing that its release gives")


def check_statement(folder: Path) -> dict[str, Any]:
    """Return the statement of a release that may be a stranger's, once it is sure that it says what it may.

    It meets its schema, agrees with itself, and the words follow from it. Another version of the software had other
    words; whether they are those of its time, the ledger's digests tell.
    """
    path = folder / "statement.json"
    with foreign.refuse_strange(path, AGAIN, RefusedRelease):
        stated = _read_statement(path)
    holds = [condition["holds"] for condition in stated["conditions"]]
    _refuse_unless(
        stated["formally_private"] == all(holds), path, "states a verdict that does not follow from its conditions"
    )
    private = stated["guarantee"]["kind"] != "none"
    _refuse_unless(stated["formally_private"] == private, path, "claims a guarantee that its conditions do not give")
    # Another version had other words; whether they are those of its time, the ledger's digests tell.
    if stated["software"] == statement.software():
        words = (folder / "statement.md").read_text(encoding="utf-8")
        _refuse_unless(words == statement_text.render(stated), folder / "statement.md", "differs from statement.json")
    return stated


def _read_statement(path):
    """Return the statement of a file that may be a stranger's, refused where it does not meet its schema as JSON."""
    try:
        return statement.check(foreign.parse_json(foreign.read_bytes(path, LARGEST_STATEMENT)))
    except (ValueError, RefusedRelease) as error:
        raise RefusedRelease(f"{path}: {error}") from error


def _check(path, stated, page):
    """Refuse a file that may not lie in a release; a strange one ends in one line."""
    with foreign.refuse_strange(path, AGAIN, RefusedRelease):
        _check_file(path, stated, page)


def _check_file(path, stated, page):
    """Refuse a file that is not what its ending or its name says, in which private data could leave the house."""
    # Imported when a folder is checked: `snakemake -n` asks this module for names alone.
    from shapedp.releases.viewer import tables_page

    if path.suffix == ".h5":
        check_artifact(path, stated)
    elif path.name in tables_page.NAMES and (tables := tables_page.render_files(path.parent)):
        _refuse_other(path, tables.get(path.name), "differs from what its release gives")
    elif path.suffix == ".csv":
        check_csv(path.read_bytes(), path, name_measures(stated["settings"]))
    elif path.suffix in READ_BY_HAND:
        READ_BY_HAND[path.suffix](path.read_bytes(), path)
    elif path.name == board_page.BOARD:
        _refuse_other(path, board_page.render_page(stated), "is not what statement.json gives")
    elif path.name in FORMS:
        _refuse_other(
            path, forms.write_forms(stated, path.parent.name).get(path.name), "is not what statement.json gives"
        )
    elif path.suffix == ".tps":
        _refuse_other(path, _landmark_text(path.with_suffix(".h5")), "differs from the landmarks of its release")
    elif path.suffix == ".R":
        _refuse_other(path, writers.R_SCRIPT, "is not the script that every release has")
    elif path.suffix == ".html":
        _refuse_unless(page is not None, path, "is a page, and how it is made of the other files was not given")
        _refuse_other(path, page(path.parent), "differs from the page that the other files give")


def _refuse_other(path, text, words):
    """Refuse a text file that holds anything but this text."""
    _refuse_unless(path.read_text(encoding="utf-8") == text, path, words)


def _landmark_text(release):
    """Return what the .tps file beside a release of shapes holds."""
    return kinds.find_file(release.name).part("points").tps(release)


def check_artifact(path: Path, stated: dict[str, Any]) -> None:
    """Refuse an HDF5 file in which more could leave than was released: other fields or settings, or an input's name.

    Parameters
    ----------
    path : Path
        Of the file.
    stated : dict
        The statement beside it.
    """
    with foreign.refuse_strange(path, AGAIN, RefusedRelease):
        try:
            _check_artifact(path, stated)
        except ArtifactError as error:
            # Shapes that do not fit each other are seen apart from any file, so the error may lack its name.
            raise ArtifactError(str(error) if str(path) in str(error) else f"{path}: {error}; {AGAIN}") from error


def _read_version(provenance):
    """Return the version of the software that a file says it was made by; today's where it says none."""
    version = provenance["shapedp"]
    return version if isinstance(version, str) and VERSION.fullmatch(version) else __version__


def _check_artifact(path, stated):
    """Refuse an artifact in which more than a release could leave: by its fields, settings, inputs and very bytes."""
    kind = KINDS[path.name]
    with artifacts.reader(path, kind) as source:
        fields = {name: source[name] for name in source.kind.fields}
        provenance, kind_then = source.provenance, source.kind.with_meanings(source.meanings())
    # The digest of an input is that of a private file, by which a guess of it could be tested.
    _refuse_unless(not provenance["inputs"], path, "records the digest of an input")
    for settings in (json.loads(fields["settings"]), provenance["settings"]):
        _refuse_unless(settings in (stated["settings"], {}), path, "holds other settings than its statement")
    with TemporaryDirectory() as folder:
        # HDF5 has room for unused bytes and attributes that no reader shows, so the file is written anew and compared.
        again = Path(folder) / path.name
        # as the version wrote it that made it: the same fields, in that version's words
        with artifacts.writer(again, kind_then, provenance["settings"], version=_read_version(provenance)) as out:
            out.set(**fields)
        _refuse_unless(again.read_bytes() == path.read_bytes(), path, "holds more than its declared fields")
    if path.name in (at_landmarks.FILE, mean_at_landmarks.FILE):
        at_landmarks.check_names(fields["names"], stated["settings"], path)
    if any(bound["value"] is None for bound in stated["bounds"]):
        noise = [np.all(np.isnan(value)) for name, value in fields.items() if name.startswith(NOISE)]
        _refuse_unless(all(noise), path, "gives the size of noise that was scaled to the private data (write NaN)")


def _refuse_unless(holds, path, words):
    """Refuse a path, in these words, unless something holds."""
    if not holds:
        raise RefusedRelease(f"{path}: {words}; it may not be published. Remove it, or make the release again")


PNG_START = b"\x89PNG\r\n\x1a\n"
PNG_CHUNKS = {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"sRGB", b"gAMA", b"pHYs"}
PLY_LINES = re.compile(
    r"ply|format (ascii|binary_little_endian) 1\.0|comment https://github\.com/mikedh/trimesh|element (vertex|face) \d+"
    r"|property (float|double|uchar) (x|y|z|nx|ny|nz|red|green|blue|alpha)"
    r"|property list uchar (int|uint) vertex_ind(ices|ex)|end_header"
)
PLY_SIZES = {"float": 4, "double": 8, "uchar": 1}
# Every text that our writer and trimesh put into a GLB; nothing else is let through.
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
# Of rows that begin with a covariate's name, which is public as the settings have it.
COVARIATE_ROW = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_-]{{0,63}}(,{NUMBER})+")


def check_png(content: bytes, path: Path) -> None:
    """Refuse a PNG that could hide data: more than its signature and the chunks that make pixels, up to its end."""
    _refuse_unless(content.startswith(PNG_START), path, "is no PNG")
    place = len(PNG_START)
    while place < len(content):
        _refuse_unless(place + 12 <= len(content), path, "ends within a chunk")
        length, chunk = struct.unpack_from(">I4s", content, place)
        _refuse_unless(chunk in PNG_CHUNKS, path, f"has the chunk {chunk!r}")
        place += 12 + length
        # Readers stop at IEND, so what follows it would pass unseen.
        _refuse_unless((chunk == b"IEND") == (place == len(content)), path, "has bytes after its end, or no end")
    _refuse_unless(place == len(content), path, "has no whole last chunk")


def check_ply(content: bytes, path: Path) -> None:
    """Refuse a PLY that could hide data: a header line that is not known, more or less bytes than it announces."""
    header, end_mark, body = content.partition(b"end_header\n")
    _refuse_unless(end_mark, path, "has no end of header")
    lines = header.decode("ascii", "replace").splitlines()
    for line in lines:
        _refuse_unless(PLY_LINES.fullmatch(line), path, f"has the header line '{line[:80]}'")
    _refuse_unless("format binary_little_endian 1.0" in lines, path, "is not a binary PLY")
    length, count = 0, 0
    for words in map(str.split, lines):
        if words[0] == "element":
            count = int(words[2])
        elif words[:2] == ["property", "list"]:
            # A count byte and the indices of a triangle.
            length += count * (1 + 3 * 4)
        elif words[0] == "property":
            length += count * PLY_SIZES[words[1]]
    _refuse_unless(len(body) == length, path, "holds more or less than its header announces")


def check_glb(content: bytes, path: Path) -> None:
    """Refuse a GLB that could hide data: not two chunks, JSON of other keys or words, data that this does not use."""
    _refuse_unless(content[:4] == b"glTF" and len(content) >= 20, path, "is no GLB")
    size, length, kind = struct.unpack_from("<8xII4s", content)
    _refuse_unless(size == len(content) and kind == b"JSON", path, "is not as long as it says, or has no JSON")
    described = json.loads(content[20 : 20 + length])
    for word in _yield_json_texts(described, path):
        _refuse_unless(GLB_WORDS.fullmatch(word), path, f"has the text '{word[:80]}'")
    rest = content[20 + length :]
    announced, kind = struct.unpack_from("<I4s", rest)
    used = sum(view["byteLength"] for view in described["bufferViews"])
    _refuse_unless(kind == b"BIN\0" and announced == len(rest) - 8, path, "holds more than two chunks")
    # glTF pads each view, and the chunk, to four bytes.
    slack = 4 * (len(described["bufferViews"]) + 1)
    _refuse_unless(used <= announced < used + slack, path, "holds bytes that nothing refers to")


def _yield_json_texts(value, path):
    """Yield all texts in a GLB's JSON, so that the caller refuses words that no release may hold.

    Its keys, accessor names included, are checked here.
    """
    if isinstance(value, dict):
        for key, part in value.items():
            _refuse_unless(GLB_KEYS.fullmatch(key), path, f"has the key '{key[:80]}'")
            yield from _yield_json_texts(part, path)
    elif isinstance(value, list):
        for part in value:
            yield from _yield_json_texts(part, path)
    elif isinstance(value, str):
        yield value


def check_csv(content: bytes, path: Path, measures: Iterable[str] = CATALOGUES[FACE].ends_of) -> None:
    """Refuse a CSV that could hide words: anything but one header of plain words, then rows of numbers.

    In a column of that name a covariate's or a measure's name comes first.

    Parameters
    ----------
    content : bytes
        Of the file.
    path : Path
        Its place.
    measures : iterable of str, optional
        Names that the statement lets measures have; those that are known on faces without.
    """
    header, *rows = content.decode("ascii", "replace").splitlines()
    _refuse_unless(CSV_HEADER.fullmatch(header), path, f"has the header '{header[:80]}'")
    names = "|".join(re.escape(name.replace(" ", "_")) for name in measures)
    # What is not known of a measure, in the last column, is left empty.
    rows_by_name = {"covariate": COVARIATE_ROW, "measure": re.compile(rf"({names})(,{NUMBER})+,?")}
    allowed = rows_by_name.get(header.partition(",")[0], CSV_ROW)
    for row in rows:
        _refuse_unless(allowed.fullmatch(row), path, f"has the row '{row[:80]}'")


READ_BY_HAND = {".png": check_png, ".ply": check_ply, ".glb": check_glb}
