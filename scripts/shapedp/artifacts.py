"""Every HDF5 file of the project, declared once, with its reader and its writer.

A file begins with a block of 512 bytes of text (HDF5's user block): the kind, its version and the BLAKE2b digest of all
that follows. So a truncated, damaged or foreign file is recognised before the HDF5 library sees it. An artifact holds
either one set of fields, or a group of fields for each record (a face, a shape) that is `ok` or `rejected` with a
reason. No other module imports h5py.
"""

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from shapedp import __version__, disks, files, software
from shapedp.errors import ArtifactError

HEADER_BYTES = 512
SIGNATURE = "shapedp artifact"
LARGEST_RATIO = 1100  # deflate cannot shrink by more than 1032; a larger claim is a lie
LARGEST_FIELD = 1 << 28  # bytes of one field of one record; the largest scan that is read needs a third
LONGEST_WORDS = 2000  # characters of a reason; the rest is cut
RECORD_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._=,+-]{0,199}")  # safe in tables, on screens, as part of a file name
FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}  # others load plugins
COMPRESSED_FROM = 4096  # bytes; smaller arrays gain nothing


@dataclass(frozen=True)
class Field:
    """One array: dtype, symbolic shape, unit and meaning. `()` is a single number or text."""

    dtype: str
    shape: tuple
    unit: str
    meaning: str


@dataclass(frozen=True)
class Kind:
    """One sort of file. `records` says whether its fields stand once in each record's group or once in the file.

    released : it is published, and so says nothing about the machine that made it
    """

    name: str
    version: int
    meaning: str
    records: bool
    fields: dict
    released: bool = False


_MESH = {
    "vertices": Field("f8", ("n", 3), "scan units", "points of the mesh"),
    "triangles": Field("i4", ("t", 3), "index", "corners, counter-clockwise seen from outside"),
    "nose_tip": Field("i8", (), "index", "vertex that becomes the centre of the disk"),
}
_SURFACE = Field("f8", ("R", "T", 3), "1 (unit area)", "f(r_i, theta_k), r_i = (i + 1/2)/(R - 1/2), theta_k = 2 pi k/T")
_CURVES = Field("f8", ("J", 3, "m"), "1 (unit area)", "x, y, z along each radial curve at theta_k = 2 pi k/m")

MESH = Kind(
    "mesh",
    2,
    "a scan as a triangulated disk",
    True,
    {
        **_MESH,
        "scan": Field("text", (), "", "digest of the scan file, BLAKE2b-256"),
        "points_read": Field("i8", (), "count", "points in the scan file"),
        "points_kept": Field("i8", (), "count", "points that became vertices"),
        "holes_filled": Field("i8", (), "count", "inner holes closed"),
        "largest_hole": Field("f8", (), "share of area", "largest hole closed"),
        "area": Field("f8", (), "scan units squared", "surface area"),
        "nose_method": Field("text", (), "", "how the centre was found"),
        "nose_confidence": Field("f8", (), "0 to 1", "how far the tip stands out from the next candidate"),
        "notices": Field("text", (), "", "what a person should know, one sentence a line"),
    },
)
DISK_MAP = Kind(
    "disk_map",
    1,
    "a mesh with its conformal map to the unit disk",
    True,
    {
        **_MESH,
        "z": Field("c16", ("n",), "1", "vertex positions in the unit disk"),
        "angle_change_mean": Field("f8", (), "degree", "mean change of the triangles' angles"),
        "angle_change_max": Field("f8", (), "degree", "largest change of an angle"),
        "flips": Field("i8", (), "count", "triangles turned over by the map (always 0)"),
    },
)
DISK = Kind(
    "disk",
    1,
    "a disk map with its chosen centre at 0",
    True,
    {**_MESH, "z": Field("c16", ("n",), "1", "vertex positions in the unit disk, the centre at 0")},
)
SURFACE = Kind(
    "surface",
    1,
    "a surface of unit area and centroid 0 on the polar grid",
    True,
    {
        "f": _SURFACE,
        "scale": Field("f8", (), "scan units", "square root of the area that was divided out"),
        "centroid": Field("f8", (3,), "scan units", "area-weighted centroid that was subtracted"),
    },
)
REGISTERED = Kind(
    "registered",
    1,
    "a surface aligned to the template by a rotation and a diffeomorphism of the disk",
    True,
    {
        "f": _SURFACE,
        "rotation": Field("f8", (3, 3), "1", "O, with det O = 1; f = O f_before(gamma)"),
        "gamma": Field("f8", ("R", "T", 2), "1", "where each grid point is looked up in the disk"),
        "energy_before": Field("f8", (), "1", "squared SRNF distance to the template, no alignment"),
        "energy_rotation_only": Field("f8", (), "1", "the same after the best rotation"),
        "energy_after": Field("f8", (), "1", "the same after rotation and diffeomorphism"),
        "min_jacobian": Field("f8", (), "1", "smallest Jacobian of gamma on the checking grid"),
        "iterations": Field("i8", (), "count", "accepted steps over all levels"),
        "converged": Field("i8", (), "0 or 1", "whether the tolerance was reached"),
    },
)
FACE_CURVES = Kind("face_curves", 1, "radial curves of the faces of a batch", True, {"curves": _CURVES})
TEMPLATE = Kind(
    "template",
    1,
    "the face that all faces are registered to",
    False,
    {
        "f": _SURFACE,
        "curves": _CURVES,
        "radii": Field("f8", ("J",), "1", "radius of each curve in the disk"),
        "scale": Field("f8", (), "scan units", "square root of the template's area"),
        "public": Field("i8", (), "0 or 1", "0 if the template is a face of the cohort"),
        "source": Field("text", (), "", "where the template came from"),
    },
)
CURVES = Kind(
    "curves",
    1,
    "radial curves of a cohort, one row a face, rejected faces marked",
    False,
    {
        "curves": Field("f8", ("n", "J", 3, "m"), "1 (unit area)", "x, y, z along each curve; rejected faces hold 0"),
        "ok": Field("i1", ("n",), "0 or 1", "0 for a face that was rejected and counts as the reference"),
        "ids": Field("text", ("n",), "", "the faces' ids"),
        "groups": Field("text", ("n",), "", "the faces' groups, empty where none"),
        "radii": Field("f8", ("J",), "1", "radius of each curve in the disk"),
        "template": Field("text", (), "", "digest of the template that the faces were registered to"),
    },
)
BOUNDS = Kind(
    "bounds",
    2,
    "bounds on how far a person's curves may lie from the reference before they are clipped",
    False,
    {
        "tau": Field("f8", ("J", 3), "1 (unit area)", "largest norm of each curve's x, y, z about the reference"),
        "lower": Field("f8", ("J", 3, "m"), "1 (unit area)", "least coordinate of each point"),
        "upper": Field("f8", ("J", 3, "m"), "1 (unit area)", "largest coordinate of each point"),
        "deviations": Field(
            "f8", ("n", "J", 3), "1 (unit area)", "norms with frequency f weighted by sqrt(1 + f^2), for joint bounds"
        ),
        "reference": Field("f8", ("J", 3, "m"), "1 (unit area)", "the curves that are subtracted first"),
        "quantile": Field("f8", (), "1", "quantile of the population's norms"),
        "margin": Field("f8", (), "1", "factor on that quantile"),
        "source": Field("text", (), "", "where the bounds come from"),
        "public": Field("i8", (), "0 or 1", "0 if they were computed from the private cohort"),
    },
)
MEAN_FACE = Kind(
    "mean_face",
    1,
    "a released mean face, noise included",
    False,
    {
        "curves": _CURVES,
        "noise_sd": Field("f8", ("J", 3), "1 (unit area)", "standard deviation of the noise at each point of a curve"),
        "radii": Field("f8", ("J",), "1", "radius of each curve in the disk"),
        "scale": Field("f8", (), "mm", "multiply by this for a face as large as the public template"),
        "settings": Field("text", (), "", "the public settings of the release, as JSON"),
    },
    released=True,
)
LANDMARKS = Kind(
    "landmarks",
    1,
    "planar landmarks as they were read",
    False,
    {
        "landmarks": Field("f8", ("n", "k", 2), "file units", "x and y of each landmark"),
        "ids": Field("text", ("n",), "", "the records' ids"),
    },
)
SHAPES = Kind(
    "shapes",
    1,
    "planar shapes: landmarks centred and scaled to length 1, one row a record",
    False,
    {
        "z": Field("c16", ("n", "k"), "1", "landmark j at x + iy; a rejected record holds the centre"),
        "ok": Field("i1", ("n",), "0 or 1", "0 for a record that was rejected and counts as the centre"),
        "reasons": Field("text", ("n",), "", "why a record was rejected, empty where it was not"),
        "ids": Field("text", ("n",), "", "the records' ids"),
        "center": Field("c16", ("k",), "1", "p0, the centre of the ball of shapes"),
        "center_source": Field("text", (), "", "where p0 came from"),
        "center_public": Field("i8", (), "0 or 1", "0 if p0 was computed from these records"),
    },
)
MEAN_SHAPE = Kind(
    "mean_shape",
    1,
    "the non-private Fréchet mean of shapes",
    False,
    {
        "mean": Field("c16", ("k",), "1", "the mean shape"),
        "residual": Field("f8", (), "radian", "norm of the gradient at the mean"),
        "distances": Field("f8", ("n",), "radian", "distance of each record to the mean"),
        "center_distances": Field("f8", ("n",), "radian", "distance of each record to p0"),
    },
)
RELEASED_SHAPE = Kind(
    "released_shape",
    1,
    "a released mean shape, noise included",
    False,
    {
        "landmarks": Field(
            "f8", ("k", 2), "1 (unit size)", "x and y of each landmark, centred, turned to the centre p0"
        ),
        "noise_radius": Field("f8", (), "radian", "root mean square distance that the noise alone moves the mean"),
        "settings": Field("text", (), "", "the public settings of the release, as JSON"),
    },
    released=True,
)
SIMULATION = Kind(
    "simulation",
    1,
    "replicates of simulated experiments, one record a setting and block of replicates",
    True,
    {
        "experiment": Field("text", (), "", "name of the experiment, as in simulation/plan.py"),
        "setting": Field("text", (), "", "its parameters, as JSON with sorted keys"),
        "block": Field("i8", (), "index", "block of replicates"),
        "methods": Field("text", ("M",), "", "what was measured"),
        "values": Field("f8", ("M", "R"), "see the experiment", "one number a method and replicate"),
    },
)
KINDS = {kind.name: kind for kind in tuple(globals().values()) if isinstance(kind, Kind)}


class Record:
    """One record of a file being read: `name`, `rejected`, `stage`, `code`, `reason`; fields by `record[field]`."""

    def __init__(self, name, group, kind, path):
        self.name, self._group, self._kind, self._path = name, group, kind, path
        self.rejected = _words(group, "status", path) == "rejected"
        self.stage, self.code, self.reason = (_words(group, key, path) for key in ("stage", "code", "reason"))

    def __getitem__(self, field):
        return _read(self._group, field, self._kind, self._path)

    def __contains__(self, field):
        return field in self._group


class Reader:
    """An open artifact: records by iteration, or fields by name; `rows` reads a slice without the rest."""

    def __init__(self, file, kind, path):
        self._file, self.kind, self.path = file, kind, path
        self.provenance = _provenance(file, path)

    def __iter__(self):
        for name in self._file:
            yield Record(name, _plain_group(self._file, name, self.path), self.kind, self.path)

    def __len__(self):
        return len(self._file)

    def __getitem__(self, field):
        return _read(self._file, field, self.kind, self.path)

    def rows(self, field, start, stop):
        """Rows start..stop of an array."""
        return _dataset(self._file, field, self.kind, self.path)[start:stop]

    def shape(self, field):
        """The array's shape, without reading it."""
        return _dataset(self._file, field, self.kind, self.path).shape


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
        return self._file.create_dataset(field, shape, declared.dtype, chunks=chunk, fletcher32=True)


@contextmanager
def writer(path, kind, settings=None, inputs=()):
    """Open an artifact for writing; it appears at `path` whole, or not at all.

    settings : public or private settings that shaped the content, recorded as JSON
    inputs : artifacts that it was made from; their digests are recorded, and the kinds that these were made of in turn
    """
    with files.atomic(path) as partial:
        with (
            disks.Sink(partial, path) as sink,
            h5py.File(sink, "w", libver="latest", userblock_size=HEADER_BYTES) as file,
        ):
            file.attrs["provenance"] = json.dumps(
                {
                    "shapedp": __version__,
                    "settings": settings or {},
                    "inputs": {Path(one).name: header(one)[2] for one in inputs},
                    "made_of": lineage(*inputs),
                    **({} if kind.released else {"made_with": software.here()}),
                },
                sort_keys=True,
            )
            yield Writer(file, kind, sink)
        _seal(partial, kind)


@contextmanager
def reader(path, kind):
    """Open an artifact for reading, after checking that it is whole and what it should be."""
    check(path, kind)
    with _opened(path) as file:
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
        with _opened(path) as file:
            kinds.update(_provenance(file, path)["made_of"])
    return sorted(kinds)


def header(path):
    """(kind, version, digest) as the first bytes of a file declare them."""
    path = Path(path)
    if not path.is_file():
        raise ArtifactError(f"{path}: no such file; the rule that makes it has not run")
    with path.open("rb") as stream:
        lines = stream.read(HEADER_BYTES).rstrip(b"\0").decode("ascii", "replace").split("\n")
    words = lines[0].removeprefix(SIGNATURE).split()
    if not lines[0].startswith(SIGNATURE) or len(words) != 2 or len(lines) < 2 or not words[1].isdecimal():
        raise ArtifactError(f"{path}: not an artifact of shapedp (it does not begin with '{SIGNATURE}')")
    return words[0], int(words[1]), lines[1]


def check(path, kind):
    """Refuse a file of another kind or version, or one that is truncated or damaged."""
    name, version, digest = header(path)
    if name != kind.name:
        raise ArtifactError(f"{path}: holds '{name}', expected '{kind.name}'; delete it and run snakemake again")
    if version != kind.version:
        raise ArtifactError(
            f"{path}: version {version} of '{name}', this shapedp reads version {kind.version}; "
            "delete it and run snakemake again, or read it with the shapedp that wrote it"
        )
    if files.digest(path, HEADER_BYTES) != digest:
        raise ArtifactError(f"{path}: truncated or damaged (digest does not match); delete it and run snakemake again")


def read_foreign(path, names):
    """The array called by the first of `names` that an HDF5 file of somebody else holds at its top level."""
    with _opened(path) as file:
        name = next((one for one in names if isinstance(file.get(one, getlink=True), h5py.HardLink)), None)
        if name is None:
            raise ArtifactError(f"{Path(path).name}: holds {list(file)[:9]}, expected one of {', '.join(names)}")
        data = _inside(file[name], name, path)
        if data.dtype.kind not in "fiu" or data.nbytes > LARGEST_FIELD:
            raise ArtifactError(
                f"{Path(path).name}: field '{name}' is {data.nbytes} bytes of {data.dtype}, "
                f"expected at most {LARGEST_FIELD} bytes of plain numbers"
            )
        return data[()]


@contextmanager
def _opened(path):
    """The HDF5 file; what the library cannot make sense of, now or later, is told as a fault of the file."""
    try:
        with h5py.File(path, "r") as file:
            yield file
    except ArtifactError:
        raise
    except OSError as error:
        if error.errno in disks.FAILING:
            raise
        raise ArtifactError(f"{path}: not a readable HDF5 file ({_printable(str(error))})") from error


def _provenance(file, path):
    """What the file says about its making."""
    try:
        provenance = json.loads(_text(file, "provenance", path))
        complete = provenance.keys() >= {"shapedp", "settings", "inputs", "made_of"}
    except (ValueError, AttributeError, RecursionError):
        complete = False
    if not complete:
        raise ArtifactError(f"{path}: does not say what it was made of; delete it and run snakemake again")
    return provenance


def _text(group, key, path):
    """A text attribute; empty if it is missing."""
    value = group.attrs.get(key, "")
    if not isinstance(value, str):
        raise ArtifactError(f"{path}: '{key}' of '{_printable(group.name)}' is not a text; refused")
    return value


def _words(group, key, path):
    """A text attribute that is safe to show."""
    return _printable(_text(group, key, path))


def _printable(text):
    """Text without control characters, escape sequences and marks that turn the reading direction, cut to length."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:LONGEST_WORDS])


def _seal(path, kind):
    digest = files.digest(path, HEADER_BYTES)
    with path.open("r+b") as stream:
        stream.write(f"{SIGNATURE} {kind.name} {kind.version}\n{digest}\n".encode("ascii"))


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


def _write_field(group, name, declared, value, sizes):
    if declared.dtype == "text":
        array = np.array(value, dtype=object)
        group.create_dataset(name, array.shape, h5py.string_dtype(), data=array)
    else:
        array = np.asarray(value, dtype=declared.dtype)
        large = array.nbytes >= COMPRESSED_FROM
        packing = {"compression": "gzip", "compression_opts": 1, "shuffle": True} if large else {}
        group.create_dataset(name, data=array, **packing)
    _match(array.shape, declared.shape, sizes, name)


def _match(shape, symbols, sizes, name):
    """Bind symbolic sizes to numbers; the same symbol must mean the same number throughout a record."""
    same = len(shape) == len(symbols) and all(
        size == (sizes.setdefault(symbol, size) if isinstance(symbol, str) else symbol)
        for size, symbol in zip(shape, symbols, strict=True)
    )
    if not same:
        raise ArtifactError(f"field '{name}' has shape {shape}, declared as {symbols} with {sizes}")


def _plain_group(file, name, path):
    """The group `name`, which must lie in this very file and be safe to show."""
    if not RECORD_NAME.fullmatch(name):
        raise ArtifactError(f"{path}: the record name {_printable(name)[:80]!r} is not allowed; refused")
    if not isinstance(file.get(name, getlink=True), h5py.HardLink) or not isinstance(file[name], h5py.Group):
        raise ArtifactError(f"{path}: '{name}' is a link to somewhere else; refused")
    return file[name]


def _dataset(group, field, kind, path):
    """The dataset of a declared field, refused if it points outside the file or claims more than the file can hold."""
    if field not in kind.fields:
        raise KeyError(f"'{kind.name}' declares no field '{field}'")
    if not isinstance(group.get(field, getlink=True), h5py.HardLink):
        raise ArtifactError(f"{path}: field '{field}' of '{group.name}' is missing or a link to somewhere else")
    data = _inside(group[field], field, path)
    if not _same_type(data.dtype, kind.fields[field].dtype):
        raise ArtifactError(f"{path}: field '{field}' holds {data.dtype}, declared as {kind.fields[field].dtype}")
    if kind.records and data.nbytes > LARGEST_FIELD:
        raise ArtifactError(f"{path}: field '{field}' claims {data.nbytes} bytes, more than {LARGEST_FIELD}; refused")
    _match(data.shape, kind.fields[field].shape, {}, field)
    return data


def _same_type(found, declared):
    if declared == "text":
        return h5py.check_string_dtype(found) is not None
    return (found.kind, found.itemsize) == (np.dtype(declared).kind, np.dtype(declared).itemsize)


def _inside(data, name, path):
    """The dataset, refused if its values lie elsewhere or are more than the file can hold."""
    if not isinstance(data, h5py.Dataset) or data.external or data.is_virtual:
        raise ArtifactError(f"{path}: field '{name}' keeps its values outside the file; refused")
    if data.nbytes > LARGEST_RATIO * Path(path).stat().st_size:
        raise ArtifactError(f"{path}: field '{name}' claims {data.nbytes} bytes, more than the file can hold; refused")
    properties = data.id.get_create_plist()
    filters = {properties.get_filter(index)[0] for index in range(properties.get_nfilters())}
    if filters - FILTERS:
        raise ArtifactError(f"{path}: field '{name}' is packed by a filter that could load a plugin; refused")
    if data.chunks and np.prod(data.chunks, dtype=float) * data.dtype.itemsize > LARGEST_FIELD:
        raise ArtifactError(f"{path}: field '{name}' is cut into chunks of more than {LARGEST_FIELD} bytes; refused")
    return data


def _read(group, field, kind, path):
    data = _dataset(group, field, kind, path)
    if kind.fields[field].dtype == "text":
        return _read_text(data, field, path)
    value = data[()]
    if kind.fields[field].unit == "index" and "vertices" in kind.fields:
        _refuse_wild_indices(value, field, _dataset(group, "vertices", kind, path).shape[0], path)
    return value.item() if data.shape == () else value


def _read_text(data, field, path):
    """A text or a list of texts; in all no longer than the file, where many entries may point at one long text."""
    size = Path(path).stat().st_size
    block = max(1, min(1024, LARGEST_FIELD // size))  # no text is longer than the file
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


def _refuse_wild_indices(value, field, count, path):
    """Compiled loops do not look where an index points."""
    if np.size(value) and not (np.min(value) >= 0 and np.max(value) < count):
        raise ArtifactError(f"{path}: field '{field}' points outside the {count} vertices; refused")
