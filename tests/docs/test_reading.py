"""The snippets of docs/reading_releases.md and of the pages, each in its language, find the same in one file."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

from docs import pages
from shapedp.base import artifacts, writers
from shapedp.releases.figures import release_files
from shapedp.surfaces import curve_mesh

PROGRAMS = {
    "python": [sys.executable],
    "meshlab": [sys.executable],
    "r": ["Rscript"],
    "octave": ["octave", "--no-gui", "--quiet"],
}
FACE, SHAPE = slice(0, -1), slice(-1, None)  # which snippets of a language are about what
NOISE = {"noise_mm": np.ones((5, 12)), "noise_draws": np.zeros((3, 5, 3, 12))}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A folder with a mean_face.h5, and the largest z of its points in mm."""
    folder = tmp_path_factory.mktemp("released")
    curves = np.random.default_rng(3).normal(size=(5, 3, 12))
    with artifacts.writer(folder / "mean_face.h5", artifacts.MEAN_FACE) as out:
        out.set(curves=curves, noise_sd=np.ones((5, 3)), **NOISE, radii=np.arange(1, 6) / 5, scale=180.0, settings="{}")
    return folder, 180 * curves[:, 2].max()


def ran(kind, text, folder):
    """What a snippet prints; skips where its program or package is missing."""
    if shutil.which(PROGRAMS[kind][0]) is None:
        pytest.skip(f"{PROGRAMS[kind][0]} is not installed")
    for package in ("rhdf5", "hdf5r"):
        if f"library({package})" in text and subprocess.run(["Rscript", "-e", f"library({package})"]).returncode:
            pytest.skip(f"R has no {package}")
    script = folder / f"snippet.{kind}"
    script.write_text(text, encoding="utf-8")
    return subprocess.run([*PROGRAMS[kind], script.name], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def outline(tmp_path_factory):
    """A folder with a mean_shape.h5 and its table, and the largest y of its landmarks."""
    folder = tmp_path_factory.mktemp("outline")
    landmarks = np.random.default_rng(4).normal(size=(9, 2)) / 4
    with artifacts.writer(folder / "mean_shape.h5", artifacts.RELEASED_SHAPE) as out:
        noise = {"noise_radius": 0.01, "noise_covariance": np.tile(1e-5 * np.eye(2), (9, 1, 1))}
        out.set(landmarks=landmarks, center=landmarks, size=np.nan, size_noise=np.nan, **noise, settings='{"modes": 0}')
    release_files.draw(folder, "shapes", folder)
    return folder, landmarks[:, 1].max()


def snippets(root, kind):
    return pages.of_kind(root / "docs/reading_releases.md", kind)


@pytest.mark.parametrize("number", [0, 1])
def test_python(root, released, number):
    text = snippets(root, "python")[FACE][number]
    assert float(ran("python", text, released[0])) == pytest.approx(released[1])


def test_python_reads_a_shape(root, outline):
    (text,) = snippets(root, "python")[SHAPE]
    assert float(ran("python", text, outline[0])) == pytest.approx(outline[1])


@pytest.mark.long
@pytest.mark.parametrize("kind", ["r", "octave"])
def test_other_languages(root, released, outline, kind):
    faces, (shape,) = snippets(root, kind)[FACE], snippets(root, kind)[SHAPE]
    assert len(faces) == {"r": 2, "octave": 1}[kind]
    for face in faces:
        assert float(ran(kind, face, released[0])) == pytest.approx(released[1], rel=1e-4)
    assert float(ran(kind, shape, outline[0])) == pytest.approx(outline[1], rel=1e-4)


def test_meshlab(root, released):
    with artifacts.reader(released[0] / "mean_face.h5", artifacts.MEAN_FACE) as face:
        vertices, triangles = curve_mesh.mesh(face["curves"] * face["scale"], face["radii"])
    (released[0] / "mean_face.ply").write_bytes(writers.encode_surface(vertices, triangles, ".ply"))
    (text,) = snippets(root, "meshlab")
    assert float(ran("meshlab", text, released[0])) == pytest.approx(vertices[:, 2].max(), abs=1e-3)


def test_the_slicer_snippet_is_python(root):
    (text,) = snippets(root, "slicer")
    compile(text, "slicer", "exec")


@pytest.mark.parametrize("branch", ["faces", "shapes"])
def test_the_snippets_on_a_page_are_those_that_are_tried_here(root, branch):
    on_page = pages.blocks(root / f"scripts/shapedp/releases/kinds/mean/reading_{branch}.md")
    assert [kind for kind, _, _ in on_page] == ["python", "r", "octave"]
    assert all(text in snippets(root, kind) for kind, text, _ in on_page)
