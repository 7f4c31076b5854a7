"""Measures the statements of papers/faces.yaml: Soto, Slavkovic, Reimherr and Shriver (2024).

The paper's faces are not public: ours are demo faces, so a number of theirs that differs may do so for the faces. The
body of Table 1 is known to us only as far as the text quotes it. Errors are in 1e-4 of a face of unit area. Times of
the chain vary with the machine, so they are told in whole steps of 1, 2, 5 that they stay under, and at paper scale
only.
"""

import numpy as np

from shapedp.chain.steps import STEPS
from shapedp.mechanisms.accounting import cost
from shapedp.reproduction import cells
from shapedp.reproduction.cells import TENTH, judged, near, summary
from shapedp.reproduction.curve_experiments import PAPER_MU, PAPER_SPLIT

SAID = cells.statements_of("faces")
UNIT = 1e4
CURVES, POINTS = 23, 7150
PRINTED = 5.2989  # Table 1, third column
ORDER = ("disk", "surface", "registered", "curves")  # of Figure 10
LIMITS = (0.5, 1, 2, 5, 10, 20, 60, 180)  # seconds


def rows(results):
    """All rows of this paper."""
    if "curve_table" not in results:
        return [SAID.not_testable("all")]
    return [
        *_theory(results),
        *_budgets(),
        *_table(results),
        *_noise(results),
        *_representation(results),
        *_chain(SAID, results),
    ]


def _theory(results):
    found = {name: values[0] for name, values in _only(results, "curve_sensitivity").items()}
    measured = f"{found['x']:.2f} (phi = .01) and {found['z']:.2f} (.005) times the exact one"
    yield SAID.claim("squared", measured, None, min(found["x"], found["z"]) >= 1)
    measured = f"{found['mu']:.3f}-GDP in truth at the paper's settings"
    yield SAID.claim("gdp", measured, None, found["mu"] <= PAPER_MU, mu=PAPER_MU)
    measured = f"least eigenvalue {abs(found['least_eigenvalue']):.0e}"
    yield SAID.claim("kernel", measured, None, found["least_eigenvalue"] > 1e-9)
    sigma, delta = 2 * np.log(2 / 1e-5) * 0.01**2, 1e-5
    true = cost.gdp_delta(0.01 / sigma, 1.0)
    measured = f"delta = {true:.2f} at epsilon = 1, Delta = 0.01"
    yield SAID.claim("approximate", measured, None, true <= delta, delta=delta)
    yield SAID.claim("area", "area 1/A, for instance 0.25 for a face of area A = 4", None, False)


def _budgets():
    total = float(np.sqrt(CURVES * np.sum(PAPER_SPLIT**2)))
    yield SAID.claim("composed", f"{total:.4f}", None, round(total, 4) == PAPER_MU)
    yield SAID.claim("captions", f"{total:.4f}", None, False)
    yield SAID.not_testable("caption")
    a_point = PAPER_MU / np.sqrt(3 * POINTS)
    measured = f"mu_p = {a_point:.5f}, composed {np.sqrt(3 * POINTS * a_point**2):.4f}"
    yield SAID.claim("a_point", measured, None, True)
    yield SAID.claim("points", f"{CURVES * 81}", None, CURVES * 81 == 1863)


def _table(results):
    ours = _table_number(results, "published", PAPER_MU, "rkhs_paper b")
    point = _table_number(results, "published", 3.0, "pointwise a")
    literally = _table_number(results, "published", 3.0, "pointwise_literal a")
    literal = literally[0]
    yield SAID.claim("error_b", f"{ours[0]:.3g}", ours[1], judged(*ours, *near(PRINTED)), printed=PRINTED)
    words = {"printed": PRINTED, "literal": literal, "wider": np.sqrt(ours[0] / point[0])}
    for key, found in (("error_a", point), ("error_a_printed", literally)):
        measured, gap = f"point-wise {found[0]:.3g}, curves {ours[0]:.3g}", float(np.hypot(found[1], ours[1]))
        yield SAID.claim(key, measured, gap, judged(found[0] - ours[0], gap, 0.0, np.inf), **words)
    yield from (_error_c(results, key, one) for key, one in (("error_c", point), ("error_c_printed", literally)))
    less = _table_number(results, "published", 2.0, "pointwise a")
    ratio = point[0] / less[0]
    error = _ratio_error(point, less)
    yield SAID.claim("halved", f"{ratio:.3f}", error, judged(ratio, error, *near(0.5, 2 * TENTH)))
    floor = _table_number(results, "published", PAPER_MU, "mean b")[0]
    measured = f"{floor:.2g} for the plain mean's own curves"
    yield SAID.claim("inflated", measured, None, floor > 0, share=100 * floor / ours[0])


def _error_c(results, key, point):
    to_rkhs = _table_number(results, "published", PAPER_MU, "rkhs_paper c")
    joint = _table_number(results, "corrected", PAPER_MU, "matched_joint c")[0]
    best = _table_number(results, "corrected", 3.0, "pointwise a")[0]
    words = {"joint": joint, "best": best}
    measured, error = f"ratio {to_rkhs[0] / point[0]:.3g}", _ratio_error(to_rkhs, point)
    found = judged(to_rkhs[0] / point[0], error, 0.0, 0.5)
    return SAID.claim(key, measured, error, found, corrected=joint / best, **words)


def _noise(results):
    parts = {
        (version, name): UNIT * _noise_at_paper_mu(results, version, name)
        for version in ("published", "corrected")
        for name in ("rkhs_paper", "pointwise", "pointwise_literal", "matched_joint")
    }
    curves, points = parts["published", "rkhs_paper"], parts["published", "pointwise"]
    words = {
        "better": parts["corrected", "pointwise"] / parts["corrected", "matched_joint"],
    }
    measured = f"variance per point {curves:.3g} against {points:.2g}"
    yield SAID.claim("less_noise", measured, None, curves < points, **words)
    literal = parts["published", "pointwise_literal"]
    measured = f"variance per point {curves:.3g} against {literal:.2g}"
    yield SAID.claim("less_noise_printed", measured, None, curves < literal)
    people = results.settings("curve_table")[0]["people"]
    private, data = (_table_number(results, version, 3.0, "pointwise a") for version in ("corrected", "published"))
    measured = f"error {private[0]:.3g} with public ranges, {data[0]:.3g} with the data's"
    gap = float(np.hypot(private[1], data[1]))
    yield SAID.claim("ranges", measured, gap, judged(private[0] - data[0], gap, 0.0, np.inf), people=people)
    split = {name: UNIT * values[0] for name, values in _only(results, "curve_split").items()}
    measured = f"z {split['paper_z']:.2g}, with equal shares {split['equal_z']:.2g}"
    yield SAID.claim("split", measured, None, split["paper_z"] < split["equal_z"], **split)
    yield _larger_phi(results)


def _larger_phi(results):
    factors = sorted(one["factor"] for one in results.settings("curve_phi", version="published", mechanism="matched"))
    low, high = (
        {part: UNIT * results.values("curve_phi", part, **_phi(results, factor))[0] for part in ("noise", "bias")}
        for factor in (1.0, max(factors))
    )
    measured = f"phi times {max(factors):g}: noise {low['noise']:.3g} to {high['noise']:.2g}"
    return SAID.claim("phi", measured, None, high["noise"] < low["noise"], low=low["bias"], high=high["bias"])


def _representation(results):
    share = {name: values[0] for name, values in _only(results, "curve_waves").items()}
    measured = f"{100 * share['x']:.1f} % of x, {100 * share['y']:.1f} % of y, {100 * share['z']:.0f} % of z"
    yield SAID.claim("waves", measured, None, min(share["x"], share["y"]) > 0.9 > share["z"])
    found = {
        one["curves"]: results.values("curve_count", "distance", **one)[0] for one in results.settings("curve_count")
    }
    steps = [found[key] for key in sorted(found)]
    words = ", ".join(f"{found[key]:.2g} ({key})" for key in (16, 23, 80) if key in found)
    enough = steps == sorted(steps, reverse=True) and found[23] < 0.5
    yield SAID.claim("count", f"rms distance to the face {words} mm", None, enough)


def _only(results, experiment):
    """The methods of an experiment that has one setting."""
    return results.methods(experiment, **results.settings(experiment)[0])


def _noise_at_paper_mu(results, version, mechanism):
    """Noise per point of 1,000 people's release; its variance falls as 1/mu², so any mu will do."""
    setting = results.settings("curve_budget", version=version, mechanism=mechanism)[0]
    return results.values("curve_budget", "noise", **setting)[0] * (setting["mu"] / PAPER_MU) ** 2


def _phi(results, factor):
    return results.settings("curve_phi", version="published", mechanism="rkhs_paper", factor=factor)[0]


def _table_number(results, version, mu, method):
    """(mean, standard error) in 1e-4."""
    setting = results.settings("curve_table", version=version, mu=mu)[0]
    mean, error = summary(results.values("curve_table", method, **setting))
    return UNIT * mean, UNIT * error


def _ratio_error(above, below):
    """Standard error of above/below, both (mean, error) and independent (delta method)."""
    return above[0] / below[0] * float(np.hypot(above[1] / above[0], below[1] / below[0]))


def _chain(said, results):
    """Rows on the chain; NOT_TESTABLE where no faces were taken through it."""
    measured = "curve_chain" in results
    yield from (_time(said, results, measured, key, **one) for key, one in said.with_part("time").items())
    yield _alignment(said, results, measured)
    found = [step.makes for step in STEPS]
    yield said.claim("pipeline", " -> ".join(found), None, [one for one in found if one in ORDER] == list(ORDER))
    yield from map(said.not_testable, ("centered", "thousand"))


def _time(said, results, measured, key, seconds, method):
    if not measured:
        return said.not_testable(key, "timed at `scale: paper` only")
    found = float(np.median(_methods(results)[method]))
    limit = next((one for one in LIMITS if found < one), None)
    words = f"under {limit:g} s" if limit else f"over {LIMITS[-1]} s"
    same = seconds / 2 < found < 2 * seconds
    return said.claim(key, words, None, same, "" if same else None)


def _alignment(said, results, measured):
    if not measured:
        return said.not_testable("aligned", "faces are registered at `scale: paper` only")
    found = _methods(results)
    (before, _), (after, error) = (summary(100 * found[name]) for name in ("before", "after"))
    words = f"{after:.2f} off true correspondence, {before:.2f} before, in % of the square root of the area"
    return said.claim("aligned", words, error, judged(after, error, 0.0, before / 2))


def _methods(results):
    return results.methods("curve_chain", **results.settings("curve_chain")[0])
