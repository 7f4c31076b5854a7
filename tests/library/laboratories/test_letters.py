"""Keys of laboratories: made once, secret, compared over the telephone."""

import pytest

from shapedp.base.errors import ConfigError
from shapedp.laboratories import letters


def test_a_signature_is_that_of_the_listed_key_alone(tmp_path):
    public = letters.make_key(tmp_path, "bergen")
    other = letters.make_key(tmp_path, "graz")
    signature = letters.load_key(tmp_path, "bergen").sign(b"letter").hex()
    assert letters.is_signed(public, signature, b"letter")
    assert not letters.is_signed(public, signature, b"letter!")
    assert not letters.is_signed(other, signature, b"letter")
    assert not letters.is_signed(public, "no hex", b"letter")


def test_a_key_is_secret_and_never_made_twice(tmp_path):
    letters.make_key(tmp_path, "bergen")
    before = (tmp_path / "bergen.key").read_bytes()
    assert (tmp_path / "bergen.key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(ConfigError, match="lies here already"):
        letters.make_key(tmp_path, "bergen")
    assert (tmp_path / "bergen.key").read_bytes() == before


def test_a_key_that_others_may_read_is_refused(tmp_path):
    letters.make_key(tmp_path, "bergen")
    (tmp_path / "bergen.key").chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        letters.load_key(tmp_path, "bergen")


def test_a_fingerprint_is_eight_groups_that_differ(tmp_path):
    one, other = (letters.format_fingerprint(letters.make_key(tmp_path, lab)) for lab in ("bergen", "graz"))
    assert [len(group) for group in one.split()] == [4] * 8
    assert one != other


@pytest.mark.parametrize("name", ["", "../graz", "Graz", "a" * 33, "-graz"])
def test_names_that_are_no_part_of_a_file_s_name_are_refused(tmp_path, name):
    with pytest.raises(ConfigError, match="laboratory"):
        letters.make_key(tmp_path, name)
