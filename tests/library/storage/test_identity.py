"""Files that are one: through links, as hard links, as copies; and files that only look alike."""

import os
import shutil

import pytest

from shapedp.storage import identity


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """`a` and what is the same as it, and `b` of the same size, which differs in the first byte alone."""
    content = bytes(range(256)) * 64
    (tmp_path / "a").write_bytes(content)
    (tmp_path / "b").write_bytes(b"\xff" + content[1:])
    (tmp_path / "link").symlink_to(tmp_path / "a")
    os.link(tmp_path / "a", tmp_path / "hard")
    shutil.copy(tmp_path / "a", tmp_path / "copy")
    for name in ("empty", "void"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("other", ["a", "link", "hard", "copy", "./a"])
def test_one_file_by_any_name_is_one(folder, other):
    assert identity.pairs([other], ["a", "b"]) == [(other, "a")]


@pytest.mark.parametrize("other", ["b", "empty", "missing"])
def test_others_are_others(folder, other):
    assert identity.pairs([other], ["a", "void", "gone"]) == []


def test_repeats_are_told_together(folder):
    assert identity.repeats(["a", "b", "hard", "copy", "empty", "void"]) == [{"a", "hard", "copy"}]
    assert identity.repeats(["a", "b", "missing"]) == []


def test_whole_files_are_read_only_where_the_middle_agrees(folder, monkeypatch):
    read = []
    monkeypatch.setattr(identity.files, "digest", lambda path: read.append(path) or path)
    (folder / "c").write_bytes(bytes(reversed(range(256))) * 64)
    identity.repeats(["a", "c"])
    assert read == []
