"""What a look ends with: of each release which cells are not read, what lies beyond its public ranges, its worth.

It is for the eyes of whoever looks, and private: it tells of records.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from shapedp.app.forecast import forecasts
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError
from shapedp.base.settings import read_entry
from shapedp.base.storage.files import read_table
from shapedp.landmarks import shapes
from shapedp.people import samples
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.releases.model import covariates

# The covariate that is no cell, but follows from a record's landmarks.
SIZE = "log_size"
KEYS = ("ids", "persons", "groups", "covariates", "faults")


def describe_records(
    settings: Mapping[str, Any], members: Sequence[samples.Sample], results: Path | str
) -> Iterator[str]:
    """Yield a line for each public range of each release, so that a wrong one is seen: cells unread, cells beyond.

    Parameters
    ----------
    settings : mapping
        The completed settings.
    members : sequence of Sample
        The scans of the faces.
    results : path
        The folder of the results, where the landmarks' artifacts are.
    """
    folder = Path(results) / "private" / "shapes"
    for branch in ("faces", "shapes"):
        section = settings[branch]
        if not section:
            continue
        listed = members if branch == "faces" else _read_landmark_samples(folder)
        for entry in section["releases"]:
            yield from _describe_cells(branch, entry, samples.select_telling(entry, listed) if listed else [])
    if section := settings["shapes"]:
        yield from _describe_landmarks(section, folder / "shapes.h5")


def _read_landmark_samples(folder):
    """Return the landmark records that a run read, with their cells, for a look to count unread ones.

    There are none where it has read none yet.
    """
    with suppress(ArtifactError, OSError), artifacts.reader(folder / "landmarks.h5", artifacts.LANDMARKS) as source:
        return shapes.to_samples(*(source[key] for key in KEYS))
    return []


def _describe_cells(branch, entry, samples_counted):
    """Yield lines on the cells that a release takes: of each range how many are unread or beyond, and so clipped.

    They are of the scans or records whose cells count for it.
    """
    declared = {
        name: covariate for name, covariate in (read_entry(branch, entry, "covariates") or {}).items() if name != SIZE
    }
    ends = "count as its ends"
    for covariate in covariates.from_settings(declared):
        texts = [samples.read_cell(dict(sample.covariates), covariate.name) for sample in samples_counted]
        yield _describe_column(
            branch, entry, covariate.name, *_count_outside(covariate, texts), f"count as {covariate.middle:g}", ends
        )
    for column, (low, high) in entry.get("per", {}).items():
        span = covariates.Covariate(column, low, high)
        texts = [samples.read_cell(dict(sample.covariates), column) for sample in samples_counted]
        yield _describe_column(branch, entry, column, *_count_outside(span, texts), "count as no change", ends)


def _count_outside(covariate, texts):
    """Return how many cells a range does not take: (number of cells, unread ones, those beyond it, range in words).

    Of levels the third is None.
    """
    read = [text for text in texts if covariate.reads(text)]
    low, high = covariate.middle - covariate.reach, covariate.middle + covariate.reach
    beyond = None if covariate.levels else sum(not low <= samples.parse_number(text) <= high for text in read)
    words = " or ".join(covariate.levels) or f"{low:g} to {high:g}"
    return len(texts), len(texts) - len(read), beyond, words


def _describe_column(branch, entry, column, count, unread, beyond, span, words_on_unread, words_on_beyond):
    """Return the line of a look on one public range: how many of `count` cells are unread, how many beyond it.

    span : the range in words; words_on_unread, words_on_beyond : what such cells count as; beyond : None of levels
    """
    sentence = f"{branch} '{entry['name']}', {column} ({span}): {unread} of {count} cells are not read"
    beyond_words = "" if beyond is None else f"; {beyond} lie beyond it{' and ' + words_on_beyond if beyond else ''}"
    return f"{sentence}{' and ' + words_on_unread if unread else ''}{beyond_words}"


def _describe_landmarks(section, path):
    """Yield lines on how many shapes lie beyond the radius, and sizes beyond each range, and so are clipped."""
    # Before the first run there is no artifact, and then nothing is told of it.
    with suppress(ArtifactError, OSError), artifacts.reader(path, artifacts.SHAPES) as source:
        usable = source["ok"].astype(bool)
        distances = landmark_shapes.dist(source["center"], source["shapes"][usable]) if usable.any() else np.zeros(0)
        sizes = source["log_sizes"][usable]
        if not isinstance(section["radius"], str) and section["center"] != "private":
            beyond = int(np.sum(distances > section["radius"]))
            yield (
                f"shapes, radius ({section['radius']:g} rad): {beyond} of {len(distances)} lie beyond it"
                f"{' and are moved onto it' if beyond else ''}"
            )
        for setting, low, high in _list_size_ranges(section):
            beyond = int(np.sum((sizes < low) | (sizes > high)))
            yield (
                f"{setting} ({np.exp(low):.4g} to {np.exp(high):.4g}): {beyond} of {len(sizes)} centroid sizes lie "
                f"beyond it{' and count as its ends' if beyond else ''}"
            )


def _list_size_ranges(section):
    """Yield (setting, low, high) of each public range of centroid sizes, for a look to count whose sizes are clipped.

    The range is of logarithms.
    """
    if section.get("size"):
        yield "shapes, size", *np.log(section["size"])
    for entry in section["releases"]:
        if declared := (read_entry("shapes", entry, "covariates") or {}).get(SIZE):
            (covariate,) = covariates.from_settings({SIZE: declared})
            yield (
                f"shapes '{entry['name']}', {SIZE}",
                covariate.middle - covariate.reach,
                covariate.middle + covariate.reach,
            )


def describe_worth(settings: Mapping[str, Any], results: Path | str) -> Iterator[str]:
    """Yield what the forecast says of each release that the settings ask for; where there is none, of what it offers.

    It is the end of a look, from which the operator decides.

    Parameters
    ----------
    settings : mapping
        The completed settings.
    results : path
        The folder of the results, where the forecasts are.
    """
    for branch in ("faces", "shapes"):
        folder = Path(results) / "private" / branch
        forecast_path = folder / "forecast.txt"
        if not settings[branch] or not forecast_path.is_file():
            continue
        forecast_lines = forecast_path.read_text(encoding="utf-8").splitlines()
        rows = [row for path in sorted(folder.glob("forecast*.tsv")) for row in read_table(path)]
        for entry in settings[branch]["releases"]:
            entry_lines = _select_own_lines(entry, forecast_lines) or [_describe_row(entry, rows)]
            yield from (f"{branch} {line}" if not line.startswith(" ") else line for line in entry_lines if line)
        if not settings[branch]["releases"]:
            yield f"{branch}: {forecast_path} says what each possible release costs and is worth; it ends with"
            yield from (f"  {line}" for line in forecast_lines[_find_advice(forecast_lines) :])


def _find_advice(forecast_lines):
    """Return at which line of the forecast its advice begins, which a look repeats where no releases are asked for."""
    starts = [
        number
        for number, line in enumerate(forecast_lines)
        if line.startswith(("To release,", "Nothing is surely", "The center"))
    ]
    return starts[-1] if starts else max(len(forecast_lines) - 1, 0)


def _select_own_lines(entry, forecast_lines):
    """Return the lines of the forecast that are about one entry of `releases`, to repeat them at the end of a look."""
    own_lines = []
    for line in forecast_lines:
        if line.startswith((f"{entry['name']}, ", f"{entry['name']} would be refused")):
            own_lines = [line]
        elif own_lines and line.startswith("  ") and not line.startswith("    -"):
            own_lines.append(line)
        elif own_lines:
            break
    return own_lines


def _describe_row(entry, rows):
    """Return a sentence on what the forecast's table foretells of an entry, or that it has no row of it."""
    epsilon, mu = (entry["budget"].get(key) for key in ("epsilon", "mu_total"))
    name = entry["mechanism"] + forecasts.SHRUNK * bool(entry.get("shrink"))
    for row in rows:
        is_same_budget = (
            row["epsilon"] == f"{epsilon:g}" if epsilon is not None else mu is not None and row["mu"] == f"{mu:.4g}"
        )
        if is_same_budget and not (epsilon is None and row["epsilon"]) and row["mechanism"] == name:
            if row["group"] != entry.get("group", ""):
                continue
            bias = f", bias {row['bias']}" if row["bias"] else ""
            chance = f" beside {row['sampling']} of chance" if row["sampling"] else ""
            return f"'{entry['name']}', {name}: noise {row['noise']} {row['unit']}{bias}{chance}: {row['verdict']}"
    return f"'{entry['name']}': no forecast can be made for {name} with this budget; its noise falls with 1/n"
