"""Faces are found in whole heads in any pose, and not in what is no face."""

import numpy as np
import pytest

from benchmarks import whole_heads
from shapedp.base.errors import Rejected
from shapedp.surfaces import outside
from shapedp.surfaces.human_face import face_mesh, finding_faces, relief
from shapedp.surfaces.human_face.demo import people
from shapedp.surfaces.meshing import scan_mesh
from shapedp.surfaces.registration import alignment

SHAPE = 96, 256, 3
MM = 6.0  # a nose so far off needs a notice; what is found coarsely is looked for again near by
OPTIONS = scan_mesh.Options(smooth_noise=True)


@pytest.fixture(scope="module")
def public():
    return people.named("built_in")


@pytest.fixture(scope="module")
def wanted(public):
    mean = public.vertices(people.Person(np.zeros(1), "f", 49.0))
    return finding_faces.build_model(
        alignment.map_face(mean, public.triangles.astype(np.int64), public.nose_tip, SHAPE, True).f
    )


def head(public, kind, seed=0):
    rng = np.random.default_rng([41, seed])
    face = public.vertices(public.person(rng))
    return whole_heads.scanned(face, public.triangles, public.nose_tip, kind, rng)


@pytest.mark.slow
@pytest.mark.parametrize("kind", whole_heads.KINDS)
def test_the_face_of_a_whole_head_in_any_pose_and_unit_is_found(kind, public, wanted):
    scan = head(public, kind)
    found = finding_faces.find_face(scan.points, scan.triangles, wanted)
    off = np.linalg.norm(found.pose.tip - scan.nose_tip) / whole_heads.UNITS[scan.unit]
    assert off < 2 * MM
    assert found.relief.is_of_a_face
    assert found.confidence > finding_faces.UNSURE
    assert (found.triangles is None) == (kind == "cloud")
    away = np.linalg.norm(found.points - found.pose.tip, axis=1) / whole_heads.UNITS[scan.unit]
    assert away.max() < 190  # neither shoulders nor the back of the head


@pytest.mark.slow
def test_two_faces_in_one_scan_are_refused(public, wanted):
    rng = np.random.default_rng(3)
    one, other = (public.vertices(public.person(rng)) for _ in range(2))
    with pytest.raises(Rejected, match="more than one face"):
        finding_faces.find_face(np.concatenate([one, other + np.array([260.0, 20.0, 0.0])]), None, wanted)


@pytest.mark.slow
def test_a_ball_is_no_face(wanted):
    points = np.random.default_rng(0).standard_normal((6000, 3))
    points *= 85 / np.linalg.norm(points, axis=1, keepdims=True)
    with pytest.raises(Rejected) as refused:
        face_mesh.mesh_face(points, None, OPTIONS, wanted)
    assert refused.value.code == "no_face"


def test_a_plain_face_is_meshed_as_it_is(public, wanted):
    face = public.vertices(public.person(np.random.default_rng(1)))
    mesh, found = face_mesh.mesh_face(face, None, OPTIONS, wanted)
    assert found is None
    assert np.array_equal(mesh.vertices, scan_mesh.mesh_scan(face, None, OPTIONS).vertices)


def test_eyeballs_and_an_inner_skin_are_left_out_with_a_notice(public):
    scan = head(public, "shells")
    seen = outside.find_outside(scan.points, scan.triangles)
    outer = seen.triangles.max() + 1
    assert 0.4 * len(scan.points) < outer < 0.5 * len(scan.points)  # the bust comes first, its inner side last
    assert any("hidden pieces" in words for words in seen.notices)


def test_all_of_a_ball_is_outside_and_nothing_within_it():
    points = np.random.default_rng(0).standard_normal((8000, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    count, outward = outside.find_seen(np.concatenate([points, 0.6 * points]))
    assert (count[:8000] >= outside.SEEN_FROM).mean() > 0.99
    assert (count[8000:] >= outside.SEEN_FROM).mean() < 0.02
    assert (np.einsum("ic,ic->i", outward[:8000], points) > 0.8).mean() > 0.95


def test_a_pose_takes_the_template_into_the_scan_and_back():
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    pose = finding_faces.Pose(220.0, turn * np.sign(np.linalg.det(turn)), rng.standard_normal(3))
    points = rng.standard_normal((5, 3))
    assert np.allclose(pose.place(pose.scale * points @ pose.turn.T + pose.tip), points)


def test_a_tip_with_hardly_a_point_about_it_has_no_plane_to_point_from():
    tip, side, points = np.zeros(3), np.array([0.0, 0.0, 1.0]), np.full((5, 3), 9.0)
    assert np.array_equal(finding_faces._list_axes(tip, np.zeros(3), side, points, 1.0), [side])
    assert len(finding_faces._list_axes(tip, side, side, points, 1.0)) == 2


def judged(number, energy, of_a_face=True):
    pose = finding_faces.Pose(1.0, np.eye(3), np.array([float(number), 0, 0]), score=1 + number / 100)
    has = 0.8 if of_a_face else 0.1
    return finding_faces.JudgedPose(pose, energy, relief.Relief(has, 1.0, 1.0, 1.0))


def test_further_poses_are_judged_until_one_is_likely_a_face(monkeypatch):
    ears = [judged(number, 0.12) for number in range(finding_faces.JUDGED + 1)]
    every = [*ears, judged(8, 0.05), judged(9, 0.04)]
    by_score = {one.pose.score: one for one in every}
    monkeypatch.setattr(finding_faces, "_propose_poses", lambda *given: None)
    monkeypatch.setattr(finding_faces, "_fit_poses", lambda *given: [one.pose for one in every])
    monkeypatch.setattr(finding_faces, "_judge_pose", lambda seen, pose, wanted: by_score[pose.score])
    monkeypatch.setattr(finding_faces, "_cut_until_still", lambda best, *given: best)
    tried = finding_faces._judge_poses(None, None, None)
    assert tried[0] is every[-2]
    assert len(tried) == len(every) - 1


@pytest.mark.parametrize(("best", "second", "refused"), [(0.02, 0.04, True), (0.02, 0.06, False), (0.11, 0.12, False)])
def test_two_places_are_two_faces_only_where_both_fit_well(best, second, refused, monkeypatch):
    points = np.random.default_rng(0).standard_normal((1000, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    monkeypatch.setattr(finding_faces, "_judge_poses", lambda *given: [judged(0, best), judged(1, second)])
    monkeypatch.setattr(finding_faces, "_cut", lambda *given: (points, None))
    if refused:
        with pytest.raises(Rejected, match="more than one face"):
            finding_faces.find_face(points, None, None)
    else:
        assert finding_faces.find_face(points, None, None).energy == best


@pytest.mark.parametrize(("confidence", "refused"), [(0.14, True), (0.3, False)])
def test_a_find_that_fits_badly_and_might_lie_elsewhere_is_no_face(confidence, refused, monkeypatch):
    one = judged(0, 0.11)
    found = finding_faces.FaceInScan(np.zeros((0, 3)), None, one.pose, one.relief, one.energy, confidence)
    meshed = []

    def mesh_scan(points, triangles, options):
        meshed.append(points)
        if len(points):
            raise Rejected("closed_surface", "it is closed")
        return "its mesh"

    monkeypatch.setattr(scan_mesh, "mesh_scan", mesh_scan)
    monkeypatch.setattr(finding_faces, "find_face", lambda *given: found)
    if refused:
        with pytest.raises(Rejected, match=r"crop it to the face; 0 points are too few to be sure \(at least 500\)"):
            face_mesh.mesh_face(np.zeros((9, 3)), None, OPTIONS, None)
    else:
        assert face_mesh.mesh_face(np.zeros((9, 3)), None, OPTIONS, None) == ("its mesh", found)
