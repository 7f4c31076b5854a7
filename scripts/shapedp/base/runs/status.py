"""How far a run is, and what it did, for a terminal: batches done, rejections, releases, pages, time; tables."""

import json
import sys
from collections import Counter
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from shapedp.base.runs.logs import format_duration
from shapedp.base.storage.files import locate_partial, read_table

# What a person opens, and what it is; of several files of one sort the first is named.
PAGES = (
    ("release/*/*/index.html", "the page of a release, to be opened in a browser"),
    ("private/*/review.html", "each record as it came beside what was made of it, doubtful ones first"),
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

# Rules whose time is told.
LONGEST = 3
# Seconds that are no minute yet.
SHORT = 45


def describe_progress(batches, steps, results="results"):
    """Yield lines for `shapedp status` on a run at work: scans done and what is running, a cohort each; then the time
    left.

    Parameters
    ----------
    batches : mapping
        {cohort: {batch: its faces}}.
    steps : mapping
        {folder of the artifact: rule} of the chain, in its order.
    results : path
        The folder of the results.
    """
    private, at_work, seconds, is_timed = Path(results) / "private", 0, 0.0, True
    for cohort, members in batches.items():
        steps_begun = []
        for step_number, rule in enumerate(steps.values()):
            # What is not kept is gone once they are there.
            later_folders = [private / cohort / batch for batch in [*steps][step_number:]]
            waiting = [
                batch for batch in members if not any((folder / f"{batch}.h5").exists() for folder in later_folders)
            ]
            running = sum(locate_partial(later_folders[0] / f"{batch}.h5").exists() for batch in members)
            if running or 0 < len(waiting) < len(members):
                running_words = f" ({running} running)" if running else ""
                steps_begun.append(f"{rule} {len(members) - len(waiting)} of {len(members)}{running_words}")
            face_seconds = _measure_face_seconds(private / "benchmarks" / rule, batches) if waiting else 0.0
            is_timed = is_timed and face_seconds is not None
            seconds += (face_seconds or 0.0) * sum(len(members[batch]) for batch in waiting)
            at_work += running
        if steps_begun:
            finished = [batch for batch in members if (private / cohort / [*steps][-1] / f"{batch}.h5").exists()]
            counts = [sum(len(members[batch]) for batch in some_batches) for some_batches in (finished, members)]
            yield f"{cohort}: {counts[0]} of {counts[1]} scans done; batches done: {', '.join(steps_begun)}"
    if at_work:
        yield _describe_time_left(seconds / at_work, is_timed)


def _describe_time_left(seconds, is_timed):
    """Return how long a run still takes, in words for `describe_progress`; what no finished job has timed yet is not
    known.
    """
    if not seconds:
        return "the time left is not known yet: no batch has gone through a step that others wait for"
    words = "less than a minute" if seconds < SHORT else f"about {_format_minutes(seconds)}"
    return f"{words} left" if is_timed else f"{words} left, and the steps that no batch has gone through yet"


def _format_minutes(seconds):
    """Return seconds in words, rounded to minutes, as a forecast of time is no more exact: `1 minute`, `2 h 05 min`."""
    minutes = max(1, round(seconds / 60))
    if minutes >= 60:
        return format_duration(60 * minutes)
    return f"{minutes} minute{'s' * (minutes > 1)}"


def _measure_face_seconds(folder, batches):
    """Return mean seconds a face of a rule's finished jobs, from their benchmarks, to foretell the rest; None before
    the first.
    """
    seconds, faces = 0.0, 0
    for cohort, members in batches.items():
        for batch, inside in members.items():
            path = folder / cohort / f"{batch}.tsv"
            if path.exists():
                seconds += sum(float(row["s"]) for row in read_table(path))
                faces += len(inside)
    return seconds / faces if faces else None


def describe_results(results="results", since=0.0, timed=True, populations=None, cohorts=None):
    """Yield lines on what a run made: rejected records, pages to open, releases, times; all of it, or what is new
    since.

    Parameters
    ----------
    results : path
        The folder.
    since : float
        Seconds of the epoch; what is older is not told.
    timed : bool
        Whether to say how long jobs took.
    populations : set of str
        Releases of others are only counted; None: all are told.
    cohorts : collection of str
        Those of whose records it tells besides what was made since; None: all.
    """
    results = Path(results)
    for table in sorted(results.glob("private/*/quality.tsv")):
        if cohorts is None or table.parent.name in cohorts or table.stat().st_mtime >= since:
            yield from _describe_quality(table)
    others = 0
    for path in sorted(results.glob("release/*/*/statement.json")):
        statement = json.loads(path.read_text(encoding="utf-8"))
        if populations is None or statement["budget"]["population"] in populations:
            verdict = "formally private" if statement["formally_private"] else "NOT formally private"
            yield f"release in {path.parent}: {verdict}. {statement['summary']}"
        else:
            others += 1
    if others:
        yield f"{others} release(s) of other populations lie under results/release, too"
    yield from _describe_files(results, since)
    if timed:
        yield from _describe_times(results / "private" / "benchmarks", since)


def _describe_quality(table):
    """Yield how many scans or specimens of a cohort were accepted, and for which reasons others were rejected."""
    rows = read_table(table)
    rejected = [row for row in rows if row["status"] == "rejected"]
    accepted = len(rows) - len(rejected)
    filled = sum(row["status"] == "filled" for row in rows)
    filled_words = f" ({filled} of them filled in from public shapes)" if filled else ""
    yield f"{table.parent.name}: {accepted} accepted{filled_words}, {len(rejected)} rejected; each stands in {table}"
    if rejected and table.parent.name == "faces":
        yield "  rejected ones count as the public reference, so that n stays what it is:"
    if rejected and table.parent.name == "reference":
        yield "  these are of the public set; rejected ones are not used:"
    rows_with_code = [row for row in rows if row["code"] and row["status"] != "filled"]
    for code, count in Counter(row["code"] for row in rows_with_code).most_common():
        first = next(row for row in rows_with_code if row["code"] == code)
        example = f", {first['id']} for one" if count > 1 else ""
        yield f"  {count} x {code}{example}: {first['reason']}"


def _describe_files(results, since):
    """Yield lines on the pages and files that a run made, with the one to open, as its end says them."""
    paths_by_words = {words: sorted(_select_newer(results.glob(pattern), since)) for pattern, words in PAGES}
    if any(paths_by_words.values()):
        yield "made:"
    for words, (first, *others) in ((words, paths) for words, paths in paths_by_words.items() if paths):
        others_words = f" and {len(others)} more" if others else ""
        yield f"  {first}{others_words}: {words}"


def _select_newer(paths, since):
    """Return the paths whose files are not older than a time."""
    return [path for path in paths if path.stat().st_mtime >= since]


def _describe_times(benchmarks, since):
    """Yield how long all jobs of a run worked together, and which rules took most of it, for the summary at its end."""
    seconds, jobs = Counter(), Counter()
    for path in _select_newer(benchmarks.rglob("*.tsv"), since):
        rule = path.relative_to(benchmarks).parts[0].removesuffix(".tsv")
        seconds[rule] += sum(float(row["s"]) for row in read_table(path))
        jobs[rule] += 1
    if seconds:
        most = ", ".join(f"{rule} {format_duration(value)}" for rule, value in seconds.most_common(LONGEST))
        others = f"; {len(seconds) - LONGEST} other rules" if len(seconds) > LONGEST else ""
        total = format_duration(sum(seconds.values()))
        yield f"time at work: {total} in {sum(jobs.values())} jobs, most of it in {most}{others}"


def show_table(rows, stream=None):
    """Print rows as a table on a terminal, and with tabs elsewhere, so that other programs can read it.

    Parameters
    ----------
    rows : list of dict
        {column: value}, the same columns in each.
    stream : file
        Where to; standard output by default.
    """
    stream = stream or sys.stdout
    if not rows:
        return
    words = (("" if value is None else value for value in row.values()) for row in rows)
    cells = [[f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in row] for row in words]
    if not stream.isatty():
        print("\n".join("\t".join(line) for line in [list(rows[0]), *cells]), file=stream)
        return
    table = Table(*rows[0], box=box.SIMPLE_HEAD)
    for line in cells:
        table.add_row(*line)
    Console(file=stream, highlight=False, markup=False).print(table)
