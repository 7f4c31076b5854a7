"""The project's HDF5 files: `kinds` declares them, `sealed_files` is the only way in and out.

An artifact holds either one set of fields, or a group of fields for each record (a face, a shape) that is `ok` or
`rejected` with a reason. No module outside this folder imports h5py.
"""

# ruff: noqa: F401, F403 - what is imported here is what the room offers

from shapedp.base.artifacts import kinds
from shapedp.base.artifacts.guarded import LONGEST_WORDS, make_printable, read_foreign
from shapedp.base.artifacts.kinds import *
from shapedp.base.artifacts.sealed_files import (
    HEADER_BYTES,
    InMemoryRecord,
    check,
    header,
    lineage,
    reader,
    records,
    seal,
    write_foreign,
    writer,
)

# Every HDF5 file of the project by its name.
KINDS = {kind.name: kind for kind in vars(kinds).values() if isinstance(kind, kinds.Kind)}
