"""What is simulated at which scale, and how it is cut into jobs. Plain Python: the workflow reads it before any job.

A cell is one setting of one experiment with a block of replicates. Its random numbers depend on the seed, the setting
and the block alone (`cells.make_generator`), never on the job that it happens to be computed in.
"""

from dataclasses import dataclass, replace
from pathlib import Path

# What each paper states, and where.
PAPERS = {
    name: Path(__file__).parent / f"papers/{name}.yaml"
    for name in ("laplace", "kng", "faces", "regression", "gaussian", "heat")
}

FIGURES = ("laplace_figure_1", "laplace_figure_2", "kng_figure_1", "kng_figure_2", "kng_figure_3")
FIGURES += ("growth_dimension", "growth_rates", "chains", "regression_errors", "peer_errors")
CURVE_FIGURES = ("curve_errors_people", "curve_errors_budget", "curve_table", "curve_smoothing")
FACE_PICTURES = ("faces_figure_4", "faces_figure_5", "faces_figure_6", "faces_figure_8", "faces_figure_10")

# Sample sizes: the published figures give theirs on axes only; the text names 20 to 40 on P(2).
SIZES = {"S2": (5, 10, 20, 30, 50, 75, 100, 150, 200, 300), "P2": (10, 20, 30, 40, 50, 75, 100, 150, 200, 300)}
FEW_SIZES = {"S2": (5, 20, 100, 300), "P2": (20, 40, 100, 300)}
# Data sets on which Markov chains of the published length are run, too: {size: replicates}.
CHAINS = {"S2": {20: 200, 100: 100}, "P2": {20: 100, 100: 50}}
RADII = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.3927, 0.45, 0.5, 0.6, 0.7)  # radian, on S², below π/4
FEW_RADII = (0.1, 0.25, 0.3927, 0.6)
DIMENSIONS = {"S": (2, 4, 8, 16, 32, 64), "P": (2, 3, 4, 5), "CP": (2, 4, 8, 16, 32)}
FEW_DIMENSIONS = {"S": (2, 8, 32), "P": (2, 3), "CP": (2, 8, 16)}
BUDGETS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
FEW_BUDGETS = (0.1, 1.0, 10.0)
LARGE_SIZES = {100: 2000, 1000: 2000, 10_000: 1000, 100_000: 100, 1_000_000: 20}  # size: replicates
FEW_LARGE_SIZES = {100: 300, 1000: 200, 10_000: 60}
LENGTHS = {100: 20_000, 1000: 4000, 10_000: 1000, 100_000: 200, 1_000_000: 40}  # steps: chains
# After so many steps the printed rule shows where it tends to.
LONGEST_REDRAW = 100_000
FEW_LENGTHS = {100: 2000, 1000: 200}
CIRCLE_SIZES = (10, 100, 1000)  # points on the circle
# On Kendall's space, at paper scale only, since they take minutes each time.
SHAPE_CHAINS = 60

# Of the faces paper.
CURVE_VERSIONS = ("published", "corrected")
CURVE_MECHANISMS = ("rkhs_paper", "rkhs", "matched", "matched_joint", "pointwise", "pointwise_literal")
SMOOTHED = ("rkhs_paper", "matched")  # of which the effect of phi is shown
CURVE_PEOPLE = {"quick": 100, "paper": 1000}  # in the population; the paper has 1,000
CURVE_SIZES = {
    "quick": (100, 10_000, 1_000_000),
    "paper": (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
}
CURVE_BUDGETS = {"quick": (0.5, 10.0), "paper": (0.5, 1.0, 2.0, 3.0, 5.0, 10.0)}
PHI_FACTORS = {"quick": (0.01, 1.0, 10.0), "paper": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)}
COUNTS = {"quick": (16, 23, 80), "paper": (8, 12, 16, 20, 23, 27, 40, 80)}  # of curves; the paper shows 16, 27 and 80
TABLE_MU = (2.0, 2.9661, 3.0)
REPLICATES = {"quick": 20, "paper": 200}
TABLE_REPLICATES = {"quick": 5, "paper": 100}
CHAIN_FACES = 10  # registered in earnest, at paper scale only

# Geodesic regression: {people: data sets}, of which the paper has 20; and means by the mechanisms of others.
# tau where the settings have no other: three standard deviations of the published variance.
RESIDUAL = 0.1
REGRESSIONS = {"quick": {20: 20}, "paper": {20: 100, 100: 60, 400: 20}}
REGRESSION_SPACES = ("S2", "P2", "K5")
PEER_SIZES = {"quick": {20: 300, 100: 300}, "paper": {5: 2000, 20: 2000, 100: 2000, 300: 1000}}
SHAPE_SIZES = {"quick": {100: 20}, "paper": {100: 100, 400: 100}}


@dataclass(frozen=True)
class Cell:
    """One setting, as (name, value) pairs, with a block of replicates; `job` names its job, if it shares one."""

    experiment: str
    setting: tuple
    replicates: int
    block: int = 0
    job: str = ""

    @property
    def name(self):
        """For instance accuracy-space=S2-n=100-block=0."""
        return "-".join([self.experiment, *(f"{key}={value}" for key, value in self.setting), f"block={self.block}"])


def figures(scale):
    """Return figures of the faces paper; pictures of faces take a minute and are drawn at paper scale only."""
    return CURVE_FIGURES + (() if scale == "quick" else FACE_PICTURES)


def cells(branch, scale, residual=RESIDUAL):
    """Return all settings to simulate of a branch at a scale, as Cells; at `quick` they are one job.

    Parameters
    ----------
    branch : str
        One of BRANCHES.
    scale : str
        `quick` or `paper`.
    residual : float
        tau of private geodesic regression.

    Returns
    -------
    list of Cell
    """
    all_cells = BRANCHES[branch](scale == "quick", residual)
    return [replace(cell, job="all") if scale == "quick" else cell for cell in all_cells]


def jobs(branch, scale, residual=RESIDUAL):
    """Return how the cells are cut into the workflow's jobs: {job: its cells}.

    A cell that names no job is one of its own, but for many that take less time than a job's start. The names of jobs
    do not depend on the residual.

    Parameters
    ----------
    branch, scale, residual
        As for `cells`.

    Returns
    -------
    dict
    """
    cells_by_job = {}
    for cell in cells(branch, scale, residual):
        setting, job = dict(cell.setting), cell.job
        if not job and branch == "sensitivity":
            job = setting.get("space", "S2")
        elif not job and cell.experiment in ("dimension", "budget"):
            job = f"{cell.experiment}-{setting.get('space', setting.get('family'))}"
        cells_by_job.setdefault(job or cell.name.replace("=", ""), []).append(cell)
    return cells_by_job


def _list_sensitivity(quick, _):
    """Yield the Cells to run on how far one person moves means and gradients, and on exact privacy loss."""
    for space, sizes in (FEW_SIZES if quick else SIZES).items():
        for n in sizes:
            yield Cell("neighbours", (("space", space), ("n", n)), 100 if quick else 1000)
        yield Cell("worst_pair", (("space", space), ("n", 10 if quick else 30)), 1)
    for r in FEW_RADII if quick else RADII:
        yield Cell("expansion", (("r", r),), 1)
    for space in SIZES:
        yield Cell("gradient_ratio", (("space", space), ("n", 20)), 200 if quick else 5000)
        yield Cell("descent", (("space", space), ("n", 50)), 20 if quick else 200)
        yield Cell("gradient_change", (("space", space),), 1)
        yield Cell("gradient_extremes", (("space", space), ("n", 3)), 1)
    for n in CIRCLE_SIZES:
        yield Cell("circle", (("n", n),), 1)
    yield Cell("privacy", (), 1)
    yield Cell("laplace_privacy", (), 1)
    yield Cell("flat_radius", (("r", 1.5),), 1)


def _list_utility(quick, _):
    """Yield the Cells to run on how near releases come to the mean, over n, budget, dimension; chains; outlines."""
    for space, sizes in (FEW_SIZES if quick else SIZES).items():
        blocks, replicates = (1, 300) if quick else {"S2": (2, 5000), "P2": (1, 1000)}[space]
        for n in sizes:
            for block in range(blocks):
                yield Cell("accuracy", (("space", space), ("n", n)), replicates, block)
        for n, count in {} if quick else CHAINS[space].items():
            yield Cell("chains", (("space", space), ("n", n)), count)
        for n, count in (FEW_LARGE_SIZES if quick else LARGE_SIZES).items():
            yield Cell("sample_size", (("space", space), ("n", n)), count)
        for epsilon in FEW_BUDGETS if quick else BUDGETS:
            yield Cell("budget", (("space", space), ("epsilon", epsilon)), 100 if quick else 2000)
    for family, orders in (FEW_DIMENSIONS if quick else DIMENSIONS).items():
        for order in orders:
            yield Cell("dimension", (("family", family), ("order", order)), 50 if quick else 1000)
    for steps, chains in (FEW_LENGTHS if quick else LENGTHS).items():
        for rule in ("repeat", "redraw") if steps <= LONGEST_REDRAW else ("repeat",):
            yield Cell("chain_length", (("rule", rule), ("steps", steps)), chains)
    yield Cell("laplace_chain", (("n", 20),), 200 if quick else 4000)
    for times in () if quick else (1, 2):
        yield Cell("shape_chain", (("times", times),), SHAPE_CHAINS)
    yield Cell("outlines", (), 6)
    yield Cell("shape_accuracy", (), 30 if quick else 300)


def _list_curve_releases(quick, _):
    """Yield the Cells to run on the faces paper: errors of mean faces, Table 1, smoothing, and the chain.

    A job costs seconds to make its population, so at paper scale there are five.
    """
    scale = "quick" if quick else "paper"

    def cell(experiment, replicates, job, **setting):
        return Cell(experiment, (*setting.items(), ("people", CURVE_PEOPLE[scale])), replicates, job=job)

    for version in CURVE_VERSIONS:
        for name in CURVE_MECHANISMS:
            for n in CURVE_SIZES[scale]:
                yield cell("curve_size", REPLICATES[scale], version, version=version, mechanism=name, n=n)
            for mu in CURVE_BUDGETS[scale]:
                yield cell("curve_budget", REPLICATES[scale], version, version=version, mechanism=name, mu=mu)
        for mu in TABLE_MU:
            yield cell("curve_table", TABLE_REPLICATES[scale], "table", version=version, mu=mu)
        for name in SMOOTHED:
            for factor in PHI_FACTORS[scale]:
                yield cell("curve_phi", 1, "smoothing", version=version, mechanism=name, factor=factor)
    for curves in COUNTS[scale]:
        yield cell("curve_count", 1, "smoothing", curves=curves)
    for experiment in ("curve_waves", "curve_sensitivity", "curve_split"):
        yield cell(experiment, 1, "smoothing")
    if scale == "paper":
        yield cell("curve_chain", CHAIN_FACES, "chain")


def _list_regression(quick, residual):
    """Yield the Cells to run on private geodesic regression: its errors, its sensitivities, its privacy loss."""
    scale = "quick" if quick else "paper"
    for space in REGRESSION_SPACES:
        for n, count in REGRESSIONS[scale].items():
            yield Cell("geodesic", (("space", space), ("n", n), ("tau", residual)), count, job=f"{space}-n{n}")
        yield Cell("parameter_change", (("space", space), ("tau", residual)), 1, job="change")
    yield Cell("parameter_loss", (("tau", residual),), 1, job="change")


def _list_peers(quick, _):
    """Yield the Cells to run on means by the mechanisms of others, on S² and of shapes."""
    scale = "quick" if quick else "paper"
    for n, count in PEER_SIZES[scale].items():
        yield Cell("mean_peers", (("n", n),), count, job="means")
    for n, count in SHAPE_SIZES[scale].items():
        yield Cell("shape_peers", (("n", n),), count, job="shapes")


BRANCHES = {
    "sensitivity": _list_sensitivity,
    "utility": _list_utility,
    "curve_releases": _list_curve_releases,
    "regression": _list_regression,
    "peers": _list_peers,
}
