"""TPS files as tpsDig and geomorph write them (Rohlf 2015, Hystrix 26), and point lists of one specimen a file.

A specimen is LM=k (planar) or LM3=k (in space), then k rows; CURVES=c, then c times POINTS=m and m rows; then KEY=value
lines, of which SCALE, ID and IMAGE are used. A curve's points are semilandmarks and follow the landmarks. Point lists
are 3D Slicer's (.mrk.json, older .fcsv; all is brought to LPS, half a turn about z from RAS) and Landmark Editor's
.pts.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import PureWindowsPath

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.reading.frame import WHITE
from shapedp.landmarks.records import Cells, Parsed, describe_several, drop_marked, parse_number, refuse_too_many

PLAIN = re.compile(r"[0-9]{1,9}")
START = re.compile(r"\s*LM(3?)\s*=(.*)", re.IGNORECASE | re.ASCII)
FRAMING = re.compile(r"\s*(ID|IMAGE)\s*=", re.IGNORECASE | re.ASCII)  # lines of the frame within a specimen
# Stands for the rows promised where LM= or POINTS= is no number.
UNKNOWN = 1 << 40
MISSING = "the whole record counts as missing"
MARK = -1.0  # tpsDig writes a missing landmark as -1 -1


@dataclass
class Specimen:
    """One block of a file. rows : how many LM= and POINTS= promise; curve_points : those of POINTS= among them"""

    points: list
    rows: int
    dimensions: int
    curve_points: int = 0
    outlines: int = 0
    keys: dict = field(default_factory=dict)


def parse(lines, name, layout=None, records=None):
    """Return the specimens of a TPS file, times SCALE; what is no frame decides one record alone.

    The frame is LM=, LM3=, ID= and IMAGE=; all else is a record's own.
    """
    blocks = _split_blocks(lines, name)
    cells = Cells()
    specimens = [_read_specimen(block, f"block {at}:", cells) for at, block in enumerate(blocks, start=1)]
    ids, renamed = _name_specimens(specimens)
    records = []
    for specimen in specimens:
        points = np.array(specimen.points, dtype=float).reshape(-1, specimen.dimensions)
        points[(points == MARK).all(axis=1)] = np.nan
        # With a row too few or too many it cannot be known which landmark each row is: the record counts as missing.
        if len(points) != specimen.rows:
            points = np.full((max(len(points), 1), specimen.dimensions), np.nan)
        records.append(points * _read_scale(specimen))
    return Parsed(records, ids, notices=renamed + _describe_notices(specimens, ids) + cells.notices)


def _split_blocks(lines, name):
    """Return the lines of each specimen of a TPS file, of which the first is LM= or LM3=."""
    blocks = []
    for line in filter(None, (text.strip(WHITE) for _, text in lines)):
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


def _read_specimen(lines, where, cells):
    """Return the Specimen in a block of lines of a TPS file: its points, and its keys such as ID and SCALE."""
    space, promised = START.fullmatch(lines[0]).groups()
    specimen = Specimen([], _count_promised(promised), 3 if space else 2)
    keep = True
    for line in lines[1:]:
        key, is_key, value = line.partition("=")
        if not is_key:
            if keep:
                slip = f"{where} {line[:40]!r}, which should have {specimen.dimensions} numbers"
                specimen.points.append(cells.row(line.split(), where, specimen.dimensions, slip))
            continue
        # ASCII alone: the capital of another alphabet's letter may be an I, which would make a key of a foreign word.
        key = key.strip(WHITE).upper() if key.isascii() else key
        if key in ("CURVES", "OUTLINES"):
            # An outline is every pixel of an edge, and no two specimens have as many: it is no set of landmarks.
            keep = key == "CURVES"
            specimen.outlines += not keep
        elif key == "POINTS" and keep:
            specimen.curve_points += _count_promised(value)
            specimen.rows += _count_promised(value)
        specimen.keys[key] = value.strip()
    return specimen


def _count_promised(text):
    """Return a number of points; where it is none, one that no block has, so that its record is missing."""
    return int(text) if PLAIN.fullmatch(text.strip()) else UNKNOWN


def _read_scale(specimen):
    """Return a specimen's SCALE=, which its points are multiplied by; NaN where it is none, so that it is missing."""
    try:
        scale = parse_number(specimen.keys.get("SCALE", "1"), "")
    except Rejected:
        return np.nan
    return scale if 0 < scale < np.inf else np.nan


def _name_specimens(specimens):
    """Return the specimens' ids: ID=, or the image's name without its ending where ID= only counts or is not there.

    tpsDig's counter is ID=0, 1, ...
    """
    written_ids = [specimen.keys.get("ID", "") for specimen in specimens]
    images = [PureWindowsPath(specimen.keys.get("IMAGE", "")).stem for specimen in specimens]
    counted = written_ids in ([str(i) for i in range(len(written_ids))], [str(i + 1) for i in range(len(written_ids))])
    if counted and all(images) and len(set(images)) == len(images):
        return images, ("ID= only counts the specimens: the image's name is the id",)
    numbers = map(number_shape, range(1, len(written_ids) + 1))
    return [own or image or other for own, image, other in zip(written_ids, images, numbers, strict=True)], ()


def number_shape(index):
    """Return the id of a specimen that has none."""
    return f"shape_{index:05d}"


def _describe_notices(specimens, ids):
    """Return what is to be told of the specimens of a TPS file: missing points, wrong counts, odd or lacking scales."""
    pairs = list(zip(ids, specimens, strict=True))
    marked = [record_id for record_id, s in pairs if s.points and (np.array(s.points) == MARK).all(axis=1).any()]
    odd = [(record_id, len(s.points), s.rows) for record_id, s in pairs if len(s.points) != s.rows]
    short = [f"{record_id} ({count} of {rows if rows < UNKNOWN else 'no number'})" for record_id, count, rows in odd]
    bad = [
        f"{record_id} (SCALE={s.keys['SCALE'][:40]!r})"
        for record_id, s in pairs
        if "SCALE" in s.keys and np.isnan(_read_scale(s))
    ]
    unscaled = [record_id for record_id, s in pairs if "SCALE" not in s.keys]
    curves = sorted({str(s.curve_points) for s in specimens if s.curve_points})
    return (
        *describe_several("a landmark at -1 -1, tpsDig's mark, is read as missing", marked),
        *describe_several(f"rows are missing or too many, so {MISSING}", short),
        *describe_several(
            f"SCALE= is no number above 0, so {MISSING}; write the number, or take out all lines SCALE=", bad
        ),
        *describe_several(
            "no SCALE=, while others have one: its size is not theirs", unscaled * (len(unscaled) < len(ids))
        ),
        *describe_several("points of CURVES= are semilandmarks and follow the landmarks", curves),
        *describe_several(
            "OUTLINES= are not read; resample them to curves", [record_id for record_id, s in pairs if s.outlines]
        ),
    )


TO_LPS = {"LPS": (1, 1, 1), "RAS": (-1, -1, 1), "1": (1, 1, 1), "0": (-1, -1, 1)}  # old fcsv: 0 RAS, 1 LPS
ABSENT = ("undefined", "missing", "preview")
COLUMNS = "id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID"
# SlicerMorph tags a semilandmark in a point's description: Semi, Semi-landmark.
SEMI = "semi"


def parse_markups(lines, name, layout=None, records=None):
    """Return the specimen in a markups file of 3D Slicer: its first point list or curve."""
    cells, positions = Cells(), []
    try:
        markup = json.loads("\n".join(text for _, text in lines))["markups"][0]
        points = markup["controlPoints"]
        for point in points:
            place = point.get("position")
            has_position = (
                point.get("positionStatus", "defined") not in ABSENT and isinstance(place, list) and len(place) == 3
            )
            words = (
                ["" if coordinate is None else str(coordinate)[:400] for coordinate in place]
                if has_position
                else [""] * 3
            )
            positions.append([cells.number(coordinate, "position") for coordinate in words])
        labels = [str(point.get("label", index)) for index, point in enumerate(points, start=1)]
        tags = [str(point.get("description", "")) for point in points]
        system = str(markup.get("coordinateSystem", "LPS"))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        words = (
            f"{name}: not a readable markups file of 3D Slicer ({type(error).__name__}: {str(error)[:80]}); save it "
            "as .mrk.json"
        )
        raise Rejected("not_markups", words) from error
    return _finish_points(positions, system, labels, tags, cells, name)


def parse_fcsv(lines, name, layout=None, records=None):
    """Return the specimen in a fiducial list of 3D Slicer (.fcsv); its columns are named in a comment."""
    header, rows, cells = {}, [], Cells()
    for line in filter(None, (text.strip() for _, text in lines)):
        if line.startswith("#"):
            key, _, value = line.lstrip("# ").partition("=")
            header[key.strip()] = value.strip()
        else:
            rows.append([cell.strip() for cell in line.split(",")])
    columns = [column.strip() for column in header.get("columns", COLUMNS).split(",")]
    try:
        at = [columns.index(axis) for axis in "xyz"]
        label = columns.index("label")
    except ValueError as error:
        words = f"{name}: not a readable fiducial list of 3D Slicer ({str(error)[:80]}); save it again"
        raise Rejected("not_fcsv", words) from error
    refuse_too_many(len(rows), len(columns), f"{name}: the comment of its columns")
    if not any(len(row) > max(at) for row in rows):
        raise Rejected("truncated", f"{name}: no row holds the coordinates of a point; save it again")
    rows = [row + [""] * (len(columns) - len(row)) for row in rows]
    positions = [[cells.number(row[place], f"row {line}:") for place in at] for line, row in enumerate(rows, start=1)]
    described = columns.index("desc") if "desc" in columns else None
    tags = [row[described] for row in rows] if described is not None else []
    return _finish_points(
        positions, header.get("CoordinateSystem", "RAS"), [row[label] for row in rows], tags, cells, name
    )


def parse_pts(lines, name, layout=None, records=None):
    """Return the specimen in a file of Landmark Editor (.pts).

    It has 'Version 1.0', the number of points, then a name and x, y, z each.
    """
    texts = [text.split() for _, text in lines]
    if len(texts) < 3 or texts[0][:1] != ["Version"] or len(texts[1]) != 1 or not texts[1][0].isdecimal():
        raise Rejected(
            "not_pts",
            f"{name}: not a file of Landmark Editor, which begins with 'Version 1.0' and a number; export it again",
        )
    cells = Cells()
    points = []
    for at, words in enumerate(texts[2:], start=1):
        slip = f"point {at} has {len(words)} words, expected a name and 3 numbers"
        points.append(cells.row(words[1:], f"point {at}:", 3, slip))
    if len(points) != int(texts[1][0][:9]):
        raise Rejected(
            "truncated", f"{name}: {len(points)} points where {texts[1][0][:9]} are announced; save it again"
        )
    return Parsed([drop_marked(np.array(points))], notices=cells.notices)


def _finish_points(positions, system, labels, tags, cells, name):
    """Return what a file with one list of points holds, as Parsed, in the coordinates of 3D Slicer (LPS).

    Points that the file calls semilandmarks are told.
    """
    if system not in TO_LPS or not positions:
        raise Rejected(
            "not_markups",
            f"{name}: {len(positions)} points in the coordinate system {system[:20]!r}; save points in LPS or RAS "
            "from 3D Slicer",
        )
    points = np.array(positions, dtype=float) * TO_LPS[system]
    absent = [label for label, point in zip(labels, points, strict=True) if np.isnan(point).any()]
    missing_notice = describe_several("points without a position are read as missing", absent)
    semi = [str(at) for at, tag in enumerate(tags, start=1) if tag.strip().lower().startswith(SEMI)]
    words = f"{len(semi)} points are tagged as semilandmarks; for the setting shapes.semilandmarks: {', '.join(semi)}"
    return Parsed([points], names=[labels], notices=(*missing_notice, *cells.notices, *([words] if semi else ())))
