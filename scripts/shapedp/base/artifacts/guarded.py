"""Look into an HDF5 file that a stranger may have made: nothing outside it is read, nothing it claims is believed."""

import json
import re
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from shapedp.base.artifacts.kinds import match
from shapedp.base.errors import ArtifactError
from shapedp.base.storage import files

# Deflate cannot shrink by more than 1032; a larger claim is a lie.
LARGEST_RATIO = 1100
# Bytes of one field of one record; the largest scan that is read needs a third.
LARGEST_FIELD = 1 << 28
# Bytes of all fields of a released file together; the largest model takes a quarter.
LARGEST_RELEASED = 1 << 27
# Characters of a reason; the rest is cut.
LONGEST_WORDS = 2000
# Safe in tables, on screens, and as part of a file name.
RECORD_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._=,+-]{0,199}")
# Other filters load plugins.
FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}


@contextmanager
def open_hdf5(path):
    """Yield an HDF5 file that may be hostile; what the library cannot make sense of, now or later, is told as the
    file's fault.
    """
    try:
        with h5py.File(path, "r") as file:
            yield file
    except ArtifactError:
        raise
    except OSError as error:
        if error.errno in files.FAILING:
            raise
        raise ArtifactError(f"{path}: not a readable HDF5 file ({make_printable(str(error))})") from error


def read_provenance(file, path):
    """Return what an artifact says about its making: software, settings, inputs, and the kinds that it was made of."""
    try:
        provenance = json.loads(_text(file, "provenance", path))
        complete = provenance.keys() >= {"shapedp", "settings", "inputs", "made_of"}
    except (ValueError, AttributeError, RecursionError):
        complete = False
    if not complete:
        raise ArtifactError(f"{path}: does not say what it was made of; delete it and run snakemake again")
    return provenance


def refuse_large(file, kind, path):
    """Refuse a released file whose fields claim more together than any release holds, before one of them fills the
    memory.
    """
    hard_links = [file[name] for name in kind.fields if isinstance(file.get(name, getlink=True), h5py.HardLink)]
    claimed = sum(field.nbytes for field in hard_links if isinstance(field, h5py.Dataset))
    if claimed > LARGEST_RELEASED:
        raise ArtifactError(f"{path}: claims {claimed} bytes, more than the {LARGEST_RELEASED} of a release; refused")


def _text(group, key, path):
    """Return a text attribute of somebody's HDF5 file, refused if it is no text; "" where it is missing."""
    value = group.attrs.get(key, "")
    if not isinstance(value, str):
        raise ArtifactError(f"{path}: '{key}' of '{make_printable(group.name)}' is not a text; refused")
    return value


def read_words(group, key, path):
    """Return a text attribute that is safe to show."""
    return make_printable(_text(group, key, path))


def make_printable(text):
    """Return text from a stranger's file that may be shown on a terminal or page: without signs that control or turn
    it, cut short.
    """
    return "".join(letter if letter.isprintable() else "?" for letter in text[:LONGEST_WORDS])


def find_group(file, name, path):
    """Return the group of a record; a link to another file, or a name that is not safe to show, is refused."""
    if not RECORD_NAME.fullmatch(name):
        raise ArtifactError(f"{path}: the record name {make_printable(name)[:80]!r} is not allowed; refused")
    # A soft or an external link could lead to any file that this process may read.
    if not isinstance(file.get(name, getlink=True), h5py.HardLink) or not isinstance(file[name], h5py.Group):
        raise ArtifactError(f"{path}: '{name}' is a link to somewhere else; refused")
    return file[name]


def find_dataset(group, field, kind, path):
    """Return the dataset of a declared field; one that points outside the file or claims more than it can hold is
    refused.
    """
    if field not in kind.fields:
        raise KeyError(f"'{kind.name}' declares no field '{field}'")
    if not isinstance(group.get(field, getlink=True), h5py.HardLink):
        raise ArtifactError(f"{path}: field '{field}' of '{group.name}' is missing or a link to somewhere else")
    data, declared = _check_inside(group[field], field, path), kind.fields[field]
    if declared.dtype == "text":
        is_same_type = h5py.check_string_dtype(data.dtype) is not None
    else:
        declared_type = np.dtype(declared.dtype)
        is_same_type = (data.dtype.kind, data.dtype.itemsize) == (declared_type.kind, declared_type.itemsize)
    if not is_same_type:
        raise ArtifactError(f"{path}: field '{field}' holds {data.dtype}, declared as {declared.dtype}")
    if kind.records and data.nbytes > LARGEST_FIELD:
        raise ArtifactError(f"{path}: field '{field}' claims {data.nbytes} bytes, more than {LARGEST_FIELD}; refused")
    try:
        match(data.shape, declared.shape, {}, field)
    except ArtifactError as error:
        raise ArtifactError(f"{path}: {error}") from error
    return data


def _check_inside(data, name, path):
    """Return the dataset of a file that a stranger may have made, once it is safe to read.

    It is refused if its values lie elsewhere, are more than the file can hold, or are packed by code that would be
    loaded.
    """
    if not isinstance(data, h5py.Dataset) or data.external or data.is_virtual:
        raise ArtifactError(f"{path}: field '{name}' keeps its values outside the file; refused")
    if data.nbytes > LARGEST_RATIO * Path(path).stat().st_size:
        raise ArtifactError(f"{path}: field '{name}' claims {data.nbytes} bytes, more than the file can hold; refused")
    properties = data.id.get_create_plist()
    filters = {properties.get_filter(index)[0] for index in range(properties.get_nfilters())}
    # HDF5 loads a plugin, which is code, for any other filter that a file names.
    if filters - FILTERS:
        raise ArtifactError(f"{path}: field '{name}' is packed by a filter that could load a plugin; refused")
    if data.chunks and np.prod(data.chunks, dtype=float) * data.dtype.itemsize > LARGEST_FIELD:
        raise ArtifactError(f"{path}: field '{name}' is cut into chunks of more than {LARGEST_FIELD} bytes; refused")
    return data


def read_field(group, field, kind, path):
    """Return the value of a declared field of a file that may be hostile; an index that points nowhere is refused."""
    data = find_dataset(group, field, kind, path)
    if kind.fields[field].dtype == "text":
        return _read_text(data, field, path)
    value = data[()]
    indexed_field = next((name for name in ("vertices", "z") if name in kind.fields), None)
    # Compiled loops do not look where an index points.
    if kind.fields[field].unit == "index" and indexed_field:
        count = find_dataset(group, indexed_field, kind, path).shape[0]
        if np.size(value) and not (np.min(value) >= 0 and np.max(value) < count):
            raise ArtifactError(f"{path}: field '{field}' points outside the {count} vertices; refused")
    return value.item() if data.shape == () else value


def _read_text(data, field, path):
    """Return a text or a list of texts, read so that a hostile file cannot fill the memory.

    In all they are no longer than the file, where many entries may point at one long text.
    """
    size = Path(path).stat().st_size
    # No text is longer than the file, so that a block of them is bounded, too.
    block = max(1, min(1024, LARGEST_FIELD // size))
    texts, length = [], 0
    for start in range(0, data.size, block):
        try:
            part = [data.asstr()[()]] if data.shape == () else list(data.asstr()[start : start + block])
        except UnicodeDecodeError as error:
            raise ArtifactError(f"{path}: field '{field}' is not UTF-8 text; refused") from error
        texts += part
        length += sum(map(len, part))
        if length > size:
            raise ArtifactError(f"{path}: field '{field}' holds more text than the file; refused")
    return texts[0] if data.shape == () else texts


def read_foreign(path, names):
    """Return an array of somebody else's HDF5 file, such as landmarks, under the limits of hostile files.

    With it the names of what else stands at its top level. The array is called by the first of `names` that is there.
    """
    with open_hdf5(path) as file:
        name = next(
            (candidate for candidate in names if isinstance(file.get(candidate, getlink=True), h5py.HardLink)), None
        )
        if name is None:
            raise ArtifactError(f"{Path(path).name}: holds {list(file)[:9]}, expected one of {', '.join(names)}")
        data = _check_inside(file[name], name, path)
        if data.dtype.kind not in "fiu" or data.nbytes > LARGEST_FIELD:
            raise ArtifactError(
                f"{Path(path).name}: field '{name}' is {data.nbytes} bytes of {data.dtype}, "
                f"expected at most {LARGEST_FIELD} bytes of plain numbers"
            )
        return data[()], sorted(set(file) - {name})
