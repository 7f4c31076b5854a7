"""How demo faces differ from one another: smooth displacement fields, each with a standard deviation in mm.

Every field is (n, 3) over the frontal coordinates x (to the face's left), y (up) of the mean face and is what one
standard deviation of its weight adds. Sizes follow what anthropometry finds for adults: a few mm.
"""

import numpy as np

from shapedp.demo.features import bump, ridge, rise


def _side(x, width=9.0):
    """-1 on the right half of the face, +1 on the left, smooth across the midline."""
    return np.tanh(x / width)


def _field(x=0.0, y=0.0, z=0.0):
    return np.stack(np.broadcast_arrays(x, y, z), axis=-1)


def head(x, y, z):
    """Width, height and depth of the whole face, forehead, cheeks."""
    a = np.abs(x)
    cheek = bump(a, y, (40, -16), (17, 20))
    return {
        "face width": _field(x=0.038 * x),
        "face height": _field(y=0.034 * y),
        "face depth": _field(z=0.060 * (z + 20)),
        "forehead slope": _field(z=3.2 * rise(y - 62, 22)),
        "forehead height": _field(y=3.0 * rise(y - 66, 18)),
        "brow ridge": _field(z=2.0 * ridge(y - 53, 7) * rise(a - 6, 7) * rise(58 - a, 8)),
        "cheekbones": _field(x=1.5 * _side(x) * rise(a - 34, 12) * ridge(y - 14, 18),
                             z=2.2 * bump(a, y, (46, 14), (16, 13))),
        "full cheeks": _field(x=0.9 * _side(x) * cheek, z=3.4 * cheek),
    }  # fmt: skip


def eyes(x, y, z):
    """Depth, spacing, size and slant of the eyes."""
    a = np.abs(x)
    near = bump(a, y, (31, 36), (17, 13))
    return {
        "deep eyes": _field(z=-2.0 * near),
        "wide-set eyes": _field(x=1.8 * _side(x) * near),
        "large eyes": _field(x=0.060 * (a - 31) * _side(x) * near, y=0.10 * (y - 36) * near),
        "slanting eyes": _field(y=0.075 * (a - 31) * near),
    }


def nose(x, y, z):
    """Length, protrusion, width, hump and tip of the nose."""
    a = np.abs(x)
    along = ridge(x, 9)
    base = bump(x, y, (0, 1), (20, 17))
    return {
        "nose length": _field(y=-2.0 * base),
        "nose protrusion": _field(z=2.6 * bump(x, y, (0, -2), (12, 13))),
        "nose width": _field(x=1.9 * _side(x, 7) * bump(a, y, (13, -4), (8, 10))),
        "nose hump": _field(z=1.9 * along * ridge(y - 20, 9)),
        "bridge height": _field(z=2.0 * along * ridge(y - 36, 9)),
        "bridge width": _field(x=1.0 * _side(x, 6) * bump(a, y, (8, 22), (6, 14))),
        "upturned tip": _field(y=1.3 * bump(x, y, (0, 0), (10, 8)), z=0.6 * bump(x, y, (0, -7), (9, 5))),
    }


def mouth_and_jaw(x, y, z):
    """Width, height, fullness of the mouth; length, width and protrusion of chin and jaw."""
    a = np.abs(x)
    near = bump(x, y, (0, -35), (26, 13))
    return {
        "mouth width": _field(x=2.4 * _side(x, 12) * bump(a, y, (22, -35), (14, 12))),
        "mouth height": _field(y=1.6 * bump(x, y, (0, -37), (27, 15))),
        "protruding mouth": _field(z=2.0 * bump(x, y, (0, -33), (22, 15))),
        "full lips": _field(y=0.10 * (y + 34.5) * near, z=1.2 * bump(x, y, (0, -35), (20, 7))),
        "jaw width": _field(x=0.065 * x * rise(-y - 30, 22)),
        "jaw length": _field(y=-3.0 * rise(-y - 48, 16)),
        "chin protrusion": _field(z=3.0 * bump(x, y, (0, -68), (20, 15))),
        "chin breadth": _field(
            x=1.5 * _side(x, 12) * bump(a, y, (16, -68), (12, 11)), z=1.2 * bump(a, y, (15, -68), (8, 9))
        ),
    }


def asymmetry(x, y, z):
    """What differs between left and right; about half a millimetre each."""
    return {
        "bent nose": _field(x=0.9 * bump(x, y, (0, 2), (13, 15))),
        "jaw to one side": _field(x=1.0 * rise(-y - 35, 22)),
        "one eye higher": _field(y=0.5 * _side(x, 14) * bump(np.abs(x), y, (31, 40), (20, 16))),
        "one cheek fuller": _field(z=0.7 * _side(x, 14) * bump(np.abs(x), y, (38, -10), (20, 26))),
        "slanting mouth": _field(y=0.5 * _side(x, 14) * bump(np.abs(x), y, (18, -35), (16, 12))),
    }


FAMILIES = (head, eyes, nose, mouth_and_jaw, asymmetry)


def fields(mean):
    """All fields over the mean face (n, 3): names -> (n, 3) in mm, in a fixed order."""
    return {name: field for family in FAMILIES for name, field in family(*mean.T).items()}
