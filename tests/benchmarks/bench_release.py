"""Noise, bias, error and speed of the private mean face, on faces in perfect correspondence.

Variances are per point (x + y + z), in 1e-4 of unit-area faces, n = 1,000, J = 23, m = 80, phi = .01/.01/.005, rho = 1,
budget .2/.2/.55 a curve, which is mu_T = 2.9661, tau the largest norm in the cohort (the paper's, not private);
`_split` the same mu_T with the best public split. Cases ending in `_public` take their bounds as a release does: from
40 other faces, quantile .95 times 1.2. `ratio_rkhs_paper_to_best` compares with the paper's release, which has no
reference, in both cases. `error_e4_*` is noise + sampling + bias against the population's true mean, averaged over the
disjoint cohorts in 3,000 faces; `error_e4` is that of the default release.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks import corresponding_faces, populations
from benchmarks.timing import best
from shapedp.app.forecast import comparison
from shapedp.base import artifacts
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.curves import bounds
from shapedp.privacy.statistic import chunks
from shapedp.releases import curve_mechanisms
from shapedp.surfaces.chain import cohort

POPULATIONS = ("ict", "demo")
SEEDS = "1, 2, 3 of cohort, public people, truth; 1 of noise"
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
PAPER = {"mu": [0.2, 0.2, 0.55]}
TOTAL = {"mu_total": 2.9661}
ASKED = {
    "rkhs_paper": ("rkhs_paper", PAPER),
    "rkhs": ("rkhs", PAPER),
    "matched": ("matched", PAPER),
    "matched_split": ("matched", TOTAL),
    "matched_joint": ("matched_joint", TOTAL),
    "pointwise": ("pointwise", TOTAL),
}
PUBLIC_COUNT, QUANTILE, MARGIN = 40, 0.95, 1.2
COHORT_SEED, PUBLIC_SEED, TRUTH_SEED = 1, 2, 3


@dataclass(frozen=True)
class Size:
    """n : faces of the tables; people : cohort sizes of the errors against the true mean, by `pairs` of faces

    draws : releases of the paper's table; files : faces in each file of the speed
    """

    n: int
    people: tuple
    pairs: int
    draws: int
    files: tuple


THOUSAND = 1000
FULL = Size(THOUSAND, (100, 300, 1000, 3000), 2000, 100, (THOUSAND, 10_000))
TINY = Size(60, (60,), 2, 2, (60,))


def run(population, size):
    """Rows (case, measure, value, unit)."""
    model = corresponding_faces.of(populations.FACES[population]())
    cohort, template = model.draw(max(size.n, *size.people), COHORT_SEED), model.template()
    public = model.draw(PUBLIC_COUNT, PUBLIC_SEED)
    yield "population", "sqrt_area", model.scale(), "mm"
    yield from variances(cohort[: size.n], public, template)
    yield from table(cohort[: size.n], template, size.draws)
    yield from population_errors(model, cohort, public, template, size)
    yield from speed(cohort[: size.n], template, size.files)


def reading(people):
    """read_rows for people in memory."""
    return lambda start, stop: people[start:stop]


def bounded(people, reference, quantile=1.0, margin=1.0, public=False):
    """Bounds from a population."""
    return bounds.from_population(reading(people), len(people), reference, quantile, margin, "bench", public)


def in_e4(curves):
    """Mean over points of the squared length, in 1e-4."""
    return 1e4 * float(np.mean(np.sum(curves**2, axis=1)))


def variances(cohort, public, template):
    """Noise and bias with and without a reference."""
    mean, n = cohort.mean(axis=0), len(cohort)
    filters = bounds.filters(mean.shape[-1], **KERNEL)
    paper = None
    for case, reference in (("reference_none", None), ("reference_template", template)):
        center = np.zeros_like(template) if reference is None else reference
        found = {}
        for suffix, limit in (
            ("", bounded(cohort, center)),
            ("_public", bounded(public, center, QUANTILE, MARGIN, True)),
        ):
            for label, (name, budget) in ASKED.items():
                made = curve_mechanisms.make(name, template.shape, n, limit, reference, budget, KERNEL)
                found[label + suffix] = 1e4 * float(made.variances().sum(axis=1).mean())
                yield case + suffix, f"variance_{label}", found[label + suffix], "1e-4"
        best = min(found[label] for label in ASKED if label != "pointwise")
        paper = paper or found["rkhs_paper"]
        yield case, "ratio_rkhs_paper_to_matched", found["rkhs_paper"] / found["matched"], "x"
        yield case, "ratio_rkhs_paper_to_best", paper / best, "x"
        yield case, "bias", in_e4(center + bounds.smooth(mean - center, filters) - mean), "1e-4"
    yield "reference_template", "sampling_error", 1e4 * float(cohort.var(axis=0).sum(axis=1).mean()) / n, "1e-4"


def table(cohort, template, draws):
    """The paper's Table 1: mean and standard error over seeded draws; no reference and tau from the data, as there."""
    limit = bounded(cohort, np.zeros_like(template))
    mean, n = cohort.mean(axis=0), len(cohort)
    rkhs_mean = bounds.smooth(mean, bounds.filters(mean.shape[-1], **KERNEL))
    asked = [*((name, {"mu_total": mu}) for name in curve_mechanisms.POINTWISE for mu in (2.0, 3.0))]
    asked += [("rkhs_paper", PAPER), ("rkhs", PAPER), ("matched", PAPER), ("matched_joint", TOTAL)]
    for name, budget in asked:
        made = curve_mechanisms.make(name, mean.shape, n, limit, None, budget, KERNEL)
        sums = integer_sums.sum_people(made, reading(cohort), n)
        found = comparison.draw_errors(made, sums, mean, rkhs_mean, noise.SeededNoise(1), draws)
        label = f"{name}_mu{made.claimed:.4g}"
        told = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
        for measure, value, error in zip(("mean", "rkhs_mean"), *told, strict=True):
            yield "table_1", f"error_to_{measure}_{label}", 1e4 * value, "1e-4"
            yield "table_1", f"error_to_{measure}_{label}_se", 1e4 * error, "1e-4"


def population_errors(model, cohort, public, template, size):
    """Errors against the true mean: what clipping, smoothing and sampling leave, plus the noise's exact variance."""
    truth = model.true_mean(size.pairs, TRUTH_SEED)
    for n in size.people:
        case, groups = f"population_error_n{n}", [cohort[at : at + n] for at in range(0, len(cohort) - n + 1, n)]
        means = [people.mean(axis=0) for people in groups]
        yield case, "sampling_e4", np.mean([in_e4(mean - truth) for mean in means]), "1e-4"
        for suffix, reference in (("", template), ("_reference_none", None)):
            center = np.zeros_like(template) if reference is None else reference
            limit = bounded(public, center, QUANTILE, MARGIN, True)
            for label, (name, budget) in ASKED.items():
                made = curve_mechanisms.make(name, template.shape, n, limit, reference, budget, KERNEL)
                kept = [
                    made.decode(made.exact_mean(integer_sums.sum_people(made, reading(people), n))) for people in groups
                ]
                added = 1e4 * float(made.variances().sum(axis=1).mean())
                bias = np.mean([in_e4(one - mean) for one, mean in zip(kept, means, strict=True)])
                error = added + np.mean([in_e4(one - truth) for one in kept])
                yield case, f"error_e4_{label}{suffix}", error, "1e-4"
                yield case, f"noise_e4_{label}{suffix}", added, "1e-4"
                yield case, f"bias_e4_{label}{suffix}", bias, "1e-4"
                if (label, suffix) == ("matched_joint", ""):
                    yield case, "error_e4", error, "1e-4"


def speed(cohort, template, files):
    """Mean and all releases from a file, in a process of their own, for files of so many faces."""
    with TemporaryDirectory() as folder:
        for count in files:
            path = Path(folder) / "curves.h5"
            write_stack(path, cohort, count, template)
            done = subprocess.run(
                [sys.executable, __file__, str(path)],
                env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
                capture_output=True,
                text=True,
                check=True,
            )
            for measure, (value, unit) in json.loads(done.stdout).items():
                yield "thousand_faces" if count == THOUSAND else f"faces_{count}", measure, value, unit


def write_stack(path, cohort, count, template):
    """A stack of `count` people, the cohort over and over."""
    with artifacts.writer(path, artifacts.CURVES) as out:
        rows = out.rows("curves", (count, *template.shape))
        for start in range(0, count, len(cohort)):
            rows[start : start + len(cohort)] = cohort[: count - start]
        ids = [f"f{i}" for i in range(count)]
        out.set(
            ok=np.ones(count), ids=ids, groups=[""] * count, radii=np.arange(1, len(template) + 1.0), template="bench"
        )


def read_all(read, n):
    """Read everybody once, keeping nobody."""
    for chunk in chunks(n):
        read(*chunk)


def timed(path):
    """{measure: (value, unit)}: seconds for all releases, throughput of one mean, the process's largest memory."""
    with artifacts.reader(path, artifacts.CURVES) as stack:
        n = len(stack["ok"])
        template = stack.rows("curves", 0, 50).mean(axis=0)
        read = cohort.make_row_reader(stack, np.arange(n), template)
        limit = bounded(read(0, PUBLIC_COUNT), template, QUANTILE, MARGIN)
        start = time.perf_counter()
        for name, budget in ASKED.values():
            made = curve_mechanisms.make(name, template.shape, n, limit, template, budget, KERNEL)
            made.draw(integer_sums.sum_people(made, read, n), noise.SecureNoise())
        seconds = time.perf_counter() - start
        made = curve_mechanisms.make("matched_joint", template.shape, n, limit, template, TOTAL, KERNEL)
        megabytes = n * made.gain.nbytes / 1e6
        rate = megabytes / best(lambda: integer_sums.sum_people(made, read, n))
        reading_rate = megabytes / best(lambda: read_all(read, n))
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    memory = int(status["VmHWM"].split()[0]) / 1024  # getrusage would report the parent's, from before exec
    return {
        "seconds": (seconds, "s"),
        "memory_mb": (memory, "MB"),
        "throughput_of_the_mean": (rate, "MB/s"),
        "throughput_of_reading_alone": (reading_rate, "MB/s"),
    }


if __name__ == "__main__":
    print(json.dumps(timed(sys.argv[1])))
