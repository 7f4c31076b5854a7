"""Loops that numba compiles once and keeps on the disk, found again without what only compiling needs.

Before numba takes a kept function from the disk it imports all that it can compile with, and the module of each of its
own functions that was compiled into this one: half of what most processes of a run take to start. Machine code asks for
the manager of arrays' memory alone. What a dictionary or a set takes hashes from is not there either: a loop has none.
"""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
from numba.core import environment
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys


class _Kept(FunctionCache):
    def load_overload(self, sig, target_context):
        """Return the compiled loop that a process before kept on the disk, without loading numba's compiler; None where
        there is none.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def _environment(module, constants, name):
    """Return the names that a compiled loop from the disk finds at run time, without importing what only compiling
    needs.

    They are its constants; its module's names are for Python's own code.
    """
    held = environment.lookup_environment(name)
    if held is None:
        module_loaded = sys.modules.get(module)
        held = environment.Environment(vars(module_loaded) if module_loaded else {"__name__": module})
        held.consts[:], held.env_name = constants, name
        environment.Environment._memo[name] = held
    return held


environment._rebuild_env = _environment


def loop(function: Callable | None = None, **options: Any) -> Any:
    """Return the function, compiled by numba when it is first called, and kept on the disk, so that later processes
    start fast.

    Without a function, a decorator.
    """
    if function is None:
        return partial(loop, **options)
    compiled = numba.njit(function, **options)
    compiled._cache = _Kept(function)
    return compiled
