"""3D Slicer's point lists, one specimen a file: markups (.mrk.json) and the older .fcsv.

RAS and LPS differ by half a turn about z; all is brought to LPS.
"""

import json

import numpy as np

from shapedp.errors import Rejected
from shapedp.landmarks.parsed import Parsed, number, several

TO_LPS = {"LPS": (1, 1, 1), "RAS": (-1, -1, 1), "1": (1, 1, 1), "0": (-1, -1, 1)}  # old fcsv: 0 RAS, 1 LPS
ABSENT = ("undefined", "missing", "preview")
COLUMNS = "id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID"


def parse_markups(text, name):
    """The first point list or curve of a markups file."""
    try:
        markup = json.loads(text)["markups"][0]
        points = markup["controlPoints"]
        positions = [_position(point) for point in points]
        labels = [str(point.get("label", index)) for index, point in enumerate(points, start=1)]
        system = str(markup.get("coordinateSystem", "LPS"))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise Rejected(
            "not_markups",
            f"{name}: no markups of 3D Slicer ({type(error).__name__}: {str(error)[:80]}); save it as .mrk.json",
        ) from error
    return _parsed(positions, system, labels, name)


def _position(point):
    if point.get("positionStatus", "defined") in ABSENT:
        return [np.nan] * 3
    x, y, z = map(float, point["position"])
    return [x, y, z]


def parse_fcsv(text, name):
    """The points of a fiducial list; its columns are named in a comment."""
    header = {}
    rows = []
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
        positions = [[number(row[one], name) for one in at] for row in rows]
        labels = [row[label] for row in rows]
    except (ValueError, IndexError) as error:
        words = f"{name}: no fiducial list of 3D Slicer ({str(error)[:80]}); save it again"
        raise Rejected("not_fcsv", words) from error
    return _parsed(positions, header.get("CoordinateSystem", "RAS"), labels, name)


def _parsed(positions, system, labels, name):
    if system not in TO_LPS or not positions:
        raise Rejected("not_markups", f"{name}: {len(positions)} points in the coordinate system {system[:20]!r}")
    points = np.array(positions, dtype=float) * TO_LPS[system]
    absent = [one for one, point in zip(labels, points, strict=True) if np.isnan(point).any()]
    return Parsed([points], names=[labels], notices=several("points without a position are read as missing", absent))
