"""The cases of the audit: every mechanism on its worst neighbouring pair, and negative controls.

A face model's worst pair is measured without sampling: how far two people move its three sums apart, over the noise.
"""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from shapedp.audit import adaptive, attack, curve_attacks, shape_attacks
from shapedp.audit.shape_attacks import SPACES, SPHERE
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.differences import ShapedWithSpread, ShapesWithSpread
from shapedp.privacy.integer_sums import SENSITIVITY
from shapedp.privacy.recentred import RecentredMean
from shapedp.privacy.statistic import Rows
from shapedp.releases import kinds
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.model_mechanism import FaceModel

CURVES = ("shaped", "matched_joint", "matched", "rkhs", "rkhs_paper", "pointwise")
# On either side of a pair. Of pure mechanisms draws see less, so that more are needed.
GAUSSIAN_DRAWS = 10_000
PURE_DRAWS = 100_000
MU, EPSILON, EXACT, EXACT_MU, ADAPTIVE = "mu", "epsilon", "epsilon, exact", "mu, exact", "mu, chosen answers"
OK, CAUGHT = "ok", "caught"


@dataclass(frozen=True)
class Case:
    """A mechanism attacked: its claim, the lower bound found (or the exact loss), and what is expected of it."""

    name: str
    kind: str
    claim: float
    lower_bound: float
    expected: str = OK

    @classmethod
    def from_finding(cls, name, kind, finding, expected=OK):
        """Return the Case of an attack that found (claim, lower bound or exact loss)."""
        claim, lower_bound = finding
        return cls(name, kind, claim, lower_bound, expected)

    @property
    def share(self):
        """Return the bound over the claim: an attack that sees nothing proves nothing."""
        return self.lower_bound / self.claim

    @property
    def verdict(self):
        """Return ok where the bound is no higher than the claim, or caught where it is, so that the claim is false."""
        return CAUGHT if self.lower_bound > self.claim else OK

    @property
    def as_expected(self):
        """Return whether a mechanism keeps its claim, or a negative control breaks it and is caught."""
        return self.verdict == self.expected


def run_cases(source, gaussian_draws=GAUSSIAN_DRAWS, pure_draws=PURE_DRAWS):
    """Yield every attack of the audit as a Case: what each mechanism claims beside what was seen to leak.

    Parameters
    ----------
    source : SecureNoise or SeededNoise
        The noise of the attacked mechanisms.
    gaussian_draws, pure_draws : int
        Outputs on either side of a pair, of Gaussian and of pure mechanisms.
    """
    for name in CURVES:
        yield Case.from_finding(name, MU, curve_attacks.attack_mechanism(name, source, gaussian_draws))
    staged = curve_attacks.make_two_stages()
    finding = attack.bound_privacy_loss(*curve_attacks.draw_two_stage_ratios(staged, source, gaussian_draws))
    yield Case("shaped, two stages", MU, staged.mu, finding.mu)
    for space in SPACES:
        yield Case.from_finding(
            f"tangent Gaussian, {space.name}", MU, shape_attacks.attack_tangent_gaussian(space, source, gaussian_draws)
        )
        yield Case.from_finding(
            f"Laplace, {space.name}", EPSILON, shape_attacks.attack_laplace(space, source, pure_draws)
        )
        yield Case.from_finding(f"KNG, {space.name}", EPSILON, shape_attacks.attack_kng(space, source, pure_draws))
    yield Case.from_finding("shaped, outlines", MU, shape_attacks.attack_outlines_gaussian(source, gaussian_draws))
    yield Case.from_finding("K-norm, outlines", EPSILON, shape_attacks.attack_outlines_knorm(source, pure_draws))
    finding = shape_attacks.attack_outlines_knorm(source, pure_draws, 0.25)
    yield Case.from_finding("control: K-norm, a quarter of the noise, outlines", EPSILON, finding, CAUGHT)
    findings = {
        **{name: curve_attacks.measure_mechanism(name) for name in CURVES},
        "shaped, two stages": curve_attacks.measure_two_stages(),
        "moments": measure_model(),
        **{name: measure_difference(mechanism) for name, mechanism in make_differences().items()},
        **{f"tangent Gaussian, {space.name}": shape_attacks.measure_tangent_gaussian(space) for space in SPACES},
        "shaped, outlines": shape_attacks.measure_outlines(),
    }
    yield from (Case.from_finding(f"{name}, exact", EXACT_MU, finding) for name, finding in findings.items())
    yield from run_adaptive_cases()
    yield Case.from_finding("Laplace, S2, exact", EXACT, shape_attacks.measure_laplace())
    yield Case.from_finding("KNG, S2, exact", EXACT, shape_attacks.measure_kng())
    yield Case.from_finding(
        "control: KNG as published, S2, exact", EXACT, shape_attacks.measure_kng(published=True), CAUGHT
    )
    for words, claim, pair in curve_attacks.make_controls():
        finding = attack.bound_privacy_loss(*curve_attacks.draw_ratios(pair, source, gaussian_draws))
        yield Case(f"control: {words}", MU, claim, finding.mu, CAUGHT)
    # Draws see less of a pure mechanism than of a Gaussian one: KNG is caught with a quarter of its noise.
    finding = shape_attacks.attack_laplace(SPHERE, source, pure_draws, 0.5)
    yield Case.from_finding("control: Laplace, half the noise, S2", EPSILON, finding, CAUGHT)
    finding = shape_attacks.attack_kng(SPHERE, source, pure_draws, 0.25)
    yield Case.from_finding("control: KNG, a quarter of the noise, S2", EPSILON, finding, CAUGHT)


def run_adaptive_cases():
    """Yield a Case of every kind of release, all its stages replayed on neighbours with answers an adversary chose.

    The last case is a control, whose first stage was left out of the account.
    """
    for name, mechanism, records, covariates in adaptive.list_kinds():
        mu = mechanism.cost().mu
        yield Case(f"{name}, all stages", ADAPTIVE, mu, adaptive.find_largest_distance(mechanism, records, covariates))
        if adaptive.can_take_private_groups(mechanism):
            distance = adaptive.find_largest_distance(mechanism, records, covariates, is_entering=True)
            yield Case(f"{name}, entering a private group", ADAPTIVE, mu / 2, distance)
    staged = curve_attacks.make_two_stages()
    distance = adaptive.find_largest_distance(staged, adaptive.face_palette(staged))
    yield Case("control: a stage that nobody counted", ADAPTIVE, staged.bound, distance, CAUGHT)


# Cosines of the angle between the two people's coordinates.
TURNS = np.linspace(-1, 1, 81)
COVARIATES = (Covariate("age", 20.0, 60.0),)


def make_model():
    """Return the model of the audit's made-up people at the audit's mu, with one covariate."""
    variation = curve_attacks.learn_variation()
    return FaceModel.from_variation(variation, curve_attacks.PEOPLE, curve_attacks.MU, COVARIATES, 2)


def measure_model_distance(moments, first, second):
    """Return how well a released model tells two people apart, for the audit: d', in standard deviations of the noise.

    It is of all entries over their noise, matrices in Frobenius' norm.

    Parameters
    ----------
    moments : Moments
        The sums and their noise.
    first, second : ((q,) float, (p,) float)
        Coordinates and covariates of either person.
    """
    first_sums, second_sums = (moments.sums(u[None], a[None]) for u, a in (first, second))
    parts = [
        np.linalg.norm((x - y).astype(float)) * step / sd
        for x, y, step, sd in zip(first_sums, second_sums, moments.steps, moments.noise, strict=True)
        if np.isfinite(sd)
    ]
    return float(np.linalg.norm(parts))


def measure_model():
    """Return (claim, d') of a released model for the audit: its mu, and how well the worst two people are told apart.

    d' is the largest distance of two people at their bounds, in units of the noise; nothing is drawn. Pairs are
    at every angle and either end of the covariate.
    """
    moments = make_model().moments
    first, second = moments.tau * np.eye(moments.q)[:2]
    ends = (np.ones(moments.p), -np.ones(moments.p))
    pairs = (((first, ends[0]), (d * first + np.sqrt(1 - d**2) * second, end)) for d in TURNS for end in ends)
    return moments.mu, max(measure_model_distance(moments, person, other) for person, other in pairs)


# Times tau, of a record that is clipped.
FAR = 100.0
# Axes along which pairs are tried.
AXES = 6
# People, enough that a first stage is asked.
ENOUGH = 30


def make_differences():
    """Return mechanisms that ask people in several stages, {what is released: mechanism}, for the audit to measure.

    It is of differences within each person, of faces and of landmarks, whatever their rows are, and of a mean face that
    is asked as they are.
    """
    face_kinds = (kind for kind in kinds.KINDS if kind.is_difference and kind.branch == "faces")
    words = " or ".join(kind.name.removeprefix("mean_") for kind in face_kinds)
    variation = curve_attacks.learn_variation()
    shape, mu = variation.center.shape, {"mu_total": curve_attacks.MU}
    settings = CurveSettings(shape, ENOUGH, variation, variation.center, mu, {})
    ball = replace(shape_attacks.make_outline_mechanism("shaped").ball, n=ENOUGH)
    return {
        f"{words} of faces": ShapedWithSpread.from_settings(settings),
        "mean face, asked again": RecentredMean.from_settings(settings),
        f"{words} of outlines": ShapesWithSpread(ball, mu),
    }


def measure_difference(mechanism):
    """Return (claim, what it is in truth) of a mechanism of several stages, for the audit: its mu, computed exactly.

    The truth is the largest distance of two records in units of the noise, over all stages; no release is drawn, and
    each stage is answered by zeros. Records are the center and, either way along each of the first axes, one at the
    clip and, of faces, one far beyond it.
    """
    if isinstance(mechanism, ShapedWithSpread):
        mus = (
            mechanism.first,
            mechanism.early_mus[0],
            mechanism.spread_mu,
            mechanism.far_mu,
            *mechanism.early_mus[1:],
            mechanism.bound,
        )
        lengths = (mechanism.plan.tau * mechanism.plan.moments**0.25)[:, None, None, None] * mechanism.axes
        records = [
            mechanism.center,
            *(mechanism.center + factor * length for length in lengths[:AXES] for factor in (1, -1, FAR, -FAR)),
        ]
    else:
        coordinates, mus = mechanism.coordinates, (mechanism.first, mechanism.spread_mu, mechanism.mean_budget)
        lengths = (coordinates.choice.clip * coordinates.roots)[:, None] * coordinates.axes
        records = [
            coordinates.shapes.p0,
            *(coordinates.shapes.shape(factor * length) for length in lengths[:AXES] for factor in (1, -1)),
        ]
    stages, answers = [], ()
    while (stage := mechanism.stage(answers)) is not None:
        stages.append(stage)
        answers = (*answers, np.zeros(stage.width))
    pairs = list(zip(mus, stages, strict=True))
    sums = [
        np.concatenate([mu * np.ravel(stage.sums(Rows.of(length[None])).values[0]) for mu, stage in pairs])
        for length in records
    ]
    distances = (np.linalg.norm(length - other) for length, other in combinations(sums, 2))
    return mechanism.cost().mu, float(max(distances)) / SENSITIVITY
