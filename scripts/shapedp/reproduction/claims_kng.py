"""Measures the statements of papers/kng.yaml: Soto, Bharath, Reimherr and Slavković (2022)."""

from itertools import product

import numpy as np

from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds.frechet import h_max
from shapedp.reproduction import cells, space_experiments, spaces
from shapedp.reproduction.cells import NOT_TESTABLE, TENTH, compare_means, divide, judge, judge_order, summarise, widen
from shapedp.reproduction.spaces import KNG_SCALES, LAPLACE_SCALES

STATEMENTS = cells.read_statements("kng")
ROUNDING = 1e-6
DEMO = "demo outlines: the paper's brain images may not be passed on"
ALL_KNG, ALL_LAPLACE = "kng_scales", "laplace_scales"  # in papers/*.yaml: all of them


def rows(results):
    """Return the rows of the reproduction's table that set the claims of the 2022 KNG paper beside our figures."""
    return [
        *_claim_theorems(results),
        *_claim_orders(results),
        *cells.claim_rates(STATEMENTS, results, "kng"),
        *_claim_chains(results),
        *_claim_shapes(results),
        *map(STATEMENTS.not_testable, STATEMENTS.with_part("not_testable")),
    ]


def _claim_theorems(results):
    """Yield the claims' rows on privacy loss and gradients: Theorem 2 beside the largest change found, and Lemma 1."""
    losses = {name: float(values[0]) for name, values in results.methods("privacy").items()}
    yield STATEMENTS.claim("proved", f"{losses['proved']:.2f} (n = 5, sharper Δ)", None, losses["proved"] <= 1)
    for name, words in describe_kng_scales("S2").items():
        yield STATEMENTS.claim("printed_scale", f"{losses[name]:.2f} (n = 5)", None, losses[name] <= 1, scale=words)
    s2 = spaces.published_space("S2")
    gradient = sensitivity.gradient_sensitivity(s2.manifold, s2.r, 2, "papers")
    mean = sensitivity.mean_sensitivity(s2.manifold, s2.r, 2, "papers")
    measured = f"n Δ_K = {2 * gradient:.4f}, n Δ_L = {2 * mean:.4f}"
    yield STATEMENTS.claim("sensitivities", measured, None, gradient < mean, twice=4 * gradient)
    for space, name in cells.NAMES.items():
        domain = spaces.published_space(space)
        largest_change = results.values("gradient_change", "largest", space=space)[0]
        # the simulation's Δ has h(r) for h(2r)
        for key, reach in (("change", 2), ("change_printed", 1)) if space == "S2" else (("change", 2),):
            bound = 2 * domain.published_sigma(sensitivity.KNG, 2, 1, reach)
            yield STATEMENTS.claim(
                key, f"{largest_change:.4f}", None, largest_change <= bound + ROUNDING, name=name, bound=bound
            )
    for space, name in cells.NAMES.items():
        domain = spaces.published_space(space)
        least_curvature, curvature = domain.manifold.curvature_bounds()
        # h_min is s √|κ| coth(s √|κ|) at s = 2r for a least curvature κ < 0; else 1: log never stretches less
        a = 2 * domain.r * np.sqrt(max(-least_curvature, 0.0))
        low, high = h_max(2 * domain.r, curvature), a / np.tanh(a) if a > 0 else 1.0
        random = results.values("gradient_ratio", "ratio", space=space, n=20)
        searched = results.methods("gradient_extremes", space=space, n=3)
        least, largest = min(random.min(), searched["least"][0]), max(random.max(), searched["largest"][0])
        inside = low <= least and largest <= high + ROUNDING
        measured = f"{least:.3f} to {largest:.3f}, of random x and of a search"
        yield STATEMENTS.claim("gradient", measured, None, inside, name=name, low=low, high=high)


def _claim_orders(results):
    """Yield the claims' rows on which of two mechanisms errs less, one for each scale that papers may have meant."""
    for key, order in STATEMENTS.with_part("order").items():
        space = order["space"]
        domain, among = spaces.published_space(space), cells.list_sizes(results, space)
        for (first, better_scale), (second, worse_scale) in pair_scales(**order):
            sizes_won, sizes_lost = cells.count_wins(results, space, first, second, among)
            share, error = cells.average_saving(results, space, first, second, among)
            verdict = judge_order(sizes_won, sizes_lost, share, error)
            counts = f"smaller at {sizes_won}, larger at {sizes_lost} of {len(among)} sample sizes"
            proof_note = ""
            if scale := KNG_SCALES[space].get(first):
                times, reach = scale
                proved = sensitivity.published_scale(
                    domain.manifold, sensitivity.KNG, domain.r, n=10, epsilon=1.0, times=times, reach=reach
                ).private
                proof_note = f"at this scale KNG is {'' if proved else 'not '}proved epsilon-DP"
            words = {"better": better_scale, "worse": worse_scale, "kept": proof_note}
            yield STATEMENTS.claim(key, f"{counts}; {-100 * share:+.1f} % on average", 100 * error, verdict, **words)
    among = cells.list_sizes(results, "P2")
    for (kng, kng_scale), (laplace, laplace_scale) in pair_scales("P2", ALL_KNG, ALL_LAPLACE):
        share, error = cells.average_saving(results, "P2", kng, laplace, among)
        measured = f"KNG's error is {1 - share:.2f} times the Laplace's"
        verdict = judge(1 - share, error, *widen(1.0, TENTH))
        yield STATEMENTS.claim("matrices_laplace", measured, error, verdict, kng=kng_scale, laplace=laplace_scale)


def _claim_chains(results):
    """Yield the claims' rows on the papers' Markov chains: how far draws are from the law that they are to have."""
    for rule in ("repeat", "redraw"):
        steps = max(setting["steps"] for setting in results.settings("chain_length", rule=rule))
        share, error = results.saved("chain_length", "chain", "exact", rule=rule, steps=steps)
        measured = f"bias of the mean distance {-100 * share:+.2f} % after {steps:,} steps"
        yield STATEMENTS.no_bias(f"chain_{rule}", measured, share, error)
    for space, name in cells.NAMES.items():
        for setting in results.settings("chains", space=space):
            chain = results.values("chains", "mcmc_redraw", **setting)
            share, error = compare_means(chain, results.values("accuracy", "kng_published", **setting))
            measured = f"error {-100 * share:+.1f} % against exact draws"
            yield STATEMENTS.no_bias("chain_length", measured, share, error, name=name, n=setting["n"])
    for times in (1, 2):
        key, scale, why = "chain_shapes", describe_scale(times), "such chains run at `scale: paper` only"
        if "shape_chain" in results:
            share, error = results.saved("shape_chain", "chain", "exact", times=times)
            measured = f"distance {-100 * share:+.1f} % against exact draws"
            yield STATEMENTS.no_bias(key, measured, share, error, scale=scale)
        else:
            yield STATEMENTS.claim(key, "", None, NOT_TESTABLE, why, scale=scale)


def _claim_shapes(results):
    """Yield the claims' rows on mean shapes of outlines: error and crossings of KNG beside point-wise noise."""
    if "shape_accuracy" not in results:
        return
    value = {name: summarise(x) for name, x in results.methods("shape_accuracy").items()}
    times, error = divide(value["unaligned"], value["pointwise"])
    measured = f"error {times:.1f} times the aligned one, {value['unaligned_crossings'][0]:.1f} crossings a contour"
    yield STATEMENTS.claim("unaligned", measured, error, judge(times, error, 1.0, np.inf), demo=DEMO)
    for suffix, smoothed in (("", ""), ("_smoothed", " after smoothing")):
        for name, (factor, reach) in space_experiments.OUTLINE_SCALES.items():
            words = {"words": smoothed, "scale": describe_scale(factor, reach), "demo": DEMO}
            kng, pointwise = value[f"{name}{suffix}_crossings"], value[f"pointwise{suffix}_crossings"]
            gap = float(np.hypot(kng[1], pointwise[1]))
            measured = f"{pointwise[0]:.2f} crossings a contour against {kng[0]:.2f}"
            yield STATEMENTS.claim("crossings", measured, gap, judge(pointwise[0] - kng[0], gap, 0.0, np.inf), **words)
            distance = value[f"{name}{suffix}"]
            words |= {"kng": distance[0], "proved": value[f"kng_proved{suffix}"][0]}
            times, error = divide(distance, value[f"pointwise{suffix}"])
            measured = f"{times:.2f} times the point-wise one"
            yield STATEMENTS.claim("structure", measured, error, judge(times, error, 0.0, 1.0), **words)


def describe_scale(times, reach=None):
    """Return a scale of noise in words, for a row of claims, for instance 2Δ/epsilon, h(r)."""
    factor = "" if times == 1 else times
    curvature = "" if reach is None else f", h({'' if reach == 1 else reach}r)"
    return f"{factor}Δ/epsilon{curvature}"


def describe_kng_scales(space):
    """Return {method: its scale in words} of KNG on S2 or P2, for claims at each, the printed one first."""
    curved = spaces.published_space(space).manifold.curvature_bounds()[1] > 0
    scales = KNG_SCALES[space].items()
    labels = {name: describe_scale(times, reach if curved else None) for name, (times, reach) in scales}
    printed = next(iter(labels))
    return labels | {printed: f"{labels[printed]}, as printed"}


def pair_scales(space, better, worse):
    """Return the pairs of two mechanisms to compare, each at all scales that the papers leave open, with its words.

    A pair is ((method, scale), (method, scale)).
    """
    laplace = {method: describe_scale(times) for method, times in LAPLACE_SCALES.items()}
    scales = {ALL_KNG: describe_kng_scales(space), ALL_LAPLACE: laplace}
    return product(*(scales.get(name, {name: ""}).items() for name in (better, worse)))
