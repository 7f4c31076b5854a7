"""Measures the statements of papers/gaussian.yaml and heat.yaml: mechanisms of others for a mean on a manifold."""

from shapedp.reproduction import cells
from shapedp.reproduction.cells import SURE, judged, ratio, summary, verdict_on_order
from shapedp.reproduction.peer_experiments import ORDERS, PUBLIC

GAUSSIAN, HEAT = cells.statements_of("gaussian"), cells.statements_of("heat")
LAPLACE = {"laplace": "by the epsilon that implies mu", "laplace_calibrated": "its own mu by quadrature"}
OTHERS = {
    "laplace_calibrated": "the Riemannian Laplace, its own mu by quadrature",
    "riemannian_gaussian": "the Riemannian Gaussian",
    "gaussian": "Gaussian noise in the tangent space",
}
ABOUT = 0.1  # as near to flat space
CLOSE = 1e-3  # of the quadrature


def rows(results):
    return [*_gaussian(results), *_heat(results), HEAT.not_testable("langevin")]


def _order(said, results, key, ours, theirs, **words):
    """The claim that one mechanism's error is smaller than another's at every sample size."""
    among = [one["n"] for one in results.settings("mean_peers")]
    found = [results.saved("mean_peers", ours, theirs, n=n) for n in among]
    ahead = sum(share > SURE * error for share, error in found)
    behind = sum(share < -SURE * error for share, error in found)
    share, error = cells.average(found)
    counts = f"smaller at {ahead}, larger at {behind} of {len(among)} sample sizes"
    verdict = verdict_on_order(ahead, behind, share, error)
    return said.claim(key, f"{counts}; {-100 * share:+.1f} % on average", 100 * error, verdict, **words)


def _gaussian(results):
    for theirs, which in LAPLACE.items():
        yield _order(GAUSSIAN, results, "laplace", "riemannian_gaussian", theirs, which=which)
    scales = {
        one["n"]: results.values("mean_peers", "gaussian_scale", **one)[0] for one in results.settings("mean_peers")
    }
    measured = ", ".join(f"{scales[n]:.4f} (n = {n})" for n in sorted(scales))
    inside = all(abs(scale - 1) <= ABOUT for scale in scales.values())
    yield GAUSSIAN.claim("scale", measured, None, inside, words="records in the ball of radius π/8")
    for setting in sorted(results.settings("shape_peers"), key=lambda one: one["n"]):
        value = {name: summary(one) for name, one in results.methods("shape_peers", **setting).items()}
        times, error = ratio(value["shaped"], value["riemannian_gaussian"])
        means = {name: value[name][0] for name in ("shaped", "laplace", "kng")}
        means |= {"gaussian": value["riemannian_gaussian"][0], "tangent": value["gaussian"][0]}
        verdict = judged(times, error, 0.0, 1.0)
        yield GAUSSIAN.claim("shapes", f"{times:.3f} times", error, verdict, n=setting["n"], public=PUBLIC, **means)


def _heat(results):
    settings = results.settings("mean_peers")
    largest, mu = (
        max(float(results.values("mean_peers", name, **one)[0]) for one in settings)
        for name in ("heat_bound", "heat_mu")
    )
    words = {"orders": ", ".join(f"{order:g}" for order in ORDERS), "mu": mu}
    yield HEAT.claim("harnack", f"{largest:.4f}", None, largest <= 1 + CLOSE, **words)
    for theirs, which in OTHERS.items():
        yield _order(HEAT, results, "existing", "heat", theirs, which=which)
