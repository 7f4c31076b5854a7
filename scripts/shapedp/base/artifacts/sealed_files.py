"""An artifact's file: written whole or not at all, sealed by a digest, and read record by record."""

import json
import platform
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from pathlib import Path

import h5py
import numpy  # noqa: F401 - so that its BLAS is loaded and can be asked
import numpy as np
import threadpoolctl

from shapedp import __version__
from shapedp.base.artifacts import guarded
from shapedp.base.artifacts.guarded import LONGEST_WORDS, RECORD_NAME
from shapedp.base.artifacts.kinds import match
from shapedp.base.errors import ArtifactError
from shapedp.base.storage import files

HEADER_BYTES = 512
SIGNATURE = "shapedp artifact"


LIBRARIES = ("h5py", "numba", "numpy", "pythoncdt", "scipy")
# Bytes; smaller arrays gain nothing, and numbers that are kept here a sixth, slowly.
COMPRESSED_FROM = 4096
# The oldest and the newest HDF5 that must read the files: `latest` is read by HDF5 2.0 alone.
FORMAT = ("v108", "v110")


def header(path):
    """Return (kind, version, digest) that an artifact's first bytes declare: what it is, and whether others came of it.

    A file that is none is refused.
    """
    path = Path(path)
    if not path.is_file():
        raise ArtifactError(f"{path}: no such file; run snakemake, which makes it")
    with path.open("rb") as stream:
        lines = stream.read(HEADER_BYTES).rstrip(b"\0").decode("ascii", "replace").split("\n")
    words = lines[0].removeprefix(SIGNATURE).split()
    if not lines[0].startswith(SIGNATURE) or len(words) != 2 or len(lines) < 2 or not words[1].isdecimal():
        raise ArtifactError(f"{path}: not an artifact of shapedp (it does not begin with '{SIGNATURE}')")
    return words[0], int(words[1]), lines[1]


def check(path, kind):
    """Refuse an artifact of another kind or version, or one that is truncated or damaged, before it is read."""
    name, version, digest = header(path)
    if name != kind.name:
        raise ArtifactError(f"{path}: holds '{name}', expected '{kind.name}'; delete it and run snakemake again")
    if version != kind.version:
        raise ArtifactError(
            f"{path}: version {version} of '{name}', this shapedp reads version {kind.version}; "
            "delete it and run snakemake again, or read it with the shapedp that wrote it"
        )
    if files.digest_file(path, HEADER_BYTES) != digest:
        raise ArtifactError(f"{path}: truncated or damaged (digest does not match); delete it and run snakemake again")


def seal(path, kind):
    """Write the first bytes of an artifact: its kind, its version and the digest of all that follows, by which damage
    is found.

    They go into the room that was left for them when the file was begun.
    """
    digest = files.digest_file(path, HEADER_BYTES)
    with path.open("r+b") as stream:
        stream.write(f"{SIGNATURE} {kind.name} {kind.version}\n{digest}\n".encode("ascii"))


@cache
def find_software():
    """Return {name: version} of what computed an artifact, noted in it to explain figures that differ between machines.

    `blas` names the library and the kernels it chose for this processor.
    """
    # Others know no kernels.
    libraries = [library for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"]
    return {
        "blas": ", ".join(
            sorted({f"{library['internal_api']} {library.get('architecture', '')}".strip() for library in libraries})
        ),
        "machine": platform.machine(),
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in LIBRARIES},
    }


class Record:
    """One record of a file being read: `name`, `rejected`, `stage`, `code`, `reason`; fields by `record[field]`."""

    def __init__(self, name, group, kind, path):
        self.name, self._group, self._kind, self._path = name, group, kind, path
        self.rejected = guarded.read_words(group, "status", path) == "rejected"
        self.stage, self.code, self.reason = (
            guarded.read_words(group, key, path) for key in ("stage", "code", "reason")
        )

    def __getitem__(self, field):
        return guarded.read_field(self._group, field, self._kind, self._path)


class Reader:
    """An open artifact: records by iteration, or fields by name; `rows` reads a slice without the rest."""

    def __init__(self, file, kind, path):
        self._file, self.kind, self.path = file, kind, path
        self.provenance = guarded.read_provenance(file, path)

    def __iter__(self):
        for name in self._file:
            yield self.record(name)

    def __len__(self):
        return len(self._file)

    def __contains__(self, field):
        return field in self._file

    def record(self, name):
        """Return the record of one scan or person by its name; raise where the artifact has none."""
        if name not in self._file:
            raise ArtifactError(f"{self.path}: holds no record '{name}'; delete it and run snakemake again")
        return Record(name, guarded.find_group(self._file, name, self.path), self.kind, self.path)

    def __getitem__(self, field):
        return guarded.read_field(self._file, field, self.kind, self.path)

    def meanings(self):
        """Return {field: its meaning as the file states it}, so that a release of an earlier version is judged by its
        words.
        """
        return {
            field: guarded.read_words(
                guarded.find_dataset(self._file, field, self.kind, self.path), "meaning", self.path
            )
            for field in self.kind.fields
        }

    def rows(self, field, start, stop):
        """Return rows start..stop of an array."""
        return guarded.find_dataset(self._file, field, self.kind, self.path)[start:stop]

    def shape(self, field):
        """Return the array's shape, without reading it."""
        return guarded.find_dataset(self._file, field, self.kind, self.path).shape


@contextmanager
def reader(path, kind):
    """Yield a Reader of an artifact, after checking that it is whole and of the kind that the caller takes."""
    check(path, kind)
    with guarded.open_hdf5(path) as file:
        if kind.released:
            guarded.refuse_large(file, kind, path)
        yield Reader(file, kind.with_names(file), path)


def records(path, kind):
    """Yield the records of an artifact, one after the other."""
    with reader(path, kind) as source:
        yield from source


def lineage(*paths):
    """Return, sorted, the kinds of these artifacts and of all that they were made of.

    The statement of a release tells from them whether its bounds can depend on the data.
    """
    kinds = set()
    for path in paths:
        kinds.add(header(path)[0])
        with guarded.open_hdf5(path) as file:
            kinds.update(guarded.read_provenance(file, path)["made_of"])
    return sorted(kinds)


class Writer:
    """An artifact being written. Nothing is visible under its name until it is complete."""

    def __init__(self, file, kind, sink):
        self._file, self.kind, self._sink = file, kind, sink

    def write(self, record, **fields):
        """Write the fields of one record, such as a face's, all that its kind declares."""
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
        """Return a new group for a record, whose name must be safe to show and be no other's."""
        if not RECORD_NAME.fullmatch(record):
            raise ArtifactError(f"the record name {record!r} is not allowed in a file")
        return self._file.create_group(record)

    def set(self, **fields):
        """Write the fields of an artifact without records."""
        _check_names(self.kind, set(fields) | set(self._file))
        _write_fields(self._file, self.kind, fields)

    def rows(self, field, shape):
        """Make room for a large array that is filled row by row, so that it is never held whole: assign to slices of
        it.
        """
        declared = self.kind.fields[field]
        chunk = (max(1, min(shape[0], (1 << 20) // max(1, 8 * int(np.prod(shape[1:]))))), *shape[1:])
        dataset = self._file.create_dataset(field, shape, declared.dtype, chunks=chunk, fletcher32=True)
        dataset.attrs.update(_describe_field(declared))
        return dataset


@contextmanager
def writer(path, kind, settings=None, inputs=(), made_of=(), version=__version__):
    """Yield a Writer of an artifact, which appears at `path` whole, or not at all, with its settings and lineage.

    settings : public or private settings that shaped the content, recorded as JSON
    inputs : artifacts that it was made from; their digests are recorded, and the kinds that these were made of in turn
    made_of : further kinds of which it was made
    version : of the software, where a file is written again as an earlier one wrote it
    """
    # By their paths: of several inputs with one name, as in batches, none is lost.
    headers = {source: header(source) for source in inputs}
    with files.atomic(path) as partial:
        with (
            files.Sink(partial, path) as sink,
            h5py.File(sink, "w", libver=FORMAT, userblock_size=HEADER_BYTES) as file,
        ):
            file.attrs["provenance"] = json.dumps(
                {
                    "shapedp": version,
                    "settings": settings or {},
                    "inputs": {f"{head[0]} {Path(source).name}": head[2] for source, head in headers.items()},
                    "made_of": sorted({*lineage(*inputs), *made_of}),
                    # A file that is released says nothing about the machine that made it.
                    **({} if kind.released else {"made_with": find_software()}),
                },
                sort_keys=True,
            )
            file.attrs["meaning"] = kind.meaning
            # Once for all records, not with each of them.
            if kind.records:
                file.attrs["fields"] = json.dumps({name: _describe_field(field) for name, field in kind.fields.items()})
            yield Writer(file, kind, sink)
        seal(partial, kind)


def _check_names(kind, names):
    """Raise ArtifactError where fields are missing that a kind declares, or given that it does not, before any is
    written.
    """
    if missing := set(kind.fields) - names:
        raise ArtifactError(f"'{kind.name}' needs the field(s) {', '.join(sorted(missing))}")
    if unknown := names - set(kind.fields):
        raise ArtifactError(f"'{kind.name}' declares no field {', '.join(sorted(unknown))}")


def _write_fields(group, kind, fields):
    """Write the fields that a kind declares into a group of an HDF5 file, each with its unit and meaning."""
    sizes = {}
    for name, declared in kind.fields.items():
        if name not in fields:
            continue
        value = fields[name]
        if declared.dtype == "text":
            text_type = h5py.string_dtype()
            # Of a fixed length, since Octave reads no other.
            if isinstance(value, str):
                value = value.encode()
                text_type = h5py.string_dtype("ascii" if value.isascii() else "utf-8", max(1, len(value)))
            array, packing = np.array(value, dtype=text_type), {}
        else:
            array = np.asarray(value, dtype=declared.dtype)
            is_packed = array.nbytes >= COMPRESSED_FROM and (kind.released or array.dtype.kind not in "fc")
            packing = {"compression": "gzip", "compression_opts": 1, "shuffle": True} if is_packed else {}
        # Closed at once: the moment at which it is closed decides the file's bytes.
        group.create_dataset(name, data=array, **packing)
        match(array.shape, declared.shape, sizes, name)
        if not kind.records:
            group[name].attrs.update(_describe_field(declared))


def _describe_field(field):
    """Return what a reader of the file needs to know of a field: unit, axes, meaning."""
    return {"units": field.unit or "none", "axes": ", ".join(map(str, field.shape)) or "none", "meaning": field.meaning}


class InMemoryRecord:
    """One record: `name`; by `record[field]`, or all as `fields`, what its kind declares, of its types and shapes."""

    def __init__(self, name, kind, fields):
        self.name, self.fields, sizes = name, {}, {}
        for field, declared in kind.fields.items():
            value = fields[field]
            if declared.dtype != "text" and declared.shape:
                value = np.ascontiguousarray(value, dtype=declared.dtype)
            elif declared.dtype != "text":
                value = np.asarray(value, declared.dtype).item()
            match(np.shape(value), declared.shape, sizes, field)
            self.fields[field] = value

    def __getitem__(self, field):
        return self.fields[field]


def write_foreign(path, fields, attributes, groups=()):
    """Write an HDF5 file in another program's layout, such as a statistical shape model, for export.

    fields : {place: array, or text}; attributes : {place: {name: text}}; groups : places of further groups
    """
    with files.atomic(path) as partial, h5py.File(partial, "w", libver=("earliest", "v108")) as file:
        for place, value in fields.items():
            file[place] = np.array(value.encode(), h5py.string_dtype()) if isinstance(value, str) else value
        for place in groups:
            file.require_group(place)
        for place, words in attributes.items():
            file[place].attrs.update(words)
