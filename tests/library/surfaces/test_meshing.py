"""From clouds and meshes to disks: good scans in any order and pose, and each fault with its reason."""

import csv

import numpy as np
import pytest
from matplotlib import cbook
from scipy.spatial.transform import Rotation

import tolerances
from shapedp import scans
from shapedp.demo import faces
from shapedp.demo import scans as demo
from shapedp.errors import Rejected
from shapedp.surfaces import conformal, distortion, meshing, mobius, normalise, sampling, topology

OPTIONS = meshing.Options()


@pytest.fixture(scope="module")
def cloud():
    return demo.scan(2024, 3)


@pytest.fixture(scope="module")
def mesh(cloud):
    return meshing.mesh_scan(cloud)


def surface(mesh):
    """The normalised surface of a mesh, on a small grid."""
    z = conformal.disk_map(mesh.vertices, mesh.triangles, mesh.nose_tip)
    f = sampling.sample(mesh.vertices, mesh.triangles, mobius.recenter(z, z[mesh.nose_tip]), 32, 64)
    return normalise.unit_surface(f)[0]


def apart(one, other):
    """Largest distance after the best rotation in space and of the disk."""
    best = np.inf
    for shift in range(one.shape[1]):
        turned = np.roll(other, shift, axis=1)
        rotation, _ = Rotation.align_vectors(one.reshape(-1, 3), turned.reshape(-1, 3))
        best = min(best, np.abs(rotation.apply(turned.reshape(-1, 3)) - one.reshape(-1, 3)).max())
    return best


@pytest.mark.parametrize("index", range(6))
def test_every_kind_of_demo_scan_becomes_a_disk(index):
    scan, truth = demo.scan(2024, index), demo.truth(2024, index)
    mesh = meshing.mesh_scan(scan)
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    assert len(mesh.vertices) >= 0.98 * len(scan)
    z = conformal.disk_map(mesh.vertices, mesh.triangles, mesh.nose_tip)
    assert not distortion.flipped(z, mesh.triangles).any()
    assert np.linalg.norm(mesh.vertices[mesh.nose_tip] - truth.nose_tip) < 5


def test_triangles_face_outwards(mesh):
    corners = mesh.vertices[mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outward = demo.truth(2024, 3).rotation @ [0, 0, 1]
    assert np.mean(normals @ outward > 0) > 0.97


def test_the_order_of_the_points_does_not_matter(cloud, mesh):
    shuffled = meshing.mesh_scan(cloud[np.random.default_rng(0).permutation(len(cloud))])
    assert np.array_equal(shuffled.vertices, mesh.vertices)
    assert np.array_equal(shuffled.triangles, mesh.triangles)


def test_pose_and_scale_change_the_surface_by_rounding_alone(cloud, mesh):
    rotation = Rotation.from_rotvec([0.5, -1.2, 0.8])
    moved = meshing.mesh_scan(1e-3 * rotation.apply(cloud) + [5, -7, 1])
    assert np.array_equal(moved.triangles, mesh.triangles)
    z, w = (conformal.disk_map(m.vertices, m.triangles, m.nose_tip) for m in (mesh, moved))
    turn = np.vdot(w, z)
    assert np.max(np.abs(w * turn / abs(turn) - z)) < tolerances.RIGID_MOTION


def test_a_mirrored_face_stays_mirrored(cloud, mesh):
    mirrored = meshing.mesh_scan(cloud * [-1, 1, 1])
    assert apart(surface(mesh)[:, ::-1] * [-1, 1, 1], surface(mirrored)) < 0.05
    handed = np.linalg.det(np.linalg.svd(surface(mesh).reshape(-1, 3).T @ surface(mirrored).reshape(-1, 3))[0])
    assert abs(abs(handed) - 1) < 1e-9


def test_a_scan_that_is_a_mesh_keeps_its_triangles():
    vertices, triangles = faces.template(), faces.triangles()
    mesh = meshing.mesh_scan(vertices, triangles)
    assert len(mesh.vertices) == len(vertices)
    canonical = {tuple(sorted(map(tuple, np.round(vertices[t], 9)))) for t in triangles}
    kept = {tuple(sorted(map(tuple, np.round(mesh.vertices[t], 9)))) for t in mesh.triangles}
    assert kept == canonical


def test_holes_of_a_mesh_are_closed_and_told():
    vertices, triangles = faces.template(), faces.triangles()
    center = vertices[3000]
    far = np.linalg.norm(vertices[triangles].mean(axis=1) - center, axis=1) > 6
    mesh = meshing.mesh_scan(vertices, triangles[far])
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    assert any("boundary loops" in notice for notice in mesh.notices)


def test_a_marked_nose_is_taken(cloud):
    marked = demo.truth(2024, 3).nose_tip + np.array([3, 0, 0])
    mesh = meshing.mesh_scan(cloud, center=marked)
    assert mesh.quality["nose_method"] == "marked"
    assert np.linalg.norm(mesh.vertices[mesh.nose_tip] - marked) < 3


@pytest.mark.parametrize("center", ["highest", "boundary"])
def test_any_disk_like_surface_goes_through(center):
    """A terrain: a hill on a plain, far too flat for a face."""
    rng = np.random.default_rng(0)
    xy = rng.uniform(-1, 1, (4000, 2))
    xy = xy[np.linalg.norm(xy, axis=1) < 1]
    z = 0.02 * np.exp(-20 * ((xy[:, 0] - 0.3) ** 2 + xy[:, 1] ** 2))
    mesh = meshing.mesh_scan(np.column_stack([xy, z]), options=meshing.Options(center=center))
    x = mesh.vertices[mesh.nose_tip, 0]
    assert abs(x - (0.3 if center == "highest" else 0)) < 0.1


def test_a_given_point_lies_at_the_center(cloud):
    point = cloud[np.argmin(np.linalg.norm(cloud - cloud.mean(axis=0), axis=1))]
    mesh = meshing.mesh_scan(cloud, options=meshing.Options(center=tuple(point + np.array([0.5, 0, 0]))))
    assert mesh.quality["nose_method"] == "given"
    assert np.linalg.norm(mesh.vertices[mesh.nose_tip] - point) < 3
    with pytest.raises(Rejected, match=r"\(0, 0, 10000.0\).*faces.center") as caught:
        meshing.mesh_scan(cloud, options=meshing.Options(center=(0, 0, 1e4)))
    assert caught.value.code == "center_far"


def goes_through(points, triangles=None, center="highest"):
    """The mesh, once its map has turned no triangle over and its surface has been sampled."""
    mesh = meshing.mesh_scan(points, triangles, meshing.Options(center=center))
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    z = conformal.disk_map(mesh.vertices, mesh.triangles, mesh.nose_tip)
    assert not distortion.flipped(z, mesh.triangles).any()
    assert abs(z[mesh.nose_tip]) < 1e-12
    assert np.isfinite(surface(mesh)).all()
    return mesh


def test_a_terrain_goes_through():
    """matplotlib's sample elevations, every fifth row and column, a degree taken as 89 and 111 km."""
    with cbook.get_sample_data("jacksboro_fault_dem.npz") as data:
        height, dx, dy = data["elevation"][::5, ::5].astype(float), 5 * 89_000 * data["dx"], 5 * 111_000 * data["dy"]
    rows, columns = np.indices(height.shape)
    points = np.stack([dx * columns, -dy * rows, height], axis=-1).reshape(-1, 3)
    mesh = goes_through(points)
    assert len(mesh.vertices) >= 0.98 * len(points)
    assert mesh.vertices[mesh.nose_tip, 2] > height.max() - 20


def test_the_shared_terrain_goes_through(shared_data):
    data = np.load(shared_data / "surfaces" / "dem_jacksboro.npz", allow_pickle=False)
    points, triangles = data["disk_points"].astype(float), data["disk_triangles"]
    assert len(goes_through(points).vertices) >= 0.98 * len(points)
    for center in ("highest", "boundary"):
        kept = goes_through(points, triangles, center).vertices
        # its rim is jagged, as a circle cut out of a grid: of given triangles only two rows there may go
        inside = np.hypot(*points[:, :2].T) < np.hypot(*points[:, :2].T).max() - 2 * 278
        assert {tuple(point) for point in points[inside]} <= {tuple(point) for point in kept}


def test_a_real_head_scan_goes_through(shared_data):
    points = scans.read(shared_data / "surfaces" / "lee_perry_smith_face_cloud.ply").points
    mesh = goes_through(points, center="nose")
    foremost = points[np.argmax(points[:, 2])]  # this head looks along +z
    assert np.linalg.norm(mesh.vertices[mesh.nose_tip] - foremost) * 55 < 8  # mm, 55 to a unit


def holed(cloud, radius):
    """Without a round patch of the cheek."""
    cheek = cloud[np.argmin(np.linalg.norm(cloud[:, :2] - [36, -5], axis=1))]
    return cloud[np.linalg.norm(cloud - cheek, axis=1) > radius]


def sphere(count):
    i = np.arange(count) + 0.5
    height, turn = 1 - 2 * i / count, np.pi * (1 + 5**0.5) * i
    ring = np.sqrt(1 - height**2)
    return 85 * np.column_stack([ring * np.cos(turn), ring * np.sin(turn), height])


@pytest.mark.parametrize(
    ("make", "code", "words"),
    [
        (lambda c: c * [1, 1, 0], "degenerate", "thick"),
        (lambda c: np.concatenate([c, c + np.array([260, 0, 0])]), "multiple_components", "separate objects"),
        (lambda c: holed(c, 31), "large_hole", "of the surface"),
        (lambda c: sphere(6000), "closed_surface", "closes behind itself"),
        (lambda c: c[c[:, 0] > np.median(c[:, 0]) - 4], "partial_face", "from the scan's edge"),
        (lambda c: c[:50], "too_few_points", "50 points"),
    ],
)
def test_each_fault_has_its_reason(cloud, make, code, words):
    upright = (cloud - demo.truth(2024, 3).translation) @ demo.truth(2024, 3).rotation
    with pytest.raises(Rejected) as caught:
        meshing.mesh_scan(make(upright))
    assert caught.value.code == code
    assert words in str(caught.value)


def test_a_nose_marked_elsewhere_is_refused(cloud):
    with pytest.raises(Rejected, match="check the units"):
        meshing.mesh_scan(cloud, center=(1e4, 0, 0))


def verdicts(folder):
    with (folder / "bad_manifest.csv").open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_the_shared_bad_scans_get_the_verdicts_of_their_manifest(shared_data):
    folder = shared_data / "faces"
    wrong = []
    for row in verdicts(folder):
        try:
            scan = scans.read(folder / "bad" / row["file"])
            mesh = meshing.mesh_scan(scan.points, scan.triangles, OPTIONS)
            found = "accept", " ".join([*scan.notices, *mesh.notices])
        except Rejected as error:
            found = "reject", error.code
        also = row["also_acceptable"]
        if found[0] == row["expected"] and (found[0] == "accept" or found[1] == row["reason_code"]):
            continue
        if found[0] != row["expected"] and found[0] in also:
            continue
        wrong.append((row["file"], found, row["expected"], row["reason_code"]))
    assert wrong == []


def test_nose_tips_of_the_shared_raw_scans(shared_data):
    folder = shared_data / "faces"
    with (folder / "raw_truth.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    errors = []
    for row in rows:
        scan = scans.read(folder / "raw" / row["file"])
        mesh = meshing.mesh_scan(scan.points, scan.triangles, OPTIONS)
        truth = [float(row[f"nose_tip_{axis}"]) for axis in "xyz"]
        errors.append(np.linalg.norm(mesh.vertices[mesh.nose_tip] - truth))
    assert max(errors) <= 5
    assert np.median(errors) <= 2.5
