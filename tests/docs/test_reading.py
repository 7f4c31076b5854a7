"""The snippets of docs/reading_releases.md, each in its language, read one released file and find the same nose tip."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

from docs import pages
from shapedp import artifacts

PROGRAMS = {"python": [sys.executable], "r": ["Rscript"], "octave": ["octave", "--no-gui", "--quiet"]}
MISSING = {"r": "library(rhdf5)"}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A folder with a mean_face.h5, and the largest z of its points in mm."""
    folder = tmp_path_factory.mktemp("released")
    curves = np.random.default_rng(3).normal(size=(5, 3, 12))
    with artifacts.writer(folder / "mean_face.h5", artifacts.MEAN_FACE) as out:
        out.set(curves=curves, noise_sd=np.ones((5, 3)), radii=np.arange(1, 6) / 5, scale=180.0, settings="{}")
    return folder, 180 * curves[:, 2].max()


def ran(kind, text, folder):
    """What a snippet prints; skips where its program or package is missing."""
    if shutil.which(PROGRAMS[kind][0]) is None:
        pytest.skip(f"{PROGRAMS[kind][0]} is not installed")
    if kind in MISSING and subprocess.run(["Rscript", "-e", MISSING[kind]], capture_output=True).returncode:
        pytest.skip(f"R cannot load it: {MISSING[kind]}")
    script = folder / f"snippet.{kind}"
    script.write_text(text, encoding="utf-8")
    return subprocess.run([*PROGRAMS[kind], script.name], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("number", [0, 1])
def test_python(root, released, number):
    text = pages.of_kind(root / "docs/reading_releases.md", "python")[number]
    assert float(ran("python", text, released[0])) == pytest.approx(released[1])


@pytest.mark.long
@pytest.mark.parametrize("kind", ["r", "octave"])
def test_other_languages(root, released, kind):
    (text,) = pages.of_kind(root / "docs/reading_releases.md", kind)
    assert float(ran(kind, text, released[0])) == pytest.approx(released[1], rel=1e-4)
