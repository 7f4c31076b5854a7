"""What a forecast says of changes and asymmetries."""

import numpy as np
import pytest

from shapedp.landmarks import outlines
from shapedp.privacy.shapes.base import Ball
from shapedp.releases.kinds.change import forecast as changes

CHANGE = {"name": "grown", "kind": "mean_change", "times": ["a", "b"], "budget": {"mu_total": 1.0}}
ASYMMETRY = {"name": "sides", "kind": "asymmetry", "budget": {"mu_total": 1.0}}


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize(
    ("entry", "words"), [(CHANGE, "measured at both times, 'a' and 'b', and"), (ASYMMETRY, "measured, and")]
)
def test_an_entry_that_too_few_have_is_told_instead_of_foretold(entry, words, n):
    center = outlines.template()
    ball = Ball(n, center - center.mean(), 0.3, 0, np.stack([center, 1.1 * center]))
    for found in (
        changes.lines(entry, None, n, 1.0),
        changes.lines_of_landmarks(entry, ball, True),
    ):
        (line,) = found
        assert line.startswith(f"{entry['name']}, ") and f"{n} people were {words} a mean needs at least 2" in line
