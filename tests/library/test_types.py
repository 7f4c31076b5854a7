"""Public functions of the rooms that others build on say the type of each argument; ruff asks for what they return."""

import ast
from pathlib import Path

import pytest

LIBRARY = Path(__file__).resolve().parents[2] / "scripts" / "shapedp"
ROOMS = (
    *("app/api", "base/settings", "ledger", "privacy", "releases", "releases/statement"),
    *("privacy/accounting", "privacy/curves", "privacy/samplers", "privacy/shapes"),
)


def public(body):
    """The public functions of a module, and of its public classes."""
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public(node.body)


@pytest.mark.parametrize("room", ROOMS)
def test_each_argument_has_a_type(room):
    bare = [
        f"{path.name}:{function.lineno} {function.name}({one.arg})"
        for path in (LIBRARY / room).glob("*.py")
        for function in public(ast.parse(path.read_text(encoding="utf-8")).body)
        for one in (*function.args.args, *function.args.kwonlyargs, function.args.vararg, function.args.kwarg)
        if one is not None and one.arg not in ("self", "cls") and one.annotation is None
    ]
    assert not bare
