"""Landmarks of files or folders (TPS, NTS, Morphologika, MorphoJ, csv, xlsx, Slicer, npz, npy, h5), and sheets."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, MachineError, Rejected
from shapedp.base.reading import frame, workbook
from shapedp.base.reading.files import open_regular, read_contents
from shapedp.base.storage.files import ESCAPE_REMEDY, find_escaping
from shapedp.landmarks import matrices, tables, tps
from shapedp.landmarks.records import (
    Layout,
    Parsed,
    arrange,
    describe_several,
    drop_landmarks,
    drop_partial,
    find_common_layout,
    orient,
)
from shapedp.landmarks.sheet import count_rows, read_sheet
from shapedp.surfaces.scans import arrays

__all__ = ["Landmarks", "Layout", "count_rows", "drop_landmarks", "files", "read", "read_sheet"]

ARRAY_NAMES = ("X", "landmarks", "coords", "coordinates", "shapes")
# In bytes. One array of the file is read, which has a limit of its own.
LARGEST_HDF5 = 1 << 30
# Formats that hold one specimen by what they are.
ONE_SPECIMEN = (".json", ".fcsv", ".pts")
LONGEST_ID = 200  # characters
# A file's first line is looked for in so many bytes.
HEAD = 4096
# Stands for the number of records of a file that is one of a few: then each table has a header.
SEVERAL = -1


@dataclass(frozen=True)
class Landmarks:
    """shapes : (n, k, 2 or 3) float64, NaN where missing; ids : n names, unique

    notices : what a person should know, a sentence each; names : the landmarks' names, or None
    faults : why all or some landmarks of a record count as missing where they are in the file, "" where none do
    """

    shapes: np.ndarray
    ids: list
    faults: list
    notices: tuple = ()
    names: tuple | None = None

    @property
    def layout(self):
        """What a file of like records has."""
        return Layout(*self.shapes.shape[1:], self.names)


def read(path, layout=None, records=None, leave_out=()):
    """Return all records of landmarks in a file, or in the files of a folder in the order of their names.

    layout : of the public center's file; a record of another is all NaN. Without it, the layout of most records.
    records : how many there are, where that is public: then nothing that stands in a record decides how many are read
    leave_out : numbers of landmarks, from 1, that are read like the others, and dropped then
    """
    path = Path(path)
    landmark_paths, notices = files(path)
    count_in_file = (
        records if len(landmark_paths) == 1 or records is None else 1 if len(landmark_paths) == records else SEVERAL
    )
    parts = [_read_file(landmark_path, layout, count_in_file) for landmark_path in landmark_paths]
    if records is not None and (count := sum(len(part.records) for part in parts)) != records:
        raise Rejected(
            "other_number",
            f"{path.name}: {count} records where {records} are declared; correct the settings or the file (a line ends "
            "at a line feed; a table has a header, or as many rows as records)",
        )
    shapes = [record for part in parts for record in part.records]
    ids = [name for part in parts for name in part.ids]
    names = [name for part in parts for name in part.names or [None] * len(part.records)]
    if repeats := sorted(name for name, count in Counter(ids).items() if count > 1)[:5]:
        raise Rejected(
            "repeated_id",
            f"{path.name}: the id(s) {', '.join(repeats)} stand more than once; give each record an id of its "
            "own; if one specimen was digitised twice, say so in a sheet with the columns id and person",
        )
    of_files = tuple(
        f"{file.name}: {notice}" for file, part in zip(landmark_paths, parts, strict=True) for notice in part.notices
    )
    try:
        layout = layout or find_common_layout(list(map(drop_partial, shapes)), names)
    except Rejected as error:
        raise Rejected(error.code, "; ".join([f"{path.name}: {error}", *of_files[:1]])) from error
    shapes, faults = arrange(shapes, names, layout)
    unread = describe_several(
        "not read", [f"{name}: {fault}" for name, fault in zip(ids, faults, strict=True) if fault]
    )
    shapes = drop_landmarks(shapes, leave_out, path.name)
    names_left = layout.names and tuple(name for at, name in enumerate(layout.names, start=1) if at not in leave_out)
    is_partial = np.isnan(shapes).any(axis=(1, 2)) & np.isfinite(shapes).any(axis=(1, 2))
    missing = describe_several(
        "some landmarks are missing", [name for name, lacks_some in zip(ids, is_partial, strict=True) if lacks_some]
    )
    return Landmarks(shapes, ids, faults, notices + of_files + unread + missing, names_left)


def files(path):
    """Return the landmark files at a path, itself or in the folder, and a notice about the others, left unread."""
    path = Path(path)
    if not path.exists():
        raise Rejected("missing_file", f"{path}: no such landmark file or folder; correct the path")
    entries = sorted(path.iterdir()) if path.is_dir() else [path]
    landmark_paths = [entry for entry in entries if entry.suffix.lower() in ENDINGS]
    if path.is_dir() and (outside := find_escaping(landmark_paths, path)):
        raise Rejected("link_out", f"{outside[0].name!r}: a link out of its folder; {ESCAPE_REMEDY}")
    if not landmark_paths:
        raise Rejected("unknown_format", f"{path.name}: not a landmark file; known endings: {', '.join(ENDINGS)}")
    others = [entry.name for entry in entries if entry not in landmark_paths]
    return landmark_paths, describe_several("not read, because its ending is not that of a landmark file", others)


def _read_file(path, layout, records):
    """Return what one landmark file holds, with ids; a bad file of one specimen stops nobody else.

    It is that record's own affair if a public center says what it should hold. records : of this file, where that is
    public.
    """
    try:
        parsed = _parse(path, layout, records)
        if records == 1 and len(parsed.records) != 1:
            raise Rejected(
                "not_one_shape",
                f"{path.name}: {len(parsed.records)} shapes where one is expected; give a file with one shape",
            )
    except Rejected as error:
        if layout and (records == 1 or (records is None and path.suffix.lower() in ONE_SPECIMEN)):
            return _count_as_missing(path, layout, error)
        named = str(error) if path.name in str(error) else f"{path.name}: {error}"
        raise Rejected(error.code, named) from error
    except (MemoryError, MachineError):
        # The machine is at fault, not the record: the run stops.
        raise
    except Exception as error:
        if not (layout and records == 1):
            raise
        return _count_as_missing(path, layout, f"{type(error).__name__}: {str(error)[:200]}")
    count, stem = len(parsed.records), path.name.split(".")[0]
    named = [stem] if count == 1 else [f"{stem}_{index + 1:05d}" for index in range(count)]
    ids = [_find_own_name(path)] if records == 1 else parsed.ids or named
    if len(ids) != count:
        raise Rejected("truncated", f"{path.name}: {len(ids)} names for {count} shapes")
    # Ids are printed and written in tables: what does not show, or turns the reading direction, is refused.
    for name in ids:
        if frame.UNREADABLE in name:
            raise Rejected("not_text", f"{path.name}: the id {name[:80]!r} is not UTF-8 text; save the file as UTF-8")
        if not name or not name.isprintable() or len(name) > LONGEST_ID:
            raise Rejected(
                "bad_id",
                f"{path.name}: the id {str(name)[:80]!r} is empty, longer than {LONGEST_ID}, or holds characters that "
                "do not show; rename the record",
            )
    return replace(parsed, ids=list(ids))


def _count_as_missing(path, layout, error):
    """Return the one record of a file that cannot be read."""
    empty = np.full((layout.count, layout.dimensions), np.nan)
    return Parsed([empty], [_find_own_name(path)], notices=(f"cannot be read, so it counts as missing: {error}",))


def _find_own_name(path):
    """Return the id of the one record that a file holds, which is known however broken the file is.

    Of a TPS it is what ID= or IMAGE= says, which its lines show; of any other the file's name.
    """
    if path.suffix.lower() == ".tps":
        try:
            names = tps.parse(frame.read_lines(path, tps.START, tps.FRAMING), path.name).ids
        except Rejected:
            names = []
        if len(names) == 1 and names[0] != tps.number_shape(1):
            return names[0]
    return path.name.split(".")[0]


def _parse(path, layout, records):
    """Return the records of a landmark file, read by its ending; an array in any order that people store it in."""
    ending = path.suffix.lower()
    if ending in TEXTS:
        return TEXTS[ending](frame.read_lines(path, *_find_record_marks(path)), path.name, layout, records)
    array, others = ARRAYS[ending](path)
    if getattr(array, "dtype", np.dtype(float)).names:
        raise Rejected(
            "wrong_shape",
            f"{path.name}: holds records where plain numbers should stand; save the coordinates as a plain array",
        )
    oriented_array, notices = orient(np.asarray(array, dtype=float), layout)
    unread = describe_several(
        "not read, because names and covariates are taken from the sheet", [repr(name) for name in others]
    )
    return Parsed(list(oriented_array), notices=(*notices, *unread))


def _find_record_marks(path):
    """Return by what lines a landmark file's records begin, and which lines are no record's, for `frame.read_lines`.

    The file's ending and its first line, which is no record's, tell it.
    """
    ending = path.suffix.lower()
    if ending in ONE_SPECIMEN:
        return (frame.WHOLE,)
    if ending == workbook.ENDING:
        return ()
    with open_regular(path), path.open("rb") as file:
        first = _find_first(frame.split_lines(file.read(HEAD)))
    if ending == ".tps" or (ending == ".txt" and tps.START.match(first)):
        return tps.START, tps.FRAMING
    return (matrices.INDIVIDUAL,) if ending == ".txt" and matrices.SECTION.match(first) else ()


def _find_first(lines):
    """Return the first line that is no comment."""
    texts = (text.strip() for _, text in lines)
    return next((text for text in texts if text[:1] not in ("", '"', "'")), "")


def _read_hdf5(path):
    """Return (the array of landmarks in a stranger's HDF5 file, names of what else it holds), or raise Rejected."""
    if not path.is_file() or path.stat().st_size > LARGEST_HDF5:
        raise Rejected("too_large", f"{path.name}: not a file, or larger than {LARGEST_HDF5 >> 30} GiB; split it")
    try:
        return artifacts.read_foreign(path, ARRAY_NAMES)
    except ArtifactError as error:
        raise Rejected("unreadable", str(error)) from error


def _parse_plain_text(lines, name, layout, records):
    """Return the records of a .txt, whose first line tells its program: Morphologika, tpsDig, NTSYSpc or MorphoJ.

    No record decides it.
    """
    first = ""
    if records is None or frame.has_header(len(lines), records):
        first = _find_first(lines)
    parse = next((parse for beginning, parse in PLAIN_TEXTS.items() if beginning.match(first)), tables.parse)
    return parse(lines, name, layout, records)


PLAIN_TEXTS = {
    matrices.SECTION: matrices.parse_morphologika,
    tps.START: tps.parse,
    matrices.NTS: matrices.parse_nts,
}
TEXTS = {
    ".tps": tps.parse,
    **dict.fromkeys((".nts", ".dta"), matrices.parse_nts),
    ".txt": _parse_plain_text,
    **dict.fromkeys((".csv", ".tsv", workbook.ENDING), tables.parse),
    ".json": tps.parse_markups,
    ".fcsv": tps.parse_fcsv,
    ".pts": tps.parse_pts,
}
# Each reads a path, and returns an array and the names of what stands beside it.
ARRAYS = {
    ".npz": lambda path: arrays.read_npz_array(read_contents(path), ARRAY_NAMES),
    ".npy": lambda path: (arrays.read_npy(read_contents(path)), ()),
    **dict.fromkeys((".h5", ".hdf5"), _read_hdf5),
}
ENDINGS = (*TEXTS, *ARRAYS)
