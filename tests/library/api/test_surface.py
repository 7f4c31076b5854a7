"""`import shapedp`: few names, each with a docstring that runs, and nothing loaded before it is used."""

import dataclasses
import doctest
import subprocess
import sys
from importlib import import_module

import pytest
import yaml

import shapedp
from shapedp.api import faces as api_faces
from shapedp.api import planning

MODULES = ("faces", "curves", "shapes", "planning", "reading", "releases")


def test_nothing_is_loaded_before_it_is_used():
    code = "import sys, shapedp; print(sorted(m for m in sys.modules if m.split('.')[0] in ('numpy', 'scipy', 'h5py')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_name_is_there_and_says_what_it_does():
    for name in shapedp.__all__:
        assert getattr(shapedp, name).__doc__, name
        assert name in dir(shapedp)


def test_its_defaults_are_those_of_the_settings(root):
    faces = yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))["faces"]
    assert faces["surface"] == {"rings": api_faces.RINGS, "angles": api_faces.ANGLES}
    assert faces["registration"]["basis"] == api_faces.BASIS
    assert dataclasses.asdict(api_faces.GATES) == faces["gates"]
    assert {**planning.KERNEL, "phi": list(planning.KERNEL["phi"])} == faces["kernel"]


def test_another_name_is_refused_as_python_does():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = shapedp.nothing


def test_the_examples_in_the_docstrings_run():
    tried = 0
    for module in MODULES:
        found = doctest.testmod(import_module(f"shapedp.api.{module}"))
        assert found.failed == 0
        tried += found.attempted
    assert tried >= 8
