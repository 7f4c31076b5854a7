"""Measures the statements of papers/gaussian.yaml and heat.yaml: mechanisms of others for a mean on a manifold."""

from shapedp.reproduction import cells
from shapedp.reproduction.cells import SURE, divide, judge, judge_order, summarise
from shapedp.reproduction.peer_experiments import ORDERS, PUBLIC

GAUSSIAN, HEAT = cells.read_statements("gaussian"), cells.read_statements("heat")
LAPLACE = {"laplace": "by the epsilon that implies mu", "laplace_calibrated": "its own mu by quadrature"}
OTHERS = {
    "laplace_calibrated": "the Riemannian Laplace, its own mu by quadrature",
    "riemannian_gaussian": "the Riemannian Gaussian",
    "gaussian": "Gaussian noise in the tangent space",
}
ABOUT = 0.1  # as near to flat space
CLOSE = 1e-3  # of the quadrature


def rows(results):
    """Return the rows of the reproduction's table that set the claims of papers of other mechanisms beside ours."""
    return [*_claim_gaussian(results), *_claim_heat(results), HEAT.not_testable("langevin")]


def _claim_order(statements, results, key, ours, theirs, **words):
    """Return the claims' row that says whether one mechanism errs less than another's at every sample size."""
    sizes = [setting["n"] for setting in results.settings("mean_peers")]
    savings = [results.saved("mean_peers", ours, theirs, n=n) for n in sizes]
    sizes_won = sum(share > SURE * error for share, error in savings)
    sizes_lost = sum(share < -SURE * error for share, error in savings)
    share, error = cells.average_independent(savings)
    counts = f"smaller at {sizes_won}, larger at {sizes_lost} of {len(sizes)} sample sizes"
    verdict = judge_order(sizes_won, sizes_lost, share, error)
    return statements.claim(key, f"{counts}; {-100 * share:+.1f} % on average", 100 * error, verdict, **words)


def _claim_gaussian(results):
    """Yield the claims' rows on the Riemannian Gaussian: its error beside the Laplace and our default; its scale."""
    for theirs, which in LAPLACE.items():
        yield _claim_order(GAUSSIAN, results, "laplace", "riemannian_gaussian", theirs, which=which)
    scales = {
        setting["n"]: results.values("mean_peers", "gaussian_scale", **setting)[0]
        for setting in results.settings("mean_peers")
    }
    measured = ", ".join(f"{scales[n]:.4f} (n = {n})" for n in sorted(scales))
    inside = all(abs(scale - 1) <= ABOUT for scale in scales.values())
    yield GAUSSIAN.claim("scale", measured, None, inside, words="records in the ball of radius π/8")
    for setting in sorted(results.settings("shape_peers"), key=lambda setting: setting["n"]):
        value = {name: summarise(errors) for name, errors in results.methods("shape_peers", **setting).items()}
        times, error = divide(value["shaped"], value["riemannian_gaussian"])
        means = {name: value[name][0] for name in ("shaped", "laplace", "kng")}
        means |= {"gaussian": value["riemannian_gaussian"][0], "tangent": value["gaussian"][0]}
        verdict = judge(times, error, 0.0, 1.0)
        yield GAUSSIAN.claim("shapes", f"{times:.3f} times", error, verdict, n=setting["n"], public=PUBLIC, **means)


def _claim_heat(results):
    """Yield the claims' rows on the heat mechanism: the bound that it rests on, and its error beside others."""
    settings = results.settings("mean_peers")
    largest, mu = (
        max(float(results.values("mean_peers", name, **setting)[0]) for setting in settings)
        for name in ("heat_bound", "heat_mu")
    )
    words = {"orders": ", ".join(f"{order:g}" for order in ORDERS), "mu": mu}
    yield HEAT.claim("harnack", f"{largest:.4f}", None, largest <= 1 + CLOSE, **words)
    for theirs, which in OTHERS.items():
        yield _claim_order(HEAT, results, "existing", "heat", theirs, which=which)
