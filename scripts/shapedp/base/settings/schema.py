"""The one source of the settings: type, unit, range, default and meaning of each key, in `config.schema.yaml`."""

import copy
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import yaml

SCHEMA = resources.files("shapedp") / "schemas" / "config.schema.yaml"


@cache
def load_schema() -> dict[str, Any]:
    """Return the JSON schema of a settings file."""
    return yaml.load(SCHEMA.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def resolve_reference(node: dict[str, Any]) -> dict[str, Any]:
    """Return a node of the settings' schema to be read by itself: what its `$ref` points to is filled in.

    Its own words stand over that.
    """
    if "$ref" not in node:
        return node
    name = node["$ref"].rsplit("/", 1)[1]
    return {
        **resolve_reference(load_schema()["$defs"][name]),
        **{key: value for key, value in node.items() if key != "$ref"},
    }


def find_meaning(key: str) -> dict[str, Any]:
    """Return what the schema says of a key such as `faces.curves.count`: type, default, words.

    `faces.releases[].modes` is one of each entry.
    """
    node = load_schema()
    for part in key.split("."):
        name = part.removesuffix("[]")
        if name not in node.get("properties", {}):
            raise KeyError(f"the settings have no key '{key}'")
        node = resolve_reference(node["properties"][name])
        node = node["items"] if part.endswith("[]") else node
    return node


def read_default(key: str) -> Any:
    """Return the default of a setting, so that code outside of a run takes the same as one whose settings say nothing.

    Of a section such as `faces.curves`, a dictionary.
    """
    node = find_meaning(key)
    if "properties" in node:
        return complete_settings({}, node)
    if "default" not in node:
        raise KeyError(f"the setting '{key}' has no default")
    # A copy: the schema is read once, and whoever changes a value must not change it.
    return copy.deepcopy(node["default"])


def read_entry(branch: str, entry: Mapping[str, Any], key: str) -> Any:
    """Return what an entry of a branch's `releases` says of a key, or what holds where it says nothing of it.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    entry : mapping
        The entry.
    key : str
        One of its keys.
    """
    return entry[key] if key in entry else read_default(f"{branch}.releases[].{key}")


def complete_settings(settings: Any, section: dict[str, Any] | None = None, defaults: bool = True) -> Any:
    """Return a copy of settings or of a section with all defaults, so that no reader need ask whether a key is there.

    What YAML reads as null is empty.

    Parameters
    ----------
    settings : object
        What is no dict is returned as it is.
    section : dict
        What the schema says of the section; None: of all settings.
    defaults : bool
        Whether what is left out is filled in.
    """
    if not isinstance(settings, dict):
        return settings
    filled = dict(settings)
    for name, declared in (load_schema() if section is None else section).get("properties", {}).items():
        node = resolve_reference(declared)
        if name in filled and filled[name] is None and declared.get("type") == "object":
            filled[name] = {}
        if name in filled or (defaults and "default" in node):
            filled[name] = complete_settings(copy.deepcopy(filled.get(name, node.get("default"))), node, defaults)
    return filled
