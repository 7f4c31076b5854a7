"""Measures the statements of papers/regression.yaml: Kulkarni and Soto (2025)."""

import numpy as np

from shapedp.reproduction import cells, regression
from shapedp.reproduction.cells import judged, ratio, saved, summary
from shapedp.reproduction.regression_experiments import FARTHEST, LONGEST, SPACES, STEPS

SAID = cells.statements_of("regression")
NAMES = {"S2": "S²", "P2": "P(2)", "K5": "Kendall, 5 landmarks"}
PARAMETERS = {"footpoint": "footpoint", "shooting": "shooting vector"}
HALF = 0.5  # of epsilon = 1, for the footpoint
ROUNDING = 1e-9


def rows(results):
    return [*_bounds(results), *_privacy(results), *_errors(results), SAID.not_testable("tables")]


def _bounds(results):
    for space, name in NAMES.items():
        (setting,) = results.settings("parameter_change", space=space)
        manifold, tau = SPACES[space], setting["tau"]
        claimed = regression.sensitivity(manifold, tau, 1, FARTHEST, LONGEST)
        found = {key: float(one[0]) for key, one in results.methods("parameter_change", **setting).items()}
        curved = manifold.curvature_bounds()[0] < 0
        for parameter, bound, factor in (("footpoint", claimed.p, "cosh a"), ("shooting", claimed.v, "(sinh a)/a")):
            words = {"name": name, "bound": bound, "factor": f" {factor}" if curved else "", "tau": tau}
            inside = found[parameter] <= 1 + ROUNDING
            yield SAID.claim(f"change_{parameter}", f"{found[parameter] * bound:.4f}", None, inside, **words)


def _privacy(results):
    for name, values in results.only("parameter_loss").items():
        key = {"printed": "private_printed", "private": "private_setting"}[name]
        yield SAID.claim(key, f"{values[0]:.2f}", None, bool(values[0] <= HALF))


def _errors(results):
    for space, name in NAMES.items():
        for setting in sorted(results.settings("geodesic", space=space), key=lambda one: one["n"]):
            found = results.methods("geodesic", **setting)
            for parameter, words in PARAMETERS.items():
                given = {"name": name, "n": setting["n"], "parameter": words}
                errors = {method: found[f"{method} {parameter}"] for method in ("printed", "private", "model")}
                if f"private_chain {parameter}" in found:
                    share, error = saved(found[f"private_chain {parameter}"], errors["private"])
                    measured = f"error {-100 * share:+.1f} % against exact draws"
                    yield SAID.no_bias("chain", measured, share, error, steps=STEPS, **given)
                times, error = ratio(summary(errors["model"]), summary(errors["private"]))
                means = {method: float(np.mean(one)) for method, one in errors.items()}
                verdict = judged(times, error, 0.0, 1.0)
                yield SAID.claim("model", f"{times:.2f} times", error, verdict, **given, **means)
