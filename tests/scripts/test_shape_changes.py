"""Changes and asymmetries of landmarks, in the plane and in space, from a file and its sheet to what is released."""

import json
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from numpy.testing import assert_allclose

import read_shapes
import release_shapes
import shape_settings
import shapedp
from shapedp.app.cli import models
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease
from shapedp.base.reading import frame
from shapedp.landmarks import shapes as chain
from shapedp.privacy import integer_sums
from shapedp.privacy.differences import SPREAD_SHARE, ShapesWithSpread
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.noise import SecureNoise, SeededNoise
from shapedp.privacy.shapes.base import Ball, as_complex
from shapedp.privacy.statistic import Rows, Sums
from shapedp.releases import allow_list
from shapedp.releases.figures import release_files, shapes
from shapedp.releases.kinds.change import released as released_change
from shapedp.releases.kinds.change import shown
from shapedp.releases.kinds.change.release import refuse_few
from shapedp.releases.statement import forms, statement_text
from shapedp.releases.viewer import release_page

K, PAIRS, N = 10, [[1, 2], [3, 4], [5, 6]], 200
CHANGE = {
    "name": "change",
    "kind": "mean_change",
    "mechanism": "shaped",
    "times": ["before", "after"],
    "budget": {"mu_total": 2.0},
}
ASYMMETRY = {"name": "asymmetry", "kind": "asymmetry", "mechanism": "shaped", "budget": {"mu_total": 2.0}}
SETTINGS = {"radius": 0.3, "contour_modes": 0, "center": "reference_set", "persons": "average", "pairs": PAIRS}
OWN, LATER, SIDE = 0.03, 0.02, 0.015  # how people differ from each other, change, and differ from their mirror images


def fields(d):
    """A symmetric configuration, ways in which people differ, one in which all change, one that is asymmetric."""
    rng = np.random.default_rng(5)
    base = rng.normal(size=(K, d))
    base[1:6:2], base[6:, 0] = base[0:6:2] * [-1, *[1] * (d - 1)], 0.0
    base = landmark_shapes.unit(base[None])[0][0]
    ways = rng.normal(size=(6, K, d))
    even, odd = landmark_shapes.halves(base, [[one - 1 for one in pair] for pair in PAIRS])
    fixed = LandmarkShapes(base).fixed()
    free = []
    for part in (even, odd):  # drawn in all directions first: which basis a half has decides nothing
        drawn, part = rng.normal(size=K * d), part.reshape(len(part), -1)
        drawn = (drawn @ part.T) @ part
        free.append(drawn - (drawn @ fixed.T) @ fixed)
    return base, ways, *(one.reshape(K, d) / np.linalg.norm(one) for one in free)


def people(count, d, seed, later=LATER, side=SIDE):
    """(2, count, k, d) configurations before and after, each in a pose and of a size of its own."""
    base, ways, change, askew = fields(d)
    rng = np.random.default_rng(seed)
    first = base + OWN / np.sqrt(K) * np.einsum("nw,wkd->nkd", rng.normal(size=(count, 6)), ways) + side * askew
    moved = later * rng.normal(1.0, 0.3, (count, 1, 1)) * change + 0.1 * OWN / np.sqrt(K) * rng.normal(
        size=(count, K, d)
    )
    both = np.stack([first, first + moved])
    turns = np.linalg.qr(rng.normal(size=(2, count, d, d)))[0]
    turns[..., 0, :] *= np.linalg.det(turns)[..., None]
    return both @ turns * np.exp(rng.normal(1.0, 0.1, (2, count, 1, 1))) + rng.normal(size=(2, count, 1, d))


def written(folder, name, both):
    """(path of landmarks, of the sheet): a record a person and time."""
    count = both.shape[1]
    np.savez(folder / f"{name}.npz", X=both.reshape(-1, *both.shape[2:]))
    rows = [
        f"{name}_{1 + at:05d},p{at % count},{time}" for at, time in enumerate(np.repeat(["before", "after"], count))
    ]
    (folder / f"{name}.csv").write_text("\n".join(["id,person,time", *rows]) + "\n")
    return folder / f"{name}.npz", folder / f"{name}.csv"


@pytest.fixture(scope="module", params=(2, 3))
def folder(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"changes{request.param}")
    private, public = people(N, request.param, 1), people(60, request.param, 2, later=0.0, side=0.0)
    private[1, 4] = np.nan
    for name, both in (("private", private), ("public", public)):
        written(folder, name, both)
    read_shapes.read_shapes(
        folder / "private.npz", folder / "landmarks.h5", "reference_set", folder / "public.npz", folder / "private.csv"
    )
    return folder


def rows(folder, entry):
    """(path, fields) of the rows that an entry takes."""
    path = folder / f"{entry['name']}.h5"
    chain.difference_shapes(folder / "landmarks.h5", path, entry, "reference_set", folder / "public.npz", PAIRS)
    with artifacts.reader(path, artifacts.SHAPES) as source:
        return path, {name: source[name] for name in artifacts.SHAPES.fields}


def settings(folder):
    return {**SETTINGS, "reference_set": folder / "public.npz", "reference_sheet": folder / "public.csv"}


@pytest.fixture(scope="module")
def released(folder):
    """{kind: folder of the release, with all that is drawn from it}; the same noise each time: of what is drawn anew an
    asymmetry in the plane is found at fewer landmarks than a test asks for once in some twenty times.
    """
    found = {}
    for entry in (CHANGE, ASYMMETRY):
        out = folder / "results/release/shapes" / entry["name"]
        privacy = shape_settings.privacy(folder)
        with mock.patch.object(SecureNoise, "gaussian_integers", SeededNoise(5).gaussian_integers):
            release_shapes.release_shapes(
                rows(folder, entry)[0], folder / "landmarks.h5", out, entry, settings(folder), privacy
            )
        release_files.draw(out, "shapes", out)
        (out / "index.html").write_text(release_page.render_page(out), encoding="utf-8")
        found[entry["kind"]] = out
    return found


@pytest.fixture(scope="module")
def per_year(folder):
    """Folder of the release of changes counted by years."""
    entry, out = CHANGE | {"name": "rate", "per": {"years": [1.0, 4.0]}}, folder / "per/results/release/shapes/rate"
    asked = rows(folder, entry)[0], folder / "landmarks.h5", out, entry, settings(folder)
    release_shapes.release_shapes(*asked, shape_settings.privacy(folder / "per"))
    return out


@pytest.mark.parametrize("column", ["time", "years"])
def test_a_corrected_cell_that_a_change_follows_from_makes_another_release(folder, tmp_path, column):
    """The same landmarks of the same people: what was stored for the sheet as it was is not returned for it."""
    entry = CHANGE | {"per": {"years": [1.0, 4.0]}}
    first, second = ([{"time": time, "years": "2"} for time in np.repeat(entry["times"], N)] for _ in range(2))
    if column == "time":
        first[0]["time"], first[N]["time"] = first[N]["time"], first[0]["time"]
    else:
        first[0]["years"] = "3"
    with artifacts.reader(folder / "landmarks.h5", artifacts.LANDMARKS) as source:
        fields = {name: source[name] for name in artifacts.LANDMARKS.fields}
    asked = entry, "reference_set", folder / "public.npz", PAIRS
    output, privacy = tmp_path / "results/release/shapes/change", shape_settings.privacy(tmp_path)
    for at, told in enumerate((first, second)):
        landmarks, moved = tmp_path / f"landmarks{at}.h5", tmp_path / f"rows{at}.h5"
        with artifacts.writer(landmarks, artifacts.LANDMARKS) as out:
            out.set(**fields | {"covariates": list(map(json.dumps, told))})
        chain.difference_shapes(landmarks, moved, *asked)
        given = moved, landmarks, output, entry, settings(folder), privacy
        if at == 0:
            release_shapes.release_shapes(*given)
    with pytest.raises(RefusedRelease, match="the name of another release"):
        release_shapes.release_shapes(*given)


def test_python_reads_a_change(released):
    found = shapedp.read_release(released["mean_change"])
    assert found.points.shape == found.values["reference"].shape and found.model is None


def test_an_asymmetry_is_half_of_a_shape_less_its_mirror_image(folder):
    """As Klingenberg, Barluenga and Meyer (2002) write it: coordinates of each shape, and of its reflection with paired
    landmarks exchanged, laid on the symmetric consensus; half their difference.
    """
    _, found = rows(folder, ASYMMETRY)
    p0, d = found["center"], found["center"].shape[1]
    with artifacts.reader(folder / "landmarks.h5", artifacts.LANDMARKS) as source:
        records = landmark_shapes.unit(source["landmarks"][[0, 7, N, N + 7]])[0]
    image = records * np.where(np.arange(d) == 0, -1, 1)
    order = np.arange(K)
    order[:6] = [1, 0, 3, 2, 5, 4]
    image = image[:, order]
    own, other = (landmark_shapes.align(p0, one) for one in (records, image))
    half = (own - other) / 2
    for at, row in enumerate((0, 7)):
        assert found["ids"][row] == f"p{row}"
        expected = half[[at, at + 2]].mean(axis=0)
        moved = LandmarkShapes(p0).deviations(found["shapes"][[row]])[0].reshape(K, d)
        assert_allclose(moved, expected, atol=0.01 * np.linalg.norm(expected) + 1e-12)


def test_a_symmetric_shape_has_no_asymmetry(folder):
    _, found = rows(folder, ASYMMETRY)
    about = LandmarkShapes(found["center"], found["ignored"])
    symmetric = landmark_shapes.symmetric(
        people(1, found["center"].shape[1], 9)[0, 0], [[a - 1, b - 1] for a, b in PAIRS]
    )
    listed = chain.to_samples(["x"], [""], [""], [""])
    _, moved, ok = chain._measure_differences(about, ASYMMETRY, symmetric[None], listed)
    assert ok.all() and np.abs(moved).max() < 1e-12


def test_a_change_is_the_second_deviation_less_the_first_and_a_person_without_one_has_none(folder):
    _, found = rows(folder, CHANGE)
    about = LandmarkShapes(found["center"], found["ignored"])
    with artifacts.reader(folder / "landmarks.h5", artifacts.LANDMARKS) as source:
        x, fixed = about.deviations(source["landmarks"]), about.fixed()
    x = x - (x @ fixed.T) @ fixed
    moved = about.deviations(found["shapes"])
    assert_allclose(moved[0], x[N] - x[0], atol=1e-12)
    assert found["ok"].tolist() == [index != 4 for index in range(N)]
    assert_allclose(found["shapes"][4], found["center"])


def test_who_was_measured_once_is_no_row_by_the_sheet_alone(folder):
    told = ['{"time": "before"}', '{"time": "after"}', '{"time": "before"}']
    listed = chain.to_samples(["1", "2", "3"], ["a", "a", "b"], [""] * 3, told)
    assert [one.time for one in listed] == ["before", "after", "before"]
    _, found = rows(folder, CHANGE)
    people, _, _ = chain._measure_differences(LandmarkShapes(found["center"]), CHANGE, found["shapes"][:3], listed)
    assert people == ["a"]


def test_a_change_is_counted_by_the_same_number_whatever_the_order_of_rows_and_the_case_of_its_name(folder):
    _, found = rows(folder, CHANGE)
    about = LandmarkShapes(found["center"])
    told = [{"time": "before", "years": "0"}, {"time": "after", "years": "2"}, {"time": "after", "years": "4"}]
    records, moved = found["shapes"][[0, 1, 1]], []
    for per, order in (({}, [0, 1, 2]), ({"Years": [0.5, 10]}, [0, 1, 2]), ({"Years": [0.5, 10]}, [2, 1, 0])):
        listed = chain.to_samples(list("123"), ["a"] * 3, [""] * 3, [json.dumps(one) for one in told])
        given = [listed[at] for at in order]
        moved.append(chain._measure_differences(about, CHANGE | {"per": per}, records[order], given)[1])
    assert np.abs(moved[0]).max() > 0
    assert_allclose(moved[1:], [moved[0] / 3] * 2, atol=1e-15)
    faults = ["", "", frame.LEFT_OUT]
    listed = chain.to_samples(list("123"), ["a"] * 3, [""] * 3, [json.dumps(one) for one in told], faults)
    _, without, _ = chain._measure_differences(about, CHANGE | {"per": {"years": [0.5, 10]}}, records, listed)
    assert_allclose(without, moved[0] / 2, atol=1e-15)


def test_who_stands_in_two_groups_is_in_none(folder, tmp_path):
    with artifacts.reader(folder / "landmarks.h5", artifacts.LANDMARKS) as source:
        given = {name: source[name] for name in artifacts.LANDMARKS.fields}
    given["groups"] = ["one"] * N + ["two", *["one"] * (N - 1)]
    with artifacts.writer(tmp_path / "landmarks.h5", artifacts.LANDMARKS) as out:
        out.set(**given)
    asked = CHANGE, "reference_set", folder / "public.npz", PAIRS
    chain.difference_shapes(tmp_path / "landmarks.h5", tmp_path / "rows.h5", *asked)
    with artifacts.reader(tmp_path / "rows.h5", artifacts.SHAPES) as source:
        assert source["groups"] == ["", *["one"] * (N - 1)]


def test_public_people_measured_twice_teach_how_far_people_change(folder):
    _, found = rows(folder, CHANGE)
    about = LandmarkShapes(found["center"], found["ignored"])
    twice, once = (
        chain.read_public_differences(CHANGE, folder / "public.npz", sheet, about)
        for sheet in (folder / "public.csv", None)
    )
    assert len(twice) == 60 and len(once) == 120
    lengths = [np.mean(about.deviations(one) ** 2) for one in (twice, once)]
    assert lengths[0] < lengths[1] / 10


@pytest.mark.parametrize("column", ["use", "Side"])
def test_a_public_sheet_may_neither_leave_out_nor_mirror_what_the_center_is_learned_from(folder, tmp_path, column):
    header, *cells = (folder / "public.csv").read_text().splitlines()
    (tmp_path / "public.csv").write_text("\n".join([f"{header},{column}", *(f"{row},no" for row in cells)]) + "\n")
    asked = CHANGE, folder / "public.npz", tmp_path / "public.csv", LandmarkShapes(rows(folder, CHANGE)[1]["center"])
    with pytest.raises(ConfigError, match=rf"shapes\.reference_sheet: .*public\.csv' has .*{column.lower()}, .*take"):
        chain.read_public_differences(*asked)


@pytest.mark.parametrize(("kind", "size"), [("mean_change", LATER), ("asymmetry", SIDE)])
def test_a_released_difference_lies_near_that_of_the_people_and_is_found(folder, released, kind, size):
    """Public people neither change nor differ from their mirror images in the mean: the bound follows that."""
    change = released_change.read(released[kind])
    _, found = rows(folder, {"mean_change": CHANGE, "asymmetry": ASYMMETRY}[kind])
    about = LandmarkShapes(found["center"], found["ignored"])
    people = about.deviations(found["shapes"])
    mean = people.mean(axis=0).reshape(K, -1)
    moved = np.swapaxes(change.change[0], 0, 1)
    assert np.linalg.norm(mean) == pytest.approx(size, rel=0.35)  # what is planted, and the chance in who takes part
    assert np.linalg.norm(moved - mean) < 0.2 * np.linalg.norm(mean)
    assert np.linalg.norm(moved) == pytest.approx(np.linalg.norm(mean), rel=0.15)
    assert change.comparison.exceeds.mean() >= 0.4
    spread = np.sqrt(np.mean(np.sum((people - people.mean(axis=0)) ** 2, axis=1)))
    with artifacts.reader(released[kind] / released_change.SHAPE_FILE, artifacts.SHAPE_CHANGE) as source:
        noise = 5 * source["spread_noise"]  # besides what the clip takes and what lies beyond the released axes
    assert (0.6 * spread) ** 2 - noise < change.spread**2 < (1.4 * spread) ** 2 + noise
    assert change.people == N and change.unit == "radian"


def test_nothing_symmetric_is_released_of_an_asymmetry(released):
    change = released_change.read(released["asymmetry"])
    even, _ = landmark_shapes.halves(np.swapaxes(change.reference[0], 0, 1), [[a - 1, b - 1] for a, b in PAIRS])
    assert np.abs(even.reshape(len(even), -1) @ np.swapaxes(change.change[0], 0, 1).ravel()).max() < 1e-6


@pytest.mark.parametrize(
    ("kind", "words"), [("mean_change", "Both records of a person"), ("asymmetry", "any asymmetry")]
)
def test_the_statement_says_what_was_released(released, kind, words):
    stated = json.loads((released[kind] / "statement.json").read_text(encoding="utf-8"))
    assert stated["formally_private"], stated["reasons"]
    assert stated["settings"]["kind"] == kind and stated["release"]["n"] == N
    assert stated["budget"]["after"]["mu"] >= 2.0 * (1 - 1e-6)
    text = (released[kind] / "statement.md").read_text(encoding="utf-8")
    assert words in text and "People's spread: 0.03 of mu²" in text


def test_everything_in_the_folder_may_be_published(folder, released):
    root = folder / "results/release"
    walked = allow_list.check_releases(root, release_page.render_page, release_files.draw)
    assert {one.name for one in walked} == {"change", "asymmetry"}
    names = {one.name for one in released["asymmetry"].iterdir()}
    assert {"shape_change.h5", "shape_change.csv", "shape_change.tps", "preview.png", "index.html"} <= names
    header, *rows = (released["asymmetry"] / "shape_change.csv").read_text().splitlines()
    assert header.startswith("landmark,x,y,") and [row.split(",")[0] for row in rows] == list(map(str, range(1, K + 1)))


def test_two_changes_are_compared_if_they_are_of_one_kind_and_unit(released, per_year):
    output = released["asymmetry"].parents[3] / "compared.csv"
    lines = list(models.write_comparison([released["mean_change"]] * 2, output))
    assert "radian rms" in lines[1] and len(output.read_text().splitlines()) == K + 1
    list(models.write_comparison([per_year] * 2, output))
    header = output.read_text().splitlines()[0].split(",")
    assert header[:2] == ["x_radian", "y_radian"] and "difference_radian_per_years" in header
    for other in (released["asymmetry"], per_year):
        with pytest.raises(ArtifactError, match="compare changes of one kind and unit"):
            list(models.write_comparison([released["mean_change"], other], output))


def test_what_a_change_is_counted_per_is_told_wherever_it_is_published(per_year):
    words = "Each person's change is divided by their “years”, taken to the public range 1 to 4"
    stated = json.loads((per_year / "statement.json").read_text(encoding="utf-8"))
    told = (per_year / "statement.md").read_text(encoding="utf-8"), forms.write_forms(stated, "rate")[forms.NIST]
    change = released_change.read(per_year)
    section = shown.change_section(change)
    assert all(words in one for one in (*told, section))
    assert change.unit == "radian per years" and section.count("radian per years") >= 5
    assert change.table()[0].split(",")[:2] == ["landmark", "x"] and ",dx_per_years,dy_per_years," in change.table()[0]
    caption = shapes.draw_change(change, shapes.Look(False, []))._supxlabel.get_text().replace("\n", " ")
    assert f"Mean difference per years of {N} people" in caption
    assert statement_text.caption(stated).startswith(f"The {stated['release']['statistic']} per years of {N} people")
    long = replace(change, settings={"per": [{"name": "Years-of-therapy"}]})
    assert allow_list.CSV_HEADER.fullmatch(replace(long, radii=None).table()[0]), "a released table has few letters"


def test_the_page_colours_the_landmarks_that_it_says_are_coloured(released):
    found = released_change.read(released["mean_change"])
    view = shown.view_change(found, b"")
    assert view.data["sure"] == (np.flatnonzero(found.comparison.exceeds) + 1).tolist() and view.data["sure"]
    assert f"Orange are the {found.comparison.exceeds.mean():.0%} of the landmarks" in view.section
    nothing = replace(found, change=1e-9 * found.change)
    assert "At none of the landmarks does it exceed noise" in shown.change_section(nothing)


def mechanism(d, n=50, mu=1.0):
    """Of asymmetries, learned of public ones."""
    base = fields(d)[0]
    p0, ignored, _ = landmark_shapes.with_ignored_directions(base, PAIRS, ignores_symmetric=True)
    public = landmark_shapes.unit(people(60, d, 2)[0])[0]
    return ShapesWithSpread(Ball(n, as_complex(p0), 0.3, 0, as_complex(public), ignored=ignored), {"mu_total": mu})


def stages(made):
    """{name: stage} of a mechanism whose first stage answers that nobody lies far."""
    asked = [made.stage((np.zeros(1),) * at) for at in range(3)]
    return {type(one).__name__: one for one in asked}


@pytest.mark.parametrize("d", [2, 3])
def test_three_stages_compose_to_mu(d):
    made = mechanism(d)
    assert list(stages(made)) == ["SpreadQuestion", "SpreadStatistic", "ShapesWithSpread"]
    assert made.stage((np.zeros(1),) * 3) is None
    mu = np.linalg.norm([made.first, made.spread_mu, made.mean_budget])
    assert mu <= 1.0 == pytest.approx(mu, rel=1e-9)
    assert made.spread_mu**2 == pytest.approx(SPREAD_SHARE) and sum(made.inputs()["w"]) == pytest.approx(1)
    assert made.cost().rho <= 0.5 * (1 + 1e-6)


@pytest.mark.parametrize(("widened", "times"), [(0.8, 0.8), (1.0, 1.0), (1.2, 1.2 * 1.08), (1.6, 1.6 * 1.2)])
def test_the_noise_that_is_stated_once_the_bound_followed_is_the_one_that_is_drawn(widened, times):
    """The bound is up to 1.2 times as large as people lie far: nothing of what its clip takes is put back."""
    made = mechanism(2)
    settled = replace(made, bound_scale=widened)
    assert settled.settled_sd == pytest.approx(times * made.sensitivity() / made.mean_budget, rel=1e-12)
    sums, source = np.zeros(settled.coordinates.count, dtype=np.int64), SeededNoise(4)
    drawn = [settled.noised(Sums((sums,)), source) for _ in range(400)]
    assert np.std(drawn) == pytest.approx(settled.settled_sd, rel=0.05)


def test_few_people_are_not_asked_how_far_they_lie():
    made = mechanism(2, n=20, mu=0.5)
    assert not made.first and type(made.stage(())).__name__ == "SpreadStatistic"


def moved_by(made, one, other):
    """How far each stage's sums move as shares of what is claimed."""
    return [
        np.linalg.norm(np.subtract(*(stage.sums(Rows.of(x[None])).values[0].astype(float) for x in (one, other))))
        / integer_sums.SENSITIVITY
        for stage in stages(made).values()
    ]


@pytest.mark.parametrize("d", [2, 3])
def test_no_pair_of_people_moves_a_stage_by_more_than_its_sensitivity(d):
    """Hill climbing over pairs of records of any size: no pair beats the claim in either stage, nor d' of both mu."""
    made, rng = mechanism(d), np.random.default_rng(3)
    best, pair = 0.0, None
    p0 = made.coordinates.shapes.p0
    for _ in range(400):
        if pair is None or rng.random() < 0.3:
            tried = [p0 + 10 ** rng.uniform(-3, 1) * rng.normal(size=p0.shape) for _ in range(2)]
        else:
            tried = [one + 10 ** rng.uniform(-4, -1) * rng.normal(size=p0.shape) for one in pair]
        shares = moved_by(made, *tried)
        assert max(shares) <= 1
        apart = np.linalg.norm(np.multiply([made.first, made.spread_mu, made.mean_budget], shares))
        assert apart <= 1.0
        if apart > best:
            best, pair = apart, tried
    assert best > 0.6


@pytest.mark.parametrize("d", [2, 3])
def test_the_worst_pairs_reach_what_is_claimed(d):
    """Opposite ends of the strongest axis move the mean by all of it; the end and the center the squares."""
    made = mechanism(d)
    found = made.coordinates
    ends = [found.shapes.shape(sign * 0.6 * found.axes[0]) for sign in (1, -1)]
    assert moved_by(made, *ends)[2] == pytest.approx(1, rel=1e-3)
    strongest = int(np.argmax(found.roots))
    far = found.shapes.shape(0.6 * found.axes[strongest])
    assert moved_by(made, far, found.shapes.p0)[1] == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e308, 0.0])
def test_a_record_of_any_numbers_is_a_row_like_any_other(value):
    made = mechanism(2)
    shares = moved_by(made, np.full((K, 2), value), made.coordinates.shapes.p0)
    assert max(shares) <= 1


@pytest.mark.parametrize(("side", "near"), [(SIDE, 0.2), (0.2, 0.4)])
def test_the_released_spread_is_near_that_of_the_people_with_the_noise_that_is_stated(side, near):
    """With one first answer, so that the clip is the same; a large asymmetry's square has noise of its own."""
    made = mechanism(2, n=300, mu=4.0)
    records = landmark_shapes.unit(people(300, 2, 11, side=side)[0])[0]
    x = made.coordinates.shapes.deviations(records) @ made.coordinates.axes.T
    rows, source = Rows.of(records), SeededNoise(2)
    first = made.stage(()).noised(made.stage(()).sums(rows), SeededNoise(1))
    stages = made.stage((first,)), made.stage((first, first))
    sums = [stage.sums(rows) for stage in stages]
    drawn = ([stage.noised(one, source) for stage, one in zip(stages, sums, strict=True)] for _ in range(400))
    found, off = np.array([made.spread((first, *answers)) for answers in drawn]).T
    assert np.mean(found) == pytest.approx(np.sum(x.var(axis=0)), rel=near)
    assert np.mean(off) == pytest.approx(np.std(found), rel=0.05)


def test_of_one_person_nothing_is_released():
    with pytest.raises(RefusedRelease, match="1 people were measured as this release needs"):
        refuse_few("shapes/asymmetry", 1)
