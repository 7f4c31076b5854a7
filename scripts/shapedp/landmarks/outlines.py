"""Closed outlines that vary like the corpus callosum in the mid-sagittal plane; no brain was measured.

A band along an axis that runs from the bulb (splenium, u = 0, on the right) over an arch to the hook (genu, with the
rostrum as its point, u = 1, on the left). The axis has the tangent angle phi(u), the band the half-thickness w(u), and
the outline is axis +- w * normal, closed by round ends.
"""

import numpy as np

LANDMARKS = 50
AGE = (55.0, 90.0)  # years, uniform
LENGTH_MM = 95.0  # of the axis
# Points of the axis from which the landmarks are taken.
_FINE = 400

# What varies: mean, standard deviation, change per decade of age. Angles in radians, thickness in axis lengths.
TRAITS = {
    "arch": (1.40, 0.150, 0.060),  # turn of the axis along the body
    "hook": (2.30, 0.150, -0.030),  # turn of the axis in the genu
    "hook place": (0.760, 0.011, 0.0),
    "droop": (0.45, 0.150, 0.0),  # downward bend of the splenium
    "body": (0.036, 0.0042, -0.0028),
    "bulb": (0.040, 0.0055, -0.0020),
    "genu": (0.024, 0.0045, -0.0030),
    "isthmus": (0.009, 0.0030, 0.0),
    "wave": (0.0, 0.130, 0.0),  # a notch in the upper contour behind the body's middle
}


def population(count, seed):
    """Return invented outlines in mm, and ages in years that explain part of how they differ: demo data, nobody's.

    Landmark 0 is the point of the rostrum, 25 the end of the splenium; counter-clockwise. Each outline has its own
    position, size and rotation. Outline i depends on (seed, i) alone.

    Parameters
    ----------
    count : int
        Outlines to draw.
    seed : int

    Returns
    -------
    outlines : (count, 50, 2) array
        Landmarks in mm.
    ages : (count,) array
        In years, uniform on AGE.
    """
    outlines, ages = [], []
    youngest, oldest = AGE
    for child in np.random.SeedSequence(seed).spawn(count):
        rng = np.random.default_rng(child)
        ages.append(rng.uniform(youngest, oldest))
        decades = (ages[-1] - np.mean(AGE)) / 10
        traits = {}
        for name, (mean, sd, per_decade) in TRAITS.items():
            traits[name] = mean + sd * np.clip(rng.standard_normal(), -2.8, 2.8) + per_decade * decades
        size = LENGTH_MM * np.exp(0.06 * np.clip(rng.standard_normal(), -3, 3))
        turn = np.deg2rad(rng.uniform(-15, 15))
        rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        outlines.append(size * draw_outline(traits) @ rotation.T + rng.uniform(-20, 20, 2))
    return np.array(outlines).reshape(count, LANDMARKS, 2), np.array(ages)


def template():
    """Return the outline (50, 2) in mm of mean traits at the mean age: public, since nobody's data shaped it."""
    return LENGTH_MM * draw_outline({name: mean for name, (mean, _, _) in TRAITS.items()})


def draw_outline(traits):
    """Return the landmarks (50, 2) of an invented outline with these traits, for a demo that needs nobody's data.

    They are in axis lengths, not yet placed.
    """
    u = np.linspace(0, 1, _FINE)
    angle = _compute_angle(u, traits)
    step = np.column_stack([np.cos(angle), np.sin(angle)])
    axis = np.cumsum((step[1:] + step[:-1]) / 2, axis=0) / (_FINE - 1)
    axis = np.vstack([[0, 0], axis])
    # The normal points to the left of the direction of travel, which is the lower side of the band.
    normal = np.column_stack([-step[:, 1], step[:, 0]])
    width = _compute_half_thickness(u, traits)[:, None]
    lower, upper = axis + width * normal, axis - width * normal
    bulb, point = axis[0] - width[0] * step[0], axis[-1] + width[-1] * step[-1]
    inner, outer = np.vstack([point, lower[::-1], bulb]), np.vstack([bulb, upper, point])
    return np.vstack([_resample(inner, LANDMARKS // 2), _resample(outer, LANDMARKS // 2)])


def _compute_angle(u, traits):
    """Return the direction phi(u), in radians, of an invented outline's middle line, u of the way along it, to draw it.

    It goes up and to the left out of the bulb, over the arch, round the hook.
    """
    start = np.pi - 0.55 * traits["arch"]
    body = traits["arch"] * np.clip(u / 0.85, 0, None)
    hook = traits["hook"] * 0.5 * (1 + np.tanh((u - traits["hook place"]) / 0.085))
    droop = -traits["droop"] * np.exp(-((u / 0.13) ** 2))
    return start + body + hook + droop


def _compute_half_thickness(u, traits):
    """Return half the thickness w(u) of an invented outline, in axis lengths, u of the way along, to draw it.

    From bulb over isthmus, body and genu it tapers to the rostrum's point; it is round at the bulb's end.
    """
    w = traits["body"] + traits["bulb"] * np.exp(-(((u - 0.055) / 0.07) ** 2))
    w += traits["genu"] * np.exp(-(((u - traits["hook place"]) / 0.08) ** 2))
    w -= traits["isthmus"] * np.exp(-(((u - 0.25) / 0.09) ** 2))
    w *= 1 + traits["wave"] * np.sin(2 * np.pi * (u - 0.2) / 0.45) * np.exp(-(((u - 0.45) / 0.2) ** 2))
    taper = 1 - 0.72 / (1 + np.exp(-(u - 0.92) / 0.03))
    end = np.sqrt(1 - np.clip(1 - u / 0.05, 0, 1) ** 2)
    return w * taper * (0.05 + 0.95 * end)


def _resample(curve, count):
    """Return `count` points (count, 2) at equal arc length along a drawn side, as its landmarks; its end left out."""
    gone = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    at = gone[-1] * np.arange(count) / count
    return np.column_stack([np.interp(at, gone, curve[:, k]) for k in range(2)])
