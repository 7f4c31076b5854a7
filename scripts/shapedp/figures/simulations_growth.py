"""Past the papers: the error over dimension, budget and sample size, and how far chains are from their law."""

import numpy as np
from matplotlib.ticker import NullLocator

from shapedp.figures import style
from shapedp.figures.simulation_lines import COLOURS, NAMES, band, bars, logarithmic
from shapedp.simulation import spaces
from shapedp.simulation.fits import rate
from shapedp.simulation.results import summary

EXPERIMENTS = {"epsilon": "budget", "n": "sample_size"}
NAMED = {"kng": "KNG", "laplace": "Laplace", "gaussian": "tangent Gaussian"}
DIMENSION = (
    "Mean squared distance of the release to the Fréchet mean, ± 2 SE, against the real dimension D, with the fitted "
    "exponent ± its SE; n = 1,000, epsilon = 1. The papers prove O(D²/(n² epsilon²)) for KNG and Laplace (no "
    "published panel). The tangent Gaussian is (1, 1e-6)-DP, not pure; its error grows as D."
)
RATES = (
    "Mean squared distance ± 2 SE against the budget (top, n = 1,000) and the sample size (bottom, epsilon = 1), "
    "with fitted exponents; the papers prove -2 for both (no published panel). Tangent Gaussian: (epsilon, 1e-6)-DP; "
    "its error includes the distance of its center, exp of the mean logarithm, from the Fréchet mean."
)
CHAINS = (
    "Mean distance to the Fréchet mean over the last tenth of Markov chains that start at it, against exact draws of "
    "the law that they aim at (KNG on S², n = 10, scale as published); ± 2 SE over chains. No published panel: the "
    "papers use 20,000 steps before the first draw, with `redraw` after a rejection."
)


def dimension(results):
    """One panel a family of spaces."""
    with style.applied():
        made = style.figure("page", 3.6, DIMENSION)
        for axes, family, letter in zip(made.subplots(1, 3), ("S", "P", "CP"), "abc", strict=True):
            for method, label in NAMED.items():
                order, mean, error = results.series("dimension", method, "order", power=2, family=family)
                d = np.array([spaces.family(family, int(one)).manifold.dim for one in order])
                _line(axes, d, mean, error, label, COLOURS[method])
            logarithmic(axes, "dimension D", (3, 6, 10, 15) if family == "P" else (2, 4, 8, 16, 32, 64))
            _finish(axes, f"({letter}) {NAMES[family]}", family == "P")
    return made


def rates(results):
    """Budget above, sample size below; S² left, P(2) right."""
    with style.applied():
        made = style.figure("page", 6.0, RATES)
        grid = made.subplots(2, 2)
        for letters, space, column in (("ac", "S2", grid[:, 0]), ("bd", "P2", grid[:, 1])):
            for axes, along in zip(column, ("epsilon", "n"), strict=True):
                for method, label in NAMED.items():
                    series = results.series(EXPERIMENTS[along], method, along, power=2, space=space)
                    _line(axes, *series, label, COLOURS[method])
            logarithmic(column[0], "privacy budget epsilon", (0.1, 0.2, 0.5, 1, 2, 5, 10))
            logarithmic(column[1], "sample size n (people)", (100, 1000, 10_000, 100_000, 1_000_000))
            for axes, letter in zip(column, letters, strict=True):
                _finish(axes, f"({letter}) {NAMES[space]}", space == "P2")
    return made


def _line(axes, x, mean, error, label, colour):
    slope, uncertain = rate(x, mean, error)
    band(axes, x, mean, error, f"{label}: {slope:.2f} ± {uncertain:.2f}", colour)


def _finish(axes, title, matrices):
    axes.set_yscale("log")
    axes.yaxis.set_minor_locator(NullLocator())
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * (high / low) ** 0.6)  # room for the legend
    axes.set_ylabel(style.label("mean squared distance", "1" if matrices else "radian²"))
    axes.legend(fontsize=6.5, title="fitted exponent ± SE", title_fontsize=6.5, loc="upper left", handlelength=1.2)
    axes.set_title(title, loc="left", fontsize=9)


def chains(results):
    """Relative bias of both rules against the number of steps."""
    with style.applied():
        made = style.figure("page", 3.4, CHAINS)
        axes = made.subplots()
        rules = {"repeat": ("repeat the state (correct)", "blue"), "redraw": ("redraw (as printed)", "vermilion")}
        for rule, (label, colour) in rules.items():
            steps, bias, error = relative_bias(results, rule)
            bars(axes, steps, 100 * bias, 100 * error, label, style.COLOURS[colour], marker="o", linestyle="-")
        axes.axhline(0, color=style.INK, linewidth=0.8)
        logarithmic(axes, "steps of the chain", (100, 1000, 10_000, 100_000, 1_000_000))
        axes.set_ylabel("bias of the mean distance (%)")
        axes.legend(title="after a rejection", title_fontsize=8)
    return made


def relative_bias(results, rule):
    """Steps, E[distance along the chain] / E[exact distance] - 1, and its standard error."""
    steps = sorted(one["steps"] for one in results.settings("chain_length", rule=rule))
    found = []
    for one in steps:
        (chain, chain_error), (exact, exact_error) = (
            summary(results.values("chain_length", method, rule=rule, steps=one)) for method in ("chain", "exact")
        )
        found.append((chain / exact - 1, chain / exact * np.hypot(chain_error / chain, exact_error / exact)))
    return np.array(steps), *np.array(found).T
