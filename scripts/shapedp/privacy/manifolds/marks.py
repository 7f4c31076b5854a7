"""Marks of public arrays: 32 bytes by which releases name what they rest on, and know it again on another processor.

A hash of bytes would tell one machine's last digit from another's. A mark holds five sums of all values by fixed
weights, which such a digit moves by 1e-9 or so and another public set by 1e-3, and a hash of shapes and whole numbers,
which every machine has alike. It tells files apart that were mixed up; whoever lies can repeat a mark, as any digest.
"""

import hashlib

import numpy as np

from shapedp.privacy.manifolds.axes import fixed_directions

# At the start; no SHA-256 that older versions wrote begins so, but for one in four thousand million.
KEY = b"mrk1"
# Sums; bytes of a mark, and of the hash in it.
SUMS, SIZE, EXACT = 5, 32, 8
# By how much two sums of one set may differ: between a processor's last digits (1e-9) and another set (1e-3).
ALIKE = 1e-5
# Taken to double precision at once, for want of memory.
ROWS = 64


def mark(*arrays):
    """Return the mark (32,) uint8 of real arrays, in this order, by which releases name the public data behind them."""
    exact, sums = hashlib.blake2b(digest_size=EXACT), np.zeros(SUMS)
    for number, array in enumerate(map(np.asarray, arrays)):
        exact.update(f"{array.dtype.kind} {array.shape} ".encode("ascii"))
        if array.dtype.kind in "iub":
            exact.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
        elif array.size:
            sums += np.roll(_sum_with_fixed_weights(array.reshape(len(array) if array.ndim else 1, -1)), number)
    return np.frombuffer(KEY + exact.digest() + sums.astype("<f4").tobytes(), dtype=np.uint8)


def _sum_with_fixed_weights(rows):
    """Return (SUMS,) numbers by which an array (r, c) is known again, whatever a processor's last digits.

    They are sums of the array at length 1, weighted by rows and by columns, each plus the logarithm of its length.
    """
    weights, columns = fixed_directions(len(rows), SUMS), fixed_directions(rows.shape[1], SUMS)
    columns = columns / np.linalg.norm(columns, axis=0)
    sums, square = np.zeros(SUMS), 0.0
    for start in range(0, len(rows), ROWS):
        block = rows[start : start + ROWS].astype(float)
        sums += np.einsum("rs,rs->s", weights[start : start + ROWS], block @ columns)
        square += float(np.sum(block**2))
    size = np.sqrt(square) or 1.0
    return sums / size + np.log(size)


def are_alike(mark_of_one, mark_of_other):
    """Tell whether two releases' marks name the same public arrays; hashes of older versions do where they are equal.

    Parameters
    ----------
    mark_of_one, mark_of_other : (32,) uint8
    """
    first, second = (np.asarray(mark_bytes, dtype=np.uint8).tobytes() for mark_bytes in (mark_of_one, mark_of_other))
    if first == second:
        return True
    start = len(KEY) + EXACT
    if len(first) != SIZE or len(second) != SIZE or first[:start] != second[:start] or not is_mark(first):
        return False
    first, second = (np.frombuffer(mark_bytes[start:], dtype="<f4").astype(float) for mark_bytes in (first, second))
    return bool(np.allclose(first, second, rtol=0, atol=ALIKE))


def are_alike_in_hex(first, second):
    """Tell whether two released models have the same public axes, by their marks, so that they can be compared.

    A mark is given in hexadecimal digits, as artifacts hold it in text.

    Parameters
    ----------
    first, second : str
        Hexadecimal digits.
    """
    try:
        return first == second or are_alike(
            *(np.frombuffer(bytes.fromhex(digits), np.uint8) for digits in (first, second))
        )
    except ValueError:
        return False


def is_mark(mark_bytes):
    """Tell whether 32 bytes are a mark, not the hash that older versions wrote."""
    return bytes(mark_bytes[: len(KEY)]) == KEY
