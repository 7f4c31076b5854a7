"""The core stands alone: it imports the errors and nothing else of the library, and its public names have one place."""

import ast
import os
import shutil
import subprocess
import sys

import pytest

import shapedp
from shapedp import privacy
from shapedp.base.errors import ConfigError
from shapedp.base.settings import registry

# flint: exact arithmetic of the samplers; threadpoolctl: one thread, so that sums are the same on every machine
ALLOWED = {"flint", "threadpoolctl", "numpy", "scipy", "numba", "opendp", *sys.stdlib_module_names}
MEANS = """
import numpy as np
from shapedp.privacy import Ball, Gaussian, Rows, SecureNoise, Sphere, shape_of
from shapedp.privacy.manifolds import frechet

angles = np.linspace(0, 2 * np.pi, 20, endpoint=False)
outlines = np.exp(1j * angles) * (1 + 0.1 * np.cos(2 * angles + np.linspace(0, 1, 30)[:, None]))
shapes = np.array([shape_of(np.stack([z.real, z.imag], axis=1)) for z in outlines])
mechanism = Gaussian(Ball(len(shapes), shapes[0], 0.2, 0), {"mu_total": 1.0})
print(np.isfinite(mechanism.draw(shapes, SecureNoise())).all())
north = np.array([[0.0, 0.1, 1.0], [0.1, 0.0, 1.0]])
print(frechet.mean(Sphere(2), north / np.linalg.norm(north, axis=1)[:, None]).point[2] > 0.9)
"""


@pytest.fixture(scope="module")
def copy(root, tmp_path_factory):
    """A folder with the core, the errors, and no other module of the library."""
    place = tmp_path_factory.mktemp("core")
    library = root / "scripts/shapedp"
    shutil.copytree(library / "privacy", place / "shapedp/privacy", ignore=shutil.ignore_patterns("__pycache__"))
    (place / "shapedp/base").mkdir()
    for name in ("__init__.py", "base/__init__.py", "base/errors.py"):
        shutil.copy(library / name, place / "shapedp" / name)
    return place


@pytest.mark.slow
def test_means_of_shapes_and_on_manifolds_are_taken_where_there_is_nothing_else(copy):
    there = os.environ | {"PYTHONPATH": str(copy)}
    done = subprocess.run([sys.executable, "-c", MEANS], cwd=copy, capture_output=True, text=True, env=there)
    assert done.stdout.split() == ["True"] * 2, done.stderr


def test_it_imports_numbers_and_the_errors_alone(root):
    foreign = {}
    for path in (root / "scripts/shapedp/privacy").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                own = name.startswith("shapedp.privacy") or name == "shapedp.base.errors"
                if not own and name.split(".")[0] not in ALLOWED:
                    foreign.setdefault(path.name, []).append(name)
    assert foreign == {}


def test_every_public_name_is_there():
    assert all(getattr(privacy, name).__module__.startswith("shapedp.privacy.") for name in privacy.__all__)
    assert shapedp.errors.ConfigError is ConfigError


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("from shapedp.mechanisms.shapes.gaussian import Gaussian", "shapedp.privacy"),
        ("import shapedp.labs.rounds", "shapedp.laboratories"),
        ("from shapedp.demo import outlines", "shapedp.landmarks.outlines"),
        ("from shapedp import mechanisms", "shapedp.privacy"),
    ],
)
def test_an_old_place_fails_in_one_line_that_says_the_new_one(code, place):
    with pytest.raises(ModuleNotFoundError, match=rf"^shapedp\.\w+ has moved: import from {place}[^\n]*$"):
        exec(code)
    with pytest.raises(ModuleNotFoundError, match="No module named"):
        exec("import shapedp.never_there")


def test_an_old_folder_that_was_left_with_compiled_files_says_the_new_place_too(tmp_path, monkeypatch):
    (tmp_path / "labs/__pycache__").mkdir(parents=True)
    monkeypatch.setattr(shapedp, "__path__", [*shapedp.__path__, str(tmp_path)])
    with pytest.raises(ModuleNotFoundError, match=r"has moved: import from shapedp\.laboratories"):
        exec("import shapedp.labs.rounds")


def test_settings_that_name_a_class_by_its_old_place_say_the_new_one():
    with pytest.raises(ConfigError, match=r"has moved: import from shapedp\.privacy;"):
        registry.own_class("shapes", "shapedp.mechanisms.shapes.gaussian:Gaussian")
