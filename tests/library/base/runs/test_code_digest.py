"""A digest of code follows what is computed, and nothing else."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shapedp.base.runs import code_digest

SOURCE = '''
"""A module."""
import math
LIMIT = 3

def length(points, scale=1):
    """Add up."""
    total = 0  # of squares
    for point in points:
        total += scale * math.sin(point)

    def halve(number):
        return number / 2 + total

    kept = [other for other in points if (last := other)]
    try:
        return halve(total), kept, last
    except ValueError as error:
        raise error
'''


@pytest.mark.parametrize(
    ("now", "then"),
    [
        ('"""Add up."""', '"""Add something else up."""'),
        ('"""A module."""', ""),
        ("  # of squares", ""),
        ("total", "whole"),
        ("point ", "place "),
        ("other", "further"),
        ("error", "fault"),
        ("last", "final"),
        ("kept", "held"),
        ("LIMIT = 3\n", "LIMIT = (\n    3\n)\n\n\n"),
    ],
)
def test_prose_layout_and_local_names_change_nothing(now, then):
    changed = SOURCE.replace("(point)", "(place)").replace(now, then) if now == "point " else SOURCE.replace(now, then)
    assert changed != SOURCE
    assert code_digest.digest_source(changed) == code_digest.digest_source(SOURCE)


@pytest.mark.parametrize(
    ("now", "then"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("sin", "cos"),
        ("halve", "half"),
        ("points, scale=1", "points, factor=1"),
        ("scale=1", "scale=2"),
        ("number / 2 + total", "total / 2 + number"),
        ("ValueError", "TypeError"),
        ("LIMIT", "BOUND"),
        ("+=", "-="),
        ("total = 0", "total = 0.0"),
    ],
)
def test_what_may_change_a_result_changes_the_digest(now, then):
    assert code_digest.digest_source(SOURCE.replace(now, then)) != code_digest.digest_source(SOURCE)


def test_names_around_a_function_are_not_its_own():
    """A default, and the first iterable of a comprehension, are evaluated around it."""
    digest = code_digest.digest_source
    assert digest("def f(a=limit):\n    limit = a") != digest("def f(a=bound):\n    bound = a")
    assert digest("[x for x in x]") != digest("[y for y in x]") or digest("[z for z in z]") != digest("[x for x in x]")
    assert digest("def f():\n    global n\n    n = 1") != digest("def f():\n    global m\n    m = 1")


@pytest.fixture
def checkout(root, tmp_path):
    """A copy of the library with another place and other dates."""
    shutil.copytree(root / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__", "schemas"))
    return tmp_path


def digests_in(folder, *scripts):
    """The digests of scripts as a checkout's own library computes them."""
    code = (
        f"import sys; sys.path.insert(0, {str(folder / 'scripts')!r})\n"
        f"from {code_digest.__name__} import digest_script\n"
        "from pathlib import Path\n"
        f"for name in {scripts!r}: print(digest_script(f'{folder}/scripts/{{name}}.py', Path('nowhere/kept')))"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.slow
def test_a_moved_checkout_has_the_same_digests_and_a_constant_changes_exactly_its_dependents(root, checkout):
    scripts = "make_demo", "take_to_disk"
    before = digests_in(root, *scripts)
    assert digests_in(checkout, *scripts) == before
    of_demo, of_scans = (set(code_digest.find_library_files(root / f"scripts/{name}.py")) for name in scripts)
    module = checkout / Path(min(of_scans - of_demo)).relative_to(root)
    text = module.read_text()
    module.write_text(text + "\n# a remark\n")
    assert digests_in(checkout, *scripts) == before
    module.write_text(text + "\nNEW = 1\n")
    after = digests_in(checkout, *scripts)
    assert [now == then for now, then in zip(after, before, strict=True)] == [True, False]


@pytest.mark.slow
def test_a_file_that_a_module_names_beside_it_counts(checkout):
    """Pages' scripts are read by the module that writes pages."""
    before = digests_in(checkout, "write_pages")
    viewer = next((checkout / "scripts/shapedp").rglob("viewer.js"))
    viewer.write_text(viewer.read_text() + "\n// other\n")
    assert digests_in(checkout, "write_pages") != before


def test_what_is_kept_between_runs_is_no_matter(root, tmp_path):
    script, keep = root / "scripts/shapedp/base/storage/files.py", tmp_path / "kept.json"
    code_digest.DIGESTS_READ.clear()  # read by another test before, these would not be kept
    first = code_digest.digest_script(script, keep)
    assert keep.is_file() and code_digest.digest_script(script, keep) == first
    for wrong in ("no json", '{"format": "1"}', '{"format": "0", "digests": {}}', "[]"):
        keep.write_text(wrong)
        code_digest.DIGESTS_READ.clear()
        code_digest._read_kept.cache_clear()
        assert code_digest.digest_script(script, keep) == first


def test_digests_are_kept_beside_the_code_or_where_a_run_may_write(tmp_path, monkeypatch):
    beside, own = tmp_path / "beside/kept.json", tmp_path / "own/kept.json"
    monkeypatch.setattr(code_digest, "KEPT_DIGESTS", (beside, own))
    own.parent.mkdir()
    assert code_digest._find_kept.__wrapped__() == own
    beside.parent.mkdir()
    assert code_digest._find_kept.__wrapped__() == beside
