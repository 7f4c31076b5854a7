"""From clouds and meshes to disks: good scans in any order and pose, and each fault with its reason."""

import csv

import numpy as np
import pytest
from matplotlib import cbook
from scipy.spatial.transform import Rotation

import tolerances
from library.surfaces import analytic
from shapedp.base.errors import Rejected
from shapedp.surfaces import polar, scans, topology
from shapedp.surfaces.disk_map import centers, conformal
from shapedp.surfaces.human_face import nose
from shapedp.surfaces.human_face.demo import faces
from shapedp.surfaces.human_face.demo import scans as demo
from shapedp.surfaces.meshing import scan_mesh

OPTIONS = scan_mesh.Options()


@pytest.fixture(scope="module")
def cloud():
    return demo.scan(2024, 3)


@pytest.fixture(scope="module")
def mesh(cloud):
    return scan_mesh.mesh_scan(cloud)


def tip_of(mesh):
    """The vertex of the nose tip."""
    return nose.find_center(mesh.vertices, mesh.triangles).vertex


def centered(mesh, vertex):
    """The disk map with a vertex at 0."""
    return conformal.move_to_center(conformal.disk_map(mesh.vertices, mesh.triangles), mesh.triangles, vertex)


def surface(mesh, vertex=None):
    """The normalised surface of a mesh, on a small grid; the nose tip at its center if no vertex is given."""
    z = centered(mesh, tip_of(mesh) if vertex is None else vertex)
    f = polar.sample(mesh.vertices, mesh.triangles, z, 32, 64)
    return polar.unit_surface(f)[0]


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
    mesh = scan_mesh.mesh_scan(scan)
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    assert len(mesh.vertices) >= 0.98 * len(scan)
    tip = tip_of(mesh)
    assert not conformal.find_flipped(centered(mesh, tip), mesh.triangles).any()
    assert np.linalg.norm(mesh.vertices[tip] - truth.nose_tip) < 5


def test_triangles_face_outwards(mesh):
    corners = mesh.vertices[mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outward = demo.truth(2024, 3).rotation @ [0, 0, 1]
    assert np.mean(normals @ outward > 0) > 0.97


def test_the_order_of_the_points_does_not_matter(cloud, mesh):
    shuffled = scan_mesh.mesh_scan(cloud[np.random.default_rng(0).permutation(len(cloud))])
    assert np.array_equal(shuffled.vertices, mesh.vertices)
    assert np.array_equal(shuffled.triangles, mesh.triangles)


def test_pose_and_scale_change_the_surface_by_rounding_alone(cloud, mesh):
    rotation = Rotation.from_rotvec([0.5, -1.2, 0.8])
    moved = scan_mesh.mesh_scan(1e-3 * rotation.apply(cloud) + [5, -7, 1])
    assert np.array_equal(moved.triangles, mesh.triangles)
    z, w = (centered(m, tip_of(m)) for m in (mesh, moved))
    turn = np.vdot(w, z)
    assert np.max(np.abs(w * turn / abs(turn) - z)) < tolerances.RIGID_MOTION


@pytest.mark.slow
def test_a_mirrored_face_stays_mirrored(cloud, mesh):
    mirrored = scan_mesh.mesh_scan(cloud * [-1, 1, 1])
    assert apart(surface(mesh)[:, ::-1] * [-1, 1, 1], surface(mirrored)) < 0.05
    handed = np.linalg.det(np.linalg.svd(surface(mesh).reshape(-1, 3).T @ surface(mirrored).reshape(-1, 3))[0])
    assert abs(abs(handed) - 1) < 1e-9


@pytest.mark.slow
def test_a_scan_that_is_a_mesh_keeps_its_triangles():
    vertices, triangles = faces.template(), faces.triangles()
    mesh = scan_mesh.mesh_scan(vertices, triangles)
    assert len(mesh.vertices) == len(vertices)
    canonical = {tuple(sorted(map(tuple, np.round(vertices[t], 9)))) for t in triangles}
    kept = {tuple(sorted(map(tuple, np.round(mesh.vertices[t], 9)))) for t in mesh.triangles}
    assert kept == canonical


def test_holes_of_a_mesh_are_closed_and_told():
    vertices, triangles = faces.template(), faces.triangles()
    center = vertices[3000]
    far = np.linalg.norm(vertices[triangles].mean(axis=1) - center, axis=1) > 6
    mesh = scan_mesh.mesh_scan(vertices, triangles[far])
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    assert "1 hole of the mesh closed" in mesh.notices


def grid_without(*squares, side=8):
    """(points, triangles) of a flat grid of squares, each cut along its diagonal, without some of them."""
    x, y = (one.ravel() for one in np.meshgrid(np.arange(side), np.arange(side)))
    at = np.arange(side * side).reshape(side, side)
    a, b, c, d = (one for one in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    triangles = np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)], axis=2)
    is_kept = np.ones(a.shape, dtype=bool)
    for row, column in squares:
        is_kept[row, column] = False
    return np.column_stack([x, y, 0 * x]).astype(float), triangles[is_kept].reshape(-1, 3)


def test_a_hole_that_turns_inwards_is_covered_once():
    """A square with a spike of the surface in one side, whose own ear, the smallest, would lie over the surface."""
    around = np.array([[0, 10], [10, 10], [10, 0], [6, 0], [5, 1], [4, 0], [0, 0]], float)
    points = np.column_stack([around, np.zeros(7)])
    closed = scan_mesh._cut_ears(points, np.arange(7), set())
    sides = points[closed[:, 1:]] - points[closed[:, :1]]
    twice = np.cross(sides[:, 0], sides[:, 1])[:, 2]
    assert (twice > 0).all(), "as the surface is turned, none over it"
    assert twice.sum() == pytest.approx(2 * 99, abs=1e-12)


def test_a_slit_is_sewn_from_its_ends():
    """Each new edge crosses a slit, from one side to the nearest places of the other."""
    points, triangles = grid_without(*((3, column) for column in range(1, 6)))
    (closed,) = scan_mesh._close_holes(points, triangles, topology.examine(triangles, len(points))[1][1:])
    assert topology.lengths(points, closed).max() == pytest.approx(np.sqrt(2))


def test_no_edge_is_made_that_the_mesh_has_already():
    """Opposite corners of a square hole are joined round behind the surface: a fan from one would join them again."""
    points, triangles = grid_without((3, 3))
    _, hole = topology.examine(triangles, len(points))[1]
    for first in range(2):
        a, c = hole[first], hole[first + 2]
        closed = scan_mesh._cut_ears(points[hole], hole, {(int(c), int(a))})
        assert len(closed) == 2
        assert not any({a, c} <= set(one) for one in closed.tolist())
    both = {tuple(sorted(map(int, hole[[k, k + 2]]))) for k in range(2)}
    assert len(scan_mesh._cut_ears(points[hole], hole, both)) == 0, "it stays open"


def test_no_edge_is_made_between_the_halves_of_a_vertex():
    """Two square holes that met in a corner, split: of the loop's two places there no edge joins one to the other."""
    points = np.array(
        [[0, 0, 0], [1, 0, 0], [1, -1, 0], [0, -1, 0], [0, 0, 0], [-1, 0, 0], [-1, 1, 0], [0, 1, 0]], float
    )
    closed = scan_mesh._cut_ears(points, np.arange(8), set())
    assert len(closed) == 6
    assert not any({0, 4} <= set(one) for one in closed.tolist())


def test_triangles_that_clash_along_an_edge_are_dropped_and_others_stay():
    given = np.array([[0, 1, 2], [0, 1, 3], [1, 0, 4], [2, 1, 5]])
    assert scan_mesh._drop_clashes(given).tolist() == [[1, 0, 4], [2, 1, 5]]


def test_parts_that_meet_in_a_vertex_get_one_each():
    """Three triangles about vertex 0 that share no edge; in a fan about vertex 0 nothing is split."""
    points = np.random.default_rng(0).normal(size=(7, 3))
    triangles = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    split, numbered = scan_mesh._split_touches(points, triangles)
    assert len(set(numbered.ravel())) == len(split) == 9
    assert np.array_equal(split[numbered], points[triangles])
    fan = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4]])
    split, numbered = scan_mesh._split_touches(points[:5], fan)
    assert np.array_equal(split, points[:5])
    assert np.array_equal(numbered, fan)


def test_what_clashes_after_a_repair_costs_no_more_than_itself(monkeypatch):
    """A mesh in which MeshLab's repair leaves a triangle turned over keeps the others of its own."""
    monkeypatch.setattr(scan_mesh.meshlab, "repair", lambda points, triangles: (points, triangles))
    vertices, triangles = faces.template(), faces.triangles()
    turned = triangles.copy()
    turned[500] = turned[500, ::-1]
    mesh = scan_mesh.mesh_scan(vertices, turned)
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    assert mesh.quality["own_triangles"] == 1
    assert len(mesh.vertices) > len(vertices) - 10
    fins = np.array([[0, 1, other] for other in range(2, 11)])
    *_, words = scan_mesh._repair(vertices[:11], fins, "they clash")
    assert "no triangle of it lies in a surface" in words


def goes_through(points, triangles=None, center="highest"):
    """The mesh and its center, once its map has turned no triangle over and its surface has been sampled."""
    mesh = scan_mesh.mesh_scan(points, triangles)
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    vertex = centers.find(mesh.vertices, mesh.triangles, center).vertex
    assert not conformal.find_flipped(centered(mesh, vertex), mesh.triangles).any()
    assert np.isfinite(surface(mesh, vertex)).all()
    return mesh, mesh.vertices[vertex]


def test_a_terrain_goes_through():
    """matplotlib's sample elevations, every fifth row and column, a degree taken as 89 and 111 km."""
    with cbook.get_sample_data("jacksboro_fault_dem.npz") as data:
        height, dx, dy = data["elevation"][::5, ::5].astype(float), 5 * 89_000 * data["dx"], 5 * 111_000 * data["dy"]
    rows, columns = np.indices(height.shape)
    points = np.stack([dx * columns, -dy * rows, height], axis=-1).reshape(-1, 3)
    mesh, top = goes_through(points)
    assert len(mesh.vertices) >= 0.98 * len(points)
    assert top[2] > height.max() - 20


@pytest.mark.slow
def test_the_shared_terrain_goes_through(shared_data):
    data = np.load(shared_data / "surfaces" / "dem_jacksboro.npz", allow_pickle=False)
    points, triangles = data["disk_points"].astype(float), data["disk_triangles"]
    assert len(goes_through(points)[0].vertices) >= 0.98 * len(points)
    for center in ("highest", "boundary"):
        kept = goes_through(points, triangles, center)[0].vertices
        # its rim is jagged, as a circle cut out of a grid: of given triangles only two rows there may go
        inside = np.hypot(*points[:, :2].T) < np.hypot(*points[:, :2].T).max() - 2 * 278
        assert {tuple(point) for point in points[inside]} <= {tuple(point) for point in kept}


def test_a_real_head_scan_goes_through(shared_data):
    points = scans.read(shared_data / "surfaces" / "lee_perry_smith_face_cloud.ply").points
    _, tip = goes_through(points, center="nose")
    foremost = points[np.argmax(points[:, 2])]  # this head looks along +z
    assert np.linalg.norm(tip - foremost) * 55 < 8  # mm, 55 to a unit


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
        (lambda c: c[:0], "too_few_points", "0 points"),
    ],
)
def test_each_fault_has_its_reason(cloud, make, code, words):
    upright = (cloud - demo.truth(2024, 3).translation) @ demo.truth(2024, 3).rotation
    with pytest.raises(Rejected) as caught:
        tip_of(scan_mesh.mesh_scan(make(upright)))
    assert caught.value.code == code
    assert words in str(caught.value)


def verdicts(folder):
    with (folder / "bad_manifest.csv").open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.slow
def test_the_shared_bad_scans_get_the_verdicts_of_their_manifest(shared_data):
    folder = shared_data / "faces"
    wrong = []
    for row in verdicts(folder):
        try:
            scan = scans.read(folder / "bad" / row["file"])
            mesh = scan_mesh.mesh_scan(scan.points, scan.triangles, OPTIONS)
            center = nose.find_center(mesh.vertices, mesh.triangles)
            found = "accept", " ".join([*scan.notices, *mesh.notices, center.notice])
        except Rejected as error:
            found = "reject", error.code
        also = row["also_acceptable"]
        if found[0] == row["expected"] and (found[0] == "accept" or found[1] == row["reason_code"]):
            continue
        if found[0] != row["expected"] and found[0] in also:
            continue
        wrong.append((row["file"], found, row["expected"], row["reason_code"]))
    assert wrong == []


@pytest.mark.slow
def test_nose_tips_of_the_shared_raw_scans(shared_data):
    folder = shared_data / "faces"
    with (folder / "raw_truth.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    errors = []
    for row in rows:
        scan = scans.read(folder / "raw" / row["file"])
        mesh = scan_mesh.mesh_scan(scan.points, scan.triangles, OPTIONS)
        truth = [float(row[f"nose_tip_{axis}"]) for axis in "xyz"]
        errors.append(np.linalg.norm(mesh.vertices[tip_of(mesh)] - truth))
    assert max(errors) <= 5
    assert np.median(errors) <= 2.5


@pytest.mark.slow
def test_a_mesh_that_is_no_surface_is_repaired_and_told(pymeshlab):
    vertices, triangles = faces.template(), faces.triangles()
    fin = np.concatenate([vertices, vertices[triangles[500, 0]] + [[0, 0, 2]]])
    made = np.concatenate([triangles, [[triangles[500, 0], triangles[500, 1], len(vertices)]]])
    mesh = scan_mesh.mesh_scan(fin, made)
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    assert len(mesh.vertices) > len(vertices) - 10
    assert any("more than two triangles" in notice and "repaired" in notice for notice in mesh.notices)


@pytest.mark.slow
def test_a_mesh_too_dense_to_map_is_reduced_and_told(pymeshlab, monkeypatch):
    monkeypatch.setattr(scan_mesh, "DENSE", 5000)
    monkeypatch.setattr(scan_mesh, "REDUCED", 4000)
    mesh = scan_mesh.mesh_scan(faces.template(), faces.triangles())
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    assert abs(len(mesh.triangles) - 4000) < 100
    assert mesh.quality["points_read"] == len(faces.template())
    assert any("reduced to" in notice for notice in mesh.notices)


@pytest.mark.slow
def test_a_mesh_that_is_all_rim_costs_its_own_triangles_alone():
    points, triangles = analytic.comb(400, 400)
    mesh = scan_mesh.mesh_scan(points, triangles)
    assert topology.fault(mesh.triangles, len(mesh.vertices)) == ""
    assert any("not used: the mesh's rim runs through 160000 vertices" in notice for notice in mesh.notices)
    assert any("160000 points thinned to" in notice for notice in mesh.notices)
    assert mesh.quality["own_triangles"] == 0


def test_a_vertex_in_more_triangles_than_any_scans_costs_the_triangles():
    count = scan_mesh.MOST_ROUND + 1
    turn = 2 * np.pi * np.arange(count) / count
    points = np.append(np.column_stack([np.cos(turn), np.sin(turn), np.zeros(count)]), [[0, 0, 0.3]], axis=0)
    spokes = np.column_stack([np.arange(count), (np.arange(count) + 1) % count, np.full(count, count)])
    vertices, _, notices = scan_mesh.make_disk(points, spokes)
    assert vertices is None
    assert f"a vertex has {count} triangles round it" in notices[-1]


def test_points_of_no_triangle_are_no_more_than_there_may_be_triangles(monkeypatch):
    points = np.concatenate([np.full((20_000, 3), 7.0), faces.template()])
    triangles = faces.triangles() + 20_000
    assert scan_mesh.reduce_mesh(points, triangles)[2] == []
    monkeypatch.setattr(scan_mesh, "DENSE", 15_000)
    kept, numbered, (notice,) = scan_mesh.reduce_mesh(points, triangles)
    assert np.array_equal(kept[numbered], points[triangles])
    assert notice == f"{len(points) - len(kept)} points that belong to no triangle dropped"
    assert len(kept) <= len(faces.template())


def test_a_point_straight_behind_has_no_place_in_a_flattening_and_is_refused(monkeypatch):
    monkeypatch.setattr(
        scan_mesh.frame, "stereographic", lambda directions, axes: np.full((len(directions), 2), np.inf)
    )
    with pytest.raises(Rejected, match="straight behind the surface"):
        scan_mesh.mesh_scan(faces.template())


def test_points_on_a_line_are_called_a_line_and_not_several_objects():
    along = np.concatenate([np.linspace(0, 0.2, 700), np.linspace(0.9, 1, 300)])
    with pytest.raises(Rejected, match="single line") as refused:
        scan_mesh.mesh_scan(along[:, None] * np.array([40.0, 30.0, 20.0]))
    assert refused.value.code == "degenerate"


RINGS = 24


def gapped(middle, radius):
    """A flat disk whose triangulation spans a gap round `middle`."""
    z = analytic.disk_points(RINGS)
    z = z[np.abs(z - middle) > radius]
    return np.column_stack([z.real, z.imag, np.zeros(len(z))]), analytic.triangulated(z)


def test_area_share_and_place_are_measured():
    (inside, in_shadow), (beside, at_rim) = (
        scan_mesh.measure_holes(*gapped(*where)) for where in ((0.2, 0.3), (1.0, 0.35))
    )
    assert inside["holes_filled"] == beside["holes_filled"] == 1
    assert inside["largest_hole"] == pytest.approx(0.3**2, rel=0.2)
    assert (in_shadow, at_rim) == (False, True)


def limit(mesh, share):
    """Options whose limit is so many times the mesh's largest hole."""
    largest = scan_mesh.measure_holes(*mesh)[0]["largest_hole"]
    return scan_mesh.Options(refused_hole=share * largest, largest_hole=0.0)


def test_a_shadow_may_be_twice_as_large_as_a_hole():
    hole, shadow = gapped(0.2, 0.3), gapped(1.0, 0.35)
    notices = []
    scan_mesh.judge_holes(*hole, limit(hole, 1.1), notices)
    scan_mesh.judge_holes(*shadow, limit(shadow, 0.6), notices)
    assert [notice[: notice.index(" of ")] for notice in notices] == ["a hole", "a shadow at the rim"]
    with pytest.raises(Rejected, match="a hole covers") as caught:
        scan_mesh.judge_holes(*hole, limit(hole, 0.9), [])
    assert caught.value.code == "large_hole"
    with pytest.raises(Rejected, match="a shadow at the rim covers"):
        scan_mesh.judge_holes(*shadow, limit(shadow, 0.4), [])


def test_triangles_that_do_not_hang_together_are_taken_as_their_points(monkeypatch):
    """As a file has them that names each triangle's corners anew: no time is spent on them as a mesh."""
    monkeypatch.setattr(scan_mesh, "make_disk", lambda *_: pytest.fail("taken as a mesh"))
    monkeypatch.setattr(scan_mesh, "reduce_mesh", lambda *_: pytest.fail("taken as a mesh"))
    rng = np.random.default_rng(0)
    corners = rng.normal(size=(400, 1, 3)) * [60, 80, 40] + rng.normal(size=(400, 3, 3))
    with pytest.raises(Rejected):
        scan_mesh.mesh_scan(corners.reshape(-1, 3), np.arange(1200).reshape(-1, 3))
