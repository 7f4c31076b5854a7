"""What is written from the schema: the files in the checkout are what it gives; the demo chooses little."""

import re

import pytest
import yaml

from shapedp.base import settings
from shapedp.base.errors import ConfigError
from shapedp.base.settings import checks, pages

RENAMED = {
    "faces.variation": {"modes": "directions", "shift": "assumed_mean_shift", "novelty": "assumed_shift_outside_modes"},
    "shapes": {"modes": "contour_modes"},
}
CHOICES = {  # all that the demo's settings say otherwise than the defaults
    *("faces.scans", "faces.keep", "faces.template", "faces.bounds.source", "faces.bounds.reference_set"),
    *(
        "faces.releases",
        "shapes.landmarks",
        "shapes.center",
        "shapes.radius",
        "shapes.contour_modes",
        "shapes.releases",
    ),
    *("privacy.population", "privacy.cap", "privacy.people", "privacy.tuned_on", "privacy.look_first"),
    *(f"privacy.sources.{name}" for name in ("settings", "template", "bounds", "center", "radius")),
}


@pytest.mark.parametrize("name", pages.compose_files())
def test_the_files_are_what_the_schema_gives(root, name):
    text = (root / name).read_text(encoding="utf-8")
    assert text == pages.compose_files()[name], "run: shapedp settings --write"


def test_the_written_settings_say_what_was_asked():
    assert yaml.safe_load(pages.compose_settings(pages.make_demo(), pages.DEMO)) == pages.make_demo()
    settings.check(pages.make_demo())


def test_the_demo_chooses_little():
    chosen = {name for name, one, _ in pages.list_keys(settings.schema.load_schema()) if "demo" in one}
    assert chosen == CHOICES


def test_every_line_of_the_demos_settings_fits_and_most_say_what_they_mean():
    lines = pages.compose_files()["config.yaml"].splitlines()
    assert max(map(len, lines)) <= pages.WIDTH
    keys = [line for line in lines if re.match(r" *[a-z_]+:", line)]
    assert sum("#" in line for line in keys) > 0.8 * len(keys)


def test_every_key_has_a_meaning():
    unsaid = [
        name
        for name, one, _ in pages.list_keys(settings.schema.load_schema())
        if "properties" not in one and not pages.describe_meaning(one)
    ]
    assert not unsaid


@pytest.mark.parametrize(("section", "old"), [(section, old) for section, names in RENAMED.items() for old in names])
def test_a_renamed_key_is_refused_with_its_new_name(section, old):
    given = pages.make_demo()
    found = given
    for name in section.split("."):
        found = found[name]
    found[old] = found.pop(RENAMED[section][old])
    with pytest.raises(ConfigError, match=f"{section}: the key '{old}' is now called '{RENAMED[section][old]}'"):
        settings.check(given)


def test_one_key_is_told_and_a_section_with_all_its_keys():
    (line,) = pages.describe_setting("faces.curves.count")
    assert line.startswith("faces.curves.count: a whole number from 2 to 200; default 64; J radial curves")
    assert len(list(pages.describe_setting("faces.curves"))) == 4
    assert not list(pages.describe_setting("faces.curve"))


def test_writing_again_changes_nothing(tmp_path):
    for name in pages.compose_files():
        (tmp_path / name).parent.mkdir(exist_ok=True)
    assert set(pages.write_files(tmp_path)) == set(pages.compose_files())
    assert not list(pages.write_files(tmp_path))
    assert checks.load(tmp_path / "config.yaml")["faces"]["curves"]["count"] == 64
