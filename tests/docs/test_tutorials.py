"""Every command of the pages for beginners, as printed, in a folder like a checkout."""

import subprocess

import pytest
import yaml

from docs import pages
from workflow import runs

LINKED = ("Snakefile", "workflow", "scripts", "profiles", "envs", "requirements.lock", "config.yaml", "README.md")
PATIENCE = 1500  # seconds


@pytest.fixture
def checkout(root, tmp_path):
    """A folder with the checkout's files and no results or data of its own."""
    for name in LINKED:
        (tmp_path / name).symlink_to(root / name)
    return tmp_path


def merged(settings, changes):
    """Settings with changes put into them, section by section."""
    if not (isinstance(settings, dict) and isinstance(changes, dict)):
        return changes
    return {**settings, **{key: merged(settings.get(key), value) for key, value in changes.items()}}


def follow(page, folder):
    """Do what a page says: run its commands, and put into files what belongs there. (command, what it said) of each."""
    for kind, text, file in pages.blocks(page):
        if kind == "bash":
            for command in text.splitlines():
                yield command, said(command, folder)
        elif file:
            path = folder / file
            settings = merged(yaml.safe_load(path.read_text(encoding="utf-8")), yaml.safe_load(text))
            path.write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")


def said(command, folder):
    done = subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env=runs.environment(),
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout + done.stderr


def test_bounds_and_budget(root, checkout):
    (told,) = [words for _, words in follow(root / "docs/bounds_and_budget.md", checkout)]
    assert "300 people, mu = 1" in told


@pytest.mark.long
@pytest.mark.timeout(PATIENCE)
def test_first_release_of_landmarks(root, checkout):
    told = dict(follow(root / "docs/first_release_landmarks.md", checkout))
    assert "hand" in told["shapedp ledger hands"]
    assert (checkout / "hand.csv").read_text(encoding="utf-8").startswith("landmark,x,y")
    assert not (checkout / "results/private/faces").exists()


@pytest.mark.long
@pytest.mark.timeout(PATIENCE)
def test_first_release_of_scans(root, checkout):
    told = dict(follow(root / "docs/first_release_scans.md", checkout))
    assert "rejected" in told["cat results/private/faces/quality.tsv"]
    assert "first" in told["shapedp ledger my_people"]
    assert "index.html" in told["ls results/release/faces/first"]
    assert (checkout / "results/public/releases.zip").is_file()
    assert {path.name for path in (checkout / "results/release").iterdir()} == {"faces"}


def test_changes_are_put_into_settings_section_by_section():
    assert merged({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": [4]}}) == {"a": {"b": [4], "c": 2}, "d": 3}
    assert merged({"a": None}, {"a": {"b": 1}}) == {"a": {"b": 1}}
