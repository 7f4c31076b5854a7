"""NumPy's npy, never unpickled; its claimed size is checked against the bytes that are there."""

import io
import math
import warnings

import numpy as np

from shapedp.errors import Rejected
from shapedp.scans.limits import MAX_POINTS, check_count, check_room

MAX_HEADER = 2**17


def parse_npy(data):
    """(points (n, 3) float64, None, notices) of an npy file's bytes."""
    points, notices = as_points(read_npy(data))
    return points, None, notices


def read_npy(data):
    """The array of an npy file's bytes, as a read-only view of them."""
    dtype, shape, fortran, start = read_header(data)
    if dtype.hasobject:
        raise Rejected(
            "unsafe_pickle",
            "holds a pickled Python object, which could run code: save a plain array with numpy.save(..., "
            "allow_pickle=False)",
        )
    if dtype.kind not in "fiu" and not dtype.names:
        raise Rejected("not_numeric", f"an array of {dtype}: save the coordinates as floating-point numbers")
    count = math.prod(shape)
    if min(shape, default=1) < 1 or dtype.itemsize == 0:
        raise Rejected("too_few_points", f"an array of shape {shape[:8]}: save one row a point")
    check_room("items", count, dtype.itemsize, len(data) - start)
    return np.frombuffer(data, dtype, count, start).reshape(shape, order="F" if fortran else "C")


def read_header(data):
    """(dtype, shape, Fortran order?, where the body starts); numpy evaluates literals only."""
    stream = io.BytesIO(data[:MAX_HEADER])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about headers of Python 2
            version = np.lib.format.read_magic(stream)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, fortran, dtype = read(stream)
    except Exception as error:  # hostile literals raise anything from SyntaxError to MemoryError
        raise Rejected(
            "truncated", f"an npy header that cannot be read ({type(error).__name__}): save the array again"
        ) from None
    return dtype, shape, fortran, stream.tell()


def as_points(array):
    """((n, 3) float64, notices) from an array of rows, of columns, or of records with fields x, y, z."""
    if array.dtype.names:
        names = {name.casefold(): name for name in array.dtype.names}
        if not all(axis in names and array.dtype[names[axis]].kind in "fiu" for axis in "xyz"):
            raise Rejected("not_numeric", "records without numeric fields x, y, z: save an (n, 3) array")
        array = np.stack([array[names[axis]].reshape(-1) for axis in "xyz"], axis=1, dtype=np.float64)
    if array.ndim != 2 or (3 not in array.shape and array.shape[1] < 3):
        raise Rejected(
            "bad_shape", f"an array of shape {array.shape[:8]} where (n, 3) is expected: save one row a point"
        )
    notices = ()
    if array.shape[0] == 3 and array.shape[1] > 3:
        array, notices = array.T, ("the array is (3, n): its columns were taken as points",)
    elif array.shape[1] > 3:
        notices = (f"the first 3 of {array.shape[1]} columns taken as x, y, z",)
    check_count("points", len(array), MAX_POINTS)
    return array[:, :3].astype(np.float64), notices
