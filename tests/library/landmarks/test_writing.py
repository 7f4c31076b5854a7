"""A shape written for others: read back by our own reader, and by R."""

import shutil
import subprocess

import numpy as np
import pytest

from shapedp import landmarks
from shapedp.landmarks import writing

SHAPES = {d: np.random.default_rng(d).normal(size=(6, d)).round(8) for d in (2, 3)}


@pytest.mark.parametrize("d", SHAPES)
@pytest.mark.parametrize("ending", ["csv", "tps"])
def test_what_is_written_is_read_back(tmp_path, d, ending):
    text = writing.csv(SHAPES[d]) if ending == "csv" else writing.tps(SHAPES[d], "mean_shape")
    (tmp_path / f"mean_shape.{ending}").write_text(text, encoding="utf-8")
    found = landmarks.read(tmp_path / f"mean_shape.{ending}")
    assert found.ids == ["mean_shape"] and np.array_equal(found.shapes[0], SHAPES[d])


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R: apt install r-base-core")
@pytest.mark.parametrize("d", SHAPES)
def test_the_script_gives_r_the_array_that_geomorph_has(tmp_path, d):
    """p x k x 1, and the numbers in R's order."""
    (tmp_path / "mean_shape.csv").write_text(writing.csv(SHAPES[d]), encoding="utf-8")
    (tmp_path / "mean_shape.R").write_text(writing.R_SCRIPT, encoding="utf-8")
    asked = 'source("mean_shape.R"); stopifnot(is.array(A), is.numeric(A)); cat(dim(A), sprintf("%.8f", A))'
    told = subprocess.run(["Rscript", "-e", asked], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    shape, numbers = told.split()[:3], np.array(told.split()[3:], dtype=float)
    assert shape == ["6", str(d), "1"]
    assert np.array_equal(numbers.reshape(d, 6).T, SHAPES[d])
