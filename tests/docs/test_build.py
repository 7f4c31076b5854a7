"""The documentation builds without a warning into one folder that needs no network, and its pages hold together."""

import re
import subprocess
import sys

import pytest

import shapedp
from docs import pages

pytestmark = pytest.mark.thorough

FETCHED = re.compile(
    r"<(?:script|img|iframe|source)[^>]*\bsrc=\"https?:|<link[^>]*rel=\"stylesheet\"[^>]*href=\"https?:"
)


def test_every_public_name_is_in_the_reference(root):
    text = (root / "docs/api.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"shapedp\.(\w+)$", text, re.MULTILINE)) == sorted(shapedp.__all__)


def test_every_page_is_in_a_list_of_contents(root):
    listed = set()
    for text in re.findall(
        r"```\{toctree\}\n(.*?)```", (root / "docs/index.md").read_text(encoding="utf-8"), re.DOTALL
    ):
        listed |= {line for line in text.splitlines() if line and not line.startswith(":")}
    assert listed == {path.stem for path in (root / "docs").glob("*.md")} - {"index"}


def test_files_of_the_checkout_that_pages_name_exist(root):
    named = set()
    for path in (root / "docs").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        named |= set(re.findall(r"`((?:workflow|scripts|docs)/[\w/.]+\.\w+|[A-Z]+\.md)`", text))
    assert len(named) > 3
    assert [name for name in sorted(named) if not (root / name).exists()] == []


def test_the_guesses_of_the_table_by_hand(root):
    from scipy.special import ndtr

    text = (root / "docs/bounds_and_budget.md").read_text(encoding="utf-8")
    budgets, guesses = (re.search(rf"^\| {name}.*", text, re.MULTILINE)[0] for name in ("μ", "right guesses"))
    found = dict(zip(re.findall(r"[\d.]+", budgets), re.findall(r"(\d+) %", guesses), strict=True))
    assert {mu: f"{100 * ndtr(float(mu) / 2):.0f}" for mu in found} == found


def test_blocks_are_told_apart(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```bash\nls\n```\n<!-- into a.yaml -->\n```yaml\nb: 1\n```\n", encoding="utf-8")
    assert pages.blocks(page) == [("bash", "ls\n", None), ("yaml", "b: 1\n", "a.yaml")]


@pytest.mark.long
def test_it_builds_without_a_warning_and_fetches_nothing(root, tmp_path):
    pytest.importorskip("furo", reason="sphinx, myst-parser and furo are not installed: pip install '.[docs]'")
    pytest.importorskip("myst_parser")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run([*command, str(root / "docs"), str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.html")}
    assert {"index.html", "mathematics.html", "api.html", "first_release_scans.html"} <= set(made)
    assert [name for name, text in made.items() if FETCHED.search(text)] == []
    assert "read_release" in made["api.html"]
    assert (tmp_path / "faces.ipynb").is_file()
