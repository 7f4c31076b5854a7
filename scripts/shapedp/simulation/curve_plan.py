"""What is simulated of the faces paper at which scale, and how it is cut into jobs; see plan.py. Plain Python."""

from shapedp.simulation.plan import Cell

VERSIONS = ("published", "corrected")
MECHANISMS = ("rkhs_paper", "rkhs", "matched", "matched_joint", "pointwise", "pointwise_literal")
SMOOTHED = ("rkhs_paper", "matched")  # of which the effect of phi is shown
PEOPLE = {"quick": 100, "paper": 1000}  # in the population; the paper has 1,000
SIZES = {
    "quick": (100, 10_000, 1_000_000),
    "paper": (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
}
BUDGETS = {"quick": (0.5, 10.0), "paper": (0.5, 1.0, 2.0, 3.0, 5.0, 10.0)}
PHI_FACTORS = {"quick": (0.01, 1.0, 10.0), "paper": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)}
COUNTS = {"quick": (16, 23, 80), "paper": (8, 12, 16, 20, 23, 27, 40, 80)}  # of curves; the paper shows 16, 27 and 80
TABLE_MU = (2.0, 2.9661, 3.0)
REPLICATES = {"quick": 20, "paper": 200}
TABLE_REPLICATES = {"quick": 5, "paper": 100}
FIGURES = ("curve_errors_people", "curve_errors_budget", "curve_table", "curve_smoothing")
FACES = ("faces_figure_4", "faces_figure_5", "faces_figure_6", "faces_figure_8", "faces_figure_10")  # pictures of faces
CHAIN_FACES = 10  # registered in earnest, at paper scale only


def figures(scale):
    """The figures at a scale; pictures of faces take a minute and are drawn at paper scale only."""
    return FIGURES + (() if scale == "quick" else FACES)


def cells(scale):
    """All cells at a scale (`quick` or `paper`)."""
    return [cell for found in jobs(scale).values() for cell in found]


def jobs(scale):
    """{job: its cells}: one job if quick; a job costs seconds to make its population, so at paper scale only four."""
    found = {}
    for cell in _cells(scale):
        found.setdefault(cell.job, []).append(cell)
    return found


def _cells(scale):
    people = ("people", PEOPLE[scale])
    count = REPLICATES[scale]

    def cell(experiment, replicates, job, **setting):
        where = "all" if scale == "quick" else job
        return Cell(experiment, (*setting.items(), people), replicates, job=where)

    for version in VERSIONS:
        for name in MECHANISMS:
            for n in SIZES[scale]:
                yield cell("curve_size", count, version, version=version, mechanism=name, n=n)
            for mu in BUDGETS[scale]:
                yield cell("curve_budget", count, version, version=version, mechanism=name, mu=mu)
        for mu in TABLE_MU:
            yield cell("curve_table", TABLE_REPLICATES[scale], "table", version=version, mu=mu)
        for name in SMOOTHED:
            for factor in PHI_FACTORS[scale]:
                yield cell("curve_phi", 1, "smoothing", version=version, mechanism=name, factor=factor)
    for curves in COUNTS[scale]:
        yield cell("curve_count", 1, "smoothing", curves=curves)
    yield cell("curve_waves", 1, "smoothing")
    yield cell("curve_sensitivity", 1, "smoothing")
    yield cell("curve_split", 1, "smoothing")
    if scale == "paper":
        yield cell("curve_chain", CHAIN_FACES, "chain")
