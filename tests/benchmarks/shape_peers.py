"""The default of mean shapes beside what others would release, over sets of landmarks: who errs less.

At mu = 1 `shaped` beside the tangent Gaussian, the Riemannian Gaussian (outlines alone: the quadrature is of CP^m) and
a private Riemannian gradient descent that is tuned on the public people; at epsilon = 1 `knorm` beside Laplace and KNG.
Each peer has the public center, the ball that public people tell, and the better of all landmarks and the contour's
modes. The descent clips each person's deviation from where it is, and its steps, their number, length and clip are
those that err least of cohorts drawn from the public people again. Errors are distances to the cohort's own mean, in
the root mean square over draws.
"""

from contextlib import suppress

import numpy as np

from benchmarks import mean_shapes
from shapedp.base.errors import RefusedRelease
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds import frechet, landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.shapes.base import Ball, as_complex, as_real
from shapedp.releases import shape_mechanisms
from shapedp.reproduction import peers

MU = EPSILON = 1.0
MODES = 16
FARTHER = 1.1  # the ball's radius, times how far the farthest public person lies from the center
BY_BUDGET = {"mu_total": ("shaped", ("gaussian",)), "epsilon": ("knorm", ("laplace", "kng"))}
STEPS, RATES, CLIPS = (1, 2, 4, 8), (0.5, 1.0), (0.5, 0.8, 0.95)  # of the descent; clips are public quantiles


def rows(draws):
    """Rows of each set, and of all."""
    shares = []
    for name, cohort in sets():
        errors, wins = dict(_errors(cohort, draws)), {}
        for mechanism, error in errors.items():
            yield f"peers_{name}", f"error_{mechanism}", error, "rad"
            if mechanism not in ("shaped", "knorm"):
                default = "knorm" if mechanism in ("laplace", "kng") else "shaped"
                wins[mechanism] = error / errors[default]
        yield f"peers_{name}", "least_over_default", min(wins.values()), "x"
        shares += list(wins.values())
    yield "peers", "comparisons", len(shares), "count"
    yield "peers", "beaten_share", float(np.mean(np.array(shares) > 1)), ""
    yield "peers", "times_better", float(np.exp(np.mean(np.log(shares)))), "x"


def sets():
    """(name, mean_shapes.Cohort) of each set, the first split of those with several."""
    for name, splits in mean_shapes.cohorts():
        if splits[0].public is not None:
            yield name, splits[0]
    if (mean_shapes.SHARED / "shapes").exists():
        wings = mean_shapes._array("shapes/cactophilic_wings", "X")
        yield "cactophilic", mean_shapes.split(wings, np.arange(len(wings)), outline=False)


def _errors(cohort, draws):
    """(mechanism, error) of the default and of each peer that the set allows."""
    p0 = landmark_shapes.find_frechet_mean(cohort.public)
    kept = (lambda shape: shape) if p0.shape[1] == 3 else as_complex
    about, n = LandmarkShapes(p0), len(cohort.records)
    records = landmark_shapes.align(p0, landmark_shapes.unit(cohort.records)[0])
    mean = landmark_shapes.find_frechet_mean(records)
    r = FARTHER * float(np.linalg.norm(about.deviations(cohort.public), axis=1).max())
    for budget, (default, others) in BY_BUDGET.items():
        for name in (default, *others):
            public = kept(cohort.public) if name == default else None
            tried = [MODES] if name == default else [0, *([MODES] if cohort.outline else [])]
            errors = []
            for modes in tried:
                modes = modes if cohort.outline else 0
                ball = Ball(n, kept(p0), r, modes, public=public)
                # a peer whose conditions the ball does not meet releases nothing
                with suppress(RefusedRelease):
                    made = shape_mechanisms.make(name, ball, {budget: 1.0}, worth_it_anyway=True)
                    errors.append(_error_of(made, records, mean, draws))
            if errors:
                yield name, min(errors)
    yield "descent", _descent_error(about, cohort.public, records, mean, draws)
    if cohort.outline:
        yield "riemannian_gaussian", _riemannian_gaussian_error(Ball(n, kept(p0), r, MODES), kept(records), mean, draws)


def _error_of(made, records, mean, draws):
    """Distance of a mechanism's releases to the mean."""
    rows = as_complex(records) if made.ball.planar else records
    drawn = np.array([as_real(made.draw(rows, SeededNoise(seed))) for seed in range(draws)])
    return _root_mean_square(landmark_shapes.dist(mean, drawn))


def _root_mean_square(distances):
    return float(np.sqrt(np.mean(np.square(distances))))


def _riemannian_gaussian_error(ball, z, mean, draws):
    """The same of the Riemannian Gaussian at the mean of records kept in the ball, by the scale that quadrature has."""
    space, rng = ball.space, np.random.default_rng(0)
    points = ball.points(z)
    sigma = peers.find_sigma(space, peers.GAUSSIAN, sensitivity.mean_sensitivity(space, ball.r, ball.n), MU)
    drawn = ball.from_points(peers.draw_gaussian(space, frechet.mean(space, points).point, sigma, rng, draws))
    return _root_mean_square(landmark_shapes.dist(mean, as_real(drawn)))


def _descent_error(about, public, records, mean, draws):
    """The same of the descent, with the steps that err least of cohorts of public people."""
    people, n = about.deviations(public), len(records)
    lengths, rng = np.linalg.norm(people - people.mean(axis=0), axis=1), np.random.default_rng(1)
    again = people[rng.integers(0, len(people), n)]
    tried = [(steps, rate, float(np.quantile(lengths, clip))) for steps in STEPS for rate in RATES for clip in CLIPS]

    def error(deviations, target, plan, count, seed):
        """Mean square of what `count` descents of deviations err by."""
        own = np.random.default_rng(seed)
        return np.mean([np.sum((_descend(deviations, about.dim, plan, own) - target) ** 2) for _ in range(count)])

    best = min(tried, key=lambda plan: error(again, again.mean(axis=0), plan, 5, 2))
    deviations, target, own = about.deviations(records), about.deviations(mean[None])[0], np.random.default_rng(3)
    off = [np.linalg.norm(_descend(deviations, about.dim, best, own) - target) for _ in range(draws)]
    return _root_mean_square(off)


def _descend(deviations, dim, plan, rng):
    """Where the descent ends, from none; noise lies in the dim directions of shapes, as deviations do."""
    (steps, rate, clip), n = plan, len(deviations)
    at = np.zeros(deviations.shape[1])
    sd = 2 * clip / n * np.sqrt(steps) / MU
    for _ in range(steps):
        away = deviations - at
        lengths = np.linalg.norm(away, axis=1, keepdims=True)
        moved = (away * np.minimum(1.0, clip / np.maximum(lengths, 1e-300))).mean(axis=0)
        # as long as noise in so many dimensions, whatever the coordinates that deviations are written in
        noise = rng.standard_normal(len(at)) * sd * np.sqrt(dim / len(at))
        at = at + rate * (moved + noise)
    return at
