"""What is called public must not be the private cohort itself."""

import os
import shutil
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from shapedp.base.errors import ConfigError
from shapedp.people import populations, samples
from shapedp.surfaces.subjects.drawn import cells_of_drawn


def refuse(settings):
    """The populations, unless one that is called public is private."""
    found = populations.find(settings, cells_of_drawn)
    populations.refuse_private(settings, found)
    return found


def faces(scans, reference_set, template="built_in"):
    """The settings that say who is who."""
    return {
        "scans": str(scans),
        "persons": "refuse",
        "template": template,
        "bounds": {"source": "reference_set", "reference_set": str(reference_set), "reference_count": 10},
        "demo": {"count": 5, "bad": 0, "seed": 1, "later": None},
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
    found = populations.find(faces(folders / "private", folders / "public"), cells_of_drawn)
    assert [len(found[name]) for name in ("faces", "reference")] == [3, 3]


def test_a_cohort_that_is_not_there_is_named_with_those_that_are(folders):
    given = faces(folders / "private", "built_in")
    assert populations.find_cohort(given, "faces", cells_of_drawn) == populations.find(given, cells_of_drawn)["faces"]
    with pytest.raises(ConfigError, match="cohort 'refernce': these settings have 'faces' and 'reference'"):
        populations.find_cohort(given, "refernce", cells_of_drawn)


def test_a_public_set_that_is_missing_is_named_by_its_own_setting(folders):
    with pytest.raises(ConfigError, match=r"^faces\.bounds\.reference_set: .*nowhere' is neither a folder"):
        populations.find(faces(folders / "private", folders / "nowhere"), cells_of_drawn)


def test_the_cohort_is_not_its_own_public_reference(folders):
    with pytest.raises(ConfigError, match=r"a scan of faces\.scans, by path or link \(3 in all\)"):
        refuse(faces(folders / "private", folders / "private"))


@pytest.mark.parametrize("share", [os.symlink, os.link])
def test_one_shared_scan_is_enough_through_a_link(folders, share):
    share(folders / "private" / "1.ply", folders / "public" / "also.ply")
    with pytest.raises(ConfigError, match=r"faces\.bounds\.reference_set: '.*also.ply' is '.*1.ply', a scan of"):
        refuse(faces(folders / "private", folders / "*ublic" / "*.ply"))


def test_a_copy_is_told_and_decides_nothing(folders):
    """What a private file holds must not decide whether a release exists."""
    shutil.copy(folders / "private" / "1.ply", folders / "public" / "also.ply")
    shutil.copy(folders / "private" / "1.ply", folders / "template.ply")
    settings = faces(folders / "private", folders / "public", str(folders / "template.ply"))
    cohorts = refuse(settings)
    told = list(populations.describe_copies(settings, cohorts))
    assert [line.split(":")[0] for line in told] == ["faces.bounds.reference_set", "faces.template"]
    assert all("1 of its files hold the same" in line for line in told)


def test_another_number_of_persons_than_declared_is_refused():
    populations.refuse_other_number("faces", {"faces": 3}, 3, "scans")
    populations.refuse_other_number("faces", {}, 3, "scans")
    with pytest.raises(ConfigError, match=r"privacy\.people\.faces: 4 persons are declared, 'scans' lists 3"):
        populations.refuse_other_number("faces", {"faces": 4}, 3, "scans")


def test_the_demo_is_its_own_population_with_its_own_seed():
    found = faces("formula", "formula")
    populations.find(found, cells_of_drawn)
    seeds = {populations.complete_demo_settings(found, name)["seed"] for name in ("faces", "reference")}
    assert len(seeds) == 2


def test_a_template_from_the_cohort_is_private_by_its_id(folders):
    settings = faces(folders / "private", folders / "public", "1")
    assert populations.template_is_private(settings, refuse(settings))


@pytest.mark.parametrize("template", ["private/1.ply", "public/../private/1.ply", "link.ply"])
def test_a_template_file_that_is_a_face_of_the_cohort_is_refused(folders, monkeypatch, template):
    monkeypatch.chdir(folders)
    (folders / "link.ply").symlink_to(folders / "private" / "1.ply")
    with pytest.raises(ConfigError, match=r"faces\.template: '.*' is '.*1\.ply', a scan of faces\.scans"):
        refuse(faces(folders / "private", folders / "public", template))


def test_a_scan_under_two_ids_is_told_with_both(folders):
    shutil.copy(folders / "private" / "1.ply", folders / "private" / "again.ply")
    found = populations.find(faces(folders / "private", folders / "public"), cells_of_drawn)
    (line,) = populations.describe_repeats(found["faces"])
    assert "'1' (1.ply), 'again' (again.ply)" in line
    one = [replace(member, person="anna") for member in found["faces"]]
    assert list(populations.describe_repeats(one)) == []
    assert len(found["faces"]) == 4, "the verdict stays with what is declared"


@pytest.mark.parametrize("template", ["built_in", "public/1.ply"])
def test_a_template_from_elsewhere_is_public(folders, monkeypatch, template):
    monkeypatch.chdir(folders)
    settings = faces(folders / "private", folders / "public", template)
    assert not populations.template_is_private(settings, refuse(settings))


@pytest.mark.parametrize("branch", ["faces", "shapes"])
@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        ({"covariates": {"age": {}, "bmi": {}}}, "bmi"),
        ({"per": {"yeers": [0.5, 10]}}, "yeers"),
        ({"covariates": {"AGE": {}}}, None),
        ({"per": {"years": [0.5, 10]}}, None),
    ],
)
def test_a_column_that_the_sheet_lacks_is_refused_whatever_it_is_for(branch, asked, missing):
    given = branch, [{"name": "one", **asked}], ["age", "Years"], "people.tsv"
    if missing is None:
        populations.refuse_unknown_columns(*given)
        return
    words = rf"{branch}.releases 'one': 'people.tsv' has no column {missing}, which .* name; it has: Years, age"
    with pytest.raises(ConfigError, match=words):
        populations.refuse_unknown_columns(*given)


def test_the_size_of_landmarks_needs_no_column():
    populations.refuse_unknown_columns("shapes", [{"name": "one", "covariates": {"log_size": {}}}], [], "sheet.csv")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"kind": "mean_change", "times": ["pre", "late"]}, "'change': 0 people are listed at 'pre' and 'late'"),
        ({"kind": "mean_change", "times": ["pre", "post"]}, "'change': 1 people are listed at 'pre' and 'post'"),
        ({"kind": "mean", "time": "post"}, r"'change': 1 people .* `time` of 'people.tsv', which says: 'post', 'pre'"),
    ],
)
def test_times_that_fewer_than_two_people_have_are_refused_at_the_start(entry, words):
    times = [("a", "pre"), ("a", "post"), ("b", "pre")]
    members = [samples.Sample(who + time, "", who, time=time) for who, time in times]
    with pytest.raises(ConfigError, match=words):
        populations.refuse_lacking_times("faces", [{"name": "change", **entry}], members, "people.tsv")
    populations.refuse_lacking_times("faces", [{"name": "all"}, {"name": "pre", "time": "pre"}], members, "people.tsv")


def test_demo_people_have_the_covariates_that_the_docs_ask_for():
    text = (Path(__file__).parents[3] / "docs/face_models.md").read_text(encoding="utf-8")
    snippet = text.split("## Settings\n\n")[1].split("\n\nCovariates")[0]
    settings = yaml.safe_load(textwrap.dedent(snippet))
    demo = {"count": 3, "bad": 1, "seed": 5, "camera": "scanner", "later": None}
    asked = {
        "scans": "demo",
        "demo": demo,
        "persons": "refuse",
        "bounds": {"source": "reference_set", "reference_set": "built_in", "reference_count": 3},
        **settings,
    }
    members = populations.find(asked, cells_of_drawn)["faces"]
    populations.refuse_unknown_columns("faces", asked["releases"], dict(members[0].covariates), "demo")
    assert [sorted(dict(one.covariates)) for one in members] == [["age", "sex"]] * 3 + [[]]
    for release in settings["releases"]:
        for name, about in release["covariates"].items():
            cells = {dict(one.covariates)[name] for one in members[:3]}
            low, high = about.get("range", (0, 0))
            assert cells <= set(about.get("levels", ())) or all(low <= int(cell) <= high for cell in cells)


def test_public_scans_of_ones_own_may_stand_beside_the_built_in_people(folders):
    settings = faces(folders / "private", folders)
    settings["bounds"] |= {"reference_set": ["built_in", str(folders / "public")], "reference_count": 4}
    found = populations.find(settings, cells_of_drawn)["reference"]
    assert [one.id for one in found] == ["0", "1", "2"] + [f"face_{i:04d}" for i in range(1, 5)], "own people first"
    assert populations.count_own_people(settings, {"reference": found}) == 3
    assert [one.id for one in populations.select_brought(settings, "reference", found)] == ["0", "1", "2"]
    assert populations.find_drawn_word(settings, "reference") == "built_in"
    assert populations.find_drawn_word(settings, "faces") is None
    alone = {**settings, "bounds": {**settings["bounds"], "reference_set": str(folders / "public")}}
    assert (
        populations.count_own_people(alone, {"reference": populations.find(alone, cells_of_drawn)["reference"]}) == 0
    ), "nobody is drawn"
    settings["bounds"]["reference_set"].append(str(folders / "public" / "*.ply"))
    with pytest.raises(ConfigError, match="two of the sets hold a scan of the same name"):
        populations.find(settings, cells_of_drawn)


def test_what_is_learned_of_public_people_does_not_follow_from_whether_a_change_is_released(folders):
    """Their second scans serve the changes alone: a mean face that is released would be another one, and charged."""
    (folders / "public" / "own.tsv").write_text("id\tpath\ttime\n" + "0\t0.ply\tsecond\n1\t1.ply\tfirst\n")
    mean = faces(folders / "private", "built_in")
    mean["bounds"] |= {"reference_set": ["built_in", str(folders / "public" / "own.tsv")], "reference_count": 4}
    both = mean | {"releases": [*mean["releases"], {"name": "change", "kind": "mean_change"}]}
    alone, beside = (populations.find(settings, cells_of_drawn)["reference"] for settings in (mean, both))
    assert len(beside) == len(alone) + 4
    ids = [one.id for one in populations.select_stacked(both, "reference", beside)]
    assert ids == [one.id for one in populations.select_stacked(mean, "reference", alone)] == [one.id for one in alone]
    own = populations.find(both, cells_of_drawn)["faces"]
    assert populations.select_stacked(both, "faces", own) == own


def test_private_people_in_one_of_several_public_sets_are_refused(folders):
    settings = faces(folders / "private", folders)
    settings["bounds"]["reference_set"] = ["built_in", str(folders / "private")]
    with pytest.raises(ConfigError, match=r"a scan of faces\.scans, by path or link \(3 in all\)"):
        refuse(settings)


LEFT = {"leave_out": [17, 3], "pairs": [[1, 2]], "semilandmarks": [[2, 4, 5]], "links": [[16, 18], [50, 1]]}


def test_landmarks_are_numbered_as_they_stand_once_some_are_left_out():
    found = populations.renumber_landmarks(LEFT)
    assert (
        found["pairs"] == [[1, 2]] and found["semilandmarks"] == [[2, 3, 4]] and found["links"] == [[15, 16], [48, 1]]
    )
    assert LEFT["links"] == [[16, 18], [50, 1]]  # whoever reads the settings again finds the files' numbers
    none = LEFT | {"leave_out": []}
    assert populations.renumber_landmarks(none) == none


@pytest.mark.parametrize("name", populations.NUMBERED)
def test_a_setting_that_names_a_landmark_that_is_left_out_is_refused(name):
    with pytest.raises(ConfigError, match=rf"shapes\.{name}: \[1, 3, 5\] names landmark 3, which shapes\.leave_out"):
        populations.renumber_landmarks(LEFT | {name: [[1, 3, 5]]})


def test_distances_that_have_names_are_renumbered_and_refused_alike():
    named = {"length": [1, 18], "angle": [2, 4, 50]}
    found = populations.renumber_landmarks(LEFT | {"distances": named})
    assert found["distances"] == {"length": [1, 16], "angle": [2, 3, 48]}
    with pytest.raises(ConfigError, match=r"shapes\.distances\.length: names landmark 3, which shapes\.leave_out"):
        populations.renumber_landmarks(LEFT | {"distances": {"length": [1, 3]}})
