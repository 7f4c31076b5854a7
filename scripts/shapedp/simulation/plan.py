"""What is simulated at which scale, and how it is cut into jobs. Plain Python: the workflow reads it before any job.

A cell is one setting of one experiment with a block of replicates. Its random numbers depend on the seed, the setting
and the block alone (`cells.generator`), never on the job that it happens to be computed in.
"""

from dataclasses import dataclass

SENSITIVITY = ("neighbours", "worst_pair", "expansion", "privacy", "gradient_ratio", "descent", "flat_radius")
SENSITIVITY += ("laplace_privacy", "circle", "gradient_change", "gradient_extremes")
UTILITY = ("accuracy", "chains", "dimension", "budget", "sample_size", "chain_length", "outlines", "shape_accuracy")
UTILITY += ("laplace_chain", "shape_chain")
EXPERIMENTS = {"sensitivity": SENSITIVITY, "utility": UTILITY}
FIGURES = ("laplace_figure_1", "laplace_figure_2", "kng_figure_1", "kng_figure_2", "kng_figure_3")
FIGURES += ("growth_dimension", "growth_rates", "chains")

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
LONGEST_REDRAW = 100_000  # by then the printed rule shows where it tends to
FEW_LENGTHS = {100: 2000, 1000: 200}
CIRCLE_SIZES = (10, 100, 1000)  # points on the circle
SHAPE_CHAINS = 60  # on Kendall's space, at paper scale only: minutes each time


@dataclass(frozen=True)
class Cell:
    """One setting, as (name, value) pairs, with a block of replicates; `job` names the job that computes it."""

    experiment: str
    setting: tuple
    replicates: int
    block: int = 0
    job: str = "all"

    @property
    def name(self):
        """For instance accuracy-space=S2-n=100-block=0."""
        return "-".join([self.experiment, *(f"{key}={value}" for key, value in self.setting), f"block={self.block}"])


def cells(branch, scale):
    """All cells of a branch (`sensitivity` or `utility`) at a scale (`quick` or `paper`)."""
    found = {"sensitivity": _sensitivity, "utility": _utility}[branch](scale == "quick")
    return [cell if scale == "quick" else _alone(cell) for cell in found]


def jobs(branch, scale):
    """{job: its cells}."""
    found = {}
    for cell in cells(branch, scale):
        found.setdefault(cell.job, []).append(cell)
    return found


def _alone(cell):
    """At paper scale a cell is a job of its own, except the many that take less time than a job's start."""
    setting = dict(cell.setting)
    if cell.experiment in SENSITIVITY:
        job = setting.get("space", "S2")
    elif cell.experiment in ("dimension", "budget"):
        job = f"{cell.experiment}-{setting.get('space', setting.get('family'))}"
    else:
        job = cell.name.replace("=", "")
    return Cell(cell.experiment, cell.setting, cell.replicates, cell.block, job)


def _sensitivity(quick):
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


def _utility(quick):
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
