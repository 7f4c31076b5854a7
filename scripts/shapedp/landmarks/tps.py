"""TPS files as tpsDig and geomorph write them (Rohlf 2015, Hystrix 26).

A specimen is LM=k (planar) or LM3=k (in space), then k rows; CURVES=c, then c times POINTS=m and m rows; then KEY=value
lines, of which SCALE, ID and IMAGE are used. A curve's points are semilandmarks and follow the landmarks.
"""

import re
from dataclasses import dataclass, field
from pathlib import PureWindowsPath

import numpy as np

from shapedp.errors import Rejected
from shapedp.landmarks.parsed import Cells, Parsed, count, number, several

START = re.compile(r"\s*LM(3?)\s*=(.*)", re.IGNORECASE)
UNKNOWN = 1 << 40  # rows promised where LM= or POINTS= is no number
MARK = -1.0  # tpsDig writes a missing landmark as -1 -1


@dataclass
class Specimen:
    """One block of a file."""

    points: list
    promised: int
    dimensions: int
    curve_points: int = 0
    outlines: int = 0
    keys: dict = field(default_factory=dict)

    @property
    def rows(self):
        """Rows that LM= and POINTS= promise."""
        return self.promised + self.curve_points


def parse(text, name):
    """The specimens of a TPS text; coordinates are multiplied by SCALE where a block has one."""
    blocks = _blocks(text, name)
    cells = Cells()
    specimens = [_specimen(block, f"block {at}:", cells) for at, block in enumerate(blocks, start=1)]
    ids, renamed = _ids(specimens)
    return Parsed([_record(one) for one in specimens], ids, notices=renamed + _notices(specimens, ids) + cells.notices)


def _blocks(text, name):
    """Lines of each specimen, the first of which is LM= or LM3=."""
    blocks = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if START.fullmatch(line):
            blocks.append([])
        if not blocks:
            raise Rejected(
                "not_tps",
                f"{name}: found {line[:40]!r} where 'LM=<number of landmarks>' (planar) or 'LM3=' should stand; "
                "save the file again from tpsDig, or with geomorph's writeland.tps",
            )
        blocks[-1].append(line)
    if not blocks:
        raise Rejected("empty_file", f"{name}: holds no specimen")
    return blocks


def _specimen(lines, where, cells):
    space, promised = START.fullmatch(lines[0]).groups()
    found = Specimen([], _promised(promised), 3 if space else 2)
    keep = True
    for line in lines[1:]:
        key, is_key, value = line.partition("=")
        if not is_key:
            if keep:
                found.points.append(_point(line, found.dimensions, where, cells))
            continue
        key = key.strip().upper()
        if key in ("CURVES", "OUTLINES"):
            keep = key == "CURVES"  # an outline is every pixel of an edge: no two specimens have as many
            found.outlines += not keep
        elif key == "POINTS" and keep:
            found.curve_points += _promised(value)
        found.keys[key] = value.strip()
    return found


def _promised(text):
    """A number of points; where it is none, one that no block has, so that its record is missing."""
    found = count(text)
    return UNKNOWN if found is None else found


def _point(line, dimensions, where, cells):
    """One row; all missing where it has a number too few or too many, for nobody knows which."""
    words = line.split()
    if len(words) != dimensions:
        cells.tell(f"{where} {line[:40]!r}, which should have {dimensions} numbers")
        return [np.nan] * dimensions
    return [cells.number(word, where) for word in words]


def _record(specimen):
    """(k, d) coordinates; a block with fewer or more rows than it promises cannot be told apart and is all missing."""
    if len(specimen.points) != specimen.rows:
        return np.full((max(len(specimen.points), 1), specimen.dimensions), np.nan)
    points = np.array(specimen.points, dtype=float).reshape(-1, specimen.dimensions)
    points[_marked(points)] = np.nan
    return points * _scale(specimen)


def _marked(points):
    return (points == MARK).all(axis=1)


def _scale(specimen):
    """SCALE=, NaN where it is no number above 0: then the record is missing."""
    try:
        found = number(specimen.keys.get("SCALE", "1"), "")
    except Rejected:
        return np.nan
    return found if 0 < found < np.inf else np.nan


def _ids(specimens):
    """ID, else the image's name without its ending; tpsDig's counter ID=0, 1, ... gives way to the image's name."""
    given = [specimen.keys.get("ID", "") for specimen in specimens]
    images = [PureWindowsPath(specimen.keys.get("IMAGE", "")).stem for specimen in specimens]
    counted = given in ([str(i) for i in range(len(given))], [str(i + 1) for i in range(len(given))])
    if counted and all(images) and len(set(images)) == len(images):
        return images, ("ID= only counts the specimens: the image's name is the id",)
    numbered = (f"shape_{index:05d}" for index in range(1, len(given) + 1))
    return [own or image or other for own, image, other in zip(given, images, numbered, strict=True)], ()


def _notices(specimens, ids):
    both = list(zip(ids, specimens, strict=True))
    marked = [one for one, s in both if s.points and _marked(np.array(s.points)).any()]
    short = [f"{one} ({len(s.points)} of {_shown(s.rows)})" for one, s in both if len(s.points) != s.rows]
    bad = [f"{one} (SCALE={s.keys['SCALE'][:40]!r})" for one, s in both if "SCALE" in s.keys and np.isnan(_scale(s))]
    unscaled = [one for one, s in both if "SCALE" not in s.keys]
    curves = sorted({str(s.curve_points) for s in specimens if s.curve_points})
    return (
        *several("a landmark at -1 -1, tpsDig's mark, is read as missing", marked),
        *several("rows are missing or too many, so the whole record counts as missing", short),
        *several("SCALE= is no number above 0, so the whole record counts as missing", bad),
        *several("no SCALE=, while others have one: its size is not theirs", unscaled * (len(unscaled) < len(ids))),
        *several("points of CURVES= are semilandmarks and follow the landmarks", curves),
        *several("OUTLINES= are not read; resample them to curves", [one for one, s in both if s.outlines]),
    )


def _shown(rows):
    return rows if rows < UNKNOWN else "no number"
