"""What a run did, in a few lines: faces accepted and rejected, the releases and what they guarantee, what it made,
and the time it used.
"""

import csv
import json
from collections import Counter
from pathlib import Path

from shapedp.errors import ArtifactError
from shapedp.runs.logs import duration

PAGES = (  # what a person opens, and what it is; of several files of one sort the first is named
    ("release/*/*/index.html", "the page of a release, to be opened in a browser"),
    ("private/*/forecast.txt", "what each possible release would cost and how good it would be"),
    ("private/*/figures/*.png", "pictures of the cohort (private)"),
    ("private/*/comparison.tsv", "every mechanism beside the mean that is not private (private)"),
    ("plan/noise.png", "the noise of releases, foretold"),
    ("plan/answers.tsv", "how many people, or what mu, half a millimetre takes"),
    ("private/verify.tsv", "what was computed again, compared byte by byte"),
    ("audit/audit.png", "attacks beside claims"),
    ("audit/audit.tsv", "the same in numbers"),
    ("simulation/claims.md", "the papers' claims beside what was measured"),
    ("public/releases.html", "the page about all releases, for publication"),
    ("public/releases.zip", "the releases, checked, for publication"),
    ("private/report/*.html", "tables for the report; `make report` puts them into results/private/report.html"),
    ("private/*/inspect/*.png", "one face at every step (private)"),
    ("licences.tsv", "the licences of all that this is built on"),
)


def lines(results="results", since=0.0, timed=True):
    """The summary of everything that lies under a results folder; made and timed : only what is newer than `since`."""
    results = Path(results)
    for table in sorted(results.glob("private/*/quality.tsv")):
        yield from _quality(table)
    for shapes in sorted(results.glob("private/shapes/shapes.h5")):
        yield from _shapes(shapes)
    for statement in sorted(results.glob("release/*/*/statement.json")):
        yield _release(statement)
    yield from _made(results, since)
    if timed:
        yield from _times(results / "private" / "benchmarks", since)


def _rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def _quality(table):
    rows = _rows(table)
    rejected = [row for row in rows if row["status"] == "rejected"]
    accepted = len(rows) - len(rejected)
    yield f"{table.parent.name}: {accepted} accepted, {len(rejected)} rejected; each stands in {table}"
    if rejected and table.parent.name == "faces":
        yield "  rejected ones count as the public reference, so that n stays what it is:"
    for code, count in Counter(row["code"] for row in rejected).most_common():
        reason = next(row["reason"] for row in rejected if row["code"] == code)
        yield f"  {count} x {code}: {reason}"


def _shapes(path):
    from shapedp import artifacts  # here, so that a run does not load HDF5 before it needs it

    try:
        with artifacts.reader(path, artifacts.SHAPES) as source:
            reasons = [reason for ok, reason in zip(source["ok"], source["reasons"], strict=True) if not ok]
            yield f"shapes: {len(source['ok']) - len(reasons)} accepted, {len(reasons)} rejected"
    except ArtifactError:
        return  # of an older version, and not asked for
    for reason, count in Counter(reasons).most_common():
        yield f"  {count} x {reason}"


def _release(path):
    statement = json.loads(path.read_text(encoding="utf-8"))
    verdict = "formally private" if statement["formally_private"] else "NOT formally private"
    return f"release in {path.parent}: {verdict}. {statement['summary']}"


def _made(results, since):
    """What was made, with the page to open."""
    found = {words: sorted(_newer(results.glob(pattern), since)) for pattern, words in PAGES}
    if any(found.values()):
        yield "made:"
    for words, (first, *others) in ((words, paths) for words, paths in found.items() if paths):
        more = f" and {len(others)} more" if others else ""
        yield f"  {first}{more}: {words}"


def _newer(paths, since):
    return [path for path in paths if path.stat().st_mtime >= since]


def _times(benchmarks, since):
    """Time of each rule over all its jobs, the longest first."""
    seconds, jobs = Counter(), Counter()
    for path in _newer(benchmarks.rglob("*.tsv"), since):
        rule = path.relative_to(benchmarks).parts[0].removesuffix(".tsv")
        seconds[rule] += sum(float(row["s"]) for row in _rows(path))
        jobs[rule] += 1
    if seconds:
        yield f"time at work, jobs side by side counted one by one: {duration(sum(seconds.values()))}"
        yield from (
            f"  {rule:22s} {duration(value):>12s}  {jobs[rule]} job(s)" for rule, value in seconds.most_common()
        )
