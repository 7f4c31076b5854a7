"""The regularised mean: the minimiser of (1/n) sum ||x_i - m||^2 + phi ||m||_H^2 is the filter s_j on the mean.

See docs/mathematics.md, (3.2).
"""

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import kernel


def filters(m, rho, alpha, phi):
    """(3, m) s_j = lambda_j/(lambda_j + phi) for x, y and z; phi : (3,)."""
    phi = np.asarray(phi, dtype=float)
    if not np.all(phi > 0):
        raise RefusedRelease(f"phi must be positive, got {phi.tolist()}")
    eigenvalues = kernel.spectrum(m, rho, alpha)
    return eigenvalues / (eigenvalues + phi[:, None])


def smooth(curves, filters):
    """Curves (..., 3, m) through the filters (3, m)."""
    return kernel.curves(kernel.coefficients(curves) * filters)
