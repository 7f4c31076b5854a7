"""What the tests of releases share."""

import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path():
    """A folder in memory where there is one: hundreds of releases wait for the disk otherwise."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)
