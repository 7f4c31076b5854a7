"""Which scans make up a cohort: a folder, a glob or a sample sheet, checked before any job runs."""

import difflib
import hashlib
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

from shapedp.cohorts import sheets
from shapedp.cohorts.folders import SUFFIXES, identifier
from shapedp.errors import ConfigError
from shapedp.storage import containment

COLUMNS = ("id", "path", "person", "group", "nose_x", "nose_y", "nose_z")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
GLOB_SIGNS = "*?["
SHOWN = 5  # faults of one sort that a message lists
FEWEST, MOST = 30, 250  # faces a job with `auto`: a job's start costs as much as 3 faces, and a lost job its faces
MOST_BATCHES = 1000  # with `auto`: what Snakemake plans in a minute, see workflow/report/scale.md
LONGEST_PERSON = 200  # characters


@dataclass(frozen=True)
class Sample:
    """One scan: its id, file, the person it shows, that person's group, the nose tip if it was marked by hand, and the
    sheet's further columns as (name, text).
    """

    id: str
    path: str
    person: str
    group: str = ""
    nose: tuple | None = None
    covariates: tuple = ()


def find(scans, persons="refuse"):
    """The samples that `scans` names: a sample sheet (.tsv), a folder or a glob.

    persons : what to do with two scans of one person: `refuse` them, or keep them to `average` within the person
    """
    if Path(scans).is_dir():
        found = sorted(path for path in Path(scans).iterdir() if path.suffix.lower() in SUFFIXES)
        samples = _from_paths(found, scans, scans)
    elif any(sign in scans for sign in GLOB_SIGNS):
        samples = _from_paths(sorted(_matches(scans)), scans, _before_signs(scans))
    else:
        samples = read_sheet(scans)
    if len(samples) < 2:
        raise ConfigError(f"faces.scans: '{scans}' holds {len(samples)} scan(s); a mean needs at least 2")
    _refuse_repeats([sample.id for sample in samples], f"faces.scans: '{scans}'", "the id")
    _refuse_two_groups(samples, f"faces.scans: '{scans}'")
    if persons == "refuse":
        _refuse_repeats(
            [sample.person for sample in samples],
            f"faces.scans: '{scans}'",
            "the person",
            "; keep one record a person, or set faces.persons: average",
        )
    return samples


def names_persons(scans):
    """Whether `scans` is a sample sheet with a column that says whose each scan is."""
    return Path(scans).is_file() and COLUMNS[2] in sheets.read(Path(scans))[0]


def stamp(samples):
    """A digest of the sizes and dates of the scans' files: another when a scan takes the place of one of them."""
    found = [Path(sample.path).stat() for sample in samples]
    return hashlib.blake2b(repr([(one.st_size, one.st_mtime_ns) for one in found]).encode(), digest_size=16).hexdigest()


def _refuse_two_groups(samples, where):
    """Refuse a person whose scans stand in different groups: one person has one record, in one group."""
    group_of = {}
    torn = {one.person for one in samples if group_of.setdefault(one.person, one.group) != one.group}
    if torn:
        raise ConfigError(f"{where}: {len(torn)} person(s) stand in more than one group: {_some(sorted(torn))}")


def _matches(pattern):
    """Files that match a glob, absolute or relative (pathlib globs only below a folder)."""
    anchor = Path(pattern).anchor
    return [path for path in Path(anchor or ".").glob(pattern.removeprefix(anchor)) if path.is_file()]


def _before_signs(pattern):
    """The folder above the first part of a glob that holds a sign."""
    parts = Path(pattern).parts
    return Path(*parts[: next(index for index, part in enumerate(parts) if any(sign in part for sign in GLOB_SIGNS))])


def _from_paths(paths, scans, folder):
    if not paths:
        raise ConfigError(f"faces.scans: '{scans}' matches no scan ({', '.join(SUFFIXES)})")
    samples = [Sample(_name(identifier(path.stem), f"{path.name!r}: the id"), str(path), path.stem) for path in paths]
    _refuse_escapes(samples, folder, f"faces.scans: '{scans}'")
    return samples


def _refuse_escapes(samples, folder, where):
    """Refuse scans outside the folder that was named: a stranger's list must not choose what is read here."""
    if outside := containment.escaping([sample.path for sample in samples], folder):
        raise ConfigError(
            f"{where}: {len(outside)} scan(s) lie outside the folder, by name or through a link: "
            f"{_some(list(map(repr, outside)))}; {containment.REMEDY}"
        )


def read_sheet(path):
    """Samples of a sheet; paths are relative to it. Further columns are kept as covariates. Row 1 is the header."""
    sheet = Path(path)
    if not sheet.is_file():
        raise ConfigError(f"faces.scans: '{path}' is neither a folder, a glob that matches, nor a sample sheet")
    header, rows = sheets.read(sheet)
    if missing := [name for name in COLUMNS[:2] if name not in header]:
        raise ConfigError(
            f"{sheet.name}: needs the column(s) {', '.join(missing)} (separated by tabs, semicolons or commas); found "
            f"{', '.join(repr(name[:80]) for name in header[:SHOWN])}"
        )
    _refuse_misspelled([name for name in header if name not in COLUMNS], sheet)
    samples = [_sample(row, number, sheet) for number, row in enumerate(rows, start=2)]
    absent = [
        f"row {number}: {row['path']}"
        for number, (row, sample) in enumerate(zip(rows, samples, strict=True), 2)
        if not os.path.isfile(sample.path)  # noqa: PTH113 a name too long for the disk is no file, not an error
    ]
    if absent:
        raise ConfigError(f"{sheet.name}: {len(absent)} scan(s) not found beside the sheet: {_some(absent)}")
    _refuse_escapes(samples, sheet.parent, sheet.name)
    return samples


def _refuse_misspelled(further, sheet):
    """Refuse a column that is nearly one of ours: persons that go unread would each count several times."""
    for name in further:
        near = difflib.get_close_matches(name.lower(), COLUMNS, n=1, cutoff=0.75)
        if near or not name.isprintable():
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise ConfigError(f"{sheet.name}: unknown column {name[:80]!r}{hint} (columns of your own are kept)")


def _sample(row, number, sheet):
    where = f"{sheet.name} row {number}"
    if None in row or any(value is None for value in row.values()):
        raise ConfigError(f"{where}: has {'more' if None in row else 'fewer'} columns than the header")
    name = _name(row["id"], f"{where}: the id")
    path = _shown(row["path"], f"{where}: the path", containment.LONGEST)
    person = _shown(row.get("person") or name, f"{where}: the person", LONGEST_PERSON)
    kept = tuple((column, text) for column, text in row.items() if column not in COLUMNS)
    return Sample(name, str(sheet.parent / path), person, _group(row, where), _nose(row, where), kept)


def _shown(text, where, longest):
    """Text that may be printed: no control characters, none that turn the reading direction or cannot be seen."""
    if not text or not text.isprintable() or len(text) > longest:
        raise ConfigError(
            f"{where} {text[:80]!r} is not allowed: it is empty, longer than {longest}, or holds characters that do "
            "not show"
        )
    return text


def _name(text, where):
    if not NAME.fullmatch(text):
        raise ConfigError(
            f"{where} {text[:80]!r} is not allowed: letters, digits, '.', '_' and '-', at most 64, no first '.'"
        )
    return text


def _group(row, where):
    return _name(row["group"], f"{where}: the group") if row.get("group") else ""


def _nose(row, where):
    words = [row.get(name) or "" for name in COLUMNS[4:]]
    if not any(words):
        return None
    try:
        nose = tuple(float(word) for word in words)
    except ValueError:
        nose = (math.nan,)
    if not all(map(math.isfinite, nose)):
        raise ConfigError(f"{where}: nose_x, nose_y, nose_z must be three numbers or all empty, found {words}")
    return nose


def _refuse_repeats(names, where, what, remedy=""):
    rows = {}
    for number, name in enumerate(names, start=2):
        rows.setdefault(name, []).append(number)
    repeats = [f"'{name}' in rows {', '.join(map(str, found))}" for name, found in rows.items() if len(found) > 1]
    if repeats:
        raise ConfigError(f"{where}: {what} stands more than once: {_some(repeats)}{remedy}")


def _some(faults):
    more = f" and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
    return "; ".join(faults[:SHOWN]) + more


def batches(samples, batch_size):
    """Samples by batch name, in order; with `auto` the batches are as equal as they can be."""
    size = _automatic(len(samples)) if batch_size == "auto" else batch_size
    width = len(str(-(-len(samples) // size)))
    return {
        f"{index:0{width}d}": samples[start : start + size]
        for index, start in enumerate(range(0, len(samples), size), start=1)
    }


def _automatic(count):
    """Faces a job: an eighth of the cohort within FEWEST..MOST, more only where there would be over MOST_BATCHES.

    It depends on the cohort alone: a number of cores in it would remake everything on another machine.
    """
    size = max(min(MOST, max(FEWEST, -(-count // 8))), -(-count // MOST_BATCHES))
    jobs = -(-count // size)
    return -(-count // jobs)
