"""Kernels of OpenBLAS, the variants of its loops for different processors: which this processor can run."""

from pathlib import Path

import threadpoolctl

NEEDS = {"Nehalem": {"sse4_2"}, "Sandybridge": {"avx"}, "Haswell": {"avx2", "fma"}, "Zen": {"avx2", "fma"}}
NEEDS["SkylakeX"] = {"avx2", "fma", "avx512f", "avx512vl", "avx512bw", "avx512dq"}


def runnable():
    """Names for OPENBLAS_CORETYPE of the kernels that this processor has the instructions for; none where unknown."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
    flags = next((set(line.split(":")[1].split()) for line in lines if line.startswith("flags")), set())
    return [name for name, needed in NEEDS.items() if needed <= flags]


def other():
    """Of these one that this process does not use, with the most alike instructions; "" where there is none."""
    own = {one.get("architecture") for one in threadpoolctl.threadpool_info()}
    return next((name for name in ("Haswell", "SkylakeX", "Sandybridge", "Nehalem") if name in {*runnable()} - own), "")


if __name__ == "__main__":
    import numpy  # noqa: F401  it loads OpenBLAS

    print(other())
