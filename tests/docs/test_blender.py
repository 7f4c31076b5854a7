"""Blender itself opens what is released: the snippet of docs/reading_releases.md, and a model's shape keys."""

import json
import subprocess
import sys

import numpy as np
import pytest

from docs import pages
from shapedp.base import writers

BLENDER = "bpy==5.0.1"  # Blender as a Python module; for Python 3.11, 370 MB
TELL = """
import json
(face,) = [one for one in bpy.data.objects if one.type == "MESH"]
world = [face.matrix_world @ vertex.co for vertex in face.data.vertices]
keys = [key.name for key in face.data.shape_keys.key_blocks] if face.data.shape_keys else []
print("TOLD", json.dumps({"low": [min(v[i] for v in world) for i in range(3)],
                          "high": [max(v[i] for v in world) for i in range(3)], "keys": keys}))
"""
EMPTY = "import bpy\nbpy.ops.wm.read_factory_settings(use_empty=True)\n"
VERTICES = np.array([[0.0, 0.0, 0.0], [80.0, 0.0, 0.0], [0.0, 120.0, 30.0]])  # mm
TRIANGLES = np.array([[0, 1, 2]])
pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def blender(tmp_path_factory):
    """A Python with Blender, in an environment of its own; skips where it cannot be had."""
    python = tmp_path_factory.mktemp("blender") / "bin/python"
    subprocess.run([sys.executable, "-m", "venv", str(python.parents[1])], check=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", BLENDER]
    if subprocess.run(install, capture_output=True, check=False).returncode:
        pytest.skip(f"{BLENDER} cannot be installed here (no network, or another Python?)")
    return python


def opened(blender, root, name, folder):
    """What Blender says of a file that the documentation's snippet has opened."""
    (snippet,) = pages.of_kind(root / "docs/reading_releases.md", "blender")
    script = folder / "open.py"
    script.write_text(EMPTY + snippet.replace("mean_face.glb", name) + TELL, encoding="utf-8")
    said = subprocess.run([blender, script.name], cwd=folder, capture_output=True, text=True, check=True).stdout
    (told,) = [line.removeprefix("TOLD ") for line in said.splitlines() if line.startswith("TOLD ")]
    return json.loads(told)


def test_a_mean_face_stands_upright_in_metres(blender, root, tmp_path):
    (tmp_path / "mean_face.glb").write_bytes(writers.encode_surface(VERTICES, TRIANGLES, ".glb"))
    told = opened(blender, root, "mean_face.glb", tmp_path)
    assert told["keys"] == []
    assert told["high"] == pytest.approx([0.08, 0.0, 0.12], abs=1e-6), "x to the right, z up"
    assert told["low"] == pytest.approx([0.0, -0.03, 0.0], abs=1e-6), "the nose towards us, along -y"


def test_a_model_has_a_shape_key_for_each_mode_and_effect(blender, root, tmp_path):
    targets = {"mode_1": VERTICES + 1.0, "effect_age": VERTICES - 1.0}
    (tmp_path / "face_model.glb").write_bytes(writers.encode_morphs(VERTICES, TRIANGLES, targets))
    told = opened(blender, root, "face_model.glb", tmp_path)
    assert told["keys"] == ["Basis", "mode_1", "effect_age"]
