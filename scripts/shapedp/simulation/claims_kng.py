"""Measures the statements of papers/kng.yaml: Soto, Bharath, Reimherr and Slavković (2022)."""

import numpy as np

from shapedp.manifolds.curvature import h_max
from shapedp.mechanisms import sensitivity
from shapedp.simulation import measures, spaces, stated
from shapedp.simulation.claims import NOT_TESTABLE, verdict_on_order, verdict_on_zero
from shapedp.simulation.results import saved, summary

SAID = stated.of("kng")
COMPARABLE = 0.1  # relative difference of errors below which two mechanisms count as comparable
FINE = 0.01  # standard error of a relative difference from which it counts as zero where it cannot be told from it
CHANCE = "no difference beyond chance at this scale: set simulation.scale to paper"
DEMO = "demo outlines: the paper's brain images may not be passed on"


def rows(results):
    """All rows of this paper."""
    return [
        *_privacy(results),
        *_bounds(results),
        *(_order(results, key, **order) for key, order in SAID.with_part("order").items()),
        _matrices(results),
        *measures.rates(SAID, results, "kng"),
        *_chains(results),
        *_shapes(results),
        *map(SAID.not_testable, SAID.with_part("not_testable")),
    ]


def _privacy(results):
    found = {scale: float(results.values("privacy", scale)[0]) for scale in ("published", "proved")}
    yield SAID.claim("proved", f"{found['proved']:.2f} (n = 5, sharper Δ)", None, found["proved"] <= 1)
    yield SAID.claim("printed_scale", f"{found['published']:.2f} (n = 5)", None, found["published"] <= 1)


def _bounds(results):
    s2 = spaces.published("S2")
    gradient = sensitivity.gradient_sensitivity(s2.manifold, s2.r, 2, "papers")
    mean = sensitivity.mean_sensitivity(s2.manifold, s2.r, 2, "papers")
    measured = f"n Δ_K = {2 * gradient:.4f}, n Δ_L = {2 * mean:.4f}"
    yield SAID.claim("sensitivities", measured, None, gradient < mean, twice=4 * gradient)
    for space, name in measures.NAMES.items():
        where = spaces.published(space)
        low, high = h_max(2 * where.r, where.manifold.curvature_bounds()[1]), _h_min(where)
        ratio = results.values("gradient_ratio", "ratio", space=space, n=20)
        inside = low <= ratio.min() and ratio.max() <= high + 1e-9
        measured = f"{ratio.min():.3f} to {ratio.max():.3f}"
        yield SAID.claim("gradient", measured, None, inside, name=name, low=low, high=high)


def _h_min(where):
    """s √|κ| coth(s √|κ|) at s = 2r for a least curvature κ < 0; 1 where it is positive: log never stretches less."""
    least = where.manifold.curvature_bounds()[0]
    a = 2 * where.r * np.sqrt(max(-least, 0.0))
    return a / np.tanh(a) if a > 0 else 1.0


def _order(results, key, space, better, worse):
    """A row on which of two mechanisms has the smaller error."""
    among = measures.sizes(results, space)
    ahead, behind = measures.wins(results, space, better, worse, among)
    share, error = measures.share_saved(results, space, better, worse, among)
    found = verdict_on_order(ahead, behind, share, error, measures.SURE)
    measured = f"smaller at {ahead}, larger at {behind} of {len(among)} sample sizes; {-100 * share:+.1f} % on average"
    return SAID.claim(key, measured, 100 * error, found, CHANCE if found == NOT_TESTABLE else None)


def _matrices(results):
    among = measures.sizes(results, "P2")
    share, error = measures.share_saved(results, "P2", "kng_published", "laplace_published", among)
    measured = f"KNG's error is {1 - share:.2f} times the Laplace's"
    return SAID.claim("matrices_laplace", measured, error, abs(share) < COMPARABLE)


def _chains(results):
    for rule in ("repeat", "redraw"):
        steps = max(one["steps"] for one in results.settings("chain_length", rule=rule))
        kinds = (results.values("chain_length", kind, rule=rule, steps=steps) for kind in ("chain", "exact"))
        share, error = saved(*kinds)
        measured = f"bias of the mean distance {-100 * share:+.2f} % after {steps:,} steps"
        yield _no_bias(f"chain_{rule}", measured, share, error)
    for space, name in measures.NAMES.items():
        for setting in results.settings("chains", space=space):
            chain = results.values("chains", "mcmc_redraw", **setting)
            share, error = saved(chain, results.values("accuracy", "kng_published", **setting))
            measured = f"error {-100 * share:+.1f} % against exact draws"
            yield _no_bias("chain_length", measured, share, error, name=name, n=setting["n"])


def _no_bias(key, measured, share, error, **words):
    """A row on a difference that should be zero."""
    found = verdict_on_zero(share, error, measures.SURE, FINE)
    return SAID.claim(key, measured, 100 * error, found, CHANCE if found == NOT_TESTABLE else None, **words)


def _shapes(results):
    if "shape_accuracy" not in results:
        return
    value = {name: summary(x) for name, x in results.methods("shape_accuracy").items()}
    ratio, error = _ratio(value["unaligned"], value["pointwise"])
    measured = f"error {ratio:.1f} times the aligned one, {value['unaligned_crossings'][0]:.1f} crossings a contour"
    yield SAID.claim("unaligned", measured, error, ratio > 1.5, demo=DEMO)
    for suffix, words in (("", ""), ("_smoothed", " after smoothing")):
        kng, other = value[f"kng{suffix}_crossings"], value[f"pointwise{suffix}_crossings"]
        gap = float(np.hypot(kng[1], other[1]))
        measured = f"{other[0]:.2f} crossings a contour against {kng[0]:.2f}"
        yield SAID.claim("crossings", measured, gap, other[0] - kng[0] > measures.SURE * gap, words=words, demo=DEMO)
        ratio, error = _ratio(value[f"kng{suffix}"], value[f"pointwise{suffix}"])
        distances = {"kng": value[f"kng{suffix}"][0], "proved": value[f"kng_proved{suffix}"][0]}
        less = ratio < 1 - measures.SURE * error
        measured = f"{ratio:.2f} times the point-wise one"
        yield SAID.claim("structure", measured, error, less, words=words, demo=DEMO, **distances)


def _ratio(first, second):
    ratio = first[0] / second[0]
    return ratio, float(ratio * np.hypot(first[1] / first[0], second[1] / second[0]))
