"""Seeded releases of a mean shape by every mechanism at matched guarantees, to be compared with the true mean; private.

Pure releases have epsilon = 1; the Gaussian one has the mu whose (epsilon, delta) curve passes through (1, 1e-6), which
is the weaker promise. Seeded, so that a table repeats; they spend nothing because they are not published.
"""

from dataclasses import replace

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.manifolds.landmark_shapes import LandmarkShapes, dist
from shapedp.mechanisms import contour, conversions, noise, shape_mechanisms
from shapedp.mechanisms.cost import PURE
from shapedp.mechanisms.shapes.ball import as_real

EPSILON, DELTA, SEED = 1.0, 1e-6, 409
CENTER, SAMPLING = "public center, no data", "sampling error"
BUDGET = {"epsilon": EPSILON, "mu_total": conversions.gdp_mu(EPSILON, DELTA)}  # each mechanism takes one of them


def compared(ball):
    """The mechanisms, each in all landmarks and in the ball's modes, where its conditions on the radius allow it.

    Those that look at the contour come first.
    """
    named = sorted(
        shape_mechanisms.MECHANISMS.items(), key=lambda item: not (item[1].in_basis or item[1].along_contour)
    )
    asked = [(name, modes) for name, one in named for modes in _bases(one, ball.modes)]
    return [one for one in (_legal(name, ball, modes) for name, modes in asked) if one]


def _bases(one, modes):
    return [modes] if one.along_contour else sorted({0, modes if one.in_basis else 0})


def _legal(name, ball, modes):
    """The mechanism, or None where it refuses the ball."""
    try:
        return made(name, ball, modes)
    except RefusedRelease:
        return None


def made(name, ball, modes):
    """The mechanism at the budget of the comparison, in a basis of its own."""
    return shape_mechanisms.make(name, replace(ball, modes=modes), BUDGET)


def guarantee(mechanism):
    """What a release of this mechanism promises, in words."""
    if mechanism.calibration != "proved":
        return "none (as published)"
    cost = mechanism.cost()
    return f"epsilon = {cost.epsilon:g}" if cost.kind == PURE else f"mu = {cost.mu:.4g}: ({EPSILON:g}, {DELTA:g})"


def draws(mechanism, z, count, bandwidth=None):
    """(count, *p0.shape) releases of the shapes z; smoothed along the contour where a bandwidth is given."""
    source = noise.SeededNoise(SEED)
    return np.array([mechanism.publishable(z, source, bandwidth) for _ in range(count)])


def without_noise(z, p0, mean):
    """Rows beside the mechanisms: p0 with no data at all, None where there is no public one, and what the mean itself
    errs by for who takes part.
    """
    sampling = np.sqrt(np.mean(dist(as_real(mean), as_real(z)) ** 2) / len(z))
    found = [] if p0 is None else [(CENTER, "no data", p0, dist(as_real(mean), as_real(p0)))]
    for name, guarantee, shape, far in [*found, (SAMPLING, "not released", mean, sampling)]:
        count = float(_crossings(shape[None])[0])
        said = {"mechanism": name, "modes": 0, "guarantee": guarantee, "distance": float(far), "distance_se": 0.0}
        yield said | {"crossings": count, "share_without_crossings": float(count == 0)}


def drawn_without_noise(z, p0, mean, count):
    """{(basis, row): shapes (., k, d)} of the same rows, as they are drawn: p0, and `count` means of as many records as
    z has, drawn from z again with replacement, which lie about the mean as it does about that of all people.
    """
    about = LandmarkShapes(as_real(mean))
    x, rng = about.deviations(as_real(z)), np.random.default_rng(SEED)
    again = np.array([x[rng.integers(0, len(x), len(x))].mean(axis=0) for _ in range(count)])
    center = {} if p0 is None else {("public", CENTER): as_real(p0)[None]}
    return center | {("records drawn again", SAMPLING): about.shape(again)}


def figures(mean, drawn):
    """{distance, distance_se : mean distance to the mean, its standard error; crossings a release; share without}."""
    distance = dist(as_real(mean), as_real(drawn))
    crossings = _crossings(drawn)
    return {
        "distance": distance.mean(),
        "distance_se": distance.std(ddof=1) / np.sqrt(len(distance)),
        "crossings": crossings.mean(),
        "share_without_crossings": np.mean(crossings == 0),
    }


def _crossings(shapes):
    """Of planar outlines with themselves; none in space."""
    return contour.crossings(shapes) if np.iscomplexobj(shapes) else np.zeros(len(shapes))
