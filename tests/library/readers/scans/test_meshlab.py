"""What MeshLab and trimesh read for us, meshes mended and reduced, and one line where a system library is missing."""

import gzip
import json
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import trimesh

from shapedp import writers
from shapedp.demo import faces
from shapedp.errors import Rejected
from shapedp.readers import files, scans
from shapedp.readers.scans import meshlab
from shapedp.surfaces import topology


def bowl():
    """(vertices, triangles) of a small open surface."""
    grid = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), axis=-1).reshape(-1, 2) * 20
    vertices = np.column_stack([grid, 0.01 * (grid**2).sum(axis=1)])
    corner = np.array([i * 8 + j for i in range(7) for j in range(7)])
    squares = np.concatenate([[corner, corner + 1, corner + 9], [corner, corner + 9, corner + 8]], axis=1)
    return vertices, squares.T


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["glb", "gltf", "wrl", "x3d", "dae", "3ds"])
def test_formats_of_scenes_are_read(tmp_path, ending, request):
    path = tmp_path / f"scan.{ending}"
    vertices, triangles = bowl()
    if ending in ("glb", "gltf"):
        made = trimesh.Trimesh(vertices, triangles, process=False).export(file_type=ending)
        path.write_bytes(made if ending == "glb" else _in_one_file(made))
    else:
        module = request.getfixturevalue("pymeshlab")
        meshes = module.MeshSet()
        meshes.add_mesh(module.Mesh(vertices, triangles))
        meshes.save_current_mesh(str(path))
    scan = scans.read(path)
    assert scan.notices == ()
    assert np.abs(np.sort(scan.points, axis=0) - np.sort(vertices, axis=0)).max() < 1e-4
    assert len(scan.triangles) == len(triangles)


def _in_one_file(parts):
    """A glTF text with its buffers inside."""
    import base64

    model = json.loads(parts["model.gltf"])
    for buffer in model["buffers"]:
        data = base64.b64encode(parts[buffer["uri"]]).decode()
        buffer["uri"] = f"data:application/octet-stream;base64,{data}"
    return json.dumps(model).encode()


def test_a_scene_in_several_files_is_refused(tmp_path):
    parts = trimesh.Trimesh(*bowl(), process=False).export(file_type="gltf")
    (tmp_path / "scan.gltf").write_bytes(parts["model.gltf"])
    with pytest.raises(Rejected, match="its geometry lies in other files"):
        scans.read(tmp_path / "scan.gltf")


@pytest.mark.slow
def test_a_damaged_scene_costs_itself_alone(tmp_path):
    (tmp_path / "scan.glb").write_bytes(b"glTF" + bytes(20))
    with pytest.raises(Rejected, match=r"scan\.glb: .*save the scan as ply") as caught:
        scans.read(tmp_path / "scan.glb")
    assert caught.value.code == "unreadable_file"


@pytest.mark.parametrize(
    ("name", "beginning", "words"),
    [("a.vtk", b"# vtk DataFile", "VTK"), ("a.vtp", b"<VTKFile type=", "VTK")],
)
def test_formats_that_are_not_read_are_named(tmp_path, name, beginning, words):
    (tmp_path / name).write_bytes(beginning)
    with pytest.raises(Rejected, match=f"this is {words}.*save the scan as ply") as caught:
        scans.read(tmp_path / name)
    assert caught.value.code == "unsupported_format"


def test_a_packed_scan_is_unpacked(tmp_path):
    writers.scan(tmp_path / "scan.ply", bowl()[0])
    whole = (tmp_path / "scan.ply").read_bytes()
    (tmp_path / "scan.ply.gz").write_bytes(gzip.compress(whole))
    scan = scans.read(tmp_path / "scan.ply.gz")
    assert scan.notices == scans.read(tmp_path / "scan.ply").notices
    assert np.array_equal(scan.points, scans.read(tmp_path / "scan.ply").points)
    (tmp_path / "scan.ply.gz").write_bytes(gzip.compress(whole)[:-20])
    with pytest.raises(Rejected, match="cut off"):
        scans.read(tmp_path / "scan.ply.gz")


@pytest.mark.slow
def test_a_packed_file_unpacks_to_no_more_than_the_limit():
    bomb = gzip.compress(bytes(files.MAX_BYTES + 1), 1)
    with pytest.raises(Rejected, match="unpacks to more") as caught:
        files.opened(bomb)
    assert caught.value.code == "too_large"


@pytest.mark.slow
def test_a_mesh_with_three_faces_at_an_edge_is_repaired(pymeshlab):
    vertices, triangles = faces.template(), faces.triangles()
    fin = np.concatenate([vertices, vertices[triangles[:1, 0]] + [0, 0, 9]])
    made = np.concatenate([triangles, [[triangles[0, 0], triangles[0, 1], len(vertices)]]])
    assert "more than two triangles" in topology.fault(made, len(fin))
    points, mended = meshlab.repaired(fin, made)
    assert "more than two triangles" not in topology.fault(mended, len(points))
    assert len(points) >= len(vertices) - 3


@pytest.mark.slow
def test_a_dense_mesh_is_reduced_and_keeps_its_place(pymeshlab):
    points, triangles = meshlab.reduced(faces.template(), faces.triangles(), 4000)
    assert topology.fault(triangles, len(points)) == ""
    assert abs(len(triangles) - 4000) < 100
    nearest = np.linalg.norm(points[:, None] - faces.template()[None, ::7], axis=2).min(axis=1)
    assert np.median(nearest) < 4  # mm; the template's points, every seventh, are some millimetres apart


def test_a_missing_system_library_is_told_in_one_line(tmp_path, monkeypatch):
    """A pymeshlab that fails at import as the real one does without libGL.so.1."""
    (tmp_path / "pymeshlab.py").write_text(
        "raise ImportError('libGL.so.1: cannot open shared object file: No such file or directory')\n", "utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(Rejected, match=r"MeshLab needs libGL\.so\.1; Debian: apt-get install .*libgl1") as caught:
        meshlab.reduced(*bowl(), 10)
    assert caught.value.code == "missing_library"
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_meshlab_is_not_imported_before_it_is_needed(root):
    program = textwrap.dedent("""
        import sys
        sys.path.insert(0, "scripts")
        from shapedp.readers import scans
        from shapedp.surfaces.meshing import scan_mesh
        assert "pymeshlab" not in sys.modules and "trimesh" not in sys.modules
    """)
    subprocess.run([sys.executable, "-c", program], cwd=root, check=True)
