"""Every command of the table of commands, as printed, in a folder like a checkout with a small cohort."""

import re
import shutil
import subprocess

import pytest

from workflow import runs

pytestmark = pytest.mark.thorough

LINKED = ("Snakefile", "workflow", "scripts", "profiles", "envs", "docs", "Makefile", "README.md", ".venv")
NOT_HERE = {  # the first needs a package index (test_example.py), the second minutes; the others run tests
    "make example",
    "make study",
    "make check",
    "make test TESTS=path",
    "make test-all",
    "make test-long",
}
PATIENCE = 3600  # seconds
COMMAND = re.compile(r"^(snakemake|make|shapedp)\b")


def printed(readme):
    """The commands of the table, in order; `shapedp status`, `ledger`: words after a command go with its program."""
    rows = re.findall(r"^\| (`[^|]*`) \|", readme.read_text(encoding="utf-8"), re.MULTILINE)
    found = []
    for row in rows:
        commands = re.findall(r"`([^`]+)`", row)
        if commands[0].startswith("shapedp"):
            found += [one if one.startswith("shapedp") else f"shapedp {one}" for one in commands]
        elif COMMAND.match(commands[0]):
            found += filter(COMMAND.match, commands)
    return [one.replace("<id>", "face_0001").replace("snakemake ", "snakemake --cores 2 ") for one in found]


@pytest.fixture(scope="module")
def checkout(root, tmp_path_factory):
    """A folder with the checkout's files, a small cohort in its config.yaml, and nothing made yet."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in LINKED:
        (folder / name).symlink_to(root / name)
    shutil.copy2(root / "requirements.lock", folder)
    runs.write_settings(folder, runs.tiny({"faces.demo": {"count": 8, "bad": 1, "seed": 7}}))
    return folder


def said(command, folder, *more):
    return subprocess.run(
        ["bash", "-c", " ".join([command, *more])],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env=runs.environment(),
        stdin=subprocess.DEVNULL,
    )


def test_the_table_is_found(root):
    found = printed(root / "docs/commands.md")
    assert "shapedp plan" in found
    assert {one.split()[0] for one in found} == {"snakemake", "make", "shapedp"}
    assert "shapedp export" in found
    assert set(found) > NOT_HERE


@pytest.mark.slow
def test_each_target_is_known_before_anything_runs(root, checkout):
    for command in printed(root / "docs/commands.md"):
        if command.startswith("snakemake"):
            done = said(command, checkout, "--dry-run", "--quiet")
            assert done.returncode == 0, f"{command}\n{done.stderr[-2000:]}"


@pytest.mark.slow
def test_each_command_of_ours_answers_in_an_empty_folder(root, checkout):
    for command in printed(root / "docs/commands.md"):
        if command.startswith("shapedp"):
            done = said(command, checkout)
            assert "Traceback" not in done.stderr, command
            assert done.returncode == 0 or len(done.stderr.splitlines()) == 1, f"{command}\n{done.stderr}"


@pytest.mark.long
@pytest.mark.timeout(PATIENCE)
def test_every_command_runs_as_printed(root, checkout):
    first = said("snakemake --cores 2", checkout)
    assert first.returncode == 0, first.stderr[-3000:]
    for command in printed(root / "docs/commands.md"):
        if command in NOT_HERE:
            continue
        done = said(command, checkout)
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
