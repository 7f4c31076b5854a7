"""Figure 1 of the KNG paper (2022), as published and as proved."""

from shapedp.figures import style
from shapedp.figures.simulation_lines import COLOURS, NAMES, band, bars, name, sample_sizes

CAPTION = (
    "n times the flat distance between the mean and its release; mean ± 2 SE; epsilon = 1. Published panels (left: S², "
    "right: P(2)) show the distance itself, which falls as 1/n: KNG lowest, Euclidean Laplace highest, manifold and "
    "projected Euclidean Laplace between. As published: solid, KNG at the printed scale (S²: Δ/epsilon, h(r); P(2): "
    "2Δ/epsilon), the Laplace, whose scale is not printed, at Δ/epsilon; dashed, the other scales that the texts leave "
    "open; Euclidean noise on the Fréchet mean has the scale of the arithmetic mean. As proved, all are epsilon-DP."
)
PUBLISHED = {
    "kng_published": "KNG",
    "kng_published_once": "KNG, Δ/ε",
    "kng_published_2r": "KNG, Δ/ε, h(2r)",
    "kng_published_twice_2r": "KNG, 2Δ/ε, h(2r)",
    "laplace_published": "manifold Laplace",
    "laplace_published_twice": "the same, 2Δ/ε",
    "laplace_empirical": "the same, empirical bound (2021)",
    "euclidean_published": "Euclidean Laplace",
    "projected_published": "the same, projected",
}
PROVED = {
    "kng": "KNG",
    "laplace": "manifold Laplace",
    "euclidean": "Euclidean Laplace",
    "projected": "the same, projected",
    "projected_arithmetic": "of the arithmetic mean, projected",
}
CHAINS = {"mcmc": ("KNG by Markov chain", "D"), "mcmc_redraw": ("the same, redraw as printed", "x")}


def figure_1(results):
    """Two rows, S² and P(2); left the printed scales, right the proved ones."""
    with style.applied():
        made = style.figure("page", 6.4, CAPTION)
        rows = made.subplots(2, 2, sharex="row", sharey="row")
        for line, space in zip(rows, ("S2", "P2"), strict=True):
            _panel(line[0], results, space, PUBLISHED)
            _chains(line[0], results, space)
            _panel(line[1], results, space, PROVED)
            name(line[0], "ac"[space == "P2"], f"{NAMES[space]}, as published")
            name(line[1], "bd"[space == "P2"], f"{NAMES[space]}, as proved")
            line[0].set_ylabel("n · flat distance to the mean (1)")
        for axes in rows.ravel():
            sample_sizes(axes)
            axes.legend(fontsize=6.5, loc="upper left")
    return made


def _panel(axes, results, space, methods):
    known = results.methods("accuracy", **results.settings("accuracy", space=space)[0])
    for method, label in methods.items():
        if method not in known:
            continue
        n, mean, error = results.series("accuracy", method, "n", space=space)
        variant = method.endswith(("empirical", "arithmetic", "once", "2r", "twice"))
        band(axes, n, n * mean, n * error, label, COLOURS[method.split("_")[0]], linestyle="--" if variant else "-")
    axes.set_ylim(0, {"S2": 11, "P2": 75}[space])


def _chains(axes, results, space):
    if not results.settings("chains", space=space):
        return
    for method, (label, marker) in CHAINS.items():
        n, mean, error = results.series("chains", method, "n", space=space)
        bars(axes, n, n * mean, n * error, label, style.COLOURS["black"], marker=marker)
