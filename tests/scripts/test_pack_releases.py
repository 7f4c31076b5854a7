"""What is packed is what the ledger recorded, however well a changed folder agrees with itself."""

import shutil

import pytest

from library.releases import tampering
from shapedp.base.errors import RefusedRelease


@pytest.fixture
def released(tmp_path):
    return tampering.released(tmp_path)


def test_what_the_ledger_recorded_is_packed(released):
    tampering.pack(*released)


@pytest.mark.parametrize("name", tampering.TAMPERINGS)
def test_what_was_changed_is_not_packed(released, name):
    tampering.TAMPERINGS[name](released[0])
    with pytest.raises(RefusedRelease, match=r"mean.*: is not what the ledger of population 'people' recorded"):
        tampering.pack(*released)


def test_a_release_of_another_ledger_is_not_packed(released, tmp_path):
    folder, privacy = released
    with pytest.raises(RefusedRelease, match="is not what the ledger"):
        tampering.pack(folder, {**privacy, "ledger": tmp_path / "other"})


@pytest.mark.parametrize("part", ["mean", "shapes", "release"])
def test_a_release_folder_that_is_a_link_is_told_as_one(released, tmp_path, part):
    folder, privacy = released
    linked = {"mean": folder, "shapes": folder.parent, "release": folder.parents[1]}[part]
    shutil.move(linked, tmp_path / "elsewhere")
    linked.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RefusedRelease, match=rf"{part}: is a link to another place"):
        tampering.pack(folder, privacy)
