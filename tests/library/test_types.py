"""Public functions of the rooms that others build on say the type of each argument; ruff asks for what they return."""

import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import shapedp

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


def test_the_stub_names_what_is_public_from_where_it_is():
    imports = [
        node for node in ast.parse((LIBRARY / "__init__.pyi").read_text("utf-8")).body if hasattr(node, "module")
    ]
    stated = {one.asname: f"{node.module}.{one.name}" for node in imports for one in node.names}
    assert stated.pop("errors") == shapedp.errors.__name__.removesuffix(".errors") + ".errors"
    assert stated.pop("manifolds") == shapedp.manifolds.__name__
    assert stated == {name: f"shapedp.app.api.{where}.{name}" for name, where in shapedp._WHERE.items()}
    assert (LIBRARY / "py.typed").is_file()


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_a_checker_of_types_sees_each_public_name(tmp_path):
    script = tmp_path / "user.py"
    script.write_text("import shapedp\n" + "".join(f"reveal_type(shapedp.{one})\n" for one in shapedp.__all__), "utf-8")
    given = ("--follow-imports=silent", "--ignore-missing-imports", "--no-incremental", f"--cache-dir={tmp_path}")
    command = (sys.executable, "-m", "mypy", *given, str(script))
    env = {"MYPYPATH": str(LIBRARY.parent), "PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, cwd=tmp_path)
    shown = [line for line in done.stdout.splitlines() if "Revealed type" in line]
    assert len(shown) == len(shapedp.__all__), done.stdout[-2000:] + done.stderr[-2000:]
    assert [line for line in shown if 'is "Any"' in line] == []
