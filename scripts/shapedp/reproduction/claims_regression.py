"""Measures the statements of papers/regression.yaml: Kulkarni and Soto (2025)."""

import numpy as np

from shapedp.reproduction import cells, regression
from shapedp.reproduction.cells import compare_means, divide, judge, summarise
from shapedp.reproduction.regression_experiments import FARTHEST, LONGEST, SPACES, STEPS

STATEMENTS = cells.read_statements("regression")
NAMES = {"S2": "S²", "P2": "P(2)", "K5": "Kendall, 5 landmarks"}
PARAMETERS = {"footpoint": "footpoint", "shooting": "shooting vector"}
HALF = 0.5  # of epsilon = 1, for the footpoint
ROUNDING = 1e-9


def rows(results):
    """Return the rows of the reproduction's table that set the regression paper's claims beside our figures."""
    return [
        *_claim_bounds(results),
        *_claim_privacy(results),
        *_claim_errors(results),
        STATEMENTS.not_testable("tables"),
    ]


def _claim_bounds(results):
    """Yield the claims' rows on the paper's sensitivities: the largest change that was found, beside the bound."""
    for space, name in NAMES.items():
        (setting,) = results.settings("parameter_change", space=space)
        manifold, tau = SPACES[space], setting["tau"]
        claimed = regression.bound_sensitivity(manifold, tau, 1, FARTHEST, LONGEST)
        ratios = {key: float(values[0]) for key, values in results.methods("parameter_change", **setting).items()}
        curved = manifold.curvature_bounds()[0] < 0
        for parameter, bound, factor in (("footpoint", claimed.p, "cosh a"), ("shooting", claimed.v, "(sinh a)/a")):
            words = {"name": name, "bound": bound, "factor": f" {factor}" if curved else "", "tau": tau}
            inside = ratios[parameter] <= 1 + ROUNDING
            yield STATEMENTS.claim(f"change_{parameter}", f"{ratios[parameter] * bound:.4f}", None, inside, **words)


def _claim_privacy(results):
    for name, values in results.only("parameter_loss").items():
        key = {"printed": "private_printed", "private": "private_setting"}[name]
        yield STATEMENTS.claim(key, f"{values[0]:.2f}", None, bool(values[0] <= HALF))


def _claim_errors(results):
    """Yield the claims' rows on errors: chains beside exact draws, a model's effects beside private regression."""
    for space, name in NAMES.items():
        for setting in sorted(results.settings("geodesic", space=space), key=lambda setting: setting["n"]):
            values = results.methods("geodesic", **setting)
            for parameter, words in PARAMETERS.items():
                common_words = {"name": name, "n": setting["n"], "parameter": words}
                errors = {method: values[f"{method} {parameter}"] for method in ("printed", "private", "model")}
                if f"private_chain {parameter}" in values:
                    share, error = compare_means(values[f"private_chain {parameter}"], errors["private"])
                    measured = f"error {-100 * share:+.1f} % against exact draws"
                    yield STATEMENTS.no_bias("chain", measured, share, error, steps=STEPS, **common_words)
                times, error = divide(summarise(errors["model"]), summarise(errors["private"]))
                means = {method: float(np.mean(distances)) for method, distances in errors.items()}
                verdict = judge(times, error, 0.0, 1.0)
                yield STATEMENTS.claim("model", f"{times:.2f} times", error, verdict, **common_words, **means)
