"""What every test may ask for."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LONG = ["cluster", "workflow", "browser", "scripts", "library"]  # folders, the one with the longest files first


def pytest_collection_modifyitems(items):
    """Long files first, so that no worker is left alone with one at the end; a file stays with one worker.

    All of `cluster` goes to one: a machine can run one cluster at a time, and those who wait for it do nothing.
    """
    for item in items:
        folder, *file = item.path.relative_to(ROOT / "tests").parts
        item.add_marker(pytest.mark.xdist_group(folder if folder == "cluster" else "/".join(file)))
    items.sort(key=lambda item: LONG.index(item.path.relative_to(ROOT / "tests").parts[0]))


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
