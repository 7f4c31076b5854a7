"""What is called public must not be the private cohort itself."""

import os
import shutil
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from shapedp.cohorts import populations, samples
from shapedp.errors import ConfigError


def refuse(settings):
    """The populations, unless one that is called public is private."""
    found = populations.find(settings)
    populations.refuse_private(settings, found)
    return found


def faces(scans, reference_set, template="demo"):
    """The settings that say who is who."""
    return {
        "scans": str(scans),
        "persons": "refuse",
        "template": template,
        "correspondence": None,
        "bounds": {"source": "reference_set", "reference_set": str(reference_set), "reference_count": 10},
        "demo": {"count": 5, "bad": 0, "seed": 1},
        "releases": [{"name": "mean_face"}],
    }


@pytest.fixture
def folders(tmp_path):
    """Two folders of three scans each, with the same file names."""
    for folder in ("private", "public"):
        (tmp_path / folder).mkdir()
        for index in range(3):
            (tmp_path / folder / f"{index}.ply").write_text(f"{folder} {index}")
    return tmp_path


def test_two_sets_with_the_same_file_names_are_two_sets(folders):
    found = populations.find(faces(folders / "private", folders / "public"))
    assert [len(found[name]) for name in ("faces", "reference")] == [3, 3]


def test_the_cohort_is_not_its_own_public_reference(folders):
    with pytest.raises(ConfigError, match=r"holds 3 scan\(s\) of faces\.scans"):
        refuse(faces(folders / "private", folders / "private"))


@pytest.mark.parametrize("share", [os.symlink, os.link, shutil.copy])
def test_one_shared_scan_is_enough_through_a_link_or_as_a_copy(folders, share):
    share(folders / "private" / "1.ply", folders / "public" / "also.ply")
    with pytest.raises(
        ConfigError, match=r"holds 1 scan\(s\) of faces\.scans, by path, link or content, such as '.*also"
    ):
        refuse(faces(folders / "private", folders / "*ublic" / "*.ply"))


def test_the_demo_is_its_own_population_with_its_own_seed():
    found = faces("demo", "demo")
    populations.find(found)
    seeds = {populations.demo_settings(found, name)["seed"] for name in ("faces", "reference")}
    assert len(seeds) == 2


def test_a_template_from_the_cohort_is_private_by_its_id(folders):
    settings = faces(folders / "private", folders / "public", "1")
    assert populations.template_is_private(settings, refuse(settings))


@pytest.mark.parametrize("template", ["private/1.ply", "public/../private/1.ply", "link.ply", "copy.ply"])
def test_a_template_file_that_is_a_face_of_the_cohort_is_refused(folders, monkeypatch, template):
    monkeypatch.chdir(folders)
    (folders / "link.ply").symlink_to(folders / "private" / "1.ply")
    shutil.copy(folders / "private" / "1.ply", folders / "copy.ply")
    with pytest.raises(ConfigError, match=r"faces\.template: '.*' is '.*1\.ply', a scan of faces\.scans"):
        refuse(faces(folders / "private", folders / "public", template))


def test_a_scan_under_two_ids_is_told_with_both(folders):
    shutil.copy(folders / "private" / "1.ply", folders / "private" / "again.ply")
    found = populations.find(faces(folders / "private", folders / "public"))
    (line,) = populations.told_repeats(found["faces"])
    assert "'1' (1.ply), 'again' (again.ply)" in line
    one = [replace(member, person="anna") for member in found["faces"]]
    assert list(populations.told_repeats(one)) == []
    assert len(found["faces"]) == 4, "the verdict stays with what is declared"


@pytest.mark.parametrize("template", ["demo", "public/1.ply"])
def test_a_template_from_elsewhere_is_public(folders, monkeypatch, template):
    monkeypatch.chdir(folders)
    settings = faces(folders / "private", folders / "public", template)
    assert not populations.template_is_private(settings, refuse(settings))


def test_a_covariate_that_is_no_column_is_refused():
    members = [samples.Sample("a", "a.ply", "a", covariates=(("age", "30"),))]
    asked = {"scans": "people.tsv", "releases": [{"name": "model", "covariates": {"age": {}, "bmi": {}}}]}
    with pytest.raises(ConfigError, match=r"'model': the covariate\(s\) bmi are no columns of 'people.tsv'.*: age"):
        populations.refuse_unknown_columns(asked, members)


def test_demo_people_have_the_covariates_that_the_docs_ask_for():
    text = (Path(__file__).parents[3] / "docs/face_models.md").read_text(encoding="utf-8")
    snippet = text.split("## Settings\n\n")[1].split("\n\nCovariates")[0]
    settings = yaml.safe_load(textwrap.dedent(snippet))
    demo = {"count": 3, "bad": 1, "seed": 5}
    asked = {
        "scans": "demo",
        "demo": demo,
        "bounds": {"source": "reference_set", "reference_set": "demo", "reference_count": 3},
        **settings,
    }
    members = populations.find(asked)["faces"]
    populations.refuse_unknown_columns(asked, members)
    assert [sorted(dict(one.covariates)) for one in members] == [["age", "sex"]] * 3 + [[]]
    for release in settings["releases"]:
        for name, about in release["covariates"].items():
            cells = {dict(one.covariates)[name] for one in members[:3]}
            low, high = about.get("range", (0, 0))
            assert cells <= set(about.get("levels", ())) or all(low <= int(cell) <= high for cell in cells)
