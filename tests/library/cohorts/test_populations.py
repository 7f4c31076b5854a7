"""What is called public must not be the private cohort itself."""

import pytest

from shapedp.cohorts import populations
from shapedp.errors import ConfigError


def faces(scans, reference_set, template="demo"):
    """The settings that say who is who."""
    return {
        "scans": str(scans),
        "persons": "refuse",
        "template": template,
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
            (tmp_path / folder / f"{index}.ply").touch()
    return tmp_path


def test_two_sets_with_the_same_file_names_are_two_sets(folders):
    found = populations.find(faces(folders / "private", folders / "public"))
    assert [len(found[name]) for name in ("faces", "reference")] == [3, 3]


def test_the_cohort_is_not_its_own_public_reference(folders):
    with pytest.raises(ConfigError, match=r"holds 3 scan\(s\) of faces\.scans"):
        populations.find(faces(folders / "private", folders / "private"))


def test_one_shared_scan_is_enough_even_through_a_link(folders):
    (folders / "public" / "also.ply").symlink_to(folders / "private" / "1.ply")
    with pytest.raises(ConfigError, match=r"holds 1 scan\(s\) of faces\.scans"):
        populations.find(faces(folders / "private", folders / "*ublic" / "*.ply"))


def test_the_demo_is_its_own_population_with_its_own_seed():
    found = faces("demo", "demo")
    populations.find(found)
    seeds = {populations.demo_settings(found, name)["seed"] for name in ("faces", "reference")}
    assert len(seeds) == 2


@pytest.mark.parametrize("template", ["1", "private/1.ply", "public/../private/1.ply"])
def test_a_template_from_the_cohort_is_private_by_id_and_by_path(folders, monkeypatch, template):
    monkeypatch.chdir(folders)
    settings = faces(folders / "private", folders / "public", template)
    assert populations.template_is_private(settings, populations.find(settings))


@pytest.mark.parametrize("template", ["demo", "public/1.ply"])
def test_a_template_from_elsewhere_is_public(folders, monkeypatch, template):
    monkeypatch.chdir(folders)
    settings = faces(folders / "private", folders / "public", template)
    assert not populations.template_is_private(settings, populations.find(settings))
