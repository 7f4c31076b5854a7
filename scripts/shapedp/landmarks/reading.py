"""A landmark file, or a folder of them, as one array of shapes."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shapedp import artifacts
from shapedp.errors import ArtifactError, Rejected
from shapedp.landmarks import morphologika, tables, tps

ARRAY_NAMES = ("X", "landmarks", "coordinates", "shapes")
LARGEST_BYTES = 1 << 30


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
    parts = [_read_file(one) for one in (sorted(path.iterdir()) if path.is_dir() else [path]) if one.suffix in READERS]
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
    if path.stat().st_size > LARGEST_BYTES:
        raise Rejected("too_large", f"{path.name}: larger than {LARGEST_BYTES >> 30} GiB; split the file")
    shapes, ids = READERS[path.suffix](path)
    shapes = np.asarray(shapes, dtype=float)
    if shapes.ndim == 2:
        shapes = shapes[None]
    if shapes.ndim != 3 or shapes.shape[2] != 2:
        raise Rejected("wrong_shape", f"{path.name}: array of shape {shapes.shape}, expected (n, k, 2)")
    ids = list(ids) if ids else [f"{path.stem}_{index + 1:05d}" for index in range(len(shapes))]
    return Landmarks(shapes, ids)


def _numpy(path):
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded, None
        name = next((one for one in ARRAY_NAMES if one in loaded), None)
        if name is None:
            raise Rejected("no_landmarks", f"{path.name}: holds {list(loaded)}, expected one of {ARRAY_NAMES}")
        return loaded[name], None
    except (ValueError, OSError, EOFError) as error:
        raise Rejected("unreadable", f"{path.name}: not a numpy file without objects ({error})") from error


def _hdf5(path):
    try:
        return artifacts.read_foreign(path, ARRAY_NAMES), None
    except ArtifactError as error:
        raise Rejected("unreadable", str(error)) from error


def _text(parse):
    def parsed(path):
        try:
            return parse(path.read_text(encoding="utf-8-sig"), path.name)
        except UnicodeDecodeError as error:
            raise Rejected("not_text", f"{path.name}: not UTF-8 text; save it as UTF-8") from error

    return parsed


READERS = {
    ".npz": _numpy,
    ".npy": _numpy,
    ".h5": _hdf5,
    ".hdf5": _hdf5,
    ".csv": _text(tables.parse),
    ".tsv": _text(tables.parse),
    ".tps": _text(tps.parse),
    ".TPS": _text(tps.parse),
    ".txt": _text(morphologika.parse),
}
