"""`make example`: where its faces cannot be reached it says so in one line, and nothing half-made stays."""

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile

import pytest
import yaml

from shapedp.base.settings import checks

NOWHERE = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": "", "PIP_RETRIES": "0"}
PIP = """#!/bin/sh
while [ "$1" != --dest ]; do shift; done
cp {archive} "$2"
"""


@pytest.fixture
def checkout(root, tmp_path):
    (tmp_path / "envs").mkdir()
    for name in ("fetch_example.sh", "example.lock"):
        shutil.copy2(root / "envs" / name, tmp_path / "envs")
    return tmp_path


def fetched(folder, **environment):
    return subprocess.run(
        ["bash", folder / "envs/fetch_example.sh"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | NOWHERE | {"PYTHON": sys.executable} | environment,
    )


@pytest.mark.slow
def test_without_an_index_it_says_so_in_one_line(checkout):
    done = fetched(checkout)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("shapedp: the example's faces cannot be reached: pip got no meshmonk==0.3.0 (ERROR: ")
    assert list((checkout / "data/example").iterdir()) == []


def archive_at(path):
    """A source archive with faces, a template and a licence, in MeshMonk's places."""
    with tarfile.open(path, "w:gz") as made:
        for name, text in (
            ("LICENSE", "   Copyright 2017 X\n\n  Apache License\n  Version 2.0\n"),
            ("tutorial/TutorialData/Template.obj", "v 0 0 0\n"),
            *((f"tutorial/TutorialData/SimulatedMappedFaces/SIMPOP_{i:02d}.obj", "v 0 0 0\n") for i in range(1, 46)),
        ):
            entry = tarfile.TarInfo(f"meshmonk-0.3.0/{name}")
            entry.size = len(text)
            made.addfile(entry, io.BytesIO(text.encode()))


def test_what_pip_brings_is_laid_out_and_its_licence_shown(checkout):
    archive_at(checkout / "meshmonk-0.3.0.tar.gz")
    program = checkout / "pip.sh"
    program.write_text(PIP.format(archive=checkout / "meshmonk-0.3.0.tar.gz"), encoding="utf-8")
    program.chmod(0o755)
    done = fetched(checkout, PYTHON=str(program))
    assert done.returncode == 0, done.stderr
    assert "45 simulated faces of MeshMonk in data/example;" in done.stdout
    assert "Copyright 2017 X Apache License Version 2.0" in done.stdout
    place = checkout / "data/example"
    assert sorted(path.name for path in place.iterdir()) == ["LICENSE", "public", "scans", "template.obj"]
    assert [len(list((place / name).iterdir())) for name in ("public", "scans")] == [15, 30]


def test_version_and_hash_are_pinned_and_the_settings_are_whole(root):
    lock = (root / "envs/example.lock").read_text(encoding="utf-8").splitlines()[-1]
    digest = lock.split("--hash=sha256:")[1]
    assert lock.startswith("meshmonk==") and len(digest) == len(hashlib.sha256().hexdigest())
    settings = checks.check(yaml.safe_load((root / "envs/example.yaml").read_text(encoding="utf-8")), "example.yaml")
    assert settings["faces"]["scans"] == "scans/*.obj"
