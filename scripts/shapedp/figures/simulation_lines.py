"""What the figures of simulations share: a mean with its band, bars of error, and a panel's name."""

from matplotlib.ticker import NullLocator

from shapedp.figures import style

NAMES = {"S2": "S²", "P2": "P(2)", "S": "S^d", "P": "P(k)", "CP": "CP^m"}
COLOURS = {
    "kng": style.COLOURS["blue"],
    "laplace": style.COLOURS["vermilion"],
    "euclidean": style.COLOURS["green"],
    "projected": style.COLOURS["purple"],
    "gaussian": style.COLOURS["orange"],
}


def band(axes, x, mean, error, label, color, **look):
    """A line, and around it the band of ± 2 standard errors."""
    axes.plot(x, mean, label=label, color=color, marker=".", **look)
    axes.fill_between(x, mean - 2 * error, mean + 2 * error, color=color, alpha=0.25, linewidth=0)


def bars(axes, x, mean, error, label, color, **look):
    """Points with bars of ± 2 standard errors."""
    look = {"linestyle": "none", "capsize": 2, "markersize": 5, "linewidth": 1, **look}
    axes.errorbar(x, mean, 2 * error, label=label, color=color, **look)


def name(axes, letter, words):
    """The panel's letter and title, at its upper left."""
    axes.set_title(f"({letter}) {words}", loc="left", fontsize=9)


def logarithmic(axes, words, ticks):
    """A logarithmic x axis with plain numbers at those of the ticks that lie within it."""
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    shown = [tick for tick in ticks if low <= tick <= high]
    axes.set_xticks(shown, [f"{tick:,}" for tick in shown])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(words)


def sample_sizes(axes):
    """The same for people."""
    logarithmic(axes, "sample size n (people)", (5, 10, 20, 50, 100, 200))
