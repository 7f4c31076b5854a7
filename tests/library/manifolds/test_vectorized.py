"""Compiled functions with two files each are made and read by one process at a time."""

import os
import subprocess
import sys
import time

import pytest

from shapedp.manifolds import vectorized
from shapedp.storage import locks

TOY = """
import sys

import numpy as np
from numba import float64

from shapedp.manifolds.vectorized import vectorized

print("ready", flush=True)


@vectorized([(float64[:], float64[:])], "(k)->()")
def total(x, out):
    out[0] = x.sum()


print(total(np.ones((2, 3))).tolist())
"""


@pytest.mark.slow
def test_nothing_is_compiled_while_another_process_compiles(tmp_path, root):
    (tmp_path / "toy.py").write_text(TOY)
    cache = tmp_path / "cache"
    cache.mkdir()
    given = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(root / "scripts")}
    with locks.held(cache / vectorized.LOCK):
        waiting = subprocess.Popen(
            [sys.executable, "toy.py"],
            cwd=tmp_path,
            env=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert waiting.stdout.readline() == "ready\n"
        time.sleep(2)  # it would be done by then
        assert waiting.poll() is None
        assert not list(cache.rglob("*.nb?"))
    out, errors = waiting.communicate(timeout=60)
    assert (waiting.returncode, out) == (0, "[3.0, 3.0]\n"), errors
    assert len(list(cache.rglob("*.nbc"))) == 2


def test_where_the_code_cannot_be_kept_beside_the_library_the_lock_lies_on_the_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(vectorized.numba.config, "CACHE_DIR", "")
    (tmp_path / "file").touch()
    monkeypatch.setattr(vectorized, "BESIDE", tmp_path / "file" / "cache")
    assert tmp_path not in vectorized._lock_file().parents
    monkeypatch.setattr(vectorized, "BESIDE", tmp_path / "cache")
    assert vectorized._lock_file() == tmp_path / "cache" / vectorized.LOCK
