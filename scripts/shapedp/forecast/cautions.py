"""What the person who releases should stop at: many rejections, few people, a weak guarantee. For their eyes alone."""

import csv
import math
from contextlib import suppress
from pathlib import Path

from shapedp import artifacts
from shapedp.errors import ArtifactError
from shapedp.forecast import budgets
from shapedp.releases import guarantees, strengths

FEW = 100  # people; below, noise at a fair guarantee is as large as what tells people apart
MANY = 0.1  # share of rejected records
WEAK = ("weak", "very weak")


def of_settings(settings, people):
    """Cautions that need no results; people : {branch: n} as far as n is known."""
    for branch, n in people.items():
        if n < FEW:
            yield f"caution: {branch}: {n} people are few; noise and chance fall with their number (see the forecast)"
    for branch in ("faces", "shapes"):
        for entry in settings[branch]["releases"] if settings[branch] else []:
            yield from _weak(entry, settings[branch])


def _weak(entry, section):
    cost = budgets.cost(entry, section)
    stated = guarantees.of_cost(cost)
    label, meaning = strengths.of(stated)
    if label in WEAK:
        yield (
            f"caution: '{entry['name']}' ({budgets.amount(cost)}) is a {label} guarantee: who knows all records but "
            f"one is right about it {math.floor(stated['right_guesses'] * 100)}% of the time between two ({meaning})"
        )


def of_results(settings, results="results"):
    """Cautions about what a run has found so far."""
    faces, shapes = (Path(results) / "private" / branch for branch in ("faces", "shapes"))
    if settings["faces"] and (faces / "quality.tsv").exists():
        yield from of_rejections(faces / "quality.tsv")
    if settings["shapes"] and (shapes / "shapes.h5").exists():
        yield from _of_shapes(shapes)


def _of_shapes(folder):
    with suppress(ArtifactError), artifacts.reader(folder / "shapes.h5", artifacts.SHAPES) as source:
        ok = source["ok"]
        yield from many_rejected(int(len(ok) - ok.sum()), len(ok), str(folder))  # of an older version: made anew


def of_rejections(table):
    """The caution for a quality table with many rejected faces."""
    path = Path(table)
    with path.open(encoding="utf-8", newline="") as stream:
        states = [row["status"] for row in csv.DictReader(stream, delimiter="\t")]
    yield from many_rejected(states.count("rejected"), len(states), str(path))


def many_rejected(rejected, records, where):
    """The caution for a share of rejected records."""
    if records and rejected >= MANY * records:
        yield (
            f"caution: {rejected} of {records} records were rejected ({rejected / records:.0%}) and count as the "
            f"public reference, which pulls the mean towards it; mend them before you release: {where}"
        )
