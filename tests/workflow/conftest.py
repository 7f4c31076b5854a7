"""What the tests of the workflow share."""

import pytest

from workflow import finished


@pytest.fixture(scope="session")
def done(tmp_path_factory):
    """The folder of a finished run (finished.py)."""
    return finished.make(tmp_path_factory.mktemp("clinic_of_otorhinolaryngology"))
