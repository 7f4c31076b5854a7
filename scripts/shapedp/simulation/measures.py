"""Numbers that several claims share, each from the simulated replicates with its standard error."""

import numpy as np

from shapedp.simulation import spaces
from shapedp.simulation.fits import rate
from shapedp.simulation.results import saved, summary

SURE = 3  # standard errors by which a difference must exceed zero to count
FINE = 0.01  # standard error of a relative difference from which it counts as zero where it cannot be told from it
CHANCE = "no difference beyond chance at this scale: set simulation.scale to paper"
NAMES = {"S2": "S²", "P2": "P(2)"}
FAMILIES = {"S": "S^d", "P": "P(k)", "CP": "CP^m"}


def sizes(results, space, experiment="accuracy"):
    """The sample sizes simulated, rising."""
    return sorted(one["n"] for one in results.settings(experiment, space=space))


def share_saved(results, space, ours, theirs, among):
    """1 - (mean of ours / mean of theirs) averaged over the sample sizes `among`, and its standard error."""
    pairs = [saved(*(results.values("accuracy", method, space=space, n=n) for method in (ours, theirs))) for n in among]
    share, error = np.array(pairs).T
    return float(share.mean()), float(np.sqrt((error**2).sum()) / len(error))


def average(results, experiment, method, settings):
    """Mean over settings of the mean of a method, and its standard error."""
    found = np.array([summary(results.values(experiment, method, **setting)) for setting in settings])
    return float(found[:, 0].mean()), float(np.sqrt((found[:, 1] ** 2).sum()) / len(found))


def exponent(results, experiment, method, along, **fixed):
    """Fitted exponent of the mean squared distance over a setting, with its standard error."""
    return rate(*results.series(experiment, method, along, power=2, **fixed))


def dimension_exponent(results, method, family):
    """The same over the real dimension of a family of spaces."""
    order, mean, error = results.series("dimension", method, "order", power=2, family=family)
    return rate(np.array([spaces.family(family, int(one)).manifold.dim for one in order]), mean, error)


def percent(share, error):
    """A share as words, and its standard error in per cent."""
    return f"{100 * share:.1f} %", 100 * error


def wins(results, space, better, worse, among):
    """Sample sizes at which `better` has the smaller error beyond chance, and those at which it has the larger."""
    ahead = behind = 0
    for n in among:
        share, error = saved(*(results.values("accuracy", method, space=space, n=n) for method in (better, worse)))
        ahead += share > SURE * error
        behind += share < -SURE * error
    return ahead, behind


def rates(said, results, method):
    """The claims `rate` and `dimension` of a paper: how errors fall with n and epsilon, and grow with the dimension."""
    for along, experiment, words in (("n", "sample_size", "n^-2"), ("epsilon", "budget", "epsilon^-2")):
        for space, name in NAMES.items():
            slope, error = exponent(results, experiment, method, along, space=space)
            near = abs(slope + 2) < 0.05 + SURE * error
            yield said.claim("rate", f"{slope:.3f}", error, near, name=name, words=words)
    for family, name in FAMILIES.items():
        slope, error = dimension_exponent(results, method, family)
        yield said.claim("dimension", f"{slope:.3f}", error, slope < 2 + 0.1 + SURE * error, name=name)
