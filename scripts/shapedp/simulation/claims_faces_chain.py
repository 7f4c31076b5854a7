"""Measures what papers/faces.yaml states of the chain: times, and how well curves of different people correspond.

Times vary with the machine, so they are told in whole steps of 1, 2, 5 that they stay under, and at paper scale only.
"""

import numpy as np

from shapedp.artifacts import FACE_STEPS
from shapedp.simulation.results import summary

ORDER = ("disk", "surface", "registered", "curves")  # of Figure 10
LIMITS = (0.5, 1, 2, 5, 10, 20, 60, 180)  # seconds


def rows(said, results):
    """Rows on the chain; NOT_TESTABLE where no faces were taken through it."""
    measured = "curve_chain" in results
    yield from (_time(said, results, measured, key, **one) for key, one in said.with_part("time").items())
    yield _alignment(said, results, measured)
    found = [step.folder for step in FACE_STEPS]
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
    return said.claim("aligned", words, error, after < before / 2)


def _methods(results):
    return results.methods("curve_chain", **results.settings("curve_chain")[0])
