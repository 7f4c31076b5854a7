"""The tutorial of docs/extending.md, done as it stands: a mechanism of one's own, released and compared at one mu."""

import os
import re
import subprocess
import sys

import pytest

from docs import pages

pytestmark = pytest.mark.slow
TOLD = re.compile(r"^(\w+), (.+): ([\d.]+) radian from the true mean at (mu = .+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def folder(root, tmp_path_factory):
    place = tmp_path_factory.mktemp("mine")
    for kind, text, file in pages.blocks(root / "docs/extending.md"):
        if kind == "python":
            (place / file).write_text(text, encoding="utf-8")
    return place


def said(folder, script):
    there = os.environ | {"PYTHONPATH": os.pathsep.join([".", os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, script], cwd=folder, capture_output=True, text=True, env=there)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_release_by_it_is_formally_private_and_says_its_words(folder):
    assert said(folder, "release.py").startswith("True Gaussian noise") and (folder / "ledger").is_dir()
    stated = (folder / "results/release/shapes/mine/statement.md").read_text(encoding="utf-8")
    assert "the mechanism's class: docstring of my_lab.HalfClip; its test test_half_clip" in stated


def test_it_is_compared_with_the_others_at_one_mu_as_the_page_prints_it(root, folder):
    rows = TOLD.findall(said(folder, "compare.py"))
    printed = TOLD.findall((root / "docs/extending.md").read_text(encoding="utf-8"))
    assert {guarantee for *_, guarantee in rows} == {"mu = 0.2367: (1, 1e-06)"}
    away = {(name, basis): float(distance) for name, basis, distance, _ in rows}
    assert set(away) == {(name, basis) for name, basis, *_ in printed}
    for name, basis, distance, _ in printed:
        assert away[name, basis] == pytest.approx(float(distance), abs=0.004)
    assert away["shaped", "24 directions of deviations"] < away["half_clip", "16 modes"] < away["gaussian", "16 modes"]
