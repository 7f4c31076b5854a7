"""Files of surfaces, read again by trimesh."""

import io

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose

from shapedp.surfaces import mesh_files

VERTICES = np.array([[0.0, 0, 0], [100, 0, 0], [0, 100, 0], [100, 100, 30]])  # mm
TRIANGLES = np.array([[0, 1, 2], [2, 1, 3]])


@pytest.mark.parametrize(("ending", "width"), [(".ply", 100), (".obj", 100), (".stl", 100), (".glb", 0.1)])
def test_a_face_of_100_mm_is_a_tenth_of_a_metre_in_gltf_and_100_mm_elsewhere(ending, width):
    content = mesh_files.encode(VERTICES, TRIANGLES, ending)
    found = trimesh.load(io.BytesIO(content), file_type=ending[1:], force="mesh")
    assert_allclose(found.extents, np.array([1, 1, 0.3]) * width, rtol=1e-6)
    assert found.face_normals[0] @ [0, 0, 1] > 0.9, "triangles keep their sense"
