"""The cases of the audit: every mechanism on its worst neighbouring pair, and negative controls.

For a face model, the worst pair is measured without sampling: how far two people move its three sums apart, over the
noise.
"""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from shapedp.audit import curve_attacks, shape_attacks
from shapedp.mechanisms.curves.base import Asked
from shapedp.mechanisms.integer_sums import SENSITIVITY
from shapedp.mechanisms.spread import ShapedWithSpread, ShapesWithSpread
from shapedp.mechanisms.statistic import Rows
from shapedp.model.covariates import Covariate
from shapedp.model.model_mechanism import FaceModel

CURVES = ("shaped", "matched_joint", "matched", "rkhs", "rkhs_paper", "pointwise")
GAUSSIAN_DRAWS = 10_000  # on either side of a pair
PURE_DRAWS = 100_000
MU, EPSILON, EXACT, EXACT_MU = "mu", "epsilon", "epsilon, exact", "mu, exact"
OK, CAUGHT = "ok", "caught"


@dataclass(frozen=True)
class Case:
    """A mechanism attacked: its claim, the lower bound found (or the exact loss), and what is expected of it."""

    name: str
    kind: str
    claim: float
    lower_bound: float
    expected: str

    @property
    def share(self):
        """The bound over the claim: an attack that sees nothing proves nothing."""
        return self.lower_bound / self.claim

    @property
    def verdict(self):
        """ok : the bound is no higher than the claim; caught : it is, so that the claim is false."""
        return CAUGHT if self.lower_bound > self.claim else OK

    @property
    def as_expected(self):
        """A mechanism keeps its claim; a negative control breaks it and is caught."""
        return self.verdict == self.expected


def cases(source, gaussian_draws=GAUSSIAN_DRAWS, pure_draws=PURE_DRAWS):
    """Every attack, one after the other."""
    yield from _curves(source, gaussian_draws)
    for space in shape_attacks.SPACES:
        yield from _shapes(space, source, gaussian_draws, pure_draws)
    yield from _deviations(source, gaussian_draws, pure_draws)
    yield from _exact()
    yield from _curve_controls(source, gaussian_draws)
    yield from _sphere_controls(source, pure_draws)


def _curves(source, draws):
    for name in CURVES:
        yield Case(name, MU, *curve_attacks.of_mechanism(name, source, draws), OK)
    yield Case("shaped, two stages", MU, *curve_attacks.two_stages_drawn(source, draws), OK)


def _shapes(space, source, gaussian_draws, pure_draws):
    found = shape_attacks.tangent_gaussian(space, source, gaussian_draws)
    yield Case(f"tangent Gaussian, {space.name}", MU, shape_attacks.MU, found, OK)
    found = shape_attacks.laplace_draws(space, space.laplace_sigma(), source, pure_draws)
    yield Case(f"Laplace, {space.name}", EPSILON, shape_attacks.EPSILON, found, OK)
    found = shape_attacks.kng_draws(space, space.kng_sigma(), source, pure_draws)
    yield Case(f"KNG, {space.name}", EPSILON, shape_attacks.EPSILON, found, OK)


def _deviations(source, gaussian_draws, pure_draws):
    found = shape_attacks.outlines_gaussian(source, gaussian_draws)
    yield Case("shaped, outlines", MU, shape_attacks.OUTLINE_MU, found, OK)
    claim = shape_attacks.OUTLINE_EPSILON
    yield Case("K-norm, outlines", EPSILON, claim, shape_attacks.outlines_pure(source, pure_draws), OK)
    found = shape_attacks.outlines_pure(source, pure_draws, 0.25)
    yield Case("control: K-norm, a quarter of the noise, outlines", EPSILON, claim, found, CAUGHT)


def _exact():
    for name in CURVES:
        yield Case(f"{name}, exact", EXACT_MU, *curve_attacks.exact(name), OK)
    yield Case("shaped, two stages, exact", EXACT_MU, *curve_attacks.two_stages_exact(), OK)
    yield Case("moments, exact", EXACT_MU, *model_exact(), OK)
    for name, made in differences().items():
        yield Case(f"{name}, exact", EXACT_MU, *difference_exact(made), OK)
    for space in shape_attacks.SPACES:
        found = shape_attacks.exact_tangent_gaussian(space)
        yield Case(f"tangent Gaussian, {space.name}, exact", EXACT_MU, shape_attacks.MU, found, OK)
    yield Case("shaped, outlines, exact", EXACT_MU, shape_attacks.OUTLINE_MU, shape_attacks.outlines_exact(), OK)
    sphere, claim = shape_attacks.SPHERE, shape_attacks.EPSILON
    yield Case("Laplace, S2, exact", EXACT, claim, shape_attacks.exact_laplace(sphere.laplace_sigma()), OK)
    yield Case("KNG, S2, exact", EXACT, claim, shape_attacks.exact_kng(sphere.kng_sigma()), OK)
    published = shape_attacks.exact_kng(sphere.published_kng_sigma())
    yield Case("control: KNG as published, S2, exact", EXACT, claim, published, CAUGHT)


def _curve_controls(source, draws):
    yield Case("control: half the noise", MU, *curve_attacks.half_the_noise(source, draws), CAUGHT)
    yield Case("control: clipping off", MU, *curve_attacks.clipping_off(source, draws), CAUGHT)
    yield Case("control: bound from the data", MU, *curve_attacks.bound_from_the_data(source, draws), CAUGHT)


def _sphere_controls(source, draws):
    """Draws see less of a pure mechanism than of a Gaussian one: KNG is caught with a quarter of its noise."""
    sphere, claim = shape_attacks.SPHERE, shape_attacks.EPSILON
    found = shape_attacks.laplace_draws(sphere, sphere.laplace_sigma() / 2, source, draws)
    yield Case("control: Laplace, half the noise, S2", EPSILON, claim, found, CAUGHT)
    found = shape_attacks.kng_draws(sphere, sphere.kng_sigma() / 4, source, draws)
    yield Case("control: KNG, a quarter of the noise, S2", EPSILON, claim, found, CAUGHT)


TURNS = np.linspace(-1, 1, 81)  # cosines of the angle between the two people's coordinates
COVARIATES = (Covariate("age", 20.0, 60.0),)


def model():
    """The model of the audit's made-up people at the audit's mu, with one covariate."""
    variation = curve_attacks.learned(curve_attacks.public_people())
    return FaceModel.of(variation, curve_attacks.PEOPLE, curve_attacks.MU, COVARIATES, 2)


def model_distance(moments, one, other):
    """d' of the exact sums of two people (u, a) each: all entries over their noise, matrices in Frobenius' norm."""
    sums = [moments.sums(u[None], a[None]) for u, a in (one, other)]
    parts = [
        np.linalg.norm((x - y).astype(float)) * step / sd
        for x, y, step, sd in zip(*sums, moments.steps, moments.noise, strict=True)
        if np.isfinite(sd)
    ]
    return float(np.linalg.norm(parts))


def model_exact():
    """(claim, largest d' over pairs at their bounds, at every angle and either end of the covariate)."""
    moments = model().moments
    first, second = moments.tau * np.eye(moments.q)[:2]
    ends = (np.ones(moments.p), -np.ones(moments.p))
    pairs = (((first, ends[0]), (d * first + np.sqrt(1 - d**2) * second, end)) for d in TURNS for end in ends)
    return moments.mu, max(model_distance(moments, *pair) for pair in pairs)


FAR = 100.0  # times tau, of a record that is clipped
AXES = 6  # along which pairs are tried
ENOUGH = 30  # people, of whom a first stage is asked


def differences():
    """{what is released: its mechanism} of changes and asymmetries, which differ in their rows alone: of faces, and of
    landmarks, each asked first how far people lie.
    """
    variation = curve_attacks.learned(curve_attacks.public_people())
    shape, mu = variation.center.shape, {"mu_total": curve_attacks.MU}
    asked = Asked(shape, ENOUGH, variation, variation.center, mu, {})
    ball = replace(shape_attacks.outline_mechanism("shaped").ball, n=ENOUGH)
    return {
        "change or asymmetry of faces": ShapedWithSpread.of(asked),
        "change or asymmetry of outlines": ShapesWithSpread(ball, mu),
    }


def difference_exact(made):
    """(claim, largest d' of all stages together) over pairs of the center and both ends of each axis, near and far."""
    center = made.center if isinstance(made, ShapedWithSpread) else made.coordinates.shapes.p0
    records = [center, *_ends(made)]
    return made.cost().mu, max(difference_distance(made, *pair) for pair in combinations(records, 2))


def _ends(made):
    """A row at the clip and one far beyond it, either way along each of the first axes."""
    if isinstance(made, ShapedWithSpread):
        reach = (made.chosen.tau * made.chosen.moments**0.25)[:, None, None, None] * made.axes
        return [made.center + far * one for one in reach[:AXES] for far in (1, -1, FAR, -FAR)]
    found = made.coordinates
    reach = (found.choice.clip * found.roots)[:, None] * found.axes
    return [found.shapes.shape(far * one) for one in reach[:AXES] for far in (1, -1)]


def difference_distance(made, one, other):
    """d' of the exact sums of two people: of each stage over its noise, where the first answers that nobody is far."""
    stages = [made.stage((np.zeros(1),) * at) for at in range(3)]
    moved = [
        np.linalg.norm(np.subtract(*(stage.sums(Rows.of(x[None])).values[0].astype(float) for x in (one, other))))
        for stage in stages
    ]
    return float(np.linalg.norm([mu * by / SENSITIVITY for mu, by in zip(_spent(made), moved, strict=True)]))


def _spent(made):
    """mu of each stage."""
    return made.first, made.squares, made.bound if isinstance(made, ShapedWithSpread) else made.amount
