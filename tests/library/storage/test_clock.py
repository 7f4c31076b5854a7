"""Files from the future are named before any work is done."""

import os

import pytest

from shapedp.errors import StorageError
from shapedp.storage import clock


def test_only_files_from_the_future_are_named(tmp_path):
    for name, date in (("old", 50), ("now", 100), ("ahead", 103)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (date, date))
    clock.refuse_future([tmp_path / "old", tmp_path / "now", tmp_path / "missing"], now=100)
    with pytest.raises(StorageError, match=r"1 file\(s\) are dated after now .*/ahead'\. A clock .*touch FILE"):
        clock.refuse_future(tmp_path.iterdir(), now=100)


def test_a_whole_cohort_from_the_future_makes_a_short_message(tmp_path):
    paths = [tmp_path / str(index) for index in range(300)]
    for path in paths:
        path.touch()
    with pytest.raises(StorageError, match=r"300 file\(s\).* and 295 more") as caught:
        clock.refuse_future(paths, now=1)
    assert len(str(caught.value)) < 2000
