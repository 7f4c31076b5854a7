"""Every kind of faulty file is refused with its reason code, its name and a remedy; nothing is run or reserved."""

import os
import tracemalloc

import pytest

from library.surfaces.scans.faulty_files import FAULTS
from shapedp.base.errors import Rejected
from shapedp.surfaces import scans


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_refused_in_words(tmp_path, name):
    data, code, word = FAULTS[name]
    path = tmp_path / name
    path.write_bytes(data() if callable(data) else data)
    with pytest.raises(Rejected) as refusal:
        scans.read(path)
    message = str(refusal.value)
    assert refusal.value.code == code
    assert message.startswith(f"{name}: ")
    assert word in message
    assert str(tmp_path) not in message


@pytest.mark.parametrize("name", ["lying.ply", "lying_ascii.ply", "lying.npy", "lying.off", "lying_list.ply"])
def test_lying_header_reserves_nothing(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(FAULTS[name][0])
    tracemalloc.start()
    with pytest.raises(Rejected):
        scans.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_missing_file_folder_and_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe.ply")
    for name in ("absent.ply", ".", "pipe.ply"):
        with pytest.raises(Rejected) as refusal:
            scans.read(tmp_path / name)
        assert refusal.value.code == "missing_file"


def test_too_large_a_file_is_not_opened(tmp_path):
    path = tmp_path / "huge.xyz"
    with path.open("wb") as file:
        file.truncate(2**28 + 1)  # a hole: takes no disk
    with pytest.raises(Rejected, match=r"^huge\.xyz: 268435457 bytes") as refusal:
        scans.read(path)
    assert refusal.value.code == "too_large"


def test_control_characters_of_a_name_do_not_reach_the_message(tmp_path):
    with pytest.raises(Rejected, match=r"^a\?b\.ply: "):
        scans.read(tmp_path / "a\nb.ply")


def test_reference_inside_a_file_is_not_followed(tmp_path):
    (tmp_path / "evil.mtl").write_bytes(b"\xff" * 10)
    os.mkfifo(tmp_path / "pipe.mtl")  # opening it would hang
    path = tmp_path / "face.obj"
    path.write_bytes(b"mtllib evil.mtl\nmtllib pipe.mtl\nv 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nusemtl a\nf 1 2 3\n")
    assert len(scans.read(path).triangles) == 1
