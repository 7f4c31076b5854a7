"""A landmark file, or a folder of them, as one array of shapes."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shapedp import artifacts
from shapedp.errors import ArtifactError, Rejected
from shapedp.landmarks import layout as layouts
from shapedp.landmarks import morphologika, nts, slicer, tables, tps
from shapedp.landmarks.parsed import Parsed, several
from shapedp.scans import arrays, npz
from shapedp.scans.read import contents
from shapedp.storage import containment

ARRAY_NAMES = ("X", "landmarks", "coords", "coordinates", "shapes")
LARGEST_TEXT = 1 << 26  # bytes; as Python objects a table takes 20 times that
LARGEST_HDF5 = 1 << 30  # bytes of a file of which one array is read, which has a limit of its own
ONE_SPECIMEN = (".json", ".fcsv")  # formats that hold one specimen by what they are
LONGEST_ID = 200  # characters


@dataclass(frozen=True)
class Landmarks:
    """shapes : (n, k, 2 or 3) float64, NaN where missing; ids : n names, unique

    notices : what a person should know, a sentence each; names : the landmarks' names, or None
    """

    shapes: np.ndarray
    ids: list
    notices: tuple = ()
    names: tuple | None = None

    @property
    def layout(self):
        """What a file of like records has."""
        return layouts.Layout(*self.shapes.shape[1:], self.names)


def read(path, layout=None):
    """All records of a file, or of the files of a folder in the order of their names.

    layout : the public center's; a record of another is all NaN. Without it, the layout of most records.
    """
    path = Path(path)
    found, notices = _files(path)
    parts = [_read_file(one, layout, alone=len(found) == 1) for one in found]
    records = [_whole(record) for part in parts for record in part.records]
    ids = [name for part in parts for name in part.ids]
    names = [name for part in parts for name in part.names or [None] * len(part.records)]
    if repeats := sorted(name for name, count in Counter(ids).items() if count > 1)[:5]:
        raise Rejected(
            "repeated_id", f"{path.name}: the id(s) {', '.join(repeats)} stand more than once; give each record its own"
        )
    told = tuple(f"{file.name}: {notice}" for file, part in zip(found, parts, strict=True) for notice in part.notices)
    try:
        layout = layout or layouts.common(records, names)
    except Rejected as error:
        raise Rejected(error.code, "; ".join([f"{path.name}: {error}", *told[:1]])) from error
    shapes, odd = layouts.arrange(records, names, ids, layout)
    parted = np.isnan(shapes).any(axis=(1, 2)) & np.isfinite(shapes).any(axis=(1, 2))
    missing = several("some landmarks are missing", [one for one, some in zip(ids, parted, strict=True) if some])
    return Landmarks(shapes, ids, notices + told + odd + missing, layout.names)


def files(path):
    """The landmark files at a path, itself or in the folder."""
    return _files(Path(path))[0]


def _files(path):
    """The landmark files, and a notice about the others."""
    if not path.exists():
        raise Rejected("missing_file", f"{path}: no such landmark file or folder; correct the path")
    listed = sorted(path.iterdir()) if path.is_dir() else [path]
    found = [one for one in listed if one.suffix.lower() in READERS]
    if path.is_dir() and (outside := containment.escaping(found, path)):
        raise Rejected("link_out", f"{outside[0].name!r}: a link out of its folder; {containment.REMEDY}")
    if not found:
        raise Rejected("unknown_format", f"{path.name}: no landmark file; known endings: {', '.join(READERS)}")
    others = [one.name for one in listed if one not in found]
    return found, several("not read, for its ending is no landmark file's", others)


def _whole(record):
    """A landmark of which one coordinate is missing is missing."""
    return np.where(np.isnan(record).any(axis=1, keepdims=True), np.nan, record)


def _read_file(path, layout, alone):
    """alone : whether it is the only file; one of many that by its format is one specimen's is missing where it cannot
    be read, and stops nobody else, if a public center says what it should hold.
    """
    try:
        parsed = READERS[path.suffix.lower()](path, layout)
    except Rejected as error:
        if path.suffix.lower() in ONE_SPECIMEN and layout and not alone:
            empty = np.full((layout.count, layout.dimensions), np.nan)
            return Parsed([empty], [_stem(path)], notices=(f"cannot be read, so it counts as missing: {error}",))
        named = str(error) if path.name in str(error) else f"{path.name}: {error}"
        raise Rejected(error.code, named) from error
    ids = parsed.ids or _numbered(path, len(parsed.records))
    if len(ids) != len(parsed.records):
        raise Rejected("truncated", f"{path.name}: {len(ids)} names for {len(parsed.records)} shapes")
    _refuse_ids(ids, path.name)
    return Parsed(parsed.records, list(ids), parsed.names, parsed.notices)


def _numbered(path, count):
    """The file's own name for its one record, or that name with numbers."""
    stem = _stem(path)
    return [stem] if count == 1 else [f"{stem}_{index + 1:05d}" for index in range(count)]


def _stem(path):
    return path.name.split(".")[0]


def _refuse_ids(ids, name):
    """Refuse ids that cannot be shown as they are: control characters, marks that turn the reading direction."""
    for one in ids:
        if not one or not one.isprintable() or len(one) > LONGEST_ID:
            raise Rejected(
                "bad_id",
                f"{name}: the id {str(one)[:80]!r} is empty, longer than {LONGEST_ID}, or holds characters that do "
                "not show; rename the record",
            )


def _array(load):
    """A reader of an array in any of the orders that people store it in."""

    def read_array(path, layout):
        found = load(path)
        if getattr(found, "dtype", np.dtype(float)).names:
            raise Rejected("wrong_shape", f"{path.name}: records where plain numbers should stand")
        turned, notices = layouts.oriented(np.asarray(found, dtype=float), layout)
        return Parsed(list(turned), notices=notices)

    return read_array


def _hdf5(path):
    if not path.is_file() or path.stat().st_size > LARGEST_HDF5:
        raise Rejected("too_large", f"{path.name}: not a file, or larger than {LARGEST_HDF5 >> 30} GiB; split it")
    try:
        return artifacts.read_foreign(path, ARRAY_NAMES)
    except ArtifactError as error:
        raise Rejected("unreadable", str(error)) from error


def _text(parse):
    def read_text(path, layout):
        try:
            return parse(contents(path, LARGEST_TEXT).decode("utf-8-sig"), path.name, layout)
        except UnicodeDecodeError as error:
            raise Rejected("not_text", f"{path.name}: not UTF-8 text; save it as UTF-8") from error

    return read_text


def _plain_text(text, name, layout):
    """A .txt of Morphologika, tpsDig, NTSYSpc or MorphoJ, by its content."""
    start = text.lstrip()[:200].lower()
    if start.startswith("["):
        return morphologika.parse(text, name)
    if tps.START.match(start):
        return tps.parse(text, name)
    if nts.HEADER.match(next((line for line in text.splitlines() if line.strip()[:1] not in ("", '"', "'")), "")):
        return nts.parse(text, name)
    return _table(text, name, layout)


def _table(text, name, layout):
    return tables.parse(text, name, layout and layout.dimensions)


def _of(parse):
    return _text(lambda text, name, layout: parse(text, name))


READERS = {
    ".tps": _of(tps.parse),
    ".nts": _of(nts.parse),
    ".dta": _of(nts.parse),
    ".txt": _text(_plain_text),
    ".csv": _text(_table),
    ".tsv": _text(_table),
    ".json": _of(slicer.parse_markups),
    ".fcsv": _of(slicer.parse_fcsv),
    ".npz": _array(lambda path: npz.array(contents(path), ARRAY_NAMES)),
    ".npy": _array(lambda path: arrays.read_npy(contents(path))),
    ".h5": _array(_hdf5),
    ".hdf5": _array(_hdf5),
}
