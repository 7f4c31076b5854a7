"""What MeshLab and trimesh read for us, meshes mended and reduced, and one line where a system library is missing."""

import gzip
import json
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import trimesh

from shapedp.base import writers
from shapedp.base.errors import MachineError, Rejected
from shapedp.base.reading import files
from shapedp.surfaces import scans, topology
from shapedp.surfaces.human_face.demo import faces
from shapedp.surfaces.meshing import scan_mesh
from shapedp.surfaces.scans import meshlab


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
    writers.write_scan(tmp_path / "scan.ply", bowl()[0])
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
        files.unpack_gzip(bomb)
    assert caught.value.code == "too_large"


@pytest.mark.slow
def test_a_mesh_with_three_faces_at_an_edge_is_repaired(pymeshlab):
    vertices, triangles = faces.template(), faces.triangles()
    fin = np.concatenate([vertices, vertices[triangles[:1, 0]] + [0, 0, 9]])
    made = np.concatenate([triangles, [[triangles[0, 0], triangles[0, 1], len(vertices)]]])
    assert "more than two triangles" in topology.fault(made, len(fin))
    points, mended = meshlab.repair(fin, made)
    assert "more than two triangles" not in topology.fault(mended, len(points))
    assert len(points) >= len(vertices) - 3


@pytest.mark.slow
def test_a_dense_mesh_is_reduced_and_keeps_its_place(pymeshlab):
    points, triangles = meshlab.reduce(faces.template(), faces.triangles(), 4000)
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
    with pytest.raises(Rejected, match=r"MeshLab needs libGL\.so\.1; on Debian: apt-get install .*libgl1") as caught:
        meshlab.reduce(*bowl(), 10)
    assert caught.value.code == "missing_library"
    assert "\n" not in str(caught.value)


def standing_in(tmp_path, monkeypatch, program):
    """MeshLab's process replaced by a program that ends in its own way."""
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program), "utf-8")
    monkeypatch.setattr(meshlab, "PROGRAM", path)


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGHUP"])
def test_a_process_that_was_stopped_from_outside_fails_the_job_and_costs_no_scan_its_triangles(
    tmp_path, monkeypatch, name
):
    """As a machine short of memory stops one because of what another record's job takes."""
    # Under nohup a process ignores SIGHUP, and so would the one that it starts.
    heeded = "" if name == "SIGKILL" else f"signal.signal(signal.{name}, signal.SIG_DFL); "
    standing_in(tmp_path, monkeypatch, f"import os, signal; {heeded}os.kill(os.getpid(), signal.{name})")
    monkeypatch.setattr(scan_mesh, "DENSE", 10)
    with pytest.raises(MachineError, match=r"stopped by something other than .*\(-\d+.*start the same command again"):
        scan_mesh.reduce_mesh(*bowl())


@pytest.mark.parametrize("program", ["raise OSError(28, 'No space left on device')", "import sys; sys.exit(1)"])
def test_what_the_machine_lacks_fails_the_job(tmp_path, monkeypatch, program):
    standing_in(tmp_path, monkeypatch, program)
    with pytest.raises(MachineError):
        meshlab.reduce(*bowl(), 10)


def test_a_disk_without_room_for_what_goes_in_fails_the_job(monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(meshlab.np, "savez", full)
    with pytest.raises(MachineError, match="No space left on device; make room"):
        meshlab.reduce(*bowl(), 10)


def test_a_crash_is_the_scans_own(tmp_path, monkeypatch):
    standing_in(tmp_path, monkeypatch, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    with pytest.raises(Rejected, match=r"it crashed \(-11\); save the scan as ply"):
        meshlab.reduce(*bowl(), 10)


def test_processor_time_is_bounded_and_no_other_clock_is_looked_at(tmp_path, monkeypatch):
    """A pymeshlab that sleeps beyond the limit goes on; one that computes beyond it costs its scan the triangles."""
    monkeypatch.setattr(meshlab, "MOST_SECONDS", 1)
    monkeypatch.setattr(scan_mesh, "DENSE", 10)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "pymeshlab.py").write_text("import time; time.sleep(3); raise ValueError('awake')\n", "utf-8")
    with pytest.raises(Rejected, match="MeshLab cannot reduce it: ValueError: awake"):
        meshlab.reduce(*bowl(), 10)
    (tmp_path / "pymeshlab.py").write_text("while True: pass\n", "utf-8")
    points, triangles, notices = scan_mesh.reduce_mesh(*bowl())
    assert len(points) == len(bowl()[0])
    assert triangles is None
    assert "not finished after 1 s of processor time" in notices[0]


def test_memory_beyond_its_own_limit_is_the_scans_own(tmp_path, monkeypatch):
    (tmp_path / "pymeshlab.py").write_text("taken = bytearray(1 << 40)\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(Rejected, match="MeshLab cannot reduce it: MemoryError"):
        meshlab.reduce(*bowl(), 10)


def test_words_without_end_do_not_fill_the_memory(tmp_path, monkeypatch):
    (tmp_path / "pymeshlab.py").write_text(
        "import sys\nfor _ in range(64): sys.stderr.write('x' * (1 << 20))\nraise ValueError('\\nlast words')\n",
        "utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(Rejected, match="last words"):
        meshlab.reduce(*bowl(), 10)


@pytest.mark.slow
def test_meshlab_is_not_imported_before_it_is_needed(root):
    program = textwrap.dedent("""
        import sys
        sys.path.insert(0, "scripts")
        from shapedp.surfaces import scans
        from shapedp.surfaces.meshing import scan_mesh
        assert "pymeshlab" not in sys.modules and "trimesh" not in sys.modules
    """)
    subprocess.run([sys.executable, "-c", program], cwd=root, check=True)
