"""Read people's curves from a stack a few at a time; whoever was rejected counts as the public reference."""

import numpy as np


def accepted(stack):
    """Rows of the people whose scan could be used."""
    return np.flatnonzero(stack["ok"])


def reading(stack, rows, reference):
    """A function (start, stop) -> curves (..., J, 3, m) of rows[start:stop], rejected people as `reference`."""
    ok = stack["ok"].astype(bool)

    def read(start, stop):
        wanted = rows[start:stop]
        curves = stack.rows("curves", wanted[0], wanted[-1] + 1)[wanted - wanted[0]]
        curves[~ok[wanted]] = reference
        return curves

    return read
