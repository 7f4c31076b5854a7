"""The notebooks run from top to bottom in a fresh process, and are committed without outputs."""

import os
import subprocess
import sys
import warnings

import pytest

pytestmark = pytest.mark.thorough

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of Jupyter about its own folders
    import nbformat

NOTEBOOKS = ("faces", "matrices", "shapes")


@pytest.fixture(params=NOTEBOOKS)
def notebook(root, request):
    return nbformat.read(root / f"docs/notebooks/{request.param}.ipynb", as_version=4)


def test_there_are_no_others(root):
    assert {path.stem for path in (root / "docs/notebooks").iterdir()} == set(NOTEBOOKS)


def test_it_is_sound_and_holds_no_outputs(notebook):
    nbformat.validate(notebook)
    assert [cell.source for cell in notebook.cells if cell.get("outputs")] == []


@pytest.mark.long
def test_it_runs(notebook, tmp_path):
    script = tmp_path / "notebook.py"
    script.write_text("\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
