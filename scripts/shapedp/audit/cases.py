"""The cases of the audit: every mechanism on its worst neighbouring pair, and negative controls.

For a face model, the worst pair is measured without sampling: how far two people move its three sums apart, over the
noise.
"""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from shapedp.audit import curve_attacks, shape_attacks
from shapedp.audit.shape_attacks import EPSILON as EPSILON_CLAIMED
from shapedp.audit.shape_attacks import MU as MU_CLAIMED
from shapedp.audit.shape_attacks import SPACES, SPHERE
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
    for name in CURVES:
        yield Case(name, MU, *curve_attacks.of_mechanism(name, source, gaussian_draws), OK)
    yield Case("shaped, two stages", MU, *curve_attacks.two_stages_drawn(source, gaussian_draws), OK)
    for space in SPACES:
        found = shape_attacks.tangent_gaussian(space, source, gaussian_draws)
        yield Case(f"tangent Gaussian, {space.name}", MU, MU_CLAIMED, found, OK)
        found = shape_attacks.laplace_draws(space, space.laplace_sigma(), source, pure_draws)
        yield Case(f"Laplace, {space.name}", EPSILON, EPSILON_CLAIMED, found, OK)
        found = shape_attacks.kng_draws(space, space.kng_sigma(), source, pure_draws)
        yield Case(f"KNG, {space.name}", EPSILON, EPSILON_CLAIMED, found, OK)
    found = shape_attacks.outlines_gaussian(source, gaussian_draws)
    yield Case("shaped, outlines", MU, MU_CLAIMED, found, OK)
    found = shape_attacks.outlines_pure(source, pure_draws)
    yield Case("K-norm, outlines", EPSILON, EPSILON_CLAIMED, found, OK)
    found = shape_attacks.outlines_pure(source, pure_draws, 0.25)
    yield Case("control: K-norm, a quarter of the noise, outlines", EPSILON, EPSILON_CLAIMED, found, CAUGHT)
    yield from _exact()
    for words, attacked in curve_attacks.CONTROLS.items():
        yield Case(f"control: {words}", MU, *attacked(source, gaussian_draws), CAUGHT)
    # Draws see less of a pure mechanism than of a Gaussian one: KNG is caught with a quarter of its noise.
    found = shape_attacks.laplace_draws(SPHERE, SPHERE.laplace_sigma() / 2, source, pure_draws)
    yield Case("control: Laplace, half the noise, S2", EPSILON, EPSILON_CLAIMED, found, CAUGHT)
    found = shape_attacks.kng_draws(SPHERE, SPHERE.kng_sigma() / 4, source, pure_draws)
    yield Case("control: KNG, a quarter of the noise, S2", EPSILON, EPSILON_CLAIMED, found, CAUGHT)


def _exact():
    for name in CURVES:
        yield Case(f"{name}, exact", EXACT_MU, *curve_attacks.exact(name), OK)
    yield Case("shaped, two stages, exact", EXACT_MU, *curve_attacks.two_stages_exact(), OK)
    yield Case("moments, exact", EXACT_MU, *model_exact(), OK)
    for name, made in differences().items():
        yield Case(f"{name}, exact", EXACT_MU, *difference_exact(made), OK)
    for space in SPACES:
        found = shape_attacks.exact_tangent_gaussian(space)
        yield Case(f"tangent Gaussian, {space.name}, exact", EXACT_MU, MU_CLAIMED, found, OK)
    yield Case("shaped, outlines, exact", EXACT_MU, MU_CLAIMED, shape_attacks.outlines_exact(), OK)
    laplace, kng = shape_attacks.exact_laplace(SPHERE.laplace_sigma()), shape_attacks.exact_kng(SPHERE.kng_sigma())
    yield Case("Laplace, S2, exact", EXACT, EPSILON_CLAIMED, laplace, OK)
    yield Case("KNG, S2, exact", EXACT, EPSILON_CLAIMED, kng, OK)
    published = shape_attacks.exact_kng(SPHERE.published_kng_sigma())
    yield Case("control: KNG as published, S2, exact", EXACT, EPSILON_CLAIMED, published, CAUGHT)


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
    return made.cost().mu, max(_difference_distance(made, *pair) for pair in combinations(records, 2))


def _ends(made):
    """A row at the clip and one far beyond it, either way along each of the first axes."""
    if isinstance(made, ShapedWithSpread):
        reach = (made.chosen.tau * made.chosen.moments**0.25)[:, None, None, None] * made.axes
        return [made.center + far * one for one in reach[:AXES] for far in (1, -1, FAR, -FAR)]
    found = made.coordinates
    reach = (found.choice.clip * found.roots)[:, None] * found.axes
    return [found.shapes.shape(far * one) for one in reach[:AXES] for far in (1, -1)]


def _difference_distance(made, one, other):
    """d' of the exact sums of two people: of each stage over its noise, where the first answers that nobody is far."""
    last = made.bound if isinstance(made, ShapedWithSpread) else made.amount
    apart = []
    for at, mu in enumerate((made.first, made.squares, last)):
        stage = made.stage((np.zeros(1),) * at)
        sums = (stage.sums(Rows.of(x[None])).values[0].astype(float) for x in (one, other))
        apart.append(mu * np.linalg.norm(np.subtract(*sums)) / SENSITIVITY)
    return float(np.linalg.norm(apart))
