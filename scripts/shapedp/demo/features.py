"""The mean face as a formula: an egg-shaped mask and, in front of it, brow, eyes, nose, mouth, chin and cheeks.

Everything is a depth in mm over the frontal plane: x towards the face's left, y upwards, nose tip near (0, 0);
left and right are mirror images, so most formulas use |x|.
"""

import numpy as np


def bump(x, y, centre, width):
    """exp(-((x - cx)^2 / sx^2 + (y - cy)^2 / sy^2) / 2)."""
    return np.exp(-0.5 * (((x - centre[0]) / width[0]) ** 2 + ((y - centre[1]) / width[1]) ** 2))


def rise(v, width):
    """A smooth step from 0 (v << 0) to 1 (v >> 0) of the given half-width."""
    return 0.5 * (1 + np.tanh(v / width))


def mask(s, t):
    """The bare mask: frontal x, y and depth z (mm) of mask coordinates s, t (mm).

    Each horizontal section is a flattened ellipse of half-width w(t).
    """
    w = 70 - 9 * rise(-t - 30, 30) - 10 * rise(-t - 62, 14) - 4 * rise(t - 70, 18)
    angle = s / w
    profile = -20 - 13 * ((t - 8) / 90) ** 4 - 16 * rise(-t - 79, 6)
    return w * np.sin(angle), t, profile - 88 * (1 - np.cos(angle)) ** 1.12


def skull(x, y):
    """Forehead, brow ridges, sockets, cheekbones, temples."""
    a = np.abs(x)
    brow = 53 - 0.012 * (a - 30) ** 2 + 1.5 * rise(a - 14, 5)
    depth = 2.5 * bump(a, y, (20, 78), (20, 15)) + 2.0 * bump(x, y, (0, 53), (10, 7))
    depth += 4.5 * np.exp(-0.5 * ((y - brow) / 5.0) ** 2) * rise(a - 6, 5) * rise(56 - a, 5)
    depth -= 11.0 * bump(a, y, (30, 37), (14, 9.5)) + 6.0 * bump(a, y, (14, 37), (6, 8))
    depth += 6.0 * bump(a, y, (46, 14), (14, 11)) - 3.0 * bump(a, y, (64, 60), (12, 18))
    return depth


def eyes(x, y):
    """Eyeball under the lids, the almond of the open eye, the upper lid's fold."""
    a = np.abs(x)
    e = (a - 31) / 14.5
    arch = np.clip(1 - e**2, 0, None)
    upper, lower = 35.5 + 5.2 * arch**0.8 + 0.8 * e, 35.5 - 4.4 * arch + 0.8 * e
    opening = rise(upper - y, 0.9) * rise(y - lower, 0.9) * rise(arch, 0.15)
    ball = 8.0 * bump(a, y, (31, 36), (10, 8))
    lids = 1.3 * np.exp(-0.5 * ((y - upper - 1.0) / 1.2) ** 2) + 0.9 * np.exp(-0.5 * ((y - lower + 1.0) / 1.2) ** 2)
    fold = -1.6 * np.exp(-0.5 * ((y - upper - 4.8) / 1.3) ** 2)
    return ball - 1.8 * opening + (lids + fold) * rise(1.05 - np.abs(e), 0.12)


def nose(x, y):
    """Bridge, tip, wings, underside with nostrils and columella."""
    a = np.abs(x)
    height = 3.0 + 15.0 * np.clip(1 - y / 42, 0, 1.4) ** 1.15
    height *= rise(y + 9.0, 3.0) * rise(46 - y, 7)
    half_width = 5.8 + 3.2 * np.exp(-0.5 * ((y - 1) / 14) ** 2)
    bridge = height * np.exp(-((a / (1.45 * half_width)) ** 2.3))
    tip = 3.6 * bump(x, y, (0, 0), (7, 6))
    wings = 8.5 * bump(a, y, (13.0, -4.5), (4.2, 4.8))
    groove = -2.2 * bump(a, y, (18.8, -3.0), (2.2, 6.0)) - 1.2 * bump(a, y, (10.5, 4.5), (3, 3))
    nostrils = -4.5 * bump(a, y, (6.3, -10.0), (3.0, 2.2)) + 2.0 * bump(x, y, (0, -10), (2.4, 3.2))
    return bridge + tip + wings + groove + nostrils


def mouth(x, y):
    """Philtrum, lips, the line between them, corners, and the fold from nose to mouth."""
    a = np.abs(x)
    across = np.clip(1 - (a / 26.5) ** 2, 0, None)
    line = -34.5 + 0.9 * np.exp(-((a / 5) ** 2)) * -1 - 1.0 * (a / 26) ** 2
    bow = -26.5 - 1.6 * np.exp(-((a / 3.0) ** 2)) - 7.5 * (a / 26.5) ** 2
    muzzle = 5.0 * bump(x, y, (0, -34), (22, 15))
    philtrum = 0.9 * bump(a, y, (5, -20), (2.4, 6)) - 1.5 * bump(x, y, (0, -20), (2.6, 6))
    upper = 3.4 * across**0.7 * rise(bow - y, 1.3) * rise(y - line, 1.0)
    lower = 4.6 * across**0.7 * np.exp(-0.5 * ((y + 40.0) / 3.6) ** 2)
    crease = -2.6 * np.exp(-0.5 * ((y - line) / 1.1) ** 2) * rise(27 - a, 1.5)
    corners = -3.0 * bump(a, y, (27, -35.5), (3.2, 3.2))
    fold = -1.8 * np.exp(-0.5 * ((a - 21 + 0.42 * (y + 6)) / 2.6) ** 2) * rise(y + 40, 6) * rise(2 - y, 4)
    return muzzle + philtrum + upper + lower + crease + corners + fold


def lower_face(x, y):
    """Chin with the sulcus above it, cheeks and jaw."""
    a = np.abs(x)
    chin = 8.0 * bump(x, y, (0, -66), (14, 9)) - 4.0 * bump(x, y, (0, -50.5), (15, 4))
    cheeks = 3.0 * bump(a, y, (37, -12), (15, 16)) - 3.0 * bump(a, y, (50, -28), (11, 14))
    return chin + cheeks + 2.5 * bump(a, y, (44, -54), (14, 9))


def template(s, t):
    """The mean face (n, 3) in mm over mask coordinates s, t."""
    x, y, z = mask(s, t)
    z = z + skull(x, y) + eyes(x, y) + nose(x, y) + mouth(x, y) + lower_face(x, y)
    return np.column_stack([x, y, z])
