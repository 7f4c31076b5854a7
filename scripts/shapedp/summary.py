"""What a run did, in a few lines: faces accepted and rejected, the releases and what they guarantee, time used."""

import csv
import json
from collections import Counter
from pathlib import Path


def lines(results="results"):
    """The summary of everything that lies under a results folder."""
    results = Path(results)
    for table in sorted(results.glob("private/*/quality.tsv")):
        yield from _quality(table)
    for statement in sorted(results.glob("release/*/*/statement.json")):
        yield _release(statement)
    yield from _times(results / "private" / "benchmarks")


def _rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def _quality(table):
    rows = _rows(table)
    rejected = [row for row in rows if row["status"] == "rejected"]
    yield f"{table.parent.name}: {len(rows) - len(rejected)} accepted, {len(rejected)} rejected (listed in {table})"
    for code, count in Counter(row["code"] for row in rejected).most_common():
        reason = next(row["reason"] for row in rejected if row["code"] == code)
        yield f"  {count} x {code}: {reason}"


def _release(path):
    statement = json.loads(path.read_text(encoding="utf-8"))
    verdict = "formally private" if statement["formally_private"] else "NOT formally private"
    return f"release {path.parent}: {verdict}. {statement['summary']}"


def _times(benchmarks):
    """Seconds of each rule over all its jobs, the longest first."""
    seconds = Counter()
    for path in benchmarks.rglob("*.tsv"):
        rule = path.relative_to(benchmarks).parts[0].removesuffix(".tsv")
        seconds[rule] += sum(float(row["s"]) for row in _rows(path))
    if seconds:
        yield "seconds of work: " + ", ".join(f"{rule} {value:.0f}" for rule, value in seconds.most_common())
