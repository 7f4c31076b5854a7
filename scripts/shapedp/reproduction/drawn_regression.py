"""Figures of private geodesic regression beside a model's effects, and of means by the mechanisms of others."""

from matplotlib.ticker import NullLocator

from shapedp.releases.figures import style
from shapedp.reproduction import cells
from shapedp.reproduction.cells import summarise
from shapedp.reproduction.claims_regression import NAMES, PARAMETERS
from shapedp.reproduction.drawn_spaces import draw_bars, set_log_axis, title_panel

PEOPLE_LABEL, PEOPLE_TICKS, PEOPLE_ENDS = "people n", (20, 50, 100, 200, 400), (14, 560)  # of the axis
REGRESSION = (
    "Errors of footpoint (above) and shooting vector (below) against people, epsilon = 1 for both together; mean ± 2 "
    "SE. A geodesic of length π/4, variance .001, covariates evenly over [0, 1]. As printed: τ and the shooting vector "
    "at which the footpoint is drawn are of the data: not private; read at 0. As private: τ = {tau:g} from the "
    "settings, both drawn together from a public domain. Model: effects at the mu that epsilon implies, 40 people "
    "public. Private draws are exact at n = 20 on S² and P(2), else states of chains."
)
PEERS = (
    "(a) n times the distance of the release to the Fréchet mean on S², records within π/8, all at mu = 1; mean ± 2 "
    "SE. Heat is a Brownian motion, (1/2)-zCDP; the tangent Gaussian's center is not the Fréchet mean. (b) Mean shapes "
    "of demo outlines at mu = 1: our default with 40 public outlines, and others in a public ball, 16 Fourier modes."
)
METHODS = {
    "printed": ("as printed (not private)", "vermilion", "x"),
    "private": ("as private", "blue", "o"),
    "model": ("effects of a model", "green", "s"),
    "chance": ("least squares, no privacy", "black", "."),
}
MEANS = {
    "kng": ("KNG", "blue", "o"),
    "laplace": ("Laplace, by epsilon", "vermilion", "x"),
    "laplace_calibrated": ("Laplace, by its mu", "orange", "+"),
    "riemannian_gaussian": ("Riemannian Gaussian", "purple", "D"),
    "heat": ("heat", "sky", "v"),
    "gaussian": ("tangent Gaussian", "green", "s"),
    "shaped": ("our default", "black", "s"),
}


def regression_errors(results):
    """Draw errors of private geodesic regression beside a model's effects, a column a space.

    The footpoint's stand above, the shooting vector's below.
    """
    tau = results.settings("geodesic")[0]["tau"]
    with style.open_figure("page", 5.4, REGRESSION.format(tau=tau)) as figure:
        grid = figure.subplots(2, 3, sharex=True, sharey="row")
        letters = iter("abcdef")
        for row, (parameter, words) in zip(grid, PARAMETERS.items(), strict=True):
            for axes, (space, title) in zip(row, NAMES.items(), strict=True):
                for method, (label, colour, marker) in METHODS.items():
                    n, mean, error = results.series("geodesic", f"{method} {parameter}", "n", space=space, tau=tau)
                    draw_bars(axes, n, mean, error, label, style.COLOURS[colour], marker=marker, linestyle="-")
                axes.set_xlim(PEOPLE_ENDS)
                set_log_axis(axes, PEOPLE_LABEL, PEOPLE_TICKS)
                axes.set_yscale("log")
                title_panel(axes, next(letters), title)
            row[0].set_ylabel(f"error of the {words}")
        for axes in grid[0]:
            axes.set_xlabel("")
        figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def peer_errors(results):
    """Draw errors of means by others' mechanisms beside ours: left on S² over n, right of mean shapes."""
    with style.open_figure("page", 4.0, PEERS) as figure:
        left, right = figure.subplots(1, 2)
        for method, (label, colour, marker) in MEANS.items():
            look = {"marker": marker, "linestyle": "-"}
            if method in results.only("mean_peers"):
                n, mean, error = results.series("mean_peers", method, "n")
                draw_bars(left, n, n * mean, n * error, label, style.COLOURS[colour], **look)
        set_log_axis(left, "people n", (5, 20, 100, 300))
        left.set_yscale("log")
        low, high = left.get_ylim()
        # room for the legend
        left.set_ylim(low, 4 * high)
        left.set_yticks((1, 2, 5, 10), ("1", "2", "5", "10"))
        left.yaxis.set_minor_locator(NullLocator())
        left.set_ylabel("n · distance to the mean (radian)")
        title_panel(left, "a", cells.NAMES["S2"])
        sizes = sorted(setting["n"] for setting in results.settings("shape_peers"))
        methods = [method for method in MEANS if method in results.only("shape_peers")]
        for n, filled in zip(sizes, (True, False), strict=False):
            for place, method in enumerate(methods):
                mean, error = summarise(results.values("shape_peers", method, n=n))
                colour = style.COLOURS[MEANS[method][1]]
                right.errorbar(mean, place, xerr=2 * error, marker="o", color=colour, mfc=colour if filled else "none")
        right.set_yticks(range(len(methods)), [MEANS[method][0] for method in methods])
        right.set(xscale="log", xlabel="distance to the mean shape (radian)", ylim=(len(methods) - 0.5, -0.5))
        right.xaxis.set_minor_locator(NullLocator())
        ends = ("filled n", "open n") if len(sizes) > 1 else ("n",)
        words = ", ".join(f"{end} = {n}" for end, n in zip(ends, sizes, strict=True))
        title_panel(right, "b", f"mean shapes: {words}")
        left.legend(fontsize=6.5, loc="upper left", ncols=2)
    return figure
