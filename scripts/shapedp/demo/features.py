"""The mean face as a formula: an egg-shaped mask and, in front of it, brow, eyes, nose, mouth, chin and cheeks.

Everything is a depth in mm over the frontal plane: x towards the face's left, y upwards, nose tip near (0, 0);
left and right are mirror images, hence |x|.
"""

import numpy as np


def bump(x, y, center, width):
    """exp(-((x - cx)^2 / sx^2 + (y - cy)^2 / sy^2) / 2)."""
    return np.exp(-0.5 * (((x - center[0]) / width[0]) ** 2 + ((y - center[1]) / width[1]) ** 2))


def pair(x, y, center, width):
    """The same bump on the left and on the right; smooth across the midline."""
    return bump(x, y, center, width) + bump(-x, y, center, width)


def rise(v, width):
    """A smooth step from 0 (v << 0) to 1 (v >> 0) of the given half-width."""
    return 0.5 * (1 + np.tanh(v / width))


def ridge(v, width):
    """exp(-(v / width)^2 / 2): a wall along the curve v = 0."""
    return np.exp(-0.5 * (v / width) ** 2)


def mask(s, t):
    """The bare mask: frontal x, y and depth z (mm) of mask coordinates s, t (mm).

    Each horizontal section is a flattened ellipse of half-width w(t).
    """
    w = 71 - 8 * rise(-t - 32, 30) - 11 * rise(-t - 64, 16) - 5 * rise(t - 72, 20)
    angle = s / w
    profile = -22.8 - 13 * ((t - 6) / 90) ** 4 - 7 * np.logaddexp(0, (-t - 77) / 4)
    return w * np.sin(angle), t, profile - 88 * (1 - np.cos(angle)) ** 1.12


def skull(x, y):
    """Forehead, brow ridges, sockets, cheekbones, temples."""
    a = np.abs(x)
    brow = 54.5 - 0.009 * (a - 28) ** 2
    depth = 2.5 * pair(x, y, (21, 78), (19, 15)) + 1.5 * bump(x, y, (0, 54), (11, 7))
    depth += 3.2 * ridge(y - brow, 6.0) * rise(a - 9, 6) * rise(55 - a, 7)
    depth -= 10.5 * pair(x, y, (31, 37), (14, 10)) + 4.5 * pair(x, y, (14, 37.5), (5.5, 8))
    depth += 6.0 * pair(x, y, (46, 13), (14, 11)) - 3.5 * pair(x, y, (62, 58), (11, 20))
    return depth - 1.2 * ridge(y - 24 + 0.25 * (a - 15), 2.6) * pair(x, y, (21, 23), (8, 8))


def eyes(x, y):
    """Eyeballs, the lids over them, the almond of the open eye with the iris, the upper lid's fold."""
    a = np.abs(x)
    across = (a - 30.5) / 15.0
    arch = np.clip(1 - across**2, 0, None)
    slant = 35.0 + 1.0 * across
    upper, lower = slant + 6.0 * arch * (1 - 0.15 * across), slant - 4.6 * arch * (1 + 0.2 * across)
    opening = rise(upper - y, 1.0) * rise(y - lower, 1.0) * rise(arch - 0.12, 0.12)
    from_pupil = np.hypot(a - 30.5, y - 36.2)
    iris = -0.7 * rise(5.8 - from_pupil, 0.9) - 2.0 * rise(2.8 - from_pupil, 1.3)
    window = rise(1.12 - np.abs(across), 0.10)
    lids = 0.9 * ridge(y - upper - 1.2, 1.4) + 0.6 * ridge(y - lower + 1.2, 1.4)
    fold = -1.5 * ridge(y - upper - 4.4, 1.6) - 0.5 * ridge(y - lower + 6.0, 2.0)
    return 8.0 * pair(x, y, (30.5, 36), (10.5, 8)) + opening * (iris - 2.3) + (lids + fold) * window


def nose(x, y):
    """Bridge, tip, wings, underside with nostrils and columella."""
    a = np.abs(x)
    height = 3.0 + 13.6 * np.clip((44 - y) / 41, 0, 1.22) ** 1.15
    height *= rise(y + 8.0 - 2.6 * (1 - ridge(x, 7.0)), 3.8) * rise(50 - y, 7)
    half_width = 9.0 + 2.4 * np.tanh((13 - y) / 18)
    bridge = height * np.exp(-((a / half_width) ** 2.5))
    tip = 4.6 * bump(x, y, (0, 0.8), (7.6, 5.6))
    wing = ((a - 12.4) / 6.2) ** 2 + ((y + 3.0) / 6.4) ** 2
    wings = 8.5 * np.exp(-(wing**1.25))
    groove = -1.4 * ridge(np.sqrt(wing) - 1.45, 0.25) * rise(a - 11, 3) * rise(y + 7.5, 3)
    nostrils = -5.5 * pair(x, y, (6.4, -8.6), (2.9, 2.0)) + 2.6 * bump(x, y, (0, -8.5), (2.6, 3.6))
    return bridge + tip + wings + groove + nostrils


def mouth(x, y):
    """Philtrum, lips, the line between them, corners, and the fold from nose to mouth."""
    a = np.abs(x)
    taper = np.clip(1 - (x / 26.0) ** 2, 0, None)
    line = -34.5 - 1.2 * np.exp(-((x / 5.5) ** 2)) + 1.0 * np.exp(-(((a - 12) / 7) ** 2)) - 1.2 * (1 - taper)
    above = line + 8.6 * taper**0.75 - 1.9 * np.exp(-((x / 3.4) ** 2))
    below = line - 10.5 * taper**0.8
    muzzle = 5.0 * bump(x, y, (0, -34), (23, 15))
    philtrum = 1.0 * pair(x, y, (4.6, -19), (2.2, 5.5)) - 1.4 * bump(x, y, (0, -19), (2.4, 6))
    upper = (1.2 + 2.4 * taper) * rise(above - y, 1.5) * rise(y - line, 1.2) * rise(taper - 0.25, 0.14)
    lower = (1.0 + 3.6 * taper) * rise(y - below, 2.4) * rise(line - y, 1.2) * rise(taper - 0.25, 0.14)
    crease = -2.2 * ridge(y - line, 1.2) * rise(26 - a, 2.0)
    corners = -2.6 * pair(x, y, (26.5, -36), (3.4, 3.4))
    fold = -1.5 * ridge(a - 22 + 0.40 * (y + 6), 3.0) * rise(y + 38, 7) * rise(3 - y, 5)
    return muzzle + philtrum + upper + lower + crease + corners + fold


def lower_face(x, y):
    """Chin with the sulcus above it, cheeks and jaw."""
    chin = (
        7.5 * bump(x, y, (0, -67), (13, 9)) + 1.0 * pair(x, y, (8, -69), (6, 6)) - 4.2 * bump(x, y, (0, -51), (16, 4.2))
    )
    cheeks = 3.2 * pair(x, y, (36, -10), (14, 15)) - 3.0 * pair(x, y, (49, -27), (11, 14))
    return chin + cheeks + 2.5 * pair(x, y, (44, -54), (14, 9))


def template(s, t):
    """The mean face (n, 3) in mm over mask coordinates s, t."""
    x, y, z = mask(s, t)
    z = z + skull(x, y) + eyes(x, y) + nose(x, y) + mouth(x, y) + lower_face(x, y)
    return np.column_stack([x, y, z])
