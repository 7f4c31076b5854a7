"""Read, complete and check the settings; every complaint names the file, the key, the value and what is allowed.

A statement prints words that a person gave as they stand, and nobody checks what they say: reasons given to the ledger,
`privacy.statement` and `privacy.sources`. They are one line that shows, without the signs that mean something in
Markdown or HTML, so that they can never be more than words.
"""

import copy
import json
import math
import re
from pathlib import Path
from typing import Any

import yaml

from shapedp.base.errors import ConfigError, suggest_nearest
from shapedp.base.settings import registry, schema, subjects
from shapedp.base.settings.schema import read_entry
from shapedp.base.settings.subjects import CENTER, FACE, Subject
from shapedp.base.storage import foreign

ROOT = Path(__file__).resolve().parents[4]
# The settings of the last run, in the results.
LAST_RUN_FILE = Path("private", "settings.json")
BRANCHES = ("faces", "shapes")
# The setting that names a branch's private data.
COHORTS = {"faces": "scans", "shapes": "landmarks"}
SOURCES = {"faces": ("settings", "template", "bounds"), "shapes": ("settings", "center", "radius")}
# Of `shapedp.private_mean`, which no settings file asks for.
SOURCES["points"] = SOURCES["shapes"]
# Words for people, templates and outlines that the project gives.
BUILT_IN = ("demo", "built_in", "formula")
# Words for people who are drawn.
DRAWN = ("demo", "formula")
PUBLIC_CENTER_KEYS = ("reference_set", "reference_sheet", "pairs", "semilandmarks", "size")
SOURCE_QUESTIONS = {
    "settings": "how were the settings chosen, without looking at the private data",
    "template": "whose face is the template",
    "bounds": "whose faces do the bounds come from, or what are they based on",
    "center": "whose shapes does the center come from",
    "radius": "what is the radius based on",
}


def load(path: Path | str = ROOT / "config.yaml") -> dict[str, Any]:
    """Return the checked settings of a config file, which somebody else may have written; raise ConfigError with all
    faults.
    """
    try:
        # Bounded before anything is built from it, since somebody else may have written the file.
        foreign.compose_yaml(content := foreign.read_bytes(Path(path), LARGEST))
        refuse_repeated_keys(path)
        foreign.refuse_types(settings := yaml.safe_load(content.decode("utf-8")))
    except FileNotFoundError as error:
        words = "no such settings file; go to the checkout's folder, or give --config FILE"
        raise ConfigError(f"{path}: {words}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: {error}; correct the settings file") from error
    return check(settings, path)


def load_run(results: Path | str, path: Path | str | None, branch: str | None = None) -> dict[str, Any]:
    """Return the checked settings of a file, or without one those of the last run, as it left them with its results.

    So commands about a run need not be told its settings again.

    Parameters
    ----------
    results : path
        The folder of the results.
    path : path or None
        The file.
    branch : str
        A section without which they are refused.
    """
    record = Path(results) / LAST_RUN_FILE
    if not path and not record.is_file():
        raise ConfigError(f"{record}: no such file; name the settings of the run that made {results}: --config FILE")
    settings = load(path or record)
    if branch and not settings[branch]:
        raise ConfigError(f"{path or record}: these settings have no {branch}; name those of the run: --config FILE")
    return settings


def refuse_repeated_keys(path: Path | str) -> None:
    """Refuse a settings file in which a key stands twice: of the two, YAML would keep the last without a word."""
    text = Path(path).read_text(encoding="utf-8")
    if faults := list(_find_repeated(yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)), ())):
        raise ConfigError("\n".join(f"{path}: {words}" for words in faults))


def _find_repeated(node, path_above):
    """Yield a sentence for each key of a YAML document that stands twice in one section, of which YAML would lose
    one.
    """
    first_lines = {}
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        line, path = key.start_mark.line + 1, (*path_above, key.value)
        if isinstance(key, yaml.ScalarNode) and key.value in first_lines:
            name = ".".join(map(str, path))
            yield (
                f"the key '{name}' stands twice, in lines {first_lines[key.value]} and {line}; put both into one "
                "section"
            )
        first_lines.setdefault(str(key.value), line)
        yield from _find_repeated(value, path)
    for index, entry in enumerate(node.value if isinstance(node, yaml.SequenceNode) else ()):
        yield from _find_repeated(entry, (*path_above, index))


def check(settings: dict[str, Any], source: Path | str = "config") -> dict[str, Any]:
    """Return the settings, completed, if they meet the schema and agree; else raise ConfigError with all faults.

    Parameters
    ----------
    settings : dict
        As YAML or JSON gives them.
    source : path or str
        What they were read from, for the message.
    """
    settings = _complete_subject(schema.complete_settings(settings, defaults=False))
    faults = find_faults(settings, _add_kinds(schema.load_schema()))
    if not faults:
        settings = schema.complete_settings(settings)
        # These rules read keys that only settings which meet the schema surely have.
        faults = list(_find_disagreements(settings))
    if faults:
        raise ConfigError("\n".join(f"{source}: {fault}" for fault in sorted(set(faults))))
    return settings


def _add_kinds(json_schema):
    """Return the schema, whose entries of `releases` name the kinds that there are, so that a message can list them."""
    json_schema = copy.deepcopy(json_schema)
    for branch in BRANCHES:
        entries = json_schema["properties"][branch]["properties"]["releases"]
        entries["items"]["properties"]["kind"]["enum"] = [kind.name for kind in registry.list_release_kinds(branch)]
    return json_schema


def _complete_subject(settings):
    """Return the settings with the defaults of a subject that is no face, such as its own limits, where they say
    nothing.
    """
    faces = settings.get("faces") if isinstance(settings, dict) else None
    if not isinstance(faces, dict) or faces.get("subject", FACE) == FACE:
        return settings
    return {**settings, "faces": subjects.complete_faces(faces)}


def find_faults(settings: Any, json_schema: dict[str, Any]) -> list[str]:
    """Return, in words, what is wrong with settings, or with what is written like them, by a JSON schema; a number is
    finite.

    Parameters
    ----------
    settings : object
        Settings as YAML or JSON gives them.
    json_schema : dict
        The schema.
    """
    # Late: jobs take settings that were checked.
    import jsonschema

    plain_types = jsonschema.Draft202012Validator.TYPE_CHECKER
    finite_types = plain_types.redefine(
        "number", lambda _, number: plain_types.is_type(number, "number") and math.isfinite(number)
    )
    validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=finite_types)(json_schema)
    return [words for error in validator.iter_errors(settings) for words in _describe_error(error)]


def find_release_faults(entry: dict[str, Any], faces: dict[str, Any]) -> list[str]:
    """Return where an entry of `faces.releases` contradicts itself, its mechanism or its section, to refuse it before a
    run.

    Parameters
    ----------
    entry : dict
        An entry that meets the schema.
    faces : dict
        The settings of the section, completed.
    """
    public = {"membership": "public", "sizes": {}}
    return list(_find_entry_faults("faces", "release", entry, faces, public))


def check_name(name: Any, what: str) -> str:
    """Return a name that is safe as part of a path, so that it leads to no other place; refuse any other.

    Parameters
    ----------
    name : object
        Letters, digits, _ and -, as the names of releases in settings are.
    what : str
        What the name is of, for the complaint.
    """
    if not (isinstance(name, str) and re.fullmatch(schema.load_schema()["$defs"]["name"]["pattern"], name)):
        raise ConfigError(f"{what}: found {str(name)[:80]!r}; a name has letters, digits, _ and -, at most 64")
    return name


def _describe_error(error):
    """Yield one fault of settings for whoever wrote them: path of the key, the value found, what is allowed."""
    key = foreign.make_printable(".".join(map(str, error.absolute_path))) or "top level"
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = list(error.schema.get("properties", {}))
        for unknown in sorted(map(str, set(error.instance) - set(known))):
            if new_name := error.schema.get("renamed", {}).get(unknown):
                yield f"{key}: the key '{unknown}' is now called '{new_name}'"
                continue
            if unknown in error.schema.get("retired", {}):
                yield f"{key}.{unknown}: {error.schema['retired'][unknown]}"
                continue
            sentence = f"{key}: unknown key '{foreign.make_printable(unknown)}'{suggest_nearest(unknown, known, 0)}"
            yield f"{sentence} Known: {', '.join(known)}"
    elif error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        yield f"{key}: missing key '{missing[0]}'"
    else:
        yield f"{key}: found {_quote_value(error.instance)}, {_describe_allowed(error)}"


def _quote_value(value):
    """Return a value in one line, cut to length; YAML reads dates, which JSON has not."""
    return foreign.make_printable(json.dumps(value, ensure_ascii=False, default=str))


def _describe_allowed(error):
    """Return what a fault of settings says after the value: what the setting may be, and what it means."""
    meaning = f" ({error.schema['description']})" if "description" in error.schema else ""
    match error.validator:
        case "enum":
            allowed = list(map(str, error.validator_value))
            return f"allowed: {', '.join(allowed)}{meaning}{suggest_nearest(str(error.instance), allowed)}"
        case "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum" | "multipleOf":
            sign = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
            return f"must be {sign.get(error.validator, 'a multiple of')} {error.validator_value}{meaning}"
        case "type":
            kinds = error.validator_value
            return f"must be of type {kinds if isinstance(kinds, str) else ' or '.join(kinds)}{meaning}"
        case "anyOf":
            nodes = [error.schema, *map(schema.resolve_reference, error.validator_value)]
            return (
                f"allowed: {'; '.join(dict.fromkeys(node['description'] for node in nodes if 'description' in node))}"
            )
        case "pattern" if meaning:
            return f"allowed: {error.schema['description']}"
        case "minProperties" | "maxProperties":
            return f"must hold exactly one of {', '.join(error.schema['properties'])}"
    return f"{foreign.make_printable(error.message)}{meaning}"


def _find_disagreements(settings):
    """Yield settings that contradict each other, which the schema cannot say."""
    privacy = settings["privacy"]
    present = [branch for branch in BRANCHES if settings[branch]]
    if not present:
        yield "faces, shapes: both are left out; at least one branch needs settings"
    for branch in present:
        section = settings[branch]
        names = [release["name"] for release in section["releases"]]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{branch}.releases: the name '{name}' stands twice; each release needs its own folder"
        for key, meaning in (("population", "whose budget its releases spend"), ("cap", "the most they may spend")):
            if branch not in privacy[key]:
                yield f"privacy.{key}: missing key '{branch}': {meaning}"
        # Then the settings themselves say how many people there are.
        is_drawn = section[COHORTS[branch]] in DRAWN
        if names and not is_drawn and branch not in privacy["people"]:
            yield f"privacy.people: missing key '{branch}': how many persons there are; without it nothing is released"
        for index, release in enumerate(section["releases"]):
            yield from _find_entry_faults(branch, f"{branch}.releases.{index}", release, section, privacy["groups"])
    if settings["faces"]:
        yield from _find_face_faults(settings["faces"])
    if settings["shapes"]:
        yield from _find_shape_faults(settings["shapes"])
    yield from _find_undeclared(settings)
    if "tuned_on" not in privacy and any(_is_spending(settings[branch]) for branch in present):
        yield "privacy.tuned_on: missing; declare `public` (settings chosen on public numbers alone) or `data`"
    if Path(privacy["ledger"]).resolve().is_relative_to(Path("results").resolve()):
        yield "privacy.ledger: must lie outside results/, so that cleaning results does not refund the budget"


def _is_spending(section):
    """Return whether a branch makes a release, or a part of that which laboratories make together."""
    return bool(section["releases"] or "lab" in (section.get("study") or {}))


def _find_undeclared(settings):
    """Yield a fault for each public object of releases (template, bounds) whose source nobody declared, as statements
    must say it.

    A word that the project gives declares what it names.
    """
    sources_declared = settings["privacy"]["sources"]
    cohorts = {branch: key for branch, key in COHORTS.items() if settings[branch] and _is_spending(settings[branch])}
    private_branches = [branch for branch, key in cohorts.items() if settings[branch][key] not in DRAWN]
    for branch in cohorts:
        for name in SOURCES[branch]:
            words = {_find_bounding_set(settings["faces"]) if name == "bounds" else settings[branch].get(name)}
            if branch not in private_branches and (name != "settings" or not private_branches):
                words |= {"demo"}
            if name not in sources_declared or (
                sources_declared[name] in BUILT_IN and sources_declared[name] not in words
            ):
                question = subjects.from_settings(settings["faces"]).in_words(SOURCE_QUESTIONS[name])
                yield f"privacy.sources.{name}: {question}? Say it in your words; statements print them as given"


def _find_bounding_set(faces):
    """Return the reference set that bounds all releases of faces, whose source must then be declared.

    None where something else bounds them, or where it lists sets of several sources.
    """
    default = faces["bounds"]["source"]
    sources_used = {release.get("bounds", default) for release in faces["releases"]} or {default}
    reference_set = faces["bounds"]["reference_set"]
    return reference_set if sources_used == {"reference_set"} and isinstance(reference_set, str) else None


def _find_face_faults(faces):
    """Yield what is wrong with the settings of faces beyond what the schema says: keys that disagree, or ask for
    another.
    """
    yield from _find_subject_faults(faces)
    if faces["mesh"]["refused_hole"] < faces["mesh"]["largest_hole"]:
        yield "faces.mesh.refused_hole: must be at least faces.mesh.largest_hole"
    bounds = faces["bounds"]
    setting_values = {"template": faces["template"], "bounds.reference_set": bounds["reference_set"]}
    for key, word in setting_values.items():
        if word == "demo" or (isinstance(word, list) and "demo" in word):
            yield (
                f"faces.{key}: `demo` names the demo's people, who are not public; write `built_in` for the "
                "public model of real people, or `formula` for the one made from formulas, which was called "
                "`demo` before"
            )
    has_learning = any(registry.is_learning("faces", release["mechanism"]) for release in faces["releases"])
    if bounds["reference_set"] is None and (bounds["source"] == "reference_set" or has_learning):
        yield "faces.bounds.reference_set: missing; name a public population (`built_in` is the built-in one)"
    if bounds["source"] == "public" and bounds["tau"] is None:
        yield "faces.bounds.tau: missing; bounds.source is `public`, so give [x, y, z]"
    if faces["demo"]["later"] is not None and faces["scans"] != "demo":
        yield "faces.demo.later: only the people of `scans: demo` grow older; leave it at null"


def _find_subject_faults(faces):
    """Yield what settings of a subject that is no face lack, or ask for in vain: template and public sets built in are
    faces.
    """
    subject, bounds = faces["subject"], faces["bounds"]
    if faces["landmarks"] and faces["template"] in BUILT_IN:
        yield (
            f"faces.landmarks: `template: {faces['template']}` has its own; name points of a template that is a file, "
            "or distances between its landmarks in faces.distances"
        )
    if both := sorted(set(faces["landmarks"]) & set(faces["marks"])):
        yield f"faces.landmarks: '{both[0]}' is one of faces.marks, too; give it another name"
    if subject == FACE:
        if faces["marks"]:
            yield "faces.marks: only subjects other than `face` have marks; take them out"
        return
    word = Subject.from_setting(subject).word
    reason = f"faces.subject is '{subject}', and only faces are built in"
    if faces["center"] == "nose":
        center = faces["center"]
        yield f"faces.center: {center} is for faces alone; for a {word} write `{CENTER}`, boundary, highest or a point"
    if faces["template"] in BUILT_IN:
        yield f"faces.template: {reason}; name a public scan of a {word}, or what `shapedp template --subject` wrote"
    if faces["scans"] in DRAWN:
        yield f"faces.scans: {reason}; name a folder, a glob or a sample sheet"
    reference_sets = bounds["reference_set"] if isinstance(bounds["reference_set"], list) else [bounds["reference_set"]]
    if set(reference_sets) & set(BUILT_IN):
        yield (
            f"faces.bounds.reference_set: {reason}; name public scans of the subject, or none (`bounds.source: public` "
            "with tau)"
        )
    if faces["extent"]["radius"] is not None:
        yield (
            "faces.extent.radius: is for faces alone; another subject is used whole, to its own edge: take the key out"
        )


def _find_shape_faults(shapes):
    """Yield what is wrong with the settings of landmarks' shapes beyond what the schema says, such as a center without
    its file.
    """
    if shapes["center"] == "reference_set" and "reference_set" not in shapes:
        yield "shapes.reference_set: missing, and shapes.center is `reference_set`; name the public file"
    if shapes["center"] == "private":
        if "landmark_count" not in shapes:
            yield (
                "shapes.landmark_count: missing; write how many landmarks a record has, since with center: private "
                "no public shape says it"
            )
        for key in PUBLIC_CENTER_KEYS:
            if shapes.get(key):
                yield f"shapes.{key}: has no meaning with center: private; leave it out, or name a center"
    low, high = shapes.get("size", (0, 1))
    if not low < high:
        yield f"shapes.size: the range {[low, high]} is empty; give the least size, then the largest"


def _find_entry_faults(branch, key, release, section, groups):
    """Yield what an entry of `releases` says that its mechanism or its kind does not take, before anything is
    computed.
    """
    is_private, kind_name = groups["membership"] == "private", read_entry(branch, release, "kind")
    kind = next(other_kind for other_kind in registry.list_release_kinds(branch) if other_kind.name == kind_name)
    mechanism = None
    try:
        mechanism = registry.read_traits(branch, release["mechanism"])
    except ConfigError as error:
        yield f"{key}.mechanism: {error}"
    if mechanism and not set(release["budget"]) <= set(mechanism.budgets):
        yield f"{key}.budget: {release['mechanism']} takes {' or '.join(mechanism.budgets)}"
    if mechanism and not (mechanism.private or read_entry(branch, release, "reproduction")):
        yield (
            f"{key}.mechanism: {release['mechanism']} gives no guarantee (its noise is drawn in floating point): take "
            "another, or, to reproduce published work on data that nobody needs to protect, `reproduction: true`"
        )
    if "group" in release and is_private and release["group"] not in groups["sizes"]:
        yield f"{key}.group: private membership needs a public size for '{release['group']}' in privacy.groups.sizes"
    if "group" in release and is_private and kind.has_covariates:
        yield f"{key}.group: a model of a group needs privacy.groups.membership: public"
    is_shaped = release["mechanism"] == registry.MODEL_MECHANISM and "mu_total" in release["budget"]
    if not kind.is_mean and not is_shaped:
        yield f"{key}.mechanism: `kind: {kind.name}` takes `{registry.MODEL_MECHANISM}` and mu_total"
    for other_kind in registry.list_release_kinds(branch):
        for name, words in other_kind.settings.items():
            if release.get(name, {}) != {} and name not in kind.settings:
                yield f"{key}.{name}: {words}"
    if branch == "faces":
        yield from _find_bounds_faults(key, release, section, mechanism is not None and mechanism.learns)
    yield from kind.find_faults(key, release, section)


def _find_bounds_faults(key, release, faces, learns):
    """Yield what is wrong with the bounds of clipping in an entry of faces; learns : whether its mechanism knows how
    faces vary.
    """
    if learns and release.get("bounds", "reference_set") != "reference_set":
        yield f"{key}.bounds: {release['mechanism']} learns from the reference set how faces vary; leave bounds out"
    needs_numbers = release.get("bounds", faces["bounds"]["source"]) == "public" and not learns
    if needs_numbers and faces["bounds"]["tau"] is None:
        yield f"{key}: bounds are 'public' but faces.bounds.tau is missing; give [x, y, z]"
    if "time" in release and faces["study"]:
        yield f"{key}.time: laboratories release together from all scans; leave it out"


LARGEST = 1 << 20  # bytes of a settings file
LONGEST = 400
# Also in both schemas, where a test compares it.
PATTERN = (
    r"^[^\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff<>|*`\[\]\\{}~]{1,400}$(?!\n)"
)


def check_words(text: Any, what: str) -> str:
    """Return words that a statement can print as they stand; refuse any that could change its page or lines.

    Parameters
    ----------
    text : object
        The words.
    what : str
        What they are of, for the message.
    """
    if not (isinstance(text, str) and text.strip() and re.fullmatch(PATTERN, text)):
        raise ConfigError(
            f"{what}: found {str(text)[:80]!r}; say it in one line of 1 to {LONGEST} characters, without any of "
            "< > | * ` [ ] { } ~ or a backslash"
        )
    return text


TEXTS = ("by", "contact", "purpose", "consent", "licence")
# Printed where given; statements that were made before have none.
REGISTRY_TEXTS = ("region", "sector")
BUILT_IN_SOURCES = {
    "demo": "the built-in demonstration, which contains nobody's data",
    "built_in": "the built-in public model, made by others from scans of real people (ICT-FaceKit)",
    "formula": "the built-in formula, which contains nobody's data",
}


def collect_declared(privacy: dict[str, Any], branch: str) -> dict[str, Any]:
    """Return what the settings declare of a branch for its statements: {text: words or None, "sources": {object:
    words}}.

    Parameters
    ----------
    privacy : dict
        The settings of that name.
    branch : str
        `faces`, `shapes` or `points`.
    """
    sources_declared = privacy["sources"]
    sources = {name: BUILT_IN_SOURCES.get(sources_declared[name], sources_declared[name]) for name in SOURCES[branch]}
    return complete_words({**privacy["statement"], "sources": sources})


def complete_words(declared: dict[str, Any]) -> dict[str, Any]:
    """Return what people in charge declared, with None for each text that is missing; refuse words that a statement
    cannot print.
    """
    texts = {name: declared.get(name) for name in TEXTS}
    texts |= {name: declared[name] for name in REGISTRY_TEXTS if declared.get(name) is not None}
    sources = declared.get("sources", {})
    for name, text in [*texts.items(), *sources.items()]:
        if text is not None:
            check_words(text, f"declared {name}")
    return {**texts, "sources": sources}
