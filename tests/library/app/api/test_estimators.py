"""A release from Python: recorded, published whole, returned again for nothing, refused beyond the cap."""

import numpy as np
import pytest

import shapedp
from shapedp.base.errors import ConfigError, MachineError, RefusedRelease, Rejected, StorageError
from shapedp.landmarks import outlines
from shapedp.ledger.ledger_folder import Ledger
from shapedp.surfaces.human_face.demo import faces as demo
from shapedp.surfaces.scans import Scan

SOURCES = {"bounds": "a public face model", "template": "built_in", "settings": "numbers of a paper"}


@pytest.fixture(scope="module")
def scans():
    rng = np.random.default_rng(8)
    return [Scan(demo.face(demo.random_weights(rng)), demo.triangles()) for _ in range(3)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def asked(folder):
    """What is asked for: the release's settings."""
    template = shapedp.Template.built_in(count=7, samples=20, rings=48, angles=96)
    return {
        "mu": 1.0,
        "tau": (0.022, 0.038, 0.032),
        "mechanism": "matched_joint",
        "worth_it_anyway": True,
        "population": "some",
        "cap": 1.2,
        "ledger": folder / "ledger",
        "folder": folder / "results/release/faces/first",
        "sources": SOURCES,
        "template": template,
    }


@pytest.fixture(scope="module")
def made(scans, asked):
    return shapedp.PrivateMeanFace(**asked).fit(scans)


@pytest.mark.parametrize("error", [MemoryError("200 GiB"), StorageError("no room"), MachineError("stopped")])
def test_what_the_machine_lacks_is_raised_and_becomes_no_scans_curves(scans, asked, monkeypatch, error):
    """As in the workflow, where the job is run again: else what runs beside would decide whose curves are taken."""

    def failing(*_):
        raise error

    monkeypatch.setattr("shapedp.app.api.estimators.map_scan", failing)
    with pytest.raises(type(error), match=str(error)):
        shapedp.FaceCurves(asked["template"]).fit().transform(scans)


@pytest.mark.slow
def test_the_release_is_private_recorded_and_read_back(made, asked):
    assert made.release_.formally_private
    assert made.mean_.shape == (7, 3, 20)
    assert (made.noise_sd_ > 0).all()
    (line,) = Ledger(asked["ledger"]).list_releases("some")
    assert (line["branch"], line["name"]) == ("faces", "first")
    assert Ledger(asked["ledger"]).sum_spent("some").mu == pytest.approx(1.0)


def test_its_noise_is_that_of_the_plan(made, asked):
    rms = made.release_.values["scale"] * np.sqrt(np.square(made.noise_sd_).sum(axis=1).mean())
    planned = shapedp.plan(3, 1.0, asked["tau"], size=made.release_.values["scale"], curves=7, samples=20)
    assert rms == pytest.approx(planned, rel=1e-6)


@pytest.mark.slow
def test_the_same_again_costs_nothing_and_is_the_same(made, scans, asked):
    again = shapedp.PrivateMeanFace(**asked).fit(scans)
    assert np.array_equal(again.mean_, made.mean_)
    assert len(Ledger(asked["ledger"]).list_releases("some")) == 1


@pytest.mark.slow
def test_beyond_the_cap_it_is_refused_and_nothing_is_drawn(made, scans, asked, folder):
    """Curves stand for scans here: how they were made is nothing to the ledger."""
    other = folder / "results/release/faces/second"
    curves = np.tile(asked["template"].curves, (len(scans), 1, 1, 1))
    with pytest.raises(RefusedRelease, match="budget exceeded"):
        shapedp.PrivateMeanFace(**{**asked, "mu": 0.9, "folder": other}).fit(curves)
    assert not other.exists()


def test_points_are_in_mm_curve_after_curve(made):
    release = made.release_
    assert np.allclose(release.points[20], release.values["scale"] * made.mean_[1, :, 0])


@pytest.fixture
def shapes_asked(tmp_path):
    """What is asked of 60 outlines, and these."""
    np.savez(tmp_path / "public.npz", X=outlines.population(80, 2)[0])
    asked = {
        "budget": {"mu_total": 3.0},
        "radius": 0.2,
        "reference_set": tmp_path / "public.npz",
        "population": "some",
        "cap": 9,
        "ledger": tmp_path / "ledger",
        "folder": tmp_path / "results/release/shapes/first",
        "sources": {"center": "a public set", "radius": "numbers of a paper", "settings": "numbers of a paper"},
    }
    return asked, outlines.population(60, 1)[0]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"radius": -0.1}, r"shapes\.radius: found -0\.1"),
        ({"radius": 2.0, "mechanism": "knorm", "budget": {"epsilon": 1}}, r"shapes\.radius: found 2\.0"),
        ({"radius": float("nan")}, r"shapes\.radius: found NaN"),
        ({"size": (4, 1)}, r"shapes\.size: the range \[4, 1\] is empty"),
        ({"budget": 1.0}, r"budget: found 1\.0, must be of type object"),
        ({"budget": {"mu": 1}}, r"budget\.mu: found 1, must be of type array"),
        ({"cap": 0}, r"privacy\.cap\.shapes\.mu_total: found 0"),
        ({"reference_set": None}, r"shapes\.reference_set: missing"),
        ({"sources": {}}, r"privacy\.sources\.radius: what is the radius based on"),
        ({"center": "private"}, r"shapes\.reference_set: has no meaning with center: private"),
    ],
)
def test_what_a_settings_file_may_not_say_is_refused_before_anything_is_asked(shapes_asked, wrong, words):
    asked, landmarks = shapes_asked
    with pytest.raises(ConfigError, match=words):
        shapedp.PrivateMeanShape(**asked | wrong).fit(landmarks)
    assert not asked["ledger"].exists()


def test_landmarks_and_covariates_that_cannot_be_used_are_told_and_release_all_the_same(shapes_asked, caplog):
    asked, landmarks = shapes_asked
    landmarks = landmarks.copy()
    landmarks[4] = np.nan
    asked = {key: one for key, one in asked.items() if key != "budget"} | {"mu": 3.0}
    model = shapedp.PrivateShapeModel(**asked, covariates={"sex": {"levels": ["f", "m"]}})
    with pytest.raises(ConfigError, match="covariates: 59 rows for 60 records"):
        model.fit(landmarks, covariates=[{"sex": "f"}] * 59)
    model.fit(landmarks, covariates=[{"sex": "x"}] * 60)
    assert list(model.rejected_) == [4] and "missing" in model.rejected_[4]
    assert model.unread_ == {"sex": list(range(60))} and model.release_.formally_private
    assert "sex: some records hold no value" in caplog.text and "some records cannot be used" in caplog.text
    shapedp.export(model.release_, asked["ledger"].parent / "tables", "csv")
    assert (asked["ledger"].parent / "tables" / "mean.csv").is_file()


def test_a_record_without_shape_is_named_with_its_file(tmp_path):
    landmarks = outlines.population(3, 1)[0]
    landmarks[1, 7] = np.nan
    np.savez(tmp_path / "hands.npz", X=landmarks)
    with pytest.raises(Rejected, match=r"hands\.npz: record 2, '.*', has no shape"):
        shapedp.read_shapes(tmp_path / "hands.npz")
    assert shapedp.read_shapes(tmp_path / "hands.npz", landmarks[0]).shape == landmarks.shape[:2]


@pytest.mark.parametrize(
    ("covariates", "words"),
    [
        ([{"gender": "f"}] * 60, "no record names sex; they name gender"),
        (None, "no record names sex; they name nothing"),
    ],
)
def test_a_covariate_that_no_record_names_is_refused_before_anything_is_spent(shapes_asked, covariates, words):
    """An effect of nothing was released, at the whole of its cost."""
    asked, landmarks = shapes_asked
    asked = {key: one for key, one in asked.items() if key != "budget"} | {"mu": 3.0}
    model = shapedp.PrivateShapeModel(**asked, covariates={"sex": {"levels": ["f", "m"]}})
    with pytest.raises(ConfigError, match=words):
        model.fit(landmarks, covariates=covariates)
    assert not asked["ledger"].exists()


def test_complex_shapes_and_public_arrays_release_what_files_do_in_a_folder_anywhere(shapes_asked, tmp_path):
    asked, landmarks = shapes_asked
    public, center = np.load(asked["reference_set"])["X"], outlines.template()
    asked |= {"folder": tmp_path / "mine"}
    complex_ones = landmarks[..., 0] + 1j * landmarks[..., 1]
    of_arrays = shapedp.PrivateMeanShape(**asked | {"center": center, "reference_set": public}).fit(complex_ones)
    np.save(tmp_path / "mine.center.npy", center)
    named = {"center": tmp_path / "mine.center.npy", "reference_set": tmp_path / "mine.reference_set.npy"}
    of_files = shapedp.PrivateMeanShape(**asked | named).fit(landmarks)
    np.testing.assert_array_equal(of_arrays.mean_, of_files.mean_)  # the stored release: the same was asked
    assert of_arrays.release_.formally_private and of_arrays.mean_.shape == center.shape


@pytest.mark.parametrize(("name", "given"), [("center", np.zeros((3, 2))), ("reference_set", np.zeros((50, 2)))])
def test_public_arrays_of_another_shape_are_refused_before_anything_is_spent(shapes_asked, name, given):
    asked, landmarks = shapes_asked
    with pytest.raises(ConfigError, match=rf"{name}: found an array of shape .*50, 2\).*Nothing was spent"):
        shapedp.PrivateMeanShape(**asked | {name: given}).fit(landmarks)
    assert not asked["ledger"].exists()


@pytest.mark.parametrize(("folder", "ledger"), [("mine", "mine/ledger"), ("ledger/mine", "ledger")])
def test_release_and_ledger_may_not_lie_inside_each_other(shapes_asked, tmp_path, folder, ledger):
    asked, landmarks = shapes_asked
    with pytest.raises(ConfigError, match="lies inside"):
        shapedp.PrivateMeanShape(**asked | {"folder": tmp_path / folder, "ledger": tmp_path / ledger}).fit(landmarks)
    assert not (tmp_path / folder / "statement.json").exists()


def test_a_mean_takes_no_covariates(shapes_asked):
    asked, landmarks = shapes_asked
    with pytest.raises(ConfigError, match="a mean takes no covariates"):
        shapedp.PrivateMeanShape(**asked).fit(landmarks, covariates=[{"sex": "f"}] * 60)


def test_arrays_of_another_shape_are_refused_in_words(tmp_path):
    template = shapedp.Template.built_in()
    with pytest.raises(ConfigError, match=r"curves: found an array of shape \(5, 3, 7\)"):
        shapedp.learn_variation(np.zeros((5, 3, 7)), template)
    with pytest.raises(ConfigError, match=r"curves: .* 1 NaN"):
        curves = np.tile(template.curves, (12, 1, 1, 1))
        curves[3, 0, 0, 0] = np.nan
        shapedp.learn_variation(curves, template)


@pytest.mark.parametrize("wrong", [{"n": 0, "mu": 1.0}, {"n": 100, "mu": -1.0}, {"n": 100, "mu": 1.0, "size": 0.0}])
def test_no_plan_is_made_of_what_is_no_positive_number(wrong):
    with pytest.raises(ConfigError, match="must be a positive number"):
        shapedp.plan(**wrong, known=(0.022, 0.038, 0.032))
