"""The faces paper's statements on its chain: times, and how well curves of different people correspond.

Times vary with the machine, so they are told in whole steps of 1, 2, 5 that they stay under, and at paper scale only.
"""

import numpy as np

from shapedp.simulation.claims import FACES, NOT_TESTABLE, Claim, verdict
from shapedp.simulation.results import summary

LIMITS = (0.5, 1, 2, 5, 10, 20, 60, 180)  # seconds
TIMES = (
    ("triangulated mesh of a face", "about 5 s", 5, "seconds_mesh"),
    ("parameterising a face", "about 20 s", 20, "seconds_map"),
    ("registering a face to the template", "upwards of 3 min", 180, "seconds_register"),
    ("mean and private release by curves, n = 1000", "about 3 min", 180, "seconds_rkhs_paper"),
    ("mean and private release point-wise, n = 1000", "about 1 min", 60, "seconds_pointwise"),
)
OTHER = "another machine and other algorithms"


def rows(results):
    """Rows on the chain; NOT_TESTABLE where no faces were taken through it."""
    measured = "curve_chain" in results
    yield from (_time(results, measured, *one) for one in TIMES)
    yield _alignment(results, measured)
    yield Claim(
        FACES,
        "Section A.7",
        "with the nose at the center registration is much faster",
        "much faster",
        "",
        None,
        NOT_TESTABLE,
        "their descent starts at the identity; ours searches over rotations and takes Newton's steps",
    )
    yield Claim(
        FACES,
        "Section A.4",
        "1000 faces of 7150 points each, registered point by point",
        "1000, 7150",
        "demo faces: 7,057 vertices in correspondence",
        None,
        NOT_TESTABLE,
        "their data are not public",
    )


def _time(results, measured, statement, published, seconds, method):
    if not measured:
        return Claim(FACES, "Section A.2", statement, published, "", None, NOT_TESTABLE, "timed at `scale: paper` only")
    found = float(np.median(_methods(results)[method]))
    limit = next((one for one in LIMITS if found < one), None)
    words = f"under {limit:g} s" if limit else f"over {LIMITS[-1]} s"
    same = seconds / 2 < found < 2 * seconds
    return Claim(FACES, "Section A.2", statement, published, words, None, verdict(same), "" if same else OTHER)


def _alignment(results, measured):
    statement = "after registration features are aligned across individuals"
    if not measured:
        why = "faces are registered at `scale: paper` only"
        return Claim(FACES, "Section A.9, Figure 9", statement, "aligned", "", None, NOT_TESTABLE, why)
    found = _methods(results)
    (before, _), (after, error) = (summary(100 * found[name]) for name in ("before", "after"))
    words = f"{after:.2f} off true correspondence, {before:.2f} before, in % of the square root of the area"
    return Claim(FACES, "Section A.9, Figure 9", statement, "aligned", words, error, verdict(after < before / 2))


def _methods(results):
    return results.methods("curve_chain", **results.settings("curve_chain")[0])
