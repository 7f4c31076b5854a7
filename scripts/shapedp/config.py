"""Read and check the settings; every complaint names the key, the value and what is allowed."""

import difflib
import json
from importlib import resources
from pathlib import Path

import jsonschema
import yaml

from shapedp.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]
COHORTS = {"faces": "scans", "shapes": "landmarks"}  # the setting that names a branch's private data
SOURCES = {"faces": ("settings", "template", "bounds"), "shapes": ("settings", "center", "radius")}
ASKED = {
    "settings": "how were the settings chosen, without looking at the private data",
    "template": "whose face is the template",
    "bounds": "whose faces do the bounds come from, or what reasons",
    "center": "whose shapes does the center come from",
    "radius": "what reasons has the radius",
}
SCHEMA = resources.files("shapedp") / "schemas" / "config.schema.yaml"


def load(path=ROOT / "config.yaml"):
    """The checked settings of a config file."""
    try:
        settings = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from error
    return check(settings)


def check(settings):
    """Return the settings if they meet the schema and agree with each other; raise ConfigError with all faults."""
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    faults = [words for error in validator.iter_errors(settings) for words in _words(error)]
    if not faults:
        faults = list(_disagreements(settings))
    if faults:
        raise ConfigError("config: " + "\n        ".join(sorted(set(faults))))
    return settings


def _words(error):
    """One schema violation in words: path of the key, the value found, what is allowed."""
    key = ".".join(map(str, error.absolute_path)) or "top level"
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = list(error.schema.get("properties", {}))
        for unknown in sorted(set(error.instance) - set(known)):
            near = difflib.get_close_matches(unknown, known, n=1, cutoff=0)
            yield f"{key}: unknown key '{unknown}'; did you mean '{near[0]}'? Known: {', '.join(known)}"
    elif error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        yield f"{key}: missing key '{missing[0]}'"
    else:
        yield f"{key}: found {json.dumps(error.instance)}, {_allowed(error)}"


def _allowed(error):
    meaning = f" ({error.schema['description']})" if "description" in error.schema else ""
    match error.validator:
        case "enum":
            near = difflib.get_close_matches(str(error.instance), map(str, error.validator_value), n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            return f"allowed: {', '.join(map(str, error.validator_value))}{meaning}{hint}"
        case "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum" | "multipleOf":
            sign = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
            return f"must be {sign.get(error.validator, 'a multiple of')} {error.validator_value}{meaning}"
        case "type":
            return f"must be of type {error.validator_value}{meaning}"
        case "anyOf":
            return f"allowed: {error.schema['description']}"
        case "minProperties" | "maxProperties":
            return f"must hold exactly one of {', '.join(error.schema['properties'])}"
    return f"{error.message}{meaning}"


def _disagreements(settings):
    """What the schema cannot say: settings that contradict each other."""
    faces, shapes, privacy = settings["faces"], settings["shapes"], settings["privacy"]
    if faces["mesh"]["refused_hole"] < faces["mesh"]["largest_hole"]:
        yield "faces.mesh.refused_hole: must be at least faces.mesh.largest_hole"
    for branch, section in (("faces", faces), ("shapes", shapes)):
        names = [release["name"] for release in section["releases"]]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{branch}.releases: the name '{name}' stands twice; each release needs its own folder"
    yield from _undeclared(settings)
    for index, release in enumerate(faces["releases"]):
        yield from _face_release(f"faces.releases.{index}", release, faces, privacy)
    for index, release in enumerate(shapes["releases"]):
        gaussian = release["mechanism"] == "gaussian"
        if ("mu_total" if gaussian else "epsilon") not in release["budget"]:
            need = "mu_total" if gaussian else "epsilon"
            yield f"shapes.releases.{index}.budget: {release['mechanism']} takes {need}"
    if Path(privacy["ledger"]).resolve().is_relative_to(Path("results").resolve()):
        yield "privacy.ledger: must lie outside results/, so that cleaning results does not refund the budget"


def _undeclared(settings):
    """Public objects whose source nobody declared; `demo` declares what is the built-in model, and nothing else."""
    given = settings["privacy"]["sources"]
    cohorts = {branch: key for branch, key in COHORTS.items() if settings[branch]}
    own = [branch for branch, key in cohorts.items() if settings[branch][key] != "demo"]
    for branch in cohorts:
        for name in SOURCES[branch]:
            built_in = settings[branch].get(name) == "demo" or branch not in own
            if name == "settings":
                built_in = not own
            elif name == "bounds":
                built_in = built_in or settings["faces"]["bounds"]["reference_set"] == "demo"
            if name not in given or (given[name] == "demo" and not built_in):
                yield f"privacy.sources.{name}: {ASKED[name]}? Say it in your words; statements print them as given"


def _face_release(key, release, faces, privacy):
    if "epsilon" in release["budget"]:
        yield f"{key}.budget: face releases are Gaussian; give mu_total or mu: [x, y, z]"
    if release["mechanism"].startswith("pointwise") and "mu" in release["budget"]:
        yield f"{key}.budget: {release['mechanism']} takes mu_total (it has no curves to split over)"
    if release.get("bounds", faces["bounds"]["source"]) == "public" and faces["bounds"]["tau"] is None:
        yield f"{key}: bounds are 'public' but faces.bounds.tau is missing; give [x, y, z]"
    groups = privacy["groups"]
    if "group" in release and groups["membership"] == "private" and release["group"] not in groups["sizes"]:
        yield f"{key}.group: private membership needs a public size for '{release['group']}' in privacy.groups.sizes"
