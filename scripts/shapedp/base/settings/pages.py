"""What is written from the schema: the demo's commented config.yaml and docs/settings.md."""

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from shapedp.base.settings.schema import load_schema, resolve_reference

# Characters a line.
WIDTH = 120
RANGES = {
    **{"minimum": " from {}", "exclusiveMinimum": " above {}"},
    **{"maximum": " to {}", "exclusiveMaximum": " below {:.4g}"},
}
KINDS = {
    **{"null": "`null`", "boolean": "`true` or `false`", "string": "words", "object": "names with values"},
    **{"integer": "a whole number", "number": "a number"},
}
# Where comments begin.
COLUMN = 29
DEMO = """\
# The demo's settings: every setting that the demo uses, with its meaning; in brackets what a number measures.
# Written by `shapedp settings --write` from workflow/schemas/config.schema.yaml: edit that. For your own people:
# `shapedp new my.yaml --scans SCANS --population NAME`. What else can be set: docs/settings.md.
# "Paper" means Soto, Slavković, Reimherr and Shriver (2024) for faces, Soto, Bharath, Reimherr and Slavković (2022) for
# shapes.
"""
PAGE = """\
# Settings

Every setting, with what it may hold, what holds where a settings file says nothing, and what it means. A key that is
not listed here is refused. `needed` means that the section cannot do without it; `-` that it may be left out.
`shapedp new` writes a file with the few that one has to think about, and `shapedp settings KEY` prints one.
This page is written by `shapedp settings --write` from `workflow/schemas/config.schema.yaml`.
"""


def make_demo(section: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the demo's settings, or those of one section, of which config.yaml is written: its choices, else the
    defaults.
    """
    values = {}
    for name, node in (
        (name, resolve_reference(node)) for name, node in (section or load_schema())["properties"].items()
    ):
        if "demo" in node:
            values[name] = node["demo"]
        elif "properties" in node:
            values[name] = make_demo(node)
        elif "default" in node:
            values[name] = node["default"]
    return values


def compose_settings(settings: dict[str, Any], head: str) -> str:
    """Return the text of a settings file for people: values in the schema's order, each with its meaning as a comment.

    Parameters
    ----------
    settings : dict
        The values.
    head : str
        Comments that stand first.
    """
    return "\n".join([head.rstrip("\n"), *_compose_section(settings, load_schema(), "", set())]) + "\n"


def _compose_section(
    values: dict[str, Any], section: dict[str, Any], indent: str, meanings_told: set[int]
) -> Iterator[str]:
    """Yield the lines of one section of a commented settings file: each key with its value, below its meaning as a
    comment.
    """
    for name, declared in section["properties"].items():
        if name not in values:
            continue
        node, value = resolve_reference(declared), values[name]
        if not indent:
            yield ""
        if "properties" in node and isinstance(value, dict) and node.get("maxProperties") != 1 and "demo" not in node:
            yield from comment_line(f"{indent}{name}:", node, meanings_told)
            yield from _compose_section(value, node, indent + "  ", meanings_told)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from comment_line(f"{indent}{name}:", node, meanings_told)
            for entry in value:
                lines = list(_compose_section(entry, node["items"], indent + "    ", meanings_told))
                yield f"{indent}  - {lines[0].strip()}"
                yield from lines[1:]
        else:
            yield from comment_line(f"{indent}{name}: {format_flow(value)}", node, meanings_told)


def comment_line(line: str, node: dict[str, Any], meanings_told: set[int]) -> Iterator[str]:
    """Yield a line of a settings file with the meaning of its key as a comment, wrapped, unless it was told already.

    Parameters
    ----------
    line : str
        The key and its value.
    node : dict
        What the schema says of the key.
    meanings_told : set of int
        Ids of the meanings that stand in the file already; this one is added.
    """
    words = describe_meaning(node)
    if not words or id(node.get("description")) in meanings_told:
        yield line
        return
    meanings_told.add(id(node["description"]))
    column = max(COLUMN, len(line) + 1)
    # Above the line, which leaves too little room beside it.
    if column > WIDTH // 3:
        indent = " " * (len(line) - len(line.lstrip()))
        yield from (f"{indent}# {row}" for row in textwrap.wrap(words, WIDTH - len(indent) - 2))
        yield line
        return
    rows = textwrap.wrap(words, WIDTH - column - 2)
    yield f"{line:<{column}}# {rows[0]}"
    yield from (f"{'':<{column}}# {row}" for row in rows[1:])


def describe_meaning(node: dict[str, Any]) -> str:
    """Return the comment beside a key: in brackets what it measures, then what it is."""
    unit = f"[{node['unit']}] " if "unit" in node else ""
    return unit + node.get("description", "")


def format_flow(value: Any) -> str:
    """Return a value in one line of YAML."""
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=False, allow_unicode=True)
    return text.removesuffix("\n").removesuffix("\n...")


def compose_page(head: str) -> str:
    """Return the Markdown page about all settings, one table a section, from the schema that checks them."""
    lines = [head]
    for name, section in load_schema()["properties"].items():
        words = section["description"]
        lines.append(f"## {name}\n\n{words[0].upper()}{words[1:]}.\n\n| key | holds | default | meaning |")
        lines.append("| --- | --- | --- | --- |")
        for key, node, is_needed in list_keys(section):
            if "properties" in node and not node.get("description"):
                continue
            default = "needed" if is_needed else f"`{format_flow(node['default'])}`" if "default" in node else "-"
            type_and_default = ("a section", "") if "properties" in node else (describe_values(node), default)
            cells = (
                cell.replace("|", "\\|") for cell in (f"`{name}.{key}`", *type_and_default, describe_meaning(node))
            )
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def list_keys(section: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield (dotted key, what the schema says of it, whether its section needs it) of all keys below a section, for
    pages.
    """
    for name, declared in section["properties"].items():
        node, key = resolve_reference(declared), f"{prefix}{name}"
        yield key, node, name in section.get("required", ())
        if "properties" in node:
            yield from list_keys(node, f"{key}.")
        elif "properties" in node.get("items", {}):
            yield from list_keys(node["items"], f"{key}[].")
        elif isinstance(node.get("additionalProperties"), dict) and "properties" in node["additionalProperties"]:
            yield from list_keys(node["additionalProperties"], f"{key}.NAME.")


def describe_values(node: dict[str, Any]) -> str:
    """Return what a key may hold, in words for a page or a command: `a whole number from 2 to 200`."""
    if "anyOf" in node:
        return ", or ".join(describe_values(resolve_reference(choice)) for choice in node["anyOf"])
    if "const" in node or "enum" in node:
        return " or ".join(f"`{choice}`" for choice in node.get("enum", [node.get("const")]))
    kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
    return ", or ".join(_describe_type(kind, node) for kind in kinds)


def _describe_type(kind: str, node: dict[str, Any]) -> str:
    """Return what a key of one JSON type may hold, in words, for the page of settings: `a whole number from 2 to
    200`.
    """
    if kind in ("integer", "number"):
        limits = "".join(words.format(node[limit]) for limit, words in RANGES.items() if limit in node)
        return KINDS[kind] + limits + (", even" if node.get("multipleOf") == 2 else "")
    if kind != "array":
        return KINDS[kind]
    entry, count = node["items"], node.get("minItems")
    if "properties" in entry:
        return "a list of entries"
    repeats = f"{count} times " if count and count == node.get("maxItems") else "each "
    return f"a list, {repeats}{describe_values(resolve_reference(entry))}"


def compose_files() -> dict[str, str]:
    """Return {path in the checkout: text} of all that is written from the schema."""
    return {"config.yaml": compose_settings(make_demo(), DEMO), "docs/settings.md": compose_page(PAGE)}


def write_files(root: Path) -> Iterator[str]:
    """Write the files that follow from the schema (config.yaml, the page of settings), and yield the names of those
    that changed.
    """
    for name, text in compose_files().items():
        path = root / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            yield name


def describe_setting(key: str | None) -> Iterator[str]:
    """Yield lines for a user about one key, or about all keys of a section; for who names none, about the sections."""
    for name, node, is_needed in list_keys(load_schema()):
        if key is None:
            if node.get("description") and "properties" in node:
                yield f"{name}: {node['description']}"
        elif name == key or name.startswith((f"{key}.", f"{key}[].")):
            default = f"default {json.dumps(node['default'])}" if "default" in node else "may be left out"
            possible_values = (
                ["a section"] if "properties" in node else [describe_values(node), "needed" if is_needed else default]
            )
            yield f"{name}: {'; '.join(filter(None, [*possible_values, describe_meaning(node)]))}"
