"""Time of the simulations, and of exact draws of the gradient mechanism beside the papers' Markov chains.

paper_scale, quick : `snakemake simulation` from nothing, in a folder of its own, on 2 cores.
claims : statements of the papers that the table counts, and rows whose verdict does not follow by its one rule
sphere, spd : ratio_to_mcmc = replicates a second, each with a data set and mean of its own: exact draws against chains
of the printed length (20,000 + 600 steps on S², 5,000 + 5,000 on P(2)), as many at once; n = 100. The chain's time is
that of `Size.steps` steps, scaled up. ratio_to_thinned_chain : many draws from one data set, a thinned chain runs on.
regression : found_over_claimed = the largest change of a gradient that a search finds over the bound; error ratios =
mean error of a model's effects over that of private geodesic regression by the gradient mechanism, at the mu that
epsilon = 1 implies and the tau of TAUS that is best for the latter; without a space and n, the largest of all.
rule_violations : of the claims about regression and about the mechanisms of others.
"""

import time
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import simulate_cells
import tabulate_claims
from benchmarks.timing import best
from library.reproduction.test_claims import violations
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.samplers import kng
from shapedp.reproduction import (
    cells,
    claims_peers,
    claims_regression,
    experiments,
    markov,
    regression,
    regression_experiments,
    spaces,
)
from workflow import runs

POPULATIONS = ("simulated",)
SEEDS = "as the jobs of the simulation say"
CORES = 2
TARGETS = {
    "regression rule_violations": "<= 0",
    "regression footpoint_error_ratio": "<= 1",
    "regression shooting_error_ratio": "<= 1",
    "regression found_over_claimed": "<= 1",
}
TAUS = (0.1, 0.2, 0.4)  # bounds on a residual, of which the one that is best in hindsight counts
AMPLE = {"S2": 4}  # times as many data sets, where they cost little
REPEATED = 5  # releases of a model from each data set: its errors cost little


@dataclass(frozen=True)
class Size:
    """replicates : data sets, of n points each; steps : of each chain; scales : {case: simulation.scale}

    options : of Snakemake; regressed : {people: data sets} of geodesic regression; claimed : most replicates behind the
    claims about it, 0: no claims
    """

    replicates: int
    n: int
    steps: int
    scales: dict
    regressed: dict
    claimed: int
    options: tuple = ()


FULL = Size(500, 100, 50, {"quick": "quick", "paper_scale": "paper"}, {20: 40, 100: 12, 400: 12}, 300)
TINY = Size(5, 10, 2, {"quick": "quick"}, {}, 0, ("--dry-run",))


def run(_, size):
    """Rows (case, measure, value, unit)."""
    for part in PARTS.values():
        yield from part(size)


def scales(size):
    """Wall time of the whole target."""
    for case, scale in size.scales.items():
        with TemporaryDirectory() as folder:
            settings = runs.tiny({"simulation.scale": scale})
            start = time.perf_counter()
            runs.snakemake(folder, "simulation", *size.options, settings=settings, cores=CORES)
            yield case, "wall_s", time.perf_counter() - start, "s"
            if found := sorted(Path(folder).glob("results/simulation/*/*.h5")):
                results = cells.Results(found)
                rows = [row for paper in tabulate_claims.PAPERS for row in paper.rows(results)]
                yield "claims", "statements", len(cells.collect_verdicts(rows)), f"in {len(rows)} rows, {scale}"
                yield "claims", "rule_violations", len(violations(rows)), "rows"


def samplers(size):
    """Throughput of exact draws and of chains."""
    for case, name in (("sphere", "S2"), ("spd", "P2")):
        where = spaces.published_space(name)
        rng = np.random.default_rng(0)
        data = where.sample(rng, (size.replicates, size.n))
        sigma = sensitivity.published_scale(where.manifold, sensitivity.KNG, where.r, size.n, 1.0).sigma
        exact = best(lambda w=where, d=data, s=sigma, g=rng: replicates(w, d, s, g))
        step = best(lambda w=where, d=data, s=sigma, g=rng: chains(w, d, s, g, size.steps)) / size.steps
        burn, thin = markov.PUBLISHED_LENGTH[name]
        yield case, "exact_per_s", size.replicates / exact, "1/s"
        yield case, "mcmc_per_s", size.replicates / ((burn + thin) * step), "1/s"
        yield case, "ratio_to_mcmc", (burn + thin) * step / exact, "x"
        many = best(lambda w=where, d=data, s=sigma, g=rng: draws(w, d[0], s, g, size.replicates)) / size.replicates
        yield case, "ratio_to_thinned_chain", thin * step / size.replicates / many, "x"


def replicates(where, data, sigma, rng):
    """One exact draw for each data set, its mean included."""
    means = frechet.mean(where.manifold, data).point
    return kng.sample(where.manifold, data, where.p0, where.r, sigma, rng, 1, means)


def draws(where, data, sigma, rng, count):
    """Many exact draws for one data set, its mean included."""
    return kng.sample(where.manifold, data, where.p0, where.r, sigma, rng, count)


def chains(where, data, sigma, rng, steps):
    """A few steps of one chain for each data set; a rejection repeats the state."""
    target = kng.log_density(where.manifold, data, (where.p0, where.r), sigma)
    step = markov.make_gaussian_step(where.manifold, sigma / 2)
    start = where.manifold.extrinsic_mean(data)
    return markov.run_chains(lambda x: target(x[:, None])[:, 0], step, start, 1, 0, steps, rng)


def regressions(size):
    """Private geodesic regression: what is claimed, and errors beside a model's."""
    found = [
        regression_experiments.parameter_change(space, 0.1, 1, np.random.default_rng(0))
        for space in regression_experiments.SPACES
    ]
    yield "regression", "found_over_claimed", max(float(one[0]) for part in found for one in part.values()), "1"
    if size.claimed:
        yield "regression", "rule_violations", len(violations(claims_of_regression(size.claimed))), "rows, quick"
    largest = {}
    for space, (n, count) in product(regression_experiments.SPACES, size.regressed.items()):
        count *= AMPLE.get(space, 1)
        for name, ratio in error_ratios(space, n, count):
            seeds = f"1, {count} data sets; releases of each: 1, of a model {REPEATED}"
            yield "regression", f"{name}_error_ratio_{space}_n{n}", ratio, "1", seeds
            largest[name] = max(largest.get(name, 0.0), ratio)
    for name, ratio in largest.items():
        yield "regression", f"{name}_error_ratio", ratio, "1", "1, the largest of the above"


def error_ratios(space, n, count):
    """(name, mean error of a model's effects over that of KNG) of footpoint and shooting vector."""
    where, rng, x = (
        regression_experiments.make_population(space),
        np.random.default_rng(1),
        regression_experiments.space_covariates(n),
    )
    y = where.people(np.broadcast_to(x, (count, n)), rng)
    estimate = regression.fit(where.manifold, x, y, where.p0)
    domain = regression.Domain(where.manifold, where.p0, regression_experiments.RADIUS, regression_experiments.LONGEST)
    private = []
    for tau in TAUS:
        if n <= regression_experiments.EXACT[space]:
            drawn = regression_experiments.draw_private(domain, x, y, tau, rng)
        else:
            drawn = regression_experiments.run_private_chain(domain, x, y, *estimate, tau, rng)
        private.append(np.mean(where.errors(*drawn), axis=1))
    model = np.mean(
        where.errors(*regression_experiments.release_effects(space, x, np.repeat(y, REPEATED, axis=0), rng)), axis=1
    )
    return zip(("footpoint", "shooting"), model / np.min(private, axis=0), strict=True)


def claims_of_regression(most):
    """The rows of claims about regression and mechanisms of others, simulated at the scale `quick`."""
    with TemporaryDirectory() as folder:
        for branch in ("regression", "peers"):
            few = [replace(one, replicates=min(one.replicates, most)) for one in experiments.cells(branch, "quick")]
            cells.write(Path(folder) / f"{branch}.h5", few, simulate_cells.find_experiments(branch), 20211206)
        results = cells.Results(Path(folder).glob("*.h5"))
    return [*claims_regression.rows(results), *claims_peers.rows(results)]


PARTS = {"samplers": samplers, "scales": scales, "regression": regressions}
