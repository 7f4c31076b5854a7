"""Measures the statements of papers/laplace.yaml: Reimherr, Bharath and Soto (2021)."""

import numpy as np

from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.samplers import laplace
from shapedp.reproduction import cells, spaces
from shapedp.reproduction.cells import TENTH, judged, near, summary, verdict_on_order

SAID = cells.statements_of("laplace")
SMALLER, LARGER = 10, 100  # the text's smaller and larger sample sizes: at most the first, at least the second
QUITE_CLOSE = 0.9  # share of the bound
ROUNDING = 1e-9
QUADRATURE = 1e-4  # of a privacy loss


def rows(results):
    return [
        *_theorems(results),
        *_sphere(results),
        *_matrices(results),
        *cells.rates(SAID, results, "laplace"),
        *_projection_and_supplement(results),
    ]


def _theorems(results):
    """On the privacy loss, and on how far neighbouring means lie apart."""
    loss = {name: float(values[0]) for name, values in results.methods("laplace_privacy").items()}
    for key, name in (("whole", "whole"), ("restricted", "ball_twice")):
        yield SAID.claim(key, f"{loss[name]:.2f} (n = 5)", None, loss[name] <= 1 + QUADRATURE, once=loss["ball"])
    apart = {one["n"]: results.values("circle", "apart", **one)[0] for one in results.settings("circle")}
    measured = ", ".join(f"{apart[n]:.4f} (n = {n:,})" for n in sorted(apart))
    yield SAID.claim("circle", measured, None, min(apart.values()) > np.pi - 1 / min(apart) ** 2)
    for space, name in (("P2", "P(2), r = 1.5"), ("S2", "S², r = π/8")):
        where = spaces.published(space)
        ratios = [
            results.values("neighbours", "distance", space=space, n=n).max() / _bound(where, n)
            for n in cells.sizes(results, space, "neighbours")
        ]
        reached = _worst(results, space, "geodesic") / _bound(where, 1)
        measured = f"largest of random neighbours {max(ratios):.2f}, of a search {reached:.2f}"
        yield SAID.claim("neighbours", measured, None, max(*ratios, reached) <= 1 + ROUNDING, name=name)
        close = reached > QUITE_CLOSE
        sharper = 100 * _worst(results, space, "geodesic") / _bound(where, 1, sensitivity.RAUCH)
        measured = f"worst pair found reaches {100 * reached:.0f} % of the bound"
        yield SAID.claim("empirical", measured, None, close, "" if close else None, name=name, sharper=sharper)


def _worst(results, space, kind):
    return float(results.only("worst_pair", space=space)[kind][0])


def _bound(where, n, kind=sensitivity.PAPERS):
    """The bound on the mean's sensitivity, which is proportional to 1/n."""
    return 2 * sensitivity.mean_sensitivity(where.manifold, where.r, 2, kind) / n


def _sphere(results):
    n = cells.sizes(results, "S2")
    groups = {
        "saved_all": (near(0.15, TENTH), n),
        "saved_small": ((0.1675, 0.1685), [one for one in n if one <= SMALLER]),
        "saved_large": ((0.115, 0.125), [one for one in n if one >= LARGER]),
    }
    for key, (printed, among) in groups.items():
        found, error = cells.share_saved(results, "S2", "laplace_empirical", "euclidean_published", among)
        twice, _ = cells.share_saved(results, "S2", "laplace_empirical_twice", "euclidean_published", among)
        words = {"sizes": ", ".join(map(str, among)), "twice": 100 * twice}
        yield SAID.claim(key, *cells.percent(found, error), judged(found, error, *printed), **words)
    for key, other in (("saved_proved", "euclidean_published"), ("saved_both", "euclidean")):
        found, error = cells.share_saved(results, "S2", "laplace", other, n)
        yield SAID.claim(key, *cells.percent(found, error), judged(found, error, 0.115, 0.175))


def _matrices(results):
    sizes = cells.sizes(results, "P2")
    among = [n for n in sizes if 20 <= n <= 40]  # where flat noise leaves the positive definite matrices
    shares = [summary(results.values("accuracy", "outside_published", space="P2", n=n)) for n in among]
    share, error = cells.average(shares)
    words = {"sizes": ", ".join(map(str, among)), "each": ", ".join(f"{100 * one:.0f} %" for one, _ in shares)}
    yield SAID.claim("outside", *cells.percent(share, error), judged(share, error, *near(0.25, TENTH)), **words)
    ahead, behind = cells.wins(results, "P2", "laplace", "euclidean_published", sizes)
    saved, error = cells.share_saved(results, "P2", "laplace", "euclidean_published", sizes)
    measured = f"wins at {ahead} of {len(sizes)} sample sizes; {100 * saved:.1f} % less noise"
    yield SAID.claim("matrices", measured, 100 * error, verdict_on_order(ahead, behind, saved, error))
    for space, name in cells.NAMES.items():
        where = spaces.published(space)
        allowed = 2 * laplace.flat_radius(where.manifold, where.p0, where.r)
        found = _worst(results, space, "flat")
        yield SAID.claim("flat", f"{found:.4f}", None, found <= allowed, name=name, allowed=allowed)


def _projection_and_supplement(results):
    n = cells.sizes(results, "S2")[-1]  # the largest, where S² is flat; both in units of their own sigma²
    where = spaces.published("S2")
    flat = laplace.flat_scale(where.manifold, laplace.PUBLISHED, where.p0, where.r, n, 1.0).sigma
    own = sensitivity.scale(where.manifold, sensitivity.LAPLACE, where.r, n, 1.0).sigma
    sigmas = {"projected_published": flat, "laplace": own}
    errors = (summary(results.values("accuracy", name, space="S2", n=n) ** 2 / s**2) for name, s in sigmas.items())
    ratio, error = cells.ratio(*errors)
    yield SAID.claim("projection", f"{ratio:.3f}", error, judged(ratio, error, *near(4 / 3)), n=n)
    r = min((one["r"] for one in results.settings("expansion")), key=lambda one: abs(one - np.pi / 8))
    found = results.values("expansion", "ball", r=r)[0]
    papers, proved = (2 * r * sensitivity.expansion(Sphere(2), r, kind) for kind in ("papers", "rauch"))
    measured = f"r = π/8: {2 * r:.4f} < {found:.4f} < {papers:.4f}; proved bound {proved:.4f}"
    yield SAID.claim("inflation", measured, None, 2 * r < found < min(papers, proved))
    largest = results.values("flat_radius", "largest", r=1.5)[0]
    bound = laplace.flat_radius(SPD(2), np.eye(2), 1.5)
    yield SAID.claim("ball", f"{largest:.4f}", None, abs(largest - bound) < 1e-6, bound=bound)
    steps = max(results.values("descent", "steps", space=space, n=50).max() for space in ("S2", "P2"))
    yield SAID.claim("descent", f"at most {steps:.0f} (n = 50, gradient below 1e-5)", None, steps < 200)
    share, error = results.saved("laplace_chain", "chain", "exact", n=20)
    yield SAID.no_bias("redraw", f"mean distance {-100 * share:+.1f} % against exact draws", share, error)
