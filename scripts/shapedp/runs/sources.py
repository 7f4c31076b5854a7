"""Which library modules a script depends on, so that an edit of the library reruns just what uses it."""

import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
# As the formatter writes them. Parsing each file instead takes the third part of what `snakemake -n` takes.
IMPORT = re.compile(
    rf"^ *(?:import|from) +(?P<module>{PACKAGE.name}\b[\w.]*)(?: +import +(?P<names>\([^)]*\)|.*))?", re.MULTILINE
)
NAME = re.compile(r"(\w+)(?: +as +\w+)?")


def closure(script):
    """Paths of all modules of this library that a file imports, directly or through others, sorted."""
    found, waiting = set(), [Path(script)]
    while waiting:
        new = set(imports(waiting.pop())) - found
        found |= new
        waiting.extend(new)
    return sorted(map(str, found))


@cache
def imports(path):
    """The library's files that one file imports, wherever in it the import stands."""
    names = set()
    for found in IMPORT.finditer(Path(path).read_text(encoding="utf-8")):
        names.add(found["module"])
        names |= {f"{found['module']}.{name}" for name in NAME.findall(found["names"] or "")}
    return tuple(sorted(file for name in names for file in _files(name)))


def _files(name):
    """The file of a dotted module name and the __init__ files above it; none for other packages' modules."""
    first, *rest = name.split(".")
    if first != PACKAGE.name:
        return
    folder = PACKAGE
    yield PACKAGE / "__init__.py"
    for part in rest:
        if (folder / f"{part}.py").is_file():
            yield folder / f"{part}.py"
            return
        folder = folder / part
        if not (folder / "__init__.py").is_file():
            return
        yield folder / "__init__.py"
