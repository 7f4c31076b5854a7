"""The project's HDF5 files: `kinds` declares them, `writing` and `reading` are the only ways in and out.

An artifact holds either one set of fields, or a group of fields for each record (a face, a shape) that is `ok` or
`rejected` with a reason. No module outside this folder imports h5py.
"""

from shapedp.artifacts.declaring import Field, Kind
from shapedp.artifacts.face_kinds import CURVES, DISK, DISK_MAP, FACE_CURVES, MESH, REGISTERED, SURFACE, TEMPLATE
from shapedp.artifacts.face_steps import FACE_STEPS, INSPECTED
from shapedp.artifacts.guarded import LONGEST_WORDS, printable, read_foreign
from shapedp.artifacts.kinds import KINDS, SIMULATION
from shapedp.artifacts.passing import Passing
from shapedp.artifacts.public_kinds import BOUNDS, CORRESPONDENCE, VARIATION
from shapedp.artifacts.reading import lineage, reader, records
from shapedp.artifacts.released_kinds import FACE_MODEL, MEAN_FACE, RELEASED_SHAPE, SHAPE_MODEL
from shapedp.artifacts.seal import HEADER_BYTES, check, header, seal
from shapedp.artifacts.shape_kinds import LANDMARKS, MEAN_SHAPE, SHAPES
from shapedp.artifacts.writing import writer

__all__ = [
    "BOUNDS",
    "CORRESPONDENCE",
    "CURVES",
    "DISK",
    "DISK_MAP",
    "FACE_CURVES",
    "FACE_MODEL",
    "FACE_STEPS",
    "HEADER_BYTES",
    "INSPECTED",
    "KINDS",
    "LANDMARKS",
    "LONGEST_WORDS",
    "MEAN_FACE",
    "MEAN_SHAPE",
    "MESH",
    "REGISTERED",
    "RELEASED_SHAPE",
    "SHAPES",
    "SHAPE_MODEL",
    "SIMULATION",
    "SURFACE",
    "TEMPLATE",
    "VARIATION",
    "Field",
    "Kind",
    "Passing",
    "check",
    "header",
    "lineage",
    "printable",
    "read_foreign",
    "reader",
    "records",
    "seal",
    "writer",
]
