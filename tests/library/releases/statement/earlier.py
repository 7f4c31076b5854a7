"""A statement as version 2 of its schema has it, and the words beside it, made from one of today."""

import copy
import json

import pytest

from shapedp.releases import protocol, publishing
from shapedp.releases.statement import statement

VERSION = "shapedp statement 2"
WORDS = "# Privacy statement\n\nIn the words of an older version.\n"
SINCE = {"exact_arithmetic", "public_records_apart", "populations_apart", "reviewed_alone"}
SECTIONS = {
    "4": "docs/mathematics.md, 4; tests/library/mechanisms/test_integer_sums.py",
    "7": "docs/mathematics.md, 7; tests/library/mechanisms/test_laplace.py",
    "8": "docs/mathematics.md, 8; tests/library/mechanisms/test_noise.py",
    "11": "docs/mathematics.md, 11 and 12; tests/library/mechanisms/test_moments.py",
    "3": "docs/mathematics.md, 3 and 7; tests/library/mechanisms/test_any_record.py",
}
PROVED = {  # condition: the section that was named
    **dict.fromkeys(("records_within_bounds", "output_grid", "rounding_counted"), "4"),
    **{"solver_error_counted": "7", "exact_sampler": "8", "records_clipped": "3", "proved_calibration": "3"},
}
REQUIREMENTS = {
    "public_bounds": "Every bound comes from the settings or from a public reference set.",
    "records_independent": "Each record is processed with itself and public inputs alone.",
}
FRAME = "Who is listed, at which times, and which scans the sheet leaves out: the frame of the sheet is public."
OBJECTS = {"built_in": "demo", "formula": "demo"}
SETTINGS = {"assumed_mean_shift": "shift", "assumed_shift_outside_modes": "novelty", "contour_modes": "modes"}


def as_version_2(stated):
    """The same release as version 2 states it; its schema, which is kept as it was, has the last word."""
    made = copy.deepcopy(stated)
    made["schema"] = VERSION
    made["software"].pop("words", None)
    for name in ("eta", "undone", "settled_sd", "clip_moved", "error_radian", "far_share", "missing_mm", "heavy_tails"):
        made["noise"].pop(name, None)
    made["not_protected"].remove(FRAME)
    made["noise"]["discretisation"] = 3.7e-17
    of = made["mechanism"]["name"]
    made["conditions"] = [_condition(one, of) for one in made["conditions"] if one["name"] not in SINCE]
    made["settings"] = _settings(made["settings"])
    made["bounds"] = [one for one in made["bounds"] if one["name"] != "zeta"]
    told = made["mechanism"]["sensitivity"]
    told["inputs"].pop("zeta", None)
    told["formula"] = told["formula"].replace("(1, covariates) to zeta", "covariates to [-1, 1]")
    if (stated["release"]["branch"], of) == ("shapes", "shaped"):
        made["mechanism"]["words"], _ = made["mechanism"]["words"].split("; with enough")
        told["formula"], _ = told["formula"].split("; before it")
    for origin in (made["template"], made["reference"], *(bound["origin"] for bound in made["bounds"])):
        origin["source"] = OBJECTS.get(origin["source"], origin["source"])
    return statement.check(made)


def _condition(one, mechanism):
    source, words = one["source"], one["value"].split(", ")
    if one["name"] == "public_bounds":
        source = "settings, and the inputs that the bounds' artifact records"
    if one["name"] in PROVED:
        of_model = mechanism == "moments" and one["name"] not in ("exact_sampler", "solver_error_counted")
        source = SECTIONS["11" if of_model else PROVED[one["name"]]]
    source = source.replace("; its test test_publishing", "; tests/library/releases/test_publishing.py")
    source = source.replace("data by path or link", "data by path, link or content")
    source = source.replace("no sheet names the persons", "names of the persons, as the sample sheet lists them")
    one = one | {"requirement": REQUIREMENTS.get(one["name"], one["requirement"])}
    return one | {"source": source, "value": ", ".join(OBJECTS.get(word, word) for word in words)}


def _settings(value):
    if isinstance(value, dict):
        kept = {SETTINGS.get(key, key): _settings(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if key not in ("directions",)}
    return [_settings(one) for one in value] if isinstance(value, list) else OBJECTS.get(value, value)


def publish_as_then(monkeypatch):
    """Let releases be published with the statement and the words of version 2."""

    def texts(stated):
        return {
            "statement.json": (json.dumps(as_version_2(stated), indent=2) + "\n").encode(),
            "statement.md": WORDS.encode(),
        }

    def files_then(release, answers):
        with pytest.MonkeyPatch.context() as patched:
            settings = type(release).settings
            patched.setattr(type(release), "settings", lambda one: _settings(settings(one)))
            return files(release, answers)

    files = protocol.Release.files
    monkeypatch.setattr(protocol.Release, "files", files_then)
    monkeypatch.setattr(publishing, "statement_files", texts)
