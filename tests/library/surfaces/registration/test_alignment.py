"""Faces of different extent come out alike; what is no face, or half of one, is rejected with the cause."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import trimesh

from shapedp.base.errors import Rejected
from shapedp.surfaces import topology
from shapedp.surfaces.human_face import (
    likeness,
    nose,
    placement,
    public_fit,
    public_people,
    real_faces,
    relief,
    template_forms,
)
from shapedp.surfaces.human_face.demo import people, scans
from shapedp.surfaces.meshing import scan_mesh
from shapedp.surfaces.registration import alignment, disk_transfer, extent
from shapedp.surfaces.registration.template import Options

SHAPE = (48, 128, 3)
OPTIONS = Options(levels=2, basis=60)
LIMITS = relief.Gates(energy=0.17, jacobian=0.2, unseen=3.0, unlike=1.6)


@pytest.fixture(scope="module")
def whole():
    return alignment.map_face(*template_forms.built_in_template("built_in"), SHAPE, True)


@pytest.fixture(scope="module")
def template(whole):
    return alignment.Template(whole.f, OPTIONS)


@pytest.fixture(scope="module")
def public(whole):
    return placement.find_people(whole, own=True)


def face_of(points, triangles=None):
    mesh = scan_mesh.mesh_scan(points, triangles)
    tip = nose.find_center(mesh.vertices, mesh.triangles).vertex
    return alignment.map_face(mesh.vertices, mesh.triangles, tip, SHAPE, bool(mesh.quality["own_triangles"]))


def upright(index):
    """A scan of the demo in the model's own pose, the nose at 0."""
    truth = scans.truth(2024, index, "demo")
    return (scans.scan(2024, index, "demo") - truth.nose_tip) @ truth.rotation


def person_of(seed):
    """(vertices about the nose tip, triangles) of one of the demo's people."""
    population = people.named("demo")
    vertices = population.vertices(population.person(np.random.default_rng(seed)))
    return vertices - vertices[population.nose_tip], population.triangles


@pytest.fixture(scope="module")
def person():
    return person_of(5)


def cut(person, stays):
    vertices, triangles = person
    left = triangles[stays(vertices)[triangles].all(axis=1)]
    return face_of(vertices, left)


def apart(one, other, whole):
    """Mean distance in mm of two registered surfaces, at the template's size."""
    return np.linalg.norm(one.registered.surface - other.registered.surface, axis=-1).mean() * whole.scale


@pytest.mark.slow
def test_a_scan_is_cut_to_the_template_wherever_it_ends(whole, template):
    """Cut at 120 and at 100 mm from the nose, and whole: what is registered is the same."""
    person = person_of(6)
    full = alignment.align(face_of(*person), template)
    relief.judge(full, LIMITS)
    assert full.removed > 0.2
    assert full.missing == 0
    assert full.nose_distance < 0.1
    for millimetres in (120, 100):
        found = alignment.align(cut(person, lambda v, r=millimetres: np.linalg.norm(v, axis=1) < r), template)
        assert found.missing == 0
        assert apart(found, full, whole) < 0.6, "mm"


@pytest.mark.slow
def test_a_cut_round_the_template_stays_where_it_is(template, person):
    """A further round from where the scan was placed moves the rim by less than a trifle."""
    face = face_of(*person)
    found = alignment.align(face, template)
    again = alignment.align_from(face, template, found.place)
    assert alignment._measure_move(found.place, again.place, template) < 3 * alignment.STILL


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stays", "lacks"),
    [
        (lambda v: v[:, 1] > -62, 0.08),
        (lambda v: v[:, 1] < 60, 0.08),
        (lambda v: v[:, 0] < 45, 0.13),
        (lambda v: np.linalg.norm(v, axis=1) < 78, 0.25),
    ],
    ids=["no chin", "no forehead", "one cheek", "a smaller crop"],
)
def test_what_a_scan_does_not_show_is_filled_in_from_public_people(whole, template, public, person, stays, lacks):
    full = likeness.align_likeliest(face_of(*person), template, public)
    found = likeness.align_likeliest(cut(person, stays), template, public)
    assert found.missing == pytest.approx(lacks, abs=0.08)
    assert 0.2 < found.expected_mm < 3
    assert apart(found, full, whole) < 2.5, "mm"
    relief.judge(found, LIMITS)


@pytest.fixture(scope="module")
def places(whole):
    """Where the vertices of a person lie in the template's disk."""
    return disk_transfer.find_nearest(real_faces.template(), whole)


def off_mm(aligned, z, vertices):
    """Mean distance in mm of vertices, read off a registration at places z of the template, to where they are."""
    read = disk_transfer.read_at(aligned.points, np.stack([z.real, z.imag], axis=-1)[None])[0]
    return np.linalg.norm(read - vertices, axis=1).mean()


@pytest.mark.slow
def test_the_public_model_is_laid_onto_what_a_scan_shows(template, public, person, places):
    vertices, _ = person
    front = vertices[:, 2] > -62
    found = likeness.align_likeliest(face_of(vertices[front]), template, public)
    assert found.missing > 0.08
    for part, most in ((front & (np.abs(places) < 0.9), 1.5), (~front & (np.abs(places) < 0.985), 5)):
        assert off_mm(found, places[part], vertices[part]) < most
    relief.judge(found, LIMITS)


def test_public_people_of_a_template_that_is_a_cloud_of_their_mean_lie_where_it_does(whole):
    """A registration alone leaves them .66 mm aside about the nose."""
    cloud = template_forms.mesh_as_cloud(whole)
    apart = np.linalg.norm(placement.find_people(cloud).read_mean() - (cloud.f * cloud.scale + cloud.centroid), axis=-1)
    assert apart[:8].mean() < 0.25


@pytest.mark.slow
def test_a_scan_of_a_part_keeps_its_own_registration_where_the_public_model_does_not_know_the_person():
    """The formula's template and people, none of whom the model of real people describes; the forehead is cut off."""
    face = alignment.map_face(*template_forms.built_in_template("formula"), SHAPE, True)
    template, public = alignment.Template(face.f, OPTIONS), placement.find_people(face)
    population = people.named("formula")
    vertices = population.vertices(population.person(np.random.default_rng([5, 1])))
    stays = vertices[:, 1] - vertices[population.nose_tip, 1] < 70
    scan = face_of(vertices[stays])
    own, found = alignment.align(scan, template), likeness.align_likeliest(scan, template, public)
    assert own.missing > likeness.LITTLE
    assert found.registered.energy_after == own.registered.energy_after, "not what the model leaves, four times that"
    z = disk_transfer.find_nearest(template_forms.built_in_template("formula")[0], face)
    inner = stays & (np.abs(z) < 0.9)
    assert off_mm(found, z[inner], vertices[inner]) < 2
    relief.judge(found, LIMITS.against(public.farther))


@pytest.mark.slow
def test_a_scan_far_from_the_template_is_registered_to_the_public_model_fitted_to_it(template, public, person, places):
    vertices, _ = person
    face, inner = face_of(vertices), np.abs(places) < 0.9
    plain, found = alignment.align(face, template), likeness.align_likeliest(face, template, public)
    assert plain.registered.energy_after > likeness.WELL
    assert off_mm(found, places[inner], vertices[inner]) < 1.5
    assert found.missing == 0
    assert 0.5 < found.expected_mm < 1.5, "mm: a fit errs where the scan shows all, too"


@pytest.mark.slow
def test_between_a_registration_and_a_fit_points_are_nearer_to_the_truth(template, public, person, places, monkeypatch):
    vertices, _ = person
    face, inner = face_of(vertices), np.abs(places) < 0.95
    between = likeness.align_likeliest(face, template, public)
    monkeypatch.setattr(public_fit, "move_along", lambda points, found, share: points)
    registered = likeness.align_likeliest(face, template, public)
    assert off_mm(between, places[inner], vertices[inner]) < 0.95 * off_mm(registered, places[inner], vertices[inner])
    left = alignment.align(face, template).registered.energy_after
    assert between.registered.energy_after <= left, "limits are on the least energy that is left"


@pytest.mark.slow
def test_a_fit_has_come_to_rest_when_it_ends(template, public, person, monkeypatch):
    face = face_of(person[0])
    place = alignment.align(face, template).place
    ended = public_fit.fit(face, place, template, public).points
    monkeypatch.setattr(public_fit, "STILL_MM", 0.0)
    longer = public_fit.fit(face, place, template, public).points
    assert 0 < np.linalg.norm(ended - longer, axis=-1).mean() * public.size < 0.05, "mm"


@pytest.mark.slow
def test_a_template_like_another_takes_its_steps_and_ends_where_it_would_by_itself(template, public, person):
    face = face_of(person[0])
    place = alignment.align(face, template).place
    found = public_fit.fit(face, place, template, public)
    end = alignment.align(face, template).registered.end
    own, near = public_fit.align_to_fit(face, place, template, found, end)
    alone = alignment.align_from(face, alignment.Template(own.f, own.options), place)
    assert own.whole.finest.levels[0].inverse is template.whole.finest.levels[0].inverse
    assert np.abs(own.whole.finest.levels[0].q - template.whole.finest.levels[0].q).max() > 0.01
    assert np.linalg.norm(near.points - alone.points, axis=-1).mean() < 0.2, "mm"


@pytest.mark.parametrize("unit", alignment.UNITS)
def test_a_scan_in_a_known_unit_is_found_in_the_ball_that_this_names(template, public, person, unit, monkeypatch):
    """Its area is twice the template's or more; without the unit, sizes are tried until one does."""
    tried = []
    in_ball = alignment._register_in_ball
    monkeypatch.setattr(
        alignment, "_register_in_ball", lambda *given, **named: tried.append(given[2]) or in_ball(*given, **named)
    )
    face = face_of(person[0] * unit)
    place, _ = alignment.find_first_place(face, replace(template, size=public.size))
    assert len(tried) == 1
    assert tried[0].size == pytest.approx(public.size * unit)
    plain, _ = alignment.find_first_place(face, template)
    assert len(tried) > 2
    assert place.size == pytest.approx(plain.size, rel=0.1)


def test_other_places_are_of_one_size_where_unit_and_registration_say_the_same(template, public, person, monkeypatch):
    face, tried = face_of(person[0]), []
    monkeypatch.setattr(alignment, "_register_in_ball", lambda *given: tried.append(given[2].size))
    place = alignment.Place(np.zeros(3), 1.1 * public.size, np.eye(3))
    known = replace(template, size=public.size)
    alignment.find_other_places(face, known, place)
    assert tried == pytest.approx([public.size] * (1 + alignment.NOSES))
    tried.clear()
    alignment.find_other_places(face, known, replace(place, size=2 * place.size))
    assert len(set(tried)) == 1 + len(alignment.SIZES)


def test_a_share_of_the_way_is_along_the_surface(template):
    f = template.f
    normals = public_fit.grid_normals(f).reshape(f.shape)
    along = np.cross(normals, [0.0, 0.0, 1.0])
    found = public_fit.Fit(f + 0.004 * along + 0.01 * normals, np.eye(7), 1.0)
    assert np.allclose(public_fit.move_along(f, found, 0.5), f + 0.002 * along)


def test_what_a_fit_leaves_is_told_from_noise_and_from_hair(template, public):
    """A smooth mm counts as one, white noise as a fifth of it, ten mm over a tenth of the face as nothing."""
    found, shape = public_fit.Fit(template.f, np.eye(7), 1.0), template.f.shape[:2]
    normals, rng = public_fit.grid_normals(template.f).reshape(template.f.shape), np.random.default_rng(0)
    hair = np.where(np.abs(np.arange(shape[1]) - 20) < shape[1] / 20, 10.0, 0.0)
    sorts = {"smooth": np.ones(shape), "noise": rng.standard_normal(shape), "hair": np.broadcast_to(hair, shape)}
    mm = {
        name: public_fit.measure_misfit(template.f + (off / public.size)[..., None] * normals, found, public)
        for name, off in sorts.items()
    }
    assert mm["smooth"] == pytest.approx(1.48, rel=0.02)
    assert mm["noise"] < 0.3
    assert mm["hair"] < 0.1
    shares = [public_fit.share_of_way(value, public_fit.AT_REST) for value in (0.0, 0.15, 0.3, 1.0)]
    assert shares[0] == public_fit.AT_REST
    assert (np.diff(shares) < 0).all()
    assert shares[-1] < 0.01


@pytest.mark.slow
def test_two_scans_of_a_person_lie_within_two_tenths_of_a_mm(whole, template, public, person):
    """Other points of the same face each time, with noise of .1 mm; the scanner's noise alone moves them so far."""
    mesh, found = trimesh.Trimesh(*person, process=False), []
    for seed in range(2):
        points, _ = trimesh.sample.sample_surface_even(mesh, 8000, seed=seed)
        points += 0.1 * np.random.default_rng(seed).standard_normal(points.shape)
        found.append(likeness.align_likeliest(face_of(points), template, public))
    assert apart(*found, whole) < 0.2


def test_what_is_fine_beside_a_fit_is_smoothed_as_far_as_the_fit_explains_the_scan(template):
    """White noise dies away, of a mesh less; a shift of all points stays, and so does all of a stranger's."""
    found, shape = public_fit.Fit(template.f, np.eye(7), 1.0), template.f.shape
    shift, noise = np.array([0.01, 0.0, 0.02]), 0.01 * np.random.default_rng(0).standard_normal(shape)
    points = template.f + shift + noise

    def left(share, is_mesh):
        beside = public_fit.smooth_beside(points, found, share, is_mesh) - template.f - shift
        return np.sqrt((beside[4:-4] ** 2).mean()) / 0.01

    assert left(1.0, False) < 0.5 * left(1.0, True) < 0.5
    assert left(0.5, False) == pytest.approx(0.5, abs=0.1)
    assert np.array_equal(public_fit.smooth_beside(points, found, 0.0, False), points)


def test_what_a_mesh_bridges_follows_the_fit(template, public):
    """A grid with a hole beside its center, closed by long triangles: the fit's there, a cloud's alone."""
    grid = public.f[:, ::2]
    vertices, triangles = extent.mesh_grid(grid, extent.center(grid))
    ring, angle = np.divmod(np.arange(len(vertices)) - 1, grid.shape[1])
    hole = (ring > 15) & (ring < 25) & (angle < 8)
    stays = np.flatnonzero(~hole)
    number = np.cumsum(~hole) - 1
    kept = number[triangles[~hole[triangles].any(axis=1)]]
    loop = min(topology.boundary_loops(kept), key=len)
    fan = np.stack([np.full(len(loop) - 2, loop[0]), loop[2:], loop[1:-1]], axis=1)
    flat = np.zeros((0, 3))
    face = alignment.Face(vertices[stays], np.concatenate([kept, fan]), flat, public.f, 1.0, np.zeros(3))
    found = public_fit.Fit(public.f + 0.05, np.eye(7), 1.0)
    place = alignment.Place(template.extent.nose, 1.0, np.eye(3))

    def step(scan, share=1.0):
        return public_fit.fill_bridged(public.f, scan, place, template, found, share) - public.f

    moved = step(face)
    assert np.allclose(moved[20, 4:12], 0.05) and not moved[:10].any() and not moved[20, 40:120].any()
    assert np.allclose(step(face, 0.5), 0.5 * moved)
    assert not step(replace(face, own_triangles=True)).any()


def test_no_point_of_a_cloud_counts_for_the_hole_beside_it(template, public):
    vertices, triangles = extent.mesh_grid(public.f, extent.center(public.f))
    face = alignment.Face(vertices, triangles, np.zeros(0), public.f, 1.0, np.zeros(3))
    place = alignment.Place(template.extent.nose, 1.0, np.eye(3))
    cloud, mesh = (
        public_fit._choose_points(replace(face, own_triangles=own), place, template)[2] for own in (False, True)
    )
    assert cloud.max() <= 2 * np.median(mesh) < mesh.max()
    assert np.array_equal(np.sort(cloud)[:100], np.sort(mesh)[:100])


@pytest.mark.slow
def test_of_a_person_unlike_the_model_a_registration_says_more_than_a_fit(
    template, public, person, places, monkeypatch
):
    """All of them is moved by 3 mm, smoothly over 25, as the model does not have it."""
    vertices, _ = person
    away = ((vertices[:, None] - vertices[::100]) ** 2).sum(axis=-1)
    moves = np.exp(-away / (2 * 25.0**2)) @ np.random.default_rng(3).standard_normal((away.shape[1], 3))
    vertices = vertices + 3.0 * moves / np.sqrt((moves**2).sum(axis=1).mean())
    face, inner = face_of(vertices), np.abs(places) < 0.9
    found = likeness.align_likeliest(face, template, public)
    monkeypatch.setattr(public_fit, "share_of_way", lambda misfit, most: most)
    as_fitted = likeness.align_likeliest(face, template, public)
    assert off_mm(found, places[inner], vertices[inner]) < 0.9 * off_mm(as_fitted, places[inner], vertices[inner])


@pytest.mark.slow
def test_what_lies_beyond_the_template_moves_a_fit_little(template, public, person):
    vertices, triangles = person
    near = np.linalg.norm(vertices, axis=1) < 100
    fits = []
    for left in (triangles, triangles[near[triangles].all(axis=1)]):
        face = face_of(vertices, left)
        place = alignment.align(face, template).place
        points = public_fit.fit(face, place, template, public).points - template.extent.nose
        fits.append(points @ place.rotation * place.size + place.nose)
    assert np.linalg.norm(fits[0] - fits[1], axis=-1).mean() < 0.03, "mm"


@pytest.mark.slow
def test_without_public_people_what_lacks_a_part_is_rejected(template, person):
    with pytest.raises(Rejected, match="no public people fill it in") as caught:
        likeness.align_likeliest(cut(person, lambda v: v[:, 1] > -62), template, None)
    assert caught.value.code == "partial_extent"


@pytest.mark.slow
def test_a_wrong_nose_is_put_right_by_the_registration(whole, template):
    face = face_of(upright(3))
    tip = np.argmin(np.linalg.norm(face.vertices, axis=1))
    beside = np.argmin(np.linalg.norm(face.vertices - face.vertices[tip] - [14, 0, -8], axis=1))
    wrong = alignment.map_face(face.vertices, face.triangles, beside, SHAPE)
    right, found = alignment.align(face, template), alignment.align(wrong, template)
    assert found.nose_distance > 0.05
    assert apart(found, right, whole) < 1.0, "mm"


@pytest.mark.slow
def test_a_gross_error_is_found_by_what_people_look_like_and_put_right(whole, template, public, person, monkeypatch):
    """A first place far off, as a wrong nose gives it: the face is unlike people, and another start is kept."""
    face = face_of(*person)
    right = likeness.align_likeliest(face, template, public)
    assert right.unlike < 1
    far = face.vertices[np.argmin(np.linalg.norm(face.vertices - [0, -60, -20], axis=1))]
    off = replace(right.place, nose=far, rotation=right.place.rotation @ np.diag([-1.0, -1.0, 1.0]))
    grid = likeness.Grid(public, template.along)
    wrong = likeness._make_whole(alignment.align_from(face, template, off), face, template, public, grid)
    assert wrong.unlike > 1
    monkeypatch.setattr(alignment, "find_first_place", lambda *_: (off, None))
    found = likeness.align_likeliest(face, template, public)
    assert found.unlike < 1
    assert apart(found, right, whole) < 1.0, "mm"


@pytest.mark.slow
@pytest.mark.parametrize("stays", [lambda p: p[p[:, 0] > -12], lambda p: p[p[:, 1] > -20], lambda p: p[p[:, 1] < 15]])
def test_half_a_face_is_rejected(template, public, stays):
    with pytest.raises(Rejected) as caught:
        relief.judge(likeness.align_likeliest(face_of(stays(upright(3))), template, public), LIMITS)
    assert caught.value.code in ("partial_extent", "unlike_template", "outside_extent", "partial_face", "unlike_people")


def test_each_limit_says_what_it_found(template, person):
    aligned = replace(alignment.align(face_of(*person), template), missing=0.3, expected_mm=4.2, unlike=1.2)
    for limits, words in (
        (relief.Gates(1, 0, 3.0, 2), r"lacks 30% of the template's extent.* only to 4\.20 mm .*faces.extent.radius"),
        (relief.Gates(1e-9, 0, 5, 2), r"energy .* \(at most 1e-09\)"),
        (relief.Gates(1, 2, 5, 2), r"least Jacobian .* \(at least 2\)"),
        (relief.Gates(1, 0, 5, 1.1), r"1\.20 times as unlike public people .* \(at most 1\.10\).*mark the nose tip"),
    ):
        with pytest.raises(Rejected, match=words):
            relief.judge(aligned, limits)


def test_public_people_are_like_themselves(whole, public):
    """A person of the model, in perfect correspondence: the weights explain it; another head does not."""
    weights = np.random.default_rng(2).standard_normal(real_faces.count())
    face = public.mean + np.einsum("k,rtkd->rtd", weights, public.modes())
    every = public_people.slice_every(public_people.EVERY)
    assert public.unlike(public.mean[every]) < 0.01
    assert 0.2 < public.unlike(face[every]) < 1.6
    moved = face + np.array([0.02, 0, -0.01])
    assert public.unlike(moved[every]) == pytest.approx(public.unlike(face[every]), rel=1e-3), (
        "where a face is says nothing"
    )
    rough = face + 0.03 * np.random.default_rng(3).standard_normal(face.shape)
    assert public.unlike(rough[every]) > 1.5


def test_the_energy_allowed_follows_from_how_far_public_people_lie_from_the_template(whole, public):
    """From their own mean no farther; from another head farther, and then more is allowed."""
    assert public.farther == pytest.approx(1, rel=0.02)
    assert LIMITS.against(0.0) == LIMITS
    assert LIMITS.against(2.5).energy == pytest.approx(1.5 * LIMITS.energy), "a third of what is farther"
    wide = whole.f * [1.25, 1, 1]
    other = placement.find_people(replace(whole, f=wide / np.sqrt(alignment.polar.area_elements(wide).sum())))
    assert other.farther > 1.1


def test_unseen_points_are_told_by_those_seen(public, template):
    """In perfect correspondence: less than the mean alone would be off, and no more than is expected."""
    weights = np.random.default_rng(4).standard_normal(real_faces.count())
    face = public.mean + np.einsum("k,rtkd->rtd", weights, public.modes())
    along = (template.f - template.extent.nose) @ template.extent.axes.T
    seen = along[..., 1] > np.quantile(along[..., 1], 0.2)
    filled, expected = public.complete(face, seen, along)
    assert np.array_equal(filled[seen], face[seen])

    def off(points):
        return np.sqrt((public.areas * ((points - face) ** 2).sum(axis=-1)).sum()) * public.size

    assert off(filled) < 2 * expected
    assert off(filled) < 0.75 * off(np.where(seen[..., None], face, public.mean))


def test_a_start_that_fits_badly_is_not_taken_for_being_like_people(monkeypatch):
    """Nor where the public model, laid onto the scan there, comes near it."""
    ends = {0: (0.09, 1.3), 1: (0.3, 0.7), 2: (0.1, 1.1)}  # start: energy of its registration, unlike

    def settled(face, template, start):
        return SimpleNamespace(start=start, place=None, registered=SimpleNamespace(energy_after=ends[start][0]))

    def ended(aligned, *_):
        return SimpleNamespace(registered=SimpleNamespace(energy_after=0.08), unlike=ends[aligned.start][1])

    monkeypatch.setattr(likeness, "_make_whole", ended)
    monkeypatch.setattr(likeness.alignment, "align", lambda face, template: settled(face, template, 0))
    monkeypatch.setattr(likeness.alignment, "find_other_places", lambda *_: [1, 2])
    monkeypatch.setattr(likeness.alignment, "align_from", settled)
    assert likeness._align_from_starts(None, None, True, None)[1].unlike == 1.1
    ends[0] = (0.03, 1.3)  # so well that it is no wrong place
    assert likeness._align_from_starts(None, None, True, None)[1].unlike == 1.3


def test_a_part_that_is_mapped_anew_is_turned_as_the_disk_that_it_is_cut_from(whole):
    """A registration on a finer grid starts from the turn at which the last one ended, of whatever cut that was."""
    place = alignment.Place(whole.vertices[np.argmin(np.abs(whole.z))], whole.scale, np.eye(3))
    within = alignment._cut_part(whole, place, lambda points: np.linalg.norm(points, axis=1) - 0.35)
    assert within.vertices is whole.vertices
    anew = alignment._cut_part(whole, place, lambda points: np.linalg.norm(points, axis=1) - 0.35, least=2.0)
    assert anew.vertices is not whole.vertices
    ring = SHAPE[0] // 2
    one, other = (part.f[ring] * part.scale + part.centroid for part in (within, anew))
    assert np.linalg.norm(one - other, axis=1).max() < 0.02 * whole.scale
    turned = alignment.sample_face(anew.vertices, anew.triangles, anew.z, SHAPE)
    np.testing.assert_allclose(turned.f, anew.f, atol=0.01)
