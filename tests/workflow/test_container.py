"""The recipe of the container names what the project names; no image can be built in the tests."""

import re
import shlex

import pytest

pytestmark = pytest.mark.thorough

KNOWN = {"FROM", "RUN", "COPY", "ENV", "WORKDIR", "CMD"}


def instructions(root):
    """(instruction, rest) of each line, continued lines joined, comments left out."""
    text = (root / "envs/Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(maxsplit=1)) for line in lines]


def test_every_line_is_an_instruction_with_arguments(root):
    found = instructions(root)
    assert {name for name, _ in found} == KNOWN
    assert found[0][0] == "FROM"
    for name, rest in found:
        if name == "RUN":
            assert shlex.split(rest)


def test_its_system_packages_are_those_of_the_installer(root):
    (apt,) = [rest for name, rest in instructions(root) if name == "RUN" and "apt-get install" in rest]
    packages = {word for word in re.search(r"install (.*?)&&", apt)[1].split() if not word.startswith("-")}
    loop = re.search(r"for package in (.*?);", (root / ".ci/system_packages").read_text(encoding="utf-8"))[1].split()
    assert packages == {name for name in loop if name.startswith("lib")}
    advice = (root / "scripts/shapedp/surfaces/scans/meshlab.py").read_text(encoding="utf-8")
    assert all(name in advice for name in packages)


def test_it_installs_the_lock_by_hash_on_the_python_of_the_environment(root):
    text = (root / "envs/Containerfile").read_text(encoding="utf-8")
    assert "--require-hashes -r /tmp/requirements.lock" in text
    wanted = re.search(r"python=(\d+\.\d+)", (root / "envs/shapedp.yaml").read_text(encoding="utf-8"))[1]
    assert f"python:{wanted}-slim-bookworm" in text


def test_what_it_copies_exists(root):
    for source in (rest.split()[0] for name, rest in instructions(root) if name == "COPY"):
        assert (root / source).is_file()
