"""A bad setting is named with its path, its value and what is allowed."""

import copy
import re

import pytest

from shapedp.base.errors import ConfigError
from shapedp.base.settings import checks


@pytest.fixture
def settings():
    """As shipped, but with a mechanism whose bounds may come from anywhere."""
    found = copy.deepcopy(checks.load())
    found["faces"]["releases"][0]["mechanism"] = "matched_joint"
    return found


def change(settings, path, value):
    *parents, last = path.split(".")
    for key in parents:
        settings = settings[int(key) if key.isdigit() else key]
    settings[last] = value


def test_the_settings_as_shipped_are_accepted():
    settings = checks.load()
    assert checks.check(settings) == settings


def test_shaped_takes_its_bounds_from_the_reference_set_and_one_budget(settings):
    settings["faces"]["releases"][0] |= {"mechanism": "shaped", "bounds": "data", "budget": {"mu": [0.2, 0.2, 0.5]}}
    with pytest.raises(ConfigError, match=r"(?s)shaped learns from the reference set.*shaped takes mu_total"):
        checks.check(settings)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("faces.bath_size", 5, "faces: unknown key 'bath_size'; did you mean 'batch_size'?"),
        ("faces.batch_size", 0, "faces.batch_size: found 0, allowed: faces for one job, or `auto`"),
        ("faces.kernel.alpha", 1.5, "faces.kernel.alpha: found 1.5, must be <= 1"),
        ("faces.kernel.phi", [0.01, 0, 0.1], "faces.kernel.phi.1: found 0, must be > 0"),
        ("faces.curves.samples", 81, "faces.curves.samples: found 81, must be a multiple of 2"),
        ("faces.center", "ear", 'faces.center: found "ear", allowed: nose, highest, boundary'),
        ("faces.releases.0.mechanism", "matchd", "did you mean 'matched'?"),
        ("faces.releases.0.budget", {"mu_total": -1}, "faces.releases.0.budget.mu_total: found -1, must be > 0"),
        ("faces.releases.0.budget", {"epsilon": 1}, "faces.releases.0.budget: matched_joint takes mu_total or mu"),
        ("faces.releases.0.bounds", "public", "faces.bounds.tau is missing"),
        ("faces.releases.0.name", "../up", "letters, digits"),
        (
            "faces.releases.0.time",
            " après",
            '0.time: found " après", allowed: words as they stand in a cell',
        ),
        ("privacy.population.faces", "Étude 1", 'found "Étude 1", allowed: letters, digits, _ and -'),
        ("faces.releases.0.group", "a", "private membership needs a public size for 'a'"),
        ("faces.mesh.refused_hole", 0.001, "must be at least faces.mesh.largest_hole"),
        ("shapes.releases.0.budget", {"epsilon": 1}, "shapes.releases.0.budget: shaped takes mu_total"),
        ("shapes.radius", float("nan"), "shapes.radius: found NaN, allowed: a public number"),
        ("shapes.size", [4, 1], "shapes.size: the range [4, 1] is empty"),
        ("shapes.center", "reference_set", "shapes.reference_set: missing"),
        ("shapes.center", "private", "shapes.landmark_count: missing"),
        ("shapes.releases.0.mechanism", "kng", "shapes.releases.0.mechanism: kng gives no guarantee"),
        ("privacy.ledger", "results/ledger", "must lie outside results/"),
        ("privacy.seed", 1.5, "privacy.seed: found 1.5"),
    ],
)
def test_each_fault_is_named(settings, path, value, words):
    change(settings, path, value)
    with pytest.raises(ConfigError) as caught:
        checks.check(settings)
    assert words in str(caught.value)


@pytest.mark.parametrize("branch", ["faces", "shapes"])
def test_times_and_groups_are_any_words_of_a_cell(settings, branch):
    entry = {"name": "change", "kind": "mean_change", "mechanism": "shaped", "budget": {"mu_total": 1.0}}
    settings["shapes"]["sheet"], settings["privacy"]["groups"]["membership"] = "sheet.csv", "public"
    settings[branch]["releases"] = [entry | {"times": ["avant", "après 6 mois"], "group": "traité (2)"}]
    checks.check(settings)


@pytest.mark.parametrize("entry", [{"kind": "mean_change", "times": ["1", "2"]}, {"kind": "asymmetry"}])
def test_what_shows_a_palsy_is_not_made_of_neutralised_faces_unless_somebody_says_so(settings, entry):
    entry = {"name": "change", "mechanism": "shaped", "budget": {"mu_total": 1.0}} | entry
    settings["privacy"]["groups"]["membership"] = "public"
    settings["faces"] |= {"releases": [entry], "expression": "neutral"}
    with pytest.raises(ConfigError, match="although_expression: true"):
        checks.check(settings)
    entry["although_expression"] = True
    checks.check(settings)
    settings["faces"] |= {"releases": [entry | {"although_expression": False}], "expression": "as_scanned"}
    checks.check(settings)


def test_a_mean_has_nothing_to_agree_to_about_expressions(settings):
    change(settings, "faces.releases.0.although_expression", True)
    with pytest.raises(ConfigError, match="belongs to a mean_change or an asymmetry"):
        checks.check(settings)


def test_a_mechanism_that_learns_needs_a_reference_set_whatever_bounds_the_others(settings):
    settings["faces"]["bounds"] |= {"source": "public", "tau": [1.0, 1.0, 1.0], "reference_set": None}
    settings["privacy"]["sources"]["bounds"] = "anthropometry"
    checks.check(settings)
    settings["faces"]["releases"][0]["mechanism"] = "shaped"
    with pytest.raises(ConfigError, match=r"faces\.bounds\.reference_set: missing"):
        checks.check(settings)


def test_a_size_is_asked_of_a_mechanism_that_releases_it(settings):
    settings["shapes"]["size"] = [1000, 4000]
    checks.check(settings)
    settings["shapes"]["releases"][0]["mechanism"] = "gaussian"
    with pytest.raises(ConfigError, match=r"shapes\.releases\.0\.mechanism: gaussian cannot release sizes"):
        checks.check(settings)


def test_a_missing_section_is_named(settings):
    del settings["privacy"]
    with pytest.raises(ConfigError, match="missing key 'privacy'"):
        checks.check(settings)


def test_all_faults_are_told_at_once(settings):
    change(settings, "faces.center", "ear")
    change(settings, "simulation.scale", "huge")
    with pytest.raises(ConfigError) as caught:
        checks.check(settings)
    assert "faces.center" in str(caught.value)
    assert "simulation.scale" in str(caught.value)


def test_a_name_that_stands_twice_is_refused(settings):
    settings["faces"]["releases"] *= 2
    with pytest.raises(ConfigError, match="the name 'mean_face' stands twice"):
        checks.check(settings)


def test_text_that_is_not_yaml_is_refused(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("faces: [", encoding="utf-8")
    with pytest.raises(ConfigError, match="not valid YAML"):
        checks.load(path)


def own(found, **declared):
    """Settings for scans of one's own, with the demo's template and reference set."""
    found["faces"]["scans"], found["shapes"] = "scans", None
    found["privacy"]["people"] = {"faces": 40}
    found["privacy"]["sources"] |= declared
    return found


def test_nothing_is_released_of_people_whose_number_nobody_declared(settings):
    found = own(settings, settings="as shipped")
    found["privacy"]["people"] = {}
    with pytest.raises(ConfigError, match=r"privacy\.people: missing key 'faces': how many persons there are"):
        checks.check(found)
    found["faces"]["releases"] = []
    checks.check(found)


def test_whose_people_they_are_their_settings_must_be_declared_in_words(settings):
    with pytest.raises(ConfigError, match=r"privacy\.sources\.settings: how were the settings chosen") as refused:
        checks.check(own(settings))
    assert "sources.template" not in str(refused.value) and "sources.bounds" not in str(refused.value)
    checks.check(own(settings, settings="as shipped"))


def test_a_laboratory_declares_for_its_part_what_it_would_for_a_release(settings):
    """Its part is planned from them; without, `study contribute` ended in a traceback."""
    found = own(settings)
    found["faces"] |= {"releases": [], "study": {"file": "rhine/study.yaml"}}
    del found["privacy"]["sources"], found["privacy"]["tuned_on"]
    checks.check(copy.deepcopy(found))  # a plan for releases to be pooled: nothing is released yet
    found["faces"]["study"]["lab"] = "bergen"
    with pytest.raises(ConfigError, match=r"privacy\.tuned_on: missing") as refused:
        checks.check(copy.deepcopy(found))
    assert all(f"privacy.sources.{name}:" in str(refused.value) for name in ("settings", "template", "bounds"))
    declared = {"settings": "agreed", "template": "built_in", "bounds": "built_in"}
    found["privacy"] |= {"tuned_on": "public", "sources": declared}
    checks.check(found)


@pytest.mark.parametrize(
    ("path", "value", "name"),
    [
        ("faces.template", "public.ply", "template"),
        ("faces.bounds.reference_set", "public/", "bounds"),
        (
            "faces.bounds",
            {"source": "public", "reference_set": "built_in", "tau": [1, 1, 1], "quantile": 1, "margin": 1},
            "bounds",
        ),
        ("faces.releases.0.bounds", "data", "bounds"),
    ],
)
def test_what_is_not_the_built_in_model_is_not_declared_as_it(settings, path, value, name):
    change(own(settings, settings="as shipped"), path, value)
    with pytest.raises(ConfigError, match=rf"privacy\.sources\.{name}: whose"):
        checks.check(settings)
    checks.check(own(settings, **{name: "drawn for this test"}))


def test_a_setting_that_went_says_why(settings):
    change(settings, "faces.correspondence", "meshes/")
    with pytest.raises(ConfigError, match=r"faces\.correspondence: it went; .*take the key out"):
        checks.check(settings)


@pytest.mark.parametrize("words", ["a\nb", "<b>", "[a](b)", "", "x" * 401, "done\n"])
def test_declared_words_are_one_line_that_can_be_printed(settings, words):
    with pytest.raises(ConfigError, match="one line of at most 400 characters"):
        checks.check(own(settings, settings=words))
    settings["privacy"]["sources"]["settings"] = "as shipped"
    settings["privacy"]["statement"]["by"] = words
    with pytest.raises(ConfigError, match="who releases"):
        checks.check(settings)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("faces.template", "demo"),
        ("faces.bounds.reference_set", "demo"),
        ("faces.bounds.reference_set", ["mine/*.ply", "demo"]),
    ],
)
def test_the_demos_people_are_nothing_public(settings, path, value):
    change(settings, path, value)
    with pytest.raises(
        ConfigError, match="the demo's people, who are not public; write `built_in` for the public model of real"
    ):
        checks.check(settings)


@pytest.mark.parametrize("span, words", [([0, 3], "includes 0"), ([2, 1], "is empty"), ([1, 3], None)])
def test_nothing_is_divided_by_a_range_that_reaches_0(settings, span, words):
    entry = {"name": "change", "kind": "mean_change", "times": ["1", "2"], "per": {"years": span}}
    entry |= {"mechanism": "shaped", "budget": {"mu_total": 1.0}}
    given = "faces", "faces.releases[0]", entry, settings["faces"], settings["privacy"]["groups"]
    told = [one for one in checks._find_entry_faults(*given) if ".per.years" in one]
    assert [words in one for one in told] == ([] if words is None else [True])


def test_words_that_a_statement_cannot_print_and_names_are_refused_by_what_is_allowed(settings):
    change(settings, "privacy.statement.consent", "Broad consent <b>2024</b> | see 3")
    with pytest.raises(ConfigError, match=r"what the people agreed to.*without any of < >"):
        checks.check(settings)
    settings = copy.deepcopy(checks.load())
    settings["faces"]["releases"][0]["name"] = "a b"
    with pytest.raises(ConfigError, match=r'found "a b", allowed: .*letters, digits, _ and -') as caught:
        checks.check(settings)
    assert "^" not in str(caught.value), "no pattern"


def of_molars(settings, **more):
    """The settings as shipped, of a subject that is no face, whose template and people are its own."""
    faces = {key: value for key, value in settings["faces"].items() if key != "center"}
    own = {"subject": "molar", "scans": "scans", "template": "molar.ply", "releases": []}
    bounds = {**faces["bounds"], "reference_set": "public"}
    return {**settings, "faces": {**faces, **own, "bounds": bounds, **more}}


def test_another_subject_has_a_center_of_its_own(settings):
    assert checks.check(of_molars(settings))["faces"]["center"] == "balanced"
    assert checks.check(of_molars(settings, center="highest"))["faces"]["center"] == "highest"
    assert checks.check(settings)["faces"]["center"] == "nose"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"center": "nose"}, "faces.center: nose is for faces alone; for a molar write `balanced`"),
        ({"template": "built_in"}, "faces.template: faces.subject is 'molar', and only faces are built in"),
        ({"scans": "demo"}, "faces.scans: faces.subject is 'molar'"),
        (
            {"bounds": {"source": "reference_set", "reference_set": ["built_in", "mine"]}},
            "faces.bounds.reference_set: ",
        ),
        ({"extent": {"radius": 0.46}}, "faces.extent.radius: is for faces alone"),
        ({"subject": "<b>"}, "faces.subject: found"),
        ({"marks": {"cusp": [1, 2]}}, "faces.marks.cusp"),
    ],
)
def test_another_subject_uses_nothing_that_is_built_in(settings, more, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        checks.check(of_molars(settings, **more))


def test_marks_are_for_another_subject(settings):
    settings["faces"]["marks"] = {"tip": [0, 0, 0]}
    with pytest.raises(ConfigError, match=r"faces.marks: only subjects other than `face` have marks"):
        checks.check(settings)


BOMB = "a0: &a0 [x]\n" + "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]\n" for k in range(1, 12))
MAILED = {
    "bomb": (BOMB, "aliases stand for"),
    "itself": ("a: &a [*a]", "aliases stand for"),
    "deep": ("[" * 5000, "sections within sections"),
    "digits": ("privacy: 0x" + "f" * 3900, "64 bits"),
    "number_as_key": ("1: 2", "not a text"),
    "list_as_key": ("? [a]\n: b", "not valid YAML"),
    "date": ("privacy: 2026-01-01", "holds a date"),
    "large": ("#" * (1 << 21), "larger than"),
}


@pytest.mark.parametrize("text", MAILED)
def test_a_settings_file_that_somebody_mailed_is_bounded_and_refused_in_words(tmp_path, text):
    content, words = MAILED[text]
    path = tmp_path / "mailed.yaml"
    path.write_text(content)
    with pytest.raises(ConfigError, match=words) as refused:
        checks.load(path)
    assert str(refused.value).startswith(str(path))


def test_a_few_aliases_in_settings_stand_for_what_they_name(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("privacy: &p {population: {}, cap: {}}\nshapes: *p\n")
    with pytest.raises(ConfigError, match="shapes: unknown key 'cap'"):
        checks.load(path)
