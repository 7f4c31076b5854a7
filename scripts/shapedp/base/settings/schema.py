"""The one source of the settings: type, unit, range, default and meaning of each key, in `config.schema.yaml`."""

import copy
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import yaml

SCHEMA = resources.files("shapedp") / "schemas" / "config.schema.yaml"


@cache
def schema() -> dict[str, Any]:
    """The JSON schema of a settings file."""
    return yaml.load(SCHEMA.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def resolved(found: dict[str, Any]) -> dict[str, Any]:
    """A node of the schema with what its `$ref` points to, over which its own words stand."""
    if "$ref" not in found:
        return found
    name = found["$ref"].rsplit("/", 1)[1]
    return {**resolved(schema()["$defs"][name]), **{key: value for key, value in found.items() if key != "$ref"}}


def meaning(key: str) -> dict[str, Any]:
    """What the schema says of a key such as `faces.curves.count`; `faces.releases[].modes` is one of each entry."""
    found = schema()
    for part in key.split("."):
        name = part.removesuffix("[]")
        if name not in found.get("properties", {}):
            raise KeyError(f"the settings have no key '{key}'")
        found = resolved(found["properties"][name])
        found = found["items"] if part.endswith("[]") else found
    return found


def default(key: str) -> Any:
    """What holds where a settings file says nothing of a key; of a section such as `faces.curves`, a dictionary."""
    found = meaning(key)
    if "properties" in found:
        return completed({}, found)
    if "default" not in found:
        raise KeyError(f"the setting '{key}' has no default")
    return copy.deepcopy(found["default"])


def of_entry(branch: str, entry: Mapping[str, Any], key: str) -> Any:
    """What an entry of a branch's `releases` says of a key, or what holds where it says nothing of it."""
    return entry[key] if key in entry else default(f"{branch}.releases[].{key}")


def completed(settings: Any, section: dict[str, Any] | None = None, defaults: bool = True) -> Any:
    """A copy of settings or a section: what YAML reads as null is empty, what is left out has its default if asked."""
    if not isinstance(settings, dict):
        return settings
    found = dict(settings)
    for name, told in (schema() if section is None else section).get("properties", {}).items():
        one = resolved(told)
        if name in found and found[name] is None and told.get("type") == "object":
            found[name] = {}
        if name in found or (defaults and "default" in one):
            found[name] = completed(copy.deepcopy(found.get(name, one.get("default"))), one, defaults)
    return found
