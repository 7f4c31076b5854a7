"""Arguments are written as arguments: no call takes apart a tuple that was written out in it."""

import ast

import pytest


def taken_apart(text):
    """Lines of the calls that unpack a literal tuple or list."""
    return [
        one.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        for one in node.args
        if isinstance(one, ast.Starred) and isinstance(one.value, ast.Tuple | ast.List)
    ]


@pytest.mark.parametrize(("text", "lines"), [("f(*(a, b), c)", [1]), ("f(*a, b)", []), ("f(*(x for x in a))", [])])
def test_what_counts(text, lines):
    assert taken_apart(text) == lines


@pytest.mark.slow
def test_no_call_takes_apart_what_was_written_in_it(root):
    found = {
        f"{path.relative_to(root)}:{line}"
        for folder in ("scripts", "tests")
        for path in (root / folder).rglob("*.py")
        for line in taken_apart(path.read_text(encoding="utf-8"))
    }
    assert found == set()
