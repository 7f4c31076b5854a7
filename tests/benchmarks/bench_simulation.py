"""Time of the simulations, and of exact draws of the gradient mechanism beside the papers' Markov chains.

paper_scale, quick : `snakemake simulation` from nothing, in a folder of its own, on 2 cores.
claims : statements of the papers that the table counts, and rows whose verdict does not follow by its one rule
sphere, spd : ratio_to_mcmc = replicates a second, each with a data set and mean of its own: exact draws against chains
of the printed length (20,000 + 600 steps on S², 5,000 + 5,000 on P(2)), as many at once; n = 100. The chain's time is
that of `Size.steps` steps, scaled up. ratio_to_thinned_chain : many draws from one data set, a thinned chain runs on.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import tabulate_claims
from benchmarks.timing import best
from library.reproduction.test_claims import violations
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.samplers import kng
from shapedp.reproduction import cells, markov, spaces
from workflow import runs

POPULATIONS = ("simulated",)
SEEDS = "as the jobs of the simulation say"
CORES = 2


@dataclass(frozen=True)
class Size:
    """replicates : data sets, of n points each; steps : of each chain; scales : {case: simulation.scale}

    options : of Snakemake
    """

    replicates: int
    n: int
    steps: int
    scales: dict
    options: tuple = ()


FULL = Size(500, 100, 50, {"quick": "quick", "paper_scale": "paper"})
TINY = Size(5, 10, 2, {"quick": "quick"}, ("--dry-run",))


def run(_, size):
    """Rows (case, measure, value, unit)."""
    yield from samplers(size)
    yield from scales(size)


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
                yield "claims", "statements", len(cells.statements(rows)), f"in {len(rows)} rows, {scale}"
                yield "claims", "rule_violations", len(violations(rows)), "rows"


def samplers(size):
    """Throughput of exact draws and of chains."""
    for case, name in (("sphere", "S2"), ("spd", "P2")):
        where = spaces.published(name)
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
    step = markov.gaussian_step(where.manifold, sigma / 2)
    start = where.manifold.extrinsic_mean(data)
    return markov.run_chains(lambda x: target(x[:, None])[:, 0], step, start, 1, 0, steps, rng)
