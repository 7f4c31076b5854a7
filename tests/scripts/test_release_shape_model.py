"""A shape model through its script: one entry, one statement, covariates of the sheet; in the plane and in space."""

import csv
import json
from dataclasses import replace

import h5py
import numpy as np
import pytest

import center_shapes
import read_shapes
import release_shapes
import shape_settings
import show_release
from shapedp.app.cli import assessing, beside, models
from shapedp.audit import outside_view
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease
from shapedp.base.reading import frame
from shapedp.landmarks import outlines
from shapedp.landmarks import shapes as chain
from shapedp.ledger.ledger_folder import Ledger
from shapedp.privacy import noise
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.shapes.base import Ball, as_complex, as_real
from shapedp.privacy.statistic import Rows
from shapedp.releases import allow_list, cohorts
from shapedp.releases.figures import release_files
from shapedp.releases.figures import shapes as pictures
from shapedp.releases.kinds.model import shown
from shapedp.releases.model import assessment, at_landmarks, covariates, norms, released_model
from shapedp.releases.model.shapes import ShapeModel, as_landmarks, share_within
from shapedp.releases.viewer import release_page

N, BENT = 300, 0.01
COVARIATES = {"bent": {"range": [-1, 1]}, "log_size": {"range": [-1, 1]}}
SETTINGS = {"radius": 0.2, "contour_modes": 12, "center": "reference_set", "persons": "refuse"}


def bent(shapes, amount):
    """Outlines whose x is pulled along y squared: the effect that is planted."""
    moved = shapes.copy()
    moved[..., 0] += amount[:, None] * (shapes[..., 1] ** 2 - np.mean(shapes[..., 1] ** 2, axis=1, keepdims=True))
    return moved


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Outlines bent as the sheet says, and others that are public."""
    folder, rng = tmp_path_factory.mktemp("outlines"), np.random.default_rng(3)
    private, public = (np.asarray(outlines.population(count, seed)[0]) for count, seed in ((N, 1), (80, 2)))
    told = rng.uniform(-1, 1, N)
    np.savez(folder / "private.npz", X=bent(private, BENT * told), ids=[f"p{row}" for row in range(N)])
    np.savez(folder / "public.npz", X=bent(public, BENT * rng.uniform(-1, 1, 80)))
    return folder, told


class Workspace:
    def __init__(self, folder, told, path):
        self.path, self.public = path, folder / "public.npz"
        self.landmarks, self.shapes = path / "landmarks.h5", path / "shapes.h5"
        read_shapes.read_shapes(folder / "private.npz", self.landmarks)
        with artifacts.reader(self.landmarks, artifacts.LANDMARKS) as source:
            fields = {name: source[name] for name in artifacts.LANDMARKS.fields}
        fields["covariates"] = [json.dumps({"bent": told[row]}) for row in range(N)]
        with artifacts.writer(self.landmarks, artifacts.LANDMARKS) as out:
            out.set(**fields)
        center_shapes.center_shapes(self.landmarks, self.shapes, "reference_set", self.public)

    def release(self, name="model", settings=(), **asked):
        """(folder, statement)."""
        entry = {"name": name, "kind": "shape_model", "mechanism": "shaped", "budget": {"mu_total": 1.0}, "modes": 3}
        output = self.path / "results" / "release" / "shapes" / name
        privacy = shape_settings.privacy(self.path, cap={"shapes": {"mu_total": 3.0}})
        release_shapes.release_shapes(
            self.shapes,
            self.landmarks,
            output,
            {**entry, "covariates": COVARIATES, **asked},
            {**SETTINGS, "reference_set": self.public, **dict(settings)},
            privacy,
        )
        return output, json.loads((output / "statement.json").read_text())


@pytest.fixture
def workspace(folder, tmp_path):
    source, told = folder
    return Workspace(source, [f"{one:.4f}" for one in told], tmp_path)


def test_a_model_is_one_entry_and_one_statement_that_holds(workspace):
    folder, stated = workspace.release()
    assert stated["formally_private"], stated["reasons"]
    assert stated["release"]["statistic"] == "shape model" and stated["guarantee"]["mu"] == 1.0
    origins = {one["name"]: one["origin"]["source"] for one in stated["bounds"]}
    assert origins == {"tau_shaped": "reference_set", "weights": "config", "zeta": "config"}
    assert "curves" not in (folder / "statement.md").read_text(encoding="utf-8")
    assert Ledger(workspace.path / "ledger").sum_spent("people").mu == pytest.approx(1.0)
    model, settings = released_model.read(folder / "shape_model.h5")
    assert [one.name for one in model.covariates] == ["bent", "log_size"] and settings["modes"] == 3
    assert as_landmarks(model.modes).shape == (3, 50, 2) and model.unit == "radian"


def test_a_predicted_mean_is_landmarks_in_a_file_of_landmarks(workspace, monkeypatch):
    folder, _ = workspace.release()
    monkeypatch.chdir(workspace.path)
    line, *_ = models.write_prediction(folder, {"bent": "4"}, None)
    assert "predicted.csv: the mean shape at bent = 4 (counts as 1, the end of the range that the model knows)" in line
    assert (workspace.path / "predicted.csv").read_text().startswith("landmark,x,y\n1,")
    with pytest.raises(ArtifactError, match="landmarks have no surface; write"):
        list(models.write_prediction(folder, {}, "predicted.ply"))


def test_two_models_are_compared_on_a_page_that_shows_their_landmarks(workspace):
    """A mean that was moved by much beyond noise and chance has arrows in colour, the same mean has none."""
    folder, _ = workspace.release()
    page = workspace.path / "compared.html"
    assert "0% of the points exceed" in "\n".join(models.write_comparison([folder, folder], page))
    assert "landmarks of the mean shapes" in page.read_text() and "data:image/png;base64," in page.read_text()
    first = models.read_model(folder)
    far = np.array([1.0, 0.0, 0.0])[:, None, None, None] * np.sign(first.mean)
    second = replace(first, effects=first.effects + 0.1 * far)
    drawn = [
        pictures.draw_comparison(first, other, released_model.compare_means(first, other), pictures.Look(True, []))
        for other in (first, second)
    ]
    words = [one._supxlabel.get_text().replace("\n", " ") for one in drawn]
    assert "no arrow exceeds noise and chance" in words[0] and "in colour at the 100% of landmarks" in words[1]


def test_an_entrys_own_contour_modes_hold_for_a_model(workspace):
    folder, _ = workspace.release(contour_modes=8)
    assert released_model.read(folder / "shape_model.h5")[1]["basis"] == 8


def test_all_may_be_published_is_drawn_the_same_again_and_no_page_says_more(workspace):
    folder, _ = workspace.release()
    release_files.draw(folder, "shapes", folder)
    (folder / "index.html").write_text(release_page.render_page(folder), encoding="utf-8")
    assert allow_list.check_releases(folder.parents[1], release_page.render_page, release_files.draw) == [folder]
    shapes = (folder / "shape_model.tps").read_text()
    assert "ID=effect_bent_high" in shapes and shapes.startswith("LM=50\n")
    with (folder / "shape_model.tps").open("a") as out:
        out.write("COMMENT=p17\n")
    with pytest.raises(RefusedRelease, match=r"shape_model\.tps: differs from the landmarks"):
        allow_list.check_releases(folder.parents[1], release_page.render_page, release_files.draw)


def test_without_a_mode_above_the_noise_the_table_of_effects_stays(workspace):
    folder, _ = workspace.release()
    model, settings, values = shown.read_shape(folder / "shape_model.h5")
    section = shown.view_shape((replace(model, shown=0), settings, values), b"").section
    assert "No mode of variation stands above the noise" in section and "mode-1" not in section
    assert "change from end to end" in section and '<th scope="row">bent</th>' in section


def test_the_picture_shows_modes_and_effects_whole(workspace):
    output, _ = workspace.release()
    model, _, _ = shown.read_shape(output / "shape_model.h5")
    far = model.effects * np.array([1.0, 60.0, 1.0])[:, None, None, None]
    drawn = pictures.draw_model(replace(model, effects=far), pictures.Look(True, []))
    panels = [axes for axes in drawn.axes if len(axes.lines) > 1]
    assert "bent\nblue -1, red 1" in [axes.get_title() for axes in panels]
    for axes in panels:
        points = np.concatenate([line.get_xydata() for line in axes.lines])
        ends = np.array([axes.get_xlim(), axes.get_ylim()])
        assert (ends[:, 0] < points.min(axis=0)).all() and (points.max(axis=0) < ends[:, 1]).all()


def test_no_cell_moves_what_is_stated(folder, tmp_path):
    """But by way of the noised answers, from which what the clip took follows; packed, their bytes have a size."""
    source, _ = folder
    seen = []
    for name, cells in (("whole", ["0.5"] * N), ("odd", ["1e308", "nan", "", "x"] * (N // 4))):
        (tmp_path / name).mkdir()
        output, stated = Workspace(source, cells, tmp_path / name).release()
        stated.pop("date"), stated.pop("budget"), stated.pop("differs_from_public_set")
        stated["noise"] = {key: one for key, one in stated["noise"].items() if key not in outside_view.NOISED}
        with h5py.File(output / "shape_model.h5") as file:  # whose noised numbers are packed as they come
            held = {key: (one.shape, one.dtype) for key, one in file.items()}
        seen.append((stated, sorted(one.name for one in output.iterdir()), held))
    assert seen[0] == seen[1]


def test_a_column_that_the_sheet_lacks_is_refused_by_name(workspace):
    with pytest.raises(RefusedRelease, match=r"shapes\.sheet: has no column age, .*; it has bent, log_size"):
        workspace.release(covariates={"age": {"range": [0, 90]}})


def test_a_cell_of_a_record_that_is_left_out_or_not_read_counts_for_nothing():
    told = [json.dumps({"bent": one}) for one in ("0.5", "300", "")]
    each = chain.to_samples(list("123"), ["a"] * 3, [""] * 3, told, ["", frame.LEFT_OUT, ""])
    asked = covariates.from_settings({"Bent": {"range": [-1, 1]}, "log_size": {"range": [0, 2]}})
    cells = cohorts._cells_with_size(each, {"a": 2.0}, asked)
    assert covariates.code_all(asked, cells, ["a"]).tolist() == [[0.5, 1.0]]


def test_a_planted_effect_is_found(folder):
    """Without noise: what one unit bends, in the space tangent to p0."""
    source, told = folder
    asked = covariates.from_settings({"bent": {"range": [-1, 1]}})
    x, public = (np.load(source / f"{name}.npz")["X"] for name in ("private", "public"))
    made = ShapeModel.from_ball(
        Ball(N, as_complex(_unit(public.mean(axis=0))), 0.2, 0, as_complex(_unit(public))), 50.0, asked
    )
    sums = made.sums(Rows(N, lambda start, stop: _unit(x)[start:stop], told[:, None])).values
    fitted, _ = made.draw(sums, Silent())
    found = np.tensordot(fitted.coefficients[1] * made.shaped.back, made.shaped.axes, axes=1)
    there = made.shaped.coordinates.shapes
    both = [there.deviations(_unit(bent(np.asarray(x), BENT * sign * np.ones(N)))).mean(axis=0) for sign in (1, -1)]
    planted = ((both[0] - both[1]) / 2).reshape(there.p0.shape)
    apart = np.linalg.norm(as_landmarks(found) - planted) / np.linalg.norm(planted)
    assert apart < 0.25, f"{apart:.2f} of the planted effect's length away"


def test_distances_between_linked_landmarks_have_their_norm(workspace, tmp_path):
    """From the release's folder alone: mean and standard deviation of people's own."""
    links = [[1, 30], [10, 50], [5, 9]]
    folder, _ = workspace.release(settings={"contour_modes": 0, "links": links}, budget={"mu_total": 3.0})
    told = list(beside.write_tables(folder, tmp_path / "tables", tmp_path / "no_template.h5"))
    assert any(line.startswith("3 distances between landmarks") for line in told)
    rows = list(csv.DictReader((tmp_path / "tables/measures.csv").read_text(encoding="utf-8").splitlines()))
    with artifacts.reader(workspace.shapes, artifacts.SHAPES) as source:
        shapes = as_real(source["shapes"])
    for first, last in links:
        true = np.linalg.norm(shapes[:, first - 1] - shapes[:, last - 1], axis=1)
        (row,) = [
            one
            for one in rows
            if one["measure"] == f"{first}_to_{last}" and {one["bent"], one["log_size"]} == {"everybody"}
        ]
        assert row["unit"] == "of the size"
        assert float(row["people_sd"]) == pytest.approx(true.std(), rel=0.15)
        assert abs(float(row["mean"]) - true.mean()) < 4 * float(row["mean_error"]) < true.std()


def test_a_mean_of_landmarks_has_its_distances_in_its_folder(workspace, tmp_path):
    """The mean of people's own, within its error, on a page that follows from the folder to the last byte."""
    links = [[1, 30], [10, 50], [5, 9]]
    entry = {"kind": "mean_shape", "covariates": {}, "budget": {"mu_total": 3.0}}
    folder, _ = workspace.release("mean", {"contour_modes": 0, "links": links}, **entry)
    show_release.show_release(folder)
    allow_list.check_folder(folder, "shapes", release_page.render_page)
    allow_list.check_drawings(folder, "shapes", release_files.draw)
    rows = list(csv.DictReader((folder / "measures.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["measure"] for row in rows] == ["1_to_30", "10_to_50", "5_to_9"]
    with artifacts.reader(workspace.shapes, artifacts.SHAPES) as source:
        shapes = as_real(source["shapes"])
    for row, (first, last) in zip(rows, links, strict=True):
        true = np.linalg.norm(shapes[:, first - 1] - shapes[:, last - 1], axis=1)
        assert abs(float(row["mean"]) - true.mean()) < 4 * float(row["mean_error"]) < 2 * true.std()
    assert "in the mean shape" in (folder / "tables.html").read_text(encoding="utf-8")
    list(beside.write_tables(folder, tmp_path / "tables", tmp_path / "no_template.h5"))
    assert (tmp_path / "tables/measures.csv").read_bytes() == (folder / "measures.csv").read_bytes()


NAMED = {"length": [1, 30], "bend": [1, 15, 30]}


def measure_named(shapes):
    """Return {name: (n,)} the named distance and angle of shapes (n, k, 2)."""
    start, middle, end = (shapes[:, number - 1] for number in NAMED["bend"])
    first, last = (np.arctan2(*np.moveaxis(point - middle, 1, 0)[::-1]) for point in (start, end))
    angle = np.abs(np.degrees((last - first + np.pi) % (2 * np.pi) - np.pi))
    return {"length": np.linalg.norm(start - end, axis=1), "bend": angle}


@pytest.mark.parametrize("kind", ["mean_shape", "shape_model"])
def test_distances_and_angles_of_landmarks_have_the_settings_names(workspace, tmp_path, kind):
    """Of outlines, too, whose neighbours nobody measures between unless the settings say so."""
    covariates = COVARIATES if kind == "shape_model" else {}
    folder, stated = workspace.release(
        "named", {"distances": NAMED}, kind=kind, covariates=covariates, budget={"mu_total": 3.0}
    )
    assert [entry["name"] for entry in stated["settings"]["distances"]] == list(NAMED)
    show_release.show_release(folder)
    allow_list.check_folder(folder, "shapes", release_page.render_page)
    allow_list.check_drawings(folder, "shapes", release_files.draw)
    list(beside.write_tables(folder, tmp_path / "tables", tmp_path / "no_template.h5"))
    rows = list(csv.DictReader((tmp_path / "tables/measures.csv").read_text(encoding="utf-8").splitlines()))
    with artifacts.reader(workspace.shapes, artifacts.SHAPES) as source:
        true = measure_named(as_real(source["shapes"]))
    assert {(row["measure"], row["unit"]) for row in rows} == {("length", "of the size"), ("bend", "degrees")}
    for name in ("measures.csv", "tables.html"):
        assert (tmp_path / "tables" / name).read_bytes() == (folder / name).read_bytes()
    page = (folder / "tables.html").read_text(encoding="utf-8")
    assert ("Means combine the released shapes with public people's" in page) == (kind == "shape_model")
    for name, values in true.items():
        row = next(row for row in rows if row["measure"] == name)
        assert abs(float(row["mean"]) - values.mean()) < 4 * float(row["mean_error"]) < 4 * values.std()


def test_errors_of_distances_are_those_that_the_model_states_of_its_landmarks(workspace, monkeypatch):
    """At a level far out, where what noise makes of the effect is most of them, and without what public people tell."""
    monkeypatch.setattr(at_landmarks, "OF_PEOPLE", ())
    folder, _ = workspace.release(settings={"distances": NAMED}, budget={"mu_total": 1.0})
    model, settings = released_model.read(folder / "shape_model.h5")
    known = at_landmarks.beside_shapes(folder / "shape_model.h5", model, settings)
    far = np.array([1.0, 1.0, 0.0])
    one_coordinate = np.eye(len(known.names) * 2).reshape(-1, len(known.names), 2)
    stated = np.einsum("kdd->", model.covariance(far)[0])
    assert norms.AlongAxes(model, known, far).unsure(one_coordinate).sum() == pytest.approx(stated, rel=0.25)


def test_tables_of_a_release_know_the_clip_and_how_public_people_spread(workspace):
    """As its file has them; a file whose numbers fit no axes is refused."""
    path = workspace.release(settings={"distances": NAMED})[0] / "shape_model.h5"
    model, settings = released_model.read(path)
    known = at_landmarks.beside_shapes(path, model, settings)
    with artifacts.reader(path, artifacts.SHAPE_MODEL) as source:
        assert 0.5 < source["kept_by_clip"] <= 1.0
        for name in ("kept_by_clip", "unclipped_share", "public_people"):
            np.testing.assert_array_equal(getattr(known, name), source[name])
        axes = np.vstack([known.axes, source["outside_axes"]])
        stated = np.einsum("ska,st,tlb->kalb", axes, source["public_at_size"], axes)
        np.testing.assert_array_equal(known.everybody, source["coordinate_covariance"])
        fields, kept = {name: source[name] for name in source.kind.fields}, source.provenance["settings"]
    assert known.public_people == 80
    # What lies beside all these axes is told of each landmark by itself.
    apart = np.arange(len(stated))[:, None] != np.arange(len(stated))
    np.testing.assert_allclose(
        np.moveaxis(known.public_at_size, 1, 2)[apart], np.moveaxis(stated, 1, 2)[apart], atol=1e-9 * stated.max()
    )
    assert np.einsum("kaka->", known.public_at_size) == pytest.approx(np.einsum("kaka->", known.public), rel=0.2)
    # Along an axis beside the released ones, without public people's covariance along it.
    beside = {"outside_axes": np.zeros((1, *fields["reference"].shape)), "public_covariance": np.zeros((0, 0))}
    assert known.effects is not None
    for name, worse in (
        ("public_at_size", {"public_at_size": np.eye(1)}),
        ("public_at_size", {"public_at_size": np.eye(len(known.axes) + 1), **beside}),
        ("public_mean", {"public_mean": np.zeros(len(known.axes) + 1)}),
        ("public_by_size", {"public_by_size": np.zeros(1)}),
    ):
        with artifacts.writer(path, artifacts.SHAPE_MODEL, kept) as out:
            out.set(**{**fields, **worse})
        with pytest.raises(ArtifactError, match=f"{name} fits no axes"):
            at_landmarks.beside_shapes(path, model, settings)


def test_a_distance_of_a_landmark_that_there_is_not_is_refused_before_noise(workspace):
    with pytest.raises(RefusedRelease, match=r"shapes\.distances\.length: names landmark 99 of 50"):
        workspace.release("mean", {"distances": {"length": [1, 99]}}, kind="mean_shape", covariates={})
    assert Ledger(workspace.path / "ledger").sum_spent("people").mu == 0


def test_a_mean_outline_has_no_distances(workspace, tmp_path):
    folder, _ = workspace.release("mean", kind="mean_shape", covariates={})
    show_release.show_release(folder)
    assert not (folder / "tables.html").exists()
    with pytest.raises(ArtifactError, match="no distances can be given for this release"):
        list(beside.write_tables(folder, tmp_path / "tables", tmp_path / "no_template.h5"))


def test_an_outline_has_tables_and_no_distances(workspace, tmp_path):
    folder, _ = workspace.release()
    list(beside.write_tables(folder, tmp_path / "tables", tmp_path / "no_template.h5"))
    written = {path.name for path in (tmp_path / "tables").iterdir()}
    assert written == {"anova.csv", "disparity.csv", "tables.html"}


def test_what_lies_outside_the_axes_is_as_large_as_public_people_say(folder):
    """The axes that are released and the others together hold all of public people's variance."""
    made = _few(folder)
    known, released = made.shaped.coordinates.variation, len(made.shaped.plan.axes)
    variances = known.held_out - known.means
    assert 0 < released < len(variances)
    outside = np.trace(made.shaped.beyond[0], axis1=-2, axis2=-1).sum()
    np.testing.assert_allclose(outside, variances[released:].sum() / variances[:released].sum(), rtol=1e-4)
    assert share_within(made.shaped.beyond) == pytest.approx((1 + outside) ** -0.5)


def test_an_interval_of_few_people_holds_what_is_missing(folder):
    """60 people at mu = 1: of the coefficients of their own regression 93 % at least lie within, which without what
    lies outside the axes and without the noise on the covariates beyond first order they do not.
    """
    made, held = _few(folder), []
    told = folder[1][:, None]
    people = as_real(np.load(folder[0] / "private.npz")["X"])
    truth = np.linalg.lstsq(
        np.hstack([np.ones((N, 1)), told]), made.shaped.coordinates.shapes.deviations(people), rcond=None
    )[0][1].reshape(people.shape[1:])
    contrast = np.array([0.0, 1.0])
    for seed in range(40):
        rows = np.random.default_rng(seed).choice(N, 60, replace=False)
        sums = made.sums(Rows(60, lambda start, stop, rows=rows: people[rows][start:stop], told[rows])).values
        fields = made.fields(*made.draw(sums, noise.SeededNoise(seed)))
        model = released_model.Released.from_fields({**fields, "radii": None, "scale": 1.0}, made.covariates)
        off = np.abs(as_landmarks(model.at(contrast)) - truth)
        half = (
            released_model.NORMAL_95 * np.sqrt(np.einsum("kdd->kd", one(contrast)[0]))
            for one in (model.covariance, lambda z, model=model: sum(model.covariances(z)))
        )
        held.append([np.mean(off <= one) for one in half])
    whole, first_order = np.mean(held, axis=0)
    assert whole >= 0.93
    assert whole > first_order


def test_the_share_of_an_effect_that_is_shown_falls_where_noise_hides_the_covariate(folder):
    made = _few(folder)
    sums = made.sums(Rows(0, lambda start, stop: np.zeros((0, *outlines.template().shape)), np.zeros((0, 1)))).values
    fields = made.fields(*made.draw(sums, noise.SeededNoise(0)))
    model = released_model.Released.from_fields({**fields, "radii": None, "scale": 1.0}, made.covariates)
    (given,) = made.covariates
    quiet = replace(model, moment_noise=model.moment_noise * 1e-3)
    loud = replace(model, moment_noise=model.moment_noise * 1e3)
    assert quiet.shown_share(given) == pytest.approx(share_within(made.shaped.beyond), rel=1e-4)
    noised = loud.moment_noise[1] * np.random.default_rng(0).standard_normal(10**5)
    expected = np.mean(60 * given.variance / np.maximum(noised, np.sqrt(2) * loud.moment_noise[1]))
    assert loud.shown_share(given) == pytest.approx(share_within(made.shaped.beyond) * expected, rel=0.01)


def _few(folder):
    """The model of 60 people at mu = 1, of one covariate."""
    public = as_real(np.load(folder[0] / "public.npz")["X"])
    ball = Ball(60, as_complex(landmark_shapes.find_frechet_mean(public)), 0.2, 12, public)
    return ShapeModel.from_ball(ball, 1.0, covariates.from_settings({"bent": COVARIATES["bent"]}), 3)


def _unit(x):
    centered = np.asarray(x) - np.mean(x, axis=-2, keepdims=True)
    return centered / np.linalg.norm(centered, axis=(-2, -1), keepdims=True)


class Silent:
    """The sums as they are."""

    def gaussian_integers(self, values, scale, sensitivity):
        return np.asarray(values, dtype=np.int64), 0.0


def test_landmarks_in_space_have_a_model_too():
    rng = np.random.default_rng(5)
    base = rng.standard_normal((12, 3))
    direction = rng.standard_normal((12, 3)) * 0.1
    people, public = (
        _unit(base + rng.standard_normal((count, 1, 1)) * direction + 0.02 * rng.standard_normal((count, 12, 3)))
        for count in (400, 60)
    )
    made = ShapeModel.from_ball(Ball(400, _unit(base), 0.3, 0, public), 2.0)
    sums = made.sums(Rows(400, lambda start, stop: people[start:stop], np.zeros((400, 0)))).values
    _, found = made.draw(sums, noise.SeededNoise(1))
    mode = np.tensordot(
        found.axes[0] * made.shaped.back[: made.moments.leading], made.shaped.axes[: made.moments.leading], axes=1
    )
    x = made.shaped.coordinates.shapes.deviations(people)
    best = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)[2][0].reshape(12, 3)
    assert found.shown >= 1 and abs(np.sum(as_landmarks(mode) * best)) > 0.95


def assessed(workspace, shapes, name, given=None, side=""):
    """(lines, z of each landmark) of a file with these shapes, beside the model."""
    path, output = workspace.path / f"{name}.npz", workspace.path / name
    np.savez(path, X=shapes)
    model = workspace.path / "results/release/shapes/model"
    lines = list(assessing.assess_landmarks(path, model, given or {}, output, side))
    return lines, np.genfromtxt(output / "landmarks.csv", delimiter=",", skip_header=1)[:, 2]


def test_one_landmark_in_twenty_of_held_out_specimens_is_far_from_the_model(workspace):
    workspace.release(budget={"mu_total": 3.0}, covariates={"log_size": {"range": [4.5, 5.5]}})
    model, settings = released_model.read(workspace.path / "results/release/shapes/model/shape_model.h5")
    shapes = bent(np.asarray(outlines.population(300, 9)[0]), BENT * np.random.default_rng(9).uniform(-1, 1, 300))
    curves = [assessment.prepare_specimen(one, model, settings) for one in shapes]
    sizes = landmark_shapes.log_sizes(shapes)
    found = [
        assessment.assess(one, model, {"log_size": f"{size:.5f}"}) for one, size in zip(curves, sizes, strict=True)
    ]
    assert 0.02 < np.mean([one.beyond for one in found]) < 0.08
    assert np.mean([one.farther for one in found]) == pytest.approx(0.5, abs=0.12)


def test_a_specimen_stands_beside_the_model_and_what_is_bent_is_told(workspace):
    workspace.release()
    specimen = np.asarray(outlines.population(1, 9)[0])
    bent_one = specimen.copy()
    bent_one[0, 19] += 0.08 * np.ptp(specimen[0], axis=0)
    usual, z = assessed(workspace, specimen, "usual")
    told, far = assessed(workspace, bent_one, "bent")
    assert "keep them as you keep the scan" in usual[0] and far[19] == far.max() > 4 > z.max()
    assert any(line.startswith("landmark 20 of the release is the most unusual") for line in told)
    assert any("log_size = " in line for line in told)  # its own, where none is given
    page = (workspace.path / "bent/index.html").read_text(encoding="utf-8")
    assert "One shape beside its norm" in page and page.count('<th scope="row">') == 50 and "<script" not in page
    turned = specimen @ [[0.0, 1.0], [-1.0, 0.0]] + 5
    assert assessed(workspace, turned, "turned")[1] == pytest.approx(z, abs=0.02)
    mirrored = specimen * [-1, 1]
    told, far = assessed(workspace, mirrored, "mirrored")
    assert told[1].startswith("notice: looks like a mirror image of the center; if") and far.max() > 4
    told, there = assessed(workspace, mirrored, "right", side="right")
    assert there == pytest.approx(z) and not any(line.startswith("notice") for line in told)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda one: np.concatenate([one, one]), "holds 2 specimens, and only one can be assessed"),
        (lambda one: one[:, :49], "49 landmarks of 2 coordinates, where the model has 50 of 2"),
        (lambda one: np.where(np.arange(50)[None, :, None] == 6, np.nan, one), "landmark 7 is missing"),
    ],
)
def test_what_is_no_whole_specimen_is_refused(workspace, change, words):
    workspace.release()
    with pytest.raises(ConfigError, match=words):
        assessed(workspace, change(np.asarray(outlines.population(1, 9)[0])), "other")
