"""Measures the statements of papers/laplace.yaml: Reimherr, Bharath and Soto (2021)."""

import numpy as np

from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.samplers import laplace
from shapedp.reproduction import cells, spaces
from shapedp.reproduction.cells import TENTH, judge, judge_order, summarise, widen

STATEMENTS = cells.read_statements("laplace")
# The text's smaller sample sizes are at most the first, its larger ones at least the second.
SMALLER, LARGER = 10, 100
QUITE_CLOSE = 0.9  # share of the bound
ROUNDING = 1e-9
QUADRATURE = 1e-4  # of a privacy loss


def rows(results):
    """Return the rows of the reproduction's table that set the claims of the 2021 Laplace paper beside our figures."""
    return [
        *_claim_theorems(results),
        *_claim_sphere(results),
        *_claim_matrices(results),
        *cells.claim_rates(STATEMENTS, results, "laplace"),
        *_claim_supplement(results),
    ]


def _claim_theorems(results):
    """Yield the claims' rows on the paper's theorems: privacy loss, and how far apart neighbouring means lie."""
    loss = {name: float(values[0]) for name, values in results.methods("laplace_privacy").items()}
    for key, name in (("whole", "whole"), ("restricted", "ball_twice")):
        yield STATEMENTS.claim(key, f"{loss[name]:.2f} (n = 5)", None, loss[name] <= 1 + QUADRATURE, once=loss["ball"])
    distances = {
        setting["n"]: results.values("circle", "apart", **setting)[0] for setting in results.settings("circle")
    }
    measured = ", ".join(f"{distances[n]:.4f} (n = {n:,})" for n in sorted(distances))
    yield STATEMENTS.claim("circle", measured, None, min(distances.values()) > np.pi - 1 / min(distances) ** 2)
    for space, name in (("P2", "P(2), r = 1.5"), ("S2", "S², r = π/8")):
        domain = spaces.published_space(space)
        ratios = [
            results.values("neighbours", "distance", space=space, n=n).max() / _bound_sensitivity(domain, n)
            for n in cells.list_sizes(results, space, "neighbours")
        ]
        reached = _find_worst(results, space, "geodesic") / _bound_sensitivity(domain, 1)
        measured = f"largest of random neighbours {max(ratios):.2f}, of a search {reached:.2f}"
        yield STATEMENTS.claim("neighbours", measured, None, max([*ratios, reached]) <= 1 + ROUNDING, name=name)
        close = reached > QUITE_CLOSE
        sharper = 100 * _find_worst(results, space, "geodesic") / _bound_sensitivity(domain, 1, sensitivity.RAUCH)
        measured = f"worst pair found reaches {100 * reached:.0f} % of the bound"
        yield STATEMENTS.claim("empirical", measured, None, close, "" if close else None, name=name, sharper=sharper)


def _find_worst(results, space, kind):
    return float(results.only("worst_pair", space=space)[kind][0])


def _bound_sensitivity(domain, n, kind=sensitivity.PAPERS):
    """Return the bound on the mean's sensitivity, which is proportional to 1/n."""
    return 2 * sensitivity.mean_sensitivity(domain.manifold, domain.r, 2, kind) / n


def _claim_sphere(results):
    """Yield the claims' rows on how much noise the manifold Laplace saves beside flat noise on S²."""
    sizes = cells.list_sizes(results, "S2")
    groups = {
        "saved_all": (widen(0.15, TENTH), sizes),
        "saved_small": ((0.1675, 0.1685), [size for size in sizes if size <= SMALLER]),
        "saved_large": ((0.115, 0.125), [size for size in sizes if size >= LARGER]),
    }
    for key, ((low, high), among) in groups.items():
        share, error = cells.average_saving(results, "S2", "laplace_empirical", "euclidean_published", among)
        twice, _ = cells.average_saving(results, "S2", "laplace_empirical_twice", "euclidean_published", among)
        words = {"sizes": ", ".join(map(str, among)), "twice": 100 * twice}
        yield STATEMENTS.claim(key, *cells.format_share(share, error), judge(share, error, low, high), **words)
    for key, baseline in (("saved_proved", "euclidean_published"), ("saved_both", "euclidean")):
        share, error = cells.average_saving(results, "S2", "laplace", baseline, sizes)
        yield STATEMENTS.claim(key, *cells.format_share(share, error), judge(share, error, 0.115, 0.175))


def _claim_matrices(results):
    """Yield the claims' rows on P(2), on how often flat noise leaves it and who errs less, and on flat noise's privacy.

    The last are of both spaces: whether means of neighbours lie as near as the scale of flat noise takes them to.
    """
    sizes = cells.list_sizes(results, "P2")
    # At these sizes flat noise leaves the positive definite matrices, as the text has it.
    among = [n for n in sizes if 20 <= n <= 40]
    shares = [summarise(results.values("accuracy", "outside_published", space="P2", n=n)) for n in among]
    share, error = cells.average_independent(shares)
    words = {
        "sizes": ", ".join(map(str, among)),
        "each": ", ".join(f"{100 * mean_share:.0f} %" for mean_share, _ in shares),
    }
    yield STATEMENTS.claim(
        "outside", *cells.format_share(share, error), judge(share, error, *widen(0.25, TENTH)), **words
    )
    sizes_won, sizes_lost = cells.count_wins(results, "P2", "laplace", "euclidean_published", sizes)
    saved, error = cells.average_saving(results, "P2", "laplace", "euclidean_published", sizes)
    measured = f"wins at {sizes_won} of {len(sizes)} sample sizes; {100 * saved:.1f} % less noise"
    yield STATEMENTS.claim("matrices", measured, 100 * error, judge_order(sizes_won, sizes_lost, saved, error))
    for space, name in cells.NAMES.items():
        domain = spaces.published_space(space)
        allowed = 2 * laplace.flat_radius(domain.manifold, domain.p0, domain.r)
        largest_distance = _find_worst(results, space, "flat")
        yield STATEMENTS.claim(
            "flat", f"{largest_distance:.4f}", None, largest_distance <= allowed, name=name, allowed=allowed
        )


def _claim_supplement(results):
    """Yield the claims' rows on what the supplement says: projected noise, bounds, steps of the descent, its chain."""
    # The largest n, where noise is so small that S² is flat; both errors are in units of their own sigma².
    n = cells.list_sizes(results, "S2")[-1]
    domain = spaces.published_space("S2")
    flat_sigma = laplace.flat_scale(domain.manifold, laplace.PUBLISHED, domain.p0, domain.r, n, 1.0).sigma
    manifold_sigma = sensitivity.scale(domain.manifold, sensitivity.LAPLACE, domain.r, n, 1.0).sigma
    sigmas = {"projected_published": flat_sigma, "laplace": manifold_sigma}
    projected, on_manifold = (
        summarise(results.values("accuracy", name, space="S2", n=n) ** 2 / s**2) for name, s in sigmas.items()
    )
    ratio, error = cells.divide(projected, on_manifold)
    yield STATEMENTS.claim("projection", f"{ratio:.3f}", error, judge(ratio, error, *widen(4 / 3)), n=n)
    r = min((setting["r"] for setting in results.settings("expansion")), key=lambda radius: abs(radius - np.pi / 8))
    largest_change = results.values("expansion", "ball", r=r)[0]
    papers, proved = (2 * r * sensitivity.expansion(Sphere(2), r, kind) for kind in ("papers", "rauch"))
    measured = f"r = π/8: {2 * r:.4f} < {largest_change:.4f} < {papers:.4f}; proved bound {proved:.4f}"
    yield STATEMENTS.claim("inflation", measured, None, 2 * r < largest_change < min(papers, proved))
    largest = results.values("flat_radius", "largest", r=1.5)[0]
    bound = laplace.flat_radius(SPD(2), np.eye(2), 1.5)
    yield STATEMENTS.claim("ball", f"{largest:.4f}", None, abs(largest - bound) < 1e-6, bound=bound)
    steps = max(results.values("descent", "steps", space=space, n=50).max() for space in ("S2", "P2"))
    yield STATEMENTS.claim("descent", f"at most {steps:.0f} (n = 50, gradient below 1e-5)", None, steps < 200)
    share, error = results.saved("laplace_chain", "chain", "exact", n=20)
    yield STATEMENTS.no_bias("redraw", f"mean distance {-100 * share:+.1f} % against exact draws", share, error)
