"""A kind of release is one folder and its name in `FOLDERS`: in a copy of the library one is added, one taken out."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NAMED = '    "growth",\n'
RELEASED = """
import contextlib
import json
from pathlib import Path

import show_release
from library.privacy import cohort
from shapedp.app.cli import commands
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.settings import checks
from shapedp.releases import allow_list
from shapedp.releases.figures import release_files
from shapedp.releases.viewer import release_page

settings = checks.load(Path("config.yaml"))
entry = {"name": "middle", "kind": "middle_face", "mechanism": "matched", "budget": {"mu_total": 1.0}}
entry["bounds"] = "reference_set"
settings["faces"]["releases"] = [entry]
checks.check(settings)
settings["faces"]["releases"] = [{**entry, "group": "a"}]
try:
    checks.check(settings)
except ConfigError as error:
    print("refused", "a middle face is of everybody" in str(error))
workspace = cohort.Workspace(Path.cwd())
with contextlib.suppress(ArtifactError):  # the workspace looks for a mean beside what was made
    workspace.release(workspace.stack(), name="middle", kind="middle_face")
folder = Path("results/release/faces/middle")
show_release.show_release(folder)
checked = allow_list.check_releases("results/release", release_page.render_page, release_files.draw)
stated = json.loads((folder / "statement.json").read_text())
print("stated", stated["release"]["statistic"], stated["settings"]["kind"], stated["formally_private"])
print("files", sorted(path.name for path in folder.iterdir() if path.name.startswith("middle")), checked == [folder])
print("described", commands.describe_file(folder / "middle_face.h5").__next__().split(": ")[1])
"""
LEFT = """
from pathlib import Path

from library.privacy import cohort
from shapedp.base.errors import ConfigError
from shapedp.base.settings import checks
from shapedp.releases import kinds
from shapedp.releases.statement import statement

settings = checks.load(Path("config.yaml"))
entry = {"name": "one", "kind": "growth", "mechanism": "shaped", "budget": {"mu_total": 1.0}}
settings["faces"]["releases"] = [entry]
try:
    checks.check(settings)
except ConfigError as error:
    print("refused", "allowed: mean_face, face_model, mean_change, asymmetry" in str(error))
workspace = cohort.Workspace(Path.cwd())
print("released", workspace.release(workspace.stack())[0]["formally_private"])
print("mechanisms", "growth" in statement.list_mechanisms("faces"), len(kinds.KINDS))
"""


@pytest.fixture
def copy(root, tmp_path):
    """The scripts and the schemas, in a folder where kinds can be added and taken out."""
    without = shutil.ignore_patterns("__pycache__", "reproduction", "human_face_data")
    shutil.copytree(root / "scripts", tmp_path / "scripts", symlinks=True, ignore=without)
    shutil.copytree(root / "workflow/schemas", tmp_path / "workflow/schemas")
    shutil.copytree(root / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("*.png", "*.ipynb", "proofs"))
    shutil.copy(root / "config.yaml", tmp_path)
    return tmp_path


def said(copy, code, root):
    """{first word: the rest} of the lines that code prints in the copy."""
    there = os.environ | {"PYTHONPATH": os.pathsep.join([str(copy / "scripts"), str(root / "tests")])}
    done = subprocess.run([sys.executable, "-c", code], cwd=copy, env=there, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)


@pytest.mark.slow
def test_a_further_kind_is_a_folder_and_its_name(copy, root):
    kinds = copy / "scripts/shapedp/releases/kinds"
    shutil.copytree(HERE / "middle_kind", kinds / "middle", ignore=shutil.ignore_patterns("__pycache__"))
    names = kinds / "__init__.py"
    names.write_text(names.read_text(encoding="utf-8").replace(NAMED, f'{NAMED}    "middle",\n'), encoding="utf-8")
    told = said(copy, RELEASED, root)
    assert told["refused"] == "True"
    assert told["stated"] == "middle face middle_face True"
    assert told["files"] == "['middle_face.csv', 'middle_face.h5'] True"
    assert told["described"].startswith("middle_face")


@pytest.mark.slow
def test_a_kind_is_taken_out_with_its_folder_and_its_name(copy, root):
    kinds = copy / "scripts/shapedp/releases/kinds"
    shutil.rmtree(kinds / "growth")
    names = kinds / "__init__.py"
    names.write_text(names.read_text(encoding="utf-8").replace(NAMED, ""), encoding="utf-8")
    told = said(copy, LEFT, root)
    assert told == {"refused": "True", "released": "True", "mechanisms": "False 9"}
