"""The exponent of a power law, fitted."""

import numpy as np


def rate(x, mean, error):
    """Slope b of log mean = a + b log x by least squares with weights (mean / error)², and its standard error."""
    weights = (mean / error) ** 2
    u, y = np.log(x), np.log(mean)
    u = u - np.average(u, weights=weights)
    spread = (weights * u**2).sum()
    return float((weights * u * y).sum() / spread), float(spread**-0.5)
