"""A record that goes from step to step without a file, and holds what it would hold if it had been read from one."""

import numpy as np

from shapedp.artifacts.declaring import match


class Passing:
    """One record: `name`; fields by `record[field]`, of the types and shapes that its kind declares."""

    def __init__(self, name, kind, fields):
        sizes = {}
        self.name = name
        self._fields = {field: _cast(fields[field], declared) for field, declared in kind.fields.items()}
        for field, value in self._fields.items():
            match(np.shape(value), kind.fields[field].shape, sizes, field)

    def __getitem__(self, field):
        return self._fields[field]


def _cast(value, declared):
    if declared.dtype == "text":
        return value
    array = np.ascontiguousarray(value, dtype=declared.dtype) if declared.shape else np.asarray(value, declared.dtype)
    return array if declared.shape else array.item()
