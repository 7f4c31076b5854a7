"""Growth through its script: one entry in the ledger, one statement that holds, files that are drawn again alike."""

import csv
import json
import zipfile

import h5py
import numpy as np
import pytest
import trimesh

import pack_releases
from library.privacy.learned import people
from scripts.test_release_face_model import N, Workspace, cells
from shapedp.app.cli import assessing, models, other_tools
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease
from shapedp.base.settings import checks
from shapedp.ledger.ledger_folder import Ledger
from shapedp.releases import allow_list
from shapedp.releases.figures import release_files
from shapedp.releases.kinds.growth import released as released_growth
from shapedp.releases.kinds.growth.release import read_public
from shapedp.releases.viewer import release_page
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.human_face import distances

pytestmark = pytest.mark.usefixtures("coarse_pictures")

AGE = {"age": {"spline": [20, 35, 60], "by": "sex"}, "sex": {"levels": ["f", "m"]}}


class Growth(Workspace):
    """A cohort with ages, and growth of it."""

    def release(self, told=None, name="by_age", seed=None, mu=4.0, cap=20.0, covariates=AGE):
        return super().release(told, name, seed, mu, cap, kind="growth", covariates=covariates)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    found = Growth(tmp_path_factory.mktemp("growth"))
    found.stack()
    return found


@pytest.fixture(scope="module")
def released(workspace):
    return workspace.release()


def test_growth_is_one_entry_and_one_statement_that_holds(workspace, released):
    folder, stated = released
    assert stated["formally_private"] and stated["guarantee"]["mu"] == 4.0
    assert stated["release"]["statistic"] == "face growth" and stated["release"]["n"] == N
    assert stated["settings"]["covariates"][0] == {"name": "age", **AGE["age"]}
    assert {one["name"]: one["origin"]["source"] for one in stated["bounds"]}["zeta"] == "config"
    assert Ledger(workspace.folder / "ledger").sum_spent("people").mu == pytest.approx(4.0)
    before = (folder / "growth.h5").read_bytes()
    workspace.release()
    assert (folder / "growth.h5").read_bytes() == before
    assert Ledger(workspace.folder / "ledger").sum_spent("people").mu == pytest.approx(4.0)


def test_its_files_are_on_the_list_and_drawn_again_to_the_byte(released):
    folder, _ = released
    release_files.draw(folder, "faces", folder)
    (folder / "index.html").write_text(release_page.render_page(folder), encoding="utf-8")
    allow_list.check_releases(folder.parents[1], release_page.render_page, release_files.draw)
    names = {path.name for path in folder.iterdir()}
    assert {f"age_{k}_{word}.ply" for k in (1, 2, 3) for word in ("low", "high")} <= names
    rows = list(csv.DictReader((folder / "growth.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 2 * released_growth.TOLD and float(rows[0]["age"]) == 20
    growth = released_growth.read(folder)
    assert float(rows[0]["people_mm"]) == pytest.approx(growth.apart(20.0), rel=1e-3)
    assert growth.locate({"age": "30", "sex": "m"}) == (30.0, 1.0)
    with pytest.raises(ConfigError, match=r"weight: is not a covariate of this growth; it has age, sex"):
        growth.locate({"weight": "70"})


def test_thirty_measures_of_it_are_published_and_packed(tmp_path, monkeypatch):
    """A template that carries the landmarks has rows in measures.csv, each with a measure's name before its numbers."""
    landmarks = tuple(distances.VERTICES)
    weights = np.zeros((len(landmarks), people.SHAPE[0], people.SHAPE[2]))
    for k, one in enumerate(weights):
        one[k % people.SHAPE[0], k] = 1.0
    monkeypatch.setattr(distances.FaceMeasures, "from_template", lambda _: distances.FaceMeasures(landmarks, weights))
    workspace = Growth(tmp_path)
    workspace.stack()
    folder, _ = workspace.release()
    release_files.draw(folder, "faces", folder)
    table = (folder / "measures.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(table.splitlines()))
    assert {row["measure"] for row in rows} == {name.replace(" ", "_") for name in distances.MEASURES}
    for row in rows:
        known = distances.BETWEEN_SCANS.get(row["measure"].replace("_", " "))
        assert row["between_scans_sd"] == ("" if known is None else f"{known:.3g}")
    allow_list.check_csv(b"measure,level\nface_height,1,\n", folder / "measures.csv")
    (folder / "index.html").write_text(release_page.render_page(folder), encoding="utf-8")
    asked = [("faces", "by_age")], {"ledger": tmp_path / "ledger", "population": {"faces": "people"}}
    pack_releases.pack_releases(folder.parents[1], tmp_path / "releases.zip", *asked)
    with zipfile.ZipFile(tmp_path / "releases.zip") as packed:
        assert packed.read("faces/by_age/measures.csv") == table.encode()
    for row in (
        "anna,1",
        "face height,1",
        "face_heights,1",
        "face_height",
        "face_height,",
        "face_height,1,,",
        "face_height,anna",
    ):
        with pytest.raises(RefusedRelease, match="it may not be published"):
            allow_list.check_csv(f"measure,level\n{row}\n".encode(), folder / "measures.csv")
    with pytest.raises(RefusedRelease, match="has the row 'face_height,1'"):
        allow_list.check_csv(b"level,age\nface_height,1\n", folder / "growth.csv")


def test_a_face_is_set_beside_it_where_a_model_would_stand(workspace, released, tmp_path, monkeypatch):
    folder, _ = released
    face = 150 * people.draw(1, 50)[0]
    monkeypatch.setattr(assessing, "run_chain", lambda *_: face)
    assert not assessing.is_shape_model(folder) and not assessing.is_shape_model(folder / "growth.h5")
    given = workspace.folder / "template.h5", {}
    for release in (folder, folder / "growth.h5"):
        lines = list(assessing.assess("scan.ply", release, *given, {"age": "30", "sex": "f"}, tmp_path / "assessed"))
        assert any("from the mean face at age = 30, sex = f" in line for line in lines)
        assert any(f"the norm is of {N} people" in line for line in lines)
    with pytest.raises(ConfigError, match="has no covariate bmi"):
        list(assessing.assess("scan.ply", folder, *given, {"bmi": "30"}, tmp_path / "assessed"))


def test_a_release_from_before_what_is_unseen_was_stated_is_read_without(released, tmp_path):
    folder, _ = released
    with artifacts.reader(folder / "growth.h5", artifacts.GROWTH) as source:
        then = source.kind.with_fields(**{one: kept for one, kept in source.kind.fields.items() if not kept.later})
        fields, settings = {name: source[name] for name in then.fields}, source.provenance["settings"]
    with artifacts.writer(tmp_path / "growth.h5", then, settings) as out:
        out.set(**fields)
    older, now = released_growth.read(tmp_path / "growth.h5"), released_growth.read(folder)
    assert now.unseen.min() > 0 and not older.unseen.any()
    np.testing.assert_allclose(now.squares(30.0) - older.squares(30.0), now.unseen, rtol=1e-6, atol=1e-12)


def test_its_mean_face_is_predicted_at_an_age_with_its_band_and_exported(released, tmp_path):
    folder, _ = released
    growth = released_growth.read(folder)
    lines = list(models.write_prediction(folder, {"age": "30", "sex": "m"}, tmp_path / "p.ply"))
    assert "the mean face at age = 30, sex = m" in lines[0]
    band = np.sqrt(np.mean(growth.band(30.0, 1.0) ** 2))
    assert lines[1].startswith(f"band, rms at a point: {band:.2g} mm") and "mm a year" in lines[3]
    wanted = curve_mesh.mesh(growth.at(30.0, 1.0), growth.radii)[0]
    np.testing.assert_allclose(trimesh.load(tmp_path / "p.ply", process=False).vertices, wanted, atol=1e-3)
    assert "sex in the middle of what was measured" in next(models.write_prediction(folder, {}, tmp_path / "p.ply"))
    models.write_mean(folder, tmp_path / "mean.ply")
    mean = curve_mesh.mesh(growth.mean, growth.radii)[0]
    np.testing.assert_allclose(trimesh.load(tmp_path / "mean.ply", process=False).vertices, mean, atol=1e-3)
    points = other_tools.read_points(folder)
    np.testing.assert_allclose(points.mean, mean)
    at_20 = curve_mesh.mesh(growth.at(20.0, -1.0), growth.radii)[0]
    np.testing.assert_allclose(mean + points.effects["age_1_low"], at_20, atol=1e-9)
    with pytest.raises(ArtifactError, match="by band of age, and no modes to draw from: shapedp predict"):
        list(models.write_samples(folder, 3, tmp_path / "sample.npz"))


WILD = ["", "?", "1e999", "-40", "nan", "17", "f", "60,5"]


def test_cells_decide_nothing_that_is_seen(tmp_path):
    """Whether it exists, its files, their sizes and the statement do not depend on ages, whatever the cells hold."""
    seen = []
    for told in (cells(), [(one, {"age": WILD[k % 8], "sex": WILD[-k % 8]}) for k, (one, _) in enumerate(cells())], []):
        workspace = Growth(tmp_path / str(len(seen)))
        workspace.folder.mkdir(exist_ok=True)
        workspace.stack()
        folder, stated = workspace.release(told)
        with h5py.File(folder / "growth.h5") as file:
            shapes = {name: one.shape for name, one in file.items()}
        stated = {key: value for key, value in stated.items() if key not in ("date", "budget")}
        seen.append((sorted(path.name for path in folder.iterdir()), shapes, json.dumps(stated)))
    assert seen[0] == seen[1] == seen[2]


def test_public_people_with_ages_are_read_and_others_left_out(workspace):
    asked = [one for one in released_growth.order_covariates(AGE)[:2] if one is not None]
    told = [*cells()[:50], ("person0060", {"age": "young", "sex": "f"})]
    public = workspace.folder / "curves.h5", told
    seen = read_public(workspace.folder / "template.h5", public, asked)
    assert len(seen.deviations) == len(seen.coded) == 50
    first = people.draw(N, 11)[0] - people.center()
    np.testing.assert_allclose(seen.deviations[0], first, atol=1e-6)
    assert seen.coded[0, 0] == pytest.approx((float(told[0][1]["age"]) - 40) / 20)
    assert read_public(workspace.folder / "template.h5", (public[0], []), asked) is None


@pytest.mark.parametrize(
    ("covariates", "complaint"),
    [
        ({"age": {"range": [3, 40]}}, "a growth takes one age"),
        ({"age": {"spline": [3, 18, 40]}, "sex": {"levels": ["f", "m"]}}, "a growth takes one age"),
        ({"age": {"spline": [3, 40, 18]}}, "knots must rise"),
        ({"age": {"spline": [3, 40], "by": "bmi"}, "bmi": {"range": [1, 2]}}, "needs levels"),
    ],
)
def test_settings_that_say_no_growth_are_refused(covariates, complaint):
    entry = {"name": "by_age", "kind": "growth", "mechanism": "shaped", "budget": {"mu_total": 1.0}}
    where, given = ("faces", "faces.releases.0"), (checks.load()["faces"], {"membership": "public", "sizes": {}})
    found = list(checks._find_entry_faults(*where, {**entry, "covariates": covariates}, *given))
    assert any(complaint in one for one in found), found
    assert list(checks._find_entry_faults(*where, {**entry, "covariates": AGE}, *given)) == []
