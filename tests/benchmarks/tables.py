"""Make what shows the benches' figures from their tables: README.md here, and marked figures in the project's pages.

A page marks a figure as `<!-- figure: BENCH / CASE MEASURE / FORMAT -->.58<!-- end -->`, where FORMAT is Python's, such
as `.2f`; what stands between the marks is written by `python tests/benchmarks/tables.py`. A test compares.
"""

import ast
import operator
import re
import sys
from functools import cache

if __name__ == "__main__":
    from pathlib import Path

    sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "scripts"), str(Path(__file__).resolve().parents[1])]

from benchmarks import run

PAGE = run.HERE / "README.md"
MARK = re.compile(r"(<!-- figure: ([\w-]+) / (\S+) (\S+) / (\S+) -->).*?(<!-- end -->)", re.DOTALL)
SIGNS = {"<=": operator.le, ">=": operator.ge, "=": operator.eq}
TARGET = re.compile(r"(<=|>=|=) *(-?[\d.]+)")
OPENING = """# Benches

`make bench` runs every bench, `make bench BENCH=release` one; each prints its rows as they come and keeps them in
`results/<bench>.tsv`, where only a run replaces a row. This page is made from these tables by
`python tests/benchmarks/tables.py`; a test compares. What a bench is stands in `run.py`; `test_benches.py` runs each in
a tiny form, so that none can rot.

A population is `ict`, random faces of the public ICT model of `../shared/data/faces/ict_faces.npz`; `demo`, the model
that the project brings; `simulated`, points drawn on manifolds; or what the bench says itself. Figures are of a virtual
machine with 2 cores (x86-64, 24 GB), Python 3.11, one thread; its speed changes from day to day, so times of different
rows say little about the code, ratios within a run do. A commit with + had changes beside it. A * marks a row whose
code, of the bench or of the library modules that it imports, has changed since. What was measured before 2026-11-26
stands in the history of this file.
"""


def write_pages():
    """Write every page that shows figures, as its tables have them now."""
    for path, text in pages().items():
        if path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(path.relative_to(run.ROOT))


def pages():
    """Return {path: text} of all pages that show figures, as they should be."""
    shown = [run.ROOT / "README.md", *sorted((run.ROOT / "docs").rglob("*.md"))]
    return {PAGE: bench_page()} | {path: with_figures(path.read_text(encoding="utf-8"), path) for path in shown}


def bench_page():
    """Return the page of all benches that have a table, and the names of the others."""
    measured = [name for name in run.benches() if run.read(run.RESULTS / f"{name}.tsv")]
    others = [name for name in run.benches() if name not in measured]
    closing = f"\nNot measured since these tables are kept: {', '.join(others)}.\n" if others else ""
    return "\n".join([OPENING, *map(section, measured)]).rstrip("\n") + "\n" + closing


def section(name):
    """Return the heading, purpose and table of one bench."""
    now, targets = run.modules_digest(name), getattr(run.load(name), "TARGETS", {})
    rows = run.read(run.RESULTS / f"{name}.tsv")
    # Hundreds of rows share one population and its seeds, which are said once.
    people = list(dict.fromkeys(f"{row['population']}; {row['seeds']}" for row in rows))
    lines = [f"## {name}", "", purpose(name), "", "Population; seeds:", ""]
    lines += [f"{number}. {words}" for number, words in enumerate(people, 1)]
    lines += ["", "| case | measure | value | unit | target | population | measured |", "| --- " * 7 + "|"]
    for row in rows:
        target = verdict(row, targets.get(f"{row['case']} {row['measure']}"))
        is_old = "" if row["modules"] == now else " *"
        cells = [
            row["case"],
            row["measure"],
            row["value"],
            row["unit"],
            target,
            str(people.index(f"{row['population']}; {row['seeds']}") + 1),
            f"{row['date']} {row['commit']}{is_old}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def purpose(name):
    """Return the docstring of a bench, whose lines after a blank one are a list or prose of their own."""
    return ast.get_docstring(ast.parse((run.HERE / f"bench_{name}.py").read_text(encoding="utf-8")))


def verdict(row, target):
    """Return a target with whether the row meets it, such as `<= 1.5: missed`."""
    if not target:
        return ""
    sign, limit = TARGET.fullmatch(target).groups()
    return f"{target}: {'met' if SIGNS[sign](float(row['value']), float(limit)) else 'missed'}"


def with_figures(text, path):
    """Return a page with each marked figure as its table has it."""

    def written(found):
        opening, name, case, measure, form, closing = found.groups()
        rows = [row for row in _table(name) if (row["case"], row["measure"]) == (case, measure)]
        if len(rows) != 1:
            raise SystemExit(
                f"{path.name}: {len(rows)} rows '{case} {measure}' in the table of bench '{name}'; name one that is "
                f"there, or run: make bench BENCH={name}"
            )
        value = format(float(rows[0]["value"]), form)
        return opening + value + closing

    return MARK.sub(written, text)


@cache
def _table(name):
    return run.read(run.RESULTS / f"{name}.tsv")


if __name__ == "__main__":
    write_pages()
