"""Mechanisms that settings name: the library's, and classes of somebody's own, which are code."""

import sys

import pytest

from shapedp.base.settings import registry

OWN = """
class HalfClip:
    branch, name, label, words = "shapes", "half_clip", "half", "clips at half the radius"
    formula, clipping, sampler, budgets = "2", "ball", "exact", ("mu_total",)
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Settings that name a class in a file beside them."""
    (tmp_path / "lab_of_tests.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_loaded", {})
    yield {"faces": None, "shapes": {"releases": [{"name": "half", "mechanism": "lab_of_tests:HalfClip"}]}}
    sys.modules.pop("lab_of_tests", None)


def test_a_class_outside_the_library_is_named_with_its_file(own, tmp_path):
    (line,) = registry.describe_foreign_code(own)
    assert (
        "shapes.releases: half" in line
        and "lab_of_tests:HalfClip" in line
        and str(tmp_path / "lab_of_tests.py") in line
    )


def test_nothing_is_said_of_the_library_s_own_mechanisms(own):
    for branch, known in registry.BUILT_IN.items():
        entries = [{"name": "one", "mechanism": word} for word in known]
        assert registry.describe_foreign_code({"faces": None, "shapes": None, branch: {"releases": entries}}) == []
