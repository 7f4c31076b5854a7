"""The forecast of a mean face, from public numbers alone: template, bounds, n, what was learned of a public set."""

from shapedp.forecast import tables
from shapedp.mechanisms.cost import GAUSSIAN, Cost


def rows(inputs, n, left):
    """tables.Row of each mechanism and budget, in mm of the template's size.

    inputs : accuracy.predictions.Inputs; left : mu
    """
    for name in inputs.names:
        for mu in tables.amounts(left):
            told = inputs.predict(name, n, mu)
            yield tables.Row(name, Cost(GAUSSIAN, mu=mu), told.noise, told.sampling, "mm", told.bias, told.reference)


def snippet(left, mechanism):
    """The line that makes a release of it, to be added to the settings."""
    mu = min(1.0, tables.amounts(left)[0] if left < 1 else 1.0)
    return f"    - {{name: mean_face, mechanism: {mechanism}, budget: {{mu_total: {mu:g}}}}}"
