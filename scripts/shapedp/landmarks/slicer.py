"""3D Slicer's point lists, one specimen a file: markups (.mrk.json) and the older .fcsv.

RAS and LPS differ by half a turn about z; all is brought to LPS.
"""

import json

import numpy as np

from shapedp.errors import Rejected
from shapedp.landmarks.parsed import Cells, Parsed, several

TO_LPS = {"LPS": (1, 1, 1), "RAS": (-1, -1, 1), "1": (1, 1, 1), "0": (-1, -1, 1)}  # old fcsv: 0 RAS, 1 LPS
ABSENT = ("undefined", "missing", "preview")
COLUMNS = "id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID"


def parse_markups(text, name):
    """The first point list or curve of a markups file."""
    cells = Cells()
    try:
        markup = json.loads(text)["markups"][0]
        points = markup["controlPoints"]
        positions = [_position(point, cells) for point in points]
        labels = [str(point.get("label", index)) for index, point in enumerate(points, start=1)]
        system = str(markup.get("coordinateSystem", "LPS"))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise Rejected(
            "not_markups",
            f"{name}: no markups of 3D Slicer ({type(error).__name__}: {str(error)[:80]}); save it as .mrk.json",
        ) from error
    return _parsed(positions, system, labels, cells, name)


def _position(point, cells):
    position = point.get("position")
    if point.get("positionStatus", "defined") in ABSENT or not isinstance(position, list) or len(position) != 3:
        return [np.nan] * 3
    return [cells.number("" if one is None else str(one), "position") for one in position]


def parse_fcsv(text, name):
    """The points of a fiducial list; its columns are named in a comment."""
    header, rows, cells = {}, [], Cells()
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("#"):
            key, _, value = line.lstrip("# ").partition("=")
            header[key.strip()] = value.strip()
        else:
            rows.append([cell.strip() for cell in line.split(",")])
    columns = [one.strip() for one in header.get("columns", COLUMNS).split(",")]
    try:
        at = [columns.index(axis) for axis in "xyz"]
        label = columns.index("label")
    except ValueError as error:
        words = f"{name}: no fiducial list of 3D Slicer ({str(error)[:80]}); save it again"
        raise Rejected("not_fcsv", words) from error
    rows = [row + [""] * (len(columns) - len(row)) for row in rows]
    positions = [[cells.number(row[one], f"row {line}:") for one in at] for line, row in enumerate(rows, start=1)]
    return _parsed(positions, header.get("CoordinateSystem", "RAS"), [row[label] for row in rows], cells, name)


def _parsed(positions, system, labels, cells, name):
    if system not in TO_LPS or not positions:
        raise Rejected("not_markups", f"{name}: {len(positions)} points in the coordinate system {system[:20]!r}")
    points = np.array(positions, dtype=float) * TO_LPS[system]
    absent = [one for one, point in zip(labels, points, strict=True) if np.isnan(point).any()]
    told = several("points without a position are read as missing", absent)
    return Parsed([points], names=[labels], notices=told + cells.notices)
