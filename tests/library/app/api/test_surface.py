"""`import shapedp`: few names, each with a docstring that runs, and nothing loaded before it is used."""

import doctest
import subprocess
import sys
from importlib import import_module

import pytest

import shapedp

MODULES = ("faces", "shapes", "planning", "released", "estimators")


def test_nothing_is_loaded_before_it_is_used():
    code = "import sys, shapedp; print(sorted(m for m in sys.modules if m.split('.')[0] in ('numpy', 'scipy', 'h5py')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_name_is_there_and_says_what_it_does():
    for name in shapedp.__all__:
        assert getattr(shapedp, name).__doc__, name
        assert name in dir(shapedp)


def test_another_name_is_refused_as_python_does():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = shapedp.nothing


def test_the_examples_in_the_docstrings_run():
    tried = 0
    for module in MODULES:
        found = doctest.testmod(import_module(f"shapedp.app.api.{module}"))
        assert found.failed == 0
        tried += found.attempted
    assert tried >= 8
