"""A subject that is no face: its template and limits from public specimens, who is judged by them, and what is told."""

import re
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from library.domes import dome
from shapedp.base import artifacts
from shapedp.base.artifacts import kinds
from shapedp.base.errors import ConfigError
from shapedp.base.settings import read_default, subjects
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.chain import cohort, step, subject, subject_template, to_disk, to_template
from shapedp.surfaces.chain.step import ChainSettings
from shapedp.surfaces.chain.steps import STEPS
from shapedp.surfaces.measures import Measures
from shapedp.surfaces.registration import smooth_fit
from shapedp.surfaces.scans.scan import Scan
from shapedp.surfaces.subjects import catalogues

KEYS = (
    *("template", "template_as", "center", "mesh", "surface", "extent", "curves", "registration", "gates"),
    *("subject", "unit", "marks", "times_public"),
)
SETTINGS = subjects.complete_faces({"subject": "molar"}) | {
    "unit": "mm",
    "template": "molar.ply",
    "template_as": "scan",
    "mesh": read_default("faces.mesh"),
    "surface": {"rings": 48, "angles": 128},
    "extent": {"radius": None},
    "curves": {"count": 8, "samples": 16, "spacing": "arc"},
    "registration": read_default("faces.registration") | {"basis": 100},
    "gates": read_default("faces.gates"),
    "marks": {},
    "times_public": 2.0,
}
PUBLIC = range(1, 9)


def scan(seed, **options):
    """A step.Scan of a dome, held in memory."""
    points, triangles, _ = dome(seed, **options)
    return step.Scan(f"molar_{seed}", Scan(points, triangles, ()))


@cache
def fields(count=8, marks=()):
    """The template's fields, from a dome and as many public ones."""
    settings = SETTINGS | {"marks": dict(marks)}
    face = to_disk.map_scan(scan(0, posed=False).path, settings)
    return subject.template_fields(face, settings, [scan(seed) for seed in PUBLIC[:count]]) | {
        "public": 1,
        "source": "molar.ply",
    }


def walked(scans, settings=None, count=8, marks=()):
    """The FaceRecord of scans, taken through all steps to the template."""
    given = ChainSettings(settings or SETTINGS, fields(count, marks))
    return list(step.walk(scans, STEPS, given))


@cache
def _registered(seed):
    (one,) = walked([scan(seed)])
    return one


def test_domes_in_any_pose_are_accepted_and_lie_near_the_template():
    for seed in (21, 22, 23):
        one = _registered(seed)
        assert one.refusal is None
        f = one.records["registered"]["f"]
        assert np.sqrt(((f - fields()["f"]) ** 2).sum(axis=-1).mean()) < 0.06


def test_the_public_center_is_the_mean_of_the_public_specimens():
    registered = [one.records["registered"]["f"] for one in walked([scan(seed) for seed in PUBLIC])]
    assert len(registered) == len(PUBLIC)
    curves = curve_mesh.extract(np.mean(registered, axis=0), fields()["radii"], SETTINGS["curves"]["samples"])
    assert_allclose(fields()["curves"], curves, rtol=0, atol=1e-9)
    assert np.abs(curves - curve_mesh.extract(fields()["f"], fields()["radii"], 16)).max() > 1e-3


def test_specimens_teach_how_a_template_is_displaced():
    """One mode fewer than specimens; and an off within what is allowed, which is no longer the one without them."""
    found = fields()
    assert found["specimens_modes"].shape[1:] == (3, len(PUBLIC) - 1)
    least, most = smooth_fit.LEARNED_OFF
    assert least <= found["specimens_off"] <= most and found["specimens_off"] != smooth_fit.OFF


def test_few_specimens_leave_the_center_to_the_template():
    made = fields(4)
    curves = curve_mesh.extract(made["f"], made["radii"], SETTINGS["curves"]["samples"])
    assert_allclose(made["curves"], curves, rtol=0, atol=0)


def test_marked_points_of_the_template_give_distances():
    points = {"apex": [0.0, 0.0, 10.0], "end": [24.0, 0.0, 0.0], "side": [0.0, 18.0, 0.0]}
    vertices, _, _ = dome(0, posed=False)
    nearest = [vertices[np.linalg.norm(vertices - np.array(point), axis=1).argmin()] for point in points.values()]
    marks = tuple((name, tuple(place)) for name, place in zip(points, nearest, strict=True))
    made = fields(4, marks)
    measures = Measures.from_marks(made)
    assert measures.names == ["apex to end", "apex to side", "end to side"]
    assert measures.units == ["mm"] * 3
    apart = [np.linalg.norm(nearest[a] - nearest[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert_allclose(measures.values(made["curves"] * made["scale"]), apart, rtol=0.02)


def test_landmarks_of_the_template_give_its_tables_and_guide_no_registration():
    points = {"apex": [0.0, 0.0, 10.0], "end": [24.0, 0.0, 0.0], "side": [0.0, 18.0, 0.0]}
    vertices, _, _ = dome(0, posed=False)
    nearest = {name: vertices[np.linalg.norm(vertices - point, axis=1).argmin()] for name, point in points.items()}
    settings = SETTINGS | {"landmarks": {name: point.tolist() for name, point in nearest.items()}}
    face = to_disk.map_scan(scan(0, posed=False).path, settings)
    made = subject.template_fields(face, settings, [scan(seed) for seed in PUBLIC])
    assert made["mark_names"] == [] and set(made) >= set(kinds.LANDMARK_FIELDS)
    measures = catalogues.make_table_measures(made, settings)
    assert measures.names == ["apex to end", "apex to side", "end to side"]
    on_template = curve_mesh.extract(made["f"], made["radii"], SETTINGS["curves"]["samples"]) * made["scale"]
    apart = [np.linalg.norm(nearest[a] - nearest[b]) for a, b in (("apex", "end"), ("apex", "side"), ("end", "side"))]
    assert_allclose(measures.values(on_template), apart, rtol=0.02)


def test_a_scan_goes_alone_as_in_a_batch():
    scans = [scan(seed) for seed in (21, 22)]
    together = {one.scan.name: one for one in walked(scans)}
    for seed in (21, 22):
        alone = _registered(seed).records["curves"]["curves"]
        assert_allclose(together[f"molar_{seed}"].records["curves"]["curves"], alone, rtol=0, atol=0)


def ball_cap():
    """A deep bowl, which is no dome with a crest."""
    points, triangles, _ = dome(5, posed=False)
    x, y = points[:, 0] / 26, points[:, 1] / 20
    r = np.hypot(x, y).clip(0, 1)
    return step.Scan("bowl", Scan(np.column_stack([x, y, 2 * np.sqrt(1.02 - r**2)]) * 20, triangles, ()))


def half(seed):
    """Half of a dome."""
    from shapedp.surfaces.meshing import clipping

    points, triangles, _ = dome(seed, posed=False)
    cut = clipping.clip_level(points, triangles, points[:, 0] - 1.0, int(np.argmin(points[:, 0])))
    return step.Scan("half", Scan(*cut, ()))


@pytest.mark.parametrize("other", [ball_cap, lambda: half(24)])
def test_something_else_is_refused_in_its_own_words(other):
    (one,) = walked([other()])
    assert one.refusal.code in ("unlike_template", "unlike_public")
    assert "public specimens allow" in one.refusal.reason
    assert not re.search(r"\b[Ff]aces?\b(?!\.)", one.refusal.reason)


def test_a_mirrored_specimen_is_told_and_the_sheet_mirrors_it():
    mirrored = scan(21, mirrored=True)
    (told,) = walked([mirrored])
    assert told.refusal.code == "mirrored"
    assert "`side`" in told.refusal.reason
    older = {name: value for name, value in fields().items() if name != "tells_side"}
    (told,) = step.walk([mirrored], STEPS, ChainSettings(SETTINGS, older))
    assert told.refusal.code == "mirrored"
    (found,) = walked([step.Scan(mirrored.name, mirrored.path, mirrored=True)])
    assert found.refusal is None
    assert_allclose(
        found.records["registered"]["energy_after"], _registered(21).records["registered"]["energy_after"], rtol=0.3
    )


def test_of_a_symmetric_subject_nothing_is_refused_for_its_mirror_image(caplog):
    """Crests that lean to either side by chance, and the template's a little to one: a scan that leans to the other is
    no mirror image, though that would fit better.
    """
    leans = dict(zip(PUBLIC, (0.15, -0.15, 0.1, -0.1, 0.05, -0.05, 0.0, 0.12), strict=True))
    face = to_disk.map_scan(scan(0, posed=False, lean=0.08).path, SETTINGS)
    made = subject.template_fields(face, SETTINGS, [scan(seed, lean=lean) for seed, lean in leans.items()])
    assert not made["tells_side"] and fields()["tells_side"]
    assert "no scan is refused for being mirrored" in caplog.text
    given = made | {"public": 1, "source": "molar.ply"}
    leaning = [scan(21, lean=-0.2)]
    (one,) = step.walk(leaning, STEPS, ChainSettings(SETTINGS, given))
    assert one.refusal is None
    (one,) = step.walk(leaning, STEPS, ChainSettings(SETTINGS, given | {"tells_side": 1}))
    assert one.refusal.code == "mirrored"


def test_another_unit_is_told_and_nobody_refused():
    points, triangles, _ = dome(21)
    (one,) = walked([step.Scan("metres", Scan(points / 1000, triangles, ("units: looks like metres",)))])
    assert one.refusal is None
    assert "0.00" in one.records["registered"]["registration_notice"]
    assert "is it in another unit?" in one.records["registered"]["registration_notice"]
    assert one.records["mesh"]["notices"] == ""
    assert _registered(21).records["registered"]["registration_notice"] == ""


def test_each_scan_whose_turn_shape_does_not_tell_is_told_but_one_with_a_mark():
    """Of a subject whose scans are taken to stand as the template's file does: by what shape leaves, or by the turn."""
    limits = subject.Limits(0.1, np.nan, 1.0, 0.0, 0)
    turned = Rotation.from_euler("x", 50, degrees=True).as_matrix()
    for next_turn, rotation, is_told in ((1.5, np.eye(3), True), (9.0, turned, True), (9.0, np.eye(3), False)):
        whole = SimpleNamespace(
            next_turn=next_turn, marks_off=0.0, scale=1.0, registered=SimpleNamespace(rotation=rotation)
        )
        said = "".join(subject.notices(whole, limits, {}, {"cusp": None}, trusts_axes=True))
        assert ("does not show which way it is turned" in said and "mark it in the sample sheet" in said) == is_told
        assert not list(subject.notices(whole, limits, {"cusp": (0, 0, 0)}, {"cusp": None}, trusts_axes=True))


def test_marks_are_used_and_others_told():
    corner = tuple(dome(0, posed=False)[2](np.array([[0.6, 0.5]]))[0])
    there = tuple(dome(21)[2](np.array([[0.6, 0.5]]))[0])
    marked = step.Scan("molar_21", scan(21).path, None, (("cusp", there), ("tip", there)))
    (one,) = walked([marked], SETTINGS | {"marks": {"cusp": corner}}, marks=(("cusp", corner),))
    assert "the mark 'tip' is none of faces.marks" in one.records["registered"]["registration_notice"]
    assert "cusp" not in one.records["registered"]["registration_notice"]


def test_a_mark_beside_the_template_is_refused():
    from shapedp.base.errors import Rejected

    with pytest.raises(Rejected, match=r"faces.marks.cusp: .* lies .* from the template's surface"):
        fields(marks=(("cusp", (500.0, 0.0, 0.0)),))


def test_without_public_specimens_the_settings_limit_holds():
    found = fields(count=0)
    assert found["specimens_energy"] == SETTINGS["gates"]["energy"]
    assert np.isnan(found["specimens_unlike"])
    assert (found["specimens_count"], found["specimens_size"], found["specimens_apart"]) == (0, 0, 0)
    assert found["specimens_off"] == smooth_fit.OFF and found["specimens_modes"].shape[-1] == 0


def test_limits_follow_from_most_specimens_and_one_odd_one_moves_them_little():
    class Registered:
        surface = np.zeros((96, 256, 3))

        def __init__(self, energy):
            self.energy_after = energy

    class Whole:
        def __init__(self, energy, scale):
            self.registered, self.unlike, self.scale = Registered(energy), 1.0, scale

    plain = [Whole(0.02 + 0.001 * k, 30.0 + k) for k in range(20)]
    limits = subject.Limits.from_specimens(plain, SETTINGS)
    assert limits.count == 20
    assert limits.energy == pytest.approx(2 * 1.1 * (20 / 19) ** 2 * np.quantile(0.02 + 0.001 * np.arange(20), 0.9))
    assert limits.size == pytest.approx(39.5)
    odd = subject.Limits.from_specimens([*plain[:-1], Whole(0.9, 30.0)], SETTINGS)
    assert odd.energy == pytest.approx(limits.energy, rel=0.05)


def test_a_template_is_written_and_read_as_its_own_kind(tmp_path):
    settings = {key: SETTINGS[key] for key in to_template.list_settings(SETTINGS)}
    path = tmp_path / "template.h5"
    with artifacts.writer(path, cohort.find_template_kind(settings), settings) as out:
        out.set(**fields())
    with artifacts.reader(path, kinds.SUBJECT_TEMPLATE) as source:
        assert source["subject"] == "molar"
        assert source["specimens_count"] == 8
    with artifacts.reader(path, kinds.TEMPLATE) as source:
        assert_allclose(source["f"], fields()["f"], rtol=0, atol=0)
    (one,) = step.walk([scan(21)], STEPS, ChainSettings(SETTINGS, path))
    assert_allclose(one.records["curves"]["curves"], _registered(21).records["curves"]["curves"], rtol=0, atol=0)


def test_a_mean_of_public_scans_starts_from_none_of_a_face(monkeypatch):
    monkeypatch.setattr(subject_template, "read_default", lambda key: SETTINGS[key.removeprefix("faces.")])
    scans = [scan(seed) for seed in PUBLIC[:6]]
    vertices, triangles, refused, moved = subject_template.build_mean([*scans, ball_cap()], "molar")
    assert set(refused) == {"bowl"}
    assert "check that it is a whole molar" in refused["bowl"].reason
    assert moved[2] < moved[0]
    area = 0.5 * np.linalg.norm(
        np.cross(
            vertices[triangles[:, 1]] - vertices[triangles[:, 0]], vertices[triangles[:, 2]] - vertices[triangles[:, 0]]
        ),
        axis=1,
    )
    sizes = [_size(one) for one in scans]
    assert_allclose(np.sqrt(area.sum()), np.median(sizes), rtol=0.02)
    with pytest.raises(ConfigError, match="a mean needs 5"):
        subject_template.build_mean(scans[:4], "molar")


def _size(one):
    points, triangles = one.path.points, one.path.triangles
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.sqrt(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
