"""Run benches: print each table and write results/bench/<bench>.tsv (columns case, measure, value, unit)."""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def benches():
    """The names of all benches: the files bench_<name>.py beside this one."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def load(name):
    """The module of one bench."""
    spec = importlib.util.spec_from_file_location(f"bench_{name}", HERE / f"bench_{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def report(name, rows):
    """Print the rows as a table and write them, one figure a row."""
    print(f"\n{name}")
    for case, measure, value, unit in rows:
        print(f"  {case:28s} {measure:32s} {value:>12.5g} {unit}")
    table = ROOT / "results" / "bench" / f"{name}.tsv"
    table.parent.mkdir(parents=True, exist_ok=True)
    lines = ["case\tmeasure\tvalue\tunit", *(f"{c}\t{m}\t{v:.6g}\t{u}" for c, m, v, u in rows)]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(names):
    """Run the named benches, or all."""
    unknown = sorted(set(names) - set(benches()))
    if unknown:
        sys.exit(f"no bench named {', '.join(unknown)}; there are: {', '.join(benches())}")
    sys.path[:0] = [str(ROOT / "scripts"), str(HERE), str(HERE.parent)]
    for name in names or benches():
        report(name, load(name).run())


if __name__ == "__main__":
    main(sys.argv[1:])
