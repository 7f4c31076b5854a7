"""What computes here: the versions and the kind of processor that the last bits of a result depend on."""

import platform
from functools import cache
from importlib import metadata

import numpy  # noqa: F401 - so that its BLAS is loaded and can be asked
import threadpoolctl

LIBRARIES = ("h5py", "numba", "numpy", "pythoncdt", "scipy")


@cache
def here():
    """{name: version}; `blas` names the library and the kernels it chose for this processor."""
    loaded = [one for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]  # others know no kernels
    return {
        "blas": ", ".join(sorted({f"{one['internal_api']} {one.get('architecture', '')}".strip() for one in loaded})),
        "machine": platform.machine(),
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in LIBRARIES},
    }
