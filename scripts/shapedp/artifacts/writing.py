"""Artifacts written: whole or not at all, each field as its kind declares it."""

import json
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from shapedp import __version__
from shapedp.artifacts import software
from shapedp.artifacts.declaring import match
from shapedp.artifacts.guarded import LONGEST_WORDS, RECORD_NAME
from shapedp.artifacts.reading import lineage
from shapedp.artifacts.seal import HEADER_BYTES, header, seal
from shapedp.errors import ArtifactError
from shapedp.storage import faults, files

COMPRESSED_FROM = 4096  # bytes; smaller arrays gain nothing
FORMAT = ("v108", "v110")  # oldest and newest HDF5 that must read the files: `latest` is read by HDF5 2.0 alone


class Writer:
    """An artifact being written. Nothing is visible under its name until it is complete."""

    def __init__(self, file, kind, sink):
        self._file, self.kind, self._sink = file, kind, sink

    def write(self, record, **fields):
        """Write one record's fields."""
        _check_names(self.kind, set(fields))
        group = self._group(record)
        group.attrs["status"] = "ok"
        _write_fields(group, self.kind, fields)
        self._sink.check()

    def reject(self, record, stage, code, reason):
        """Enter a record that could not be processed, with its reason in words."""
        group = self._group(record)
        group.attrs.update({"status": "rejected", "stage": stage, "code": code, "reason": reason[:LONGEST_WORDS]})

    def _group(self, record):
        if not RECORD_NAME.fullmatch(record):
            raise ArtifactError(f"the record name {record!r} is not allowed in a file")
        return self._file.create_group(record)

    def pass_on(self, record):
        """Enter a record that an earlier step rejected."""
        self.reject(record.name, record.stage, record.code, record.reason)

    def set(self, **fields):
        """Write the fields of an artifact without records."""
        _check_names(self.kind, set(fields) | set(self._file))
        _write_fields(self._file, self.kind, fields)

    def rows(self, field, shape):
        """Make room for a large array that is filled row by row: assign to slices of what this returns."""
        declared = self.kind.fields[field]
        chunk = (max(1, min(shape[0], (1 << 20) // max(1, 8 * int(np.prod(shape[1:]))))), *shape[1:])
        made = self._file.create_dataset(field, shape, declared.dtype, chunks=chunk, fletcher32=True)
        made.attrs.update(_description(declared))
        return made


@contextmanager
def writer(path, kind, settings=None, inputs=(), made_of=()):
    """Open an artifact for writing; it appears at `path` whole, or not at all.

    settings : public or private settings that shaped the content, recorded as JSON
    inputs : artifacts that it was made from; their digests are recorded, and the kinds that these were made of in turn
    made_of : further kinds of which it was made
    """
    heads = {one: header(one) for one in inputs}  # of several with one name, as in batches, none is lost
    with files.atomic(path) as partial:
        with (
            faults.Sink(partial, path) as sink,
            h5py.File(sink, "w", libver=FORMAT, userblock_size=HEADER_BYTES) as file,
        ):
            file.attrs["provenance"] = json.dumps(
                {
                    "shapedp": __version__,
                    "settings": settings or {},
                    "inputs": {f"{head[0]} {Path(one).name}": head[2] for one, head in heads.items()},
                    "made_of": sorted({*lineage(*inputs), *made_of}),
                    **({} if kind.released else {"made_with": software.here()}),
                },
                sort_keys=True,
            )
            file.attrs["meaning"] = kind.meaning
            if kind.records:  # once for all records
                file.attrs["fields"] = json.dumps({name: _description(field) for name, field in kind.fields.items()})
            yield Writer(file, kind, sink)
        seal(partial, kind)


def _check_names(kind, names):
    if missing := set(kind.fields) - names:
        raise ArtifactError(f"'{kind.name}' needs the field(s) {', '.join(sorted(missing))}")
    if unknown := names - set(kind.fields):
        raise ArtifactError(f"'{kind.name}' declares no field {', '.join(sorted(unknown))}")


def _write_fields(group, kind, fields):
    sizes = {}
    for name, declared in kind.fields.items():
        if name in fields:
            _write_field(group, name, declared, fields[name], sizes)
            if not kind.records:
                group[name].attrs.update(_description(declared))


def _encoded(value):
    """A single text has a fixed length, since Octave reads no other; a list of texts has not."""
    if not isinstance(value, str):
        return np.array(value, dtype=h5py.string_dtype())
    content = value.encode()
    return np.array(content, dtype=h5py.string_dtype("ascii" if value.isascii() else "utf-8", max(1, len(content))))


def _description(field):
    """What a reader of the file needs to know of a field: unit, axes, meaning."""
    return {"units": field.unit or "none", "axes": ", ".join(map(str, field.shape)) or "none", "meaning": field.meaning}


def _write_field(group, name, declared, value, sizes):
    if declared.dtype == "text":
        array = _encoded(value)
        group.create_dataset(name, array.shape, array.dtype, data=array)
    else:
        array = np.asarray(value, dtype=declared.dtype)
        large = array.nbytes >= COMPRESSED_FROM
        packing = {"compression": "gzip", "compression_opts": 1, "shuffle": True} if large else {}
        group.create_dataset(name, data=array, **packing)
    match(array.shape, declared.shape, sizes, name)
