"""Which scans make up a cohort: a folder, a glob or a sample sheet, checked before any job runs."""

import hashlib
import math
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from pathlib import Path

from shapedp.base.errors import ConfigError, Rejected, join_first
from shapedp.base.reading import frame, workbook
from shapedp.base.reading.suffixes import SUFFIXES as OF_SCANS
from shapedp.base.storage import files

# These are scans, too: they are rejected with the reason, not left out without a word.
NOT_READ = (".vtk", ".vtp", ".fbx")
SHEETS = (".tsv", ".csv", ".txt", workbook.ENDING)
# A file of such a name in a folder of scans is no scan.
SHEET_NAMES = ("samples", "sheet")
SUFFIXES = (*OF_SCANS, ".gz", *NOT_READ)


PLAIN = {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
PLAIN |= {"đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i"}  # letters that are no accented ones


def make_identifier(stem):
    """Return an id for a file's name, which may hold any letters: safe in paths, and alike wherever it is made.

    Letters lose their accents, those of other alphabets become their numbers, u7537, and all else that an id may not
    hold becomes _, at the beginning nothing. What does not show, and the . of a hidden file, stay and are refused.
    """
    plain = []
    for letter in unicodedata.normalize("NFC", stem):
        first, *rest = unicodedata.normalize("NFKD", letter)
        if letter in PLAIN:
            plain.append(PLAIN[letter])
        elif NAME.fullmatch(f"x{letter}") or not letter.isprintable():
            plain.append(letter)
        elif letter.isalnum() and first.isascii() and all(map(unicodedata.combining, rest)):
            plain.append(first)
        else:
            is_word = unicodedata.category(letter)[0] in "LMN"
            plain.append(f"u{ord(letter):04x}" if is_word else "_")
    return "".join(plain).lstrip("_-")


def is_named_as_sheet(path):
    """Tell whether a file of a folder of scans is a sheet, by its public name; what it holds decides nothing."""
    return path.stem.lower() in SHEET_NAMES and path.suffix.lower() in SHEETS


def is_sheet(path):
    """Tell whether a file is a sample sheet, rather than a scan: its first line names path, and id or person."""
    if path.suffix.lower() not in SHEETS or not path.is_file():
        return False
    (_, first), *_ = _read_first_lines(path) or [(1, "")]
    named = [set(_split_names(first, sign)) for sign in DELIMITERS]
    return any(PATH in names and names & {ID, *frame.PERSONS} for names in named)


def _read_first_lines(path):
    """Return a file's first lines, to tell whether it is a sample sheet; none of a workbook that cannot be read."""
    if path.suffix.lower() != workbook.ENDING:
        with path.open("rb") as stream:
            return frame.split_lines(stream.read(4096))
    try:
        return workbook.read_lines(path)
    except Rejected:
        return []


def describe_unused(scans):
    """Yield lines on files beside the scans that are not read, and why, so that none is missed; one line an ending."""
    if _is_glob(scans):
        yield from _describe_sheets_beside(scans)
    if not Path(scans).is_dir():
        return
    others = {}
    for path in sorted(Path(scans).iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield f"{path.name!r} is a folder: name it in faces.scans, or a glob that reaches into it"
        elif is_named_as_sheet(path):
            yield f"{path.name!r} is a sample sheet by its name and no scan: name it in faces.scans to use it"
        elif is_sheet(path):
            yield f"{path.name!r} counts as a scan but looks like a sheet: name it in faces.scans, or move it away"
        elif path.suffix.lower() not in SUFFIXES:
            others.setdefault(path.suffix.lower() or "no ending", []).append(path.name)
    for ending, (first, *more) in others.items():
        besides = f" and {len(more)} more like it are" if more else " is"
        yield f"{first!r}{besides} not used: {ending} is not a format of scans"


def _is_glob(scans):
    return not Path(scans).exists() and any(sign in scans for sign in GLOB_SIGNS)


def _match_glob(scans):
    """Return the scans that a glob names, and the folder above its first sign, in which they must lie."""
    # pathlib globs only below a folder, so an absolute pattern is matched below its anchor.
    anchor = Path(scans).anchor
    matches = Path(anchor or ".").glob(scans.removeprefix(anchor))
    above = takewhile(lambda part: not set(part) & set(GLOB_SIGNS), Path(scans).parts)
    return list(filter(Path.is_file, matches)), Path(*above)


def _describe_sheets_beside(scans):
    """Yield lines on sample sheets beside a glob's files, which it ignores: each scan is another person's then."""
    matches, above = _match_glob(scans)
    entries = (
        entry for folder in sorted({above, *(path.parent for path in matches)}) for entry in sorted(folder.iterdir())
    )
    sheets = [path for path in entries if is_named_as_sheet(path) or is_sheet(path)]
    for path in [path for path in sheets if path in matches]:
        yield f"{path.name!r} counts as a scan but looks like a sheet: name it in faces.scans, or move it away"
    if sheets := [path for path in sheets if path not in matches]:
        others = f" and {len(sheets) - 1} more lie" if len(sheets) > 1 else " lies"
        yield (
            f"the sample sheet '{sheets[0]}'{others} beside the scans and is not used, since faces.scans is a glob: "
            "each scan counts as another person's. Name the sheet in faces.scans to use it"
        )


DELIMITERS = "\t;,"
COORDINATES = ("nose_x", "nose_y", "nose_z")
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")


def read_table(sheet):
    """Return a sheet's column names, and a frame.Row of each line; the header says what separates the cells."""
    names, delimiter, others = _read_header(sheet)
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(f"{sheet.name}: the column(s) {', '.join(map(repr, repeated))} stand more than once")
    if PATH not in names:
        raise ConfigError(
            f"{sheet.name}: needs the column(s) {PATH} (separated by tabs, semicolons or commas); found "
            f"{', '.join(repr(name[:80]) for name in names[:5])}"
        )
    frame.refuse_misnamed(sheet.name, names, (*COLUMNS, *frame.TIMES))
    columns = frame.Columns(names, delimiter)
    if columns.enclosed:
        raise ConfigError(
            f"{sheet.name}: the column(s) {', '.join(columns.enclosed)} stand between other columns, where one "
            f"comma too many in a cell would shift them: make {', '.join(frame.FRAME_COLUMNS)} the first columns"
        )
    rows = [columns.row(number, text) for number, text in others]
    if None in rows:
        framing = ", ".join(name for name in names if name in frame.FRAME_COLUMNS)
        where = f"{sheet.name} row {others[rows.index(None)][0]}"
        raise ConfigError(f"{where}: lacks a cell for one of {framing}; fill it in")
    return names, rows


def _read_header(sheet):
    """Return a sheet's column names, what separates them, and the other lines, not yet split."""
    (_, first), *others = frame.read_lines(sheet) or [(1, "")]
    delimiter = max(DELIMITERS, key=lambda sign: (PATH in _split_names(first, sign), first.count(sign)))
    return _split_names(first, delimiter), delimiter, others


def _split_names(first, delimiter):
    return [name.strip() for name in frame.split_cells(first, delimiter) or []]


ID, PATH, PERSON, GROUP = "id", "path", "person", frame.GROUP
COLUMNS = (ID, PATH, PERSON, GROUP, frame.USE, *COORDINATES)
# A column that holds a coordinate of a marked point.
MARK = re.compile(r"mark_([a-z][a-z0-9_]{0,31})_[xyz]")
SIDE, SIDES = "side", {"left": "left", "l": "left", "right": "right", "r": "right"}
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
GLOB_SIGNS = "*?["
# Faces a job with `auto`: a job's start costs as much as 3 faces, and a lost job loses its faces.
FEWEST, MOST = 30, 250
# With `auto`: as many as Snakemake plans in a minute, see workflow/report/scale.md.
MOST_BATCHES = 1000
LONGEST_PERSON = 200  # characters


@dataclass(frozen=True)
class Sample:
    """One scan: its id, file, the person it shows, that person's group, the nose tip if it was marked by hand.

    covariates : the sheet's further columns as (name, text); notices : what of its row could not be read, for the
    operator alone; use : False for one that the sheet leaves out, which counts as the reference; time : when the person
    was scanned, as the column `time` or `pair` says, or ""; marks : (name, (x, y, z)) of further points that a person
    marked; mirrored : whether the sheet says that it is of the right side
    """

    id: str
    path: str
    person: str
    group: str = ""
    nose: tuple | None = None
    covariates: tuple = ()
    notices: tuple = ()
    use: bool = True
    time: str = ""
    marks: tuple = ()
    mirrored: bool = False

    @property
    def scan_inputs(self):
        """What a chain.Scan takes: id, file (None where the sheet leaves it out), nose tip or None, marks, mirrored."""
        return self.id, self.scan, self.nose, self.marks, self.mirrored

    @property
    def scan(self):
        """Its file, or None where the sheet leaves it out."""
        return self.path if self.use else None


SCANS = "faces.scans"  # the setting that names the cohort


def find(scans, persons="refuse", setting=SCANS):
    """Return the samples of a cohort, one a scan, that settings name by a sheet, a folder or a glob.

    Parameters
    ----------
    scans : str
        The sheet, folder or glob.
    persons : str
        `refuse` two scans of a person at one time, or keep them to `average`.
    setting : str
        What named `scans`, for complaints.

    Returns
    -------
    list of Sample
    """
    where = f"{setting}: '{scans}'"
    if Path(scans).is_dir():
        paths = (path for path in Path(scans).iterdir() if path.suffix.lower() in SUFFIXES)
        samples = _make_samples((path for path in paths if not is_named_as_sheet(path)), where, scans)
    elif _is_glob(scans):
        matches, above = _match_glob(scans)
        samples = _make_samples(matches, where, above)
    else:
        samples = read_sheet(scans, setting)
    if len(samples) < 2:
        raise ConfigError(f"{where} holds {len(samples)} scan(s); a mean needs at least 2")
    refuse_other_kinds([sample.path for sample in samples], where)
    _refuse_repeats([sample.id for sample in samples], where, "the id", "; give each scan an id of its own")
    group_by_person = find_groups(samples)
    split_people = {scan.person for scan in samples if group_by_person[scan.person] != scan.group}
    # Of a person in several groups the first scan alone tells, so that there is one notice a person.
    first_ids = {scan.person: scan.id for scan in reversed(samples)}
    words = "the person's scans stand in more than one group, so the person is in none"
    samples = [
        replace(
            scan, group="", notices=(*scan.notices, *([f"{scan.id}: {words}"] * (scan.id == first_ids[scan.person])))
        )
        if scan.person in split_people
        else scan
        for scan in samples
    ]
    if persons == "refuse":
        _refuse_repeats(
            [f"{sample.person}' at '{sample.time}" if sample.time else sample.person for sample in samples],
            where,
            "the person",
            "; keep one record a person and time, or set faces.persons: average",
        )
    return samples


# Kinds of releases of a difference within each person.
CHANGE, ASYMMETRY = DIFFERENCES = ("mean_change", "asymmetry")


def takes_own_rows(entry):
    """Tell whether an entry of `releases` takes rows of its own, rather than the mean of each person's scans."""
    return entry.get("kind") in DIFFERENCES or "time" in entry


def list_times(entry):
    """Return at which times a person's scans are needed by an entry of `releases`: both of a change, that of a mean."""
    return entry["times"] if entry.get("kind") == CHANGE else [entry["time"]] if "time" in entry else []


def list_people(entry, samples):
    """Return the people whose rows an entry of `releases` takes: those with a scan of each of its times.

    The frame alone says it, and whether a scan can be used does not matter.

    Parameters
    ----------
    entry : dict
        Of `releases`.
    samples : list of Sample

    Returns
    -------
    list of str
    """
    needed, present = list_times(entry), {(scan.person, scan.time) for scan in samples}
    everybody = dict.fromkeys(scan.person for scan in samples)
    return [person for person in everybody if all((person, time) in present for time in needed)]


def select_telling(entry, samples):
    """Return the scans whose covariates a release reads: those of its people that the sheet uses, at its time.

    The entry of `releases` may name a `time`.

    Parameters
    ----------
    entry : dict
        Of `releases`.
    samples : list of Sample

    Returns
    -------
    list of Sample
    """
    people = set(list_people(entry, samples))
    return [
        scan for scan in samples if scan.person in people and scan.use and scan.time == entry.get("time", scan.time)
    ]


def list_cells(entry, samples):
    """Return the covariates' cells that a release reads, of the scans that `select_telling` selects.

    Parameters
    ----------
    entry : dict
        Of `releases`.
    samples : list of Sample

    Returns
    -------
    list of (str, dict)
        (person, {column: text}) of each scan of `select_telling`.
    """
    return [(scan.person, dict(scan.covariates)) for scan in select_telling(entry, samples)]


def find_groups(samples):
    """Return {person: group}, by which releases of a group select people; "" where a person's records differ in it.

    A group may be private, and then refuses no run.
    """
    groups = {}
    for scan in samples:
        groups.setdefault(scan.person, set()).add(scan.group)
    return {person: own_groups.pop() if len(own_groups) == 1 else "" for person, own_groups in groups.items()}


def read_cell(texts: Mapping[str, str], column: str) -> str:
    """Return what a record's cells hold in the column that settings name; "" where it has none.

    Where names differ by their case alone, the one that is written the same counts.

    Parameters
    ----------
    texts : mapping
        {column: text} of the record.
    column : str

    Returns
    -------
    str
    """
    if column in texts:
        return texts[column]
    return next((text for name, text in texts.items() if name.casefold() == column.casefold()), "")


def parse_number(text: str) -> float:
    """Return the finite number that a cell holds, with a point or a decimal comma; NaN for what is none."""
    word = str(text).strip()
    try:
        value = float(word.replace(",", ".") if DECIMAL_COMMA.fullmatch(word) else word)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def find_lacking(names: Iterable[str], columns: Iterable[str]) -> list[str]:
    """Return those columns that settings name and a sheet lacks, in order.

    Parameters
    ----------
    names, columns : iterable of str
        Compared without regard to case.

    Returns
    -------
    list of str
    """
    known = {name.casefold() for name in columns}
    return sorted(name for name in names if name.casefold() not in known)


def list_possible_releases(samples):
    """Return the releases that a forecast shows where settings ask for none: a model, and changes from time to time.

    A change is from each time of the sheet to the next.
    """
    shaped = {"mechanism": "shaped", "budget": {"mu_total": 1.0}}
    pairs = pairwise(dict.fromkeys(scan.time for scan in samples if scan.time))
    changes = [
        {"name": f"change_{number}", "kind": CHANGE, "times": list(times), **shaped}
        for number, times in enumerate(pairs, start=1)
    ]
    return [{"name": "model", "kind": "face_model", **shaped}, *changes]


def has_column(scans, name):
    """Tell whether `scans` is a sheet with this column, which decides what settings must declare, such as a review.

    It may look, since a sheet's header is no person's record; whatever separates its cells.

    Parameters
    ----------
    scans : path
        A sheet, or anything else that settings name as scans.
    name : str
        Of the column, in lower case.

    Returns
    -------
    bool
    """
    return any(name in names for names, _ in _read_headers(scans))


def find_mark_column(scans):
    """Return the first column of a sheet that holds a coordinate of a marked point, or None."""
    return next((name for names, _ in _read_headers(scans) for name in names if MARK.fullmatch(name)), None)


def may_lose_groups(scans):
    """Return whether `scans` is a sheet of which other cells of a record may move the one that says its group."""
    framing = {*frame.FRAME_COLUMNS, *frame.PERSONS}
    return any(frame.Columns(names, sign, framing).has_movable_group for names, sign in _read_headers(scans))


def _read_headers(scans):
    """Return a sheet's header as split by each sign that may separate its cells, to look for columns in.

    They are (names of the columns, sign); nothing of what is no file.
    """
    if not Path(scans).is_file():
        return []
    (_, first), *_ = frame.read_lines(Path(scans)) or [(1, "")]
    return [([name.lower() for name in _split_names(first, sign)], sign) for sign in DELIMITERS]


def digest_stats(paths):
    """Return a digest of files' sizes and dates, so that changed scans are processed again; "" of no files."""
    fingerprint = repr(
        [(status.st_size, status.st_mtime_ns) for status in (Path(path).stat() for path in paths)]
    ).encode()
    return hashlib.blake2b(fingerprint, digest_size=16).hexdigest() if paths else ""


def refuse_other_kinds(paths, where):
    """Refuse files of which none bears the name of a scan, such as pictures: names are public, whatever files hold.

    Where some are scans by their names, the others are rejected one by one, as what they hold says.

    Parameters
    ----------
    paths : sequence of path
    where : str
        What names them, for the complaint.
    """
    if not any(Path(path).suffix.lower() in SUFFIXES for path in paths):
        raise ConfigError(
            f"{where}: none of the {len(paths)} files is a scan by its name, such as {Path(paths[0]).name!r}; "
            f"known endings: {', '.join(SUFFIXES)}. Name scans, or give the files the ending of what they hold"
        )


RENAME = "rename the file, or name a sample sheet with the columns id and path"


def _make_samples(paths, where, folder):
    """Return the sample of each scan of a folder or glob, in the order of the paths, its id from its name.

    None may lead out of the folder that was named.
    """
    paths_by_id = {}
    for path in sorted(paths):
        name = _check_name(make_identifier(path.stem), f"{path.name!r}: the id", f"; {RENAME}")
        paths_by_id.setdefault(name, []).append(path)
    if not paths_by_id:
        raise ConfigError(f"{where} matches no scan ({', '.join(SUFFIXES)})")
    if clashes := [
        f"'{name}' of {' and '.join(repr(str(path.relative_to(folder))) for path in same)}"
        for name, same in paths_by_id.items()
        if len(same) > 1
    ]:
        raise ConfigError(f"{where}: the id stands more than once: {join_first(clashes, '; ')}; {RENAME}")
    samples = [Sample(name, str(path), path.stem) for name, (path,) in paths_by_id.items()]
    _refuse_escapes(samples, folder, where)
    return samples


def _refuse_escapes(samples, folder, where):
    """Refuse scans outside the folder that was named: a stranger's list must not choose what is read here."""
    if outside := files.find_escaping([sample.path for sample in samples], folder):
        raise ConfigError(
            f"{where}: {len(outside)} scan(s) lie outside the folder, by name or through a link: "
            f"{join_first(list(map(repr, outside)), '; ')}; {files.ESCAPE_REMEDY}"
        )


def read_sheet(path, setting=SCANS):
    """Return the samples of a sheet; paths are relative to it. Further columns are covariates. Row 1 is the header."""
    sheet = Path(path)
    if not sheet.is_file():
        raise ConfigError(f"{setting}: '{path}' is neither a folder, a glob that matches, nor a sample sheet")
    _, rows = read_table(sheet)
    samples = [_make_sample(row, sheet) for row in rows]
    absent = [
        f"row {row.number}: {row.frame[PATH]}"
        for row, sample in zip(rows, samples, strict=True)
        if not os.path.isfile(sample.path)  # noqa: PTH113 a name too long for the disk is no file, not an error
    ]
    if absent:
        raise ConfigError(
            f"{sheet.name}: {len(absent)} scan(s) were not found beside the sheet; correct their paths: "
            f"{join_first(absent, '; ')}"
        )
    _refuse_escapes(samples, sheet.parent, sheet.name)
    return samples


def _make_sample(row, sheet):
    """Return the sample that a sheet's row lists. A wrong cell of the frame is refused; one of the record left out."""
    where = f"{sheet.name} row {row.number}"
    path = _check_shown(row.frame[PATH], f"{where}: the path", files.LONGEST_PATH)
    name, remedy = row.frame.get(ID), ""
    if name is None:
        name, remedy = make_identifier(Path(path).stem), f", for {path!r}; rename the file, or add a column `{ID}`"
    _check_name(name, f"{where}: the id", remedy)
    person = _check_shown(row.frame.get(PERSON) or name, f"{where}: the person", LONGEST_PERSON)
    kept = tuple((column, text) for column, text in row.own.items() if column not in COLUMNS)
    faults = [f"{where}: {row.fault}, so it is not read"] if row.fault else []
    group, nose = row.own.get(GROUP, ""), _read_nose(row.own, where, faults)
    if time := frame.find_time(row.frame):
        _check_shown(time, f"{where}: the time", LONGEST_PERSON)
    marks, mirrored = _read_marks(row.own, where, faults), _is_right(row.own, where, faults)
    used = frame.is_used(row.frame)
    path = str(sheet.parent / path)
    return Sample(name, path, person, group, nose, kept, tuple(faults), used, time, marks, mirrored)


def _check_shown(text, where, longest):
    """Return a sheet's text if it may be printed: without control characters, or such as turn the reading direction."""
    if not text or not text.isprintable() or len(text) > longest:
        raise ConfigError(
            f"{where} {text[:80]!r} is not allowed: it is empty, longer than {longest}, or holds characters that do "
            "not show"
        )
    return text


def _check_name(text, where, remedy=""):
    """Return an id or a name of the sheet if it can name a file; raise ConfigError otherwise."""
    if not NAME.fullmatch(text):
        words = "letters, digits, '.', '_' and '-', at most 64, no first '.'"
        raise ConfigError(f"{where} {text[:80]!r} is not allowed: {words}{remedy}")
    return text


# The audit breaks this function, to see that a cell that refused would be seen.
def _read_nose(row, where, faults):
    """Return the nose tip that a row gives, to place the face by; None where it is not three numbers, a fault.

    `faults` then says so.
    """
    words = [row.get(name, "") for name in COORDINATES]
    if not any(words):
        return None
    nose = tuple(map(parse_number, words))
    if all(map(math.isfinite, nose)):
        return nose
    faults.append(f"{where}: nose_x, nose_y, nose_z are not three numbers, so the scan's center is not marked: {words}")
    return None


def _read_marks(row, where, faults):
    """Return the points that a row marks on its scan, to place it by: (name, (x, y, z)) of each.

    The columns are mark_NAME_x, mark_NAME_y, mark_NAME_z.
    """
    names = sorted({match.group(1) for column in row if (match := MARK.fullmatch(column))})
    marks = []
    for name in names:
        words = [row.get(f"mark_{name}_{axis}", "") for axis in "xyz"]
        if not any(words):
            continue
        point = tuple(map(parse_number, words))
        if all(map(math.isfinite, point)):
            marks.append((name, point))
        else:
            columns = ", ".join(f"mark_{name}_{axis}" for axis in "xyz")
            faults.append(f"{where}: {columns} are not three numbers, so no {name} is marked: {words}")
    return tuple(marks)


def _is_right(row, where, faults):
    """Tell whether a row's column `side` says that the scan is of the right side, to be mirrored; else a fault.

    What is neither side is a fault.
    """
    word = row.get(SIDE, "").strip().lower()
    if word and word not in SIDES:
        faults.append(f"{where}: `side` is neither left nor right, so it is not mirrored: {word[:20]!r}")
    return SIDES.get(word) == "right"


def _refuse_repeats(names, where, what, remedy=""):
    """Refuse a sheet in which one name, such as a scan's id, stands in several rows; the message lists them."""
    rows = {}
    for number, name in enumerate(names, start=2):
        rows.setdefault(name, []).append(number)
    if repeats := [f"'{name}' in rows {', '.join(map(str, at))}" for name, at in rows.items() if len(at) > 1]:
        raise ConfigError(f"{where}: {what} stands more than once: {join_first(repeats, '; ')}{remedy}")


def split_batches(samples, batch_size):
    """Return the samples cut into batches, {batch: samples} in order, of which the workflow makes jobs.

    With `auto` a batch is an eighth of the cohort, but at least FEWEST and at most MOST, more where MOST_BATCHES ask
    for it. It depends on the cohort alone: a number of cores in it would remake everything on another machine.

    Parameters
    ----------
    samples : list of Sample
    batch_size : int or str
        Scans a batch, or `auto`.

    Returns
    -------
    dict
        {batch name: list of Sample}.
    """
    count, size = len(samples), batch_size
    if batch_size == "auto":
        size = -(-count // min(max(1, min(8, count // FEWEST), -(-count // MOST)), MOST_BATCHES))
    width = len(str(-(-count // size)))
    return {
        f"{index:0{width}d}": samples[start : start + size]
        for index, start in enumerate(range(0, count, size), start=1)
    }
