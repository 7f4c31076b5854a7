"""Which columns of a table are x, y, z, by their names."""

import re
from collections import Counter

from shapedp.errors import Rejected

UNITS = r"(?P<unit>mm|cm|dm|m|um|µm|in|inch|inches|millimet(?:er|re)s?|centimet(?:er|re)s?|met(?:er|re)s?)"
PREFIX = r"(?:(?:pos|position|points?|coords?|coordinates?|vertex)[ _.:\-]?)"
SUFFIX = r"(?:[ _.\-]?(?:pos|position|coord|coordinate|coordinates|value))"
AXIS = re.compile(rf"{PREFIX}?(?P<axis>[xyz]){SUFFIX}?(?:[ _.\-]*[\[(]?{UNITS}[\])]?)?")
PARAVIEW = re.compile(r"points?[:_](?P<axis>[012])")


def find(names):
    """(positions of x, y, z, unit or None), or None where the names do not say.

    names : as in the file, e.g. "x", "X_mm", "pos_y [mm]", "Points:0"; normals such as "nx" are not coordinates
    """
    found = {}
    units = []
    plain = [name.strip(" \t\"'#/%;").casefold() for name in names]
    exact = all(Counter(plain)[axis] == 1 for axis in "xyz")
    for i, name in enumerate(plain):
        match = AXIS.fullmatch(name) or PARAVIEW.fullmatch(name)
        if match is None or (exact and name not in ("x", "y", "z")):
            continue
        axis = match["axis"].translate(str.maketrans("012", "xyz"))
        if axis in found:
            raise Rejected("ambiguous_columns", f"two columns could be {axis}: name one x, one y and one z")
        found[axis] = i
        units.append(match.groupdict().get("unit"))
    if len(found) < 3:
        return None
    if len(set(units)) > 1:
        raise Rejected("ambiguous_columns", "the columns x, y, z are in different units: use one unit")
    return [found[axis] for axis in "xyz"], units[0]
