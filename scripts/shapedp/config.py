"""Read, complete and check the settings; every complaint names the file, the key, the value and what is allowed."""

import copy
import difflib
import json
from importlib import resources
from pathlib import Path

import jsonschema
import yaml

from shapedp.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]
BRANCHES = ("faces", "shapes")
COHORTS = {"faces": "scans", "shapes": "landmarks"}  # the setting that names a branch's private data
SOURCES = {"faces": ("settings", "template", "bounds"), "shapes": ("settings", "center", "radius")}
MORE_SOURCES = {"faces": ("correspondence",), "shapes": ()}  # of public objects that a branch may do without
ASKED = {
    "settings": "how were the settings chosen, without looking at the private data",
    "template": "whose face is the template",
    "bounds": "whose faces do the bounds come from, or what reasons",
    "correspondence": "whose are the meshes that teach the registration",
    "center": "whose shapes does the center come from",
    "radius": "what reasons has the radius",
}
SCHEMA = resources.files("shapedp") / "schemas" / "config.schema.yaml"


def load(path=ROOT / "config.yaml"):
    """The checked settings of a config file."""
    try:
        settings = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(
            f"{path}: no such settings file; go to the checkout's folder, or give --config FILE"
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from error
    return check(settings, path)


def check(settings, source="config"):
    """The settings, completed, if they meet the schema and agree with each other; else ConfigError with all faults.

    source : the file they come from, to be named in complaints
    """
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    faults = [words for error in validator.iter_errors(settings) for words in _words(error)]
    if not faults:
        settings = completed(settings, schema)
        faults = list(_disagreements(settings))
    if faults:
        raise ConfigError("\n".join(f"{source}: {fault}" for fault in sorted(set(faults))))
    return settings


def completed(settings, schema):
    """A copy of the settings with the schema's defaults for what they leave out, section by section."""
    if not isinstance(settings, dict):
        return settings
    found = dict(settings)
    for name, meaning in schema.get("properties", {}).items():
        if name in found or "default" in meaning:
            found[name] = completed(copy.deepcopy(found.get(name, meaning.get("default"))), meaning)
    return found


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
            kinds = error.validator_value
            return f"must be of type {kinds if isinstance(kinds, str) else ' or '.join(kinds)}{meaning}"
        case "anyOf":
            return f"allowed: {error.schema['description']}"
        case "minProperties" | "maxProperties":
            return f"must hold exactly one of {', '.join(error.schema['properties'])}"
    return f"{error.message}{meaning}"


def _disagreements(settings):
    """What the schema cannot say: settings that contradict each other."""
    privacy = settings["privacy"]
    present = [branch for branch in BRANCHES if settings[branch]]
    if not present:
        yield "faces, shapes: both are left out; at least one branch needs settings"
    for branch in present:
        yield from _of_branch(branch, settings[branch], privacy)
    if settings["faces"]:
        yield from _faces(settings["faces"], privacy)
    for index, release in enumerate(settings["shapes"]["releases"] if settings["shapes"] else []):
        need = "mu_total" if release["mechanism"] in ("gaussian", "shaped", "private_center") else "epsilon"
        if need not in release["budget"]:
            yield f"shapes.releases.{index}.budget: {release['mechanism']} takes {need}"
        yield from _group(f"shapes.releases.{index}", release, privacy["groups"])
        yield from _shape_model(f"shapes.releases.{index}", release, settings["shapes"], privacy)
    yield from _undeclared(settings)
    if "tuned_on" not in privacy and any(settings[branch]["releases"] for branch in present):
        yield "privacy.tuned_on: missing; declare `public` (settings chosen on public numbers alone) or `data`"
    if Path(privacy["ledger"]).resolve().is_relative_to(Path("results").resolve()):
        yield "privacy.ledger: must lie outside results/, so that cleaning results does not refund the budget"


def _undeclared(settings):
    """Public objects of releases whose source nobody declared; `demo` declares the built-in model, and nothing else."""
    given = settings["privacy"]["sources"]
    cohorts = {branch: key for branch, key in COHORTS.items() if settings[branch] and settings[branch]["releases"]}
    own = [branch for branch, key in cohorts.items() if settings[branch][key] != "demo"]
    for branch in cohorts:
        for name in public_objects(branch, settings[branch].get):
            built_in = settings[branch].get(name) == "demo" or branch not in own
            if name == "settings":
                built_in = not own
            elif name == "bounds":
                built_in = built_in or _bounded_by_demo(settings["faces"])
            if name not in given or (given[name] == "demo" and not built_in):
                yield f"privacy.sources.{name}: {ASKED[name]}? Say it in your words; statements print them as given"
    if "correspondence" in given and not (settings["faces"] or {}).get("correspondence"):
        yield "privacy.sources.correspondence: faces.correspondence names no meshes; take the words out"


def public_objects(branch, used):
    """Names of the public objects that a branch rests on; used(name) : whether it uses one that it may do without."""
    return (*SOURCES[branch], *filter(used, MORE_SOURCES[branch]))


def _bounded_by_demo(faces):
    sources = {release.get("bounds", faces["bounds"]["source"]) for release in faces["releases"]}
    return sources == {"reference_set"} and faces["bounds"]["reference_set"] == "demo"


def _of_branch(branch, section, privacy):
    """What each branch needs: names of its own, a population and a cap."""
    names = [release["name"] for release in section["releases"]]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{branch}.releases: the name '{name}' stands twice; each release needs its own folder"
    for key, meaning in (("population", "whose budget its releases spend"), ("cap", "the most they may spend")):
        if branch not in privacy[key]:
            yield f"privacy.{key}: missing key '{branch}': {meaning}"


def _faces(faces, privacy):
    if faces["mesh"]["refused_hole"] < faces["mesh"]["largest_hole"]:
        yield "faces.mesh.refused_hole: must be at least faces.mesh.largest_hole"
    bounds = faces["bounds"]
    if bounds["source"] == "reference_set" and bounds["reference_set"] is None:
        yield "faces.bounds.reference_set: missing; name a public population (`demo` is the built-in one)"
    if bounds["source"] == "public" and bounds["tau"] is None:
        yield "faces.bounds.tau: missing; bounds.source is `public`, so give [x, y, z]"
    for index, release in enumerate(faces["releases"]):
        yield from _face_release(f"faces.releases.{index}", release, faces, privacy)


def _face_release(key, release, faces, privacy):
    if "epsilon" in release["budget"]:
        yield f"{key}.budget: face releases are Gaussian; give mu_total or mu: [x, y, z]"
    if release["mechanism"] == "shaped" and "mu" in release["budget"]:
        yield f"{key}.budget: shaped takes mu_total (it releases the whole face at once)"
    if release["mechanism"] == "shaped" and release.get("bounds", "reference_set") != "reference_set":
        yield f"{key}.bounds: shaped learns from the reference set how faces vary; leave bounds out"
    if release["mechanism"].startswith("pointwise") and "mu" in release["budget"]:
        yield f"{key}.budget: {release['mechanism']} takes mu_total (it has no curves to split over)"
    numbers = release.get("bounds", faces["bounds"]["source"]) == "public" and release["mechanism"] != "shaped"
    if numbers and faces["bounds"]["tau"] is None:
        yield f"{key}: bounds are 'public' but faces.bounds.tau is missing; give [x, y, z]"
    yield from _face_model(key, release, privacy)
    yield from _group(key, release, privacy["groups"])


def _group(key, release, groups):
    if "group" in release and groups["membership"] == "private" and release["group"] not in groups["sizes"]:
        yield f"{key}.group: private membership needs a public size for '{release['group']}' in privacy.groups.sizes"


def _face_model(key, release, privacy):
    """What only a model of faces takes, and what it does not."""
    if release.get("kind", "mean_face") != "face_model":
        for name in ("modes", "covariates"):
            if name in release:
                yield f"{key}.{name}: belongs to a model; add `kind: face_model`"
        return
    yield from _model(key, release, privacy)


def _shape_model(key, release, shapes, privacy):
    """What only a model of shapes takes, and what it does not."""
    if release.get("kind", "mean_shape") != "shape_model":
        if release.get("covariates"):
            yield f"{key}.covariates: belongs to a model; add `kind: shape_model`"
        return
    yield from _model(key, release, privacy)
    if not 1 <= release.get("modes", 5) <= 40:
        yield f"{key}.modes: a shape_model has 1 to 40"
    if shapes["center"] in ("private", "data") or shapes["radius"] == "data":
        yield f"{key}.kind: a shape_model is of deviations from a public center within a public radius; name them"
    needed = [name for name in release.get("covariates", {}) if name != "log_size"]
    if needed and "sheet" not in shapes:
        yield f"{key}.covariates: {', '.join(needed)}: columns of a sheet; name it in shapes.sheet"
    for name, done in (("bandwidth", "smoothed"), ("shrink", "shrunk")):
        if release.get(name):
            yield f"{key}.{name}: a model is not {done}; leave it out"


def _model(key, release, privacy):
    """What every model takes, and what it does not."""
    if "group" in release and privacy["groups"]["membership"] == "private":
        yield f"{key}.group: a model of a group needs privacy.groups.membership: public"
    if release["mechanism"] != "shaped" or "mu_total" not in release["budget"]:
        yield f"{key}.mechanism: a {release['kind']} takes `shaped` and mu_total"
    for name, asked in release.get("covariates", {}).items():
        yield from (f"{key}.covariates.{name}: {fault}" for fault in _covariate(asked))


def _covariate(asked):
    if ("levels" in asked) == ("range" in asked):
        yield "give either range: [low, high] or levels: [one, other]"
        return
    if ("mean" in asked) != ("sd" in asked) or ("levels" in asked and "mean" in asked):
        yield "mean and sd are given together, for a range"
    low, high = asked.get("range", (-1, 1))
    if not low < asked.get("mean", (low + high) / 2) < high:
        yield f"range {[low, high]} is empty, or the mean lies outside it"
