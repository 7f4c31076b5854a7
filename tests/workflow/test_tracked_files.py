"""What the project tracks: nothing that a run or a tuning left, nothing large that is not named here."""

import shutil
import subprocess

import pytest

TOP_LEVEL = {
    *(".ci", ".gitattributes", ".github", ".gitignore", ".snakemake-workflow-catalog.yml", "CHANGELOG.md"),
    *("CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "Snakefile", "config", "config.yaml"),
    *("data", "docs", "envs", "profiles", "pyproject.toml", "requirements.lock", "results", "scripts", "tests"),
    "workflow",
}
LARGE = {
    "scripts/shapedp/releases/viewer/vendor/three.min.js",
    "scripts/shapedp/surfaces/human_face/vendor/public_faces.npz",
}
LARGEST = 500_000  # bytes of any other file
LEFT_BY_PROGRAMS = (".pkl", ".pickle", ".pyc", ".h5", ".log", ".prof")


@pytest.fixture(scope="module")
def tracked(root):
    if shutil.which("git") is None or not (root / ".git").exists():
        pytest.skip("this is no clone: what is tracked cannot be listed")
    done = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True)
    return [name for name in done.stdout.split("\0") if name and (root / name).is_file()]


def test_the_top_level_holds_what_its_readers_expect(tracked):
    assert {name.split("/")[0] for name in tracked} <= TOP_LEVEL


def test_only_what_is_named_here_is_large(tracked, root):
    assert {name for name in tracked if (root / name).stat().st_size > LARGEST} == LARGE


def test_nothing_is_tracked_outside_tests_that_a_program_left(tracked):
    left = {name for name in tracked if name.endswith(LEFT_BY_PROGRAMS) and not name.startswith("tests/")}
    assert not left
