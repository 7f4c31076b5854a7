"""Run benches: print each table and keep its rows in results/<bench>.tsv beside this file.

A bench is a file bench_<name>.py with `POPULATIONS` (those it can be measured on, the usual one first), `SEEDS` (in
words: of people, poses, noise), the sizes `FULL` and `TINY` (for the tests, which run every bench), and
`run(population, size)`, which yields rows (case, measure, value, unit), or with the seeds of this row as a fifth.
`TARGETS`, where there is one, is {"case measure": "<= 1.5"}; `WHOLE_LIBRARY = True` says that it starts processes,
which may run any module. `PARTS`, where there are any, are functions of the size by name: `--part` runs one alone.
`tables.py` makes the pages that show the rows.
"""

import argparse
import ast
import csv
import datetime
import importlib
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = HERE / "results"
COLUMNS = ("case", "measure", "value", "unit", "population", "seeds", "commit", "date", "modules")
KEY = ("case", "measure", "population")  # a row is replaced by a run that measures the same


def benches():
    """Return the names of all benches: the files bench_<name>.py beside this one."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def load(name):
    """Return the module of one bench."""
    return importlib.import_module(f"benchmarks.bench_{name}")


def measured(name, population=None, tiny=False, part=None):
    """Return (population, rows) of a bench, or of one of its parts, on its usual population unless another is named."""
    bench = load(name)
    population = population or bench.POPULATIONS[0]
    if population not in bench.POPULATIONS:
        sys.exit(f"{name} is not measured on '{population}', but on: {', '.join(bench.POPULATIONS)}")
    size = bench.TINY if tiny else bench.FULL
    if part is None:
        return population, bench.run(population, size)
    parts = getattr(bench, "PARTS", {})
    if part not in parts:
        sys.exit(f"{name} has no part '{part}'; it has: {', '.join(parts) or 'none'}")
    return population, parts[part](size)


def report(name, population, rows, folder):
    """Print each row as it comes and put it into the bench's table, in place of an earlier row of the same."""
    print(f"\n{name}, population: {population}", flush=True)
    about = {
        "population": population,
        "commit": commit(),
        "date": datetime.date.today().isoformat(),
        "modules": modules_digest(name),
    }
    path = folder / f"{name}.tsv"
    folder.mkdir(parents=True, exist_ok=True)
    for case, measure, value, unit, *seeds in rows:
        print(f"  {case:28s} {measure:32s} {value:>12.5g} {unit}", flush=True)
        measurement = {"case": case, "measure": measure, "value": f"{value:.6g}", "unit": unit}
        write(path, replaced(read(path), measurement | about | {"seeds": "".join(seeds) or load(name).SEEDS}))


def replaced(rows, new):
    """Return the rows with a new one in the place of the earlier one of the same measurement, or at the end."""
    same = [all(row[key] == new[key] for key in KEY) for row in rows]
    return [new if is_same else row for row, is_same in zip(rows, same, strict=True)] + ([] if any(same) else [new])


def read(path):
    """Return the rows of a table, each a dict by column; none where there is no table."""
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def write(path, rows):
    """Write a table, one figure a row."""
    with path.open("w", encoding="utf-8", newline="") as lines:
        table = csv.DictWriter(lines, COLUMNS, delimiter="\t", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def modules_digest(name):
    """Return what the bench's code and all library code that it imports say, as a digest; benches that start processes
    (`WHOLE_LIBRARY`) run all of it.
    """
    sys.path[:0] = [path for path in (str(ROOT / "scripts"), str(HERE.parent)) if path not in sys.path]
    from shapedp.base.runs import code_digest

    whole = getattr(load(name), "WHOLE_LIBRARY", False)
    library = [str(path) for path in (ROOT / "scripts").rglob("*.py")] if whole else []
    return code_digest.digest_files([HERE / f"bench_{name}.py", *neighbours(HERE / f"bench_{name}.py"), *library])[:12]


def neighbours(path):
    """Return the files of this folder that a bench imports, directly or through others."""
    found, waiting = set(), [path]
    while waiting:
        tree = ast.parse(waiting.pop().read_text(encoding="utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        names = {part for node in imports for name in node.names for part in name.name.split(".")}
        names |= {node.module.split(".")[-1] for node in imports if getattr(node, "module", None)}
        new = {HERE / f"{name}.py" for name in names - {"run", "tables"}} - found
        new = {file for file in new if file.is_file()}
        found |= new
        waiting.extend(new)
    return sorted(found)


def commit():
    """Return the short name of the commit that is measured, with a + where files differ; - outside a checkout."""
    words = ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=8", "--exclude=*", "--dirty=+"]
    answer = subprocess.run(words, capture_output=True, text=True)
    return answer.stdout.strip() or "-"


def main(arguments):
    """Run the named benches, or all."""
    options = argparse.ArgumentParser(description=__doc__.split(":")[0])
    options.add_argument("names", nargs="*", metavar="bench", help=f"of {', '.join(benches())}; without any: all")
    options.add_argument("--population", help="another than the bench's first")
    options.add_argument("--part", help="one part of a bench that has parts: the others' rows stay as they are")
    options.add_argument("--tiny", action="store_true", help="a few seconds each, to see that it runs; kept apart")
    options.add_argument("--folder", type=Path, help="where the tables go")
    chosen = options.parse_args(arguments)
    unknown = sorted(set(chosen.names) - set(benches()))
    if unknown:
        sys.exit(f"no bench named {', '.join(unknown)}; there are: {', '.join(benches())}")
    sys.path[:0] = [str(ROOT / "scripts"), str(HERE.parent)]
    from benchmarks.populations import Missing

    folder = chosen.folder or (ROOT / "results/bench" if chosen.tiny else RESULTS)
    for name in chosen.names or benches():
        try:
            report(name, *measured(name, chosen.population, chosen.tiny, chosen.part), folder)
        except Missing as error:
            sys.exit(f"{name}: {error}")
    if folder == RESULTS:
        from benchmarks import tables

        tables.write_pages()


if __name__ == "__main__":
    main(sys.argv[1:])
