"""Public faces in correspondence, from files to what the registration takes of them."""

import pytest

import learn_correspondence
from shapedp import scans
from shapedp.cohorts import populations
from shapedp.demo import faces
from shapedp.errors import ConfigError


def test_meshes_that_do_not_correspond_are_named(tmp_path):
    one, other = tmp_path / "one.ply", tmp_path / "other.ply"
    scans.write(one, faces.template(), faces.triangles())
    left = (faces.triangles() < len(faces.template()) - 1).all(axis=1)
    scans.write(other, faces.template()[:-1], faces.triangles()[left])
    with pytest.raises(ConfigError, match=r"other.ply is no mesh with the \d+ vertices"):
        learn_correspondence._read([one, other])


def test_a_private_scan_is_no_public_mesh(tmp_path):
    for number in (0, 1):
        scans.write(tmp_path / f"{number}.ply", faces.template() + number, faces.triangles())
    settings = {"correspondence": str(tmp_path), "scans": str(tmp_path), "template": "demo", "bounds": {}}
    members = populations.samples.find(str(tmp_path), "refuse")
    with pytest.raises(ConfigError, match=r"faces.correspondence.* must be public"):
        populations.refuse_private(settings, {"faces": members})
