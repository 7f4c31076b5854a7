"""What every test may ask for."""

from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).resolve().parents[1]
FIRST = ("cluster", "workflow", "docs", "benchmarks", "browser", "scripts")  # folders of long files; library comes last
THOROUGH = ("cluster", "benchmarks", "browser")  # folders that `make test` leaves to `make test-all`


@pytest.hookimpl(tryfirst=True)  # before pytest picks by marks
def pytest_collection_modifyitems(items):
    """Put long files first, so that no worker is left alone with one at the end; mark folders of the fuller lane."""
    place = {folder: at for at, folder in enumerate(FIRST)}
    items.sort(key=lambda item: place.get(_folder(item), len(place)))
    for item in items:
        if _folder(item) in THOROUGH:
            item.add_marker(pytest.mark.thorough)


def _folder(item):
    """The folder below tests/ that a test lies in."""
    return item.path.relative_to(ROOT / "tests").parts[0]


TOGETHER = {  # files that share what takes long to make, or what a machine has but one of
    "tests/cluster/test_slurm.py": "slurm",
    "tests/cluster/test_slurm_faults.py": "slurm",
    "tests/library/reproduction/test_claims_faces.py": "curve cells",
    "tests/library/reproduction/test_curve_experiments.py": "curve cells",
    "tests/workflow/test_kept_artifacts.py": "finished run",
    "tests/workflow/test_release_folder.py": "finished run",
    "tests/workflow/test_run.py": "finished run",
}


class OneWorkerAFile(LoadScopeScheduling):
    """A file stays with one worker, its fixtures are made once; xdist's own marks for this do nothing in pytest 9."""

    def _split_scope(self, nodeid):
        file = nodeid.split("::")[0]
        return TOGETHER.get(file, file)


def pytest_xdist_make_scheduler(config, log):
    """What xdist asks, instead of its option --dist."""
    return OneWorkerAFile(config, log)


@pytest.fixture(scope="session")
def root():
    """The checkout's top folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data():
    """Data that lie beside the project and are never part of it; the test skips where they are missing."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs ../shared/data, which is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def pymeshlab():
    """MeshLab, which needs libraries of the system that a bare one lacks; the test skips where they are missing."""
    return pytest.importorskip(
        "pymeshlab", reason="pymeshlab needs libGL.so.1 and libOpenGL.so.0 of the system", exc_type=ImportError
    )


@pytest.fixture(scope="module")
def coarse_pictures():
    """Pictures of surfaces with one sample a pixel in place of nine: as large and as full of words, in half the time.

    A module asks for it that looks at what stands in a release and not at how smooth its edges are, where the same
    process draws a picture and compares it. test_render.py looks at the edges.
    """
    from shapedp.releases.figures import render

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "FINER", 1)
        yield
