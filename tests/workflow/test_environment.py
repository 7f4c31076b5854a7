"""The conda environment says the same versions as the lock."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

SAME = {"matplotlib-base": "matplotlib", "snakemake-minimal": "snakemake"}  # conda's names for PyPI's


def locked(root):
    """{package: version} of the lock for Python 3.11."""
    lines = (root / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if re.match(r"[a-z0-9.-]+==", line) and "python_full_version >= '3.12'" not in line]
    return dict(re.match(r"([a-z0-9.-]+)==([^ ;]+)", line).groups() for line in pins)


def pinned(environment):
    """(package, version) of a conda environment file, pip's part included."""
    for entry in environment["dependencies"]:
        if isinstance(entry, dict):
            yield from (line.split("==") for line in entry["pip"])
        elif "=" in entry:
            yield entry.split("=")


def test_conda_and_lock_agree(root):
    environment = yaml.safe_load((root / "envs/shapedp.yaml").read_text(encoding="utf-8"))
    lock = locked(root)
    found = {SAME.get(name, name): version for name, version in pinned(environment) if name != "python"}
    assert found == {name: lock[name] for name in found}


def test_every_direct_dependency_is_in_the_conda_environment(root):
    import tomllib

    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["workflow"]]
    environment = yaml.safe_load((root / "envs/shapedp.yaml").read_text(encoding="utf-8"))
    found = {SAME.get(name, name) for name, *_ in pinned(environment)}
    assert {re.split(r"[>=<\[]", entry)[0] for entry in wanted} <= found


def test_every_pin_of_the_lock_has_a_hash(root):
    text = (root / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[a-z0-9.-]+==)", text)[1:]
    assert len(entries) > 50
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_environment_of_another_checkout_is_not_turned_away_from_it(root, tmp_path):
    (tmp_path / "envs").mkdir()
    (tmp_path / "other").mkdir()
    shutil.copy(root / "envs/make_venv.sh", tmp_path / "envs")
    (tmp_path / ".venv").symlink_to(tmp_path / "other")
    done = subprocess.run(["bash", "envs/make_venv.sh"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and ".venv is a link to" in done.stderr and "remove the link" in done.stderr
    assert not any((tmp_path / "other").iterdir())


PIP = """#!/usr/bin/env bash
case "$*" in
  *"pip install"*) cp "${@: -1}" "halves/$$"; echo "$*" >>halves/calls ;;
  *"pip check"*) [ ! -e unfit ] || { echo "one package requires another"; exit 1; } ;;
  *purelib*) echo . ;;
esac
"""


@pytest.fixture
def checkout(root, tmp_path):
    """A folder whose .venv has a Python that only notes what pip is asked for."""
    for folder in ("envs", ".venv/bin", "halves"):
        (tmp_path / folder).mkdir(parents=True)
    for path in ("envs/make_venv.sh", "requirements.lock"):
        shutil.copy(root / path, tmp_path / path)
    python = tmp_path / ".venv/bin/python"
    python.write_text(PIP, encoding="utf-8")
    python.chmod(0o755)
    return tmp_path


def make(checkout):
    command = ["bash", "envs/make_venv.sh"]
    environment = os.environ | {"PYTHON": sys.executable}
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)


def test_each_pin_is_installed_once_by_its_hashes(checkout):
    done = make(checkout)
    assert done.returncode == 0, done.stderr
    calls = (checkout / "halves/calls").read_text(encoding="utf-8").splitlines()
    assert len(calls) == 2 and all("--require-hashes" in call and "--no-deps" in call for call in calls)

    def entries(path):
        return re.split(r"\n(?=[a-z0-9.-]+==)", "\n" + path.read_text(encoding="utf-8").rstrip("\n"))[1:]

    halves = [entries(path) for path in (checkout / "halves").glob("[0-9]*")]
    assert abs(len(halves[0]) - len(halves[1])) <= 1
    assert sorted(halves[0] + halves[1]) == sorted(entries(checkout / "requirements.lock"))


def test_packages_that_do_not_fit_together_stop_it(checkout):
    (checkout / "unfit").touch()
    done = make(checkout)
    assert done.returncode == 1 and not (checkout / ".venv/bin/shapedp").exists()
    assert "remove .venv and run this again: one package requires another" in done.stderr
