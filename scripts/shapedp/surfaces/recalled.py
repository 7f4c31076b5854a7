"""Remember the last answer: one step after the other asks the same of the mesh that it was just asked of."""

from copy import deepcopy
from functools import wraps

import numpy as np


def recalled(function):
    """The same function of arrays and plain values, which gives a copy of its last answer if asked the same again."""
    asked, answer = (), None

    @wraps(function)
    def remembering(*given):
        nonlocal asked, answer
        if len(given) != len(asked) or not all(map(_same, given, asked)):
            answer = function(*given)
            asked = tuple(one.copy() if isinstance(one, np.ndarray) else one for one in given)
        return deepcopy(answer)

    return remembering


def _same(one, other):
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other
