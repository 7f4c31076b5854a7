"""What a reader of the code meets: names that do not say what a thing is, docstrings without sections, few comments."""

import ast
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from workflow import runs

SCRIPTS = runs.ROOT / "scripts"
LIBRARY = SCRIPTS / "shapedp"
VAGUE = {"one", "ones", "told", "asked", "found", "made", "given", "settled", "beside"}
VAGUE |= {"item", "thing", "obj", "res", "val", "tmp", "it", "elem"}  # a rename to one of these is none
NAME_FIELD = {ast.Name: "id", ast.arg: "arg", ast.Attribute: "attr"}
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
OF = re.compile(r"of|.*_of|of_.*")
SECTION = re.compile(r"^\s*(Parameters|Returns|Yields|Attributes)\n\s*-{3,}$", re.MULTILINE)
# What only a face has or wears; `nose_curve` and other stored keys are longer words and do not match.
FACE_WORDS = re.compile(r"\b(nose|noses|nasal|hair|glasses|collar|beard)\b", re.IGNORECASE)


@dataclass
class Prose:
    """Counts over scripts/.

    names, splats : {file: number} of vague names, and of calls with a tuple's variable splatted
    of_functions : names of functions called `of`, `*_of` or `of_*`
    """

    names: Counter = field(default_factory=Counter)
    splats: Counter = field(default_factory=Counter)
    of_functions: list[str] = field(default_factory=list)
    lines: int = 0
    comments: int = 0


@cache
def tree(path: Path) -> ast.Module:
    """Return the parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def python_files(folder: Path) -> list[Path]:
    """Return the Python files below a folder, sorted."""
    return sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)


def count_prose(folder: Path = SCRIPTS) -> Prose:
    """Return what the Python files below a folder count."""
    prose = Prose()
    for path in python_files(folder):
        lines = path.read_text(encoding="utf-8").splitlines()
        prose.lines += len(lines)
        prose.comments += sum(line.strip().startswith("#") for line in lines)
        for node in ast.walk(tree(path)):
            name = getattr(node, NAME_FIELD.get(type(node), ""), None)
            prose.names[path] += name in VAGUE
            prose.splats[path] += isinstance(node, ast.Call) and any(map(is_splat, node.args))
            if isinstance(node, FUNCTIONS) and OF.fullmatch(node.name):
                prose.of_functions.append(f"{path.relative_to(folder)}::{node.name}")
    return prose


def is_splat(argument: ast.expr) -> bool:
    """Whether an argument is a variable's tuple, splatted."""
    return isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Name)


def texts_that_know_a_face(folder: Path = LIBRARY) -> list[tuple[Path, str]]:
    """Return (file, text) of texts outside `human_face` that name what only a face has; docstrings are none."""
    home = folder / "surfaces/human_face"
    outside = (path for path in python_files(folder) if home not in path.parents)
    return [(path, text) for path in outside for text in texts(path) if names_face(text)]


def names_face(text: str) -> bool:
    """Whether a text names what only a face has; a stored key or a setting alone is one word and does not count."""
    return bool(FACE_WORDS.search(text)) and not re.fullmatch(r"[\w.]+", text)


def texts(path: Path) -> list[str]:
    """Return the texts of a file, without its docstrings."""
    nodes = list(ast.walk(tree(path)))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    constants = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in docstrings)
    return [node.value for node in constants if isinstance(node.value, str)]


def share_with_sections() -> float:
    """Return the share, of functions with two parameters or more that others use, whose docstring has sections."""
    used = list(functions_for_others())
    return sum(has_section(function) for _, function in used) / len(used)


def functions_for_others():
    """Yield (file, function) of two parameters or more that `shapedp.__all__` exports or another wing imports."""
    uses = uses_from_other_wings()
    for path, names in sorted(uses.items()):
        for node in tree(path).body:
            if isinstance(node, FUNCTIONS) and node.name in names and len(parameters(node)) > 1:
                yield path, node
            if isinstance(node, ast.ClassDef) and path in exported() and node.name in exported()[path]:
                methods = (part for part in node.body if isinstance(part, FUNCTIONS) and not part.name.startswith("_"))
                yield from ((path, method) for method in methods if len(parameters(method)) > 1)


def parameters(function) -> list[str]:
    """Return the names of a function's parameters, but for what stands for the object or the class."""
    arguments = function.args
    names = [part.arg for part in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return [name for name in names if name not in ("self", "cls")]


def has_section(function) -> bool:
    """Whether a function's docstring has a section as numpydoc writes it."""
    return bool(SECTION.search(ast.get_docstring(function) or ""))


@cache
def exported() -> dict[Path, set[str]]:
    """Return {file: names} of what the package and its public parts offer."""
    names = defaultdict(set)
    for public in (LIBRARY / "__init__.py", LIBRARY / "__init__.pyi", LIBRARY / "manifolds.py"):
        for node in tree(public).body:
            if isinstance(node, ast.ImportFrom) and (module := file_of_module(node.module or "")):
                names[module] |= {part.name for part in node.names}
    return names


def uses_from_other_wings() -> dict[Path, set[str]]:
    """Return {file: names} of what another wing, or a script, takes of a file of the library."""
    uses = defaultdict(set, {path: set(names) for path, names in exported().items()})
    for path in python_files(SCRIPTS):
        modules = {}
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("shapedp"):
                continue
            for part in node.names:
                if module := file_of_module(f"{node.module}.{part.name}"):
                    modules[part.asname or part.name] = module
                elif (module := file_of_module(node.module)) and wing(module) != wing(path):
                    uses[module].add(part.name)
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                module = modules.get(node.value.id)
                if module and wing(module) != wing(path):
                    uses[module].add(node.attr)
    return uses


def file_of_module(name: str) -> Path | None:
    """Return the file of a module of this library by its name, if it is one."""
    path = SCRIPTS / f"{name.replace('.', '/')}.py"
    return path if path.is_file() else None


def wing(path: Path) -> str:
    """Return the wing that a file stands in; scripts are one of their own."""
    parts = path.relative_to(SCRIPTS).parts
    return parts[1] if parts[0] == "shapedp" and len(parts) > 2 else parts[0]
