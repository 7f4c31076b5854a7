"""Keyed digests of arrays: whether two releases are of the same records, for whoever has the ledger's key.

A digest without a key would tell whoever reads the ledger whether a guessed record is among those behind it. The key
lies beside the ledger, 256 random bits, mode 0600. Digests are of the numbers themselves, not of the files they came
in, so that the same records cut into other batches or kept under other names are recognised.
"""

import hashlib

import numpy as np

SIZE = 32  # bytes of a key and of a digest
BLOCK = 256  # records read at a time


def of_arrays(key, *values):
    """Keyed digest of arrays and texts in this order: dtype, shape and content of each."""
    return hashlib.blake2b(b"".join(_digest(key, value) for value in values), key=key, digest_size=SIZE).hexdigest()


def of_records(key, read, count):
    """Keyed digest of `count` records, whatever their order; read(start, stop) -> (..., one row a record)."""
    rows = [
        _digest(key, record)
        for start in range(0, count, BLOCK)
        for record in np.asarray(read(start, min(start + BLOCK, count)))
    ]
    return hashlib.blake2b(b"".join(sorted(rows)), key=key, digest_size=SIZE).hexdigest()


def _digest(key, value):
    array = np.ascontiguousarray(value)
    state = hashlib.blake2b(f"{array.dtype.str} {array.shape} ".encode("ascii"), key=key, digest_size=SIZE)
    state.update(array.tobytes())
    return state.digest()
