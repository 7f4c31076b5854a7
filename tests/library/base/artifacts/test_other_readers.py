"""Released files are read by programs that are not ours: an older HDF5, Octave, R."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from shapedp.base import artifacts

RELEASED = [kind for kind in artifacts.KINDS.values() if kind.released]
SIZES = {"J": 23, "m": 80, "k": 300}  # large enough to be packed, as releases are
OLDER = "h5py==3.12.1"  # with HDF5 1.14
R_PACKAGE = "rhdf5"


def content(kind):
    """Something in each field of a kind, of the declared shape; a text says what it is."""
    made = {}
    for name, field in kind.fields.items():
        shape = tuple(SIZES.setdefault(size, 3) if isinstance(size, str) else size for size in field.shape)
        numbers = np.arange(1, 1 + np.prod(shape, dtype=int), dtype=float).reshape(shape)
        words = json.dumps({"what": name})
        made[name] = (words if not shape else np.full(shape, words).tolist()) if field.dtype == "text" else numbers
    return made


@pytest.fixture(params=RELEASED, ids=lambda kind: kind.name)
def released(request, tmp_path):
    """(path, kind, what was written)."""
    fields = content(request.param)
    with artifacts.writer(tmp_path / "released.h5", request.param) as out:
        out.set(**fields)
    return tmp_path / "released.h5", request.param, fields


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


@pytest.mark.slow
@needs("h5dump")
def test_h5dump_reads_every_field_with_its_unit(released):
    path, kind, _ = released
    shown = run("h5dump", str(path))
    for name, field in kind.fields.items():
        assert f'DATASET "{name}"' in shown
        assert field.meaning in shown.replace("\n", "")
    assert '"units"' in shown


@pytest.mark.long
def test_an_older_h5py_reads_the_same_values(released, tmp_path):
    path, _, fields = released
    python = older_python(tmp_path)
    code = (
        "import h5py, json, sys; f = h5py.File(sys.argv[1]); "
        "show = lambda d: d.asstr()[()].tolist() if d.shape else d.asstr()[()]; "
        "text = lambda d: h5py.check_string_dtype(d.dtype); "
        "print(json.dumps({k: show(d) if text(d) else d[()].tolist() for k, d in f.items()}))"
    )
    found = json.loads(run(str(python), "-c", code, str(path)))
    assert found == {name: value if isinstance(value, str | list) else value.tolist() for name, value in fields.items()}


def older_python(folder):
    """An environment of its own with an older h5py; skips where it cannot be had."""
    run(sys.executable, "-m", "venv", str(folder / "older"))
    python = folder / "older/bin/python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", OLDER]
    if subprocess.run(install, capture_output=True, check=False).returncode:
        pytest.skip(f"{OLDER} cannot be installed here (no network?)")
    return python


@pytest.mark.long
@needs("octave")
def test_octave_reads_every_field(released, tmp_path):
    path, _, fields = released
    script = tmp_path / "read.m"
    lines = [f"s = load('{path}');"]
    for name, value in fields.items():
        shown = f"s.{name}" if isinstance(value, str) else f"num2str(sum(double(s.{name}(:))), 17)"
        lines.append(f"printf('%s\\t%s\\n', '{name}', {shown});")
    script.write_text("\n".join(lines), encoding="utf-8")
    shown = dict(line.split("\t", 1) for line in run("octave", "--no-gui", "--quiet", str(script)).splitlines())
    for name, value in fields.items():
        assert shown[name] == value if isinstance(value, str) else float(shown[name]) == np.sum(value)


@pytest.mark.long
@needs("Rscript")
def test_r_reads_every_field(released):
    path, kind, fields = released
    if subprocess.run(["Rscript", "-e", f"library({R_PACKAGE})"], capture_output=True, check=False).returncode:
        pytest.skip(f"R's package {R_PACKAGE} is not installed")
    for name, value in fields.items():
        shown = "x" if isinstance(value, str) else "format(sum(x), digits=17)"
        code = f"library({R_PACKAGE}); x <- h5read('{path}', '{name}'); cat({shown}); "
        code += f"cat('\\n', h5readAttributes('{path}', '{name}')$meaning, sep='')"
        found, meaning = run("Rscript", "-e", code).split("\n", 1)
        assert found == value if isinstance(value, str) else float(found) == np.sum(value)
        assert meaning == kind.fields[name].meaning
