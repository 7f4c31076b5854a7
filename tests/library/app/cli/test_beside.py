"""What is made beside a stored release, by commands that leave its folder as it is."""

import csv
import json
import re
import shutil

import numpy as np
import pytest

import show_release
from library.privacy.learned import people
from library.releases import examples
from scripts import test_release_face_model
from scripts.test_release_face_model import Workspace
from shapedp.app.cli import beside
from shapedp.base import artifacts
from shapedp.base.artifacts import kinds
from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease
from shapedp.ledger import ledger_folder
from shapedp.releases import allow_list
from shapedp.releases.figures import release_files
from shapedp.releases.kinds.growth import released as released_growth
from shapedp.releases.viewer import board_page, release_page, tables_page
from shapedp.surfaces.human_face import distances

pytestmark = pytest.mark.usefixtures("coarse_pictures")

MANY = len(distances.VERTICES)


@pytest.fixture
def folder(tmp_path):
    """A stored release."""
    made = examples.output(tmp_path)
    book = ledger_folder.Ledger(tmp_path / "ledger")
    examples.publish(book, examples.request(), examples.stated(), examples.Draw(), made)
    return made


def test_a_board_gets_its_sheet_and_the_release_stays_as_it_is(folder, tmp_path):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    told = list(beside.write_board_sheet(folder, tmp_path / "sheet.html"))
    assert "questions answered" in told[0]
    assert (tmp_path / "sheet.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_nothing_is_put_into_a_release(folder):
    with pytest.raises(ConfigError, match="never changes"):
        list(beside.write_board_sheet(folder, folder / board_page.BOARD))


@pytest.mark.parametrize("name", ["sheet.pdf", "sheet"])
def test_a_sheet_is_a_page(folder, tmp_path, name):
    with pytest.raises(ConfigError, match=r"ends in \.html"):
        list(beside.write_board_sheet(folder, tmp_path / name))


def test_a_folder_without_a_release_and_a_changed_statement_are_refused(folder, tmp_path):
    with pytest.raises(ConfigError, match=r"holds no statement\.json"):
        list(beside.write_board_sheet(tmp_path, tmp_path / "sheet.html"))
    stated = folder / "statement.json"
    stated.write_text(stated.read_text(encoding="utf-8").replace('"n": 100', '"n": 1000'), encoding="utf-8")
    with pytest.raises(RefusedRelease, match=r"differs from statement\.json"):
        list(beside.write_board_sheet(folder, tmp_path / "sheet.html"))
    assert not (tmp_path / "sheet.html").exists()


def landmarks_on_grid():
    """Each landmark of public faces at a point of its own of the tests' small template."""
    names = tuple(distances.VERTICES)
    weights = np.zeros((len(names), people.SHAPE[0], people.SHAPE[2]))
    for k, one in enumerate(weights):
        one[k % people.SHAPE[0], k] = 1.0
    return distances.FaceMeasures(names, weights)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """(folder of a face model that knows no landmarks, its template)."""
    workspace = Workspace(tmp_path_factory.mktemp("model"))
    workspace.stack()
    return workspace.release(mu=5.0, cap=30.0)[0], workspace.folder / "template.h5"


@pytest.fixture(scope="module")
def model_with_landmarks(tmp_path_factory):
    """(folder of a face model that knows its landmarks, drawn as a run draws it, its template)."""
    workspace = Workspace(tmp_path_factory.mktemp("landmarks"))
    workspace.stack()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distances.FaceMeasures, "from_template", lambda _: landmarks_on_grid())
        folder = workspace.release(mu=5.0, cap=30.0)[0]
    show_release.show_release(folder)
    return folder, workspace.folder / "template.h5"


def test_a_model_gets_norms_and_an_analysis_and_spends_nothing(model, tmp_path, monkeypatch):
    monkeypatch.setattr(distances.FaceMeasures, "from_template", lambda _: landmarks_on_grid())
    folder, template = model
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    told = list(beside.write_tables(folder, tmp_path / "out", template))
    norm = list(csv.DictReader((tmp_path / "out/measures.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["measure"] for row in norm} == {name.replace(" ", "_") for name in distances.MEASURES}
    assert {(row["age"], row["sex"]) for row in norm} >= {("everybody", "everybody"), ("20", "f"), ("60", "m")}
    rows = list(csv.DictReader((tmp_path / "out/anova.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["effect"] for row in rows] == ["age", "sex", "residuals", "total"]
    assert all(0 <= float(row["r2"]) <= 1 and 0 < float(row["p"]) <= 1 for row in rows[:2])
    assert any(line.startswith("age explains") and "p = " in line for line in told)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_model_that_knows_its_landmarks_has_its_tables_in_its_folder(model_with_landmarks, tmp_path):
    folder, _ = model_with_landmarks
    assert {*tables_page.NAMES, "at_landmarks.h5"} <= {path.name for path in folder.iterdir()}
    allow_list.check_folder(folder, "faces", release_page.render_page)
    allow_list.check_drawings(folder, "faces", release_files.draw)
    page = (folder / "tables.html").read_text(encoding="utf-8")
    assert "20 of the 29 distances" in page and "sex explains" in page and "Morphospace" in page
    assert "Asymmetry index of the whole face" in page
    nose = f'<td class="number">{distances.BETWEEN_SCANS["nose width"]:.2f}</td></tr>'
    assert '<th scope="col" class=number>between scans</th>' in page and nose in page
    header, *_, last = (folder / "measures.csv").read_text(encoding="utf-8").splitlines()
    assert last.startswith("asymmetry_index,mm,") and header.count(",") == last.count(",")


def test_no_template_is_asked_for_where_landmarks_are_known(model_with_landmarks, tmp_path):
    folder, _ = model_with_landmarks
    list(beside.write_tables(folder, tmp_path / "out", tmp_path / "no_template.h5"))
    for name in tables_page.NAMES:
        assert (tmp_path / "out" / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("name", tables_page.NAMES)
def test_a_table_that_its_release_does_not_give_may_not_be_published(model_with_landmarks, tmp_path, name):
    folder = tmp_path / "results/release/faces/model"
    shutil.copytree(model_with_landmarks[0], folder)
    text = (folder / name).read_text(encoding="utf-8")
    at = max(text.rfind(digit) for digit in "0123456789")
    (folder / name).write_text(f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}", encoding="utf-8")
    with pytest.raises(RefusedRelease, match="differs from what its release gives"):
        allow_list.check_folder(folder, "faces", release_page.render_page)


def test_words_that_name_no_landmark_may_not_be_published(model_with_landmarks, tmp_path):
    folder = tmp_path / "results/release/faces/model"
    shutil.copytree(model_with_landmarks[0], folder)
    with artifacts.reader(folder / "at_landmarks.h5", artifacts.AT_LANDMARKS) as source:
        fields = {name: source[name] for name in artifacts.AT_LANDMARKS.fields}
    fields["names"] = ["Ada Lovelace", *fields["names"][1:]]
    with artifacts.writer(folder / "at_landmarks.h5", artifacts.AT_LANDMARKS) as out:
        out.set(**fields)
    with pytest.raises(ArtifactError, match="'Ada Lovelace' is neither a landmark of faces nor"):
        allow_list.check_folder(folder, "faces", release_page.render_page)


OWN = {"ear": [1.0, 2.0, 3.0], "temple": [2.0, 3.0, 4.0], "jaw angle": [3.0, 4.0, 5.0]}
GRID = 16, 32


def place_landmarks(workspace, names):
    """Write the template of a workspace again, a shallow cap with landmarks of its own."""
    path, radii, angles = workspace.folder / "template.h5", (np.arange(GRID[0]) + 0.5) / GRID[0], np.arange(GRID[1])
    turned = 2 * np.pi * angles / GRID[1]
    flat = radii[:, None, None] * np.stack([np.cos(turned), np.sin(turned)], axis=-1)
    cap = np.concatenate([flat, -0.2 * (flat**2).sum(axis=-1, keepdims=True)], axis=-1)
    with artifacts.reader(path, artifacts.TEMPLATE) as source:
        fields = {name: source[name] for name in artifacts.TEMPLATE.fields} | artifacts.no_people(GRID)
    fields |= {"f": cap, "cloud_f": cap, "cloud_places": np.zeros((*GRID, 2))}
    with artifacts.writer(path, kinds.with_landmarks(artifacts.TEMPLATE)) as out:
        places = [cap[3, 5], cap[9, 20], cap[12, 29]]
        out.set(**fields, landmark_names=list(names), landmark_points=places)


@pytest.fixture(scope="module", params=["face", "knee"])
def with_own_landmarks(request, tmp_path_factory):
    """(what is shown, {kind: folder}) of a model, a mean and a growth on a template with landmarks of its own."""
    workspace = Workspace(tmp_path_factory.mktemp(f"own_{request.param}"))
    place_landmarks(workspace, OWN)
    workspace.stack()
    section = {
        "landmarks": OWN,
        "distances": {"ear to jaw": ["ear", "jaw angle"], "slope": ["ear", "temple", "jaw angle"]},
    }
    section |= {"subject": request.param, "unit": "mm"} if request.param != "face" else {}
    folders = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(test_release_face_model, "FACES", {**test_release_face_model.FACES, **section})
        folders["model"] = workspace.release(mu=5.0, cap=30.0)[0]
        folders["mean"] = workspace.release(
            name="mean", kind="mean_face", reference="template", covariates={}, mu=5.0, cap=30.0
        )[0]
        ages = {"age": {"spline": [20, 35, 60]}}
        folders["growth"] = workspace.release(name="growth", kind="growth", covariates=ages, mu=5.0, cap=30.0)[0]
    for folder in folders.values():
        show_release.show_release(folder)
    return request.param, folders


@pytest.mark.parametrize("kind", ["model", "mean"])
def test_own_landmarks_have_their_distances_in_the_folder(with_own_landmarks, kind, tmp_path):
    """On pages that the folder gives to the last byte, and in the words of what is shown."""
    word, folders = with_own_landmarks
    folder = folders[kind]
    allow_list.check_folder(folder, "faces", release_page.render_page)
    allow_list.check_drawings(folder, "faces", release_files.draw)
    rows = list(csv.DictReader((folder / "measures.csv").read_text(encoding="utf-8").splitlines()))
    assert {(row["measure"], row["unit"]) for row in rows} == {("ear_to_jaw", "mm"), ("slope", "degrees")}
    assert all(float(row["mean_error"]) > 0 for row in rows)
    page = (folder / "tables.html").read_text(encoding="utf-8")
    assert "ear to jaw (mm)" in page and "slope (°)" in page
    assert bool(re.search(r"\bfaces?\b", page)) == (word == "face")
    stated = json.loads((folder / "statement.json").read_text(encoding="utf-8"))["settings"]["measures"]
    assert stated["landmarks"] == list(OWN) and [entry["name"] for entry in stated["distances"]] == [
        "ear to jaw",
        "slope",
    ]
    told = list(beside.write_tables(folder, tmp_path / "out", tmp_path / "no_template.h5"))
    assert any(line.startswith("2 of ") for line in told)
    for name in {"measures.csv", "tables.html"}:
        assert (tmp_path / "out" / name).read_bytes() == (folder / name).read_bytes()


def test_own_landmarks_have_their_distances_at_each_age_of_a_growth(with_own_landmarks, tmp_path):
    _, folders = with_own_landmarks
    folder = tmp_path / "results/release/faces/growth"
    shutil.copytree(folders["growth"], folder)
    allow_list.check_folder(folder, "faces", release_page.render_page)
    rows = list(csv.DictReader((folder / "measures.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["measure"] for row in rows} == {"ear_to_jaw", "slope"}
    assert all(float(row["known_to"]) > 0 and float(row["people_sd"]) > 0 for row in rows)
    measures = released_growth.read(folder).measures
    with artifacts.reader(folders["model"] / "at_landmarks.h5", artifacts.AT_LANDMARKS) as source:
        assert list(measures.landmarks) == list(source["names"])
        np.testing.assert_array_equal(measures.weights, source["weights"])
    assert "ear to jaw" in (folder / "index.html").read_text(encoding="utf-8")
    table = (folder / "measures.csv").read_text(encoding="utf-8")
    (folder / "measures.csv").write_text(table.replace("slope", "smith"), encoding="utf-8")
    with pytest.raises(RefusedRelease, match="has the row 'smith"):
        allow_list.check_folder(folder, "faces", release_page.render_page)


@pytest.mark.parametrize("kind", ["model", "mean"])
def test_a_name_that_the_settings_do_not_state_may_not_be_published(with_own_landmarks, kind, tmp_path):
    file, declared = {
        "model": ("at_landmarks.h5", artifacts.AT_LANDMARKS),
        "mean": ("mean_at_landmarks.h5", artifacts.MEAN_AT_LANDMARKS),
    }[kind]
    folder = tmp_path / f"results/release/faces/{kind}"
    shutil.copytree(with_own_landmarks[1][kind], folder)
    with artifacts.reader(folder / file, declared) as source:
        fields = {name: source[name] for name in declared.fields}
    with artifacts.writer(folder / file, declared) as out:
        out.set(**fields | {"names": ["ear", "temple", "smith"]})
    with pytest.raises(ArtifactError, match="'smith' is neither a landmark of faces nor"):
        allow_list.check_folder(folder, "faces", release_page.render_page)


def test_tables_are_no_part_of_a_release_and_take_its_own_template(model, tmp_path):
    folder, template = model
    with pytest.raises(ConfigError, match="never changes"):
        list(beside.write_tables(folder, folder, template))
    with pytest.raises(ConfigError, match=r"--template .*no such file"):
        list(beside.write_tables(folder, tmp_path / "out", tmp_path / "template.h5"))
    other = tmp_path / "other.h5"
    with artifacts.reader(template, artifacts.TEMPLATE) as source:
        fields = {name: source[name] for name in artifacts.TEMPLATE.fields}
    with artifacts.writer(other, artifacts.TEMPLATE) as out:
        out.set(**{**fields, "curves": fields["curves"] + 0.01})
    with pytest.raises(ArtifactError, match="is not the template"):
        list(beside.write_tables(folder, tmp_path / "out", other))
    assert not (tmp_path / "out").exists()


def test_a_mean_face_gets_its_means(folder, tmp_path, monkeypatch):
    """Of any template with landmarks and as many curves."""
    noisy = distances.FaceMeasures(tuple(distances.VERTICES), np.zeros((MANY, 2, 4)))
    noisy.weights[np.arange(MANY), np.arange(MANY) % 2, np.arange(MANY) % 4] = 1.0
    noisy.weights[np.arange(MANY), 0, 0] += np.linspace(0.1, 1, MANY)
    monkeypatch.setattr(beside, "_read_measures", lambda *_: noisy)
    (tmp_path / "template.h5").touch()
    told = list(beside.write_tables(folder, tmp_path / "out", tmp_path / "template.h5"))
    header, *rows = (tmp_path / "out/measures.csv").read_text(encoding="utf-8").splitlines()
    assert header == "measure,unit,mean,mean_error" and len(rows) == len(distances.MEASURES)
    assert "chance is not counted" in told[-1] and not (tmp_path / "out/anova.csv").exists()


def knees(folder, copy):
    """A copy of a release whose statement names another subject than faces."""
    shutil.copytree(folder, copy)
    stated = json.loads((copy / "statement.json").read_text(encoding="utf-8"))
    stated["settings"]["subject"] = "knee"
    (copy / "statement.json").write_text(json.dumps(stated), encoding="utf-8")
    return copy


def test_another_subject_gets_an_analysis_and_no_distances_of_faces(model, tmp_path):
    folder = knees(model[0], tmp_path / "knees")
    told = list(beside.write_tables(folder, tmp_path / "out", model[1]))
    written = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir()}
    assert set(written) == {"anova.csv", "disparity.csv", "tables.html"}
    assert any("knee" in line for line in told) and not any(re.search(r"\bfaces?\b", line) for line in told[1:])
    assert "mean knee" in written["tables.html"] and not re.search(r"\bfaces?\b", written["tables.html"])


def test_a_mean_of_another_subject_has_no_tables(folder, tmp_path):
    with pytest.raises(ConfigError, match=r"this release shows a knee; name points in faces\.landmarks"):
        list(beside.write_tables(knees(folder, tmp_path / "knees"), tmp_path / "out", tmp_path / "template.h5"))
