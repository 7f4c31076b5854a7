"""Run benches: print each table and write results/bench/<bench>.tsv (columns case, measure, value, unit, population).

A bench is a file bench_<name>.py with `POPULATIONS` (those it can be measured on; its table in README.md names the
first), the sizes `FULL` and `TINY` (for the tests, which run every bench), and `run(population, size)`, which yields
rows (case, measure, value, unit).
"""

import argparse
import importlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COLUMNS = ("case", "measure", "value", "unit", "population")


def benches():
    """The names of all benches: the files bench_<name>.py beside this one."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def load(name):
    """The module of one bench."""
    return importlib.import_module(f"benchmarks.bench_{name}")


def measured(name, population=None, tiny=False):
    """(population, rows) of a bench, on the population that its table names unless another is asked for."""
    bench = load(name)
    population = population or bench.POPULATIONS[0]
    if population not in bench.POPULATIONS:
        sys.exit(f"{name} is not measured on '{population}', but on: {', '.join(bench.POPULATIONS)}")
    return population, bench.run(population, bench.TINY if tiny else bench.FULL)


def report(name, population, rows, folder):
    """Print each row as it comes and write the table, one figure a row."""
    print(f"\n{name}, population: {population}", flush=True)
    lines = []
    for case, measure, value, unit in rows:
        print(f"  {case:28s} {measure:32s} {value:>12.5g} {unit}", flush=True)
        lines.append(f"{case}\t{measure}\t{value:.6g}\t{unit}\t{population}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.tsv").write_text("\n".join(["\t".join(COLUMNS), *lines]) + "\n", encoding="utf-8")


def main(arguments):
    """Run the named benches, or all."""
    asked = argparse.ArgumentParser(description=__doc__.split(":")[0])
    asked.add_argument("names", nargs="*", metavar="bench", help=f"of {', '.join(benches())}; without any: all")
    asked.add_argument("--population", help="another than the one that the table in README.md names")
    asked.add_argument("--tiny", action="store_true", help="a few seconds each, to see that it runs")
    asked.add_argument("--folder", type=Path, default=ROOT / "results" / "bench", help="where the tables go")
    chosen = asked.parse_args(arguments)
    unknown = sorted(set(chosen.names) - set(benches()))
    if unknown:
        sys.exit(f"no bench named {', '.join(unknown)}; there are: {', '.join(benches())}")
    sys.path[:0] = [str(ROOT / "scripts"), str(HERE.parent)]
    from benchmarks.populations import Missing

    for name in chosen.names or benches():
        try:
            report(name, *measured(name, chosen.population, chosen.tiny), chosen.folder)
        except Missing as error:
            sys.exit(f"{name}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
