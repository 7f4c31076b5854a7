"""Each pin of the lock is listed with the licence that the installed package states."""

from email.message import Message

import pytest

from shapedp.runs import licences


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"License-Expression": "MIT", "License": "old text"}, "MIT"),
        ({"Classifier": "License :: OSI Approved :: BSD License"}, "BSD License"),
        ({"License": "\n  Apache-2.0\nall the text"}, "Apache-2.0"),
        ({"License": "x" * 500}, "x" * licences.LONGEST),
        ({}, "not stated"),
    ],
)
def test_the_licence_is_what_the_package_says(fields, words):
    found = Message()
    for name, value in fields.items():
        found[name] = value
    assert licences.licence(found) == words


def test_a_package_that_is_not_installed_says_so(tmp_path):
    lock = tmp_path / "lock"
    lock.write_text("# comment==1\nnumpy==0.0.1 \\\n    --hash=sha256:00\nno-such-thing==2.0 ; python_version > '3'\n")
    numpy, other = licences.table(lock)
    assert numpy[:2] == ("numpy", "0.0.1")
    assert numpy[2] != "0.0.1", "the installed version is shown beside the locked one"
    assert other == ("no-such-thing", "2.0", "-", "not installed here")


def test_the_real_lock_has_a_licence_for_every_direct_dependency(root):
    rows = {name: licence for name, _, _, licence in licences.table(root / "requirements.lock")}
    for name in ("numpy", "scipy", "h5py", "snakemake", "opendp", "pymeshlab", "numba"):
        assert rows[name] not in ("not stated", "not installed here")


def test_what_pages_carry_of_others_is_listed():
    (row,) = licences.carried()
    assert row == ("three (three.min.js, in pages)", "0.149.0", "0.149.0", "MIT")
