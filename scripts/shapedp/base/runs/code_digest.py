"""What code says, as one digest, which changes when what is computed may, and not with prose, layout or place.

Docstrings and comments are left out and local names are numbered. Names of functions, parameters, attributes and
modules stay: `sin` is not `cos`, and a caller may pass a parameter by its name. A digest is of contents alone, so that
a copy of a checkout, or files with new dates, have the same.
"""

import ast
import hashlib
import json
import os
import re
from collections.abc import Iterable
from functools import cache
from itertools import accumulate
from pathlib import Path

from shapedp.base.storage import files

PACKAGE = Path(__file__).resolve().parents[2]
# Parsing every module takes two seconds, reading what is kept a hundredth: beside the compiled code, for all folders of
# runs, or in a run's own folder where this user may not write there.
KEPT_DIGESTS = PACKAGE / "__pycache__/code_digests.json", Path(".snakemake/code_digests.json")
FORMAT = "1"  # of what is kept and of what a digest is of
# A constant that may name a file beside the module.
FILE_NAME = re.compile(r"[\w./-]+\.[a-z0-9]{1,8}")
SCOPES = ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp


def digest_script(script: str | Path, keep: Path | None = None) -> str:
    """Return the digest of all code that a script runs, by which a job runs again after an edit of code, but not of a
    comment.

    Of the script and of all modules of this library that it imports, directly or through others.

    Parameters
    ----------
    script : path
        The script, or a module of the library.
    keep : path, optional
        Where digests of single files are kept between calls, by their contents; it is no matter if it is lost. Without,
        one of KEPT_DIGESTS.
    """
    return digest_files([script], keep)


def digest_files(paths: Iterable[str | Path], keep: Path | None = None) -> str:
    """Return the digest of all code that these files run, by which a job or a stored row of a bench is still current.

    It is of the files and of all modules of this library that any of them imports. It changes when what they compute
    may, and not with comments or local names.
    """
    scripts = {Path(path).resolve() for path in paths}
    places = scripts.union(*map(_find_files_behind, scripts))
    parts = _digest_parts(sorted(places), keep or _find_kept())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


@cache
def _find_kept():
    """Return the file that digests are kept in, so that a run in a new folder does not parse every module again."""
    return next((path for path in KEPT_DIGESTS if os.access(path.parent, os.W_OK)), KEPT_DIGESTS[-1])


def find_library_files(script: str | Path) -> list[str]:
    """Return the paths of all modules of this library that a file imports, directly or not, for tests to compare with.

    They are sorted.
    """
    return sorted(map(str, _find_files_behind(Path(script).resolve())))


# Sixty jobs run some thirty scripts, which share most of their modules.
@cache
def _find_files_behind(script):
    """Return all files of the library that a script imports, directly or not: a change in one runs its rule again."""
    found_files, paths_waiting = set(), [script]
    while paths_waiting:
        new_files = set(find_imports(paths_waiting.pop())) - found_files
        found_files |= new_files
        paths_waiting.extend(new_files)
    return frozenset(found_files)


# As the formatter writes them. Parsing each file instead takes the third part of what `snakemake -n` takes.
IMPORT = re.compile(
    rf"^ *(?:import|from) +(?P<module>{PACKAGE.name}\b[\w.]*)(?: +import +(?P<names>\([^)]*\)|.*))?", re.MULTILINE
)
IMPORTED = re.compile(r"(\w+)(?: +as +\w+)?")
# Its folders, and modules in each, are imported by their names, which no import statement shows.
KINDS = PACKAGE / "releases/kinds"
PART = re.compile(r'\.part\("(\w+)"\)')


@cache
def _find_modules():
    """Return {name: file} of all modules of this library, to find what an import names; a package's is its `__init__`
    file.
    """
    modules = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


@cache
def find_imports(path: Path) -> tuple[Path, ...]:
    """Return the library's files that a file imports, wherever the import stands, so that its digest takes them in.

    With the __init__ files above.
    """
    names, text = {PACKAGE.name}, path.read_text(encoding="utf-8")
    for statement in IMPORT.finditer(text):
        names.add(statement["module"])
        names |= {f"{statement['module']}.{name}" for name in IMPORTED.findall(statement["names"] or "")}
    names |= {folder for name in names for folder in accumulate(name.split("."), "{}.{}".format)}
    modules = _find_modules()
    found_files = {modules[name] for name in names if name in modules} if len(names) > 1 else set()
    if KINDS / "__init__.py" in found_files:
        found_files |= {*KINDS.glob("*/__init__.py")}
    found_files |= {file for part in PART.findall(text) for file in KINDS.glob(f"*/{part}.py")}
    return tuple(sorted(found_files))


def digest_source(source: str) -> str:
    """Return the digest of one module's text that prose does not change: without docstrings, comments and local
    names.
    """
    return _digest_tree(ast.parse(source))


def _digest_tree(tree):
    """Return the digest of a module's syntax tree, and take its docstrings out in place."""
    _remove_docstrings(tree)
    words = []
    _spell_node(tree, (), words)
    return hashlib.sha256("".join(words).encode()).hexdigest()


def _digest_parts(places, keep):
    """Return, sorted, a digest of each file of code, and of what lies beside it that it names, such as a page's script.

    What an earlier run kept in `keep` of unchanged files is not computed again.
    """
    kept = _read_kept(keep)
    count_known = len(kept)
    parts = sorted(_digest_part(place, place.stat().st_mtime_ns, kept) for place in places)
    if len(kept) > count_known and keep.parent.is_dir():
        files.write_text(keep, json.dumps({"format": FORMAT, "digests": kept}))
    return parts


DIGESTS_READ: dict[
    tuple[Path, int], str
] = {}  # of each file that this process has read, at its date: most scripts share most modules


def _digest_part(place, date, kept):
    """Return the digest of one file of code and of files beside it that it names, to see whether results are stale.

    Where the file is unchanged it is taken from what is kept.
    """
    if (place, date) not in DIGESTS_READ:
        text = place.read_text(encoding="utf-8")
        contents = hashlib.sha256(text.encode()).hexdigest()
        if contents not in kept:
            tree = ast.parse(text)
            names = sorted(set(_find_file_names(tree)))
            kept[contents] = [_digest_tree(tree), names]
        digest, names = kept[contents]
        neighbours = [place.parent / name for name in names]
        resources = [hashlib.sha256(path.read_bytes()).hexdigest() for path in neighbours if path.is_file()]
        DIGESTS_READ[place, date] = " ".join([digest, *resources])
    return DIGESTS_READ[place, date]


@cache
def _read_kept(keep):
    """Return the digests of files that an earlier run kept, to save time; none of a file that is not as written
    here.
    """
    try:
        noted = json.loads(keep.read_text(encoding="utf-8"))
        return noted["digests"] if noted["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _find_file_names(tree):
    """Yield the texts in a module's code that may name files beside it, whose change should change the code's digest
    too.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and FILE_NAME.fullmatch(node.value):
            yield node.value


def _remove_docstrings(tree):
    """Take docstrings out of a syntax tree, in place, since a change of words changes no result and should run no job
    again.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and type(first.value.value) is str:
                node.body = node.body[1:]


def _spell_node(node, scopes, words):
    """Add to words the parts of a tree that code says, with local names numbered, of which its digest is made.

    scopes : tuple of {name: what stands for it}, of the functions around the node, the innermost last
    words : list that grows; to yield them from as deep as a tree goes takes twice the time
    """
    inner_scopes = (*scopes, _number_locals(node, len(scopes))) if isinstance(node, SCOPES) else scopes
    words.append(f"({type(node).__name__}")
    for field, value in ast.iter_fields(node):
        # Such fields are absent in some versions of Python.
        if value is None or value == []:
            continue
        words.append(f" {field}=")
        if isinstance(value, str) and isinstance(node, ast.Name | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            value = _find_standing(value, inner_scopes)
        # Defaults, decorators and annotations are evaluated around the function.
        part_scopes = inner_scopes if field in ("body", "elt", "key", "value", "generators") else scopes
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.comprehension):
                _spell_comprehension(part, part_scopes, scopes if part is value[0] else part_scopes, words)
            elif isinstance(part, ast.AST):
                _spell_node(part, part_scopes, words)
            else:
                words.append(repr(part) + ",")
    words.append(")")


def _spell_comprehension(part, scopes, around, words):
    """Add to words what counts for a digest of code of one `for` of a comprehension, for `_spell_node`.

    The first one's iterable is evaluated around the comprehension.
    """
    words.append("(for ")
    _spell_node(part.target, scopes, words)
    _spell_node(part.iter, around, words)
    for condition in part.ifs:
        _spell_node(condition, scopes, words)
    words.append(f"{part.is_async})")


def _find_standing(name, scopes):
    """Return what a name stands for in the innermost scope that has it."""
    return next((scope[name] for scope in reversed(scopes) if name in scope), name)


def _number_locals(function, depth):
    """Return {name: its number} of a function's local names, by which code that merely renames them has the same
    digest.

    They are numbered as they come. A parameter stands for itself. Names of nested functions and classes do, too, as do
    those that are declared global.
    """
    parameters = ast.walk(function.args) if hasattr(function, "args") else ()
    names = {node.arg: node.arg for node in parameters if isinstance(node, ast.arg)}
    nodes = list(_walk_scope(function))
    outer_names = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    number = 0
    for node in nodes:
        bound_name = getattr(node, "id", None) if isinstance(getattr(node, "ctx", None), ast.Store) else None
        if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            bound_name = node.name
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.setdefault(node.name, node.name)
        elif bound_name and bound_name not in names and bound_name not in outer_names:
            names[bound_name] = f"#{depth}.{number}"
            number += 1
    return {name: stand_in for name, stand_in in names.items() if name not in outer_names}


def _walk_scope(function):
    """Yield a function's nodes in their order, to find its local names, whose spelling a digest of code must ignore.

    Those of the functions within it are left out, but for what they bind here.
    """
    body = getattr(function, "body", [])
    parts = [*(body if isinstance(body, list) else [body]), *getattr(function, "generators", ())]
    nodes = list(reversed(parts))
    while nodes:
        node = nodes.pop()
        yield node
        if isinstance(node, SCOPES):
            # What `:=` binds in a comprehension is bound around it.
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield from (inner_node.target for inner_node in ast.walk(node) if isinstance(inner_node, ast.NamedExpr))
            continue
        if isinstance(node, ast.ClassDef):
            continue
        nodes.extend(reversed(list(ast.iter_child_nodes(node))))
