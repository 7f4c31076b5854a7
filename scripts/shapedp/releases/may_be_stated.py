"""What a statement may say: every word, key and number by its schema, mechanisms by the catalogue's names."""

import json
from functools import cache
from importlib import resources

import jsonschema

from shapedp.errors import RefusedRelease
from shapedp.releases import catalogue, linked_lines

SCHEMA = resources.files("shapedp") / "schemas" / "statement.schema.json"


def check(statement):
    """The statement, refused if it does not meet its schema."""
    faults = sorted(_validator().iter_errors(statement), key=lambda fault: list(map(str, fault.absolute_path)))
    if faults:
        where = ".".join(map(str, faults[0].absolute_path)) or "top level"
        raise RefusedRelease(
            f"statement: {where}: {json.dumps(faults[0].instance)[:200]} may not be published ({faults[0].validator}); "
            "state it by the words of workflow/schemas/statement.schema.json"
        )
    try:
        linked_lines.canonical(statement)
    except ValueError as error:
        raise RefusedRelease("statement: a number is not finite; check the bounds and the sensitivity") from error
    return statement


def publishable(settings):
    """Settings fit for a statement: keys that are on its list, and `file` in place of any text that is not."""
    words, keys = _vocabulary()
    if isinstance(settings, dict):
        return {key: publishable(value) for key, value in settings.items() if key in keys}
    if isinstance(settings, (list, tuple)):
        return [publishable(value) for value in settings]
    return "file" if isinstance(settings, str) and settings not in words else settings


def _validator():
    """Of the schema, with the mechanisms of the catalogue as the only ones that may be named."""
    return _validator_of(catalogue.everything())


@cache
def _validator_of(mechanisms):
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    names = sorted({name for name, _ in mechanisms})
    stated = schema["properties"]["mechanism"]["properties"]
    stated["name"]["enum"] = names
    stated["words"]["enum"] = sorted({one.words for _, one in mechanisms})
    stated["sensitivity"]["properties"]["formula"]["enum"] = sorted({one.formula for _, one in mechanisms})
    next(one for one in schema["$defs"]["setting"]["anyOf"] if "enum" in one)["enum"] += names
    return jsonschema.Draft202012Validator(schema)


def _vocabulary():
    """(words, keys) that settings may use."""
    parts = _validator().schema["$defs"]
    words = next(one["enum"] for one in parts["setting"]["anyOf"] if "enum" in one)
    return frozenset(words), frozenset(parts["settings"]["propertyNames"]["enum"])
