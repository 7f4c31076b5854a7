"""Changes and asymmetries of faces: rows by person, what public people teach, releases, their files and pages."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import release_faces
from library.releases import dome_faces as dome
from shapedp.base import artifacts
from shapedp.base.artifacts import guarded
from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import read_default
from shapedp.releases import allow_list
from shapedp.releases.figures import face_means, release_files
from shapedp.releases.kinds.change import released as released_change
from shapedp.releases.kinds.change import shown
from shapedp.releases.model import released_model
from shapedp.releases.viewer import release_page
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.chain import cohort, differences
from shapedp.surfaces.curve_mesh import Mirror

pytestmark = pytest.mark.usefixtures("coarse_pictures")

CHANGE = {"name": "change", "kind": "mean_change", "mechanism": "shaped", "times": list(dome.TIMES)}
CHANGE["budget"] = {"mu_total": 2.0}
ASYMMETRY = {"name": "asymmetry", "kind": "asymmetry", "mechanism": "shaped", "budget": {"mu_total": 2.0}}
SETTINGS = {"directions": 12, "harmonics": 12, "quantile": 0.95}
SETTINGS |= {"assumed_mean_shift": 0.35, "assumed_shift_outside_modes": 1.2}
FACES = {"kernel": {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}, "persons": "average", "variation": SETTINGS}
FACES |= {"bounds": {"source": "reference_set", "tau": None}, "curves": {"count": dome.J, "samples": dome.M}}
N = 80


def privacy(folder):
    """Settings of that name, with a ledger of its own."""
    given = {name: read_default(f"privacy.{name}") for name in ("people", "statement", "groups", "seed")}
    given["sources"] = dict.fromkeys(("settings", "template", "bounds"), "made for the test")
    told = {"population": {"faces": "people"}, "cap": {"faces": {}}, "tuned_on": "public"}
    return {**given, **told, "ledger": str(folder / "ledger")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Template, cohort and public people on disk, the latter scanned twice without any change."""
    made = tmp_path_factory.mktemp("changes")
    dome.write_template(made / "template.h5")
    return made


def stacked(folder, entry, times, rejected=()):
    """The path of the stack of an entry's rows."""
    paths, samples = dome.written(folder, "person", times, rejected)
    out = folder / f"{entry['name']}.h5"
    differences.stack_rows(paths, folder / "template.h5", out, samples, entry)
    return out


def test_rows_are_read_though_nobodys_scan_could_be_used(folder, tmp_path, monkeypatch):
    """How many could be used decides nothing: rows that take no room would claim more than their file holds."""
    monkeypatch.setattr(guarded, "LARGEST_RATIO", 1)
    template, batch = folder / "template.h5", tmp_path / "nobody.h5"
    samples = [(f"person{at}_{time}", f"person{at}", "", time, ()) for at in range(40) for time in dome.TIMES]
    with artifacts.writer(batch, artifacts.FACE_CURVES, inputs=[template]) as out:
        for name, *_ in samples:
            out.reject(name, "register_surfaces", "gate", "not like a face")
    differences.stack_rows([batch], template, tmp_path / "rows.h5", samples, CHANGE)
    cohort.stack_curves([batch], template, tmp_path / "curves.h5", [one[:3] for one in samples])
    for name in ("rows.h5", "curves.h5"):
        with artifacts.reader(tmp_path / name, artifacts.CURVES) as source:
            assert not source["ok"].any() and not source.rows("curves", 0, 40).any()


def test_a_stack_is_of_the_scans_that_it_is_told_whatever_else_the_batches_hold(folder, tmp_path):
    """A release follows from its values: second scans of public people, drawn for a change, may not move them."""
    paths, samples = dome.written(tmp_path, "public", dome.scanned_twice(5, 9))
    first, found = [one[:3] for one in samples if one[3] == dome.TIMES[0]], []
    for batches in (paths[:1], paths):
        cohort.stack_curves(batches, folder / "template.h5", tmp_path / "curves.h5", first)
        with artifacts.reader(tmp_path / "curves.h5", artifacts.CURVES) as source:
            found.append(source.rows("curves", 0, 5).tobytes())
    assert found[0] == found[1]


def learned(folder, entry, times):
    """The path of what public people teach."""
    paths, samples = dome.written(folder, "public", times)
    out = folder / f"{entry['name']}_variation.h5"
    asked = paths, folder / "template.h5", out, samples, entry, SETTINGS, "people of the test"
    differences.learn_rows(*asked)
    return out


@pytest.fixture(scope="module")
def released(folder):
    """{kind: the folder of its release}, with all that is drawn from it."""
    times, public = dome.scanned_twice(N, 3, change=0.03), dome.scanned_twice(60, 9)
    found = {}
    for entry in (CHANGE, ASYMMETRY):
        paths = stacked(folder, entry, times), folder / "template.h5", learned(folder, entry, public)
        out = folder / "results/release/faces" / entry["name"]
        release_faces.release_faces(paths, out, entry, FACES, privacy(folder), N, True)
        release_files.draw(out, "faces", out)
        (out / "index.html").write_text(release_page.render_page(out), encoding="utf-8")
        found[entry["kind"]] = out
    return found


def test_a_change_is_the_second_scan_less_the_first(folder):
    times = dome.scanned_twice(4, 1)
    with artifacts.reader(stacked(folder, CHANGE, times), artifacts.CURVES) as stack:
        assert_allclose(stack["curves"], dome.template() + times[1] - times[0], atol=1e-12)
        assert stack["ids"] == [f"person{index}" for index in range(4)]


def test_who_lacks_a_usable_scan_has_no_change_and_stays_a_row(folder):
    times = dome.scanned_twice(4, 1)
    path = stacked(folder, CHANGE, times, rejected=("person2_after",))
    with artifacts.reader(path, artifacts.CURVES) as stack:
        assert_array_equal(stack["ok"], [1, 1, 0, 1])


def test_who_was_scanned_once_is_no_row_by_the_frame_alone():
    scans = [("a1", "a", "", "before", ()), ("a2", "a", "", "after", ()), ("b1", "b", "", "before", ())]
    assert differences.list_people(CHANGE, differences.read_samples(scans)) == ["a"]
    assert differences.list_people({"time": "before"}, differences.read_samples(scans)) == ["a", "b"]


def test_other_scans_of_a_person_at_both_times_are_another_row_and_nothing_else(folder):
    times = dome.scanned_twice(5, 1)
    with artifacts.reader(stacked(folder, CHANGE, times), artifacts.CURVES) as stack:
        rows = stack["curves"]
    others = [faces.copy() for faces in times]
    for faces, other in zip(others, dome.people(2, 77, spread=1.0), strict=True):
        faces[3] = other
    with artifacts.reader(stacked(folder, CHANGE, others), artifacts.CURVES) as stack:
        assert [index for index in range(5) if np.any(stack["curves"][index] != rows[index])] == [3]


def test_a_change_per_year_is_divided_by_years_kept_to_their_range(folder):
    times = dome.scanned_twice(3, 1)
    for ends, years in (([1, 5], 2), ([3, 5], 3)):
        with artifacts.reader(stacked(folder, CHANGE | {"per": {"years": ends}}, times), artifacts.CURVES) as stack:
            assert_allclose(stack["curves"] - dome.template(), (times[1] - times[0]) / years, atol=1e-12)
    row_of = differences.make_row_function(CHANGE | {"per": {"years": [1, 5]}}, dome.template())
    told = [("after", {"years": "unknown"})]
    row = row_of({time: faces[0] for time, faces in zip(dome.TIMES, times, strict=True)}, told)
    assert_allclose(row, dome.template())


@pytest.mark.parametrize("told", [("2", ""), ("", "2")])
def test_what_a_change_is_counted_per_may_stand_in_any_row_of_the_person(folder, told):
    times = dome.scanned_twice(2, 1)
    paths, samples = dome.written(folder, "anybody", times)
    cells = dict(zip(dome.TIMES, told, strict=True))
    samples = [(*one, time, (("years", cells[time]),)) for *one, time, _ in samples]
    out = folder / "per_row.h5"
    differences.stack_rows(paths, folder / "template.h5", out, samples, CHANGE | {"per": {"years": [1, 5]}})
    with artifacts.reader(out, artifacts.CURVES) as stack:
        assert_allclose(stack["curves"] - dome.template(), (times[1] - times[0]) / 2, atol=1e-12)


@pytest.mark.parametrize("turned", [1, -1])
@pytest.mark.parametrize(
    ("told", "years"),
    [
        ([("before", "0"), ("after", "2")], 2),
        ([("before", "3"), ("after", "?"), ("later", "4")], 3),
        ([("before", ""), ("later", "4")], 4),
        ([("after", "2"), ("after", "4"), ("before", "1")], 3),
        ([("after", "")], np.inf),
    ],
)
def test_the_number_at_the_second_time_counts_before_others_in_whatever_order_rows_stand(told, years, turned):
    row_of = differences.make_row_function(CHANGE | {"per": {"years": [0.5, 10]}}, dome.template())
    first, second = dome.template(), dome.template() + 1
    cells = [(time, {"Years": text}) for time, text in told[::turned]]
    assert_allclose(row_of({"before": first, "after": second}, cells) - dome.template(), 1 / years, atol=1e-12)


def test_who_stands_in_two_groups_is_in_none(folder):
    paths, samples = dome.written(folder, "torn", dome.scanned_twice(2, 1))
    samples = [(name, who, time if who == "torn1" else "one", time, ()) for name, who, _, time, _ in samples]
    differences.stack_rows(paths, folder / "template.h5", folder / "torn.h5", samples, CHANGE)
    with artifacts.reader(folder / "torn.h5", artifacts.CURVES) as stack:
        assert stack["groups"] == ["one", ""]


def test_a_mirrored_twice_face_is_itself_and_the_template_its_own_mirror_image():
    mirror = Mirror.from_template(dome.template())
    faces = dome.people(5, 2)
    assert_allclose(mirror(mirror(faces)), faces, atol=1e-12)
    assert_allclose(mirror(dome.template()), dome.template(), atol=1e-12)


def test_the_mirror_takes_left_to_right():
    mirror, bump = Mirror.from_template(dome.template()), dome.template()
    bump[3, 2, 4] += 0.1
    ((curve, sample),) = np.argwhere(np.abs(mirror(bump) - dome.template()).max(axis=1) > 0.05)
    assert curve == 3
    assert_allclose(dome.template()[3, :, sample], dome.template()[3, :, 4] * [-1, 1, 1], atol=1e-9)


def test_a_template_that_is_not_symmetric_is_refused_with_a_remedy():
    with pytest.raises(RefusedRelease, match=r"own mirror image.*faces.template: built_in"):
        Mirror.from_template(dome.people(1, 1, spread=0.1)[0])


def test_asymmetries_of_symmetric_faces_are_none(folder):
    mirror = Mirror.from_template(dome.template())
    faces = dome.people(3, 5)
    whole = (faces + mirror(faces)) / 2
    with artifacts.reader(stacked(folder, ASYMMETRY, [whole, whole]), artifacts.CURVES) as stack:
        assert_allclose(stack["curves"], np.broadcast_to(dome.template(), whole.shape), atol=1e-12)


def test_public_people_who_were_scanned_twice_teach_how_far_people_change(folder):
    twice = learned(folder, CHANGE, dome.scanned_twice(60, 9))
    paths, samples = dome.written(folder, "public", dome.scanned_twice(60, 9))
    once = [(name, person, group, "", cells) for name, person, group, time, cells in samples if time == dome.TIMES[0]]
    out = folder / "once.h5"
    differences.learn_rows(paths[:1], folder / "template.h5", out, once, CHANGE, SETTINGS, "people of the test")
    moments = []
    for path in (twice, out):
        with artifacts.reader(path, artifacts.VARIATION) as source:
            moments.append(np.mean(np.sum(source["held_out"] ** 2, axis=1)))
            assert ("60 differences" in source["source"]) == (path == twice)
    assert moments[0] < moments[1] / 10


def test_a_released_change_lies_near_that_of_the_people_and_is_found(released):
    change = released_change.read(released["mean_change"])
    true = dome.SCALE * 0.03 * dome.fields()[3]
    error = np.sqrt(np.mean(np.sum((change.change - true) ** 2, axis=1)))
    assert error < 0.3 * np.sqrt(np.mean(np.sum(true**2, axis=1)))
    where = np.linalg.norm(true, axis=1).ravel()
    assert change.comparison.exceeds[where > np.quantile(where, 0.8)].mean() > 0.9
    assert change.people == N


def test_the_released_spread_is_that_of_the_people(released):
    change = released_change.read(released["mean_change"])
    own = dome.SCALE * 0.004 * np.sqrt(np.mean(np.sum(dome.fields() ** 2, axis=(0, 2))))
    with artifacts.reader(released["mean_change"] / "face_change.h5", artifacts.FACE_CHANGE) as values:
        noise = float(values["spread_noise_mm2"])
    assert (
        abs(change.spread**2 - own**2) < 0.3 * own**2 + 3 * noise
    )  # who is clipped lies nearer: 15 to 18 % of a distance


@pytest.mark.parametrize(
    ("kind", "statistic", "words"),
    [
        ("mean_change", "mean change", "Both scans of a person together are that record"),
        ("asymmetry", "mean asymmetry", "counts as one without any asymmetry"),
        ("asymmetry", "mean asymmetry", "Of several scans of a person, at whatever times, the mean is that record."),
    ],
)
def test_the_statement_says_what_was_released(released, kind, statistic, words):
    stated = json.loads((released[kind] / "statement.json").read_text(encoding="utf-8"))
    assert stated["formally_private"] and stated["release"]["statistic"] == statistic
    assert stated["settings"]["kind"] == kind and stated["release"]["n"] == N
    assert words in (released[kind] / "statement.md").read_text(encoding="utf-8")


def test_a_release_and_all_that_is_drawn_from_it_may_be_published(released):
    root = released["mean_change"].parents[1]
    assert len(allow_list.check_releases(root, release_page.render_page, release_files.draw)) == 2
    names = {path.name for path in released["asymmetry"].iterdir()}
    assert {"before.ply", "after.ply", "exaggerated.ply", "face_change.csv", "index.html"} <= names


def test_another_table_is_not_published(released):
    table = released["asymmetry"] / "face_change.csv"
    drawn = table.read_bytes()
    table.write_text("x_mm\n1\n", encoding="utf-8")
    with pytest.raises(RefusedRelease, match="differs from the drawing that its release gives"):
        allow_list.check_drawings(released["asymmetry"], "faces", release_files.draw)
    table.write_bytes(drawn)


def test_outward_is_positive(released):
    lift = np.zeros((dome.J, 3, dome.M))
    lift[:, 2] = 1.0  # the dome's top looks along z
    assert replace(released_change.read(released["mean_change"]), change=lift).outward[0].min() > 0.5


def test_the_picture_has_a_scale_where_something_is_sure_and_words_below_each_face(released, monkeypatch):
    written = []
    scale = face_means.put_over_scale
    monkeypatch.setattr(face_means, "put_over_scale", lambda *asked: written.append(asked[1:3]) or scale(*asked))
    change = released_change.read(released["mean_change"])
    surfaces = {name: curve_mesh.mesh(curves, change.radii) for name, curves in change.stages().items()}
    shown.draw_face_picture(change, surfaces)
    (most, words), *below = written
    assert most > 0 and words.startswith("mm inward")
    assert below == [(None, words) for words in shown.CLAY.values()]
    written.clear()
    change.__dict__["comparison"] = replace(change.comparison, exceeds=np.zeros_like(change.comparison.exceeds))
    shown.draw_face_picture(change, surfaces)
    assert written[0] == (None, face_means.NOTHING_SURE)


def test_the_page_says_that_a_difference_is_no_face_and_spreads_arrows_over_it(released):
    change = released_change.read(released["mean_change"])
    page = release_page.render_page(released["mean_change"])
    assert "The released difference" in page and "The released mean<" not in page
    vertices = curve_mesh.mesh(change.reference, change.radii)[0]
    from_there = vertices[shown._choose_arrow_vertices(*change.reference.shape[::2])]
    figure = np.array([line[0] for line in face_means.make_arrows(change.reference, change.change)])
    away = np.linalg.norm(from_there[:, None] - figure, axis=2).min(axis=1)
    assert away.max() < np.ptp(vertices, axis=0).max() / 5, "both lie evenly over the same face"


def test_equal_changes_do_not_differ_and_others_do(released):
    change = released_change.read(released["mean_change"])
    assert not released_model.compare_means(change, change).exceeds.any()
    assert released_model.compare_means(change, replace(change, change=np.zeros_like(change.change))).exceeds.any()


def test_fewer_than_two_people_with_both_scans_are_refused(folder):
    known = learned(folder, CHANGE, dome.scanned_twice(60, 9))
    paths = stacked(folder, CHANGE, dome.scanned_twice(1, 3)), folder / "template.h5", known
    with pytest.raises(RefusedRelease, match="a mean needs at least 2"):
        release_faces.release_faces(
            paths, folder / "results/release/faces/few", CHANGE, FACES, privacy(folder), 1, True
        )
    assert not Path(folder / "results/release/faces/few").exists()
