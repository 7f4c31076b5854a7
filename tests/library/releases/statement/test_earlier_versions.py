"""Releases of older versions, whose statement is version 2, stay readable by all that reads a release."""

import json

import pytest
from typer.testing import CliRunner

import shapedp
import write_pages
from library.releases import tampering
from library.releases.statement import earlier
from scripts.test_release_face_model import Workspace
from shapedp.app.cli import commands
from shapedp.base.runs import status
from shapedp.base.storage import files
from shapedp.ledger.ledger_folder import Ledger, check_published
from shapedp.ledger.restoring import read_published
from shapedp.releases import allow_list
from shapedp.releases.figures import release_files
from shapedp.releases.statement import forms
from shapedp.releases.viewer import board_page, release_page

pytestmark = pytest.mark.usefixtures("coarse_pictures")

MU = 20.0


@pytest.fixture(scope="module")
def shapes(tmp_path_factory):
    """(folder of a mean shape, the settings that made it)"""
    with pytest.MonkeyPatch.context() as patched:
        earlier.publish_as_then(patched)
        return tampering.released(tmp_path_factory.mktemp("shapes"))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a face model; another one lies beside it."""
    workspace = Workspace(tmp_path_factory.mktemp("model"))
    workspace.stack()
    with pytest.MonkeyPatch.context() as patched:
        earlier.publish_as_then(patched)
        workspace.release(mu=MU + 1, cap=100.0, name="again")
        return workspace.release(mu=MU, cap=100.0)[0]


def run(*arguments):
    done = CliRunner().invoke(commands.app, [str(one) for one in arguments])
    assert done.exit_code == 0, (done.output, done.exception)


def test_it_is_version_2_that_is_read(shapes, model):
    for folder in (shapes[0], model):
        assert json.loads((folder / "statement.json").read_text())["schema"] == earlier.VERSION


def test_programs_read_it(shapes, model):
    found = shapedp.read_release(shapes[0])
    assert found.statement["guarantee"]["mu"] == 1.0 and found.values["landmarks"].shape == (50, 2)
    assert shapedp.read_release(model).model.modes.ndim == 4
    for folder in (shapes[0], model):
        stated = json.loads((folder / "statement.json").read_text())
        assert "nist.md" in forms.write_forms(stated, folder.name)
        assert "not legal advice" in board_page.render_page(stated)


def test_pages_show_it(shapes, model, tmp_path):
    folder = shapes[0]
    assert "In the words of an older version" in release_page.render_page(folder)
    write_pages.show_in_report([folder / "statement.md"], [tmp_path / "statement.html"])
    files.write_text(tmp_path / "releases.html", release_page.render_overview([folder]))
    for page in tmp_path.iterdir():
        assert "In the words of an older version" in page.read_text()
    release_files.draw(model, "faces", model)
    assert "In the words of an older version" in release_page.render_page(model)


def test_a_run_sums_it_up_and_its_ledger_knows_it(shapes):
    folder, privacy = shapes
    assert any("formally private" in line for line in status.describe_results(folder.parents[2]))
    stated = read_published(folder.parents[1])
    population = privacy["population"]["shapes"]
    assert [fault for _, fault in check_published(Ledger(privacy["ledger"]), population, stated)] == [""]


def test_it_is_exported_compared_sampled_and_predicted(shapes, model, tmp_path):
    run("export", shapes[0] / "mean_shape.h5", tmp_path / "again.csv")
    run("sample", model, "-n", 3, "--output", tmp_path / "faces.npz")
    run("predict", model, "--age", 40, "--sex", "f", "--output", tmp_path / "p.ply")
    run("compare", model, model.with_name("again"), "--output", tmp_path / "c.html")
    assert len(list(tmp_path.iterdir())) == 4


def test_it_is_packed_and_one_that_was_changed_is_not(shapes):
    folder, privacy = shapes
    tampering.pack(folder, privacy)
    words = folder / "statement.md"
    before = words.read_text()
    words.write_text(before + "more\n")
    with pytest.raises(tampering.RefusedRelease, match="is not what the ledger"):
        tampering.pack(folder, privacy)
    words.write_text(before)


def test_words_of_today_must_follow_from_the_statement(tmp_path):
    folder, _ = tampering.released(tmp_path)
    (folder / "statement.md").write_text(earlier.WORDS)
    with pytest.raises(tampering.RefusedRelease, match=r"differs from statement\.json"):
        allow_list.check_statement(folder)
