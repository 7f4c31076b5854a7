"""Measures the statements of papers/faces.yaml: Soto, Slavkovic, Reimherr and Shriver (2024).

The paper's faces are not public: a number of theirs agrees if ours, on demo faces, is within a factor of FACTOR; an
order or a ratio agrees if it holds beyond chance. The body of Table 1 is known to us only as far as the text quotes it.
Errors are in 1e-4 of a face of unit area.
"""

import numpy as np

from shapedp.mechanisms import conversions
from shapedp.simulation import claims_faces_chain, stated
from shapedp.simulation.curve_releases import PAPER_MU, PAPER_SPLIT
from shapedp.simulation.results import summary

SAID = stated.of("faces")
UNIT = 1e4
FACTOR = 2
CURVES, POINTS = 23, 7150
PRINTED = 5.2989  # Table 1, third column


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
        *claims_faces_chain.rows(SAID, results),
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
    true = conversions.gdp_delta(0.01 / sigma, 1.0)
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
    literal = _table_number(results, "published", 3.0, "pointwise_literal a")[0]
    near = PRINTED / FACTOR < ours[0] < PRINTED * FACTOR
    yield SAID.claim("error_b", f"{ours[0]:.3g}", ours[1], near, printed=PRINTED, factor=FACTOR)
    words = {"printed": PRINTED, "literal": literal, "wider": np.sqrt(ours[0] / point[0])}
    measured = f"point-wise {point[0]:.3g}, curves {ours[0]:.3g}"
    yield SAID.claim("error_a", measured, point[1], point[0] > ours[0], **words)
    yield _error_c(results, point, literal)
    less = _table_number(results, "published", 2.0, "pointwise a")
    ratio = point[0] / less[0]
    yield SAID.claim("halved", f"{ratio:.3f}", _ratio_error(point, less), 0.4 < ratio < 0.5)
    floor = _table_number(results, "published", PAPER_MU, "mean b")[0]
    measured = f"{floor:.2g} for the plain mean's own curves"
    yield SAID.claim("inflated", measured, None, floor > 0, share=100 * floor / ours[0])


def _error_c(results, point, literal):
    to_rkhs = _table_number(results, "published", PAPER_MU, "rkhs_paper c")
    joint = _table_number(results, "corrected", PAPER_MU, "matched_joint c")[0]
    best = _table_number(results, "corrected", 3.0, "pointwise a")[0]
    words = {"literal": literal, "without_n": to_rkhs[0] / literal, "joint": joint, "best": best}
    measured, error = f"ratio {to_rkhs[0] / point[0]:.3g}", _ratio_error(to_rkhs, point)
    return SAID.claim("error_c", measured, error, to_rkhs[0] < point[0] / 2, corrected=joint / best, **words)


def _noise(results):
    parts = {
        (version, name): UNIT * _noise_at_paper_mu(results, version, name)
        for version in ("published", "corrected")
        for name in ("rkhs_paper", "pointwise", "pointwise_literal", "matched_joint")
    }
    curves, points = parts["published", "rkhs_paper"], parts["published", "pointwise"]
    words = {
        "literal": parts["published", "pointwise_literal"],
        "better": parts["corrected", "pointwise"] / parts["corrected", "matched_joint"],
    }
    measured = f"variance per point {curves:.3g} against {points:.2g}"
    yield SAID.claim("less_noise", measured, None, curves < points, **words)
    people = results.settings("curve_table")[0]["people"]
    private, data = (_table_number(results, version, 3.0, "pointwise a") for version in ("corrected", "published"))
    measured = f"error {private[0]:.3g} with public ranges, {data[0]:.3g} with the data's"
    yield SAID.claim("ranges", measured, private[1], private[0] > data[0], people=people)
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
