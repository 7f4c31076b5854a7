"""Quantitative statements of Reimherr, Bharath and Soto, Differential privacy over Riemannian manifolds (2021)."""

import numpy as np

from shapedp.manifolds.spd import SPD
from shapedp.manifolds.sphere import Sphere
from shapedp.mechanisms import euclidean_laplace, sensitivity
from shapedp.simulation import measures, spaces
from shapedp.simulation.claims import DIFFERS, LAPLACE, Claim, verdict
from shapedp.simulation.results import summary

SMALLER, LARGER = 10, 100  # the text's smaller and larger sample sizes: at most the first, at least the second
QUITE_CLOSE = 0.9  # share of the bound
ROUNDING = 1e-9
SPREAD = 0.02  # shares of noise saved that differ by less, beyond chance, count as the text's rounded figures


def rows(results):
    """All rows of this paper."""
    return [
        *_sensitivity(results),
        *_sphere(results),
        *_matrices(results),
        *_theorems(results),
        *_supplement(results),
    ]


def _claim(place, statement, published, measured, error, holds, why=""):
    return Claim(LAPLACE, place, statement, published, measured, error, verdict(holds), why)


def _sensitivity(results):
    for space, name in (("P2", "P(2), r = 1.5"), ("S2", "S², r = π/8")):
        where = spaces.published(space)
        ratios = [
            results.values("neighbours", "distance", space=space, n=n).max() / _bound(where, n)
            for n in measures.sizes(results, space, "neighbours")
        ]
        reached = _worst(results, space, "geodesic") / _bound(where, 1)
        yield _claim(
            "Theorem 2; Figure 1 a, c",
            f"{name}: neighbouring means are no farther apart than the bound",
            "ratio <= 1",
            f"largest of random neighbours {max(ratios):.2f}, of a search {reached:.2f}",
            None,
            max(*ratios, reached) <= 1 + ROUNDING,
        )
        sharper = 100 * _worst(results, space, "geodesic") / _bound(where, 1, sensitivity.RAUCH)
        loose = (
            f"the published bound is loose where curvature is positive; the proved one is reached to {sharper:.0f} %"
        )
        yield _claim(
            "Section 6",
            f"{name}: the empirical sensitivity is quite close to the bound",
            "quite close",
            f"worst pair found reaches {100 * reached:.0f} % of the bound",
            None,
            reached > QUITE_CLOSE,
            "" if reached > QUITE_CLOSE else loose,
        )


def _worst(results, space, kind):
    return float(results.values("worst_pair", kind, **results.settings("worst_pair", space=space)[0])[0])


def _bound(where, n, kind=sensitivity.PAPERS):
    """The bound on the mean's sensitivity, which is proportional to 1/n."""
    return 2 * sensitivity.mean_sensitivity(where.manifold, where.r, 2, kind) / n


def _sphere(results):
    n = measures.sizes(results, "S2")
    groups = (
        ("about 15 % less noise than the Euclidean Laplace on S²", "15 %", 0.15, n),
        ("smaller sample sizes: 16.8 % less", "16.8 %", 0.168, [one for one in n if one <= SMALLER]),
        ("larger sample sizes: 12 % less", "12 %", 0.12, [one for one in n if one >= LARGER]),
    )
    for statement, words, share, among in groups:
        found, error = measures.share_saved(results, "S2", "laplace_empirical", "euclidean_published", among)
        why = f"sample sizes {', '.join(map(str, among))}; the paper's stand on the figure's axis only"
        near = abs(found - share) < SPREAD + measures.SURE * error
        yield _claim("Section 5.2; Figure 1 d", statement, words, *measures.percent(found, error), near, why)
    found, error = measures.share_saved(results, "S2", "laplace", "euclidean_published", n)
    yield _claim(
        "Section 5.2; Figure 1 d",
        "the same with a proved sensitivity in place of the empirical one",
        "12 to 17 %",
        *measures.percent(found, error),
        abs(found - 0.15) < 0.03,
        "the empirical sensitivity is no bound: it was maximised on a grid of the boundary, and proves nothing",
    )
    found, error = measures.share_saved(results, "S2", "laplace", "euclidean", n)
    yield _claim(
        "Section 5.2; Figure 1 d",
        "the same with both mechanisms epsilon-DP for the Fréchet mean",
        "12 to 17 %",
        *measures.percent(found, error),
        abs(found - 0.15) < 0.03,
        "the Euclidean baseline must pay for the Fréchet mean's sensitivity, too: the manifold saves more than stated",
    )


def _matrices(results):
    among = [n for n in measures.sizes(results, "P2") if 20 <= n <= 40]
    settings = [{"space": "P2", "n": n} for n in among]
    share, error = measures.average(results, "accuracy", "outside_published", settings)
    each = ", ".join(
        f"{100 * summary(results.values('accuracy', 'outside_published', **s))[0]:.0f} %" for s in settings
    )
    yield _claim(
        "Section 5.1",
        "about 25 % of Euclidean results are not in P(2) at sample sizes 20 to 40",
        "25 %",
        *measures.percent(share, error),
        abs(share - 0.25) < 0.05 + measures.SURE * error,
        f"at n = {', '.join(map(str, among))}: {each}",
    )
    sizes = measures.sizes(results, "P2")
    ahead, _ = measures.wins(results, "P2", "laplace", "euclidean_published", sizes)
    saved, error = measures.share_saved(results, "P2", "laplace", "euclidean_published", sizes)
    yield _claim(
        "Section 5.1; Figure 1 b",
        "P(2): the manifold Laplace has the better utility, in flat distance, too",
        "wins",
        f"wins at {ahead} of {len(sizes)} sample sizes; {100 * saved:.1f} % less noise",
        100 * error,
        ahead == len(sizes),
    )
    for space, name in (("S2", "S²"), ("P2", "P(2)")):
        where = spaces.published(space)
        allowed = 2 * euclidean_laplace.flat_radius(where.manifold, where.p0, where.r)
        found = _worst(results, space, "flat")
        yield _claim(
            "Section 5; supplement A.2.2, A.3.2",
            f"{name}: with r_E the Euclidean Laplace on the mean is epsilon-DP",
            f"n |mean - mean'| <= {allowed:.4f}",
            f"{found:.4f}",
            None,
            found <= allowed,
            "r_E bounds the arithmetic mean of the embedded points; the Fréchet mean moves farther",
        )


def _theorems(results):
    for along, experiment, words in (("n", "sample_size", "n^-2"), ("epsilon", "budget", "epsilon^-2")):
        for space, name in (("S2", "S²"), ("P2", "P(2)")):
            slope, error = measures.exponent(results, experiment, "laplace", along, space=space)
            near = abs(slope + 2) < 0.05 + measures.SURE * error
            yield _claim("Theorem 3", f"{name}: E dist² = O({words})", "-2", f"{slope:.3f}", error, near)
    for family, name in (("S", "S^d"), ("P", "P(k)"), ("CP", "CP^m")):
        slope, error = measures.dimension_exponent(results, "laplace", family)
        why = "D (D + 1), whose exponent over these dimensions is below 2, times effects of curvature"
        yield _claim(
            "Theorem 3",
            f"{name}: E dist² = O(d²) in the dimension",
            "2",
            f"{slope:.3f}",
            error,
            slope < 2 + 0.1 + measures.SURE * error,
            why,
        )
    yield _projection(results)


def _projection(results):
    """Both in units of their own sigma², at the largest n, where S² is flat."""
    n = measures.sizes(results, "S2")[-1]
    where = spaces.published("S2")
    setting = (where.manifold, where.p0, where.r, n, 1.0)
    flat = euclidean_laplace.scale(where.manifold, euclidean_laplace.PUBLISHED, *setting[1:]).sigma
    own = sensitivity.scale(where.manifold, sensitivity.LAPLACE, where.r, n, 1.0).sigma
    (a, sa), (b, sb) = (
        summary(results.values("accuracy", method, space="S2", n=n) ** 2 / sigma**2)
        for method, sigma in (("projected_published", flat), ("laplace", own))
    )
    error = float(a / b * np.hypot(sa / a, sb / b))
    return _claim(
        "Theorem 4",
        "projecting from D to d dimensions inflates the variance by (D + 1)/(d + 1), at equal scale",
        "4/3 on S² in R³",
        f"{a / b:.3f}",
        error,
        abs(a / b - 4 / 3) < 0.01 + measures.SURE * error,
        f"at n = {n}",
    )


def _supplement(results):
    r = min((one["r"] for one in results.settings("expansion")), key=lambda one: abs(one - np.pi / 8))
    found = results.values("expansion", "ball", r=r)[0]
    papers, proved = (2 * r * sensitivity.expansion(Sphere(2), r, kind) for kind in ("papers", "rauch"))
    yield _claim(
        "Figure 2; B.1",
        "S²: the inflation by curvature is not as large as the bound",
        "2r < sup < bound",
        f"r = π/8: {2 * r:.4f} < {found:.4f} < {papers:.4f}; proved bound {proved:.4f}",
        None,
        2 * r < found < min(papers, proved),
    )
    largest = results.values("flat_radius", "largest", r=1.5)[0]
    bound = euclidean_laplace.flat_radius(SPD(2), np.eye(2), 1.5)
    yield _claim(
        "Proposition 1",
        "P(2): the smallest Euclidean ball around B_r(I) has radius e^r - 1",
        f"{bound:.4f}",
        f"{largest:.4f}",
        None,
        abs(largest - bound) < 1e-6,
    )
    steps = [results.values("descent", "steps", space=space, n=50).max() for space in ("S2", "P2")]
    yield _claim(
        "Supplement A.1",
        "gradient descent with step 1/2 converges in fewer than 200 iterations",
        "< 200",
        f"at most {max(steps):.0f} (n = 50, gradient below 1e-5)",
        None,
        max(steps) < 200,
    )
    yield Claim(
        LAPLACE,
        "Supplement A.5",
        "10,000 steps and a thinning of 100 make draws of the Laplace on the sphere",
        "law",
        _redraw(results),
        None,
        DIFFERS,
        "the printed rule draws anew after a rejection, which changes the law however long the chain; here draws are "
        "exact",
    )


def _redraw(results):
    steps = max(one["steps"] for one in results.settings("chain_length", rule="redraw"))
    chain, exact = (
        results.values("chain_length", kind, rule="redraw", steps=steps).mean() for kind in ("chain", "exact")
    )
    return f"KNG, the same rule, {steps:,} steps: mean distance {100 * (chain / exact - 1):+.1f} %"
