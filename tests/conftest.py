"""What every test may ask for."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


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
