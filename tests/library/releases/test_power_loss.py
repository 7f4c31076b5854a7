"""What a power cut could take away: nothing that the draw or the publication relies on is still in memory only.

A killed process leaves its writes with the system, a power cut does not. Every write, new name and rename is followed
here until the file, or the folder that holds the name, was synchronised.
"""

import os
from pathlib import Path

import pytest

from library.releases import examples
from shapedp.ledger import ledger_folder


class Disk:
    """Follows system calls; `unsafe` are the files and folders whose content or names a power cut could take."""

    def __init__(self, monkeypatch):
        self.unsafe, self.paths, self.at_show = set(), {}, None
        for name in ("open", "write", "fsync", "close", "rename", "replace", "mkdir"):
            monkeypatch.setattr(os, name, self._followed(name, getattr(os, name)))

    def _followed(self, name, real):
        def call(*args, **kwargs):
            existed = name == "open" and Path(args[0]).exists()
            result = real(*args, **kwargs)
            getattr(self, f"_{name}")(*args, result=result, existed=existed)
            return result

        return call

    def _open(self, path, *_, result, existed, **__):
        self.paths[result] = Path(path)
        if not existed:
            self.unsafe.add(Path(path).parent)

    def _write(self, handle, *_, **__):
        self.unsafe.add(self.paths.get(handle))

    def _fsync(self, handle, **_):
        self.unsafe.discard(self.paths.get(handle))

    def _close(self, handle, **_):
        self.paths.pop(handle, None)

    def _rename(self, old, new, *_, **__):
        self.unsafe |= {Path(old).parent, Path(new).parent}
        if Path(new).parent.name == "faces" and Path(new).name[0] != ".":
            self.at_show = set(self.unsafe)

    _replace = _rename

    def _mkdir(self, path, *_, **__):
        self.unsafe.add(Path(path).parent)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """(unsafe paths when the draw begins, when the release is shown), for the first release of a new ledger."""
    examples.Draw()()  # fills the cache, so that only the release itself touches the disk
    with monkeypatch.context() as patched:
        disk = Disk(patched)

        class Watched(examples.Draw):
            def __call__(self):
                self.at_draw = set(disk.unsafe)
                return super().__call__()

        draw = Watched()
        book = ledger_folder.Ledger(tmp_path / "data" / "ledger")
        examples.publish(book, examples.request(), examples.stated(), draw, examples.output(tmp_path))
    return tmp_path, draw.at_draw, disk.at_show


def test_the_intent_is_on_the_disk_before_noise_is_drawn(made):
    folder, at_draw, _ = made
    lasting = {folder, folder / "data", folder / "data" / "ledger", folder / "data" / "ledger" / "people.jsonl"}
    assert not at_draw & lasting


def test_the_copy_and_the_commit_are_on_the_disk_before_the_release_is_shown(made):
    folder, _, at_show = made
    assert not {path for path in at_show if path and path.is_relative_to(folder / "data")}
