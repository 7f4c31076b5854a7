"""Each kind of release says what every kind has to say, and has the parts that are asked of it."""

import inspect
import json
from pathlib import Path

import pytest

from shapedp.base import artifacts
from shapedp.base.runs import code_digest
from shapedp.base.settings import schema
from shapedp.base.settings.checks import BRANCHES
from shapedp.releases import allow_list, kinds
from shapedp.releases.protocol import Release
from shapedp.releases.statement import statement

EACH = pytest.mark.parametrize("kind", kinds.KINDS, ids=lambda kind: f"{kind.branch} {kind.name}")
IN_SETTINGS = [kind for kind in kinds.KINDS if kind.branch in BRANCHES]
HERE = Path(inspect.getfile(kinds)).parent


def test_the_folders_are_those_that_are_named():
    assert {path.parent.name for path in HERE.glob("*/__init__.py")} == set(kinds.FOLDERS)


@pytest.mark.parametrize("branch", ["faces", "shapes"])
def test_the_words_are_those_of_the_settings(branch):
    entry = schema.load_schema()["properties"][branch]["properties"]["releases"]["items"]["properties"]
    named = [kind for kind in kinds.KINDS if kind.branch == branch]
    assert {kind.name for kind in named} == set(entry["kind"]["enum"])
    assert kinds.find_mean(branch).name == entry["kind"]["default"]
    assert {name for kind in named for name in kind.settings} <= set(entry)


def test_what_is_released_is_in_words_of_the_schema_of_statements():
    release = json.loads(statement.SCHEMA.read_text(encoding="utf-8"))["properties"]["release"]["properties"]
    assert {kind.statistic for kind in kinds.KINDS} == set(release["statistic"]["enum"])


@EACH
def test_its_file_is_declared_published_and_may_lie_in_its_folder(kind):
    assert kind.artifact.released and artifacts.KINDS[kind.artifact_name] is kind.artifact
    assert allow_list.KINDS[kind.file] is kind.artifact
    assert kind.may_hold(kind.file) and not kind.may_hold("people.csv")
    others = [one for one in kinds.KINDS if one.file != kind.file]
    assert not any(kind.may_hold(one.file) for one in others)


@pytest.mark.parametrize("kind", IN_SETTINGS, ids=lambda kind: f"{kind.branch} {kind.name}")
def test_its_parts_are_there(kind):
    release = kind.part("release")
    assert issubclass(made := release.RELEASES[kind.branch], Release) and made.file == kind.file
    assert not kind.has_covariates or callable(release.read_covariates)
    shown = kind.part("shown").SHOWN[kind.file]
    assert shown.reading.strip()
    points = kind.part("points")
    assert callable(points.points) and (kind.branch == "faces" or callable(points.tps))
    assert not kind.has_forecast or callable(kind.part("forecast").lines)
    assert (kind.law is None) == (kind.mechanism() is None)
    assert kind.law is None or statement.list_mechanisms(kind.branch)[kind.law] is kind.mechanism()


@pytest.mark.parametrize(
    ("script", "parts", "apart"),
    [("release_faces", "release", "shown"), ("show_release", "shown", "forecast"), ("make_curves", "", "release")],
)
def test_a_script_depends_on_the_parts_that_it_asks_for_and_on_no_others(root, script, parts, apart):
    """A job runs again for a change of what its kind does, though a kind's modules are imported by their names."""
    files = set(code_digest.find_library_files(root / "scripts" / f"{script}.py"))
    assert not files & set(map(str, HERE.glob(f"*/{apart}.py")))
    assert set(map(str, HERE.glob(f"*/{parts}.py"))) <= files if parts else not files & set(map(str, HERE.rglob("*")))
