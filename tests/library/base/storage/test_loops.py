"""A loop of the first process is found by the second, which imports nothing that only compiling needs."""

import os
import subprocess
import sys

import pytest

COMPILED = "numba.np.arrayobj"  # imported where arrays are compiled for
OWN = """
import sys
import numpy as np
from shapedp.base.storage.loops import loop

@loop
def total(rows):
    out = np.zeros(rows.shape[1])
    for row in rows:
        out += row
    return out

if __name__ == "__main__":
    print(total(np.arange(6.0).reshape(3, 2)), %r in sys.modules, sum(total.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_a_kept_loop_is_found_again_without_what_compiles(tmp_path, root):
    (tmp_path / "own.py").write_text(OWN % COMPILED, encoding="utf-8")
    given = os.environ | {"PYTHONPATH": str(root / "scripts"), "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    told = [
        subprocess.run([sys.executable, tmp_path / "own.py"], env=given, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert [one.stdout for one in told] == ["[6. 9.] True 0\n", "[6. 9.] False 1\n"]
