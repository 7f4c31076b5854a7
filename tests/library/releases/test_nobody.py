"""What is known without a record's values is refused before anything is spent."""

import pytest

from library.releases import nobody_ways


def test_there_are_forty_ways():
    assert len(nobody_ways.WAYS) == 40


@pytest.mark.parametrize("name", nobody_ways.WAYS)
def test_a_release_that_would_use_nobody_spends_nothing_and_says_why(tmp_path, name):
    charged, words = nobody_ways.spent(name, tmp_path)
    assert not charged
    assert words, "it was not refused"
