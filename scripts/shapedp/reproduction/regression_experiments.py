"""Private geodesic regression, as printed and as private, beside what the effects of a model give on the same data.

As published (Kulkarni and Soto, arXiv 2504.11304; its simulation on S²): 20 records, a shooting vector of length π/4,
variance .001. First the footpoint, at the least-squares shooting vector, then the shooting vector at the footpoint
drawn; tau is the largest residual. Neither tau nor that shooting vector may come from the data: not private.

As private: tau is a setting, and both parameters are drawn together from one density, docs/mathematics.md, (17.4), with
the same two scales. So no estimate enters.

Draws are exact where proposals from the whole public domain are accepted often enough, elsewhere states of a chain. A
chain only approaches its law, and has no guarantee.

A model's effects (`ShapeModel`, and the same moments on the other spaces): least squares about a public center, from
noised sums; the geodesic is the one that starts as the curve exp(b0 + x b1) of the tangent space does.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from shapedp.audit import attack
from shapedp.privacy.accounting import cost
from shapedp.privacy.integer_sums import Moments
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.base import Manifold
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.shapes.base import Ball, as_complex, as_real
from shapedp.privacy.statistic import Rows
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.effects import fit_effects
from shapedp.releases.model.released_model import Released
from shapedp.releases.model.shapes import ShapeModel, as_landmarks
from shapedp.reproduction import regression
from shapedp.reproduction.regression import Domain

SPACES = {"S2": Sphere(2), "P2": SPD(2), "K5": Kendall(5)}
SHOOTING, VARIANCE = np.pi / 4, 0.001  # as published for S²; here on all spaces
EPSILON = 1.0  # of both parameters together, half for each
# Distance of a covariate from the middle of its public range [0, 1], at most.
FARTHEST = 0.5
# Radii of the ball of footpoints, at the middle and at 0; and the longest shooting vector.
RADIUS, WIDE_RADIUS, LONGEST = 0.5, 0.8, 1.2
# Public people, and the seed of all that is public.
PUBLIC, PUBLIC_SEED = 40, 7
# The largest n at which proposals from the whole domain are accepted often enough.
EXACT = {"S2": 20, "P2": 20, "K5": 0}
STEPS = 2000  # of a chain, which starts at the estimate
STRIDE = 1.2  # of a chain's steps, in scales of the density
# Shares of mu², as the planner of models splits it where nothing is known.
SHARES = np.array([1.0, 0.25, 0.25])
# Records of the neighbouring data sets whose loss is computed; how far one of them lies off.
PAIR, FAR = 20, 1.0


@dataclass(frozen=True)
class Population:
    """A geodesic with footpoint p at the middle of [0, 1] and shooting vector v, and people about it.

    public : (m, *point) people of the same population whose data are public; p0 is their Fréchet mean
    """

    manifold: Manifold
    p: np.ndarray
    v: np.ndarray
    public: np.ndarray
    p0: np.ndarray

    def people(self, x, rng):
        """Return points (..., *point) of invented people about the geodesic, whom private regressions are tried on.

        Their covariates are x, about the middle.
        """
        manifold = self.manifold
        ends = manifold.exp(self.p, manifold.spread(x) * self.v)
        return manifold.exp(ends, np.sqrt(VARIANCE) * manifold.gaussian_tangent(ends, rng))

    def errors(self, p, v, at=0.0):
        """Return how far fitted geodesics err: footpoints' distance to the true one, and shooting vectors' error.

        p, v : (..., *point). at : the covariate, about the middle, at which both are read
        """
        manifold = self.manifold
        true_p, true_v = regression.move_origin(manifold, self.p, self.v, at)
        return manifold.dist(true_p, p), manifold.norm(true_p, manifold.transport(p, true_p, v) - true_v)


@lru_cache
def make_population(space):
    """Return the Population that experiments on a space are made with; the same for everybody who asks."""
    manifold, rng = SPACES[space], np.random.default_rng(PUBLIC_SEED)
    p = manifold.random_point(rng)
    v = SHOOTING * manifold.random_tangent(p, rng)
    bare = Population(manifold, p, v, np.empty(0), p)
    public = bare.people(rng.uniform(-FARTHEST, FARTHEST, PUBLIC), rng)
    return Population(manifold, p, v, public, manifold.align(p, frechet.mean(manifold, public).point))


def space_covariates(n):
    """Return (n,) evenly over the public range, about its middle."""
    return np.linspace(-FARTHEST, FARTHEST, n)


def geodesic(space, n, tau, replicates, rng):
    """Measure errors of private geodesic regression, as printed and as private, beside a model's effects.

    Returned are {method parameter: (replicates,)}, of footpoint and shooting vector, one release a data set.

    printed : read at covariate 0, as published; private, private_chain, model : at the middle of the public range
    chance : the least-squares estimate's own error; outside : share of estimates outside the private domain
    """
    cohort = make_population(space)
    x, y = space_covariates(n), cohort.people(np.broadcast_to(space_covariates(n), (replicates, n)), rng)
    p, v = regression.fit(cohort.manifold, x, y, cohort.p0)
    exact = n <= EXACT[space]
    domain = Domain(cohort.manifold, cohort.p0, RADIUS, LONGEST)
    errors = {
        "printed": cohort.errors(*draw_as_printed(cohort, x, y, p, v, exact, rng), -FARTHEST),
        "chance": cohort.errors(p, v),
    }
    errors["private_chain" if exact else "private"] = cohort.errors(*run_private_chain(domain, x, y, p, v, tau, rng))
    if exact:
        errors["private"] = cohort.errors(*draw_private(domain, x, y, tau, rng))
    errors["model"] = cohort.errors(*release_effects(space, x, y, rng))
    flat_errors = {
        f"{method} {name}": values
        for method, pair in errors.items()
        for name, values in zip(("footpoint", "shooting"), pair, strict=True)
    }
    return flat_errors | {"outside": (~domain.holds(p, v)).astype(float), "tau": np.full(replicates, tau)}


def compute_scales(manifold, tau, n, farthest, longest):
    """Return sigma of either parameter, 2 Δ/(epsilon/2), (17.4); tau may be an array, one a data set."""
    unit = regression.bound_sensitivity(manifold, 1.0, n, farthest, longest)
    return 4 * tau * unit.p / EPSILON, 4 * tau * unit.v / EPSILON


def make_private_density(domain, x, y, tau):
    """Return the log density of the private law (17.4), by which it is drawn, exactly or by chains.

    It is p, v (rows, b, *point) -> (rows, b), of the data sets `rows`.
    """
    manifold = domain.manifold
    sigma_p, sigma_v = compute_scales(manifold, tau, len(x), FARTHEST, domain.longest)

    def evaluate(rows, p, v):
        gradient_p, gradient_v = regression.compute_gradients(manifold, p, v, x, y[rows][:, None], tau)
        return -manifold.norm(p, gradient_p) / sigma_p - manifold.norm(p, gradient_v) / sigma_v

    return evaluate


def draw_private(domain, x, y, tau, rng):
    """Return exact draws of private geodesic regression, one for each data set, to measure its errors by.

    They are footpoints and shooting vectors by the law of docs/mathematics.md, (17.4). y : (R, n, *point)
    """
    density, manifold = make_private_density(domain, x, y, tau), domain.manifold

    def propose(rows, each):
        p = domain.footpoints(rng, (len(rows), each))
        return np.stack([p, domain.vectors(p, rng, ())], axis=2)

    def log_density(rows, pairs):
        return density(rows, pairs[:, :, 0], pairs[:, :, 1])

    pairs_drawn = regression.draw_by_rejection(log_density, propose, len(y), y.shape[1] * manifold.dim, rng)
    return pairs_drawn[:, 0], pairs_drawn[:, 1]


def run_private_chain(domain, x, y, p, v, tau, rng):
    """Return private footpoints and shooting vectors by chains, for where drawing exactly would take too long.

    A chain only approaches the law of `draw_private`; it starts at the estimate p, v or the domain's nearest pair.
    """
    density, manifold = make_private_density(domain, x, y, tau), domain.manifold
    all_rows = np.arange(len(y))
    sigma_p, sigma_v = compute_scales(manifold, tau, len(x), FARTHEST, domain.longest)
    inside, _ = manifold.to_ball(p, domain.p0, domain.r * (1 - 1e-9))
    v = manifold.transport(p, inside, v)
    v = v * manifold.spread(np.minimum(1, domain.longest * (1 - 1e-9) / manifold.norm(inside, v)))

    def log_density(p, v):
        return density(all_rows, p[:, None], v[:, None])[:, 0]

    root = np.sqrt(manifold.dim)
    lengths = STRIDE * sigma_p / root, STRIDE * sigma_v / np.mean(x**2) / root
    last_p, last_v, _ = regression.run_chain(domain, log_density, inside, v, lengths, STEPS, rng)
    return last_p, last_v


def draw_as_printed(cohort, x, y, p, v, exact, rng):
    """Return footpoint and shooting vector as the paper's algorithm draws them, at covariate 0; not private.

    tau is the largest residual of the data; first comes the footpoint at the estimate's shooting vector, then the
    shooting vector at that footpoint. p, v : the least-squares estimate, at the middle; exact : by rejection, else by
    chains
    """
    manifold, n = cohort.manifold, len(x)
    domain = Domain(manifold, cohort.p0, WIDE_RADIUS, LONGEST)
    tau = find_largest_residual(manifold, p, v, x, y)
    sigma_p, sigma_v = (sigma[:, None] for sigma in compute_scales(manifold, tau, n, 1.0, LONGEST))
    x = x + FARTHEST
    p, v = regression.move_origin(manifold, p, v, -FARTHEST)

    def log_footpoint_density(rows, points):
        carried = manifold.transport(p[rows][:, None], points, v[rows][:, None])
        gradient_p, _ = regression.compute_gradients(manifold, points, carried, x, y[rows][:, None])
        return -manifold.norm(points, gradient_p) / sigma_p[rows]

    def log_vector_density(rows, points, vectors):
        _, gradient_v = regression.compute_gradients(manifold, points, vectors, x, y[rows][:, None])
        return -manifold.norm(points, gradient_v) / sigma_v[rows]

    if exact:
        size = n * manifold.dim
        footpoints = regression.draw_by_rejection(
            log_footpoint_density, lambda rows, each: domain.footpoints(rng, (len(rows), each)), len(y), size, rng
        )

        def propose(rows, each):
            return domain.vectors(np.repeat(footpoints[rows][:, None], each, axis=1), rng, ())

        return footpoints, regression.draw_by_rejection(
            lambda rows, vectors: log_vector_density(rows, footpoints[rows][:, None], vectors),
            propose,
            len(y),
            size,
            rng,
        )
    all_rows, root = np.arange(len(y)), np.sqrt(manifold.dim)
    lengths = STRIDE * manifold.spread(sigma_p[:, 0]) / root, STRIDE * manifold.spread(sigma_v[:, 0]) * 3 / root
    log_target = lambda p, v: log_footpoint_density(all_rows, p[:, None])[:, 0]  # noqa: E731
    footpoints, carried, _ = regression.run_chain(domain, log_target, p, v, lengths, STEPS, rng, fixed=(False, True))
    log_target = lambda p, v: log_vector_density(all_rows, p[:, None], v[:, None])[:, 0]  # noqa: E731
    footpoints, vectors, _ = regression.run_chain(
        domain, log_target, footpoints, carried, lengths, STEPS, rng, fixed=(True, False)
    )
    return footpoints, vectors


def find_largest_residual(manifold, p, v, x, y):
    """Return (R,) the largest distance of a record from the fitted geodesic: the paper's tau, which data decide."""
    axis = -manifold.point_ndim - 1
    ends = manifold.exp(np.expand_dims(p, axis), manifold.spread(x) * np.expand_dims(v, axis))
    return manifold.dist(ends, y).max(axis=-1)


def release_effects(space, x, y, rng):
    """Return the geodesic that a released model's effects give, to compare private regression with, at a like budget.

    They are footpoint and shooting vector at the middle, at the mu that epsilon-DP implies.
    """
    cohort, mu = make_population(space), cost.gaussian_of_pure(EPSILON)
    effects = fit_shape_model if isinstance(cohort.manifold, Kendall) else fit_moments
    b0, b1 = effects(cohort, x / FARTHEST, y, mu, rng)
    # from the middle to either end
    return start_geodesic(cohort.manifold, cohort.p0, b0, b1 / FARTHEST)


def start_geodesic(manifold, p0, b0, b1):
    """Return a model's curve of means as a geodesic, to compare the model with the paper's private regression.

    That is footpoint and shooting vector of the geodesic nearest to exp_p0(b0 + x b1) at its start.
    """
    p = manifold.exp(p0, b0)
    _, v = regression.transport_fields(manifold, p0, b0, b1)
    return p, manifold.transport(p0, p, v)


def fit_moments(cohort, coded, y, mu, rng):
    """Return b0 and b1 (R, *point), intercept and effect from noised sums as a released model's, to compare with.

    For spaces that releases have no model of. Both are tangent at p0; the sums are of coordinates about p0 in the axes
    of public people:

    u = l^(-1/4) <v, log_p0 y> with public second moments l, as (7.7) has it; the bound is the longest public |u|
    """
    manifold = cohort.manifold
    basis = manifold.tangent_basis(cohort.p0)

    def coordinates(points):
        log = manifold.log(cohort.p0, points)
        return np.stack([manifold.inner(cohort.p0, direction, log) for direction in basis], axis=-1)

    public_coordinates = coordinates(cohort.public)
    second, axes = np.linalg.eigh(public_coordinates.T @ public_coordinates / len(public_coordinates))
    gain = second**-0.25
    tau = float(np.linalg.norm(public_coordinates @ axes * gain, axis=1).max())
    mechanism = Moments(len(coded), manifold.dim, manifold.dim, tau, np.ones(1), mu, SHARES)
    variances = np.var(public_coordinates @ axes, axis=0) * gain**2
    effects = []
    for points in y:
        sums = mechanism.sums(coordinates(points) @ axes * gain, coded[:, None])
        m1, m2, m3 = mechanism.draw(sums, SeededNoise(int(rng.integers(2**63))))
        fitted = fit_effects(m1, m2, m3, mechanism.noise, mechanism.n, variances)
        effects.append((fitted.coefficients / gain) @ axes.T)
    return np.moveaxis(np.tensordot(np.array(effects), basis, axes=1), 1, 0)


def fit_shape_model(cohort, coded, y, mu, rng):
    """Return b0 and b1 (R, *point), intercept and effect by the model that releases of shapes make, to compare with.

    They are tangent at p0, as of `fit_moments`, which other spaces take; one draw a data set.
    """
    ball = Ball(len(coded), cohort.p0, RADIUS, 0, as_real(cohort.public))
    mechanism, effects = ShapeModel.from_ball(ball, mu, (Covariate("x", -1.0, 1.0),)), []
    for points in y:
        records = as_real(points)
        people = Rows(len(coded), lambda start, stop, records=records: records[start:stop], coded[:, None])
        fitted, modes = mechanism.draw(mechanism.sums(people).values, SeededNoise(int(rng.integers(2**63))))
        released = Released.from_fields(
            {**mechanism.fields(fitted, modes), "radii": None, "scale": 1.0}, mechanism.covariates
        )
        mean, effect = (as_landmarks(released.at(np.array(terms))) for terms in ([1.0, 0.0], [0.0, 1.0]))
        effects.append([as_complex(shape) for shape in (mean - as_real(cohort.p0), effect)])
    return np.moveaxis(cohort.manifold.to_tangent(cohort.p0, np.array(effects)), 1, 0)


def parameter_change(space, tau, replicates, rng):
    """Measure whether a record can move a gradient farther than the paper on regression claims, over its bound.

    It is the largest ratio that a search finds.
    """
    cohort = make_population(space)
    manifold, reach = cohort.manifold, choose_search_radius(cohort.manifold)
    claimed = regression.bound_sensitivity(manifold, tau, 1, FARTHEST, LONGEST)
    ratios = {}
    for part, (name, bound) in enumerate((("footpoint", claimed.p), ("shooting", claimed.v))):

        def change(points, part=part, bound=bound):
            """Return how far exchanging one record moves a gradient, over the bound: what the search climbs on."""
            p, q, *records = np.moveaxis(points, 1, 0)
            v = manifold.log(p, q)
            v = v * manifold.spread(np.minimum(1, LONGEST / np.maximum(manifold.norm(p, v), 1e-300)))
            x = [FARTHEST * (2 * manifold.dist(cohort.p0, point) / reach - 1) for point in records[2:]]
            first, second = (
                regression.compute_gradients(manifold, p, v, covariate[:, None], y[:, None], tau)[part]
                for covariate, y in zip(x, records[:2], strict=True)
            )
            return manifold.norm(p, np.subtract(first, second)) / bound

        best = attack.climb(manifold, cohort.p0, reach, change, 6, rng, 60, 300)
        ratios[name] = np.full(replicates, best)
    return ratios


def choose_search_radius(manifold):
    """Return the radius of the ball that `parameter_change` searches, in which no two points are cut off."""
    return min(1.0, 0.49 * manifold.injectivity_radius)


def parameter_loss(tau, replicates, rng):
    """Measure the privacy loss of geodesic regression's footpoint, as printed and as private: largest log ratio on S².

    It is of the densities of two neighbouring data sets, by quadrature.

    printed : tau and shooting vector from either data set; private : of (17.4), at the true shooting vector held fixed
    for both, which is half of what the two parameters spend together
    """
    cohort = make_population("S2")
    manifold, x = cohort.manifold, space_covariates(PAIR)
    first = cohort.people(x, rng)
    second = first.copy()
    ahead = manifold.unit(cohort.p, cohort.v)
    aside = np.cross(cohort.p, ahead)
    second[PAIR // 2] = manifold.exp(cohort.p, FAR * aside)
    losses = {}
    first_density, second_density = (_make_printed_density(cohort, x, data) for data in (first, second))
    losses["printed"] = attack.integrate_privacy_loss(first_density, second_density, cohort.p0, WIDE_RADIUS)
    sigma, _ = compute_scales(manifold, tau, PAIR, FARTHEST, LONGEST)

    def make_log_density(data):
        """Return the private footpoint's log density by (17.4) for one data set, to measure its privacy loss by."""

        def evaluate(p):
            v = manifold.transport(cohort.p, p, cohort.v)
            gradient_p, _ = regression.compute_gradients(manifold, p, v, x, data, tau)
            return -manifold.norm(p, gradient_p) / sigma

        return evaluate

    losses["private"] = attack.integrate_privacy_loss(
        make_log_density(first), make_log_density(second), cohort.p0, RADIUS
    )
    return {name: np.full(replicates, value) for name, value in losses.items()}


def _make_printed_density(cohort, x, data):
    """Return the log density of the footpoint as the paper prints it, to measure that it is not private.

    Its scale and shooting vector follow from the data set itself.
    """
    manifold = cohort.manifold
    p, v = regression.fit(manifold, x, data[None], cohort.p0)
    sigma, _ = compute_scales(manifold, find_largest_residual(manifold, p, v, x, data[None]), len(x), 1.0, LONGEST)
    p, v = regression.move_origin(manifold, p[0], v[0], -FARTHEST)

    def evaluate(points):
        """Return the log density, as the paper prints it, of the footpoint released at points."""
        gradient_p, _ = regression.compute_gradients(
            manifold, points, manifold.transport(p, points, v), x + FARTHEST, data
        )
        return -manifold.norm(points, gradient_p) / sigma[0]

    return evaluate
