"""Artifacts read: records one after the other, fields by name, large arrays by slices."""

from contextlib import contextmanager

from shapedp.artifacts import guarded
from shapedp.artifacts.seal import check, header
from shapedp.errors import ArtifactError


class Record:
    """One record of a file being read: `name`, `rejected`, `stage`, `code`, `reason`; fields by `record[field]`."""

    def __init__(self, name, group, kind, path):
        self.name, self._group, self._kind, self._path = name, group, kind, path
        self.rejected = guarded.words(group, "status", path) == "rejected"
        self.stage, self.code, self.reason = (guarded.words(group, key, path) for key in ("stage", "code", "reason"))

    def __getitem__(self, field):
        return guarded.read(self._group, field, self._kind, self._path)

    def __contains__(self, field):
        return field in self._group


class Reader:
    """An open artifact: records by iteration, or fields by name; `rows` reads a slice without the rest."""

    def __init__(self, file, kind, path):
        self._file, self.kind, self.path = file, kind, path
        self.provenance = guarded.provenance(file, path)

    def __iter__(self):
        for name in self._file:
            yield self.record(name)

    def __len__(self):
        return len(self._file)

    def record(self, name):
        """The record of this name."""
        if name not in self._file:
            raise ArtifactError(f"{self.path}: holds no record '{name}'; delete it and run snakemake again")
        return Record(name, guarded.plain_group(self._file, name, self.path), self.kind, self.path)

    def __getitem__(self, field):
        return guarded.read(self._file, field, self.kind, self.path)

    def rows(self, field, start, stop):
        """Rows start..stop of an array."""
        return guarded.dataset(self._file, field, self.kind, self.path)[start:stop]

    def shape(self, field):
        """The array's shape, without reading it."""
        return guarded.dataset(self._file, field, self.kind, self.path).shape


@contextmanager
def reader(path, kind):
    """Open an artifact for reading, after checking that it is whole and what it should be."""
    check(path, kind)
    with guarded.opened(path) as file:
        yield Reader(file, kind, path)


def records(path, kind):
    """The records of an artifact, one after the other."""
    with reader(path, kind) as source:
        yield from source


def lineage(*paths):
    """Kinds of these artifacts and of all that they were made of, sorted: what their content can depend on."""
    kinds = set()
    for path in paths:
        kinds.add(header(path)[0])
        with guarded.opened(path) as file:
            kinds.update(guarded.provenance(file, path)["made_of"])
    return sorted(kinds)
