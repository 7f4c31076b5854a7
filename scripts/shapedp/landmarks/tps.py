"""TPS files as tpsDig and geomorph write them (Rohlf 2015, Hystrix 26).

A specimen is LM=k (planar) or LM3=k (in space), then k rows; CURVES=c, then c times POINTS=m and m rows; then KEY=value
lines, of which SCALE, ID and IMAGE are used. A curve's points are semilandmarks and follow the landmarks.
"""

import re
from dataclasses import dataclass, field
from pathlib import PureWindowsPath

import numpy as np

from shapedp.errors import Rejected
from shapedp.landmarks.parsed import Parsed, count, number, several

START = re.compile(r"\s*LM(3?)\s*=(.*)", re.IGNORECASE)
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
    specimens = [_specimen(block, f"{name}: block {number}") for number, block in enumerate(blocks, start=1)]
    ids, renamed = _ids(specimens)
    records = [_record(specimen, f"{name}: {one}") for specimen, one in zip(specimens, ids, strict=True)]
    return Parsed(records, ids, notices=renamed + _notices(specimens, ids))


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


def _specimen(lines, where):
    space, promised = START.fullmatch(lines[0]).groups()
    found = Specimen([], _promised(promised, "LM", where), 3 if space else 2)
    keep = True
    for line in lines[1:]:
        key, is_key, value = line.partition("=")
        if not is_key:
            if keep:
                found.points.append(_point(line, found.dimensions, where))
            continue
        key = key.strip().upper()
        if key in ("CURVES", "OUTLINES"):
            keep = key == "CURVES"  # an outline is every pixel of an edge: no two specimens have as many
            found.outlines += not keep
        elif key == "POINTS" and keep:
            found.curve_points += _promised(value, key, where)
        found.keys[key] = value.strip()
    return found


def _promised(text, key, where):
    found = count(text)
    if found is None:
        raise Rejected("not_tps", f"{where}: '{key}={text.strip()[:40]}' is no number of points")
    return found


def _point(line, dimensions, where):
    words = line.split()
    if len(words) != dimensions:
        raise Rejected(
            "not_tps",
            f"{where}: the row {line[:40]!r} has {len(words)} numbers and should have {dimensions}: "
            "LM= is for planar landmarks, LM3= for landmarks in space",
        )
    try:
        return [number(word, where) for word in words]
    except Rejected:
        return [np.nan] * dimensions  # one person's slip of the pen stops nobody else


def _record(specimen, where):
    """(k, d) coordinates; a block with fewer or more rows than it promises cannot be told apart and is all missing."""
    if len(specimen.points) != specimen.rows:
        return np.full((max(len(specimen.points), 1), specimen.dimensions), np.nan)
    points = np.array(specimen.points, dtype=float).reshape(-1, specimen.dimensions)
    points[_marked(points)] = np.nan
    return points * _scale(specimen.keys.get("SCALE", "1"), where)


def _marked(points):
    return (points == MARK).all(axis=1)


def _scale(text, where):
    try:
        return float(text.replace(",", "."))
    except ValueError as error:
        raise Rejected("not_numeric", f"{where}: SCALE={text[:40]!r} is not a number") from error


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
    short = [f"{one} ({len(s.points)} of {s.rows})" for one, s in both if len(s.points) != s.rows]
    unscaled = [one for one, s in both if "SCALE" not in s.keys]
    curves = sorted({str(s.curve_points) for s in specimens if s.curve_points})
    return (
        *several("a landmark at -1 -1, tpsDig's mark, is read as missing", marked),
        *several("rows are missing or too many, so the whole record counts as missing", short),
        *several("no SCALE=, while others have one: its size is not theirs", unscaled * (len(unscaled) < len(ids))),
        *several("points of CURVES= are semilandmarks and follow the landmarks", curves),
        *several("OUTLINES= are not read; resample them to curves", [one for one, s in both if s.outlines]),
    )
