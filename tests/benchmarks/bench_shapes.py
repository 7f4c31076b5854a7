"""Speed of Fréchet means and exact samplers, and how often the samplers accept.

Data are of uniform direction and radius about p0 (`balls.uniform_radius`), r = π/8 on S², 1.5 on P(2), .15 on
Kendall's space, epsilon = 1. Times are the best of several runs, on one thread where OMP_NUM_THREADS says so.
`acceptance` is the share of proposals kept (with the ball), `acceptance_gradient` that of those in the ball.
On Kendall's space each acceptance is over a fifth of `Size.draws`.
"""

import time
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.random import default_rng

from benchmarks import landmark_files, mean_shapes, model_effects, no_public_set, spd_numerics
from benchmarks.timing import best, by_turns
from library.privacy.manifolds.geomstats_spaces import geomstats_space
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.samplers import kng
from shapedp.reproduction import markov

PYRIEMANN_TOLERANCE = 1e-9
KENDALL_RADII = (0.03, 0.07, 0.11, 0.15)
POPULATIONS = ("simulated",)
SEEDS = "0 to 9 of points and draws"


@dataclass(frozen=True)
class Size:
    """releases : of mean shapes; pairs : of hard matrices.

    matrices : of the SPD means; sets, points : of geomstats' means; draws : of exact samplers; steps : a chain.
    """

    releases: int
    pairs: int
    matrices: int
    sets: int
    points: int
    draws: int
    steps: int


FULL = Size(200, 10, 500, 200, 100, 10_000, 300)
TINY = Size(2, 1, 20, 2, 10, 20, 4)


def run(_, size):
    """Rows (case, measure, value, unit)."""
    yield from landmark_files.run()
    yield from mean_shapes.run(size.releases)
    yield from no_public_set.run(size.releases)
    yield from model_effects.of_few_shapes(size.releases)
    yield from spd_numerics.run(size.pairs)
    yield from kendall_mean()
    yield from spd_means(size.matrices)
    yield from geomstats_means(size)
    yield from sphere(size.draws)
    yield from spd(size.draws // 10)
    yield from kendall(size.draws // 5)
    yield from chains(size)


def cloud(manifold, n, r, seed=0):
    """A center and n points about it."""
    rng = default_rng(seed)
    p0 = np.eye(manifold.k) if isinstance(manifold, SPD) else manifold.random_point(rng)
    return p0, frechet.uniform_radius(manifold, p0, r, rng, n)


def kendall_mean():
    """409 shapes of 50 landmarks, gradient below 1e-12."""
    manifold = Kendall(50)
    _, data = cloud(manifold, 409, 0.15)
    return [("frechet_kendall", "ms", 1e3 * best(lambda: frechet.mean(manifold, data), 7), "ms")]


def spd_means(count):
    """So many matrices, against pyriemann's mean_riemann at the same tolerance on the gradient."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyriemann.geometry.mean import mean_riemann
    for k in (2, 5, 10):
        manifold = SPD(k)
        data = manifold.exp(np.eye(k), 0.5 * manifold.gaussian_tangent(np.eye(k), default_rng(k), count))
        ours, theirs = by_turns(
            lambda m=manifold, x=data: frechet.mean(m, x, tol=PYRIEMANN_TOLERANCE),
            lambda x=data: mean_riemann(x, tol=PYRIEMANN_TOLERANCE, maxiter=200),
        )
        yield f"frechet_spd_k{k}", "ms", 1e3 * ours, "ms"
        yield f"frechet_spd_k{k}", "ratio_pyriemann", theirs / ours, "x"


def geomstats_means(size):
    """Data sets all at once, the gradient below 1e-12, against geomstats' FrechetMean at the same tolerance.

    ratio_geomstats : its default method, a fit a data set; _batch : its batch method; _single : one data set for both
    frechet_worst : the least of these ratios, and how far its means and ours are apart at most
    """
    spaces = {"sphere": Sphere(2), "spd": SPD(2), "spd_k3": SPD(3), "kendall": Kendall(50)}
    least, apart = np.inf, 0.0
    for (name, manifold), r in zip(spaces.items(), (np.pi / 8, 1.5, 1.5, 0.15), strict=True):
        p0, _ = cloud(manifold, 2, r)
        data = frechet.uniform_radius(manifold, p0, r, default_rng(3), (size.sets, size.points))
        fit, there, back = geomstats_fits(manifold, data)
        calls = (
            ("", lambda m=manifold, x=data: frechet.mean(m, x), lambda f=fit, x=there: [f(one) for one in x], 2),
            ("_batch", lambda m=manifold, x=data: frechet.mean(m, x), lambda f=fit, x=there: f(x, at_once=True), 2),
            ("_single", lambda m=manifold, x=data[0]: frechet.mean(m, x), lambda f=fit, x=there[0]: f(x), 9),
        )
        for case, own, other, repeats in calls:
            ours, theirs = by_turns(own, other, repeats)
            least = min(least, theirs / ours)
            yield f"frechet_{name}", f"ratio_geomstats{case}", theirs / ours, "x"
        found = np.array([back(fit(one)) for one in there])
        apart = max(apart, float(np.max(manifold.dist(frechet.mean(manifold, data).point, found))))
    yield "frechet_worst", "ratio_to_geomstats", least, "x"
    yield "frechet_worst", "distance_from_geomstats", apart, "1"


def geomstats_fits(manifold, data):
    """(fit of one data set, or of all at once; the data sets as geomstats has them; its points as ours)."""
    other, there, back = geomstats_space(manifold)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from geomstats.learning.frechet_mean import FrechetMean
    default, batch = FrechetMean(other), FrechetMean(other, method="batch")
    # geomstats stops at |gradient|² <= epsilon · dim, its batch method at the sum of |gradient|² <= epsilon
    default.set(epsilon=1e-24 / manifold.dim, max_iter=200)
    batch.set(epsilon=1e-24 * len(data), max_iter=200)

    def fit(points, at_once=False):
        return (batch.fit(np.swapaxes(points, 0, 1)) if at_once else default.fit(points)).estimate_

    return fit, there(data), back


def draws(manifold, n, r, size, seed=1):
    """Seconds for `size` exact draws, mean included, and the acceptance."""
    p0, data = cloud(manifold, n, r)
    start = time.perf_counter()
    _, acceptance = kng.draw(manifold, data, p0, r, 1.0, default_rng(seed), size)
    return time.perf_counter() - start, acceptance


def sphere(count):
    """Exact draws on S², n = 100."""
    seconds, acceptance = draws(Sphere(2), 100, np.pi / 8, count)
    yield "kng_sphere", "draws_per_s", count / seconds, "1/s"
    yield "kng_sphere", "acceptance", acceptance.accepted / acceptance.proposed, ""
    yield "kng_sphere", "acceptance_gradient", acceptance.accepted / acceptance.inside, ""


def spd(count):
    """P(2), n = 50 and 1,000."""
    for n in (50, 1000):
        seconds, acceptance = draws(SPD(2), n, 1.5, count)
        yield "kng_spd", f"acceptance_n{n}", acceptance.accepted / acceptance.proposed, ""
        yield "kng_spd", f"draws_per_s_n{n}", count / seconds, "1/s"
    yield "kng_spd", "acceptance", acceptance.accepted / acceptance.proposed, ""


def kendall(count):
    """k = 50, n = 409: one release at r = .15, and the acceptance as r grows."""
    seconds = np.median([draws(Kendall(50), 409, 0.15, 1, seed)[0] for seed in range(9)])
    yield "kng_kendall", "s_per_release", seconds, "s"
    for r in KENDALL_RADII:
        _, acceptance = draws(Kendall(50), 409, r, count)
        yield "kng_kendall", f"acceptance_gradient_r{r:g}", acceptance.accepted / acceptance.inside, ""
        yield "kng_kendall", f"acceptance_r{r:g}", acceptance.accepted / acceptance.proposed, ""
    yield "kng_kendall", "acceptance", acceptance.accepted / acceptance.proposed, ""


def chains(asked):
    """Exact draws a second over independent draws a second of the supplements' chains, all chains side by side.

    S²: t = .5, burn-in 20,000, thinning 600, 100 draws a chain; P(2): 5,000 and 5,000; Kendall: burn-in 7,500, one
    draw. The chains' time is measured over `Size.steps` steps and scaled.
    """
    cases = (
        ("sphere", Sphere(2), 100, np.pi / 8, lambda m, s: markov.make_sphere_step(m, s), 20_000 / 100 + 600),
        ("spd", SPD(2), 100, 1.5, lambda m, s: markov.make_spd_step(m, s, 1.0), 5_000 / 100 + 5_000),
        ("kendall", Kendall(50), 409, 0.15, lambda m, s: markov.make_kendall_step(m, 0.01), 7_500),
    )
    for name, manifold, n, r, step, steps_per_draw in cases:
        p0, data = cloud(manifold, n, r)
        records = 20
        scale = kng.sensitivity.scale(manifold, kng.sensitivity.KNG, r, n, 1.0, restricted=True)
        target = kng.log_density(manifold, data, (p0, r), scale.sigma)
        start = np.repeat(frechet.mean(manifold, data).point[None], records, axis=0)
        began = time.perf_counter()
        markov.run_chains(target, step(manifold, scale.sigma), start, 1, 0, asked.steps, default_rng(2))
        chain = (time.perf_counter() - began) / asked.steps * steps_per_draw / records
        size = min(asked.draws // 5, 20 if name == "kendall" else 2000)
        yield f"kng_{name}", "ratio_to_mcmc", chain / (draws(manifold, n, r, size)[0] / size), "x"
