"""A landmark file, or a folder of them, as one array of shapes."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shapedp import artifacts
from shapedp.errors import ArtifactError, Rejected
from shapedp.landmarks import morphologika, tables, tps
from shapedp.scans import arrays, npz
from shapedp.scans.read import contents
from shapedp.storage import containment

ARRAY_NAMES = ("X", "landmarks", "coordinates", "shapes")
LARGEST_TEXT = 1 << 26  # bytes; as Python objects a table takes 20 times that
LARGEST_HDF5 = 1 << 30  # bytes of a file of which one array is read, which has a limit of its own
LONGEST_ID = 200  # characters


@dataclass(frozen=True)
class Landmarks:
    """shapes : (n, k, 2) float64; ids : n names, unique"""

    shapes: np.ndarray
    ids: list


def read(path):
    """All shapes of a file, or of the files of a folder in the order of their names."""
    path = Path(path)
    if not path.exists():
        raise Rejected("missing_file", f"{path}: no such landmark file or folder")
    listed = sorted(path.iterdir()) if path.is_dir() else [path]
    found = [one for one in listed if one.suffix in READERS]
    if path.is_dir() and (outside := containment.escaping(found, path)):
        raise Rejected("link_out", f"{outside[0].name!r}: a link out of its folder; {containment.REMEDY}")
    parts = [_read_file(one) for one in found]
    if not parts:
        raise Rejected("unknown_format", f"{path.name}: no landmark file; known endings: {', '.join(READERS)}")
    sizes = sorted({part.shapes.shape[1] for part in parts})
    if len(sizes) > 1:
        raise Rejected("mixed_landmarks", f"{path.name}: files with {sizes} landmarks; all shapes need the same number")
    shapes = np.concatenate([part.shapes for part in parts])
    ids = [name for part in parts for name in part.ids]
    if repeats := sorted(name for name, count in Counter(ids).items() if count > 1)[:5]:
        raise Rejected("repeated_id", f"{path.name}: the id(s) {', '.join(repeats)} stand more than once")
    return Landmarks(shapes, ids)


def _read_file(path):
    try:
        shapes, ids = READERS[path.suffix](path)
    except Rejected as error:
        named = str(error) if path.name in str(error) else f"{path.name}: {error}"
        raise Rejected(error.code, named) from error
    if getattr(shapes, "dtype", np.dtype(float)).names:
        raise Rejected("wrong_shape", f"{path.name}: records where plain numbers should stand")
    shapes = np.asarray(shapes, dtype=float)
    if shapes.ndim == 2:
        shapes = shapes[None]
    if shapes.ndim != 3 or shapes.shape[2] != 2:
        raise Rejected("wrong_shape", f"{path.name}: array of shape {shapes.shape}, expected (n, k, 2)")
    ids = list(ids) if ids else [f"{path.stem}_{index + 1:05d}" for index in range(len(shapes))]
    if len(ids) != len(shapes):
        raise Rejected("truncated", f"{path.name}: {len(ids)} names for {len(shapes)} shapes")
    _refuse_ids(ids, path.name)
    return Landmarks(shapes, ids)


def _refuse_ids(ids, name):
    """Refuse ids that cannot be shown as they are: control characters, marks that turn the reading direction."""
    for one in ids:
        if not one or not one.isprintable() or len(one) > LONGEST_ID:
            raise Rejected(
                "bad_id",
                f"{name}: the id {str(one)[:80]!r} is empty, longer than {LONGEST_ID}, or holds characters that do "
                "not show",
            )


def _npy(path):
    return arrays.read_npy(contents(path)), None


def _npz(path):
    return npz.array(contents(path), ARRAY_NAMES), None


def _hdf5(path):
    if not path.is_file() or path.stat().st_size > LARGEST_HDF5:
        raise Rejected("too_large", f"{path.name}: not a file, or larger than {LARGEST_HDF5 >> 30} GiB; split it")
    try:
        return artifacts.read_foreign(path, ARRAY_NAMES), None
    except ArtifactError as error:
        raise Rejected("unreadable", str(error)) from error


def _text(parse):
    def parsed(path):
        try:
            return parse(contents(path, LARGEST_TEXT).decode("utf-8-sig"), path.name)
        except UnicodeDecodeError as error:
            raise Rejected("not_text", f"{path.name}: not UTF-8 text; save it as UTF-8") from error

    return parsed


READERS = {
    ".npz": _npz,
    ".npy": _npy,
    ".h5": _hdf5,
    ".hdf5": _hdf5,
    ".csv": _text(tables.parse),
    ".tsv": _text(tables.parse),
    ".tps": _text(tps.parse),
    ".TPS": _text(tps.parse),
    ".txt": _text(morphologika.parse),
}
