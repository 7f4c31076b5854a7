"""Locks between processes: whoever holds a file keeps the others waiting."""

import fcntl
import os
from contextlib import contextmanager


@contextmanager
def held(path, shared=False):
    """Hold a lock file until the block ends, or the process does; `shared` waits for those alone who hold it not so."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
