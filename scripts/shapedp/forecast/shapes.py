"""The forecast of a mean shape, from public numbers alone: n, the center, the radius and the modes."""

import itertools
import math
from dataclasses import replace

from shapedp.errors import RefusedRelease
from shapedp.forecast import tables
from shapedp.mechanisms import sensitivity, tangent_gaussian
from shapedp.mechanisms.cost import GAUSSIAN, PURE, Cost
from shapedp.mechanisms.shapes.deviations import KNorm, Shaped

PURE_MECHANISMS = (sensitivity.LAPLACE, sensitivity.KNG)
SHRUNK = " with shrink: true"
UNIT = "of the shape's size"
FEWEST = 2  # records of a release
FARTHEST = math.pi / 2  # radian; no two shapes lie farther apart: a release with noise of that size says nothing


def rows(ball, left, pure_left, spread=None):
    """tables.Row of each mechanism and budget, as a share of the shape's size (root of its summed squares).

    spread : root mean square distance of a record from the mean of a public set, in radian, or None
    """
    yield from _of_deviations(ball, {"mu_total": left, "epsilon": pure_left})
    if ball.planar:
        yield from _of_papers(ball.space, ball.r, ball.n, left, pure_left, spread)


def of_groups(ball, sizes, *given):
    """The same of everybody and of each group of {name: how many}; one that counts less than 2 is not released."""
    yield from rows(ball, *given)
    for group, n in sizes.items():
        if n >= FEWEST:
            yield from (replace(row, group=group) for row in rows(replace(ball, n=n), *given))


def _of_deviations(ball, left):
    """Of `shaped` and `knorm`, shrunk and not, with their bias and the center alone; what is refused has no row."""
    for mechanism, shrinks in itertools.product((Shaped, KNorm), (False, True)):
        budget = "epsilon" if mechanism is KNorm else "mu_total"
        for amount in tables.amounts(left[budget]):
            made = mechanism(ball, {budget: amount}, shrinks)
            try:
                made.check()
            except RefusedRelease:
                continue
            found = made.coordinates.choice
            noise, bias, sampling = (math.sqrt(one) for one in (found.noise, found.bias, found.sampling))
            name, unlike = made.name + SHRUNK * shrinks, math.sqrt(found.bias + found.unlike)
            yield tables.Row(name, made.cost(), noise, sampling, UNIT, bias, found.center_error, unlike)


def _of_papers(space, r, n, left, pure_left, spread):
    sampling = None if spread is None else min(r, spread) / math.sqrt(n)
    for mu in tables.amounts(left):
        noise = min(FARTHEST, tangent_gaussian.standard_deviation(r, n, mu) * math.sqrt(space.dim))
        yield tables.Row("gaussian", Cost(GAUSSIAN, mu=mu), noise, sampling, UNIT)
    for name in PURE_MECHANISMS:
        for epsilon in tables.amounts(pure_left):
            try:
                noise = expected_radius(space, name, r, n, epsilon)
            except RefusedRelease:
                continue
            yield tables.Row(name, Cost(PURE, epsilon=epsilon), noise, sampling, UNIT)


def expected_radius(space, name, r, n, epsilon):
    """Root mean square distance of a draw with density exp(-distance/sigma) in D dimensions: sigma sqrt(D (D + 1)).

    Flat space, records at the center: what curvature and the ball take away is left out, so it is rather too large.
    """
    sigma = sensitivity.scale(space, name, r, n, epsilon).sigma
    return min(FARTHEST, sigma * math.sqrt(space.dim * (space.dim + 1)))


def snippet(left):
    """The lines that make a release of it, to be added to the settings."""
    mu = min(1.0, tables.amounts(left)[0] if left < 1 else 1.0)
    return f"    - {{name: mean_shape, mechanism: shaped, budget: {{mu_total: {mu:g}}}}}"
