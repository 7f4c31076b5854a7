"""numba's guvectorize with its cache on the disk, compiled and read by one process at a time.

numba keeps such a function in one file and what numpy calls of it in another, which knows the first by a name that
counts the functions a process has compiled. Of two processes that compile at once the one may leave the first file and
the other the second; whoever reads the two then calls a function that is not there, and the process dies.
"""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import numba

from shapedp.storage import locks

LOCK = "vectorized.lock"
BESIDE = Path(__file__).parent / "__pycache__"


def vectorized(signatures, layout):
    """A decorator: the function over leading axes that broadcast, compiled now for these signatures."""

    def compiled(function):
        with locks.held(_lock_file()):
            return numba.guvectorize(signatures, layout, cache=True)(function)

    return compiled


def _lock_file():
    """A file that this user may write, where the compiled code lies, or else on this machine."""
    for folder in filter(None, (numba.config.CACHE_DIR, BESIDE)):
        with suppress(OSError):
            path = Path(folder) / LOCK
            path.parent.mkdir(parents=True, exist_ok=True)
            if os.access(path if path.exists() else path.parent, os.W_OK):
                return path
    return Path(tempfile.gettempdir()) / f"shapedp-{os.getuid()}-{LOCK}"
